// SPDX-License-Identifier: GPL-2.0-only
/*
 * reflect_xdp.bpf.c - return test packets from the driver hook.
 *
 * In: Ethernet, up to two VLAN tags, IPv4 or IPv6, UDP to cfg.port or an echo request, to an address
 * of the interface or of a pool.
 * Out: the same bytes with MAC addresses, IP addresses and ports swapped, an echo request turned
 * into a reply. Never longer than the request.
 * Otherwise: passed to the stack unmodified, and counted by reason.
 */
#include "lib/reflect.bpf.h"

char _license[] SEC("license") = "GPL";

SEC("xdp")
int reflect_xdp(struct xdp_md *ctx)
{
	enum reflect_outcome outcome;
	int action = XDP_PASS;
	struct packet pkt;

	outcome = judge(ctx, &pkt);
	if (outcome == REFLECT_UDP) {
		answer_udp(&pkt);
		action = XDP_TX;
	} else if (outcome == REFLECT_ICMP) {
		answer_icmp(&pkt);
		action = XDP_TX;
	}
	count(outcome, pkt.buf_bytes);
	return action;
}
