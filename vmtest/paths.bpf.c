// SPDX-License-Identifier: GPL-2.0
/*
 * The smallest programs of the packet path's branches, for vmtest/scenarios.
 *
 * vmtest/regress-guest pins them by name, and fills the maps. What they do
 * besides the verdict is nothing, so that a scenario costs what the kernel costs.
 */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>

#include <bpf/bpf_helpers.h>

#define PLANTED_TURNS 100

/* Written by user space once: where redirected frames go. */
struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} devices SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_CPUMAP);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} cpus SEC(".maps");

SEC("xdp")
int xdp_drop(struct xdp_md *ctx)
{
	return XDP_DROP;
}

/* A planted regression, to see that it is found. */
SEC("xdp")
int xdp_drop_slow(struct xdp_md *ctx)
{
	int turn;

	for (turn = 0; turn < PLANTED_TURNS; turn++)
		asm volatile("" : : "r"(turn));	/* or the loop is gone */
	return XDP_DROP;
}

SEC("xdp")
int xdp_pass(struct xdp_md *ctx)
{
	return XDP_PASS;
}

SEC("xdp")
int xdp_tx(struct xdp_md *ctx)
{
	return XDP_TX;
}

SEC("xdp")
int xdp_redirect(struct xdp_md *ctx)
{
	return bpf_redirect_map(&devices, 0, 0);
}

SEC("xdp")
int xdp_cpu(struct xdp_md *ctx)
{
	return bpf_redirect_map(&cpus, 0, 0);
}

SEC("tc")
int tc_drop(struct __sk_buff *skb)
{
	return TC_ACT_SHOT;
}

char LICENSE[] SEC("license") = "GPL";
