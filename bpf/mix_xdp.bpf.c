// SPDX-License-Identifier: GPL-2.0-only
/*
 * mix_xdp.bpf.c - generate the packets of many streams inside the kernel, each with its own rate,
 * limit, sizes and fields.
 *
 * Run by BPF_PROG_TEST_RUN with live frames, like blast_xdp. Each run sends at most one packet: of
 * the stream whose slot is due, by a timing wheel, otherwise of the next stream without slots. A
 * run costs the same for one stream and for thousands. The page's frame has the longest packet's
 * length.
 */
#include "lib/refused.bpf.h"

#include "abi/mix.h"
#include "abi/payload.h"

char _license[] SEC("license") = "GPL";

/* After each struct mix_stream; a multiple of 64. */
const volatile __u32 template_bytes = 64;

MAPPED_ARRAY(mix_threads, struct mix_thread);	/* one per possible CPU, set before load */

/* Only sizes, no types: user space sets both before load. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct mix_stream) + 64);
	__uint(max_entries, 1);
} mix_streams SEC(".maps");

struct mix_list {
	__u64 values[MIX_MAX_LIST];
};

MAPPED_ARRAY(mix_lists, struct mix_list);

#define WAIT_READS 512		/* as in blast_xdp: at least 10 us */
#define WAIT_NS 15000		/* do not wait for slots later than this */
#define FAR_MOVES 4		/* streams requeued per run that only waited in the last slot */
#define END_CHECKS 16		/* packets without a slot between two clock reads */

static __always_inline struct mix_thread *own_thread(void)
{
	__u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&mix_threads, &cpu);
}

static __always_inline struct mix_stream *stream_of(const struct mix_thread *thread, __u32 i)
{
	__u32 index = thread->first + i;

	return bpf_map_lookup_elem(&mix_streams, &index);
}

static __always_inline const struct mix_list *get_lists(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&mix_lists, &zero);
}

/* The part of the template that another stream's packet may have left different. */
static __always_inline int write_template(struct xdp_md *ctx, const struct mix_stream *stream)
{
	__u32 bytes = stream->write_bytes;

	if (bytes < 56 || bytes > template_bytes)
		return -1;
	return write_start(ctx, stream + 1, bytes);
}

/* @bytes: of the packet. */
static __always_inline int write_all(struct xdp_md *ctx, const struct mix_stream *stream,
				     const struct mix_list *list, __u64 number, __u32 bytes)
{
	__u32 nr_fields = stream->nr_fields, nr_sums = stream->nr_sums;
	struct gen_fields fields = {
		.fields = stream->fields, .sums = stream->sums, .sum_base = stream->sum_base,
		.list = list->values, .nr_list = MIX_MAX_LIST,
		.nr_fields = &nr_fields, .nr_sums = &nr_sums,
	};

	if (stream->has_size && stream->pattern_offset) {
		fields.extra = field_fold(payload_sum16(bytes - stream->pattern_offset));
		fields.extra_sums = stream->size.sums;
	}
	return write_fields(ctx, &fields, number);
}

/* Trims the frame, which starts each run with the longest packet's length, to @bytes. */
static __always_inline int trim(struct xdp_md *ctx, __u32 bytes)
{
	__u32 now_bytes = ctx->data_end - ctx->data;

	return now_bytes == bytes ? 0 : bpf_xdp_adjust_tail(ctx, (int)(bytes - now_bytes));
}

static __always_inline int write_packet(struct xdp_md *ctx, const struct mix_stream *stream,
					__u64 sent_ns, __u32 *ret_bytes)
{
	__u64 made = stream->made, number = stream->number_first + made * stream->number_step;
	__u32 bytes = stream->buf_bytes;
	const struct mix_list *list;

	if (write_template(ctx, stream) < 0)
		return -1;
	if (stream->nr_fields | stream->has_size) {
		list = get_lists();
		if (!list)
			return -1;
		if (stream->has_size)
			bytes = field_value(&stream->size, list->values, MIX_MAX_LIST, number);
		if (stream->nr_fields && write_all(ctx, stream, list, number, bytes) < 0)
			return -1;
	}
	if (stream->tag_offset &&
	    write_tag(ctx, stream->tag_offset & 0x3fff, stream->stream, made, sent_ns) < 0)
		return -1;
	*ret_bytes = bytes;
	/* Last: what was written may extend beyond a shorter packet. */
	return trim(ctx, bytes);
}

static __always_inline void count(struct mix_thread *thread, struct mix_stream *stream,
				  __u32 bytes, __u64 now_ns)
{
	WRITE_ONCE(stream->made, stream->made + 1);
	ADD_ONCE(stream->made_bytes, bytes);
	WRITE_ONCE(thread->made, thread->made + 1);
	ADD_ONCE(thread->made_bytes, bytes);
	if (!now_ns)
		return;
	if (!stream->first_mono_ns)
		WRITE_ONCE(stream->first_mono_ns, now_ns);
	WRITE_ONCE(stream->last_mono_ns, now_ns);
	if (!thread->first_mono_ns)
		WRITE_ONCE(thread->first_mono_ns, now_ns);
	WRITE_ONCE(thread->last_mono_ns, now_ns);
}

/* @now_ns: 0 if the clock has not been read yet */
static __always_inline int make(struct xdp_md *ctx, struct mix_thread *thread,
				struct mix_stream *stream, __u64 now_ns)
{
	__u64 made = stream->made;
	/* The usual case is 1, and a division costs more than the comparison. */
	int stamped = stream->tag_offset &&
		      (stream->stamp_every == 1 || made % stream->stamp_every == 0);
	__u64 sent_ns = stamped ? stamp_sent_ns(&now_ns) : 0;
	__u32 bytes;

	if (write_packet(ctx, stream, sent_ns, &bytes) < 0)
		return XDP_ABORTED;
	count(thread, stream, bytes, now_ns);
	return into_stack ? XDP_PASS : XDP_TX;
}

/* The stream that is due first. One that only waits in its slot is requeued. */
static __always_inline __u32 next_stream(struct wheel *wheel, __u64 *ret_due_ns)
{
	__u64 due_ns = 0;
	__u32 i;
	int k;

	for (k = 0; k < FAR_MOVES; k++) {
		i = wheel_peek(wheel, &due_ns);
		if (i == WHEEL_NONE || !wheel_only_waits(wheel, due_ns)) {
			*ret_due_ns = due_ns;
			return i;
		}
		wheel_take(wheel);
		wheel_put(wheel, i, due_ns);
	}
	return WHEEL_NONE;
}

static __always_inline void count_late(struct mix_thread *thread, struct mix_stream *stream,
				       __u64 late_ns)
{
	ADD_ONCE(stream->late_sum_ns, late_ns);
	if (late_ns > stream->late_max_ns)
		WRITE_ONCE(stream->late_max_ns, late_ns);
	ADD_ONCE(thread->late_sum_ns, late_ns);
	if (late_ns > thread->late_max_ns)
		WRITE_ONCE(thread->late_max_ns, late_ns);
	ADD_ONCE(thread->paced, 1);
}

/* Queues the stream's next slot, unless it has none. */
static __always_inline void put_again(struct mix_thread *thread, struct mix_stream *stream,
				      __u32 i)
{
	struct pace_time due = stream->due;

	pace_advance(&due, pace_gap(&stream->pace, stream->made, due.ns - stream->start_ns));
	stream->due = due;
	if (stream->limit && stream->made + 1 >= stream->limit)
		return;
	if (stream->end_ns && due.ns >= stream->end_ns)
		return;
	wheel_put(&thread->wheel, i, due.ns);
}

/* Sends the packet of stream @i, whose slot is due. */
static __always_inline int send_due(struct xdp_md *ctx, struct mix_thread *thread, __u32 i,
				    __u64 due_ns, __u64 now_ns)
{
	struct mix_stream *stream = stream_of(thread, i);

	wheel_take(&thread->wheel);
	if (!stream)
		return XDP_ABORTED;
	if (stream->pace.kind == PACE_MAX) {
		/* It only waited for its start. */
		thread->ring[thread->nr_max++ & (WHEEL_MAX - 1)] = i;
		return XDP_DROP;
	}
	put_again(thread, stream, i);
	count_late(thread, stream, now_ns - due_ns);
	return make(ctx, thread, stream, now_ns);
}

/* Sends a packet of the next stream without slots. */
static __always_inline int send_turn(struct xdp_md *ctx, struct mix_thread *thread, __u64 now_ns)
{
	__u32 turn = thread->turn, last = thread->nr_max - 1, ended = 0;
	struct mix_stream *stream;

	if (turn > last)
		turn = 0;
	stream = stream_of(thread, thread->ring[turn & (WHEEL_MAX - 1)]);
	if (!stream)
		return XDP_ABORTED;
	if (stream->end_ns && stream->made % END_CHECKS == 0) {
		if (!now_ns)
			now_ns = bpf_ktime_get_ns();
		ended = now_ns >= stream->end_ns;
	}
	if (ended || (stream->limit && stream->made + 1 >= stream->limit)) {
		thread->ring[turn & (WHEEL_MAX - 1)] = thread->ring[last & (WHEEL_MAX - 1)];
		thread->nr_max = last;
		thread->turn = turn;
		if (ended)
			return XDP_DROP;
	} else {
		thread->turn = turn + 1;
	}
	return make(ctx, thread, stream, now_ns);
}

/* As fast as possible, or paced by spinning: every run checks whether a slot is due. */
SEC("xdp")
int mix_xdp(struct xdp_md *ctx)
{
	struct mix_thread *thread = own_thread();
	__u64 now_ns = 0, due_ns = 0;
	__u32 i;

	if (!thread)
		return XDP_DROP;
	if (thread->wheel.summary) {
		now_ns = bpf_ktime_get_ns();
		i = next_stream(&thread->wheel, &due_ns);
		if (i != WHEEL_NONE && now_ns >= due_ns)
			return send_due(ctx, thread, i, due_ns, now_ns);
	}
	return thread->nr_max ? send_turn(ctx, thread, now_ns) : XDP_DROP;
}

/* Paced by a sleeping thread: run shortly before a slot, several times if slots are close. */
SEC("xdp")
int mix_xdp_slot(struct xdp_md *ctx)
{
	struct mix_thread *thread = own_thread();
	__u64 now_ns, due_ns = 0;
	__u32 i;
	int k;

	if (!thread)
		return XDP_DROP;
	i = next_stream(&thread->wheel, &due_ns);
	if (i == WHEEL_NONE)
		return XDP_DROP;
	for (k = 0; k < WAIT_READS; k++) {
		now_ns = bpf_ktime_get_ns();
		if (now_ns >= due_ns)
			return send_due(ctx, thread, i, due_ns, now_ns);
		if (due_ns - now_ns > WAIT_NS)
			break;
	}
	return XDP_DROP;
}

static __always_inline void add_refused(__u32 frames)
{
	struct mix_thread *thread = own_thread();

	if (thread)
		ADD_ONCE(thread->refused, frames);
}

REFUSED_PROGRAMS(add_refused)
