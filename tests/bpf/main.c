// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The BPF programs as pure functions of a frame. Needs root.
 *
 *	programs [GROUP...]	all groups without an argument
 *	programs --list		the groups' names
 */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "harness.h"

static const struct {
	const char *name;
	int (*run)(void);
} groups[] = {
	{ "blast", test_blast },
	{ "drops", test_drops },
	{ "fields", test_fields },
	{ "filter", test_filter },
	{ "impair", test_impair },
	{ "flow", test_flow },
	{ "fuzz", test_fuzz },
	{ "mix", test_mix },
	{ "record", test_record },
	{ "order", test_order },
	{ "reflect", test_reflect },
	{ "replay", test_replay },
	{ "rr", test_rr },
	{ "sink", test_sink },
	{ "sink_hw", test_sink_hw },
	{ "stamp", test_stamp },
	{ "watch", test_watch },
};

#define NR_GROUPS (sizeof(groups) / sizeof(groups[0]))

static bool asked_for(const char *name, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], name))
			return true;
	}
	return argc == 1;
}

int main(int argc, char **argv)
{
	struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };
	int failed = 0, ran = 0;
	size_t i;

	if (argc == 2 && !strcmp(argv[1], "--list")) {
		for (i = 0; i < NR_GROUPS; i++)
			puts(groups[i].name);
		return 0;
	}
	setrlimit(RLIMIT_MEMLOCK, &unlimited);
	for (i = 0; i < NR_GROUPS; i++) {
		if (asked_for(groups[i].name, argc, argv)) {
			failed += groups[i].run();
			ran++;
		}
	}
	if (!ran)
		fprintf(stderr, "no such group of tests\n");
	return failed || !ran;
}
