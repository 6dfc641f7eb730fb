// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lib/sample: the gaps take items as independent draws do, and the stated error covers 95 % of the estimates.
 */
#include "check.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "lib/sample.h"

#define GAPS 1024

static uint32_t gaps[GAPS];

/* Of xorshift64*, so that a failure is the same in every run. */
static uint64_t state = 88172645463325252ull;

static uint32_t draw(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (uint32_t)(state * 2685821657736338717ull >> 32);
}

static void the_mean_gap_is_exact(void **unused)
{
	static const uint32_t all[] = { 1, 2, 3, 7, 64, 1000, 65536, 1000000 };
	size_t n, i;

	(void)unused;
	for (n = 0; n < sizeof(all) / sizeof(all[0]); n++) {
		uint64_t sum = 0;

		sample_gaps(all[n], gaps, GAPS);
		for (i = 0; i < GAPS; i++) {
			assert_true(gaps[i] >= 1 && gaps[i] < 12 * (uint64_t)all[n]);
			assert_true(!i || gaps[i] >= gaps[i - 1]);
			sum += gaps[i];
		}
		assert_int_equal(sum, (uint64_t)all[n] * GAPS);
	}
}

/* Independent draws have no memory: after any item, the next is taken with the same probability. */
static void every_distance_is_as_likely_as_with_independent_draws(void **unused)
{
	static const uint32_t one_in = 8;
	uint32_t upto, i;

	(void)unused;
	sample_gaps(one_in, gaps, GAPS);
	for (upto = 1; upto <= 40; upto++) {
		double expect = 1 - pow(1 - 1.0 / one_in, upto);
		uint32_t nr = 0;

		for (i = 0; i < GAPS; i++)
			nr += gaps[i] <= upto;
		assert_true(fabs((double)nr / GAPS - expect) <= 1.0 / GAPS);
	}
}

/* A flow with a tenth of the items, of sizes from 64 to 1518: how often the true sum is in the stated interval. */
static void the_interval_holds_95_percent(void **unused)
{
	const uint32_t one_in = 16, items = 20000, rounds = 2000;
	double mean = 0;
	uint32_t within = 0, round;

	(void)unused;
	sample_gaps(one_in, gaps, GAPS);
	for (round = 0; round < rounds; round++) {
		double taken = 0, squares = 0, truth = 0, error;
		uint32_t i, left = gaps[draw() % GAPS];

		for (i = 0; i < items; i++) {
			uint32_t bytes = 64 + draw() % 1455, is_ours = draw() % 10 == 0;

			truth += is_ours ? bytes : 0;
			if (--left)
				continue;
			left = gaps[draw() % GAPS];
			taken += is_ours ? bytes : 0;
			squares += is_ours ? (double)bytes * bytes : 0;
		}
		error = sample_error_ratio(one_in, taken, squares) * taken * one_in;
		within += fabs(taken * one_in - truth) <= error;
		mean += taken * one_in / truth / rounds;
	}
	/* Three standard deviations of a binomial around 95 %; and of the mean of the estimates. */
	assert_true(within > rounds * 0.935 && within < rounds * 0.965);
	assert_true(fabs(mean - 1) < 0.008);
}

static void nothing_taken_has_no_error_and_everything_taken_none_either(void **unused)
{
	(void)unused;
	assert_true(isnan(sample_error_ratio(64, 0, 0)));
	assert_true(sample_error_ratio(1, 1000, 1e6) == 0);
	/* A hundred equal ones of one in many: 1.96 / sqrt(100). */
	assert_true(fabs(sample_error_ratio(1000000, 100, 100) - 0.196) < 1e-3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_mean_gap_is_exact),
		cmocka_unit_test(every_distance_is_as_likely_as_with_independent_draws),
		cmocka_unit_test(the_interval_holds_95_percent),
		cmocka_unit_test(nothing_taken_has_no_error_and_everything_taken_none_either),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
