// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lib/burst.c - microbursts: the most bytes in any 100 us, 1 ms and 10 ms.
 */
#include "lib/burst.h"

#include <string.h>

const uint64_t burst_span_ns[BURST_SPANS] = { 100000, 1000000, 10000000 };

_Static_assert(10000000 / WATCH_WINDOW_NS < BURST_HISTORY, "the longest span does not fit");

void burst_feed(struct burst *burst, const uint64_t *bytes, size_t nr)
{
	size_t i, span;

	for (i = 0; i < nr; i++) {
		for (span = 0; span < BURST_SPANS; span++) {
			uint64_t len = burst_span_ns[span] / WATCH_WINDOW_NS;

			burst->sums[span] += bytes[i];
			if (burst->at >= len)
				burst->sums[span] -= burst->history[(burst->at - len) % BURST_HISTORY];
			if (burst->sums[span] > burst->peaks[span])
				burst->peaks[span] = burst->sums[span];
		}
		burst->history[burst->at++ % BURST_HISTORY] = bytes[i];
	}
}

void burst_break(struct burst *burst)
{
	memset(burst->sums, 0, sizeof(burst->sums));
	burst->at = 0;
}

void burst_restart(struct burst *burst)
{
	memset(burst->peaks, 0, sizeof(burst->peaks));
}

double burst_peak_bps(const struct burst *burst, size_t i)
{
	return (double)burst->peaks[i] * 8e9 / (double)burst_span_ns[i];
}

void burst_add_ring(uint64_t *sums, const struct watch_ring *ring, uint64_t first, size_t nr,
		    uint64_t newest)
{
	uint64_t window, slot;
	size_t i;

	for (i = 0; i < nr && first + i <= newest; i++) {
		window = first + i;
		slot = __atomic_load_n(&ring->slots[window % WATCH_WINDOWS], __ATOMIC_RELAXED);
		if (slot >> WATCH_BYTES_BITS == (window & (UINT64_MAX >> WATCH_BYTES_BITS)))
			sums[i] += slot & WATCH_BYTES_MAX;
	}
}
