// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whatever a goal file has, and whatever text comes as a goal, sizes or tests: it gives a plan that
 * can be followed, or a sentence.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "model/bench_plan.h"
#include "proto/goal_file.h"

#define must(condition) do { if (!(condition)) abort(); } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

/* libfyaml 0.7.12 loses 4 KiB where a long quoted key is cut short. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libfyaml";
}

static void check_goal(const struct search_goal *goal)
{
	must(goal->name[0] && memchr(goal->name, 0, sizeof(goal->name)));
	must(goal->loss_ratio >= 0 && goal->loss_ratio < 1);
	must(goal->exceed_ratio >= 0 && goal->exceed_ratio < 1);
	must(goal->width_ratio > 0 && goal->width_ratio <= 0.5);
	must(goal->initial_trial_ns && goal->final_trial_ns);
	must(goal->duration_sum_ns >= goal->final_trial_ns);
}

static void check_words(const char *text)
{
	static const char *const tests[] = { "latency", "loss", "back-to-back", "recovery", "none" };
	struct bench_plan plan;
	struct search_goal goal;
	struct err e = { 0 };
	size_t i, len;

	bench_plan_set(&plan, SUITE_RFC2544, false);
	if (!bench_goal_parse(text, &goal, &e))
		check_goal(&goal);
	else
		must(e.no && e.msg[0]);
	if (!bench_sizes_parse(text, &plan, &e)) {
		must(plan.nr_sizes && plan.nr_sizes <= BENCH_MAX_SIZES);
		for (i = 0; i < plan.nr_sizes; i++)
			must(plan.sizes[i] >= 64 && plan.sizes[i] <= 9216);
	}
	if (bench_tests_parse(text, &plan, &e))
		return;
	for (; ; text += len + 1) {
		len = strcspn(text, ",");
		for (i = 0; i < 5 && (strlen(tests[i]) != len || strncmp(text, tests[i], len)); i++)
			;
		must(i < 5 && (i == 4 || plan.tests & 1u << i));
		if (!text[len])
			break;
	}
}

static void check_file(const uint8_t *data, size_t size)
{
	static char path[64];
	static int fd = -1;
	struct goal_file file;
	struct bench_plan plan;
	struct err e = { 0 };
	size_t nr = 0, i;

	if (fd < 0) {
		fd = memfd_create("goals", 0);
		must(fd >= 0);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	must(!ftruncate(fd, 0) && pwrite(fd, data, size, 0) == (ssize_t)size);
	if (goal_file_read(path, &file, &e)) {
		must(e.no && e.msg[0]);
	} else {
		must(file.nr && file.nr <= GOAL_FILE_MAX);
		for (i = 0; i < file.nr; i++)
			must(memchr(file.goals[i].text, 0, sizeof(file.goals[i].text)) &&
			     !strncmp(file.goals[i].at, path, strlen(path)));
	}
	e = (struct err){ 0 };
	bench_plan_set(&plan, SUITE_MLRSEARCH, false);
	if (bench_goals_read(&plan, &nr, path, &e)) {
		must(e.no && e.msg[0]);
		return;
	}
	must(nr && nr <= BENCH_MAX_GOALS);
	plan.nr_goals = nr;
	for (i = 0; i < nr; i++)
		check_goal(&plan.goals[i]);
	bench_plan_ns(&plan, 1000000000);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	must(text);
	memcpy(text, data, size);
	text[size] = '\0';
	check_words(text);
	check_file(data, size);
	free(text);
	return 0;
}
