/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/afxdp/afxdp_wire.h - AF_XDP sockets on two interfaces with common frame memory, so that
 * frames received on one are sent on the other without being copied here; or on one interface, to
 * send requests and receive their answers.
 *
 * A lane is one direction: it receives from all queues of one interface and sends through the first
 * queue of the other. A lane belongs to one thread; the two lanes of a wire use different rings of
 * the same sockets, and separate frames. Frames are identified by number; their bytes stay in place
 * until they are sent or freed.
 */
#ifndef SYS_AFXDP_AFXDP_WIRE_H
#define SYS_AFXDP_AFXDP_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"

struct afxdp_wire;
struct afxdp_lane;

struct afxdp_wire_cfg {
	const char *in_ifname, *out_ifname;	/* of the first lane; the same: only one lane */
	uint32_t nr_frames;			/* frames to hold, in addition to those in the
						 * rings */
	uint32_t nr_receive;			/* entries per queue, a power of two; 0: many */
	bool copy_only;				/* no zero-copy: leave the driver its receive
						 * queues */
	bool busy_poll;				/* each kick and poll runs the queue's driver */
	bool in_pieces;				/* take packets longer than a chunk in pieces: kernel 6.6;
						 * otherwise such an MTU is refused */
};

struct afxdp_frame {
	uint32_t number;
	uint32_t buf_bytes;
	uint8_t *data;		/* preceded, in a received frame, by XDP metadata */
	bool more;		/* the packet goes on in the next one, which has no metadata */
};

/* Of a packet: 64 KiB, as the kernel takes it. */
#define AFXDP_MOST_PIECES 18

/* Pieces of the longest packet of an interface with @mtu, at most. */
uint32_t afxdp_pieces(uint32_t mtu);

/* -EBUSY: another socket uses a queue. */
int afxdp_wire_open(struct afxdp_wire **ret_wire, const struct afxdp_wire_cfg *cfg,
		    struct err *e);

/*
 * Adds a reference: the wire is closed with its lanes when all users have closed it. Returns @wire.
 */
struct afxdp_wire *afxdp_wire_share(struct afxdp_wire *wire);
void afxdp_wire_close(struct afxdp_wire *wire);		/* takes NULL */

bool afxdp_wire_zero_copy(const struct afxdp_wire *wire);

/* Upper bound of frame numbers in both lanes. */
uint32_t afxdp_wire_nr_frames(const struct afxdp_wire *wire);

/* Longest piece of a packet. */
uint32_t afxdp_wire_max_buf_bytes(const struct afxdp_wire *wire);

/* Whether packets can have more than one. */
bool afxdp_wire_in_pieces(const struct afxdp_wire *wire);

/*
 * Opens the first lane (@reverse: the second, which takes half of the first one's frames, before
 * that has started). Puts its sockets into the XSKMAP @xsks_fd, by queue.
 */
int afxdp_lane_open(struct afxdp_wire *wire, bool reverse, int xsks_fd,
		    struct afxdp_lane **ret_lane, struct err *e);

/*
 * Removes them from the map, so that nothing more is received; on some kernels this has no effect
 * once the process has dropped its capabilities.
 */
void afxdp_lane_detach(struct afxdp_lane *lane);

/*
 * Received frames, at most @want; with in_pieces all of a packet, and @want is at least AFXDP_MOST_PIECES.
 * Also refills the queues with free frames.
 */
uint32_t afxdp_lane_receive(struct afxdp_lane *lane, struct afxdp_frame *ret_frames,
			    uint32_t want);

/* Half of a queue's entries hold frames that have not been read yet. */
bool afxdp_lane_is_filling(const struct afxdp_lane *lane);

/* A free frame of afxdp_wire_max_buf_bytes(); false: none is left. */
bool afxdp_lane_take(struct afxdp_lane *lane, struct afxdp_frame *ret_frame);
void afxdp_lane_free(struct afxdp_lane *lane, uint32_t number);
uint32_t afxdp_lane_nr_free(const struct afxdp_lane *lane);

/* Queues the frame for sending; it is freed once sent. False: the ring is full. */
bool afxdp_lane_send(struct afxdp_lane *lane, const struct afxdp_frame *frame);

/* The same for a packet of @nr frames. */
bool afxdp_lane_send_pieces(struct afxdp_lane *lane, const struct afxdp_frame *frames, uint32_t nr);

/* As afxdp_kick(): 0, -EAGAIN, -EBUSY (one frame was lost), or another error. */
int afxdp_lane_kick(struct afxdp_lane *lane);

/* Takes back sent frames. */
void afxdp_lane_reap(struct afxdp_lane *lane);

/* Frames in the ring that the kernel has not taken yet. */
uint32_t afxdp_lane_unsent(const struct afxdp_lane *lane);

/* Sleeps until something is received, a signal arrives, or for @timeout_ns. */
void afxdp_lane_wait(struct afxdp_lane *lane, uint64_t timeout_ns);

/* Runs the drivers of the lane's receive queues; with busy_poll. */
void afxdp_lane_poll(struct afxdp_lane *lane);

/* Frames for the lane's sockets dropped for lack of room. */
uint64_t afxdp_lane_drops(const struct afxdp_lane *lane);

#endif
