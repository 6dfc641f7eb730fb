// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The gaps of abi/pace.h against their definitions, computed with floating point.
 */
#include <math.h>
#include <stdlib.h>

#include "abi/pace.h"

#include "check.h"

#define UNIT (1ull << PACE_FRAC_BITS)
#define MILLION 1000003

/* The time that @packets take, from a start at 0; exact. */
static struct pace_time run(const struct pace *pace, uint64_t packets)
{
	struct pace_time due = { 0 };
	uint64_t i;

	for (i = 0; i < packets; i++)
		pace_advance(&due, pace_gap(pace, i, due.ns));
	return due;
}

static void the_part_below_a_nanosecond_is_kept(void **state)
{
	struct pace pace = { .kind = PACE_EVEN, .gap = 333 * UNIT + UNIT / 3 };
	struct pace_time due = run(&pace, MILLION);
	unsigned __int128 sum = (unsigned __int128)pace.gap * MILLION;

	(void)state;
	assert_true(due.ns == (uint64_t)(sum >> PACE_FRAC_BITS));
	assert_int_equal(due.frac, (uint64_t)sum & PACE_FRAC_MASK);
}

static void an_odd_rate_is_off_by_less_than_a_billionth(void **state)
{
	uint64_t pps;

	(void)state;
	for (pps = 1; pps < 100000000; pps = pps * 7 + 3) {
		double gap_ns = (double)pace_gap_of(pps << PACE_PPS_BITS) / UNIT;

		/* The gap is cut at 2^-20 ns. */
		assert_true(fabs(gap_ns - 1e9 / (double)pps) <= 1.0 / UNIT);
	}
}

static void bursts_have_their_period_exactly(void **state)
{
	struct pace pace = {
		.kind = PACE_BURST, .burst = 7, .gap = 100 * UNIT + 11, .rest = 9001 * UNIT + 17,
	};
	unsigned __int128 period = 6 * pace.gap + pace.rest, sum = period * (MILLION / 7) +
				   pace.gap * (MILLION % 7);
	struct pace_time due = run(&pace, MILLION);
	uint64_t i;

	(void)state;
	assert_true(due.ns == (uint64_t)(sum >> PACE_FRAC_BITS));
	assert_int_equal(due.frac, (uint64_t)sum & PACE_FRAC_MASK);
	for (i = 0; i < 7 * 11; i++)
		assert_true(pace_gap(&pace, i, 0) == (i % 7 == 6 ? pace.rest : pace.gap));
}

static void a_burst_of_one_packet_has_rests_only(void **state)
{
	struct pace pace = { .kind = PACE_BURST, .burst = 1, .gap = 5, .rest = 77 * UNIT };

	(void)state;
	assert_true(run(&pace, 101).ns == 77 * 101);
}

static double exponential_by_definition(uint64_t hash)
{
	return -logl((long double)(hash | 1) / 18446744073709551616.0L);
}

static void the_logarithm_is_off_by_less_than_it_says(void **state)
{
	uint64_t i, hash;
	int bit;

	(void)state;
	for (bit = 0; bit < 64; bit++) {
		for (i = 0; i < 3; i++) {
			hash = (1ull << bit) + i - 1;
			assert_true(fabs((double)pace_exponential(hash) / UNIT -
					 exponential_by_definition(hash)) < 5e-5);
		}
	}
	for (i = 0; i < 300007; i++) {
		hash = field_hash(1, i) >> i % 64;
		assert_true(fabs((double)pace_exponential(hash) / UNIT -
				 exponential_by_definition(hash)) < 5e-5);
	}
}

/* Of an exponential distribution: mean 1, variance 1, median ln 2, P(> 3) e^-3. */
static void poisson_gaps_are_exponentially_distributed(void **state)
{
	struct pace pace = { .kind = PACE_POISSON, .gap = 12345 * UNIT + 678, .seed = 42 };
	double mean_ns = (double)pace.gap / UNIT, sum = 0, squares = 0, ratio;
	uint64_t i, below_median = 0, above_three = 0;

	(void)state;
	for (i = 0; i < MILLION; i++) {
		ratio = (double)pace_gap(&pace, i, 0) / UNIT / mean_ns;
		sum += ratio;
		squares += ratio * ratio;
		below_median += ratio < M_LN2;
		above_three += ratio > 3;
	}
	/* Five standard errors each. */
	sum /= MILLION;
	assert_true(fabs(sum - 1) < 5e-3);
	assert_true(fabs(squares / MILLION - sum * sum - 1) < 1.5e-2);
	assert_true(fabs((double)below_median / MILLION - 0.5) < 2.5e-3);
	assert_true(fabs((double)above_three / MILLION - exp(-3)) < 1.1e-3);
}

static void gaps_that_follow_each_other_know_nothing_of_each_other(void **state)
{
	struct pace pace = { .kind = PACE_POISSON, .gap = 1000 * UNIT, .seed = 7 };
	double sum = 0, before = 1000, gap_ns;
	uint64_t i;

	(void)state;
	for (i = 0; i < MILLION; i++) {
		gap_ns = (double)pace_gap(&pace, i, 0) / UNIT;
		sum += (gap_ns / 1000 - 1) * (before / 1000 - 1);
		before = gap_ns;
	}
	assert_true(fabs(sum / MILLION) < 5e-3);
}

static void another_seed_gives_another_sequence(void **state)
{
	struct pace one = { .kind = PACE_POISSON, .gap = 1000 * UNIT, .seed = 1 }, two = one;
	uint64_t i, equal = 0;

	(void)state;
	two.seed = 2;
	for (i = 0; i < 1009; i++)
		equal += pace_gap(&one, i, 0) == pace_gap(&two, i, 0);
	assert_true(equal < 3);
}

static void a_long_mean_gap_does_not_overflow(void **state)
{
	/* An hour: the largest factor, 44, makes two days. */
	struct pace pace = { .kind = PACE_POISSON, .gap = 3600000000000ull * UNIT / 1000 };
	uint64_t i;
	double sum = 0;

	(void)state;
	for (i = 0; i < MILLION; i++)
		sum += (double)pace_gap(&pace, i, 0) / (double)pace.gap;
	assert_true(fabs(sum / MILLION - 1) < 5e-3);
}

/* The packets of a ramp are the integral of its rate: time x the mean of both ends. */
static void expect_ramp(double from_pps, double to_pps, double seconds)
{
	struct pace pace = {
		.kind = PACE_RAMP,
		.from = (uint64_t)(from_pps * (1 << PACE_PPS_BITS)),
		.to = (uint64_t)(to_pps * (1 << PACE_PPS_BITS)),
		.ramp_ns = (uint64_t)(seconds * 1e9),
	};
	double wanted = seconds * (from_pps + to_pps) / 2;
	struct pace_time due = { 0 };
	uint64_t i = 0;

	while (due.ns < pace.ramp_ns)
		pace_advance(&due, pace_gap(&pace, i++, due.ns));
	assert_true(fabs((double)i - wanted) <= 1 + wanted * 1e-3);
	/* After it the rate is constant. */
	assert_true(pace_gap(&pace, i, pace.ramp_ns) == pace_gap_of(pace.to));
	assert_true(pace_gap(&pace, i, 100 * pace.ramp_ns) == pace_gap_of(pace.to));
	assert_true(pace_gap(&pace, 0, 0) == pace_gap_of(pace.from));
}

static void a_ramp_sends_the_integral_of_its_rate(void **state)
{
	(void)state;
	expect_ramp(1000, 1000000, 1);
	expect_ramp(1000000, 1000, 1);
	expect_ramp(50000, 50000, 3);
	expect_ramp(100, 3000, 600);
}

static void the_rate_of_a_ramp_never_turns(void **state)
{
	struct pace up = { .kind = PACE_RAMP, .from = 1, .to = 1ull << 40, .ramp_ns = 1ull << 42 };
	struct pace down = { .kind = PACE_RAMP, .from = up.to, .to = 1, .ramp_ns = up.ramp_ns };
	uint64_t at_ns, rate, before = 0;

	(void)state;
	for (at_ns = 0; at_ns <= up.ramp_ns; at_ns += up.ramp_ns / 1024) {
		rate = pace_ramp_rate(&up, at_ns);
		assert_true(rate >= before && rate <= up.to);
		assert_true(llabs((long long)(pace_ramp_rate(&down, at_ns) + rate - up.to)) <= 2);
		before = rate;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_part_below_a_nanosecond_is_kept),
		cmocka_unit_test(an_odd_rate_is_off_by_less_than_a_billionth),
		cmocka_unit_test(bursts_have_their_period_exactly),
		cmocka_unit_test(a_burst_of_one_packet_has_rests_only),
		cmocka_unit_test(the_logarithm_is_off_by_less_than_it_says),
		cmocka_unit_test(poisson_gaps_are_exponentially_distributed),
		cmocka_unit_test(gaps_that_follow_each_other_know_nothing_of_each_other),
		cmocka_unit_test(another_seed_gives_another_sequence),
		cmocka_unit_test(a_long_mean_gap_does_not_overflow),
		cmocka_unit_test(a_ramp_sends_the_integral_of_its_rate),
		cmocka_unit_test(the_rate_of_a_ramp_never_turns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
