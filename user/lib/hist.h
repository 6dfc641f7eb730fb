/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lib/hist.h - read the histograms that the BPF programs fill (abi/hist.h).
 */
#ifndef LIB_HIST_H
#define LIB_HIST_H

#include <stdint.h>

#include "abi/hist.h"

/* Adds a value to a record that only this thread writes; others may read it at the same time. */
void hist_add(struct hist_rec *hist, uint64_t ns);

/* Adds @from's counts to @sum; extremes are those of both. */
void hist_merge(struct hist_rec *sum, const struct hist_rec *from);

/*
 * The counts between two readings of one record. Their exact extremes are unknown: those of the
 * buckets are used.
 */
void hist_subtract(struct hist_rec *newer, const struct hist_rec *older);

/* 0 if nothing was counted. */
uint64_t hist_min_ns(const struct hist_rec *hist);
double hist_mean_ns(const struct hist_rec *hist);

/*
 * Population standard deviation, exact: the root of the mean square of the distances from the mean.
 * NAN if it is not known: a record without sums of squares, or with values above the range.
 */
double hist_stddev_ns(const struct hist_rec *hist);

/*
 * The smallest time that at least @share (0..1] of the values do not exceed,
 * to the middle of its bucket, within the exact extremes. 0 if empty.
 */
uint64_t hist_percentile_ns(const struct hist_rec *hist, double share);

#endif
