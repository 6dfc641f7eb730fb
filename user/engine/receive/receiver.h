/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/receive/receiver.h - what receives a test: an XDP program (engine/receive/rx.h), a UDP
 * socket (engine/receive/rx_socket.h), or ethgauge on another host (engine/receive/far_sink.h).
 *
 * It receives, and counts, from the moment it is opened.
 */
#ifndef ENGINE_RECEIVE_RECEIVER_H
#define ENGINE_RECEIVE_RECEIVER_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/sink.h"
#include "lib/dist.h"
#include "lib/err.h"
#include "result/result.h"

/* Summed over all streams and CPUs. */
struct rx_count {
	uint64_t packets, bytes;	/* test packets; bytes without FCS */
	uint64_t first_mono_ns, last_mono_ns;
	uint64_t stamped;		/* up to the last timestamp; with check: all */
	struct sink_odd odd;		/* damaged, bad_payload: in packets and bytes, and nothing else;
					 * other_run: with those that the streams' order shows */
	uint64_t implausible;		/* numbers that no other packet confirmed */
	uint64_t unconfirmed;		/* the last ones, that no packet followed */
	bool has_forged;		/* numbers that were not sent confirmed one another */
	uint64_t streams_seen;
	uint64_t distinct, duplicates, reordered, distance_max, unknown, restarts;
	uint64_t gaps;			/* numbers missing between the first and the highest */
	uint64_t lost;			/* of each stream what is missing, less its unknown packets:
					 * of `numbers`, or of the gaps where these are unknown */
	uint64_t numbers;		/* that the senders of these streams gave; 0: unknown */
	uint64_t unseen_before;		/* numbers below the first that arrived */
	uint64_t lost_at_ends;		/* below the first and above the highest, of streams whose
					 * sender's count is known */
	uint64_t loss_runs, loss_run_max;	/* among the gaps and at the ends: runs of lost
						 * numbers, and the longest */
	double rate_pps;		/* between the first and the last timestamped packet */
};

/* What a sender in this process has sent. */
struct rx_sent {
	uint64_t packets;		/* that the driver took */
	/* How many numbers it gave to packets of @stream, from 0 on; also to those refused. */
	uint64_t (*numbers)(const void *ctx, uint16_t stream);
	const void *ctx;
};

/* A run's figures for code that judges it. */
struct rx_figures {
	double lost_packets;		/* NAN: unknown */
	struct dist delay, pdv;		/* NAN if nothing arrived or nothing could be timed */
	double gap_max_ns;		/* NAN: inter-arrival times were not measured, or there were
					 * none */
	uint64_t socket_full_packets;	/* dropped, as the receiving socket's buffer was full */
};

struct receiver;

struct receiver_ops {
	const char *name;
	bool is_xdp;			/* its driver counts XDP verdicts as drops */
	/* Capabilities (enum caps_need) required by check() and close(). */
	unsigned int (*keep_caps)(const struct receiver *receiver);
	/* Called repeatedly while receiving; an error ends the run. */
	int (*check)(struct receiver *receiver, struct err *e);
	/* Test packets so far; cheaper than read(). */
	uint64_t (*packets)(struct receiver *receiver);
	void (*read)(struct receiver *receiver, struct rx_count *ret_count);
	/* The same when sending is over, for rx_lost(): @sent as of report(). */
	void (*read_all)(struct receiver *receiver, const struct rx_sent *sent,
			 struct rx_count *ret_count);
	/*
	 * For a stream: the highest number that arrived plus one, and rx_order_last_lost(). False:
	 * nothing arrived. NULL: not supported.
	 */
	bool (*read_tail)(struct receiver *receiver, uint16_t stream, uint64_t *ret_next,
			  uint64_t *ret_last_lost);
	/*
	 * @sent packets were sent: waits for those in flight, as of model/settle.h. NULL: read() shows
	 * what has arrived.
	 */
	int (*settle)(struct receiver *receiver, uint64_t sent, uint64_t wait_ns, struct err *e);
	/* After this the counters no longer change, even if packets still arrive. */
	void (*stop)(struct receiver *receiver);
	/*
	 * Writes totals and delays to @res and *@ret_figures, and a part for each of the first
	 * @max_parts streams. @sent: NULL if unknown.
	 */
	int (*report)(struct receiver *receiver, struct result *res, const struct rx_sent *sent,
		      uint32_t max_parts, struct rx_figures *ret_figures, struct err *e);
	/*
	 * Into the open row of the time series: what arrived since the previous one. @sent: for the last row;
	 * NULL before, or if unknown.
	 */
	void (*put_row)(struct receiver *receiver, struct result *res, const struct rx_sent *sent,
			uint64_t elapsed_ns);
	void (*close)(struct receiver *receiver);
};

/* First member of every kind of receiver. */
struct receiver {
	const struct receiver_ops *ops;
};

/* Takes NULL: 0, unknown. */
static inline uint64_t rx_sent_packets(const struct rx_sent *sent)
{
	return sent ? sent->packets : 0;
}

/* Takes NULL: 0, unknown. */
static inline uint64_t rx_sent_numbers(const struct rx_sent *sent, uint16_t stream)
{
	return sent ? sent->numbers(sent->ctx, stream) : 0;
}

/* Takes NULL. */
static inline void receiver_close(struct receiver *receiver)
{
	if (receiver)
		receiver->ops->close(receiver);
}

#endif
