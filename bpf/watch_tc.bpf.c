// SPDX-License-Identifier: GPL-2.0-only
/*
 * watch_tc.bpf.c - count what an interface receives and sends, between driver and stack; flow_tc
 * does so where flows are asked for.
 *
 * In: any skb, including super-packets (TSO, GSO, GRO, LRO): counted as the packets that they are
 * on the wire. Out: always TC_ACT_UNSPEC, so that other attached programs decide as without this
 * one; under tcx this value is TCX_NEXT. The packet is not modified.
 */
#include "lib/core.bpf.h"

#include <linux/pkt_cls.h>

#include "lib/taken.bpf.h"
#include "lib/tc.bpf.h"
#include "lib/watch.bpf.h"

char _license[] SEC("license") = "GPL";

TAKEN_FUNCTION(struct __sk_buff)

static __always_inline void watch_skb(struct __sk_buff *ctx, enum watch_dir dir)
{
	enum parse_result how;
	struct watch_wire wire;
	struct packet pkt;

	if (has_filter && !watch_tested(dir, packet_taken(ctx)))
		return;
	how = skb_look(ctx, dir, &pkt, &wire);
	watch_count(dir, &pkt, how, &wire, bpf_ktime_get_ns());
}

SEC("tc")
int watch_tc_in(struct __sk_buff *ctx)
{
	watch_skb(ctx, WATCH_RX);
	return TC_ACT_UNSPEC;
}

SEC("tc")
int watch_tc_out(struct __sk_buff *ctx)
{
	watch_skb(ctx, WATCH_TX);
	return TC_ACT_UNSPEC;
}
