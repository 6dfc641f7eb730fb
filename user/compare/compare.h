/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare/compare.h - compare the results of earlier runs.
 *
 * Documents of both sides are loaded, grouped by setup, and each figure is judged.
 * The outcome is "comparison" in the result, from which all output is made.
 */
#ifndef COMPARE_COMPARE_H
#define COMPARE_COMPARE_H

#include <stdbool.h>

#include "lib/err.h"
#include "result/result.h"

enum compare_side { COMPARE_BASE, COMPARE_NEW, COMPARE_NOISE, COMPARE_NR_SIDES };

struct compare_cfg {
	double threshold_ratio;		/* 0.05: worse by more than 5 % is a regression */
	bool all;			/* include figures without better or worse, and the measurement overhead */
	const char *const *ignore;	/* keys that may differ between documents */
	unsigned int nr_ignore;
	const char *const *metrics;	/* patterns (fnmatch) of keys to judge; none: all of them */
	unsigned int nr_metrics;
};

struct compare;

/* @cfg must outlive it. */
struct compare *compare_new(const struct compare_cfg *cfg);
void compare_free(struct compare *cmp);

/*
 * Load all documents of @path: a file with one document, several in sequence, JSON
 * lines, or the output of scripts/bench-run, whose rounds are runs; a directory of
 * such files (*.json, *.jsonl); or a pattern (glob). A usage error names the file
 * and the fault.
 */
int compare_load(struct compare *cmp, enum compare_side side, const char *path, struct err *e);

/* Judge all figures, with verdicts, into @res; a usage error says what is not comparable. */
int compare_run(struct compare *cmp, struct result *res, struct err *e);

/* The comparison in @res as a self-contained HTML page, in the file @path. */
int compare_html(const struct result *res, const char *path, struct err *e);

/* Makes KTAP (Documentation/dev-tools/ktap.rst) the text of @res. */
void compare_ktap(struct result *res);

#endif
