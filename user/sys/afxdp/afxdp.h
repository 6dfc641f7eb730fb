/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/afxdp/afxdp.h - the transmit ring of an AF_XDP socket and the frames it sends.
 *
 * One ring belongs to one queue and one thread. Opening one needs
 * CAP_NET_RAW; sending needs nothing. Frames are taken, written, put into the
 * ring and given back once they are sent, with what was written in them.
 */
#ifndef SYS_AFXDP_AFXDP_H
#define SYS_AFXDP_AFXDP_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"

#define AFXDP_NR_FRAMES		512	/* that can be on their way; so few stay in the cache */
#define AFXDP_CHUNK_BYTES	4096	/* a page: what the kernel takes as one piece */
#define AFXDP_MAX_BUF_BYTES	9212	/* of one frame, without FCS; above a chunk in pieces */
#define AFXDP_MAX_STAMPED_BYTES	4032	/* a chunk less the driver's word on it */
#define AFXDP_BATCH		32	/* frames that one kick sends in copy mode */

struct afxdp;

struct afxdp_cfg {
	const char *ifname;		/* in this thread's network namespace */
	uint32_t queue;
	uint32_t buf_bytes;		/* of the longest frame; above a chunk it takes kernel 6.6 */
	bool zero_copy;			/* the driver sends from the frames themselves, or it is an error */
	bool busy_poll;			/* each kick runs the queue's driver in this thread */
	/*
	 * Not NULL: the driver is asked when it sent each frame, and afxdp_reap() returns
	 * it by the NIC's clock; 0: it did not say. It takes kernel 6.8, a driver that has
	 * it, and frames up to AFXDP_MAX_STAMPED_BYTES.
	 */
	void (*on_sent)(void *ctx, const uint8_t *frame, uint64_t phc_ns);
	void *ctx;
};

/* -EBUSY: another socket holds the queue. */
int afxdp_open(struct afxdp **ret_ring, const struct afxdp_cfg *cfg, struct err *e);
void afxdp_close(struct afxdp *ring);

/* "huge page", "huge page asked for" (transparent ones), or "pages". */
const char *afxdp_memory_name(const struct afxdp *ring);

/* Writes @buf_bytes of @data into every frame; from then on frames have that length. */
void afxdp_fill(struct afxdp *ring, const void *data, uint32_t buf_bytes);

/* Up to @want (at most AFXDP_NR_FRAMES) free frames; how many. They must be put next. */
uint32_t afxdp_take(struct afxdp *ring, uint32_t want, uint8_t **ret_frames);

/* Puts the @nr frames just taken into the ring. */
void afxdp_put(struct afxdp *ring, uint32_t nr);

/* The same, for frames that have a length each (without FCS). */
void afxdp_put_each(struct afxdp *ring, uint32_t nr, const uint32_t *buf_bytes);

/*
 * Makes the kernel send what is in the ring, where it must be told. 0: told;
 * -EAGAIN: some are left, kick again; -EBUSY: one was given back unsent, and
 * some may be left. Other errors: nothing will be sent any more.
 */
int afxdp_kick(struct afxdp *ring);

/* Takes back what is sent; how many whole frames. */
uint32_t afxdp_reap(struct afxdp *ring);

/* How full the ring was, seen at each kick; by its thread, or when that has ended. */
struct afxdp_use {
	uint64_t kicks, fill_sum_frames;	/* put and not yet reaped */
	uint32_t fill_min_frames, fill_max_frames;
	uint64_t takes, full;			/* frames wanted, and not one was free */
	/* Copy mode: the socket's send buffer, seen at one kick in 256. */
	uint32_t socket_max_bytes, socket_limit_bytes;
};

void afxdp_read_use(const struct afxdp *ring, struct afxdp_use *ret_use);

/* Frames put and not yet reaped. */
uint32_t afxdp_in_flight(const struct afxdp *ring);

#endif
