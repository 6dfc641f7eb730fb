// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The bucket arithmetic of abi/hist.h against its definition, computed the slow way.
 */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(log2_is_the_place_of_the_highest_bit),
		cmocka_unit_test(small_values_have_a_bucket_each),
		cmocka_unit_test(every_bucket_begins_where_the_one_below_ends),
		cmocka_unit_test(no_bucket_is_wider_than_a_64th_of_its_bound),
		cmocka_unit_test(index_is_that_of_the_definition),
		cmocka_unit_test(what_is_added_is_what_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
