/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/impair.bpf.h - decide how a packet is impaired, and apply what can be applied to its bytes;
 * for both the XDP and the tc program (abi/impair.h).
 *
 * A decision is in a map's memory, not on the stack: the verifier then knows nothing about its
 * values and sees the same state after each rule, whatever the decision.
 */
#ifndef LIB_IMPAIR_BPF_H
#define LIB_IMPAIR_BPF_H

#include "abi/impair.h"
#include "lib/core.bpf.h"
#include "lib/filter.bpf.h"
#include "lib/parse.bpf.h"
#include "lib/tag.bpf.h"

const volatile struct impair_plan plan;

/*
 * XORs @mask into the byte at offset @at of the frame; returns the new value, or a negative number
 * if there is no such byte. Each program has its own, which is inlined.
 */
typedef int frame_xor_fn(void *ctx, __u32 at, __u8 mask);

struct impair_slot {
	struct bpf_spin_lock lock;
	__u32 bad;		/* bit n: the chain of rule n is in its bad state */
	__u64 next;		/* ordinal */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__type(key, __u32);
	__type(value, struct impair_slot);
	__uint(max_entries, 1);
} impair_slots SEC(".maps");

MAPPED_ARRAY(impair_recs, struct impair_rec);	/* CPUs, set before load */

/* Ordinal to the rules that list it, as bits. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__type(key, __u64);
	__type(value, __u32);
	__uint(max_entries, 1);		/* set before load */
} impair_lists SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);	/* bytes; with plan.events more, set before load */
} impair_events SEC(".maps");

/* The decision for the current packet. */
struct decision {
	__u64 ordinal;
	__u64 now_ns;		/* 0: not needed */
	__u32 kinds;
	__u32 listed, bad;	/* bits of rules, for this ordinal */
	__u32 buf_bytes;
	__u32 check_at;		/* offset of the checksum to corrupt; 0: none */
	__u32 check_is_udp;
	__u32 ip_at;		/* offset of the IP header; 0: none */
	__u32 version, dscp;
	__u32 corrupt_bits, corrupt_offset, corrupt_rule;
	__u32 cut_bytes, fragment_bytes, copies, places, delay_rule;
	__u32 first_bit;
	__be32 sequence;
	__be16 stream;
	__u16 tagged;
	__u32 bits[IMPAIR_MAX_BITS];
};

CPU_SCRATCH(decisions, struct decision);

static __always_inline int has_kind(const struct decision *d, enum impair_kind kind)
{
	return d->kinds >> kind & 1;
}

/*
 * A flag instead of a pointer that may be NULL: after comparing a packet pointer with NULL, the
 * verifier assumes NULL, also for L4 (6.18).
 */
static __always_inline int is_udp(const struct packet *pkt, enum parse_result parsed)
{
	return parsed == PARSE_L4 && pkt->proto == IPPROTO_UDP &&
	       pkt->l4 + sizeof(struct udphdr) <= pkt->end;
}

/* The offsets of the IP header and of the checksum to corrupt: L4's, otherwise the IPv4 header's. */
static __always_inline void find_fields(struct decision *d, const struct packet *pkt,
				       enum parse_result parsed)
{
	const struct udphdr *udp = pkt->l4;
	__u32 field = 0;

	d->check_at = 0;
	d->check_is_udp = 0;
	d->ip_at = 0;
	if (parsed == PARSE_MALFORMED || !pkt->version)
		return;
	d->ip_at = pkt->l3 - pkt->data;
	d->version = pkt->version;
	if (parsed == PARSE_L4) {
		if (pkt->proto == IPPROTO_TCP)
			field = 16;
		else if (pkt->proto == IPPROTO_ICMP || pkt->proto == IPPROTO_ICMPV6)
			field = 2;
		else if (is_udp(pkt, parsed) && udp->check)
			field = d->check_is_udp = offsetof(struct udphdr, check);
	}
	if (field)
		d->check_at = pkt->l4 - pkt->data + field;
	else if (pkt->version == 4)
		d->check_at = (void *)&pkt->ip4->check - pkt->data;
}

/* No helper may be called while the lock is held. */
static __always_inline int take_number(struct decision *d)
{
	struct impair_slot *slot;
	__u32 key = 0, bad, i;
	__u64 ordinal;

	slot = bpf_map_lookup_elem(&impair_slots, &key);
	if (!slot)
		return -1;
	bpf_spin_lock(&slot->lock);
	ordinal = slot->next++;
	bad = slot->bad;
#pragma unroll
	for (i = 0; i < IMPAIR_MAX_RULES; i++) {
		const volatile struct impair_rule *rule = &plan.rules[i];
		__u64 draw;

		if (i >= plan.nr_rules || rule->pick != IMPAIR_GILBERT)
			continue;
		draw = impair_random(plan.seed, i, IMPAIR_DRAW_CHAIN, ordinal) >> 32;
		if (draw < (bad >> i & 1 ? rule->r : rule->p))
			bad ^= 1u << i;
	}
	slot->bad = bad;
	bpf_spin_unlock(&slot->lock);
	d->ordinal = ordinal;
	d->bad = bad;
	return 0;
}

static __always_inline int is_taken(const volatile struct impair_rule *rule, __u32 number,
				    const struct decision *d)
{
	__u64 threshold = rule->p;

	switch (rule->pick) {
	case IMPAIR_EVERY:
		return rule->every == 1 || d->ordinal % rule->every == rule->phase;
	case IMPAIR_LIST:
		return d->listed >> number & 1;
	case IMPAIR_GILBERT:
		threshold = d->bad >> number & 1 ? rule->in_bad : rule->in_good;
	}
	return impair_random(plan.seed, number, IMPAIR_DRAW_PICK, d->ordinal) >> 32 < threshold;
}

static __always_inline void add_kind(struct decision *d, const volatile struct impair_rule *rule,
				     __u32 number)
{
	if (has_kind(d, rule->kind))
		return;
	d->kinds |= 1u << rule->kind;
	switch (rule->kind) {
	case IMPAIR_REMARK:
		d->dscp = rule->arg;
		break;
	case IMPAIR_CORRUPT:
		d->corrupt_bits = rule->arg;
		d->corrupt_offset = rule->offset;
		d->corrupt_rule = number;
		break;
	case IMPAIR_TRUNCATE:
		d->cut_bytes = rule->arg;
		break;
	case IMPAIR_FRAGMENT:
		d->fragment_bytes = rule->arg;
		break;
	case IMPAIR_DUPLICATE:
		d->copies = rule->arg;
		break;
	case IMPAIR_REORDER:
		d->places = rule->arg;
		break;
	case IMPAIR_DELAY:
		d->delay_rule = number;
		break;
	}
}

static __always_inline void ask_rules(struct decision *d)
{
	__u32 *listed, i, lists = 0;

#pragma unroll
	for (i = 0; i < IMPAIR_MAX_RULES; i++) {
		if (i < plan.nr_rules && plan.rules[i].pick == IMPAIR_LIST)
			lists = 1;
	}
	listed = lists ? bpf_map_lookup_elem(&impair_lists, &d->ordinal) : NULL;
	d->listed = listed ? *listed : 0;
	d->kinds = 0;
	d->copies = 0;
	d->places = 0;
	d->fragment_bytes = 0;
	d->delay_rule = 0;
#pragma unroll
	for (i = 0; i < IMPAIR_MAX_RULES; i++) {
		if (i < plan.nr_rules && is_taken(&plan.rules[i], i, d))
			add_kind(d, &plan.rules[i], i);
		/* Or the compiler keeps the decision in registers: 5 times the instructions to verify. */
		barrier();
	}
	if (has_kind(d, IMPAIR_LOSS))
		d->kinds = 1 << IMPAIR_LOSS;
}

/* NULL: the rules do not apply to this packet. */
static __always_inline struct decision *decide(const struct packet *pkt, enum parse_result parsed,
					       struct impair_rec *rec)
{
	const struct tag_fields *tag = NULL;
	struct tag_fields fields;
	struct decision *d;
	__u32 key = 0;

	if ((plan.events || (plan.filter.by & IMPAIR_BY_STREAM)) && is_udp(pkt, parsed) &&
	    tag_find(pkt, pkt->l4, &fields))
		tag = &fields;
	d = bpf_map_lookup_elem(&decisions, &key);
	if (!d || (!plan.nr_rules && !plan.to_user) || !filter_matches(&plan.filter, pkt, parsed, tag) ||
	    take_number(d)) {
		ADD_ONCE(rec->unmatched, 1);
		return NULL;
	}
	ADD_ONCE(rec->seen, 1);
	ADD_ONCE(rec->seen_bytes, pkt->buf_bytes);
	d->buf_bytes = pkt->buf_bytes;
	d->tagged = !!tag;
	d->stream = tag ? bpf_htons(tag->stream) : 0;
	d->sequence = tag ? bpf_htonl(tag->sequence) : 0;
	find_fields(d, pkt, parsed);
	ask_rules(d);
	d->now_ns = plan.to_user || (plan.events && d->kinds) ? bpf_ktime_get_ns() : 0;
	return d;
}

static __always_inline void is_unable(struct decision *d, struct impair_rec *rec,
				      enum impair_kind kind)
{
	d->kinds &= ~(1u << kind);
	ADD_ONCE(rec->unable, 1);
}

/* 1 if equal, without the branch that would double the verifier's paths. */
static __always_inline __u32 is_same(__u32 a, __u32 b)
{
	return (__u32)(((__u64)(a ^ b) - 1) >> 63);
}

/*
 * Distinct bits, all sets equally likely (Floyd's algorithm: Bentley 1987): number k is one of the
 * first n - bits + k + 1, or the last of these if it was drawn already. Bit 0 is the highest of the
 * first byte.
 */
static __always_inline void corrupt(void *ctx, frame_xor_fn *frame_xor, struct decision *d,
				    struct impair_rec *rec)
{
	__u32 bits = d->corrupt_bits, from = d->corrupt_offset * 8, n, k, i;

	if (d->buf_bytes * 8 < from + bits) {
		is_unable(d, rec, IMPAIR_CORRUPT);
		return;
	}
	n = d->buf_bytes * 8 - from;
	for (k = 0; k < IMPAIR_MAX_BITS; k++) {
		__u32 last = n - bits + k, bit, had = 0;

		if (k >= bits)
			break;
		bit = ((impair_random(plan.seed, d->corrupt_rule, IMPAIR_DRAW_VALUE + k,
				      d->ordinal) >> 32) * (last + 1)) >> 32;
		for (i = 0; i < k; i++)
			had |= is_same(d->bits[i], bit);
		bit ^= (bit ^ last) & -had;
		d->bits[k] = bit;
		if (!k)
			d->first_bit = from + bit;
		bit += from;
		frame_xor(ctx, bit / 8, 0x80 >> bit % 8);
	}
}

/* Never equal in one's complement, and never UDP's 0, which means no checksum. */
static __always_inline void spoil_check(void *ctx, frame_xor_fn *frame_xor, struct decision *d,
					struct impair_rec *rec)
{
	int high = -1, low = -1;
	__u8 mask = 1;

	if (d->check_at) {
		high = frame_xor(ctx, d->check_at, 0);
		low = frame_xor(ctx, d->check_at + 1, 0);
	}
	if (high < 0 || low < 0) {
		is_unable(d, rec, IMPAIR_CHECKSUM);
		return;
	}
	if (d->check_is_udp && !high && low == 1)
		mask = 2;
	frame_xor(ctx, d->check_at + 1, mask);
}

/* IPv4's type of service or IPv6's traffic class: DSCP and ECN; negative: there is none. */
static __always_inline int read_class(void *ctx, frame_xor_fn *frame_xor, const struct decision *d)
{
	int high = -1, low = -1;

	if (d->ip_at) {
		high = frame_xor(ctx, d->ip_at, 0);
		low = frame_xor(ctx, d->ip_at + 1, 0);
	}
	if (high < 0 || low < 0)
		return -1;
	return d->version == 4 ? low : (high & 0xf) << 4 | low >> 4;
}

/* A wrong header checksum stays wrong (RFC 1624). */
static __always_inline void write_class(void *ctx, frame_xor_fn *frame_xor, const struct decision *d, int from,
					int to)
{
	__u32 at = d->ip_at + offsetof(struct iphdr, check), sum;
	int high, low;

	if (d->version != 4) {
		frame_xor(ctx, d->ip_at, (from ^ to) >> 4);
		frame_xor(ctx, d->ip_at + 1, (from ^ to) << 4);
		return;
	}
	frame_xor(ctx, d->ip_at + 1, from ^ to);
	high = frame_xor(ctx, at, 0);
	low = frame_xor(ctx, at + 1, 0);
	sum = (~(high << 8 | low) & 0xffff) + 0xffff - from + to;
	sum = ~((sum & 0xffff) + (sum >> 16));
	frame_xor(ctx, at, high ^ sum >> 8);
	frame_xor(ctx, at + 1, low ^ sum);
}

static __always_inline void mark(void *ctx, frame_xor_fn *frame_xor, struct decision *d, struct impair_rec *rec)
{
	int class = read_class(ctx, frame_xor, d), marked = class;

	if (has_kind(d, IMPAIR_CE)) {
		/* Not-ECT, or marked before. */
		if (class < 0 || !(class & 3) || (class & 3) == 3)
			is_unable(d, rec, IMPAIR_CE);
		else
			marked |= 3;
	}
	if (has_kind(d, IMPAIR_REMARK)) {
		if (class < 0)
			is_unable(d, rec, IMPAIR_REMARK);
		else
			marked = (marked & 3) | d->dscp << 2;
	}
	if (marked != class)
		write_class(ctx, frame_xor, d, class, marked);
}

/* What changes bytes of the frame, and nothing else of it. */
static __always_inline void change(void *ctx, frame_xor_fn *frame_xor, struct decision *d,
				   struct impair_rec *rec)
{
	if (has_kind(d, IMPAIR_CE) || has_kind(d, IMPAIR_REMARK))
		mark(ctx, frame_xor, d, rec);
	if (has_kind(d, IMPAIR_CORRUPT))
		corrupt(ctx, frame_xor, d, rec);
	if (has_kind(d, IMPAIR_CHECKSUM))
		spoil_check(ctx, frame_xor, d, rec);
}

static __always_inline void report(const struct decision *d, struct impair_rec *rec)
{
	struct impair_event *event;

	if (!plan.events || !d->kinds)
		return;
	event = bpf_ringbuf_reserve(&impair_events, sizeof(*event), 0);
	if (!event) {
		ADD_ONCE(rec->events_lost, 1);
		return;
	}
	event->ordinal = d->ordinal;
	event->mono_ns = d->now_ns;
	event->kinds = d->kinds;
	event->buf_bytes = d->buf_bytes;
	event->first_bit = has_kind(d, IMPAIR_CORRUPT) ? d->first_bit : 0;
	event->sequence = d->sequence;
	event->stream = d->stream;
	event->tagged = d->tagged;
	event->direction = plan.direction;
	event->copies = d->copies;
	event->cut_bytes = has_kind(d, IMPAIR_TRUNCATE) ? d->cut_bytes : 0;
	bpf_ringbuf_submit(event, 0);
}

static __always_inline void count_done(const struct decision *d, struct impair_rec *rec)
{
	enum impair_kind kind;

#pragma unroll
	for (kind = 0; kind < IMPAIR_KINDS; kind++) {
		if (has_kind(d, kind))
			ADD_ONCE(rec->done[kind], 1);
	}
}

#endif
