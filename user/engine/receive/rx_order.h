/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/receive/rx_order.h - order, loss and delay variation of streams, from sink_xdp's state to
 * figures of a result.
 */
#ifndef ENGINE_RECEIVE_RX_ORDER_H
#define ENGINE_RECEIVE_RX_ORDER_H

#include "engine/receive/rx.h"
#include "engine/receive/rx_counts.h"

#define RX_ALL_STREAMS UINT32_MAX

/* Mapped memory of the maps. */
struct rx_order {
	uint32_t streams, window;
	struct order_rec *orders;
	struct vary_rec *varies;	/* NULL: not measured */
	__u64 *rings;
	size_t orders_bytes, varies_bytes, rings_bytes;
};

/*
 * The window in packets, a power of two: @wanted or more; 0: by the link's speed (0: unknown) and the
 * memory that it takes for all streams.
 */
uint32_t rx_order_window(uint32_t wanted, uint64_t speed_bps, uint32_t streams);

/* The rings of one stream (abi/seq.h). */
__u64 *rx_order_ring(const struct rx_order *order, uint32_t stream);

/*
 * Adds a stream's figures to @sum. @seq is a copy, which this changes: numbers missing in its
 * window count as lost, and of @end numbers that were sent (0: unknown) those missing at the ends. What
 * arrived with a number from @end on is implausible.
 */
void rx_order_add(const struct rx_order *order, uint32_t stream, struct seq_state *seq, uint64_t end,
		  struct rx_count *sum);

/*
 * The highest number that never arrived, among those below the highest that did; UINT64_MAX: none.
 * Arrivals too late for the window count as missing here.
 */
uint64_t rx_order_last_lost(const struct rx_order *order, uint32_t stream, const struct seq_state *seq);

/*
 * Order and loss, without what is odd. @count is that of @stream, which may be RX_ALL_STREAMS. @order:
 * NULL for a socket, which knows no extents. @sent: packets that were sent; 0 if unknown, loss is then
 * derived from missing numbers.
 */
void rx_order_report(const struct rx_order *order, uint32_t stream, const struct rx_count *count,
		     uint64_t sent, struct result *res);

/* @prefix: of the keys, "" or "rtt_"; @pdv: of the same stream or streams; NULL: not measured. */
void rx_order_report_variation(const struct rx_order *order, uint32_t stream, const char *prefix,
			       const struct hist_rec *pdv, struct result *res);

#endif
