// SPDX-License-Identifier: GPL-2.0-only
/*
 * impair_tc.bpf.c - apply the impairment plan to packets on their way to the driver.
 *
 * In:  any outgoing packet, as the stack delivers it: a segment that the device will split (GSO) is
 * one packet, and a checksum left to the device is not filled in yet.
 * Out: dropped, changed, copied, or unmodified, also for the programs after this one.
 */
#include "abi/beat.h"
#include "lib/impair.bpf.h"

#include <linux/pkt_cls.h>

char _license[] SEC("license") = "GPL";

#define HEADER_BYTES 256	/* required in the linear part for parsing */

MAPPED_ARRAY(tc_beat, __u64);

static __always_inline int is_stopped(void)
{
	__u32 zero = 0;
	const volatile __u64 *beat_ns = bpf_map_lookup_elem(&tc_beat, &zero);
	__u64 last_ns = beat_ns ? *beat_ns : 0;

	return last_ns && bpf_ktime_get_ns() > last_ns + TC_BEAT_NS;
}

static __always_inline int frame_xor(void *ctx, __u32 at, __u8 mask)
{
	__u8 byte;

	if (bpf_skb_load_bytes(ctx, at, &byte, 1))
		return -1;
	byte ^= mask;
	return mask && bpf_skb_store_bytes(ctx, at, &byte, 1, 0) ? -1 : byte;
}

static __always_inline enum parse_result parse_skb(struct __sk_buff *skb, struct packet *pkt)
{
	__u32 bytes = skb->len < HEADER_BYTES ? skb->len : HEADER_BYTES;

	if ((void *)(long)skb->data + bytes > (void *)(long)skb->data_end)
		bpf_skb_pull_data(skb, bytes);
	pkt->data = (void *)(long)skb->data;
	pkt->end = (void *)(long)skb->data_end;
	pkt->buf_bytes = skb->len;
	return parse_frame(pkt);
}

/* The kernel cuts no packet below its headers here. */
static __always_inline void cut(struct __sk_buff *skb, struct decision *d, struct impair_rec *rec)
{
	if (d->buf_bytes <= d->cut_bytes || bpf_skb_change_tail(skb, d->cut_bytes, 0))
		is_unable(d, rec, IMPAIR_TRUNCATE);
}

/* A copy passes here immediately, on this CPU, and is ignored. */
static __always_inline void copy(struct __sk_buff *skb, const struct decision *d,
				 struct impair_rec *rec)
{
	__u32 i;

	for (i = 0; i < 64 && i < d->copies; i++) {
		rec->copying = 1;
		if (!bpf_clone_redirect(skb, skb->ifindex, 0))
			ADD_ONCE(rec->copies, 1);
		else
			ADD_ONCE(rec->refused, 1);
		rec->copying = 0;
	}
}

SEC("tc")
int impair_tc(struct __sk_buff *skb)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct impair_rec *rec = bpf_map_lookup_elem(&impair_recs, &cpu);
	enum parse_result parsed;
	int action = TC_ACT_UNSPEC;
	struct decision *d;
	struct packet pkt;

	if (!rec || rec->copying)
		return TC_ACT_UNSPEC;
	if (is_stopped()) {
		ADD_ONCE(rec->bypassed, 1);
		return TC_ACT_UNSPEC;
	}
	parsed = parse_skb(skb, &pkt);
	d = decide(&pkt, parsed, rec);
	if (!d)
		return TC_ACT_UNSPEC;
	if (has_kind(d, IMPAIR_LOSS)) {
		ADD_ONCE(rec->lost, 1);
		action = TC_ACT_SHOT;
	} else {
		change(skb, frame_xor, d, rec);
		if (has_kind(d, IMPAIR_TRUNCATE))
			cut(skb, d, rec);
		if (has_kind(d, IMPAIR_DUPLICATE))
			copy(skb, d, rec);
		ADD_ONCE(rec->passed, 1);
	}
	count_done(d, rec);
	report(d, rec);
	return action;
}
