// SPDX-License-Identifier: GPL-2.0-only
/*
 * replay_xdp.bpf.c - hand the packets of a capture file to the driver.
 *
 * Run by BPF_PROG_TEST_RUN with live frames, like blast_xdp. The packets are in a map, in order;
 * each run writes the next one into its page, which starts with the longest packet's length.
 * XDP_DROP sends nothing: the slot is not due, or the end is reached.
 */
#include "lib/refused.bpf.h"

#include "abi/replay.h"

char _license[] SEC("license") = "GPL";

/* The highest offset at which a record may start: REPLAY_MAX_BYTES and its header fit after it. */
const volatile __u64 arena_last;

/* Its size is set before load. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct replay_rec) + REPLAY_MAX_BYTES);
	__uint(max_entries, 1);
} replay_arena SEC(".maps");

struct replay_run run;

/* As in blast_xdp: covers at least 10 us. */
#define WAIT_READS 512

static __always_inline const struct replay_rec *next_rec(void)
{
	__u32 zero = 0;
	const void *arena = bpf_map_lookup_elem(&replay_arena, &zero);
	__u64 at = READ_ONCE(run.at);

	if (!arena || at > arena_last)
		return NULL;
	return arena + at;
}

static __always_inline int is_finished(void)
{
	return run.ended || (run.limit && run.made >= run.limit);
}

static __always_inline int tag_packet(struct xdp_md *ctx, __u32 offset, __u64 now_ns)
{
	__u64 sequence = run.tagged, sent_ns = 0;

	/* The usual case is 1, and a division costs more than the comparison. */
	if (run.stamp_every == 1 || sequence % run.stamp_every == 0)
		sent_ns = stamp_sent_ns(&now_ns);
	if (offset > REPLAY_MAX_BYTES || write_tag(ctx, offset, run.stream, sequence, sent_ns) < 0)
		return -1;
	WRITE_ONCE(run.tagged, sequence + 1);
	return 0;
}

static __always_inline void go_on(const struct replay_rec *rec, __u32 bytes)
{
	__u64 at = run.at + replay_rec_size(bytes);
	struct pace_time start;

	WRITE_ONCE(run.made_bytes, run.made_bytes + bytes);
	WRITE_ONCE(run.made, run.made + 1);
	if (rec->skipped_before)
		ADD_ONCE(run.skipped, rec->skipped_before);
	if (at >= run.pass_bytes) {
		at = 0;
		ADD_ONCE(run.skipped, run.skipped_behind);
		start = run.start;
		pace_add(&start, run.pass.ns, run.pass.frac);
		run.start.frac = start.frac;
		WRITE_ONCE(run.start.ns, start.ns);
	}
	WRITE_ONCE(run.at, at);
}

static __always_inline int make(struct xdp_md *ctx, const struct replay_rec *rec, __u64 now_ns)
{
	__u32 bytes = rec->buf_bytes, now_bytes = ctx->data_end - ctx->data;

	if (bytes < 14 || bytes > REPLAY_MAX_BYTES)
		return XDP_ABORTED;
	if (now_bytes != bytes && bpf_xdp_adjust_tail(ctx, (int)(bytes - now_bytes)) < 0)
		return XDP_ABORTED;
	/* All of it: a page that comes back holds another packet. */
	if (write_start(ctx, rec->bytes, bytes) < 0)
		return XDP_ABORTED;
	if (rec->tag_offset && tag_packet(ctx, rec->tag_offset, now_ns) < 0)
		return XDP_ABORTED;
	go_on(rec, bytes);
	return into_stack ? XDP_PASS : XDP_TX;
}

/* False if the packet's slot is not due yet, or will not be used. */
static __always_inline int take_slot(const struct replay_rec *rec, __u64 now_ns)
{
	__u64 slot_ns = run.start.ns + rec->slot_ns, late_ns;

	if (run.end_ns && slot_ns >= run.end_ns) {
		WRITE_ONCE(run.ended, 1);
		return 0;
	}
	if (now_ns < slot_ns)
		return 0;
	late_ns = now_ns - slot_ns;
	ADD_ONCE(run.late_sum_ns, late_ns);
	if (late_ns > run.late_max_ns)
		WRITE_ONCE(run.late_max_ns, late_ns);
	if (!run.first_mono_ns)
		WRITE_ONCE(run.first_mono_ns, now_ns);
	WRITE_ONCE(run.last_mono_ns, now_ns);
	WRITE_ONCE(run.last_slot_ns, slot_ns);
	return 1;
}

/* As fast as possible, or paced by spinning: every run checks whether the slot is due. */
SEC("xdp")
int replay_xdp(struct xdp_md *ctx)
{
	const struct replay_rec *rec = next_rec();
	__u64 now_ns = 0;

	if (!rec || is_finished())
		return XDP_DROP;
	if (run.paced) {
		now_ns = bpf_ktime_get_ns();
		if (!take_slot(rec, now_ns))
			return XDP_DROP;
	}
	return make(ctx, rec, now_ns);
}

/* Paced, one packet per batch: waits for a slot that is near. */
SEC("xdp")
int replay_xdp_slot(struct xdp_md *ctx)
{
	const struct replay_rec *rec = next_rec();
	__u64 now_ns;
	int i;

	if (!rec || is_finished())
		return XDP_DROP;
	for (i = 0; i < WAIT_READS; i++) {
		now_ns = bpf_ktime_get_ns();
		if (take_slot(rec, now_ns))
			return make(ctx, rec, now_ns);
		if (run.ended)
			break;
	}
	return XDP_DROP;
}

static __always_inline void add_refused(__u32 frames)
{
	if (bpf_get_smp_processor_id() == run.cpu)
		ADD_ONCE(run.refused, frames);
}

REFUSED_PROGRAMS(add_refused)
