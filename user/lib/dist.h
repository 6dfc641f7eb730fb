/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lib/dist.h - statistics of a distribution of times.
 *
 * The only list of them: keys of results, labels, table columns and message fields are generated
 * from it, so one more percentile is one more line.
 */
#ifndef LIB_DIST_H
#define LIB_DIST_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/hist.h"

/*
 * X(id, share, word in a key, label, text before the name of the quantity, ...); @share: of the
 * values, those not above the percentile.
 */
#define DIST_MINIMUM(X, ...) \
	X(MIN, 0, "min", "min", "smallest ", ##__VA_ARGS__)
#define DIST_AVERAGE(X, ...) \
	X(MEAN, 0, "mean", "mean", "mean ", ##__VA_ARGS__)
#define DIST_PERCENTILES(X, ...) \
	X(P50, 0.5, "p50", "p50", "median ", ##__VA_ARGS__) \
	X(P90, 0.9, "p90", "p90", "90th percentile of ", ##__VA_ARGS__) \
	X(P99, 0.99, "p99", "p99", "99th percentile of ", ##__VA_ARGS__) \
	X(P99_9, 0.999, "p99_9", "p99.9", "99.9th percentile of ", ##__VA_ARGS__) \
	X(P99_99, 0.9999, "p99_99", "p99.99", "99.99th percentile of ", ##__VA_ARGS__)
#define DIST_MAXIMUM(X, ...) \
	X(MAX, 1, "max", "max", "largest ", ##__VA_ARGS__)
#define DIST_DEVIATION(X, ...) \
	X(STDDEV, 0, "stddev", "stddev", "standard deviation of ", ##__VA_ARGS__)

#define DIST_STATS(X, ...) \
	DIST_MINIMUM(X, ##__VA_ARGS__) DIST_AVERAGE(X, ##__VA_ARGS__) \
	DIST_PERCENTILES(X, ##__VA_ARGS__) DIST_MAXIMUM(X, ##__VA_ARGS__) \
	DIST_DEVIATION(X, ##__VA_ARGS__)

enum dist_stat {
#define DIST_ENUM(id, ...) DIST_##id,
	DIST_STATS(DIST_ENUM)
#undef DIST_ENUM
	DIST_NR,
	DIST_COUNT = DIST_NR,	/* number of values: not a time */
};

/* Exact up to 2^53 ns (104 days). */
struct dist {
	uint64_t count;
	double ns[DIST_NR];
};

/*
 * Whether @count values suffice for the percentile @share (0..1): at least ten of them lie beyond
 * it. Fewer make it a figure of a few accidents.
 */
bool dist_has_samples(double share, uint64_t count);

/* As it is reported: NAN if it is unknown, or a percentile without enough values. */
double dist_reported(const struct dist *dist, enum dist_stat stat);

/* "p99.9" */
const char *dist_label(enum dist_stat stat);

/* No values: all NAN. */
struct dist dist_none(void);

/* All NAN if nothing was counted. */
void dist_of_hist(struct dist *ret, const struct hist_rec *hist);

/*
 * Whether an interval reports it: it has too few values for percentiles beyond 99.9, and the sums
 * of a deviation are not read at one moment while values are added.
 */
bool dist_is_of_interval(enum dist_stat stat);

#endif
