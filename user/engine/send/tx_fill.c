// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/send/tx_fill.c - what is due goes into an AF_XDP ring.
 *
 * The packets of a source, many streams or a capture, are copied into the frames. A plain
 * stream takes the short way: its frames were made once, and a packet costs its changing
 * fields, its tag and a descriptor.
 */
#include "engine/send/tx_queue.h"

#include <string.h>

#include "abi/replay.h"
#include "lib/hist.h"
#include "lib/loop.h"
#include "proto/frame.h"
#include "sys/host/clock.h"

/* What is no whole frame of a ring is skipped when a capture is read. */
_Static_assert(REPLAY_MAX_BYTES <= AFXDP_CHUNK_BYTES, "a captured packet is one piece");

void tx_fill_open(struct tx_queue *queue, const struct tx_thread *thread)
{
	const struct packet *packet;

	if (queue->source) {
		/* Frames get their length one by one; this only marks them all free. */
		afxdp_fill(queue->ring.afxdp, "", 0);
		return;
	}
	packet = thread->flow->packet;
	packet_sum_bases(packet, queue->sum_bases);
	afxdp_fill(queue->ring.afxdp, packet->bytes, packet->buf_bytes);
}

/* Slots are counted from the start, so no rounding adds up. */
static uint64_t slot_ns(const struct tx_queue *queue, const struct mix_flow *flow, uint64_t number)
{
	return queue->start_ns + flow->start_ns + pace_due(&flow->pace, number).ns;
}

/* How many packets may leave now, at most @most. */
static uint32_t count_due(const struct tx_queue *queue, const struct mix_flow *flow, uint32_t most,
			  uint64_t now_ns)
{
	uint32_t due = 0;

	if (!queue->has_slot)
		return most;
	while (due < most && slot_ns(queue, flow, queue->made + due) <= now_ns)
		due++;
	return due;
}

static void write_tags(struct tx_queue *queue, const struct tx_thread *thread, uint8_t **frames,
		       uint32_t nr)
{
	const struct mix_flow *flow = thread->flow;
	const struct packet *packet = flow->packet;
	uint64_t now_ns = 0, due_ns;
	uint32_t i;

	for (i = 0; i < nr; i++) {
		bool stamp = flow->tagged && !queue->to_stamp;

		if (stamp || queue->has_slot)
			now_ns = loop_mono_ns();
		if (queue->has_slot) {
			due_ns = slot_ns(queue, flow, queue->made + i);
			hist_add(&queue->late, now_ns > due_ns ? now_ns - due_ns : 0);
			PUBLISH(queue->last_mono_ns, now_ns);
		}
		if (packet->nr_fields)
			packet_modify_from(packet, queue->sum_bases,
					   mix_number(flow, queue->made + i), frames[i]);
		if (!flow->tagged)
			continue;
		queue->to_stamp = stamp ? flow->stamp_every - 1 : queue->to_stamp - 1;
		frame_write_tag(frames[i] + packet->tag_offset, thread->tx->cfg.run, flow->stream,
				(uint32_t)(queue->made + i),
				stamp ? clock_stamp_ns(thread->tx->cfg.clock, now_ns) : 0);
	}
}

static int fill_plain(struct tx_queue *queue, const struct tx_thread *thread, uint32_t room,
		      uint64_t now_ns, uint64_t *ret_wait_ns)
{
	uint8_t *frames[AFXDP_NR_FRAMES];
	uint32_t nr;

	queue->has_slot = thread->flow->pace.kind != PACE_MAX;
	/* The slots are counted; that the last is some milliseconds late loses none of them. */
	if (!queue->has_slot && now_ns >= queue->end_ns) {
		*ret_wait_ns = FILL_END;
		return 0;
	}
	nr = count_due(queue, thread->flow, room, now_ns);
	if (!nr) {
		*ret_wait_ns = slot_ns(queue, thread->flow, queue->made);
		return 0;
	}
	nr = afxdp_take(queue->ring.afxdp, nr, frames);
	write_tags(queue, thread, frames, nr);
	if (!queue->has_slot)
		PUBLISH(queue->last_mono_ns, now_ns);
	if (!queue->made)
		PUBLISH(queue->first_mono_ns, queue->last_mono_ns);
	afxdp_put(queue->ring.afxdp, nr);
	PUBLISH(queue->made, queue->made + nr);
	tx_sent_follow(queue);
	return (int)nr;
}

/* Has it a place before the end? One whose slot was, and is over, still has. */
static bool is_in_time(const struct tx_queue *queue, const struct source_packet *packet, uint64_t now_ns)
{
	return packet->paced ? queue->start_ns + packet->slot_ns < queue->end_ns :
	       now_ns < queue->end_ns;
}

/* Into the frame; the time is that of its tag. How much it is late. */
static uint64_t copy_packet(struct tx_queue *queue, const struct source_packet *packet,
			    const struct tx_cfg *cfg, uint64_t *now_ns, uint8_t *frame)
{
	uint64_t late_ns = 0;

	memcpy(frame, packet->bytes, packet->buf_bytes);
	if (packet->paced || packet->stamped)
		*now_ns = loop_mono_ns();
	if (packet->tag_offset)
		frame_write_tag(frame + packet->tag_offset, cfg->run, packet->stream, packet->sequence,
				packet->stamped ? clock_stamp_ns(cfg->clock, *now_ns) : 0);
	if (packet->paced) {
		late_ns = *now_ns - (queue->start_ns + packet->slot_ns);
		hist_add(&queue->late, late_ns);
	}
	queue->has_slot = packet->paced;
	if (!queue->made)
		PUBLISH(queue->first_mono_ns, *now_ns);
	PUBLISH(queue->last_mono_ns, *now_ns);
	PUBLISH(queue->made, queue->made + 1);
	return late_ns;
}

static int fill_from_source(struct tx_queue *queue, const struct tx_thread *thread, uint32_t room,
			    uint64_t now_ns, uint64_t *ret_wait_ns, struct err *e)
{
	uint32_t buf_bytes[AFXDP_NR_FRAMES], nr = 0;
	uint8_t *frames[AFXDP_NR_FRAMES];
	struct source *source = queue->source;
	struct source_packet packet;
	uint64_t late_ns;
	int got = 1;

	room = afxdp_take(queue->ring.afxdp, room, frames);
	while (nr < room) {
		got = source->ops->peek(source, now_ns - queue->start_ns, &packet, e);
		if (got == 1 && !is_in_time(queue, &packet, now_ns))
			got = 0;
		if (got != 1)
			break;
		if (packet.paced && queue->start_ns + packet.slot_ns > now_ns) {
			*ret_wait_ns = queue->start_ns + packet.slot_ns;
			break;
		}
		late_ns = copy_packet(queue, &packet, &thread->tx->cfg, &now_ns, frames[nr]);
		buf_bytes[nr++] = packet.buf_bytes;
		source->ops->take(source, now_ns, late_ns);
	}
	afxdp_put_each(queue->ring.afxdp, nr, buf_bytes);
	/* What came before the damage is sent first: the error comes again. */
	if (got < 0 && nr)
		*e = (struct err){ 0 };
	if (got <= 0)
		*ret_wait_ns = FILL_END;
	return got < 0 && !nr ? got : (int)nr;
}

int tx_fill(struct tx_queue *queue, const struct tx_thread *thread, uint32_t room, uint64_t now_ns,
	    uint64_t *ret_wait_ns, struct err *e)
{
	*ret_wait_ns = now_ns;
	return queue->source ? fill_from_source(queue, thread, room, now_ns, ret_wait_ns, e) :
			      fill_plain(queue, thread, room, now_ns, ret_wait_ns);
}
