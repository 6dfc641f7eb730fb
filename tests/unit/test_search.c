// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <string.h>

#include "model/search.h"

#include "check.h"

#define S 1000000000ull

/* RFC 9971 appendix C, "Example Goals". */
static const struct search_goal example_goals[] = {
	{ "RFC2544", 0, 0, 0.005, S, 60 * S, 60 * S },
	{ "TST009", 0, 0.5, 0.005, S, 60 * S, 120 * S },
	{ "1s final", 0.005, 0.5, 0.005, S, S, 120 * S },
	{ "20% exceed", 0.005, 0.2, 0.005, S, 60 * S, 60 * S },
};

#define U SEARCH_UNDECIDED
#define LO SEARCH_LOWER
#define UP SEARCH_UPPER

/*
 * Its six points in time: what was added, the sums of the four goals, and the classes.
 * At points 5 and 6 the text's table calls the fourth goal's load a Lower Bound, at exceed
 * ratios of 42.857 % and 27.273 % where the goal allows 20 %: its own rule, and the code
 * of appendix A, say Upper Bound.
 */
static const struct {
	unsigned int nr;
	uint64_t trial_ns;
	double loss_ratio;
	struct search_sums sums_s[4];	/* full low, full high, short low, short high */
	enum search_class classes[4];
} points[] = {
	{ 59, S, 0, { { 0, 0, 59, 0 }, { 0, 0, 59, 0 }, { 59, 0, 0, 0 }, { 0, 0, 59, 0 } },
	  { U, U, U, U } },
	{ 1, S, 0.01, { { 0, 0, 59, 1 }, { 0, 0, 59, 1 }, { 59, 1, 0, 0 }, { 0, 0, 59, 1 } },
	  { UP, U, U, U } },
	{ 59, S, 0.01, { { 0, 0, 59, 60 }, { 0, 0, 59, 60 }, { 59, 60, 0, 0 }, { 0, 0, 59, 60 } },
	  { UP, U, U, UP } },
	{ 1, S, 0, { { 0, 0, 60, 60 }, { 0, 0, 60, 60 }, { 60, 60, 0, 0 }, { 0, 0, 60, 60 } },
	  { UP, U, LO, UP } },
	{ 1, 60 * S, 0.001,
	  { { 0, 60, 60, 60 }, { 0, 60, 60, 60 }, { 120, 60, 0, 0 }, { 60, 0, 60, 60 } },
	  { UP, U, LO, UP } },
	{ 1, 60 * S, 0,
	  { { 60, 60, 60, 60 }, { 60, 60, 60, 60 }, { 180, 60, 0, 0 }, { 120, 0, 60, 60 } },
	  { UP, LO, LO, UP } },
};

static void the_example_of_the_rfc_is_classified_as_its_code_says(void **state)
{
	static struct search_trial trials[128];
	struct search_log log = { trials, 0, ARRAY_SIZE(trials) };
	struct search_bounds bounds;
	size_t p, g;
	unsigned int i;

	(void)state;
	for (p = 0; p < ARRAY_SIZE(points); p++) {
		for (i = 0; i < points[p].nr; i++)
			trials[log.nr++] = (struct search_trial){ 1e6, points[p].trial_ns,
				points[p].trial_ns, points[p].loss_ratio, 0 };
		for (g = 0; g < ARRAY_SIZE(example_goals); g++) {
			struct search_sums sums = search_sum(&log, &example_goals[g], 1e6);
			const struct search_sums *want = &points[p].sums_s[g];

			if (sums.full_low_ns != want->full_low_ns * S ||
			    sums.full_high_ns != want->full_high_ns * S ||
			    sums.short_low_ns != want->short_low_ns * S ||
			    sums.short_high_ns != want->short_high_ns * S)
				fail_msg("sums of goal %zu at point %zu", g + 1, p + 1);
			if (search_classify(&sums, &example_goals[g]) != points[p].classes[g])
				fail_msg("class for goal %zu at point %zu", g + 1, p + 1);
		}
	}
	/* "Conditional Throughput Computations" */
	assert_true(search_conditional_pps(&log, &example_goals[1], 1e6) == 1e6);
	assert_true(search_conditional_pps(&log, &example_goals[2], 1e6) == 1e6);
	assert_true(fabs(search_conditional_pps(&log, &example_goals[3], 1e6) - 999e3) < 1e-6);
	search_bounds(&log, &example_goals[0], &bounds);
	assert_true(bounds.has_upper && !bounds.has_lower && bounds.upper_pps == 1e6);
	search_bounds(&log, &example_goals[1], &bounds);
	assert_true(bounds.has_lower && !bounds.has_upper && bounds.lower_pps == 1e6);
}

static void no_trials_decide_nothing(void **state)
{
	const struct search_sums none = { 0 };
	size_t g;

	(void)state;
	for (g = 0; g < ARRAY_SIZE(example_goals); g++)
		assert_int_equal(search_classify(&none, &example_goals[g]), SEARCH_UNDECIDED);
}

static void time_that_is_missing_counts_as_lost(void **state)
{
	/* RFC 9971's three cases of Conditional Throughput: exceed ratio 0, done or not; median. */
	struct search_trial trials[] = { { 100, S, S, 0, 0 }, { 100, S, S, 0.25, 0 } };
	struct search_log one = { trials, 1, 1 }, two = { trials, 2, 2 };
	const struct search_goal all = { "", 1 - 1e-9, 0, 0.1, S, S, 2 * S };
	const struct search_goal median = { "", 0, 0.5, 0.1, S, S, 2 * S };

	(void)state;
	assert_true(search_conditional_pps(&two, &all, 100) == 75);
	assert_true(search_conditional_pps(&one, &all, 100) == 0);
	assert_true(search_conditional_pps(&one, &median, 100) == 100);
}

static void a_good_load_above_a_bad_one_is_no_bound(void **state)
{
	struct search_trial trials[] = {
		{ 100, S, S, 0, 0 }, { 300, S, S, 0, 0 }, { 200, S, S, 0.1, 0 }, { 400, S, S, 0.5, 0 },
	};
	struct search_log log = { trials, 4, 4 };
	const struct search_goal goal = { "", 0, 0, 0.1, S, S, S };
	struct search_bounds bounds;

	(void)state;
	search_bounds(&log, &goal, &bounds);
	assert_true(bounds.lower_pps == 100 && bounds.upper_pps == 200);
}

/* A device that is known; what it does to a load. */
struct device {
	double threshold_pps;	/* forwards so much */
	double buffer_packets;	/* and queues so much at the begin of a trial */
	double noise_ratio;	/* probability that a trial loses packets at any load */
	double spread_ratio;	/* the threshold of a trial is off by up to this */
	double hysteresis_ratio;	/* after a loss it forwards less, in the next trial */
	double hole_pps;	/* loses just there, up to a tenth above */
	double generator_pps;	/* 0: no limit */
	size_t stall_at;	/* trial in which the generator reaches half of the load; 0: none */
	double reached_pps;	/* before it, the highest load below that one */
	double loads[16];	/* of the trials before it */
	uint64_t random;
	bool lost;
	double spent_s;
	size_t trials;
};

static double chance(struct device *device)
{
	/* SplitMix64: Steele, Lea, Flood */
	uint64_t z = device->random += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (double)((z ^ z >> 31) >> 11) / (double)(1ull << 53);
}

static void stall(struct device *device, double load_pps)
{
	size_t i;

	for (i = 0; i + 1 < device->stall_at; i++) {
		if (device->loads[i] < load_pps)
			device->reached_pps = fmax(device->reached_pps, device->loads[i]);
	}
}

static int run_device(void *ctx, double load_pps, uint64_t trial_ns, struct search_trial *ret,
		      struct err *e)
{
	struct device *device = ctx;
	double s = (double)trial_ns / 1e9, sent = load_pps * s, can = device->threshold_pps;

	(void)e;
	*ret = (struct search_trial){ load_pps, trial_ns, trial_ns, 0, 0 };
	device->trials++;
	device->spent_s += s;
	if (device->trials < device->stall_at)
		device->loads[device->trials - 1] = load_pps;
	if (device->trials == device->stall_at) {
		stall(device, load_pps);
		ret->reached_pps = load_pps / 2;
		return 0;
	}
	if (device->generator_pps && load_pps > device->generator_pps) {
		ret->reached_pps = device->generator_pps;
		return 0;
	}
	can *= 1 + device->spread_ratio * (2 * chance(device) - 1);
	if (device->lost)
		can *= 1 - device->hysteresis_ratio;
	ret->loss_ratio = fmax(0, 1 - (can * s + device->buffer_packets) / sent);
	if (chance(device) < device->noise_ratio)
		ret->loss_ratio = fmax(ret->loss_ratio, 0.02);
	if (device->hole_pps && load_pps >= device->hole_pps && load_pps < 1.1 * device->hole_pps)
		ret->loss_ratio = fmax(ret->loss_ratio, 0.1);
	device->lost = ret->loss_ratio > 0;
	return 0;
}

static const struct search_goal ndr = { "ndr", 0, 0.5, 0.005, S, S, 21 * S };
static const struct search_goal pdr = { "pdr", 0.005, 0.5, 0.005, S, S, 21 * S };
static const struct search_goal strict = { "rfc2544", 0, 0, 0.005, S, 60 * S, 60 * S };

typedef int method(struct search *search, const struct search_goal *goal, struct err *e);

static int mlr(struct search *search, const struct search_goal *goal, struct err *e)
{
	return search_mlr(search, goal, 1, e);
}

static struct search_bounds find(method *by, struct device *device, const struct search_goal *goal)
{
	struct search search = { .min_pps = 1e3, .max_pps = 14880952, .run = run_device,
				 .ctx = device };
	struct search_bounds bounds;
	struct err e = { 0 };

	if (by(&search, goal, &e))
		fail_msg("%s", e.msg);
	search_bounds(&search.log, goal, &bounds);
	search_release(&search);
	return bounds;
}

static void expect(const struct search_bounds *b, const struct search_goal *goal, double pps,
		   double off_ratio)
{
	if (!b->has_lower || !b->has_upper ||
	    b->upper_pps - b->lower_pps > goal->width_ratio * b->upper_pps * (1 + 1e-6))
		fail_msg("%s: no narrow bounds: %f %f", goal->name, b->lower_pps, b->upper_pps);
	if (b->lower_pps < pps * (1 - off_ratio) || b->lower_pps > pps * (1 + off_ratio))
		fail_msg("%s: %f instead of %f", goal->name, b->lower_pps, pps);
}

static void an_exact_threshold_is_found(void **state)
{
	static const double thresholds[] = { 1.5e3, 33333, 1e6, 5.5e6, 14.7e6 };
	static method *const methods[] = { mlr, search_binary };
	size_t i, m;

	(void)state;
	for (m = 0; m < ARRAY_SIZE(methods); m++) {
		for (i = 0; i < ARRAY_SIZE(thresholds); i++) {
			struct device device = { .threshold_pps = thresholds[i] };
			struct search_bounds b = find(methods[m], &device, &strict);

			expect(&b, &strict, thresholds[i], 0.0051);
			assert_true(b.lower_pps <= thresholds[i] && b.upper_pps > thresholds[i]);
			assert_true(b.conditional_pps == b.lower_pps);
		}
	}
}

static void a_device_that_takes_all_and_one_that_takes_nothing(void **state)
{
	static method *const methods[] = { mlr, search_binary };
	size_t m;

	(void)state;
	for (m = 0; m < ARRAY_SIZE(methods); m++) {
		struct device fast = { .threshold_pps = 1e9 }, dead = { .threshold_pps = 0.1 };
		struct search_bounds b = find(methods[m], &fast, &strict);

		assert_true(b.has_lower && !b.has_upper && b.lower_pps == 14880952);
		b = find(methods[m], &dead, &strict);
		assert_true(!b.has_lower && b.has_upper && b.upper_pps == 1e3);
	}
}

static void a_buffer_does_not_pass_for_throughput(void **state)
{
	static method *const methods[] = { mlr, search_binary };
	size_t m;

	(void)state;
	for (m = 0; m < ARRAY_SIZE(methods); m++) {
		/* A tenth of a second of it: a trial of a second takes 10 % more than 60 s do. */
		struct device device = { .threshold_pps = 1e6, .buffer_packets = 1e5 };
		struct search_bounds b = find(methods[m], &device, &strict);

		expect(&b, &strict, 1e6 + 1e5 / 60, 0.0051);
	}
}

static void noise_is_filtered_by_the_exceed_ratio(void **state)
{
	uint64_t seed;

	(void)state;
	for (seed = 1; seed <= 20; seed++) {
		struct device device = { .threshold_pps = 2e6, .noise_ratio = 0.1,
					 .spread_ratio = 0.002, .random = seed };
		struct search_bounds b = find(mlr, &device, &ndr);

		expect(&b, &ndr, 2e6, 0.012);
	}
}

static void random_loss_everywhere_leaves_no_lower_bound(void **state)
{
	struct device device = { .threshold_pps = 2e6, .noise_ratio = 0.9, .random = 7 };
	struct search_bounds b = find(mlr, &device, &ndr);

	(void)state;
	assert_true(!b.has_lower && b.has_upper && b.upper_pps == 1e3);
}

static void hysteresis_and_holes_end_in_true_bounds(void **state)
{
	struct device slow = { .threshold_pps = 3e6, .hysteresis_ratio = 0.05 };
	struct device hole = { .threshold_pps = 8e6, .hole_pps = 4e6 };
	struct search_bounds b = find(mlr, &slow, &ndr);

	(void)state;
	assert_true(b.has_lower && b.has_upper && b.lower_pps >= 2.8e6 && b.lower_pps <= 3e6);
	/* Below the hole or above it: both are thresholds. Nothing inside may be good. */
	b = find(mlr, &hole, &ndr);
	assert_true(b.has_lower && b.has_upper);
	assert_true(fabs(b.lower_pps / 8e6 - 1) < 0.006 || fabs(b.lower_pps / 4e6 - 1) < 0.006);
}

static void several_goals_are_found_in_one_search(void **state)
{
	const struct search_goal goals[] = { ndr, pdr, strict };
	struct device device = { .threshold_pps = 1e6 };
	struct search search = { .min_pps = 1e3, .max_pps = 1e9, .run = run_device, .ctx = &device };
	struct search_bounds b;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(search_mlr(&search, goals, 3, &e), 0);
	search_bounds(&search.log, &ndr, &b);
	expect(&b, &ndr, 1e6, 0.0051);
	search_bounds(&search.log, &strict, &b);
	expect(&b, &strict, 1e6, 0.0051);
	search_bounds(&search.log, &pdr, &b);
	expect(&b, &pdr, 1e6 / 0.995, 0.0051);
	/* What was forwarded at a hard limit is the limit. */
	assert_true(fabs(b.conditional_pps / 1e6 - 1) < 0.003);
	search_release(&search);
}

static void a_generator_that_falls_behind_is_never_the_device(void **state)
{
	static method *const methods[] = { mlr, search_binary };
	size_t m;

	(void)state;
	for (m = 0; m < ARRAY_SIZE(methods); m++) {
		struct device device = { .threshold_pps = 9e6, .generator_pps = 3e6 };
		struct search search = { .min_pps = 1e3, .max_pps = 14880952, .run = run_device,
					 .ctx = &device };
		struct search_bounds b;
		struct err e = { 0 };

		assert_int_equal(methods[m](&search, &strict, &e), 0);
		search_bounds(&search.log, &strict, &b);
		assert_true(search.limited && b.has_lower && !b.has_upper);
		assert_true(b.lower_pps > 2.9e6 && b.lower_pps <= 3e6);
		search_release(&search);
	}
}

static void a_stall_does_not_take_back_what_the_generator_reached(void **state)
{
	static method *const methods[] = { mlr, search_binary };
	size_t m, at, more = 0;

	(void)state;
	for (m = 0; m < ARRAY_SIZE(methods); m++) {
		for (at = 2; at < 9; at++) {
			struct device device = { .threshold_pps = 1e6, .stall_at = at };
			struct search search = { .min_pps = 1e3, .max_pps = 14880952,
						 .run = run_device, .ctx = &device };
			struct err e = { 0 };

			assert_int_equal(methods[m](&search, &strict, &e), 0);
			assert_true(search.limited == (device.trials >= at));
			assert_true(search.max_pps >= device.reached_pps);
			more += search.max_pps == device.reached_pps;
			search_release(&search);
		}
	}
	assert_true(more > 3);
}

static void the_search_saves_time(void **state)
{
	struct device a = { .threshold_pps = 1.234567e6 }, b = a;

	(void)state;
	find(mlr, &a, &strict);
	find(search_binary, &b, &strict);
	/* One full trial at the lower bound; a loss in a short one is enough for the upper. */
	assert_true(a.spent_s < 2 * 60 && b.spent_s < 2 * 60);
	assert_true(a.trials <= 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_example_of_the_rfc_is_classified_as_its_code_says),
		cmocka_unit_test(no_trials_decide_nothing),
		cmocka_unit_test(time_that_is_missing_counts_as_lost),
		cmocka_unit_test(a_good_load_above_a_bad_one_is_no_bound),
		cmocka_unit_test(an_exact_threshold_is_found),
		cmocka_unit_test(a_device_that_takes_all_and_one_that_takes_nothing),
		cmocka_unit_test(a_buffer_does_not_pass_for_throughput),
		cmocka_unit_test(noise_is_filtered_by_the_exceed_ratio),
		cmocka_unit_test(random_loss_everywhere_leaves_no_lower_bound),
		cmocka_unit_test(hysteresis_and_holes_end_in_true_bounds),
		cmocka_unit_test(several_goals_are_found_in_one_search),
		cmocka_unit_test(a_generator_that_falls_behind_is_never_the_device),
		cmocka_unit_test(a_stall_does_not_take_back_what_the_generator_reached),
		cmocka_unit_test(the_search_saves_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
