// SPDX-License-Identifier: GPL-2.0-only
/*
 * bare.bpf.c - the least that live frames can do: send a page in which nothing
 * is written, and drop what arrives. What this reaches is the ceiling of the
 * machine, and every other sender is told as a share of it.
 *
 * In: any frame. bare_send answers XDP_TX, bare_drop counts and answers XDP_DROP;
 * bare_count is the least that an observer at tc can do, and bare_eat ends
 * packets behind all observers, without a drop.
 */
#include "lib/core.bpf.h"

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

SEC("xdp")
int bare_send(struct xdp_md *ctx)
{
	return XDP_TX;
}

SEC("xdp")
int bare_drop(struct xdp_md *ctx)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct bare_rec *rec = bpf_map_lookup_elem(&bare_recs, &cpu);
	__u64 packets, now_ns;

	if (!rec)
		return XDP_ABORTED;
	packets = rec->packets;
	WRITE_ONCE(rec->packets, packets + 1);
	ADD_ONCE(rec->bytes, ctx->data_end - ctx->data);
	if (packets % BARE_STAMP_EVERY)
		return XDP_DROP;
	now_ns = bpf_ktime_get_ns();
	if (!rec->first_mono_ns) {
		WRITE_ONCE(rec->first_packets, packets);
		WRITE_ONCE(rec->first_mono_ns, now_ns);
	}
	WRITE_ONCE(rec->last_packets, packets);
	WRITE_ONCE(rec->last_mono_ns, now_ns);
	return XDP_DROP;
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
