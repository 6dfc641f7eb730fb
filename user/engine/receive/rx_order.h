/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/receive/rx_order.h - order, loss and delay variation of streams, from sink_xdp's state to
 * figures of a result.
 */
#ifndef ENGINE_RECEIVE_RX_ORDER_H
#define ENGINE_RECEIVE_RX_ORDER_H

#include "engine/receive/rx.h"

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
 * The last packets that arrived far ahead, which no other confirmed, in a count that was read without
 * the sender's numbers: they are implausible, as a damaged number would be taken for a loss of millions.
 * Where the numbers are known, those below them were accepted by rx_order_add().
 */
void rx_settle(struct rx_count *count);

/*
 * Adds to @sum what one stream lost: @of is the stream's own count, @end as of rx_order_add(). It is
 * done stream by stream, so that rows of streams sum to the total: the unknown packets of one stream
 * are not the missing ones of another.
 */
void rx_add_lost(const struct rx_count *of, uint64_t end, struct rx_count *sum);

/*
 * Packets lost of @sent, for a @count that was read with this sender's numbers; 0 if unknown: then the
 * missing numbers, which do not include losses before the first or after the last arrival. A packet
 * too late to be distinguished from a duplicate did arrive: it counts as one of the missing ones.
 * Whatever shows or judges loss asks this.
 */
uint64_t rx_lost(const struct rx_count *count, uint64_t sent);

/* Packets lost, and their runs, as figures. */
void rx_order_report_loss(const struct rx_count *count, uint64_t sent, struct result *res);

/* Packets that are neither in order nor lost: counts and notes, of each kind that occurred. */
void rx_order_report_odd(const struct rx_count *count, struct result *res);

/* Packets, bytes and rates. */
void rx_report_volume(const struct rx_count *count, struct result *res);

/* Streams that were seen, and packets that are of none of them. */
void rx_report_tags(const struct rx_count *count, struct result *res);

/*
 * Packets that arrived damaged: their count, and a verdict against the run. Packets that could not
 * be verified: their count and a note.
 */
void rx_report_damage(const struct rx_count *count, struct result *res);

/*
 * @count is that of @stream, which may be RX_ALL_STREAMS. @order: NULL for a socket, which knows no extents. @sent: packets that were sent; 0 if
 * unknown, loss is then derived from missing numbers.
 */
void rx_order_report(const struct rx_order *order, uint32_t stream, const struct rx_count *count,
		     uint64_t sent, struct result *res);

/* @prefix: of the keys, "" or "rtt_"; @pdv: of the same stream or streams; NULL: not measured. */
void rx_order_report_variation(const struct rx_order *order, uint32_t stream, const char *prefix,
			       const struct hist_rec *pdv, struct result *res);

#endif
