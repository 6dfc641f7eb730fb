// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/bump_delay: drawn delays against moments and quantiles of their distributions.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "engine/impair/bump.h"

#include "check.h"

#define DRAWS	1000003
#define SEED	97
#define MEAN	10000000		/* ns */
#define SPREAD	2000000

static uint64_t draws[DRAWS];

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void draw(const struct bump_delay *delay)
{
	uint64_t i;

	for (i = 0; i < DRAWS; i++)
		draws[i] = bump_delay_ns(delay, SEED, 3, i);
	qsort(draws, DRAWS, sizeof(draws[0]), compare);
}

static double mean(void)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < DRAWS; i++)
		sum += (double)draws[i];
	return sum / DRAWS;
}

static double deviation(void)
{
	double sum = 0, middle = mean();
	size_t i;

	for (i = 0; i < DRAWS; i++)
		sum += ((double)draws[i] - middle) * ((double)draws[i] - middle);
	return sqrt(sum / DRAWS);
}

/* Within @share of the range: some five standard errors here. */
static void is_close(double value, double want, double range)
{
	if (fabs(value - want) > range)
		fail_msg("%f is not within %f of %f", value, range, want);
}

static void has_quantile(double share, double want, double range)
{
	is_close((double)draws[(size_t)(share * DRAWS)], want, range);
}

static void a_constant_delay_is_always_the_same(void **state)
{
	const struct bump_delay delay = { .mean_ns = MEAN, .spread_ns = SPREAD };

	(void)state;
	draw(&delay);
	assert_int_equal(draws[0], MEAN);
	assert_int_equal(draws[DRAWS - 1], MEAN);
}

static void a_uniform_delay_fills_its_range_evenly(void **state)
{
	const struct bump_delay delay = { BUMP_UNIFORM, MEAN, SPREAD };
	double share;

	(void)state;
	draw(&delay);
	assert_true(draws[0] >= MEAN - SPREAD && draws[DRAWS - 1] <= MEAN + SPREAD);
	is_close(mean(), MEAN, 6000);
	is_close(deviation(), SPREAD / sqrt(3), 4000);
	for (share = 0.01; share < 1; share += 0.07)
		has_quantile(share, MEAN - SPREAD + 2.0 * SPREAD * share, 10000);
}

static void a_normal_delay_has_its_mean_deviation_and_quantiles(void **state)
{
	const struct bump_delay delay = { BUMP_NORMAL, MEAN, SPREAD };

	(void)state;
	draw(&delay);
	is_close(mean(), MEAN, 10000);
	is_close(deviation(), SPREAD, 8000);
	/* Quantiles of the standard normal distribution. */
	has_quantile(0.5, MEAN, 13000);
	has_quantile(0.1, MEAN - 1.281552 * SPREAD, 18000);
	has_quantile(0.9, MEAN + 1.281552 * SPREAD, 18000);
	has_quantile(0.99, MEAN + 2.326348 * SPREAD, 40000);
	has_quantile(0.999, MEAN + 3.090232 * SPREAD, 100000);
}

static void a_normal_delay_never_falls_below_0(void **state)
{
	const struct bump_delay delay = { BUMP_NORMAL, SPREAD, SPREAD };

	(void)state;
	draw(&delay);
	assert_int_equal(draws[(size_t)(0.15 * DRAWS)], 0);
	has_quantile(0.5, SPREAD, 13000);
	assert_true(draws[DRAWS - 1] < 8ull * SPREAD);
}

static void a_pareto_delay_begins_at_its_smallest_and_has_a_long_tail(void **state)
{
	const struct bump_delay delay = { BUMP_PARETO, MEAN, SPREAD, .alpha = 3 };

	(void)state;
	draw(&delay);
	assert_true(draws[0] >= MEAN && draws[0] < MEAN + 1000);
	/* Its mean: scale / (alpha - 1) above the smallest. */
	is_close(mean(), MEAN + SPREAD / 2.0, 10000);
	has_quantile(0.5, MEAN + SPREAD * (cbrt(2) - 1), 10000);
	has_quantile(0.9, MEAN + SPREAD * (cbrt(10) - 1), 30000);
	has_quantile(0.99, MEAN + SPREAD * (cbrt(100) - 1), 150000);
}

static void a_delay_without_bounds_is_cut(void **state)
{
	const struct bump_delay delay = { BUMP_PARETO, 0, SPREAD, .alpha = 0.001 };

	(void)state;
	draw(&delay);
	assert_int_equal(draws[DRAWS - 1], BUMP_MAX_DELAY_NS);
}

static void each_value_of_a_table_is_as_likely(void **state)
{
	static const uint64_t table[] = { 7, 11, 11, 13, 17 };
	const struct bump_delay delay = {
		.shape = BUMP_TABLE, .table_ns = table, .nr_table = ARRAY_SIZE(table),
	};
	double counts[18] = { 0 };
	size_t i;

	(void)state;
	draw(&delay);
	for (i = 0; i < DRAWS; i++)
		counts[draws[i]]++;
	is_close(counts[7], DRAWS * 0.2, 2000);
	is_close(counts[11], DRAWS * 0.4, 2500);
	is_close(counts[13], DRAWS * 0.2, 2000);
	is_close(counts[17], DRAWS * 0.2, 2000);
}

static void a_draw_depends_on_seed_rule_and_ordinal_and_on_nothing_else(void **state)
{
	const struct bump_delay delay = { BUMP_UNIFORM, MEAN, SPREAD };
	uint64_t first = bump_delay_ns(&delay, 1, 0, 0);

	(void)state;
	assert_int_not_equal(bump_delay_ns(&delay, 2, 0, 0), first);
	assert_int_not_equal(bump_delay_ns(&delay, 1, 1, 0), first);
	assert_int_not_equal(bump_delay_ns(&delay, 1, 0, 1), first);
	assert_int_equal(bump_delay_ns(&delay, 1, 0, 0), first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_constant_delay_is_always_the_same),
		cmocka_unit_test(a_uniform_delay_fills_its_range_evenly),
		cmocka_unit_test(a_normal_delay_has_its_mean_deviation_and_quantiles),
		cmocka_unit_test(a_normal_delay_never_falls_below_0),
		cmocka_unit_test(a_pareto_delay_begins_at_its_smallest_and_has_a_long_tail),
		cmocka_unit_test(a_delay_without_bounds_is_cut),
		cmocka_unit_test(each_value_of_a_table_is_as_likely),
		cmocka_unit_test(a_draw_depends_on_seed_rule_and_ordinal_and_on_nothing_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
