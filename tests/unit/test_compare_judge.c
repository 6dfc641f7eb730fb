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
	.better = METRIC_LOWER, .threshold_ratio = 0.05,
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

/* What the runs of a side are like. */
enum kind {
	NORMAL,		/* a deviation of 2 % */
	BIMODAL,	/* the same, and three of ten runs are 30 % above: an interrupt on the other CPU */
	DRIFTING,	/* the same, and what is outside changes both sides by 10 % from pair to pair */
};

static void fill_pair(double *a, double *b, size_t nr, enum kind kind, double factor)
{
	size_t i;

	fill(a, nr, 1000, 20);
	fill(b, nr, 1000 * factor, 20 * factor);
	for (i = 0; i < nr && kind == BIMODAL; i++) {
		a[i] *= drand48() < 0.3 ? 1.3 : 1;
		b[i] *= drand48() < 0.3 ? 1.3 : 1;
	}
	for (i = 0; i < nr && kind == DRIFTING; i++) {
		double drift;

		fill(&drift, 1, 1, 0.1);
		a[i] *= drift;
		b[i] *= drift;
	}
}

struct tally {
	int verdicts[COMPARE_INCONCLUSIVE + 1];
	int beyond, claimed;
	int ranked;		/* that the rank test alone claims */
};

/* @times comparisons of @nr with @nr runs, the new side @factor times the base. */
static struct tally simulate(int times, size_t nr, double factor, enum kind kind, bool aa)
{
	static const char *const kinds[] = { "", ", bimodal", ", drifting" };
	struct compare_rule rule = lower;
	struct tally tally = { 0 };
	double a[50], b[50], again[50];
	int i;

	rule.in_pairs = kind == DRIFTING;
	srand48((long)nr);
	for (i = 0; i < times; i++) {
		struct compare_judgement j;
		struct stat_rank rank;

		fill_pair(a, b, nr, kind, factor);
		fill(again, nr, 1000, 20);
		j = judge(&rule, SAMPLE(a, nr), SAMPLE(b, nr), aa ? SAMPLE(again, nr) : none);
		assert_int_equal(stat_rank_test(&SAMPLE(a, nr), &SAMPLE(b, nr), &rank), 0);
		tally.verdicts[j.verdict]++;
		tally.beyond += j.beyond;
		tally.claimed += j.verdict != COMPARE_SAME && j.verdict != COMPARE_INCONCLUSIVE;
		tally.ranked += rank.p <= 0.05;
	}
	printf("# %d of n=%zu, %+.0f %%%s%s: %d claimed (%d beyond 5 %%), rank test %d, %d same, "
	       "%d inconclusive\n", times, nr, 100 * (factor - 1), kinds[kind], aa ? ", A/A" : "",
	       tally.claimed, tally.beyond, tally.ranked, tally.verdicts[COMPARE_SAME],
	       tally.verdicts[COMPARE_INCONCLUSIVE]);
	return tally;
}

/* p <= 0.05 claims up to one in twenty, but hardly any of them is a regression. */
static void no_difference_is_hardly_ever_claimed(void **state)
{
	static const size_t sizes[] = { 5, 8, 10, 20 };
	struct tally tally;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		tally = simulate(1000, sizes[i], 1, NORMAL, false);
		assert_in_range(tally.claimed, 0, 65);
		assert_in_range(tally.beyond, 0, 5);
		tally = simulate(1000, sizes[i], 1, NORMAL, true);
		assert_in_range(tally.claimed, 0, 10);
		tally = simulate(1000, sizes[i], 1, DRIFTING, false);
		assert_in_range(tally.claimed, 0, 65);
	}
}

static void what_the_rank_test_finds_is_claimed(void **state)
{
	static const size_t sizes[] = { 5, 8, 10, 20 };
	struct tally tally;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		tally = simulate(500, sizes[i], 1.05, NORMAL, false);
		assert_true(tally.claimed >= 0.99 * tally.ranked);
		tally = simulate(500, sizes[i], 1.1, BIMODAL, false);
		assert_true(tally.claimed >= 0.99 * tally.ranked);
	}
	assert_true(simulate(500, 5, 1.05, NORMAL, false).claimed > 400);
	assert_true(simulate(500, 10, 1.05, NORMAL, false).claimed > 490);
	assert_true(simulate(500, 5, 1.05, NORMAL, true).claimed > 200);
	assert_true(simulate(500, 10, 1.05, NORMAL, true).claimed > 400);
}

/* Changes from pair to pair, which hide the difference from the rank test, do not matter. */
static void runs_in_turn_find_what_drift_hides(void **state)
{
	struct tally tally;

	(void)state;
	tally = simulate(500, 10, 1.05, DRIFTING, false);
	assert_in_range(tally.claimed, 480, 500);
	assert_in_range(tally.ranked, 0, 200);
}

static void ten_percent_in_two_of_noise_are_found(void **state)
{
	(void)state;
	assert_in_range(simulate(300, 5, 1.1, NORMAL, false).verdicts[COMPARE_WORSE], 294, 300);
	assert_in_range(simulate(300, 5, 1.1, NORMAL, true).verdicts[COMPARE_WORSE], 285, 300);
	assert_in_range(simulate(300, 10, 1.1, NORMAL, false).beyond, 294, 300);
	assert_in_range(simulate(300, 10, 1.1, NORMAL, true).beyond, 294, 300);
	assert_in_range(simulate(300, 10, 0.9, NORMAL, false).verdicts[COMPARE_BETTER], 294, 300);
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

static void a_change_that_is_not_even_shown_is_no_difference(void **state)
{
	const double base[] = { 10000, 10000, 10000, 10000, 10000, 10000, 10000, 10000 };
	const double tiny[] = { 10000.4, 10000.4, 10000.4, 10000.4, 10000.4, 10000.4, 10000.4, 10000.4 };
	const double small[] = { 10002, 10002, 10002, 10002, 10002, 10002, 10002, 10002 };

	(void)state;
	assert_int_equal(judge(&lower, NR(base), NR(tiny), none).verdict, COMPARE_SAME);
	assert_int_equal(judge(&lower, NR(base), NR(small), none).verdict, COMPARE_WORSE);
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
	assert_int_equal(judge(&lower, NR(sevens), NR(most), none).verdict, COMPARE_INCONCLUSIVE);
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
		cmocka_unit_test(what_the_rank_test_finds_is_claimed),
		cmocka_unit_test(runs_in_turn_find_what_drift_hides),
		cmocka_unit_test(ten_percent_in_two_of_noise_are_found),
		cmocka_unit_test(the_dictionarys_direction_decides),
		cmocka_unit_test(nothing_is_claimed_of_few_runs),
		cmocka_unit_test(a_difference_below_the_noise_floor_is_not_claimed),
		cmocka_unit_test(a_change_that_is_not_even_shown_is_no_difference),
		cmocka_unit_test(wide_runs_give_the_smallest_effect_that_could_be_seen),
		cmocka_unit_test(counts_of_zero_are_compared_by_difference),
		cmocka_unit_test(steps_of_the_histogram_are_no_difference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
