/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/impair/bump.h - the part of a bump in the wire that takes time: an AF_XDP
 * forwarder with a timing wheel.
 *
 * One direction: frames with a struct impair_fate in front come in through
 * AF_XDP sockets on every queue of one interface, and leave through the other
 * after their delay, in their order, as copies or in fragments, at the rate of
 * a bottleneck with a queue. One thread a direction. It works in the network
 * namespace of the thread that calls bump_open().
 */
#ifndef ENGINE_IMPAIR_BUMP_H
#define ENGINE_IMPAIR_BUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/hist.h"
#include "abi/impair.h"
#include "lib/err.h"
#include "model/bump_delay.h"

struct bump;

struct bump_cfg {
	const char *in_ifname, *out_ifname;
	int xsks_fd;		/* XSKMAP of in_ifname's XDP program, by queue: bump_open fills it */
	uint64_t seed;
	struct bump_delay delays[IMPAIR_MAX_RULES];	/* by number of the rule */
	double rate_l1_bps;	/* bottleneck; 0: none */
	uint64_t queue_bytes, queue_packets;	/* of the bottleneck's queue; 0: no such bound */
	uint32_t nr_frames;	/* that can be held, of both directions together; 0: 65536 */
	/*
	 * The bump of the opposite direction, open and not yet started; NULL: none. A queue
	 * has room for one socket, so the two share their sockets and halve the frames.
	 * Close both; the order does not matter.
	 */
	struct bump *other;
};

/*
 * Grows while it runs; read at any time. Packets are frames as they came in, unless said.
 * All are accounted for: in_packets + copies + fragments - fragmented is
 * out_packets + queue_drops + frame_drops + send_drops + held.
 */
struct bump_count {
	uint64_t in_packets, in_bytes;
	uint64_t out_packets, out_bytes;	/* copies and fragments counted each */
	uint64_t duplicated, reordered, delayed, fragmented;
	uint64_t copies, fragments;		/* made of them; those no frame was left for too */
	uint64_t no_fragments;			/* to be cut, but no IPv4 packet, or short enough */
	uint64_t no_fate;			/* came without one; forwarded untouched */
	uint64_t queue_drops;			/* the bottleneck's queue was full */
	uint64_t frame_drops;			/* no frame was left to hold it: the bump's own limit */
	uint64_t send_drops;			/* the other interface's driver did not take it */
	uint64_t held;				/* now inside */
	uint64_t flushed;			/* held for others that never came, or at the end */
	uint64_t late_max_ns;			/* after the time it was due */
};

int bump_open(struct bump **ret_bump, const struct bump_cfg *cfg, struct err *e);
int bump_start(struct bump *bump, struct err *e);
void bump_read(const struct bump *bump, struct bump_count *ret_count);

/* Intended delays, those achieved (leaving - arrival), and how late packets left. */
void bump_read_hists(const struct bump *bump, struct hist_rec *ret_intended,
		     struct hist_rec *ret_achieved, struct hist_rec *ret_late);

/* Sends what is still held, and ends the thread. */
void bump_stop(struct bump *bump);
void bump_close(struct bump *bump);

#endif
