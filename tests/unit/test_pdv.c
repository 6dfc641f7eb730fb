// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The histogram of delay variation against all delays, sorted.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/hist.h"
#include "lib/pdv.h"

#include "check.h"

#define MANY 20011
#define US 1000ull
#define MS 1000000ull
#define TOP (1ull << HIST_MAX_BITS)

static uint64_t delays[3 * MANY], nr_delays;
static struct hist_rec hist;		/* of all delays */
static struct pdv_rec recs[3];

static void begin(void)
{
	memset(recs, 0, sizeof(recs));
	memset(&hist, 0, sizeof(hist));
	nr_delays = 0;
	srand48(7);
}

static void add_to(size_t rec, uint64_t ns)
{
	delays[nr_delays++] = ns;
	hist_add(&hist, ns);
	pdv_add(&recs[rec], ns);
}

static void add(uint64_t ns)
{
	add_to(0, ns);
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Each percentile: 1/128 of it for the interval, and 1/128 for the bucket. */
static void check_record(const struct pdv_rec *pdv)
{
	static struct hist_rec above;
	uint64_t rank, least;
	double got, want, share;
	int i;

	qsort(delays, nr_delays, sizeof(delays[0]), by_value);
	least = delays[0];
	assert_int_equal(~pdv->not_min_ns, least);
	pdv_hist(pdv, &hist, &above);
	assert_int_equal(above.count, nr_delays);
	assert_int_equal(above.max_ns, delays[nr_delays - 1] - least);
	for (i = 1; i <= 1000; i++) {
		share = i / 1000.;
		rank = (uint64_t)ceil(share * (double)nr_delays);
		want = (double)(delays[rank - 1] - least);
		got = (double)hist_percentile_ns(&above, share);
		if (fabs(got - want) > want * (129. / 128 * 129 / 128 - 1))
			fail_msg("%g %%: %.0f above %llu as %.0f", 100 * share, want,
				 (unsigned long long)least, got);
	}
}

/* Between 0 and 1; 1 is seldom approached. */
static double skewed(void)
{
	return pow(drand48(), 6);
}

static void a_percentile_is_right_whatever_the_base(void **state)
{
	static const uint64_t bases_ns[] = { 0, US, 100 * US, 20 * MS, 100 * MS, 700 * MS, TOP / 2 };
	static const uint64_t widths_ns[] = { 3, 100, 5 * US, 300 * US, 7 * MS, 1000 * MS };
	size_t base, width, i;

	(void)state;
	for (base = 0; base < ARRAY_SIZE(bases_ns); base++) {
		for (width = 0; width < ARRAY_SIZE(widths_ns); width++) {
			begin();
			for (i = 0; i < MANY; i++)
				add(bases_ns[base] + (uint64_t)(skewed() * (double)widths_ns[width]));
			check_record(&recs[0]);
		}
	}
}

static void a_minimum_that_falls_leaves_no_error(void **state)
{
	static const uint64_t steps_ns[] = { 1, 2, 31, 33, 97, US, 4099, 33 * US };
	size_t step, i;

	(void)state;
	for (step = 0; step < ARRAY_SIZE(steps_ns); step++) {
		begin();
		for (i = 0; i < MANY; i++)
			add(700 * MS - i * steps_ns[step]);
		check_record(&recs[0]);
		begin();
		for (i = 0; i < MANY; i++)
			add(700 * MS - i * steps_ns[step] + (uint64_t)(skewed() * 9 * (double)MS));
		check_record(&recs[0]);
	}
	begin();
	for (i = 0; i < 997; i++)
		add(1000 * MS - i * MS);
	check_record(&recs[0]);
}

static void all_of_the_range_may_be_above_the_minimum(void **state)
{
	int bit;

	(void)state;
	begin();
	for (bit = HIST_MAX_BITS; bit > 0; bit--) {
		add((1ull << bit) - 1);
		add(1ull << (bit - 1));
	}
	add(0);
	check_record(&recs[0]);
	begin();
	for (bit = 0; bit < HIST_MAX_BITS; bit++) {
		add(1ull << bit);
		add((2ull << bit) - 1);
	}
	check_record(&recs[0]);
	begin();
	add(TOP - 1);
	for (bit = 0; bit < MANY; bit++)
		add(20 * MS + (uint64_t)(skewed() * 300 * (double)US));
	check_record(&recs[0]);
}

static void two_delays_far_apart_are_told_apart(void **state)
{
	struct hist_rec above;
	int i;

	(void)state;
	begin();
	for (i = 0; i < 1009; i++)
		add(i % 2 ? 697 * MS : 703500 * US);
	check_record(&recs[0]);
	pdv_hist(&recs[0], &hist, &above);
	assert_in_range(hist_percentile_ns(&above, 0.5), 6400 * US, 6500 * US);
	assert_int_equal(hist_percentile_ns(&above, 0.49), 0);
}

/* Of CPUs and streams, each with a minimum of its own, in any order. */
static void records_merge_without_error(void **state)
{
	static const size_t orders[][3] = { { 0, 1, 2 }, { 2, 1, 0 }, { 1, 2, 0 } };
	static struct pdv_rec sum;
	size_t order, i;

	(void)state;
	for (order = 0; order < ARRAY_SIZE(orders); order++) {
		begin();
		for (i = 0; i < MANY; i++) {
			add_to(0, 20 * MS + (uint64_t)(skewed() * 300 * (double)US));
			add_to(1, 700 * MS - i * US);
			add_to(2, 20 * MS - 5 * US + (uint64_t)(skewed() * 3 * (double)US));
		}
		memset(&sum, 0, sizeof(sum));
		for (i = 0; i < 3; i++)
			pdv_merge(&sum, &recs[orders[order][i]]);
		check_record(&sum);
	}
}

static void extremes_and_mean_are_exact(void **state)
{
	struct hist_rec above;
	uint64_t ns;

	(void)state;
	begin();
	pdv_hist(&recs[0], &hist, &above);
	assert_int_equal(above.count, 0);
	for (ns = 0; ns <= 1000; ns++)
		add(700 * MS + ns * US);
	pdv_hist(&recs[0], &hist, &above);
	assert_int_equal(hist_min_ns(&above), 0);
	assert_int_equal(above.max_ns, 1000 * US);
	assert_true(hist_mean_ns(&above) == 500e3);
	/* Those above the range are the largest. */
	for (ns = 0; ns < 2000; ns++)
		add(TOP + ns);
	pdv_hist(&recs[0], &hist, &above);
	assert_int_equal(hist_percentile_ns(&above, 0.5), TOP + 1999 - 700 * MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_percentile_is_right_whatever_the_base),
		cmocka_unit_test(a_minimum_that_falls_leaves_no_error),
		cmocka_unit_test(all_of_the_range_may_be_above_the_minimum),
		cmocka_unit_test(two_delays_far_apart_are_told_apart),
		cmocka_unit_test(records_merge_without_error),
		cmocka_unit_test(extremes_and_mean_are_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
