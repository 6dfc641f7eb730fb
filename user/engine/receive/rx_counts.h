/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/receive/rx_counts.h - the counts of a receiver (struct rx_count): how they add up, and their
 * figures, for XDP programs and sockets alike.
 */
#ifndef ENGINE_RECEIVE_RX_COUNTS_H
#define ENGINE_RECEIVE_RX_COUNTS_H

#include "engine/receive/receiver.h"
#include "lib/hist.h"
#include "sys/host/clock.h"

/* Adds what another CPU counts at this moment. */
void rx_add_odd(struct rx_count *sum, const struct sink_odd *odd);

/*
 * Adds to @sum what one stream lost: @of is the stream's own count, @end as of rx_order_add(). It is
 * done stream by stream, so that rows of streams sum to the total: the unknown packets of one stream
 * are not the missing ones of another.
 */
void rx_add_lost(const struct rx_count *of, uint64_t end, struct rx_count *sum);

/*
 * The last packets that arrived far ahead, which no other confirmed, in a count that was read without
 * the sender's numbers: they are implausible, as a damaged number would be taken for a loss of millions.
 * Where the numbers are known, those below them were accepted by rx_order_add().
 */
void rx_settle(struct rx_count *count);

/*
 * Packets lost of @sent, for a @count that was read with this sender's numbers; 0 if unknown: then the
 * missing numbers, which do not include losses before the first or after the last arrival. A packet
 * too late to be distinguished from a duplicate did arrive: it counts as one of the missing ones.
 * Whatever shows or judges loss asks this.
 */
uint64_t rx_lost(const struct rx_count *count, uint64_t sent);

/* Packets, bytes and rates. */
void rx_report_volume(const struct rx_count *count, struct result *res);

/*
 * Packets that are odd in some way: of each kind that occurred its figure, with a note or with a verdict
 * against the run.
 */
void rx_report_odd(const struct rx_count *count, struct result *res);

/*
 * Notes on packets without a timestamp, or of another clock than @clock, the receiver's.
 * @has_choice: that it can be given here. @count and @delays: of the same streams.
 */
void rx_report_untimed(const struct rx_count *count, const struct hist_rec *delays, enum stamp_clock clock,
		       bool has_choice, struct result *res);

#endif
