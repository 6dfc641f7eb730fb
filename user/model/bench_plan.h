/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/bench_plan.h - the measurements and trials of a standard's suite.
 */
#ifndef MODEL_BENCH_PLAN_H
#define MODEL_BENCH_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/unit.h"
#include "model/search.h"

enum bench_test {
	BENCH_LATENCY = 1, BENCH_LOSS = 2, BENCH_BURST = 4, BENCH_RECOVERY = 8,
	BENCH_SEARCH = 16,		/* for the throughput, before any of those */
	BENCH_SOAK = 32,		/* one load for a long time, and nothing else */
	BENCH_SERVICE = 64,		/* a service's rates and criteria, and nothing else */
};

/* What --tests chooses from. */
#define BENCH_ALL_TESTS	(BENCH_LATENCY | BENCH_LOSS | BENCH_BURST | BENCH_RECOVERY)

/* X(id, name, tests) */
#define BENCH_SUITES(X) \
	X(RFC2544, "rfc2544", BENCH_SEARCH | BENCH_ALL_TESTS) \
	X(RFC9004, "rfc9004", BENCH_SEARCH | BENCH_BURST) \
	X(MLRSEARCH, "mlrsearch", BENCH_SEARCH) \
	X(RFC8219, "rfc8219", BENCH_SEARCH | BENCH_LATENCY) \
	X(SOAK, "soak", BENCH_SOAK) \
	X(Y1564, "y1564", BENCH_SERVICE)

enum bench_suite {
#define BENCH_ENUM(id, name, tests) SUITE_##id,
	BENCH_SUITES(BENCH_ENUM)
#undef BENCH_ENUM
};

/* In the order of enum bench_suite. */
extern const char *const bench_suite_names[];

#define BENCH_MAX_SIZES		16
#define BENCH_MAX_GOALS		8

/* A service and its criteria, in the style of ITU-T Y.1564; rates count frames with FCS. */
struct bench_service {
	struct unit_rate cir, eir;	/* committed, and in excess of it; value 0: none */
	bool policing;			/* fail if traffic above both is forwarded */
	double flr_ratio, avail_ratio;	/* maximum loss ratio, minimum availability */
	uint64_t ftd_ns, fdv_ns;	/* maximum mean delay and variation; 0: not judged */
	uint64_t step_ns;
};

struct bench_plan {
	enum bench_suite suite;
	unsigned int tests;		/* enum bench_test */
	bool mlr;			/* rfc2544, rfc9004, rfc8219: MLRsearch, not halving */
	uint32_t sizes[BENCH_MAX_SIZES];
	size_t nr_sizes;
	struct search_goal goals[BENCH_MAX_GOALS];	/* one, except for mlrsearch */
	size_t nr_goals;
	struct unit_rate rate;		/* the highest load; for soak the load */
	uint64_t latency_ns;
	uint32_t latency_repeats;
	uint64_t loss_ns;
	uint64_t burst_ns;		/* the longest burst */
	uint32_t burst_repeats;
	uint64_t recovery_ns;		/* duration of the overload, and of the half load after
					 * it */
	uint32_t recovery_repeats;
	const char *reset_command;	/* NULL: no reset test */
	uint64_t reset_ns;		/* before the command, and after its end */
	uint32_t reset_repeats;
	uint64_t soak_ns, soak_trial_ns;	/* also for y1564's performance test */
	struct bench_service service;
};

/* The values that a suite's standard requires; @quick: short enough to finish within a minute. */
void bench_plan_set(struct bench_plan *plan, enum bench_suite suite, bool quick);

/* True if it is less than the suite's standard requires, and must not use its name. */
bool bench_plan_is_quick(const struct bench_plan *plan);

/* Parse "64,1518", and "latency,loss"; "none": no tests */
int bench_sizes_parse(const char *text, struct bench_plan *plan, struct err *e);
const char *bench_test_at(size_t i);	/* "latency"; NULL after the last */
int bench_tests_parse(const char *text, struct bench_plan *plan, struct err *e);

/* "rfc2544", "tst009", "ndr", "pdr", or "loss=0.5%,exceed=50%,sum=21s,..." */
int bench_goal_parse(const char *text, struct search_goal *ret_goal, struct err *e);

/* The name of goal @i of these; NULL after the last. */
const char *bench_goal_at(size_t i);

/* Sets the plan's next goal, number *nr; or all of a YAML file (proto/goal_file.h). */
int bench_goal_add(struct bench_plan *plan, size_t *nr, const char *text, struct err *e);
int bench_goals_read(struct bench_plan *plan, size_t *nr, const char *path, struct err *e);

/* Trials of a soak test, for each size. */
uint64_t bench_plan_soak_trials(const struct bench_plan *plan);

/* Estimated duration, including pauses. */
uint64_t bench_plan_ns(const struct bench_plan *plan, uint64_t settle_ns);

#endif
