/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * result/metrics.h - the dictionary: every key that a figure may have.
 */
#ifndef RESULT_METRICS_H
#define RESULT_METRICS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/dist.h"
#include "lib/unit.h"

enum metric_better { METRIC_NEITHER, METRIC_LOWER, METRIC_HIGHER };

/* In an interval's line of text, which has to stay one; JSON has them all. */
enum metric_row { METRIC_ROW_SHOWN, METRIC_ROW_UNLESS_0, METRIC_ROW_LEFT_OUT };

/* The figures of a distribution (lib/dist.h). */
enum metric_dist {
	METRIC_DIST_NONE,
	METRIC_DIST_ROWS,	/* in rows of intervals, too */
	METRIC_DIST_RESULT,	/* in the result alone */
	METRIC_DIST_ABOVE_MIN,	/* the same, of distances from the smallest value: without it */
	METRIC_DIST_SIGNED,	/* the same, of values with a sign: without percentiles */
};

struct metric {
	const char *key;
	enum unit unit;
	enum metric_better better;
	const char *label;	/* in text for people */
	const char *what;	/* one sentence: definition and, where one set it, the standard */
	const char *line;	/* shown with the others of that name on one line, unless 0 */
	bool brief;		/* shown of a part, of which only the main figures are */
	enum metric_row row;
	bool level;		/* a count that may fall; others only grow */
	bool peak;		/* the highest of its time: of several rows the highest counts */
	const char *family;	/* "delay" of delay_p99_ns, with the statistic; or NULL */
	enum dist_stat stat;
	const char *title;	/* of the line that shows the family's statistics together, or NULL */
	/* Of rows of a table (result/metric_rows.h): */
	enum metric_dist dist;
	const char *note;
	unsigned int shown;	/* bits of the statistics in an interval's line of text */
};

/* NULL: no such key. */
const struct metric *metric_find(const char *key);

/* The figure of a distribution: "delay" and DIST_P99 are delay_p99_ns; NULL: it has none. */
const struct metric *metric_of(const char *family, enum dist_stat stat);

/* Entry @index in the order of presentation; NULL after the last. */
const struct metric *metric_at(size_t index);

/* True for counts that only grow: those of intervals add up. */
bool metric_adds_up(const struct metric *metric);

/* Its key; NULL after the last. */
const char *metric_key_at(size_t index);

#endif
