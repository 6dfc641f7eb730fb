// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lib/stat.c against scipy's figures (stat_vectors.py wrote them), and its
 * intervals against simulated samples whose truth is known.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/stat.h"

#include "check.h"
#include "stat_vectors.h"

#define SAMPLE(v, n) ((struct stat_sample){ .values = (v), .nr = (n) })

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void assert_close(double got, double want, const char *what, size_t i)
{
	if (fabs(got - want) > 1e-10 * fmax(1, fabs(want)))
		fail_msg("%s of vector %zu: %.17g, scipy has %.17g", what, i, got, want);
}

static void the_rank_test_is_scipys(void **state)
{
	const struct rank_vector *v;
	struct stat_rank rank;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rank_vectors); i++) {
		v = &rank_vectors[i];
		assert_int_equal(stat_rank_test(&SAMPLE(v->a, v->nr_a), &SAMPLE(v->b, v->nr_b),
						&rank), 0);
		assert_int_equal(rank.exact, v->nr_a + v->nr_b <= STAT_EXACT_MAX);
		assert_close(rank.u, v->u, "u", i);
		assert_close(rank.p, v->p, "p", i);
	}
}

static void medians_and_quantiles_are_numpys(void **state)
{
	const struct rank_vector *v;
	double sorted[300], median;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rank_vectors); i++) {
		v = &rank_vectors[i];
		assert_int_equal(stat_median(&SAMPLE(v->a, v->nr_a), &median), 0);
		assert_close(median, v->median_a, "median", i);
		memcpy(sorted, v->b, sizeof(sorted));
		qsort(sorted, v->nr_b, sizeof(*sorted), compare_doubles);
		assert_close(stat_quantile(sorted, v->nr_b, 0.1), v->q10_b, "q10", i);
		assert_close(stat_quantile(sorted, v->nr_b, 0.99), v->q99_b, "q99", i);
	}
}

/* A normal law: the sum of twelve is near enough to one, and the same on every machine. */
static double draw(double mean, double deviation)
{
	double sum = -6;
	int i;

	for (i = 0; i < 12; i++)
		sum += drand48();
	return mean + deviation * sum;
}

static void fill(double *values, size_t nr, double mean, double deviation)
{
	size_t i;

	for (i = 0; i < nr; i++)
		values[i] = draw(mean, deviation);
}

/* Share of intervals that hold the true ratio, 1.1, of 500 comparisons of @nr with @nr. */
static double coverage(size_t nr)
{
	struct stat_interval interval;
	double a[100], b[100];
	int held = 0, i;

	srand48(7);
	for (i = 0; i < 500; i++) {
		fill(a, nr, 100, 2);
		fill(b, nr, 110, 2.2);
		assert_int_equal(stat_bootstrap(&SAMPLE(a, nr), &SAMPLE(b, nr), stat_effect_ratio,
						0.95, 1, &interval), 0);
		held += interval.low <= log(1.1) && interval.high >= log(1.1);
	}
	return held / 500.;
}

static void bootstrap_intervals_hold_the_truth(void **state)
{
	double five, twenty;

	(void)state;
	five = coverage(5);
	twenty = coverage(20);
	printf("# coverage of 95 %% intervals: n=5 %.3f, n=20 %.3f\n", five, twenty);
	assert_true(five > 0.92 && five < 0.99);
	assert_true(twenty > 0.92 && twenty < 0.99);
}

static void the_same_seed_gives_the_same_interval(void **state)
{
	double a[] = { 3, 1, 4, 1, 5 }, b[] = { 9, 2, 6, 5, 3 };
	struct stat_interval first, again, other;

	(void)state;
	stat_bootstrap(&SAMPLE(a, 5), &SAMPLE(b, 5), stat_effect_difference, 0.9, 3, &first);
	stat_bootstrap(&SAMPLE(a, 5), &SAMPLE(b, 5), stat_effect_difference, 0.9, 3, &again);
	stat_bootstrap(&SAMPLE(a, 5), &SAMPLE(b, 5), stat_effect_difference, 0.5, 3, &other);
	assert_true(first.low == again.low && first.high == again.high);
	assert_true(other.low > first.low || other.high < first.high);
	assert_true(first.low <= 2 && first.high >= 2);
}

static void values_that_do_not_vary_have_no_noise(void **state)
{
	double a[] = { 7, 7, 7, 7, 7 };
	struct stat_interval interval;
	double noise;

	(void)state;
	stat_bootstrap(&SAMPLE(a, 5), &SAMPLE(a, 5), stat_effect_ratio, 0.95, 1, &interval);
	assert_true(interval.low == 0 && interval.high == 0);
	assert_int_equal(stat_split_noise(&SAMPLE(a, 5), 5, 5, stat_effect_ratio, 1, &noise), 0);
	assert_true(noise == 0);
	assert_int_equal(stat_split_noise(&SAMPLE(a, 3), 5, 5, stat_effect_ratio, 1, &noise), 0);
	assert_true(isinf(noise));
}

/* For n with n of one law, medians differ by more than that in about one of ten. */
static void split_noise_is_the_size_of_chance(void **state)
{
	double a[20], b[20], noise, median_a, median_b;
	int beyond = 0, i;

	(void)state;
	srand48(11);
	for (i = 0; i < 1000; i++) {
		fill(a, 20, 100, 2);
		fill(b, 20, 100, 2);
		stat_split_noise(&SAMPLE(a, 20), 20, 20, stat_effect_ratio, 1, &noise);
		stat_median(&SAMPLE(a, 20), &median_a);
		stat_median(&SAMPLE(b, 20), &median_b);
		beyond += fabs(log(median_b / median_a)) > noise;
	}
	printf("# beyond the split's noise: %d of 1000\n", beyond);
	assert_in_range(beyond, 10, 150);
}

/* Two-sided critical values as every table of Student's t has them. */
static void students_t_is_that_of_the_tables(void **state)
{
	static const struct {
		double confidence, t;
		unsigned int freedom;
	} table[] = {
		{ 0.95, 12.706, 1 }, { 0.95, 4.303, 2 }, { 0.99, 9.925, 2 }, { 0.95, 2.262, 9 },
		{ 0.99, 3.250, 9 }, { 0.90, 1.812, 10 }, { 0.99, 2.756, 29 }, { 0.95, 2.045, 29 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(table); i++)
		assert_true(fabs(stat_student(table[i].confidence, table[i].freedom) -
				 table[i].t) < 0.0005);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(students_t_is_that_of_the_tables),
		cmocka_unit_test(the_rank_test_is_scipys),
		cmocka_unit_test(medians_and_quantiles_are_numpys),
		cmocka_unit_test(bootstrap_intervals_hold_the_truth),
		cmocka_unit_test(the_same_seed_gives_the_same_interval),
		cmocka_unit_test(values_that_do_not_vary_have_no_noise),
		cmocka_unit_test(split_noise_is_the_size_of_chance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
