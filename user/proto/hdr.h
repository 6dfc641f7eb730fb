/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proto/hdr.h - a histogram in HdrHistogram's two formats: percentile text and interval log.
 *
 * Both encode a histogram with 2 significant digits from 1 ns on: each bucket of abi/hist.h
 * corresponds to exactly one or two of its cells. Counts are placed where percentiles are read: in
 * the middle of the bucket, within the extremes, and one value at the exact minimum.
 *
 * Follows the descriptions and the log format of hdrhistogram.github.io.
 */
#ifndef PROTO_HDR_H
#define PROTO_HDR_H

#include <stdint.h>
#include <stdio.h>

#include "abi/hist.h"

#define HDR_DIGITS	2

/*
 * The table of percentiles in ns, 5 rows per halving of the distance to 100 %; mean and maximum at
 * its end are exact. Returns 0 or -ENOMEM; write errors are the stream's.
 */
int hdr_percentiles(FILE *out, const struct hist_rec *hist);

/* Header of an interval log; its times count from @start_unix_ns. */
void hdr_log_head(FILE *out, uint64_t start_unix_ns, const char *comment);

/*
 * A line of it: values in @length_ns from @start_ns after the log's start. @tag NULL: none. Returns
 * 0 or -ENOMEM.
 */
int hdr_log_line(FILE *out, const char *tag, uint64_t start_ns, uint64_t length_ns,
		 const struct hist_rec *hist);

#endif
