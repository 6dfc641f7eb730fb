/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proto/hdr.h - a histogram in HdrHistogram's two forms: percentile text and interval log.
 *
 * Both encode a histogram of 2 significant digits from 1 ns on: each bucket of
 * abi/hist.h is just one or two of its cells, so every count has its place. It
 * is put where percentiles are read, in the middle of its bucket within
 * the extremes, and one value is at the exact minimum.
 *
 * After the descriptions and the log format of hdrhistogram.github.io.
 */
#ifndef PROTO_HDR_H
#define PROTO_HDR_H

#include <stdint.h>
#include <stdio.h>

#include "abi/hist.h"

#define HDR_DIGITS	2

/*
 * The table of percentiles, 5 rows a halving of the distance to 100 %, in ns;
 * mean and maximum in its foot are exact. Returns 0 or -ENOMEM; whether the
 * stream took it all, the stream knows.
 */
int hdr_percentiles(FILE *out, const struct hist_rec *hist);

/* What an interval log begins with; its times count from @start_unix_ns. */
void hdr_log_head(FILE *out, uint64_t start_unix_ns, const char *comment);

/*
 * One line of it: what came in @length_ns from @start_ns after the log's start.
 * @tag NULL: none. Returns 0 or -ENOMEM.
 */
int hdr_log_line(FILE *out, const char *tag, uint64_t start_ns, uint64_t length_ns,
		 const struct hist_rec *hist);

#endif
