// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/send/tx_afxdp.c - send through AF_XDP rings, one a thread and queue.
 *
 * Works on kernels and drivers that have no live frames, and with any driver
 * in copy mode. The frames are made once; a packet costs its tag, a
 * descriptor and its share of a system call.
 */
#include "engine/receive/hw_stamp.h"
#include "engine/self/environ.h"
#include "engine/send/tx_ring.h"
#include "result/result_dist.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/hist.h"
#include "lib/loop.h"
#include "lib/unit.h"
#include "proto/frame.h"
#include "sys/host/clock.h"

#define BATCH_COPY	16		/* no faster above 8; small, so that stamps stay fresh */
#define SLEEP_GAP_NS	200000		/* gaps from here on are slept away */
#define WAKE_EARLY_NS	60000

/* From the time in the tag to that of being sent. */
struct done {
	struct hist_rec hist;
	uint64_t unstamped;		/* sent, and the driver did not say when */
	uint16_t tag_offset;
	struct stamp_lines *lines;	/* lane 0's, which its thread keeps up to date */
	struct stamp_lines own;
	struct hw_stamp *stamp;		/* in lane 0 alone */
};

/* Written by its thread alone; read by anybody. */
struct lane {
	struct tx_ring ring;
	uint64_t made;			/* also the next sequence number */
	uint64_t first_mono_ns, last_mono_ns;
	struct hist_rec *late;		/* paced: behind the slot; else NULL */
	uint32_t to_stamp;		/* packets until one gets the time */
	uint32_t sum_bases[FIELD_MAX_SUMS];
	struct done *done;		/* with cfg.done; else NULL */
} __attribute__((aligned(64)));

#define PUBLISH(field, value) __atomic_store_n(&(field), value, __ATOMIC_RELAXED)
#define LOOK(field) __atomic_load_n(&(field), __ATOMIC_RELAXED)

static struct lane *lane_of(const struct tx_thread *thread)
{
	struct lane *lanes = thread->tx->state;

	return &lanes[thread->index];
}

static int check_frame(const struct tx *tx, struct err *e)
{
	if (tx->threads[0].flow->packet->buf_bytes <= AFXDP_MAX_BUF_BYTES)
		return 0;
	err_machine(e, -EMSGSIZE, "frames of %u bytes are too large for the afxdp engine",
		    mix_max_bytes(tx->cfg.mix));
	return err_hint(e, "it sends frames up to %u bytes, and the live engine up to some 3500",
			AFXDP_MAX_BUF_BYTES + UNIT_FCS_BYTES);
}

static void note_sent(void *ctx, const uint8_t *frame, uint64_t phc_ns)
{
	struct done *done = ctx;
	uint64_t tag_ns = frame_read_stamp(frame + done->tag_offset), sent_ns;
	uint32_t now = __atomic_load_n(&done->lines->now, __ATOMIC_ACQUIRE);

	if (!tag_ns)
		return;
	if (!phc_ns) {
		PUBLISH(done->unstamped, done->unstamped + 1);
		return;
	}
	sent_ns = stamp_convert(&done->lines->line[now], phc_ns);
	if (sent_ns < tag_ns)
		PUBLISH(done->hist.negative, done->hist.negative + 1);
	else
		hist_add(&done->hist, sent_ns - tag_ns);
}

/* One clock and one setting of the NIC for all lanes. */
static int open_done(struct tx *tx, uint32_t i, struct err *e)
{
	struct lane *lanes = tx->state;
	struct done *done = calloc(1, sizeof(*done));
	int err;

	if (!done)
		return err_set(e, -ENOMEM, "cannot open the afxdp engine");
	lanes[i].done = done;
	lanes[i].ring.on_sent = note_sent;
	lanes[i].ring.sent_ctx = done;
	done->tag_offset = tx->threads[i].flow->packet->tag_offset;
	done->lines = &lanes[0].done->own;
	if (i)
		return 0;
	err = hw_stamp_open(&done->stamp, tx->cfg.ifname, tx->cfg.done == TX_DONE_HW ?
			    HW_STAMP_TX : HW_STAMP_TX_SOFT, tx->cfg.clock, e);
	if (!err)
		hw_stamp_publish(done->stamp, &done->own);
	return err;
}

/* The first queue tells whether the driver has zero-copy; the others must follow. */
static int open_lane(struct tx *tx, uint32_t i, struct err *e)
{
	const struct tx_thread *thread = &tx->threads[i];
	struct lane *lanes = tx->state;
	enum tx_ring_mode mode = tx->cfg.done == TX_DONE_SW ? TX_RING_COPY : TX_RING_ANY;
	int err;

	if (thread->pps > 0) {
		lanes[i].late = calloc(1, sizeof(*lanes[i].late));
		if (!lanes[i].late)
			return err_set(e, -ENOMEM, "cannot open the afxdp engine");
	}
	if (i)
		mode = lanes[0].ring.zero_copy ? TX_RING_ZERO_COPY : TX_RING_COPY;
	lanes[i].ring.buf_bytes = thread->flow->packet->buf_bytes;
	err = tx->cfg.done ? open_done(tx, i, e) : 0;
	if (err)
		return err;
	err = tx_ring_open(&lanes[i].ring, thread, mode, BATCH_COPY, e);
	if (err)
		return err;
	packet_sum_bases(thread->flow->packet, lanes[i].sum_bases);
	afxdp_fill(lanes[i].ring.afxdp, thread->flow->packet->bytes, thread->flow->packet->buf_bytes);
	return 0;
}

static int afxdp_engine_open(struct tx *tx, struct result *res, struct err *e)
{
	struct lane *lanes;
	uint32_t i;
	int err;

	err = check_frame(tx, e);
	if (err)
		return err;
	lanes = aligned_alloc(64, tx->cfg.threads * sizeof(struct lane));
	if (!lanes)
		return err_set(e, -ENOMEM, "cannot open the afxdp engine");
	for (i = 0; i < tx->cfg.threads; i++)
		lanes[i] = (struct lane){ 0 };
	tx->state = lanes;
	for (i = 0; i < tx->cfg.threads && !err; i++)
		err = open_lane(tx, i, e);
	if (err)
		return err;
	tx_ring_describe(&lanes[0].ring, tx, res);
	environ_tx_stamp(res, tx->threads[0].flow->tagged ? STAMPED_USER : STAMPED_NOWHERE);
	environ_done_stamp(res, tx->cfg.done == TX_DONE_HW ? STAMPED_HW :
			   tx->cfg.done == TX_DONE_SW ? STAMPED_DONE : STAMPED_NOWHERE);
	return 0;
}

/* Slots are counted from the start, so no rounding adds up. */
struct pacer {
	const struct pace *pace;
	bool paced;
	uint64_t start_ns, end_ns;
};

static struct pacer start_pacer(const struct tx_thread *thread)
{
	const struct tx_cfg *cfg = &thread->tx->cfg;
	uint64_t now_ns = loop_mono_ns();
	struct pacer pacer = {
		.pace = &thread->flow->pace, .paced = thread->pps > 0, .end_ns = UINT64_MAX,
	};

	if (pacer.paced)
		now_ns += TX_LEAD_NS;
	pacer.start_ns = now_ns + thread->flow->start_ns;
	/* The slots are counted; that the last is some milliseconds late loses none of them. */
	if (cfg->duration_ns)
		pacer.end_ns = now_ns + cfg->duration_ns + (pacer.paced ? TX_LATE_NS : 0);
	return pacer;
}

static uint64_t slot_ns(const struct pacer *pacer, uint64_t number)
{
	return pacer->start_ns + pace_due(pacer->pace, number).ns;
}

/* How many packets may leave now, at most @most. */
static uint32_t count_due(const struct pacer *pacer, uint64_t made, uint32_t most,
			  uint64_t now_ns)
{
	uint32_t due = 0;

	if (!pacer->paced)
		return most;
	while (due < most && slot_ns(pacer, made + due) <= now_ns)
		due++;
	return due;
}

/* Until the next slot, the end, or a signal. A timer is late, so the last part is spun away. */
static void wait_slot(const struct tx_thread *thread, const struct pacer *pacer, uint64_t made)
{
	uint64_t until_ns = slot_ns(pacer, made), now_ns = loop_mono_ns();

	if (until_ns > pacer->end_ns)
		until_ns = pacer->end_ns;
	if (until_ns > now_ns + SLEEP_GAP_NS) {
		loop_sleep_until(until_ns - WAKE_EARLY_NS);
		return;
	}
	while (loop_mono_ns() < until_ns && !atomic_load(&thread->tx->stop))
		;
}

static void note_late(struct lane *lane, uint64_t slot, uint64_t now_ns)
{
	hist_add(lane->late, now_ns > slot ? now_ns - slot : 0);
}

static void write_tags(struct tx_thread *thread, struct lane *lane, const struct pacer *pacer,
		       uint8_t **frames, uint32_t nr)
{
	const struct mix_flow *flow = thread->flow;
	const struct packet *packet = flow->packet;
	uint64_t now_ns = 0;
	uint32_t i;

	for (i = 0; i < nr; i++) {
		bool stamp = flow->tagged && !lane->to_stamp;

		if (stamp || pacer->paced)
			now_ns = loop_mono_ns();
		if (pacer->paced) {
			note_late(lane, slot_ns(pacer, lane->made + i), now_ns);
			PUBLISH(lane->last_mono_ns, now_ns);
		}
		if (packet->nr_fields)
			packet_modify_from(packet, lane->sum_bases,
					   mix_number(flow, lane->made + i), frames[i]);
		if (!flow->tagged)
			continue;
		lane->to_stamp = stamp ? flow->stamp_every - 1 : lane->to_stamp - 1;
		frame_write_tag(frames[i] + packet->tag_offset, flow->stream,
				(uint32_t)(lane->made + i),
				stamp ? clock_stamp_ns(thread->tx->cfg.clock, now_ns) : 0);
	}
}

static bool is_finished(const struct tx_thread *thread, const struct lane *lane)
{
	return atomic_load_explicit(&thread->tx->stop, memory_order_relaxed) ||
	       (thread->limit && lane->made >= thread->limit);
}

static int afxdp_engine_run(struct tx_thread *thread, struct err *e)
{
	struct lane *lane = lane_of(thread);
	const struct pacer pacer = start_pacer(thread);
	uint64_t now_ns = loop_mono_ns();
	uint8_t *frames[AFXDP_NR_FRAMES];
	uint32_t nr;
	int err;

	for (; !is_finished(thread, lane) && now_ns < pacer.end_ns; now_ns = loop_mono_ns()) {
		nr = lane->ring.batch;
		if (thread->limit && thread->limit - lane->made < nr)
			nr = (uint32_t)(thread->limit - lane->made);
		nr = count_due(&pacer, lane->made, nr, now_ns);
		if (!nr) {
			wait_slot(thread, &pacer, lane->made);
			continue;
		}
		nr = afxdp_take(lane->ring.afxdp, nr, frames);
		write_tags(thread, lane, &pacer, frames, nr);
		if (!lane->made)
			PUBLISH(lane->first_mono_ns, pacer.paced ? lane->last_mono_ns : now_ns);
		afxdp_put(lane->ring.afxdp, nr);
		PUBLISH(lane->made, lane->made + nr);
		if (lane->done && lane->done->stamp)
			hw_stamp_follow(lane->done->stamp);
		err = tx_ring_flush(&lane->ring, thread, e);
		if (err)
			return err;
		if (!pacer.paced)
			PUBLISH(lane->last_mono_ns, now_ns);
	}
	err = tx_ring_finish(&lane->ring, thread, e);
	if (!pacer.paced && lane->made)
		PUBLISH(lane->last_mono_ns, loop_mono_ns());
	return err;
}

static void afxdp_engine_read(const struct tx_thread *thread, struct tx_count *ret_count)
{
	const struct lane *lane = lane_of(thread);

	*ret_count = (struct tx_count){
		.first_mono_ns = LOOK(lane->first_mono_ns),
		.last_mono_ns = LOOK(lane->last_mono_ns),
	};
	if (lane->late) {
		ret_count->late_sum_ns = LOOK(lane->late->sum_ns);
		ret_count->late_max_ns = LOOK(lane->late->max_ns);
		ret_count->paced_packets = LOOK(lane->late->count);
	}
	tx_ring_read(&lane->ring, ret_count);
}

static void afxdp_engine_read_late(const struct tx_thread *thread, struct hist_rec *sum)
{
	const struct lane *lane = lane_of(thread);

	if (lane->late)
		hist_merge(sum, lane->late);
}

static const struct tx_ring *afxdp_engine_ring(const struct tx_thread *thread)
{
	return &lane_of(thread)->ring;
}

static void afxdp_engine_report(const struct tx *tx, struct result *res)
{
	const struct lane *lanes = tx->state;
	struct hist_rec sum = { 0 };
	uint64_t unstamped = 0;
	uint32_t i;

	if (!tx->cfg.done)
		return;
	for (i = 0; i < tx->cfg.threads; i++) {
		hist_merge(&sum, &lanes[i].done->hist);
		unstamped += LOOK(lanes[i].done->unstamped);
	}
	result_hist(res, "tx_done", &sum);
	result_metric_u64(res, "tx_done_unstamped_packets", unstamped);
	if (sum.negative)
		result_note(res, "%llu packets were sent before they were handed over, as far as the "
			    "clocks tell", (unsigned long long)sum.negative);
	hw_stamp_report(lanes[0].done->stamp, res);
}

static void afxdp_engine_close(struct tx *tx)
{
	struct lane *lanes = tx->state;
	uint32_t i;

	for (i = 0; lanes && i < tx->cfg.threads; i++) {
		tx_ring_close(&lanes[i].ring);
		free(lanes[i].late);
		if (lanes[i].done)
			hw_stamp_close(lanes[i].done->stamp);
		free(lanes[i].done);
	}
	free(lanes);
	tx->state = NULL;
}

const struct tx_engine_ops tx_afxdp_ops = {
	.name = "afxdp",
	.keep_caps = 0,
	.open = afxdp_engine_open,
	.run = afxdp_engine_run,
	.read = afxdp_engine_read,
	.read_late = afxdp_engine_read_late,
	.ring = afxdp_engine_ring,
	.report = afxdp_engine_report,
	.close = afxdp_engine_close,
};
