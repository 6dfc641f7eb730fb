/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare/compare.h - results of earlier runs against each other.
 *
 * Documents of each side are loaded, those of the same setup brought together,
 * and each figure of theirs judged. What comes of it is "comparison" in the
 * result, and every face is a walk over that.
 */
#ifndef COMPARE_COMPARE_H
#define COMPARE_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"
#include "result/result.h"

enum compare_side { COMPARE_BASE, COMPARE_NEW, COMPARE_NOISE, COMPARE_NR_SIDES };

struct compare_cfg {
	double threshold_ratio;		/* 0.05: worse by more than 5 % is a regression */
	uint64_t seed;
	bool all;			/* figures without a direction, and the instrument's own, too */
	const char *const *ignore;	/* keys that may differ between documents */
	unsigned int nr_ignore;
	const char *const *metrics;	/* patterns (fnmatch) of keys to judge; none: all of them */
	unsigned int nr_metrics;
};

struct compare;

/* @cfg must live as long. */
struct compare *compare_new(const struct compare_cfg *cfg);
void compare_free(struct compare *cmp);

/*
 * Takes all documents of @path: a file of one document, of several one behind the
 * other, of JSON lines, or of scripts/bench-run, whose rounds are runs; a directory
 * of such (*.json, *.jsonl); or a pattern (glob) of these. A usage error tells
 * what is wrong with which file.
 */
int compare_load(struct compare *cmp, enum compare_side side, const char *path, struct err *e);

/* Judges all figures into @res, with its verdicts; a usage error says what is not comparable. */
int compare_run(struct compare *cmp, struct result *res, struct err *e);

/* The comparison in @res as a self-contained HTML page, in the file @path. */
int compare_html(const struct result *res, const char *path, struct err *e);

/* Makes KTAP (Documentation/dev-tools/ktap.rst) the text of @res. */
void compare_ktap(struct result *res);

#endif
