/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/send/tx_queue.h - a sending thread of the afxdp engine: tx_afxdp.c owns the ring and
 * the loop, tx_fill.c puts packets into the ring, tx_sent.c is told when they were sent.
 */
#ifndef ENGINE_SEND_TX_QUEUE_H
#define ENGINE_SEND_TX_QUEUE_H

#include "engine/send/tx_ring.h"
#include "model/source.h"

/* Written by its thread alone; read by anybody. */
struct tx_queue {
	struct tx_ring ring;
	struct source *source;		/* NULL: a plain stream, which is in the frames already */
	uint64_t start_ns, end_ns;
	uint64_t made;			/* of a plain stream also the next sequence number */
	bool has_slot;			/* the packet made last */
	uint64_t first_mono_ns, last_mono_ns;
	uint32_t to_stamp;		/* plain: packets until one gets the time */
	uint32_t sum_bases[FIELD_MAX_SUMS];	/* plain */
	struct tx_sent *sent;		/* with cfg.done; else NULL */
	struct hist_rec late;		/* departure minus slot, of packets that have one */
} __attribute__((aligned(64)));

#define PUBLISH(field, value) __atomic_store_n(&(field), value, __ATOMIC_RELAXED)
#define LOOK(field) __atomic_load_n(&(field), __ATOMIC_RELAXED)

/* After the last packet. */
#define FILL_END UINT64_MAX

/* Makes the frames of an open ring ready for tx_fill(). */
void tx_fill_open(struct tx_queue *queue, const struct tx_thread *thread);

/*
 * Puts up to @room packets that are due at @now_ns into the ring; how many, or a negative
 * errno. *ret_wait_ns: where there are none, when the next one is due, or FILL_END.
 */
int tx_fill(struct tx_queue *queue, const struct tx_thread *thread, uint32_t room, uint64_t now_ns,
	    uint64_t *ret_wait_ns, struct err *e);

/*
 * With cfg.done: from the time in the tag to that of being sent. Before the queue's ring is
 * opened; what @first opens, a clock and a setting of the NIC, serves all queues.
 */
int tx_sent_open(struct tx_queue *queue, const struct tx_queue *first,
		 const struct tx_thread *thread, struct err *e);
void tx_sent_follow(const struct tx_queue *queue);
void tx_sent_report(const struct tx_queue *queues, uint32_t nr, struct result *res);
void tx_sent_close(struct tx_queue *queue);

#endif
