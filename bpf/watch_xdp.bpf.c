// SPDX-License-Identifier: GPL-2.0-only
/*
 * watch_xdp.bpf.c - count what an interface receives, in the driver.
 *
 * In: any frame, as on the wire except for what the NIC itself merged or removed. Counted in the
 * records of WATCH_RX. Out: always XDP_PASS, the frame unmodified.
 */
#include "lib/core.bpf.h"

#include "lib/taken.bpf.h"
#include "lib/watch.bpf.h"

char _license[] SEC("license") = "GPL";

TAKEN_FUNCTION(struct xdp_md)

SEC("xdp")
int watch_xdp(struct xdp_md *ctx)
{
	struct watch_wire wire = { .packets = 1, .queue = ctx->rx_queue_index + 1 };
	enum parse_result how;
	struct packet pkt;

	if (has_filter && !watch_tested(WATCH_RX, packet_taken(ctx)))
		return XDP_PASS;
	how = parse_packet(ctx, &pkt);
	if ((void *)(pkt.eth + 1) <= pkt.end)
		wire.tagged = pkt.eth->h_proto == bpf_htons(ETH_P_8021Q) ||
			      pkt.eth->h_proto == bpf_htons(ETH_P_8021AD);
	wire.last_bytes = watch_frame_bytes(pkt.buf_bytes);
	watch_count(WATCH_RX, &pkt, how, &wire, bpf_ktime_get_ns());
	return XDP_PASS;
}
