/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lib/burst.h - microbursts: the most bytes in any 100 us, 1 ms and 10 ms.
 *
 * Fed with the wire bytes of successive short windows (abi/watch.h), summed over the CPUs first:
 * the peak of a sum, not the sum of peaks. Each span slides by one short window, so a burst is
 * measured completely wherever it starts, if it is at least one window shorter than the span.
 */
#ifndef LIB_BURST_H
#define LIB_BURST_H

#include <stddef.h>
#include <stdint.h>

#include "abi/watch.h"

#define BURST_SPANS	3
#define BURST_HISTORY	512	/* windows; the longest span is 500 */

/* Lengths of the spans: 100 us, 1 ms, 10 ms. */
extern const uint64_t burst_span_ns[BURST_SPANS];

struct burst {
	uint64_t history[BURST_HISTORY];
	uint64_t at;			/* windows fed so far */
	uint64_t sums[BURST_SPANS];	/* over the latest windows */
	uint64_t peaks[BURST_SPANS];	/* highest sums since burst_restart() */
};

void burst_feed(struct burst *burst, const uint64_t *bytes, size_t nr);

/* The next windows were not seen: no span may cross the gap. Peaks stay. */
void burst_break(struct burst *burst);

/* Restarts the peaks with the following windows. */
void burst_restart(struct burst *burst);

/* The highest sum of span @i, in bits per second. */
double burst_peak_bps(const struct burst *burst, size_t i);

/*
 * Adds the bytes of windows [@first, @first + @nr) from one CPU's ring to @sums. @newest: the
 * latest window that the CPU wrote.
 */
void burst_add_ring(uint64_t *sums, const struct watch_ring *ring, uint64_t first, size_t nr,
		    uint64_t newest);

#endif
