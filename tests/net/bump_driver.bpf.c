// SPDX-License-Identifier: GPL-2.0-only
/*
 * bump_driver.bpf.c - every IP packet goes to the bump, with a fate in front.
 */
#include <linux/if_ether.h>

#include "lib/core.bpf.h"

#include "bump_driver.h"

char _license[] SEC("license") = "GPL";

const volatile struct bump_driver_cfg cfg;

/* Locked, as atomic operations that return a value require Linux 5.12. */
struct ordinals {
	struct bpf_spin_lock lock;
	__u64 next;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__type(key, __u32);
	__type(value, struct ordinals);
	__uint(max_entries, 1);
} ordinals SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_XSKMAP);
	__type(key, __u32);
	__type(value, __u32);
	__uint(max_entries, 64);
} xsks SEC(".maps");

SEC("xdp")
int bump_driver(struct xdp_md *ctx)
{
	struct ethhdr *eth = (void *)(long)ctx->data;
	struct ordinals *slot;
	struct impair_fate *fate;
	__u64 ordinal;
	__u32 key = 0;

	if ((void *)(eth + 1) > (void *)(long)ctx->data_end || eth->h_proto == bpf_htons(ETH_P_ARP))
		return XDP_PASS;
	slot = bpf_map_lookup_elem(&ordinals, &key);
	if (!slot)
		return XDP_ABORTED;
	bpf_spin_lock(&slot->lock);
	ordinal = slot->next++;
	bpf_spin_unlock(&slot->lock);
	if (cfg.bare)
		return bpf_redirect_map(&xsks, ctx->rx_queue_index, XDP_ABORTED);
	if (bpf_xdp_adjust_meta(ctx, -(int)sizeof(*fate)))
		return XDP_ABORTED;
	fate = (void *)(long)ctx->data_meta;
	if ((void *)(fate + 1) > (void *)(long)ctx->data)
		return XDP_ABORTED;
	fate->ordinal = ordinal;
	fate->arrived_mono_ns = bpf_ktime_get_ns();
	fate->kinds = cfg.fate.kinds;
	if (ordinal % (cfg.every ? cfg.every : 1) != cfg.phase)
		fate->kinds &= 1 << IMPAIR_DELAY;
	fate->copies = cfg.fate.copies;
	fate->places = cfg.fate.places;
	fate->fragment_bytes = cfg.fate.fragment_bytes;
	fate->magic = IMPAIR_MAGIC;
	fate->delay_rule = cfg.fate.delay_rule;
	return bpf_redirect_map(&xsks, ctx->rx_queue_index, XDP_ABORTED);
}
