// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The bucket arithmetic of abi/hist.h against its definition, computed the slow way.
 */
#include <math.h>
#include <stdlib.h>

#include "abi/hist.h"
#include "lib/hist.h"

#include "check.h"

#define TOP (1ull << HIST_MAX_BITS)

/* The definition: below 64 one each, then each power of two in 64 equal parts. */
static uint32_t index_by_definition(uint64_t ns)
{
	uint64_t low = HIST_SUB;
	uint32_t index = HIST_SUB;

	if (ns < HIST_SUB)
		return (uint32_t)ns;
	while (ns >= 2 * low) {
		low *= 2;
		index += HIST_SUB;
	}
	return index + (uint32_t)((ns - low) / (low / HIST_SUB));
}

static void log2_is_the_place_of_the_highest_bit(void **state)
{
	int bit;

	(void)state;
	for (bit = 0; bit < 64; bit++) {
		assert_int_equal(hist_log2(1ull << bit), bit);
		assert_int_equal(hist_log2((1ull << bit) | ((1ull << bit) - 1)), bit);
		assert_int_equal(hist_log2((1ull << bit) | 1), bit);
	}
}

static void small_values_have_a_bucket_each(void **state)
{
	uint32_t ns;

	(void)state;
	for (ns = 0; ns < 2 * HIST_SUB; ns++) {
		assert_int_equal(hist_index(ns), ns);
		assert_int_equal(hist_lower_ns(ns), ns);
	}
}

static void every_bucket_begins_where_the_one_below_ends(void **state)
{
	uint32_t i;

	(void)state;
	for (i = 0; i < HIST_BUCKETS; i++) {
		uint64_t low = hist_lower_ns(i), next = hist_lower_ns(i + 1);

		assert_true(next > low);
		assert_int_equal(hist_index(low), i);
		assert_int_equal(hist_index(low + (next - low) / 2), i);
		assert_int_equal(hist_index(next - 1), i);
		if (i)
			assert_int_equal(hist_index(low - 1), i - 1);
	}
	assert_true(hist_lower_ns(HIST_BUCKETS) == TOP);
}

static void no_bucket_is_wider_than_a_64th_of_its_bound(void **state)
{
	uint32_t i;

	(void)state;
	for (i = HIST_SUB; i < HIST_BUCKETS; i++) {
		uint64_t low = hist_lower_ns(i);

		assert_true((hist_lower_ns(i + 1) - low) * 64 <= low);
	}
}

static void index_is_that_of_the_definition(void **state)
{
	uint64_t ns;
	int i;

	(void)state;
	for (ns = 0; ns < 1 << 18; ns++)
		assert_int_equal(hist_index(ns), index_by_definition(ns));
	srandom(1);
	for (i = 0; i < 100000; i++) {
		ns = ((uint64_t)random() << 31 | (uint64_t)random()) % TOP;
		ns >>= random() % HIST_MAX_BITS;
		assert_int_equal(hist_index(ns), index_by_definition(ns));
	}
	assert_int_equal(hist_index(TOP - 1), HIST_BUCKETS - 1);
}

/* 1..1000, 2^39 and three beyond the range: every sum by hand. */
static void what_is_added_is_what_is_read(void **state)
{
	static struct hist_rec hist, twice;
	uint64_t ns;

	(void)state;
	for (ns = 1000; ns; ns--)
		hist_add(&hist, ns);
	assert_int_equal(hist.count, 1000);
	assert_int_equal(hist.sum_ns, 500500);
	assert_int_equal(hist_min_ns(&hist), 1);
	assert_int_equal(hist.max_ns, 1000);
	assert_in_range(hist_percentile_ns(&hist, 0.5), 496, 504);
	assert_in_range(hist_percentile_ns(&hist, 0.99), 982, 998);
	assert_int_equal(hist_percentile_ns(&hist, 1), 1000);
	hist_add(&hist, TOP / 2);
	hist_add(&hist, TOP);
	hist_add(&hist, TOP + 1);
	hist_add(&hist, 4 * TOP);
	assert_int_equal(hist.count, 1004);
	assert_int_equal(hist.above, 3);
	assert_int_equal(hist.max_ns, 4 * TOP);
	assert_int_equal(hist.buckets[hist_index(TOP / 2)], 1);
	hist_merge(&twice, &hist);
	hist_merge(&twice, &hist);
	assert_int_equal(twice.count, 2008);
	assert_int_equal(twice.buckets[7], 2);
}

/* Of the values 1 to n: the smallest that is not below that share of them. */
static void a_percentile_is_the_smallest_value_of_that_rank(void **state)
{
	static const unsigned int percents[] = { 50, 90, 99, 100 };
	struct hist_rec hist = { 0 };
	uint64_t n;
	size_t i;

	(void)state;
	for (n = 1; n < HIST_SUB; n++) {
		hist_add(&hist, n);
		for (i = 0; i < sizeof(percents) / sizeof(percents[0]); i++)
			assert_int_equal(hist_percentile_ns(&hist, percents[i] / 100.0),
					 (percents[i] * n + 99) / 100);
	}
}

static void an_interval_has_its_own_extremes(void **state)
{
	struct hist_rec before = { 0 }, now;

	(void)state;
	hist_add(&before, 10);
	hist_add(&before, 60);
	now = before;
	hist_add(&now, 20);
	hist_add(&now, 30);
	hist_subtract(&now, &before);
	assert_int_equal(now.count, 2);
	assert_int_equal(now.sum_ns, 50);
	assert_int_equal(hist_min_ns(&now), 20);
	assert_int_equal(now.max_ns, 30);
}

#define NR 10007

/* The definition, in two passes. */
static double deviation(const uint64_t *ns, size_t nr)
{
	long double mean = 0, squares = 0;
	size_t i;

	for (i = 0; i < nr; i++)
		mean += (long double)ns[i] / (long double)nr;
	for (i = 0; i < nr; i++)
		squares += ((long double)ns[i] - mean) * ((long double)ns[i] - mean);
	return (double)sqrtl(squares / (long double)nr);
}

/* The mdev of iputils' ping, which sums up integers of microseconds. */
static int64_t ping_mdev_us(const uint64_t *ns, size_t nr)
{
	int64_t sum = 0, squares = 0, us, n = (int64_t)nr;
	size_t i;

	for (i = 0; i < nr; i++) {
		us = (int64_t)(ns[i] / 1000);
		sum += us;
		squares += us * us;
	}
	return (int64_t)sqrt((double)((squares - sum * sum / n) / n));
}

/* @nr values from @least on, in a range of @spread; the same in each run. */
static void draw(uint64_t *ret_ns, size_t nr, uint64_t least, uint64_t spread)
{
	static uint64_t state = 88172645463325252ull;
	size_t i;

	for (i = 0; i < nr; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		ret_ns[i] = least + state % spread;
	}
}

static void assert_close(double got, double want)
{
	if (!(fabs(got - want) <= 1e-9 * want + 1e-9))
		fail_msg("%.17g is not %.17g", got, want);
}

static void the_deviation_is_that_of_the_values_and_not_of_their_buckets(void **state)
{
	/* Far from 0 the buckets are wider than the spread, and the squares have 78 bits. */
	static const struct { uint64_t least, spread; } cases[] = {
		{ 0, 2 }, { 1, 1000000 }, { 10000000000, 7 }, { 4294967290, 13 }, { TOP - 101, 101 }, { 0, TOP },
	};
	static struct hist_rec hist, half, sum, rest;
	static uint64_t ns[NR];
	size_t i, k;

	(void)state;
	for (k = 0; k < ARRAY_SIZE(cases); k++) {
		draw(ns, NR, cases[k].least, cases[k].spread);
		hist = half = sum = (struct hist_rec){ 0 };
		for (i = 0; i < NR; i++) {
			hist_add(&hist, ns[i]);
			if (i < NR / 2)
				hist_add(&half, ns[i]);
		}
		assert_close(hist_stddev_ns(&hist), deviation(ns, NR));
		/* The second half by subtraction, and both of it again by addition. */
		rest = hist;
		hist_subtract(&rest, &half);
		assert_close(hist_stddev_ns(&rest), deviation(ns + NR / 2, NR - NR / 2));
		hist_merge(&sum, &rest);
		hist_merge(&sum, &half);
		assert_close(hist_stddev_ns(&sum), deviation(ns, NR));
	}
}

static void the_deviation_is_the_mdev_of_ping(void **state)
{
	static struct hist_rec hist;
	static uint64_t ns[NR];
	int64_t ours_us;
	size_t i;

	(void)state;
	draw(ns, NR, 20000, 5000);
	for (i = 0; i < NR; i++) {
		ns[i] *= 1000;
		hist_add(&hist, ns[i]);
	}
	ours_us = (int64_t)(hist_stddev_ns(&hist) / 1000);
	assert_true(ours_us > 1000);
	assert_in_range(ping_mdev_us(ns, NR), ours_us - 1, ours_us + 1);
}

static void the_deviation_is_unknown_where_squares_are_missing(void **state)
{
	struct hist_rec known = { 0 }, unknown = { 0 }, empty = { 0 };

	(void)state;
	assert_true(isnan(hist_stddev_ns(&empty)));
	hist_add(&known, 0);
	assert_true(hist_stddev_ns(&known) == 0);
	hist_add(&known, 6);
	assert_true(hist_stddev_ns(&known) == 3);
	hist_merge(&known, &empty);
	assert_true(hist_stddev_ns(&known) == 3);
	/* As a program writes it that keeps no squares. */
	hist_add(&unknown, 7);
	unknown.square_low = 0;
	assert_true(isnan(hist_stddev_ns(&unknown)));
	hist_merge(&unknown, &known);
	assert_true(isnan(hist_stddev_ns(&unknown)));
	hist_merge(&known, &unknown);
	assert_true(isnan(hist_stddev_ns(&known)));
	hist_add(&empty, TOP);
	assert_true(isnan(hist_stddev_ns(&empty)));
}

/* Of two values it is half of their distance, and never more. */
static void a_sum_read_between_its_two_words_gives_no_deviation(void **state)
{
	struct hist_rec hist = { 0 };

	(void)state;
	hist_add(&hist, 1000);
	hist_add(&hist, 5000000000);
	assert_close(hist_stddev_ns(&hist), 2499999500);
	hist.square_high++;
	assert_true(isnan(hist_stddev_ns(&hist)));
	hist.square_high -= 2;
	assert_true(isnan(hist_stddev_ns(&hist)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(log2_is_the_place_of_the_highest_bit),
		cmocka_unit_test(small_values_have_a_bucket_each),
		cmocka_unit_test(every_bucket_begins_where_the_one_below_ends),
		cmocka_unit_test(no_bucket_is_wider_than_a_64th_of_its_bound),
		cmocka_unit_test(index_is_that_of_the_definition),
		cmocka_unit_test(what_is_added_is_what_is_read),
		cmocka_unit_test(a_percentile_is_the_smallest_value_of_that_rank),
		cmocka_unit_test(an_interval_has_its_own_extremes),
		cmocka_unit_test(the_deviation_is_that_of_the_values_and_not_of_their_buckets),
		cmocka_unit_test(the_deviation_is_the_mdev_of_ping),
		cmocka_unit_test(the_deviation_is_unknown_where_squares_are_missing),
		cmocka_unit_test(a_sum_read_between_its_two_words_gives_no_deviation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
