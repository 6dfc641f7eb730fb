// SPDX-License-Identifier: GPL-2.0-only
/*
 * reflect_xdp.bpf.c - return test packets from the driver hook.
 *
 * In: Ethernet, up to two VLAN tags, IPv4 or IPv6, UDP to cfg.port or an echo request, to an address
 * of the interface or of a pool.
 * Out: the same bytes with MAC addresses, IP addresses and ports swapped, and UDP's TTL less one; an
 * echo request turned into a reply. Never longer than the request.
 * Above its source's rate: dropped. Otherwise: passed to the stack unmodified. Counted by reason.
 */
#include "lib/reflect.bpf.h"

char _license[] SEC("license") = "GPL";

SEC("xdp")
int reflect_xdp(struct xdp_md *ctx)
{
	enum reflect_outcome outcome;
	struct packet pkt;

	outcome = judge(ctx, &pkt);
	if (outcome == REFLECT_UDP && !take_hop(&pkt))
		outcome = REFLECT_UNSAFE;
	if (outcome == REFLECT_UDP)
		answer_udp(&pkt);
	else if (outcome == REFLECT_ICMP)
		answer_icmp(&pkt);
	count(outcome, pkt.buf_bytes);
	return action_of(outcome);
}
