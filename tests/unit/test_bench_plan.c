// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "engine/suite/bench_suite.h"

#include "check.h"

#define S 1000000000ull

static void a_suite_is_called_by_its_name_only_if_it_is_whole(void **state)
{
	struct bench_plan plan;

	(void)state;
	bench_plan_set(&plan, SUITE_RFC2544, false);
	assert_false(bench_plan_is_quick(&plan));
	assert_int_equal(plan.nr_sizes, 7);
	plan.goals[0].final_trial_ns = 60 * S - 1;
	assert_true(bench_plan_is_quick(&plan));
	bench_plan_set(&plan, SUITE_RFC2544, false);
	plan.nr_sizes = 6;
	assert_true(bench_plan_is_quick(&plan));
	bench_plan_set(&plan, SUITE_RFC2544, false);
	plan.tests &= ~(unsigned int)BENCH_LOSS;
	assert_true(bench_plan_is_quick(&plan));
	bench_plan_set(&plan, SUITE_RFC2544, false);
	plan.burst_repeats = 49;
	assert_true(bench_plan_is_quick(&plan));
	bench_plan_set(&plan, SUITE_RFC2544, false);
	plan.recovery_ns = 60 * S - 1;
	assert_true(bench_plan_is_quick(&plan));
	plan.tests &= ~(unsigned int)BENCH_RECOVERY;
	assert_true(bench_plan_is_quick(&plan));
	bench_plan_set(&plan, SUITE_RFC9004, false);
	assert_false(bench_plan_is_quick(&plan));
	plan.latency_repeats = 1;	/* not of it */
	assert_false(bench_plan_is_quick(&plan));
	bench_plan_set(&plan, SUITE_Y1564, false);
	assert_false(bench_plan_is_quick(&plan));
	plan.soak_ns = 900 * S - 1;
	assert_true(bench_plan_is_quick(&plan));
	bench_plan_set(&plan, SUITE_RFC8219, false);
	plan.latency_repeats = 19;
	assert_true(bench_plan_is_quick(&plan));
	bench_plan_set(&plan, SUITE_RFC8219, true);
	assert_true(bench_plan_is_quick(&plan));
}

static void pauses_between_trials_are_part_of_the_plan(void **state)
{
	struct bench_plan plan;

	(void)state;
	bench_plan_set(&plan, SUITE_SOAK, false);
	plan.nr_sizes = 3;
	plan.soak_ns = 61 * S;
	plan.soak_trial_ns = 20 * S;
	assert_int_equal(bench_plan_soak_trials(&plan), 4);
	assert_int_equal(bench_plan_ns(&plan, 7 * S), 3 * 4 * 27 * S - 7 * S);
}

static void goals_are_names_or_attributes(void **state)
{
	struct search_goal goal;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(bench_goal_parse("tst009", &goal, &e), 0);
	assert_true(goal.exceed_ratio == 0.5 && goal.duration_sum_ns == 120 * S);
	assert_int_equal(bench_goal_parse("loss=0.5%,exceed=50%,initial=1s,final=2s,sum=21s,width=1%,name=x",
					  &goal, &e), 0);
	assert_true(goal.loss_ratio == 0.005 && goal.exceed_ratio == 0.5 && goal.width_ratio == 0.01);
	assert_true(goal.initial_trial_ns == S && goal.final_trial_ns == 2 * S &&
		    goal.duration_sum_ns == 21 * S);
	assert_string_equal(goal.name, "x");
	assert_int_equal(bench_goal_parse("sum=1s", &goal, &e), -EINVAL);
	assert_int_equal(bench_goal_parse("width=0%", &goal, &e), -EINVAL);
	assert_int_equal(bench_goal_parse("", &goal, &e), -EINVAL);
}

static void each_test_is_a_word(void **state)
{
	static const char *const bad[] = {
		"", "latency,", "Loss", "latency loss",
		"latency,latency,latency,latency,latency,latency,latency,latency,soak",
	};
	struct bench_plan plan;
	struct err e = { 0 };
	size_t i;

	(void)state;
	bench_plan_set(&plan, SUITE_RFC2544, false);
	assert_int_equal(bench_tests_parse("loss,back-to-back", &plan, &e), 0);
	assert_int_equal(plan.tests & BENCH_ALL_TESTS, BENCH_LOSS | BENCH_BURST);
	assert_int_equal(bench_tests_parse("none", &plan, &e), 0);
	assert_int_equal(plan.tests & BENCH_ALL_TESTS, 0);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		if (bench_tests_parse(bad[i], &plan, &e) != -EINVAL)
			fail_msg("'%s' was taken", bad[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_suite_is_called_by_its_name_only_if_it_is_whole),
		cmocka_unit_test(pauses_between_trials_are_part_of_the_plan),
		cmocka_unit_test(goals_are_names_or_attributes),
		cmocka_unit_test(each_test_is_a_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
