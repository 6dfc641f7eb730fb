/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/fragment.bpf.h - can a frame be split into fragments of IP?
 *
 * As fragment_plan() of user/proto/fragment.c says, which splits it afterwards.
 */
#ifndef LIB_FRAGMENT_BPF_H
#define LIB_FRAGMENT_BPF_H

#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>

#include "lib/core.bpf.h"
#include "lib/frame_sum.bpf.h"
#include "lib/parse.bpf.h"

#define FRAGMENT_MAX_TAGS	2
#define FRAGMENT_OFFSET		0x1fff	/* in units of 8 bytes */

/* Of @data bytes that start at offset @first, in pieces of @piece_bytes. */
static __always_inline int fragment_fits(__u32 first, __u32 data, __u32 piece_bytes)
{
	__u32 pieces = (data - 1) / piece_bytes;	/* before the last */

	return first + pieces * (piece_bytes / 8) <= FRAGMENT_OFFSET;
}

static __always_inline int fragment_of_ip4(const struct iphdr *ip4, __u32 most_bytes, __u32 max_bytes)
{
	__u32 total = bpf_ntohs(ip4->tot_len), header = ip4->ihl * 4;

	if (header < sizeof(*ip4) || total < header + max_bytes + 1 || total > most_bytes)
		return 0;
	return fragment_fits(bpf_ntohs(ip4->frag_off) & FRAGMENT_OFFSET, total - header, max_bytes);
}

struct fragment_option {
	__u8 next;
	__u8 words;		/* in units of 8 bytes, without the first */
	__be16 offset;		/* of a fragment header, << 3 */
	__be32 identification;
};

static __always_inline int fragment_of_ip6(struct xdp_md *ctx, __u32 at, __u32 most_bytes, __u32 max_bytes)
{
	const struct ipv6hdr *ip6 = frame_at(ctx, at, sizeof(*ip6));
	__u32 header = 0, first = 0, total;
	const struct fragment_option *option;
	__u8 next;

	if (!ip6 || ip6->version != 6)
		return 0;
	total = bpf_ntohs(ip6->payload_len);
	next = ip6->nexthdr;
	at += sizeof(*ip6);
	option = frame_at(ctx, at, sizeof(*option));
	if (next == IPPROTO_HOPOPTS) {
		if (!option)
			return 0;
		next = option->next;
		header = (option->words + 1) * 8;
		option = frame_at(ctx, at + header, sizeof(*option));
	}
	if (next == IPPROTO_ROUTING || (next == IPPROTO_DSTOPTS && (!option || option->next == IPPROTO_ROUTING)))
		return 0;
	if (next == IPPROTO_FRAGMENT) {
		if (!option)
			return 0;
		first = bpf_ntohs(option->offset) >> 3;
		header += sizeof(*option);
	}
	if (total < header + max_bytes + 1 || sizeof(*ip6) + total > most_bytes)
		return 0;
	/* So that the first fragment, with its own header, is no longer than the packet. */
	if (next != IPPROTO_FRAGMENT && total < header + max_bytes + sizeof(*option))
		max_bytes -= 8;
	return max_bytes && fragment_fits(first, total - header, max_bytes);
}

/*
 * 1 if the IP packet in @ctx, with its bytes as they are now, has more than @max_bytes of payload, a
 * multiple of 8. Verified by itself.
 */
__attribute__((noinline)) int fragment_is_possible(struct xdp_md *ctx, __u32 max_bytes)
{
	__u32 whole = parse_frame_bytes(ctx);
	const struct iphdr *ip4;
	__u32 at = ETH_HLEN, i;
	const __be16 *type;

	if (max_bytes < 8)
		return 0;
#pragma clang loop unroll(full)
	for (i = 0; i < FRAGMENT_MAX_TAGS; i++) {
		type = frame_at(ctx, at - sizeof(*type), sizeof(*type));
		if (type && (*type == bpf_htons(ETH_P_8021Q) || *type == bpf_htons(ETH_P_8021AD)))
			at += 4;
	}
	type = frame_at(ctx, at - sizeof(*type), sizeof(*type));
	ip4 = frame_at(ctx, at, sizeof(*ip4));
	if (!type || !ip4)
		return 0;
	if (*type == bpf_htons(ETH_P_IPV6))
		return fragment_of_ip6(ctx, at, whole - at, max_bytes);
	return *type == bpf_htons(ETH_P_IP) && ip4->version == 4 && fragment_of_ip4(ip4, whole - at, max_bytes);
}

#endif
