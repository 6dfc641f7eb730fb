// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * model/bench_plan.c - durations, repetitions and sizes: by standard, or quick.
 */
#include "model/bench_plan.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/loop.h"
#include "lib/unit.h"
#include "proto/frame.h"
#include "proto/goal_file.h"

#define S NSEC_PER_SEC

const char *const bench_suite_names[] = {
#define NAME(id, name, tests) name,
	BENCH_SUITES(NAME) NULL
#undef NAME
};

static const unsigned int suite_tests[] = {
#define TESTS(id, name, tests) tests,
	BENCH_SUITES(TESTS)
#undef TESTS
};

/* RFC 2544 9.1 */
static const uint32_t sizes_of_rfc2544[] = { 64, 128, 256, 512, 1024, 1280, 1518 };

static const struct search_goal presets[] = {
	/* RFC 9971 4.6.8 and 4.6.9: compliant with RFC 2544; ETSI GS NFV-TST 009, max(r) = 2 */
	{ "rfc2544", 0, 0, 0.005, S, 60 * S, 60 * S },
	{ "tst009", 0, 0.5, 0.005, S, 60 * S, 120 * S },
	{ "ndr", 0, 0.5, 0.005, S, S, 21 * S },
	{ "pdr", 0.005, 0.5, 0.005, S, S, 21 * S },
};

void bench_plan_set(struct bench_plan *plan, enum bench_suite suite, bool quick)
{
	*plan = (struct bench_plan){
		.suite = suite,
		.tests = suite_tests[suite],
		.nr_sizes = 7,
		.goals = { presets[0] },
		.nr_goals = 1,
		.rate = { UNIT_RATE_LINK_RATIO, 1 },
		.latency_ns = 120 * S, .latency_repeats = 20,	/* RFC 2544 26.2, RFC 8219 7.2 */
		.loss_ns = 60 * S,
		.burst_ns = 2 * S, .burst_repeats = 50,		/* RFC 2544 26.4, RFC 9004 5 */
		.recovery_ns = 60 * S, .recovery_repeats = 5,	/* RFC 2544 26.5, which does not
								 * specify the number */
		.reset_ns = 60 * S, .reset_repeats = 3,
		.soak_ns = 3600 * S, .soak_trial_ns = 60 * S,
		.service = { .avail_ratio = 1, .step_ns = 60 * S },
	};
	memcpy(plan->sizes, sizes_of_rfc2544, sizeof(sizes_of_rfc2544));
	if (plan->tests & BENCH_SERVICE)
		plan->soak_ns = 900 * S;	/* its shortest performance test */
	if (!quick)
		return;
	plan->goals[0].initial_trial_ns = S / 10;
	plan->goals[0].final_trial_ns = plan->goals[0].duration_sum_ns = S / 2;
	plan->latency_ns = S / 2;
	plan->latency_repeats = 3;
	plan->loss_ns = S / 5;
	plan->burst_ns = S / 5;
	plan->burst_repeats = 3;
	plan->recovery_ns = S;
	plan->recovery_repeats = 1;
	plan->reset_ns = S;
	plan->reset_repeats = 1;
	plan->soak_ns = 10 * S;
	plan->soak_trial_ns = S;
	plan->service.step_ns = S;
}

bool bench_plan_is_quick(const struct bench_plan *plan)
{
	const struct search_goal *goal = &plan->goals[0];
	bool searches = plan->suite == SUITE_RFC2544 || plan->suite == SUITE_RFC9004;
	size_t i;

	if ((plan->tests & BENCH_SERVICE) && (plan->service.step_ns < 60 * S || plan->soak_ns < 900 * S))
		return true;
	if (searches && goal->final_trial_ns < 60 * S)
		return true;
	if ((plan->tests & BENCH_LATENCY) && (plan->latency_ns < 120 * S || plan->latency_repeats < 20))
		return true;
	if ((plan->tests & BENCH_BURST) && (plan->burst_ns < 2 * S || plan->burst_repeats < 50))
		return true;
	if ((plan->tests & BENCH_RECOVERY) && plan->recovery_ns < 60 * S)
		return true;
	for (i = 0; plan->suite == SUITE_RFC2544 && i < 7; i++) {
		if (plan->nr_sizes < 7 || plan->sizes[i] != sizes_of_rfc2544[i])
			return true;
	}
	return plan->tests != suite_tests[plan->suite];
}

int bench_sizes_parse(const char *text, struct bench_plan *plan, struct err *e)
{
	char words[256], *word, *rest = words, *end;

	if (strlen(text) >= sizeof(words))
		return err_usage(e, OPTION("sizes") " '%s' is too long", text);
	strcpy(words, text);
	plan->nr_sizes = 0;
	while ((word = strsep(&rest, ","))) {
		unsigned long bytes = strtoul(word, &end, 10);

		if (!*word || *end || bytes < UNIT_MIN_FRAME_BYTES || bytes > FRAME_MAX_BYTES)
			return err_usage(e, OPTION("sizes") ": '%s' is not a frame size from %d to %d", word,
					 UNIT_MIN_FRAME_BYTES, FRAME_MAX_BYTES);
		if (plan->nr_sizes == BENCH_MAX_SIZES)
			return err_usage(e, OPTION("sizes") ": more than %d", BENCH_MAX_SIZES);
		plan->sizes[plan->nr_sizes++] = (uint32_t)bytes;
	}
	return 0;
}

/* In the order of the bits of enum bench_test; at last the word for none. */
static const char *const test_names[] = { "latency", "loss", "back-to-back", "recovery", "none", NULL };

const char *bench_test_at(size_t i)
{
	return test_names[i];
}

const char *bench_goal_at(size_t i)
{
	return i < ARRAY_SIZE(presets) ? presets[i].name : NULL;
}

int bench_tests_parse(const char *text, struct bench_plan *plan, struct err *e)
{
	char words[64], *word, *rest = words;
	unsigned int i;

	if (strlen(text) >= sizeof(words))
		return err_usage(e, OPTION("tests") " '%s' is too long", text);
	strcpy(words, text);
	plan->tests &= ~(unsigned int)BENCH_ALL_TESTS;
	while ((word = strsep(&rest, ","))) {
		if (!strcmp(word, "none"))
			continue;
		for (i = 0; test_names[i] && strcmp(word, test_names[i]); i++)
			;
		if (test_names[i])
			plan->tests |= 1u << i;
		else
			return err_usage(e, OPTION("tests") ": '%s' is not one of latency, loss, "
					"back-to-back, recovery, none",
					 word);
	}
	return 0;
}

static int set_attribute(struct search_goal *goal, const char *key, const char *value)
{
	static const struct {
		const char *key;
		size_t offset;
		bool time;
	} keys[] = {
		{ "loss", offsetof(struct search_goal, loss_ratio), false },
		{ "exceed", offsetof(struct search_goal, exceed_ratio), false },
		{ "width", offsetof(struct search_goal, width_ratio), false },
		{ "initial", offsetof(struct search_goal, initial_trial_ns), true },
		{ "final", offsetof(struct search_goal, final_trial_ns), true },
		{ "sum", offsetof(struct search_goal, duration_sum_ns), true },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		char *at = (char *)goal + keys[i].offset;

		if (strcmp(key, keys[i].key))
			continue;
		return keys[i].time ? unit_parse_duration(value, (uint64_t *)(void *)at) :
		       unit_parse_percent(value, (double *)(void *)at);
	}
	if (strcmp(key, "name") || strlen(value) >= sizeof(goal->name) || !*value)
		return -EINVAL;
	strcpy(goal->name, value);
	return 0;
}

int bench_goal_parse(const char *text, struct search_goal *ret_goal, struct err *e)
{
	struct search_goal goal = presets[0];
	char words[256], *word, *rest = words, *equals;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(presets); i++) {
		if (!strcmp(text, presets[i].name)) {
			*ret_goal = presets[i];
			return 0;
		}
	}
	if (strlen(text) >= sizeof(words))
		return err_usage(e, OPTION("goal") " '%s' is too long", text);
	strcpy(words, text);
	snprintf(goal.name, sizeof(goal.name), "%.31s", text);
	while ((word = strsep(&rest, ","))) {
		equals = strchr(word, '=');
		if (equals)
			*equals++ = '\0';
		if (equals && !set_attribute(&goal, word, equals))
			continue;
		if (equals)
			equals[-1] = '=';
		err_usage(e, OPTION("goal") " '%s': unexpected '%s'", text, word);
		return err_hint(e, "rfc2544, tst009, ndr, pdr, or name=WORD,loss=0.5%%,exceed=50%%,"
				"initial=1s,final=1s,sum=21s,width=0.5%%");
	}
	if (goal.loss_ratio >= 1 || goal.exceed_ratio >= 1 || !(goal.width_ratio > 0) ||
	    goal.width_ratio > 0.5)
		return err_usage(e, OPTION("goal") " '%s': loss and exceed must be below 100%%, "
				 "width above 0 and at most 50%%",
				 text);
	if (!goal.initial_trial_ns || !goal.final_trial_ns || goal.duration_sum_ns < goal.final_trial_ns)
		return err_usage(e, OPTION("goal") " '%s': sum must be at least final, and "
				"no time may be 0", text);
	*ret_goal = goal;
	return 0;
}

int bench_goal_add(struct bench_plan *plan, size_t *nr, const char *text, struct err *e)
{
	size_t k;
	int err;

	if (*nr == BENCH_MAX_GOALS)
		return err_usage(e, "more than %d goals", BENCH_MAX_GOALS);
	err = bench_goal_parse(text, &plan->goals[*nr], e);
	for (k = 0; k < *nr && !err; k++) {
		if (!strcmp(plan->goals[k].name, plan->goals[*nr].name))
			err = err_usage(e, "two goals are named '%s'", plan->goals[*nr].name);
	}
	++*nr;
	return err;
}

int bench_goals_read(struct bench_plan *plan, size_t *nr, const char *path, struct err *e)
{
	struct goal_file file;
	struct err inner;
	size_t i;
	int err = goal_file_read(path, &file, e);

	for (i = 0; !err && i < file.nr; i++) {
		err = bench_goal_add(plan, nr, file.goals[i].text, e);
		if (!err)
			continue;
		inner = *e;
		snprintf(e->msg, sizeof(e->msg), "%.159s: %.340s", file.goals[i].at, inner.msg);
	}
	return err;
}

/* Trials of the initial length required to halve down to the width. */
static uint64_t search_ns(const struct bench_plan *plan, uint64_t settle_ns)
{
	uint64_t sum_ns = 0;
	size_t i;

	for (i = 0; i < plan->nr_goals; i++) {
		const struct search_goal *goal = &plan->goals[i];
		uint64_t trials = (uint64_t)ceil(log2(1 / goal->width_ratio)) + 2;

		sum_ns += trials * (goal->initial_trial_ns + settle_ns) + 2 * goal->duration_sum_ns +
			  settle_ns * (goal->duration_sum_ns / goal->final_trial_ns);
	}
	return sum_ns;
}

uint64_t bench_plan_soak_trials(const struct bench_plan *plan)
{
	return (plan->soak_ns + plan->soak_trial_ns - 1) / plan->soak_trial_ns;
}

/* With a pause before each trial. */
static uint64_t trials_ns(const struct bench_plan *plan, uint64_t settle_ns)
{
	uint64_t size_ns, soak_ns = bench_plan_soak_trials(plan) * (plan->soak_trial_ns + settle_ns);

	if (plan->tests & BENCH_SOAK)
		return plan->nr_sizes * soak_ns;
	if (plan->tests & BENCH_SERVICE)
		return plan->nr_sizes * (soak_ns + 6 * (plan->service.step_ns + settle_ns));
	size_ns = search_ns(plan, settle_ns);
	if (plan->tests & BENCH_LATENCY)
		size_ns += plan->latency_repeats * (plan->latency_ns + settle_ns);
	if (plan->tests & BENCH_LOSS)
		size_ns += 10 * (plan->loss_ns + settle_ns);
	if (plan->tests & BENCH_BURST)
		size_ns += plan->burst_repeats * (2 * plan->burst_ns + 10 * settle_ns);
	if (plan->tests & BENCH_RECOVERY)
		size_ns += plan->recovery_repeats * (2 * plan->recovery_ns + settle_ns);
	size_ns *= plan->nr_sizes;
	if (plan->reset_command)
		size_ns += plan->reset_repeats * (2 * plan->reset_ns + settle_ns);
	return size_ns;
}

uint64_t bench_plan_ns(const struct bench_plan *plan, uint64_t settle_ns)
{
	uint64_t ns = trials_ns(plan, settle_ns);

	return ns > settle_ns ? ns - settle_ns : ns;
}
