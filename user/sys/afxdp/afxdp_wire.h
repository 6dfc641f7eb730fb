/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/afxdp/afxdp_wire.h - AF_XDP sockets on two interfaces that share their frames,
 * so that what came in through one leaves through the other without a copy of
 * ours; or on one interface, to send requests and receive their answers.
 *
 * A lane is one direction: it receives from all queues of one interface and
 * sends through the first queue of the other. A lane belongs to one thread;
 * the two lanes of a wire use different rings of the same sockets, and frames
 * of their own. Frames are known by number; their bytes stay where they are
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
	const char *in_ifname, *out_ifname;	/* of the first lane; one interface: it is alone */
	uint32_t nr_frames;			/* to be held, in addition to those in the rings */
	uint32_t nr_receive;			/* places of a queue, a power of two; 0: many */
	bool copy_only;				/* leave the driver its receive queues */
	bool busy_poll;				/* each kick and poll runs the queue's driver */
};

struct afxdp_frame {
	uint32_t number;
	uint32_t buf_bytes;
	uint8_t *data;		/* in front of that of a received one: XDP metadata */
};

/* -EBUSY: another socket holds a queue. */
int afxdp_wire_open(struct afxdp_wire **ret_wire, const struct afxdp_wire_cfg *cfg,
		    struct err *e);

/* One more who has it: it is closed with its lanes when all have closed it. Returns @wire. */
struct afxdp_wire *afxdp_wire_share(struct afxdp_wire *wire);
void afxdp_wire_close(struct afxdp_wire *wire);		/* takes NULL */

bool afxdp_wire_zero_copy(const struct afxdp_wire *wire);

/* Frame numbers of either lane are below it. */
uint32_t afxdp_wire_nr_frames(const struct afxdp_wire *wire);

/* Longest frame, without FCS: those that are longer do not get in. */
uint32_t afxdp_wire_max_buf_bytes(const struct afxdp_wire *wire);

/*
 * The first lane (@reverse: the second, which takes half of the frames of the
 * first, as long as that has not begun). Its sockets are put into the XSKMAP
 * @xsks_fd, by queue.
 */
int afxdp_lane_open(struct afxdp_wire *wire, bool reverse, int xsks_fd,
		    struct afxdp_lane **ret_lane, struct err *e);

/*
 * Takes them out again, so that nothing more comes in; for a process that has
 * given up its capabilities, on some kernels, it comes all the same.
 */
void afxdp_lane_detach(struct afxdp_lane *lane);

/* Received frames, at most @want. Also gives free frames to the queues to receive into. */
uint32_t afxdp_lane_receive(struct afxdp_lane *lane, struct afxdp_frame *ret_frames,
			    uint32_t want);

/* Half of the places of a queue are taken by what has not been received yet. */
bool afxdp_lane_is_filling(const struct afxdp_lane *lane);

/* A free frame with room for afxdp_wire_max_buf_bytes(); false: none is left. */
bool afxdp_lane_take(struct afxdp_lane *lane, struct afxdp_frame *ret_frame);
void afxdp_lane_free(struct afxdp_lane *lane, uint32_t number);
uint32_t afxdp_lane_nr_free(const struct afxdp_lane *lane);

/* Puts the frame into the ring to be sent; it becomes free by itself. False: the ring is full. */
bool afxdp_lane_send(struct afxdp_lane *lane, const struct afxdp_frame *frame);

/* As afxdp_kick(): 0, -EAGAIN, -EBUSY (one frame was lost), or another error. */
int afxdp_lane_kick(struct afxdp_lane *lane);

/* Takes back what is sent. */
void afxdp_lane_reap(struct afxdp_lane *lane);

/* Frames put into the ring that the kernel has not taken out yet. */
uint32_t afxdp_lane_unsent(const struct afxdp_lane *lane);

/* Sleeps until something comes in, a signal, or for @timeout_ns. */
void afxdp_lane_wait(struct afxdp_lane *lane, uint64_t timeout_ns);

/* Runs the drivers of the queues that the lane receives from; with busy_poll. */
void afxdp_lane_poll(struct afxdp_lane *lane);

/* Frames that came for the lane's sockets and found no room. */
uint64_t afxdp_lane_drops(const struct afxdp_lane *lane);

#endif
