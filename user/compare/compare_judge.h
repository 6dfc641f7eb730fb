/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare/compare_judge.h - one figure of two sides: what may be said of it.
 */
#ifndef COMPARE_COMPARE_JUDGE_H
#define COMPARE_COMPARE_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/stat.h"
#include "result/metrics.h"

/* Of each side; below it nothing is claimed. */
#define COMPARE_MIN_RUNS 5

/* Of the reasons for "cannot tell" the one that the smallest change goes with. */
#define COMPARE_WHY_SPREAD "the runs spread too far for a smaller change to be seen"

enum compare_verdict {
	COMPARE_SAME,		/* no difference beyond the threshold is possible */
	COMPARE_BETTER,
	COMPARE_WORSE,
	COMPARE_CHANGED,	/* a figure that has no better and no worse */
	COMPARE_CANNOT_TELL,
};

struct compare_rule {
	enum metric_better better;
	double threshold_ratio;		/* 0.05: a change of 5 % */
	double resolution_ratio;	/* two values closer than that are not told apart, or 0 */
	uint64_t seed;
};

/*
 * Where every value is above 0 the sides are compared by the ratio of their medians, and
 * change, low, high, noise and smallest are it - 1: 0.1 is 10 % more. Else by the
 * difference of their medians, in the figure's own unit.
 */
struct compare_judgement {
	enum compare_verdict verdict;
	bool by_ratio;
	bool beyond;			/* better, worse or changed by more than the threshold */
	double base_median, new_median;	/* NAN where that side has no value */
	double change, low, high;	/* NAN where one side has none; interval: 95 % */
	double p;			/* Mann and Whitney's; NAN likewise */
	double noise;			/* change that no difference at all can show; INFINITY: not known */
	double smallest;		/* change that could just have been told; likewise */
	const char *why;		/* it cannot be told, or NULL */
};

/*
 * @noise: further values of the base, taken as the new ones were (A/A); without any the
 * noise floor comes from the base split in two. Better, worse and changed are said where
 * the interval excludes no change by more than that floor, and p is at most 0.05.
 * Returns 0 or -ENOMEM.
 */
int compare_judge(const struct compare_rule *rule, const struct stat_sample *base,
		  const struct stat_sample *new, const struct stat_sample *noise,
		  struct compare_judgement *ret_judgement);

/* "same", "better", ... */
const char *compare_verdict_name(enum compare_verdict verdict);

#endif
