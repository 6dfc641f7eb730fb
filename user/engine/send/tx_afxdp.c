// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/send/tx_afxdp.c - send through AF_XDP rings, one a thread and queue.
 *
 * Works on kernels and drivers that have no live frames, and with any driver
 * in copy mode.
 */
#include "engine/send/tx_queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/self/environ.h"
#include "lib/hist.h"
#include "lib/loop.h"
#include "lib/unit.h"

#define BATCH_COPY	16		/* no faster above 8; small, so that stamps stay fresh */
#define SLEEP_GAP_NS	200000		/* gaps from here on are slept away */
#define WAKE_EARLY_NS	60000

static struct tx_queue *queue_of(const struct tx_thread *thread)
{
	struct tx_queue *queues = thread->tx->state;

	return &queues[thread->index];
}

static int check_frame(const struct tx *tx, struct err *e)
{
	uint32_t frame_bytes = mix_max_bytes(tx->cfg.mix);

	if (frame_bytes <= AFXDP_MAX_BUF_BYTES + UNIT_FCS_BYTES)
		return 0;
	err_machine(e, -EMSGSIZE, "frames of %u bytes are too large for the afxdp engine",
		    frame_bytes);
	return err_hint(e, "it sends frames up to %u bytes, and the live engine up to some 3500",
			AFXDP_MAX_BUF_BYTES + UNIT_FCS_BYTES);
}

/* The first queue tells whether the driver has zero-copy; the others must follow. */
static enum tx_ring_mode ring_mode(const struct tx *tx, const struct tx_queue *queue)
{
	const struct tx_queue *first = tx->state;

	if (queue == first)
		return tx->cfg.done == TX_DONE_SW ? TX_RING_COPY : TX_RING_ANY;
	return first->ring.zero_copy ? TX_RING_ZERO_COPY : TX_RING_COPY;
}

static int open_queue(struct tx *tx, struct tx_queue *queue, const struct tx_thread *thread,
		      struct err *e)
{
	int err = 0;

	if (tx->kind != MIX_PLAIN)
		err = mix_source_open(&queue->source, tx->cfg.mix, thread->index, tx->cfg.threads, e);
	queue->ring.buf_bytes = mix_max_bytes(tx->cfg.mix) - UNIT_FCS_BYTES;
	if (!err && tx->cfg.done)
		err = tx_sent_open(queue, tx->state, thread, e);
	if (!err)
		err = tx_ring_open(&queue->ring, thread, ring_mode(tx, queue),
				   tx->kind == MIX_CAPTURE ? AFXDP_BATCH : BATCH_COPY, e);
	if (!err)
		tx_fill_open(queue, thread);
	return err;
}

static int afxdp_engine_open(struct tx *tx, struct result *res, struct err *e)
{
	size_t bytes = tx->cfg.threads * sizeof(struct tx_queue);
	struct tx_queue *queues;
	uint32_t i;
	int err;

	err = check_frame(tx, e);
	if (err)
		return err;
	queues = aligned_alloc(64, bytes);
	if (!queues)
		return err_set(e, -ENOMEM, "cannot open the afxdp engine");
	memset(queues, 0, bytes);
	tx->state = queues;
	for (i = 0; i < tx->cfg.threads && !err; i++)
		err = open_queue(tx, &queues[i], &tx->threads[i], e);
	if (err)
		return err;
	tx_ring_describe(&queues[0].ring, tx, res);
	environ_tx_stamp(res, mix_is_tagged(tx->cfg.mix) ? STAMPED_USER : STAMPED_NOWHERE);
	environ_done_stamp(res, tx->cfg.done == TX_DONE_HW ? STAMPED_HW :
			   tx->cfg.done == TX_DONE_SW ? STAMPED_DONE : STAMPED_NOWHERE);
	return 0;
}

/* A timer is late, so the last part is spun away. May return early. */
static void wait_until(const struct tx_thread *thread, uint64_t until_ns)
{
	if (until_ns > loop_mono_ns() + SLEEP_GAP_NS) {
		loop_sleep_until(until_ns - WAKE_EARLY_NS);
		return;
	}
	while (loop_mono_ns() < until_ns && !atomic_load(&thread->tx->stop))
		;
}

static bool is_over(const struct tx_queue *queue, uint64_t now_ns)
{
	return now_ns >= queue->end_ns && now_ns - queue->end_ns > TX_LATE_NS;
}

static int send_all(struct tx_thread *thread, struct tx_queue *queue, struct err *e)
{
	uint64_t now_ns, wait_ns, room;
	int nr, err;

	while (!atomic_load_explicit(&thread->tx->stop, memory_order_relaxed)) {
		now_ns = loop_mono_ns();
		if (now_ns < queue->start_ns) {
			wait_until(thread, queue->start_ns);
			continue;
		}
		room = thread->limit ? thread->limit - queue->made : queue->ring.batch;
		if (!room || is_over(queue, now_ns))
			return 0;
		if (room > queue->ring.batch)
			room = queue->ring.batch;
		nr = tx_fill(queue, thread, (uint32_t)room, now_ns, &wait_ns, e);
		if (nr < 0 || (!nr && wait_ns == FILL_END))
			return nr;
		if (!nr && wait_ns > now_ns) {
			wait_until(thread, wait_ns);
			continue;
		}
		/* With none as well: then there was no free frame. */
		err = tx_ring_flush(&queue->ring, thread, e);
		if (err)
			return err;
	}
	return 0;
}

static int afxdp_engine_run(struct tx_thread *thread, struct err *e)
{
	uint64_t duration_ns = thread->tx->cfg.duration_ns;
	struct tx_queue *queue = queue_of(thread);
	struct err finish_error;
	int err, finish_err;

	queue->start_ns = tx_start_ns(thread);
	queue->end_ns = duration_ns ? queue->start_ns + duration_ns : UINT64_MAX;
	err = send_all(thread, queue, e);
	finish_err = tx_ring_finish(&queue->ring, thread, &finish_error);
	if (!err && finish_err) {
		*e = finish_error;
		err = finish_err;
	}
	/* As in copy mode a packet is sent by the kick, long after it was made. */
	if (!queue->has_slot && queue->made)
		PUBLISH(queue->last_mono_ns, loop_mono_ns());
	return err;
}

static void afxdp_engine_read(const struct tx_thread *thread, struct tx_count *ret_count)
{
	const struct tx_queue *queue = queue_of(thread);

	*ret_count = (struct tx_count){
		.first_mono_ns = LOOK(queue->first_mono_ns),
		.last_mono_ns = LOOK(queue->last_mono_ns),
		.late_sum_ns = LOOK(queue->late.sum_ns),
		.late_max_ns = LOOK(queue->late.max_ns),
		.paced_packets = LOOK(queue->late.count),
	};
	tx_ring_read(&queue->ring, ret_count);
}

static void afxdp_engine_read_flow(const struct tx_thread *thread, uint32_t k,
				   struct mix_count *ret_count)
{
	const struct source *source = queue_of(thread)->source;

	source->ops->count(source, k, ret_count);
}

static void afxdp_engine_read_late(const struct tx_thread *thread, struct hist_rec *sum)
{
	const struct tx_queue *queue = queue_of(thread);

	/* As in the live engine, of plain streams alone. */
	if (!queue->source)
		hist_merge(sum, &queue->late);
}

static const struct tx_ring *afxdp_engine_ring(const struct tx_thread *thread)
{
	return &queue_of(thread)->ring;
}

static void afxdp_engine_report(const struct tx *tx, struct result *res)
{
	if (tx->cfg.done)
		tx_sent_report(tx->state, tx->cfg.threads, res);
}

static void afxdp_engine_close(struct tx *tx)
{
	struct tx_queue *queues = tx->state;
	uint32_t i;

	for (i = 0; queues && i < tx->cfg.threads; i++) {
		tx_ring_close(&queues[i].ring);
		mix_source_close(queues[i].source);
		tx_sent_close(&queues[i]);
	}
	free(queues);
	tx->state = NULL;
}

const struct tx_engine_ops tx_afxdp_ops = {
	.name = "afxdp",
	.keep_caps = 0,
	.open = afxdp_engine_open,
	.run = afxdp_engine_run,
	.read = afxdp_engine_read,
	.read_flow = afxdp_engine_read_flow,
	.read_late = afxdp_engine_read_late,
	.ring = afxdp_engine_ring,
	.report = afxdp_engine_report,
	.close = afxdp_engine_close,
};
