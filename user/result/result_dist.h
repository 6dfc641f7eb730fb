/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * result/result_dist.h - a distribution of times as figures of a result.
 *
 * Which statistics a family has, and the key of each, is in the dictionary: "delay" has
 * delay_packets, delay_min_ns and so on. A statistic that is NAN is left out; a percentile that
 * has too few values (lib/dist.h) is null, and in a row left out.
 */
#ifndef RESULT_RESULT_DIST_H
#define RESULT_RESULT_DIST_H

#include "lib/dist.h"
#include "lib/jitter.h"
#include "result/result.h"

/* Writes the key @prefix@suffix to @buf, and returns it. */
const char *result_key(char *buf, size_t size, const char *prefix, const char *suffix);

/* The count, and if it is not 0, the other statistics as metrics. */
void result_dist(struct result *res, const char *family, const struct dist *dist);

/* The same for the measurement overhead. */
void result_self_dist(struct result *res, const char *family, const struct dist *dist);

/* As metrics, and every bucket as histogram "@family_ns". */
void result_hist(struct result *res, const char *family, const struct hist_rec *hist);

/* The histogram of D - Dmin, if it is not empty; @prefix: of the keys, "" or "rtt_". */
void result_pdv(struct result *res, const char *prefix, const struct hist_rec *pdv);

/* The mean, and of several streams the largest, too. */
void result_jitter(struct result *res, const char *prefix, const struct jitter_sum *sum);

/*
 * The times, without the highest percentiles, into the open row of a table. Minimum and
 * maximum of an interval are rounded to buckets, unless they are also the run's.
 */
void result_row_hist(struct result *res, const char *family, const struct hist_rec *hist);

#endif
