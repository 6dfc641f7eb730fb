/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/impair/bump.h - the user-space part of bottleneck emulation: an AF_XDP forwarder with a
 * timing wheel.
 *
 * One direction: frames preceded by a struct impair_fate arrive through AF_XDP sockets on every
 * queue of one interface. They leave through the other interface after their delay, in their order,
 * as copies or in fragments, at the rate of a bottleneck with a queue. One thread per direction. It
 * works in the network namespace of the thread that calls bump_open().
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
	int xsks_fd;		/* XSKMAP of in_ifname's XDP program, by queue; filled by
				 * bump_open() */
	uint64_t seed;
	struct bump_delay delays[IMPAIR_MAX_RULES];	/* by rule number */
	double rate_l1_bps;	/* bottleneck; 0: none */
	uint64_t queue_bytes, queue_packets;	/* limits of the bottleneck's queue; 0: none */
	uint32_t nr_frames;	/* maximum held, both directions together */
	/*
	 * Note when each tagged frame was taken and sent, up to this many frames; 0: none. Each is
	 * then sent by a system call of its own, so that the time is the frame's.
	 */
	uint32_t hold_frames;
	/*
	 * The opposite direction's, open and not yet started; NULL: none. A queue has room for one
	 * socket, so the two share sockets and each uses half the frames. Close both, in any order.
	 */
	struct bump *other;
};

/*
 * Grows during the run; may be read at any time. Packets are frames as received, unless noted. All
 * are accounted for: in_packets + copies + fragments - fragmented equals out_packets + queue_drops
 * + frame_drops + send_drops + held.
 */
struct bump_count {
	uint64_t in_packets, in_bytes;
	uint64_t out_packets, out_bytes;	/* each copy and fragment counts */
	uint64_t duplicated, reordered, delayed, fragmented;
	uint64_t copies, fragments;		/* produced, including those for which no frame was
						 * left */
	uint64_t no_fragments;			/* to be fragmented, but not an IPv4 packet, or
						 * short enough */
	uint64_t no_fate;			/* arrived without a fate; forwarded unchanged */
	uint64_t queue_drops;			/* the bottleneck's queue was full */
	uint64_t frame_drops;			/* no free frame to hold it: the forwarder's own
						 * limit */
	uint64_t send_drops;			/* the other interface's driver did not accept it */
	uint64_t held;				/* now inside */
	uint64_t flushed;			/* held in vain for others, or at the end */
	uint64_t late_max_ns;			/* relative to the due time */
};

/* When a tagged frame was taken and sent: CLOCK_MONOTONIC, as in its tag. */
struct bump_hold {
	uint64_t arrived_ns;		/* read by the XDP program that received it */
	uint64_t begun_ns, done_ns;	/* before and after the system call that sent it */
	uint32_t sequence;
	uint16_t stream;
};

int bump_open(struct bump **ret_bump, const struct bump_cfg *cfg, struct err *e);
int bump_start(struct bump *bump, struct err *e);
void bump_read(const struct bump *bump, struct bump_count *ret_count);

/* Intended and achieved delays (departure - arrival), and how late packets left. */
void bump_read_hists(const struct bump *bump, struct hist_rec *ret_intended,
		     struct hist_rec *ret_achieved, struct hist_rec *ret_late);

/* With cfg.hold_frames, after bump_stop(): the frames in the order in which they were sent. */
const struct bump_hold *bump_holds(const struct bump *bump, size_t *ret_nr);

/* Sends what is still held and ends the thread. */
void bump_stop(struct bump *bump);
void bump_close(struct bump *bump);

#endif
