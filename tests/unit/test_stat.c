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

static double choose(int n, int k)
{
	return k < 0 || k > n ? 0 : round(exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)));
}

/* With two values there is one cause of a rank sum: how many of the larger ones a has. */
static void ties_of_two_values_are_hypergeometric(void **state)
{
	double a[20], b[20], below, above, total;
	struct stat_rank rank;
	int ones_a, ones_b, i;

	(void)state;
	for (ones_a = 0; ones_a <= 20; ones_a++) {
		for (ones_b = 1; ones_b < 20; ones_b += 3) {
			for (i = 0; i < 20; i++) {
				a[i] = i < ones_a;
				b[i] = i < ones_b;
			}
			below = above = total = 0;
			for (i = 0; i <= 20; i++) {
				double ways = choose(20, i) * choose(20, ones_a + ones_b - i);

				total += ways;
				below += i <= ones_a ? ways : 0;
				above += i >= ones_a ? ways : 0;
			}
			assert_int_equal(stat_rank_test(&SAMPLE(a, 20), &SAMPLE(b, 20), &rank), 0);
			assert_true(rank.exact);
			assert_close(rank.p, fmin(1, 2 * fmin(below, above) / total), "p with ones",
				     (size_t)ones_a);
		}
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

/* Every pair, by the definition; @sorted must hold them. */
static size_t all_shifts(double *sorted, const double *a, size_t nr_a, const double *b, size_t nr_b)
{
	size_t nr = 0, i, k;

	for (i = 0; i < nr_a; i++) {
		for (k = 0; k < nr_b; k++)
			sorted[nr++] = b[k] - a[i];
	}
	qsort(sorted, nr, sizeof(*sorted), compare_doubles);
	return nr;
}

static double p_if_shifted(const double *a, size_t nr_a, const double *b, size_t nr_b, double by)
{
	double moved[10];
	struct stat_rank rank;
	size_t i;

	for (i = 0; i < nr_b; i++)
		moved[i] = b[i] - by;
	assert_int_equal(stat_rank_test(&SAMPLE(a, nr_a), &SAMPLE(moved, nr_b), &rank), 0);
	return rank.p;
}

/* The interval holds what the test does not reject, and ends where it does. */
static void a_shift_is_by_its_definition(void **state)
{
	double a[10], b[10], sorted[100];
	struct stat_shift shift;
	size_t nr_a, nr_b, nr;

	(void)state;
	srand48(3);
	for (nr_a = 4; nr_a <= 10; nr_a++) {
		for (nr_b = 4; nr_b <= 10; nr_b++) {
			fill(a, nr_a, 100, 2);
			fill(b, nr_b, 103, 3);
			assert_int_equal(stat_shift(&SAMPLE(a, nr_a), &SAMPLE(b, nr_b),
						    stat_effect_difference, &shift), 0);
			nr = all_shifts(sorted, a, nr_a, b, nr_b);
			assert_true(shift.shift == stat_quantile(sorted, nr, 0.5));
			assert_true(shift.p == p_if_shifted(a, nr_a, b, nr_b, 0));
			assert_true(p_if_shifted(a, nr_a, b, nr_b, shift.low + 1e-9) > 0.05);
			assert_true(p_if_shifted(a, nr_a, b, nr_b, shift.high - 1e-9) > 0.05);
			assert_true(p_if_shifted(a, nr_a, b, nr_b, shift.low - 1e-9) <= 0.05);
			assert_true(p_if_shifted(a, nr_a, b, nr_b, shift.high + 1e-9) <= 0.05);
		}
	}
	assert_int_equal(stat_shift(&SAMPLE(a, 3), &SAMPLE(b, 3), stat_effect_difference, &shift), 0);
	assert_true(isinf(shift.low) && isinf(shift.high) && isfinite(shift.shift));
}

/* Of all ways to give the differences signs, how many are as far from the middle. */
static double signs_p(const double *a, const double *b, size_t nr)
{
	double size[12], sum = 0, rank[12], less, equal, of_signs, total = 0;
	unsigned int signs, low = 0, high = 0;
	size_t i, k, used = 0;

	for (i = 0; i < nr; i++) {
		if (b[i] == a[i])
			continue;
		size[used] = fabs(b[i] - a[i]);
		rank[used++] = b[i] > a[i];
	}
	for (i = 0; i < used; i++) {
		less = equal = 0;
		for (k = 0; k < used; k++) {
			less += size[k] < size[i];
			equal += size[k] == size[i];
		}
		sum += rank[i] * (less + (equal + 1) / 2);
		rank[i] = less + (equal + 1) / 2;
	}
	for (signs = 0; signs < 1u << used; signs++, total++) {
		of_signs = 0;
		for (i = 0; i < used; i++)
			of_signs += signs >> i & 1 ? rank[i] : 0;
		low += of_signs <= sum;
		high += of_signs >= sum;
	}
	return fmin(1, 2 * fmin(low, high) / total);
}

static void pairs_are_tested_over_all_signs(void **state)
{
	double a[12], b[12], averages[78], walsh;
	struct stat_shift shift;
	size_t round, nr, i, k, used;

	(void)state;
	srand48(5);
	for (round = 0; round < 70; round++) {
		nr = 6 + round % 7;
		used = 0;
		for (i = 0; i < nr; i++) {
			/* Every second round with ties and zeros. */
			a[i] = round % 2 ? floor(drand48() * 4) : draw(100, 5);
			b[i] = round % 2 ? a[i] + floor(drand48() * 5) - 1 : a[i] + draw(1, 1);
		}
		for (i = 0; i < nr; i++) {
			for (k = 0; k <= i; k++)
				averages[used++] = (b[i] - a[i] + b[k] - a[k]) / 2;
		}
		qsort(averages, used, sizeof(*averages), compare_doubles);
		walsh = stat_quantile(averages, used, 0.5);
		assert_int_equal(stat_paired_shift(&SAMPLE(a, nr), &SAMPLE(b, nr),
						   stat_effect_difference, &shift), 0);
		assert_close(shift.shift, walsh, "Walsh averages' median", round);
		assert_close(shift.p, signs_p(a, b, nr), "signed-rank p", round);
	}
	/* Critical values of the tables, two-sided 0.05: T = 0, 2, 3, 5, 8 of 6 to 10 pairs. */
	for (i = 0; i < 10; i++) {
		a[i] = 0;
		b[i] = (double)(1 << i);
	}
	for (nr = 6; nr <= 10; nr++) {
		static const size_t critical[] = { 0, 2, 3, 5, 8 };

		assert_int_equal(stat_paired_shift(&SAMPLE(a, nr), &SAMPLE(b, nr),
						   stat_effect_difference, &shift), 0);
		used = 0;
		for (i = 0; i < nr; i++) {
			for (k = 0; k <= i; k++)
				averages[used++] = (b[i] + b[k]) / 2;
		}
		qsort(averages, used, sizeof(*averages), compare_doubles);
		assert_true(shift.low == averages[critical[nr - 6]]);
		assert_true(shift.high == averages[used - 1 - critical[nr - 6]]);
	}
}

/* Share of intervals that hold the true ratio, 1.1, of 1000 comparisons of @nr with @nr. */
static double coverage(size_t nr, bool paired)
{
	struct stat_shift shift;
	double a[60], b[60], drift;
	int held = 0, i;
	size_t k;

	srand48(7);
	for (i = 0; i < 1000; i++) {
		for (k = 0; k < nr; k++) {
			drift = paired ? draw(1, 0.1) : 1;
			a[k] = draw(100, 2) * drift;
			b[k] = draw(110, 2.2) * drift;
		}
		assert_int_equal((paired ? stat_paired_shift : stat_shift)
				 (&SAMPLE(a, nr), &SAMPLE(b, nr), stat_effect_ratio, &shift), 0);
		held += shift.low <= log(1.1) && shift.high >= log(1.1);
	}
	printf("# coverage of 95 %% intervals, n=%zu%s: %.3f\n", nr, paired ? ", pairs" : "",
	       held / 1000.);
	return held / 1000.;
}

static void intervals_hold_the_truth(void **state)
{
	static const size_t sizes[] = { 8, 20, 60 };
	double share;
	size_t i;

	(void)state;
	share = coverage(5, false);
	assert_true(share > 0.93 && share < 0.99);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		share = coverage(sizes[i], false);
		assert_true(share > 0.93 && share < 0.975);
		share = coverage(sizes[i], true);
		assert_true(share > 0.93 && share < 0.975);
	}
}

static void values_that_do_not_vary_have_no_interval(void **state)
{
	double a[] = { 7, 7, 7, 7, 7, 7 };
	struct stat_shift shift;

	(void)state;
	stat_shift(&SAMPLE(a, 5), &SAMPLE(a, 5), stat_effect_ratio, &shift);
	assert_true(shift.shift == 0 && shift.low == 0 && shift.high == 0 && shift.p == 1);
	stat_paired_shift(&SAMPLE(a, 6), &SAMPLE(a, 6), stat_effect_ratio, &shift);
	assert_true(shift.shift == 0 && shift.low == 0 && shift.high == 0 && shift.p == 1);
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
		cmocka_unit_test(ties_of_two_values_are_hypergeometric),
		cmocka_unit_test(medians_and_quantiles_are_numpys),
		cmocka_unit_test(a_shift_is_by_its_definition),
		cmocka_unit_test(pairs_are_tested_over_all_signs),
		cmocka_unit_test(intervals_hold_the_truth),
		cmocka_unit_test(values_that_do_not_vary_have_no_interval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
