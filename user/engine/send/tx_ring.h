/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/send/tx_ring.h - a sending thread's AF_XDP ring, and what came back from it.
 * Only tx*.c include this.
 */
#ifndef ENGINE_SEND_TX_RING_H
#define ENGINE_SEND_TX_RING_H

#include "engine/send/tx_engine.h"
#include "sys/afxdp/afxdp.h"

/* Written by its thread alone; read by anybody. */
struct tx_ring {
	struct afxdp *afxdp;
	uint32_t buf_bytes;		/* of the longest frame; set before tx_ring_open() */
	void (*on_sent)(void *ctx, const uint8_t *frame, uint64_t phc_ns);	/* as in afxdp.h; likewise */
	void *sent_ctx;
	bool zero_copy;
	uint32_t batch;			/* frames a kick */
	uint64_t reaped;		/* sent, or given back unsent */
	uint64_t refused;
};

enum tx_ring_mode {
	TX_RING_ANY,			/* zero-copy where the driver has it, else copy */
	TX_RING_ZERO_COPY,
	TX_RING_COPY,
};

/*
 * The ring of @thread's queue, which a socket that was just closed may hold
 * for some milliseconds more. @copy_batch: frames a kick in copy mode, unless
 * the thread names a batch.
 */
int tx_ring_open(struct tx_ring *ring, const struct tx_thread *thread, enum tx_ring_mode mode,
		 uint32_t copy_batch, struct err *e);

/* Says in @res how it sends, and waits for the carrier that some drivers lose by zero-copy. */
void tx_ring_describe(const struct tx_ring *ring, const struct tx *tx, struct result *res);

void tx_ring_close(struct tx_ring *ring);

/* Has the kernel take all that is in the ring and collects what it is done with. */
int tx_ring_flush(struct tx_ring *ring, const struct tx_thread *thread, struct err *e);

/* Waits for what is on its way, at most a second; what does not come back was refused. */
int tx_ring_finish(struct tx_ring *ring, const struct tx_thread *thread, struct err *e);

/* sent_packets and refused_packets of @ret_count. */
void tx_ring_read(const struct tx_ring *ring, struct tx_count *ret_count);

#endif
