/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/afxdp/afxdp.h - the transmit ring of an AF_XDP socket and the frames it sends.
 *
 * One ring belongs to one queue and one thread. Opening one requires CAP_NET_RAW; sending requires
 * nothing. Frames are taken, written, put into the ring, and returned once they are sent, with
 * their contents.
 */
#ifndef SYS_AFXDP_AFXDP_H
#define SYS_AFXDP_AFXDP_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"

#define AFXDP_NR_FRAMES		512	/* maximum in flight; few enough to stay in the cache */
#define AFXDP_CHUNK_BYTES	4096	/* a page: the largest piece that the kernel accepts */
#define AFXDP_MAX_BUF_BYTES	9212	/* of one frame, without FCS; above a chunk in several
					 * pieces */
#define AFXDP_MAX_STAMPED_BYTES	4032	/* a chunk less the driver's metadata */
#define AFXDP_BATCH		32	/* frames that one kick sends in copy mode */

struct afxdp;

struct afxdp_cfg {
	const char *ifname;		/* in this thread's network namespace */
	uint32_t queue;
	uint32_t buf_bytes;		/* of the longest frame; above a chunk it requires kernel
					 * 6.6 */
	bool zero_copy;			/* require zero-copy */
	bool busy_poll;			/* each kick runs the queue's driver in this thread */
	/*
	 * Not NULL: the driver is asked when it sent each frame, and afxdp_reap() reports the time
	 * by the NIC's clock; 0: not reported. Requires kernel 6.8, driver support, and frames up
	 * to AFXDP_MAX_STAMPED_BYTES.
	 */
	void (*on_sent)(void *ctx, const uint8_t *frame, uint64_t phc_ns);
	void *ctx;
};

/* -EBUSY: another socket uses the queue. */
int afxdp_open(struct afxdp **ret_ring, const struct afxdp_cfg *cfg, struct err *e);
void afxdp_close(struct afxdp *ring);

/* "huge page", "huge page asked for" (transparent huge pages), or "pages". */
const char *afxdp_memory_name(const struct afxdp *ring);

/* Writes @data to every frame; from then on all frames are @buf_bytes long. */
void afxdp_fill(struct afxdp *ring, const void *data, uint32_t buf_bytes);

/*
 * Up to @want (at most AFXDP_NR_FRAMES) free frames; returns their number. They must be put next.
 */
uint32_t afxdp_take(struct afxdp *ring, uint32_t want, uint8_t **ret_frames);

/* Puts the @nr frames just taken into the ring. */
void afxdp_put(struct afxdp *ring, uint32_t nr);

/* The same, with a length for each frame (without FCS). */
void afxdp_put_each(struct afxdp *ring, uint32_t nr, const uint32_t *buf_bytes);

/*
 * Makes the kernel send what is in the ring, if it must be notified. 0: done; -EAGAIN: some frames
 * are left, kick again; -EBUSY: one frame was dropped, and some may be left. After other errors
 * nothing can be sent any more.
 */
int afxdp_kick(struct afxdp *ring);

/* Takes back sent frames; returns the number of complete ones. */
uint32_t afxdp_reap(struct afxdp *ring);

/* Fill level of the ring, sampled at each kick; read it from its thread, or once that has ended. */
struct afxdp_use {
	uint64_t kicks, fill_sum_frames;	/* put and not yet reaped */
	uint32_t fill_min_frames, fill_max_frames;
	uint64_t takes, full;			/* attempts to take frames; those that found none
						 * free */
	/* Copy mode: the socket's send buffer, sampled at one kick in 256. */
	uint32_t socket_max_bytes, socket_limit_bytes;
};

void afxdp_read_use(const struct afxdp *ring, struct afxdp_use *ret_use);

/* Frames put and not yet reaped. */
uint32_t afxdp_in_flight(const struct afxdp *ring);

#endif
