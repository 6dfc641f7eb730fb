/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/self/hist_report.h - a histogram of times as figures of a result.
 */
#ifndef ENGINE_SELF_HIST_REPORT_H
#define ENGINE_SELF_HIST_REPORT_H

#include "abi/hist.h"
#include "result/result.h"

/*
 * "@prefix_min_ns", mean, percentiles and max as metrics, and every bucket as
 * histogram "@prefix_ns"; how many under @count_key, unless it is NULL.
 */
void hist_report(struct result *res, const char *prefix, const char *count_key,
		 const struct hist_rec *hist);

/*
 * The same metrics without p99.99 into the open row of a table. Of an interval, minimum
 * and maximum are to their buckets, unless they are the run's so far.
 */
void hist_report_row(struct result *res, const char *prefix, const struct hist_rec *hist);

#endif
