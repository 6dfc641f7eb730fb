/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/receive/receiver.h - what receives a test: an XDP program
 * (engine/receive/rx.h), a UDP socket (engine/receive/rx_socket.h), or ethgauge on another
 * host (engine/receive/far_sink.h).
 *
 * It receives from its opening on. All that is counted is counted since then.
 */
#ifndef ENGINE_RECEIVE_RECEIVER_H
#define ENGINE_RECEIVE_RECEIVER_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/dist.h"
#include "lib/err.h"
#include "result/result.h"

/* All streams and CPUs summed. */
struct rx_count {
	uint64_t packets, bytes;	/* test packets; bytes without FCS */
	uint64_t first_mono_ns, last_mono_ns;
	uint64_t stamped;		/* packets up to the last stamp; all of them with check */
	uint64_t foreign, untagged, other_stream;
	uint64_t not_recorded;
	uint64_t other_clock, no_arrival;	/* stamped, and not to be timed */
	uint64_t streams_seen;
	uint64_t distinct, duplicates, reordered, distance_max, unknown, restarts;
	uint64_t gaps;			/* numbers not seen between the first and the highest */
	uint64_t unseen_before;		/* numbers below the first seen */
	uint64_t loss_runs, loss_run_max;	/* of the gaps: rows of lost numbers, the longest */
	double rate_pps;		/* between the first and the last stamped packet */
};

/* What a run came to, for who judges by it. */
struct rx_figures {
	double lost_packets;		/* NAN: not known */
	struct dist delay;		/* NAN where nothing arrived, or nothing was timed */
	double gap_max_ns;		/* NAN: gaps were not measured, or there was none */
};

struct receiver;

struct receiver_ops {
	const char *name;
	bool is_xdp;			/* a driver counts its verdicts as drops */
	/* enum caps_need of check() and close(). */
	unsigned int (*keep_caps)(const struct receiver *receiver);
	/* Called all the time while it receives; an error ends the run. */
	int (*check)(struct receiver *receiver, struct err *e);
	/* Test packets so far; cheaper than read(). */
	uint64_t (*packets)(struct receiver *receiver);
	void (*read)(struct receiver *receiver, struct rx_count *ret_count);
	/*
	 * Numbers of a stream: one above the highest that came, and rx_order_last_lost().
	 * False: none came. NULL: it is not known.
	 */
	bool (*read_tail)(struct receiver *receiver, uint16_t stream, uint64_t *ret_next,
			  uint64_t *ret_last_lost);
	/*
	 * @sent packets were sent: waits for those that are still under way. NULL: read()
	 * shows what has come.
	 */
	int (*settle)(struct receiver *receiver, uint64_t sent, struct err *e);
	/* From here on the counters do not change, though packets still arrive. */
	void (*stop)(struct receiver *receiver);
	/*
	 * Totals and delays into @res and *@ret_figures, and a part for each of the first @max_parts streams.
	 * @sent: packets that were sent; 0 where that is not known.
	 */
	int (*report)(struct receiver *receiver, struct result *res, uint64_t sent,
		      uint32_t max_parts, struct rx_figures *ret_figures, struct err *e);
	/* A row of the series: what came since the row before. */
	void (*report_row)(struct receiver *receiver, struct result *res, uint64_t elapsed_ns);
	void (*close)(struct receiver *receiver);
};

/* The first member of whatever is one. */
struct receiver {
	const struct receiver_ops *ops;
};

/* Takes NULL. */
static inline void receiver_close(struct receiver *receiver)
{
	if (receiver)
		receiver->ops->close(receiver);
}

#endif
