// SPDX-License-Identifier: GPL-2.0-only
/*
 * bare.bpf.c - the least that live frames can do: send a page in which nothing
 * is written, and drop what arrives. What this reaches is the ceiling of the
 * machine, and every other sender is told as a share of it.
 *
 * In: any frame. bare_send answers XDP_TX, bare_drop counts and answers XDP_DROP;
 * bare_bounce counts and bare_return does not, and both send what is ours back;
 * bare_count is the least that an observer at tc can do, and bare_eat ends
 * packets behind all observers, without a drop.
 */
#include "lib/core.bpf.h"

#include <linux/if_ether.h>
#include <linux/pkt_cls.h>

#include "bare.h"

char _license[] SEC("license") = "GPL";

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct bare_rec);
	__uint(max_entries, 1);		/* CPUs, set before load */
} bare_recs SEC(".maps");

__u32 ended;		/* bare_bounce sends nothing any more; user space writes it */

SEC("xdp")
int bare_send(struct xdp_md *ctx)
{
	return XDP_TX;
}

static __always_inline void count(struct xdp_md *ctx, struct bare_rec *rec)
{
	__u64 packets = rec->packets, now_ns;

	WRITE_ONCE(rec->packets, packets + 1);
	ADD_ONCE(rec->bytes, ctx->data_end - ctx->data);
	if (packets % BARE_STAMP_EVERY)
		return;
	now_ns = bpf_ktime_get_ns();
	if (!rec->first_mono_ns) {
		WRITE_ONCE(rec->first_packets, packets);
		WRITE_ONCE(rec->first_mono_ns, now_ns);
	} else if (~(now_ns - rec->last_mono_ns) > rec->not_fastest_ns) {
		WRITE_ONCE(rec->not_fastest_ns, ~(now_ns - rec->last_mono_ns));
	}
	WRITE_ONCE(rec->last_packets, packets);
	WRITE_ONCE(rec->last_mono_ns, now_ns);
}

SEC("xdp")
int bare_drop(struct xdp_md *ctx)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct bare_rec *rec = bpf_map_lookup_elem(&bare_recs, &cpu);

	if (!rec)
		return XDP_ABORTED;
	count(ctx, rec);
	return XDP_DROP;
}

/* Or this host's own traffic circulates, too. */
static __always_inline int is_bare(struct xdp_md *ctx)
{
	struct ethhdr *eth = (void *)(long)ctx->data;

	return (void *)(eth + 1) <= (void *)(long)ctx->data_end &&
	       eth->h_proto == bpf_htons(BARE_TYPE);
}

SEC("xdp")
int bare_return(struct xdp_md *ctx)
{
	return is_bare(ctx) ? XDP_TX : XDP_PASS;
}

SEC("xdp")
int bare_bounce(struct xdp_md *ctx)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct bare_rec *rec = bpf_map_lookup_elem(&bare_recs, &cpu);

	if (!rec)
		return XDP_ABORTED;
	if (!is_bare(ctx))
		return XDP_PASS;
	count(ctx, rec);
	return ended ? XDP_DROP : XDP_TX;
}

SEC("tc")
int bare_count(struct __sk_buff *ctx)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct bare_rec *rec = bpf_map_lookup_elem(&bare_recs, &cpu);

	if (rec) {
		ADD_ONCE(rec->packets, 1);
		ADD_ONCE(rec->bytes, ctx->len);
	}
	return TC_ACT_UNSPEC;
}

SEC("tc")
int bare_eat(struct __sk_buff *ctx)
{
	return TC_ACT_STOLEN;
}
