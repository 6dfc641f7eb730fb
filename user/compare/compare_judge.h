/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare/compare_judge.h - judge one figure of two sides.
 */
#ifndef COMPARE_COMPARE_JUDGE_H
#define COMPARE_COMPARE_JUDGE_H

#include <stdbool.h>

#include "lib/stat.h"
#include "result/metrics.h"

/* Runs per side; with fewer the verdict is inconclusive. */
#define COMPARE_MIN_RUNS 5

/* With fewer pairs the signed-rank test finds less than the rank test. */
#define COMPARE_MIN_PAIRS 8

/* The last digit of a change as it is shown: less is no difference, however little the runs vary. */
#define COMPARE_LEAST_RATIO 1e-4

/* The reason for "inconclusive" that comes with the smallest detectable change. */
#define COMPARE_WHY_SPREAD "the runs vary too much to show a smaller change"

enum compare_verdict {
	COMPARE_SAME,		/* no difference beyond the threshold is possible */
	COMPARE_BETTER,
	COMPARE_WORSE,
	COMPARE_CHANGED,	/* a figure without better or worse */
	COMPARE_INCONCLUSIVE,
};

struct compare_rule {
	enum metric_better better;
	double threshold_ratio;		/* 0.05: a change of 5 % */
	double resolution_ratio;	/* closer values cannot be distinguished, or 0 */
	bool in_pairs;			/* value i of each side was taken at the same time */
};

/*
 * If every value is above 0, the sides are compared by their ratio, and change, low, high,
 * noise and smallest are that ratio - 1: 0.1 is 10 % more. Otherwise by their difference,
 * in the figure's unit.
 */
struct compare_judgement {
	enum compare_verdict verdict;
	bool by_ratio, paired;
	bool beyond;			/* better, worse or changed by more than the threshold */
	double base_median, new_median;	/* NAN where that side has no value */
	double change, low, high;	/* Hodges-Lehmann, 95 % interval; NAN if one side has none */
	double p;			/* Mann-Whitney, or of pairs signed-rank; NAN likewise */
	double noise;			/* change between equal setups, at least the resolution;
					 * INFINITY: unknown */
	double smallest;		/* smallest detectable change; likewise */
	const char *why;		/* reason if inconclusive, or NULL */
};

/*
 * @noise: more values of the base, measured like the new ones (A/A): their change is the noise
 * floor; without any it is the resolution. The verdict is better, worse or changed if the whole interval is
 * beyond that floor and p is at most 0.05.
 * Returns 0 or -ENOMEM.
 */
int compare_judge(const struct compare_rule *rule, const struct stat_sample *base,
		  const struct stat_sample *new, const struct stat_sample *noise,
		  struct compare_judgement *ret_judgement);

/* "same", "better", ... */
const char *compare_verdict_name(enum compare_verdict verdict);

#endif
