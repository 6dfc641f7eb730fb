// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * model/mix_source.c - the packets of a list of streams, made in user space.
 *
 * The order is that of mix_xdp: the wheel determines the next stream with a slot; those without
 * slots fill the time in between, in turn. If a stream without slots starts while nothing else is
 * to be sent, its start is the slot of its first packet.
 */
#include "model/mix.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/unit.h"
#include "model/replay.h"

#define PUBLISH(field, value) __atomic_store_n(&(field), value, __ATOMIC_RELAXED)
#define LOOK(field) __atomic_load_n(&(field), __ATOMIC_RELAXED)

struct stream {
	const struct mix_flow *flow;
	struct pace_time due;		/* since the start of the run */
	uint64_t end_ns;
	uint32_t bases[FIELD_MAX_SUMS];
	struct mix_count count;		/* written only by the source's thread */
} __attribute__((aligned(64)));

struct mix_source {
	struct source source;
	struct wheel wheel;
	uint16_t ring[WHEEL_MAX];	/* streams without slots */
	uint32_t nr_ring, turn;
	uint32_t next;			/* taken from the wheel: its slot is next */
	__u64 next_ns;
	uint32_t chosen;		/* whose packet was peeked at, or WHEEL_NONE */
	struct source_packet packet;	/* its */
	uint8_t bytes[PACKET_MAX_BYTES];
	uint32_t dirty_bytes;		/* after these all of bytes[] is 0 */
	uint32_t nr_streams;
	struct stream streams[];
};

static struct mix_source *of(struct source *source)
{
	return (struct mix_source *)source;
}

/* Takes the stream with the next slot from the wheel, unless one is taken already. */
static void fetch_next(struct mix_source *mix)
{
	while (mix->next == WHEEL_NONE) {
		mix->next = wheel_peek(&mix->wheel, &mix->next_ns);
		if (mix->next == WHEEL_NONE)
			return;
		wheel_take(&mix->wheel);
		if (!wheel_is_far(&mix->wheel, mix->next_ns))
			return;
		/* Immediately, not when it is due: others wait behind it. */
		wheel_put(&mix->wheel, mix->next, mix->next_ns);
		mix->next = WHEEL_NONE;
	}
}

/* A finished stream's place is filled by the last one. */
static void leave_ring(struct mix_source *mix)
{
	mix->ring[mix->turn] = mix->ring[--mix->nr_ring];
	if (mix->turn >= mix->nr_ring)
		mix->turn = 0;
}

/* Adds a stream without slots whose start time has come. */
static void join_ring(struct mix_source *mix)
{
	mix->ring[mix->nr_ring++] = (uint16_t)mix->next;
	mix->next = WHEEL_NONE;
}

/* Chooses the stream of the next packet at @now_ns; false: all streams have ended. */
static bool choose(struct mix_source *mix, uint64_t now_ns)
{
	fetch_next(mix);
	while (mix->next != WHEEL_NONE && mix->next_ns <= now_ns &&
	       mix->streams[mix->next].flow->pace.kind == PACE_MAX) {
		join_ring(mix);
		fetch_next(mix);
	}
	while (mix->nr_ring && now_ns >= mix->streams[mix->ring[mix->turn]].end_ns)
		leave_ring(mix);
	if (mix->next != WHEEL_NONE && (mix->next_ns <= now_ns || !mix->nr_ring))
		mix->chosen = mix->next;
	else if (mix->nr_ring)
		mix->chosen = mix->ring[mix->turn];
	return mix->chosen != WHEEL_NONE;
}

static void make_packet(struct mix_source *mix)
{
	const struct stream *stream = &mix->streams[mix->chosen];
	const struct mix_flow *flow = stream->flow;
	const struct packet *packet = flow->packet;
	uint64_t sequence = stream->count.packets, number = mix_number(flow, sequence);
	bool paced = mix->chosen == mix->next;

	if (packet->nr_fields) {
		memcpy(mix->bytes, packet->bytes, packet->content_bytes);
		if (mix->dirty_bytes > packet->content_bytes)
			memset(mix->bytes + packet->content_bytes, 0,
			       mix->dirty_bytes - packet->content_bytes);
		mix->dirty_bytes = packet->content_bytes;
		packet_modify_from(packet, stream->bases, number, mix->bytes);
	}
	mix->packet = (struct source_packet){
		.bytes = packet->nr_fields ? mix->bytes : packet->bytes,
		.buf_bytes = packet_buf_bytes(packet, number),
		.slot_ns = paced ? mix->next_ns : 0,
		.paced = paced,
		.tag_offset = flow->tagged ? packet->tag_offset : 0,
		.stream = flow->stream,
		.sequence = (uint32_t)sequence,
		.stamped = flow->tagged && sequence % flow->stamp_every == 0,
	};
}

static int mix_source_peek(struct source *source, uint64_t now_ns,
			   struct source_packet *ret_packet, struct err *e)
{
	struct mix_source *mix = of(source);

	(void)e;
	if (mix->chosen == WHEEL_NONE) {
		if (!choose(mix, now_ns))
			return 0;
		make_packet(mix);
	}
	*ret_packet = mix->packet;
	return 1;
}

static void count_packet(struct mix_count *count, uint32_t buf_bytes, uint64_t sent_mono_ns,
			 uint64_t late_ns)
{
	if (!count->packets)
		PUBLISH(count->first_mono_ns, sent_mono_ns);
	PUBLISH(count->last_mono_ns, sent_mono_ns);
	PUBLISH(count->late_sum_ns, count->late_sum_ns + late_ns);
	if (late_ns > count->late_max_ns)
		PUBLISH(count->late_max_ns, late_ns);
	PUBLISH(count->bytes, count->bytes + buf_bytes + UNIT_FCS_BYTES);
	PUBLISH(count->packets, count->packets + 1);
}

static bool is_over(const struct stream *stream)
{
	return stream->flow->limit && stream->count.packets >= stream->flow->limit;
}

/* Moves on to the next slot, if the stream has slots. */
static void advance(struct mix_source *mix, struct stream *stream)
{
	const struct mix_flow *flow = stream->flow;
	uint32_t i = mix->next;

	if (flow->pace.kind == PACE_MAX && !is_over(stream)) {
		join_ring(mix);
		return;
	}
	mix->next = WHEEL_NONE;
	if (is_over(stream))
		return;
	pace_advance(&stream->due, pace_gap(&flow->pace, stream->count.packets - 1,
					    stream->due.ns - flow->start_ns));
	if (stream->due.ns < stream->end_ns)
		wheel_put(&mix->wheel, i, stream->due.ns);
}

static void mix_source_take(struct source *source, uint64_t sent_mono_ns, uint64_t late_ns)
{
	struct mix_source *mix = of(source);
	struct stream *stream = &mix->streams[mix->chosen];

	count_packet(&stream->count, mix->packet.buf_bytes, sent_mono_ns, late_ns);
	if (mix->chosen == mix->next)
		advance(mix, stream);
	else if (is_over(stream))
		leave_ring(mix);
	else if (++mix->turn == mix->nr_ring)
		mix->turn = 0;
	mix->chosen = WHEEL_NONE;
}

static void mix_source_count(const struct source *source, uint32_t k, struct mix_count *ret_count)
{
	const struct mix_count *count = &((const struct mix_source *)source)->streams[k].count;

	*ret_count = (struct mix_count){
		.packets = LOOK(count->packets),
		.bytes = LOOK(count->bytes),
		.first_mono_ns = LOOK(count->first_mono_ns),
		.last_mono_ns = LOOK(count->last_mono_ns),
		.late_sum_ns = LOOK(count->late_sum_ns),
		.late_max_ns = LOOK(count->late_max_ns),
	};
}

static void free_source(struct source *source)
{
	free(source);
}

static const struct source_ops mix_source_ops = {
	.peek = mix_source_peek,
	.take = mix_source_take,
	.count = mix_source_count,
	.close = free_source,
};

static void open_stream(struct mix_source *mix, uint32_t k, const struct mix_flow *flow)
{
	struct stream *stream = &mix->streams[k];

	*stream = (struct stream){
		.flow = flow,
		.due.ns = flow->start_ns,
		.end_ns = flow->duration_ns ? flow->start_ns + flow->duration_ns : UINT64_MAX,
	};
	packet_sum_bases(flow->packet, stream->bases);
	if (flow->pace.kind == PACE_MAX && !flow->start_ns)
		mix->ring[mix->nr_ring++] = (uint16_t)k;
	else
		wheel_put(&mix->wheel, k, flow->start_ns);
}

int mix_source_open(struct source **ret_source, const struct mix *flows, uint32_t i,
		    uint32_t threads, struct err *e)
{
	uint32_t nr = mix_nr_of(flows, i, threads), k;
	struct mix_source *mix;
	size_t bytes;

	if (flows->flows[0].replay) {
		*ret_source = replay_source(flows->flows[0].replay);
		return 0;
	}
	if (nr > WHEEL_MAX)
		return err_usage(e, "%u streams in %u threads: at most %u per thread",
				 flows->nr_flows, threads, WHEEL_MAX);
	bytes = (sizeof(*mix) + nr * sizeof(struct stream) + 63) & ~(size_t)63;
	mix = aligned_alloc(64, bytes);
	if (!mix)
		return err_set(e, -ENOMEM, "cannot set up packets of %u streams", nr);
	memset(mix, 0, bytes);
	mix->source.ops = &mix_source_ops;
	mix->nr_streams = nr;
	mix->next = mix->chosen = WHEEL_NONE;
	mix->wheel.shift = wheel_shift_for(mix_mean_gap_ns(flows, i, threads));
	for (k = 0; k < nr; k++)
		open_stream(mix, k, &flows->flows[i + k * threads]);
	*ret_source = &mix->source;
	return 0;
}

void mix_source_close(struct source *source)
{
	if (source)
		source->ops->close(source);
}
