/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * result/result_dist.h - a distribution of times as figures of a result.
 *
 * Which statistics a family has, and the key of each, is in the dictionary: "delay" has
 * delay_packets, delay_min_ns and so on. A statistic that is NAN is left out.
 */
#ifndef RESULT_RESULT_DIST_H
#define RESULT_RESULT_DIST_H

#include "lib/dist.h"
#include "result/result.h"

/* The count, and if it is not 0 the others, as metrics. */
void result_dist(struct result *res, const char *family, const struct dist *dist);

/* The same of the measurement overhead. */
void result_self_dist(struct result *res, const char *family, const struct dist *dist);

/* As metrics, and every bucket as histogram "@family_ns". */
void result_hist(struct result *res, const char *family, const struct hist_rec *hist);

/*
 * The times without the rarest into the open row of a table. Of an interval, minimum
 * and maximum are to their buckets, unless they are the run's so far.
 */
void result_row_hist(struct result *res, const char *family, const struct hist_rec *hist);

#endif
