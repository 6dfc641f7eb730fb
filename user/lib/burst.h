/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lib/burst.h - microbursts: the most bytes in any 100 us, 1 ms and 10 ms.
 *
 * Fed with the wire bytes of successive short windows (abi/watch.h), summed
 * over the CPUs first: the peak of a sum, not the sum of peaks. Each span is
 * slid by one short window, so a burst is found whole wherever it lies, if it
 * is at most a window shorter than the span.
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
	uint64_t sums[BURST_SPANS];	/* of the newest windows */
	uint64_t peaks[BURST_SPANS];	/* highest sums since burst_restart() */
};

void burst_feed(struct burst *burst, const uint64_t *bytes, size_t nr);

/* Windows follow that were not seen: a span over the hole is not a peak. Peaks stay. */
void burst_break(struct burst *burst);

/* Peaks begin anew with the windows that follow. */
void burst_restart(struct burst *burst);

/* Bits a second of the highest sum of span @i. */
double burst_peak_bps(const struct burst *burst, size_t i);

/*
 * Adds the bytes of windows [@first, @first + @nr) of one CPU's ring to
 * @sums. @newest: the number of the newest window that the CPU wrote.
 */
void burst_add_ring(uint64_t *sums, const struct watch_ring *ring, uint64_t first, size_t nr,
		    uint64_t newest);

#endif
