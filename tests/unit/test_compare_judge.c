// SPDX-License-Identifier: GPL-2.0-or-later
/* What is claimed of samples whose truth is known, and what is not. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare_judge.h"

#include "check.h"

#define SAMPLE(v, n) ((struct stat_sample){ .values = (v), .nr = (n) })
#define NR(a) SAMPLE(a, ARRAY_SIZE(a))

static const struct compare_rule lower = {
	.better = METRIC_LOWER, .threshold_ratio = 0.05, .seed = 1,
};
static const struct stat_sample none = { 0 };

static struct compare_judgement judge(const struct compare_rule *rule, struct stat_sample base,
				      struct stat_sample new, struct stat_sample noise)
{
	struct compare_judgement j;

	assert_int_equal(compare_judge(rule, &base, &new, &noise, &j), 0);
	return j;
}

/* The sum of twelve is near enough to a normal law, and the same on every machine. */
static void fill(double *values, size_t nr, double mean, double deviation)
{
	size_t i;
	int k;

	for (i = 0; i < nr; i++) {
		double sum = -6;

		for (k = 0; k < 12; k++)
			sum += drand48();
		values[i] = mean + deviation * sum;
	}
}

struct tally {
	int verdicts[COMPARE_INCONCLUSIVE + 1];
	int beyond, claimed;
};

/* @times comparisons of @nr with @nr runs, noise of 2 %, the new side @factor times the base. */
static struct tally simulate(int times, size_t nr, double factor, bool aa)
{
	struct tally tally = { 0 };
	double a[50], b[50], again[50];
	int i;

	srand48((long)nr);
	for (i = 0; i < times; i++) {
		struct compare_judgement j;

		fill(a, nr, 1000, 20);
		fill(b, nr, 1000 * factor, 20 * factor);
		fill(again, nr, 1000, 20);
		j = judge(&lower, SAMPLE(a, nr), SAMPLE(b, nr), aa ? SAMPLE(again, nr) : none);
		tally.verdicts[j.verdict]++;
		tally.beyond += j.beyond;
		tally.claimed += j.verdict != COMPARE_SAME && j.verdict != COMPARE_INCONCLUSIVE;
	}
	printf("# %d of n=%zu, %+.0f %%%s: %d claimed (%d beyond 5 %%), %d same, %d inconclusive\n",
	       times, nr, 100 * (factor - 1), aa ? ", A/A" : "", tally.claimed, tally.beyond,
	       tally.verdicts[COMPARE_SAME], tally.verdicts[COMPARE_INCONCLUSIVE]);
	return tally;
}

static void no_difference_is_hardly_ever_claimed(void **state)
{
	(void)state;
	assert_in_range(simulate(1000, 5, 1, false).claimed, 0, 50);
	assert_in_range(simulate(1000, 10, 1, false).claimed, 0, 50);
	assert_in_range(simulate(300, 5, 1, true).claimed, 0, 15);
	assert_in_range(simulate(300, 10, 1, true).claimed, 0, 15);
}

static void ten_percent_in_two_of_noise_are_found(void **state)
{
	(void)state;
	assert_in_range(simulate(300, 5, 1.1, false).verdicts[COMPARE_WORSE], 270, 300);
	assert_in_range(simulate(300, 5, 1.1, true).verdicts[COMPARE_WORSE], 270, 300);
	assert_in_range(simulate(300, 10, 1.1, false).beyond, 294, 300);
	assert_in_range(simulate(300, 10, 1.1, true).beyond, 294, 300);
	assert_in_range(simulate(300, 10, 0.9, false).verdicts[COMPARE_BETTER], 294, 300);
}

static void the_dictionarys_direction_decides(void **state)
{
	const double base[] = { 100, 101, 99, 100, 102 }, new[] = { 120, 121, 119, 120, 122 };
	struct compare_rule rule = lower;
	struct compare_judgement j;

	(void)state;
	j = judge(&rule, NR(base), NR(new), none);
	assert_int_equal(j.verdict, COMPARE_WORSE);
	assert_true(j.beyond && j.by_ratio);
	assert_float_equal(j.change, 0.2, 1e-12);
	assert_float_equal(j.p, 2 / 252., 1e-12);
	assert_true(j.low > 0.15 && j.high < 0.25);
	rule.better = METRIC_HIGHER;
	assert_int_equal(judge(&rule, NR(base), NR(new), none).verdict, COMPARE_BETTER);
	assert_int_equal(judge(&rule, NR(new), NR(base), none).verdict, COMPARE_WORSE);
	rule.better = METRIC_NEITHER;
	assert_int_equal(judge(&rule, NR(base), NR(new), none).verdict, COMPARE_CHANGED);
	rule.threshold_ratio = 0.3;
	assert_false(judge(&rule, NR(base), NR(new), none).beyond);
}

static void nothing_is_claimed_of_few_runs(void **state)
{
	const double base[] = { 100, 100, 100, 100, 100 }, new[] = { 200, 200, 200, 200, 200 };
	struct compare_judgement j;

	(void)state;
	j = judge(&lower, SAMPLE(base, 4), SAMPLE(new, 5), none);
	assert_int_equal(j.verdict, COMPARE_INCONCLUSIVE);
	assert_non_null(strstr(j.why, "fewer than 5"));
	assert_float_equal(j.change, 1, 1e-12);
	j = judge(&lower, SAMPLE(base, 5), SAMPLE(new, 1), none);
	assert_int_equal(j.verdict, COMPARE_INCONCLUSIVE);
	j = judge(&lower, SAMPLE(base, 5), none, none);
	assert_int_equal(j.verdict, COMPARE_INCONCLUSIVE);
	assert_string_equal(j.why, "only the base has it");
	assert_true(isnan(j.change) && isnan(j.new_median));
	j = judge(&lower, none, SAMPLE(new, 5), none);
	assert_string_equal(j.why, "only the new side has it");
	assert_int_equal(judge(&lower, NR(base), NR(new), none).verdict, COMPARE_WORSE);
}

static void a_difference_below_the_noise_floor_is_not_claimed(void **state)
{
	const double base[] = { 100, 101, 99, 100, 102 }, new[] = { 110, 111, 109, 110, 112 };
	const double again[] = { 113, 114, 112, 113, 115 };
	struct compare_judgement j;

	(void)state;
	assert_int_equal(judge(&lower, NR(base), NR(new), none).verdict, COMPARE_WORSE);
	j = judge(&lower, NR(base), NR(new), NR(again));
	assert_int_equal(j.verdict, COMPARE_INCONCLUSIVE);
	assert_true(j.noise > 0.12);
	assert_true(j.smallest > j.noise);
	/* Too few runs give no noise floor. */
	j = judge(&lower, NR(base), NR(new), SAMPLE(again, 4));
	assert_int_equal(j.verdict, COMPARE_INCONCLUSIVE);
	assert_true(isinf(j.smallest));
}

static void wide_runs_give_the_smallest_effect_that_could_be_seen(void **state)
{
	const double base[] = { 100, 160, 70, 120, 90 }, new[] = { 105, 150, 75, 130, 80 };
	struct compare_judgement j = judge(&lower, NR(base), NR(new), none);

	(void)state;
	assert_int_equal(j.verdict, COMPARE_INCONCLUSIVE);
	assert_true(isfinite(j.smallest) && j.smallest > 0.3);
}

static void counts_of_zero_are_compared_by_difference(void **state)
{
	const double zeros[] = { 0, 0, 0, 0, 0 }, some[] = { 7, 11, 5, 13, 7 };
	const double once[] = { 0, 0, 0, 0, 3 };
	const double sevens[] = { 0, 0, 0, 0, 0, 0, 70 };
	const double most[] = { 0, 50, 55, 60, 65, 66, 69 };
	struct compare_judgement j;

	(void)state;
	assert_int_equal(judge(&lower, NR(zeros), NR(zeros), none).verdict, COMPARE_SAME);
	j = judge(&lower, NR(zeros), NR(some), none);
	assert_int_equal(j.verdict, COMPARE_WORSE);
	assert_true(j.beyond && !j.by_ratio);
	assert_float_equal(j.change, 7, 0);
	assert_int_equal(judge(&lower, NR(some), NR(zeros), none).verdict, COMPARE_BETTER);
	assert_int_equal(judge(&lower, NR(zeros), NR(once), none).verdict, COMPARE_INCONCLUSIVE);
	/* The interval alone would claim it. */
	j = judge(&lower, NR(sevens), NR(most), none);
	assert_int_equal(j.verdict, COMPARE_INCONCLUSIVE);
	assert_true(j.low > j.noise && j.p > 0.05);
	assert_string_equal(j.why, "p is above 0.05");
}

static void steps_of_the_histogram_are_no_difference(void **state)
{
	const double base[] = { 1000, 1000, 1000, 1000, 1000 };
	const double new[] = { 1015, 1015, 1015, 1015, 1015 };
	struct compare_rule rule = lower;

	(void)state;
	assert_int_equal(judge(&rule, NR(base), NR(new), none).verdict, COMPARE_WORSE);
	assert_false(judge(&rule, NR(base), NR(new), none).beyond);
	rule.resolution_ratio = 1. / 64;
	assert_int_equal(judge(&rule, NR(base), NR(new), none).verdict, COMPARE_SAME);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_difference_is_hardly_ever_claimed),
		cmocka_unit_test(ten_percent_in_two_of_noise_are_found),
		cmocka_unit_test(the_dictionarys_direction_decides),
		cmocka_unit_test(nothing_is_claimed_of_few_runs),
		cmocka_unit_test(a_difference_below_the_noise_floor_is_not_claimed),
		cmocka_unit_test(wide_runs_give_the_smallest_effect_that_could_be_seen),
		cmocka_unit_test(counts_of_zero_are_compared_by_difference),
		cmocka_unit_test(steps_of_the_histogram_are_no_difference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
