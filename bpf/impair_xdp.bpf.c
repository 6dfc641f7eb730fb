// SPDX-License-Identifier: GPL-2.0-only
/*
 * impair_xdp.bpf.c - apply the impairment plan to received packets.
 *
 * In:  any frame. Frames that do not match the filter are forwarded unmodified: to the stack, or
 * with two interfaces out of the other one, in the kernel.
 * Out: dropped, changed, or copied; or to user space with the fate in front, if the packet must be
 * delayed (abi/impair.h).
 */
#include "lib/impair.bpf.h"

#include <bpf/bpf_tracing.h>

#include "lib/complete.bpf.h"
#include "lib/device.bpf.h"
#include "lib/fragment.bpf.h"

char _license[] SEC("license") = "GPL";

/* Source and target, as the tracepoint reports them. */
const volatile int in_ifindex, out_ifindex;
const volatile __u32 netns_inode;

/* enum impair_completes; not constant, as the mode is only known once the program is attached. */
int completes;

/* Entry 0: the other interface. */
struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__type(key, __u32);
	__type(value, __u32);
	__uint(max_entries, 1);
} impair_out SEC(".maps");

/* The other interface once for the packet and once per copy: a broadcast sends to all entries. */
struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__type(key, __u32);
	__type(value, __u32);
	__uint(max_entries, 1);		/* copies + 1, set before load */
} impair_copies SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_XSKMAP);
	__type(key, __u32);
	__type(value, __u32);
	__uint(max_entries, 1);		/* receive queues, set before load */
} impair_xsks SEC(".maps");

static __always_inline int frame_xor(void *ctx, __u32 at, __u8 mask)
{
	struct xdp_md *xdp = ctx;
	void *data, *end;
	__u8 *p, byte;

	if (has_frags) {
		if (bpf_xdp_load_bytes(xdp, at, &byte, 1))
			return -1;
		byte ^= mask;
		return mask && bpf_xdp_store_bytes(xdp, at, &byte, 1) ? -1 : byte;
	}
	data = (void *)(long)xdp->data;
	end = (void *)(long)xdp->data_end;
	/*
	 * The bound must be visible on the register that is added: keep the compiler from moving
	 * it.
	 */
	at &= 0x3fff;
	__asm__ volatile("" : "+r"(at));
	p = data + at;
	if ((void *)(p + 1) > end)
		return -1;
	byte = *p ^ mask;
	*p = byte;
	return byte;
}

static __always_inline void cut(struct xdp_md *ctx, struct decision *d, struct impair_rec *rec)
{
	if (d->buf_bytes <= d->cut_bytes ||
	    bpf_xdp_adjust_tail(ctx, (int)d->cut_bytes - (int)d->buf_bytes))
		is_unable(d, rec, IMPAIR_TRUNCATE);
}

/* The program can fail here only before anything has been counted as done. */
static __always_inline int put_fate(struct xdp_md *ctx, const struct decision *d)
{
	struct impair_fate *fate;

	if (bpf_xdp_adjust_meta(ctx, -(int)sizeof(*fate)))
		return -1;
	fate = (void *)(long)ctx->data_meta;
	if ((void *)(fate + 1) > (void *)(long)ctx->data)
		return -1;
	fate->ordinal = d->ordinal;
	fate->arrived_mono_ns = d->now_ns;
	fate->kinds = d->kinds & (1 << IMPAIR_FRAGMENT | 1 << IMPAIR_DUPLICATE |
				  1 << IMPAIR_REORDER | 1 << IMPAIR_DELAY);
	fate->copies = d->copies;
	fate->places = d->places;
	fate->fragment_bytes = d->fragment_bytes;
	fate->magic = IMPAIR_MAGIC;
	fate->delay_rule = d->delay_rule;
	return 0;
}

static __always_inline int to_user(struct xdp_md *ctx, const struct decision *d,
				   struct impair_rec *rec)
{
	if (put_fate(ctx, d)) {
		ADD_ONCE(rec->no_meta, 1);
	} else if (bpf_redirect_map(&impair_xsks, ctx->rx_queue_index, XDP_DROP) == XDP_REDIRECT) {
		ADD_ONCE(rec->to_user, 1);
		return XDP_REDIRECT;
	}
	ADD_ONCE(rec->failed, 1);
	return XDP_DROP;
}

static __always_inline int onward(void)
{
	return plan.onward == IMPAIR_PASS ? XDP_PASS : bpf_redirect_map(&impair_out, 0, XDP_DROP);
}

static __always_inline int hand_on(struct xdp_md *ctx, const struct decision *d,
				   struct impair_rec *rec)
{
	__u32 copies = has_kind(d, IMPAIR_DUPLICATE) ? d->copies : 0;
	int action;

	if (plan.to_user)
		return to_user(ctx, d, rec);
	if (copies)
		action = bpf_redirect_map(&impair_copies, 0, BPF_F_BROADCAST);
	else
		action = onward();
	if (action != XDP_PASS && action != XDP_REDIRECT) {
		ADD_ONCE(rec->failed, 1);
		return XDP_DROP;
	}
	ADD_ONCE(rec->passed, 1);
	ADD_ONCE(rec->copies, copies);
	return action;
}

SEC("xdp")
int impair_xdp(struct xdp_md *ctx)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct impair_rec *rec = bpf_map_lookup_elem(&impair_recs, &cpu);
	enum parse_result parsed;
	struct decision *d;
	struct packet pkt;
	int action;

	if (!rec)
		return XDP_PASS;
	parsed = parse_packet(ctx, &pkt);
	d = decide(&pkt, parsed, rec);
	if (parsed == PARSE_L4 && (completes == IMPAIR_COMPLETE_ALL || (completes && d)) &&
	    complete_checksum(ctx, pkt.l3 - pkt.data, pkt.l4 - pkt.data, pkt.proto, pkt.version))
		ADD_ONCE(rec->completed, 1);
	if (!d)
		return onward();
	if (has_kind(d, IMPAIR_LOSS)) {
		ADD_ONCE(rec->lost, 1);
		action = XDP_DROP;
	} else {
		change(ctx, frame_xor, d, rec);
		if (has_kind(d, IMPAIR_TRUNCATE))
			cut(ctx, d, rec);
		if (has_kind(d, IMPAIR_FRAGMENT) && !fragment_is_possible(ctx, d->fragment_bytes))
			is_unable(d, rec, IMPAIR_FRAGMENT);
		action = hand_on(ctx, d, rec);
	}
	count_done(d, rec);
	report(d, rec);
	return action;
}

/* Run by BPF_PROG_TEST_RUN to test whether this kernel supports broadcast (5.13). */
SEC("xdp")
int impair_probe(struct xdp_md *ctx)
{
	return bpf_redirect_map(&impair_copies, 0, BPF_F_BROADCAST);
}

/* Optional: frames refused by the other interface's driver. */
SEC("tp_btf/xdp_devmap_xmit")
int BPF_PROG(impair_refused, const struct net_device___own *from,
	     const struct net_device___own *to, int sent, int drops, int err)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct impair_rec *rec = bpf_map_lookup_elem(&impair_recs, &cpu);

	if (rec && drops > 0 && device_is(from, in_ifindex, netns_inode) &&
	    device_is(to, out_ifindex, netns_inode))
		ADD_ONCE(rec->refused, drops);
	return 0;
}

/* Optional: frames dropped earlier: too long for the other interface, or it is down. */
SEC("tp_btf/xdp_redirect_err")
int BPF_PROG(impair_failed, const struct net_device___own *from)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct impair_rec *rec = bpf_map_lookup_elem(&impair_recs, &cpu);

	if (rec && !plan.to_user && device_is(from, in_ifindex, netns_inode))
		ADD_ONCE(rec->refused, 1);
	return 0;
}
