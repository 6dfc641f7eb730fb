/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/fragment.bpf.h - can a frame be split into IPv4 fragments?
 *
 * As fragment_plan() of user/proto/fragment.c says, which splits it afterwards.
 */
#ifndef LIB_FRAGMENT_BPF_H
#define LIB_FRAGMENT_BPF_H

#include <linux/if_ether.h>
#include <linux/ip.h>

#include "lib/core.bpf.h"
#include "lib/frame_sum.bpf.h"

#define FRAGMENT_MAX_TAGS	2
#define FRAGMENT_OFFSET		0x1fff	/* in units of 8 bytes */

/*
 * 1 if the IPv4 packet in @ctx, with its bytes as they are now, has more than @max_bytes of payload, a
 * multiple of 8. Verified by itself.
 */
__attribute__((noinline)) int fragment_is_possible(struct xdp_md *ctx, __u32 max_bytes)
{
	__u32 linear = (void *)(long)ctx->data_end - (void *)(long)ctx->data;
	__u32 at = ETH_HLEN, total, header, pieces, i;
	const struct iphdr *ip4;
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
	if (!type || !ip4 || *type != bpf_htons(ETH_P_IP) || ip4->version != 4)
		return 0;
	total = bpf_ntohs(ip4->tot_len);
	header = ip4->ihl * 4;
	if (header < sizeof(*ip4) || total < header + max_bytes + 1 || at + total > linear)
		return 0;
	pieces = (total - header - 1) / max_bytes;	/* before the last */
	return (bpf_ntohs(ip4->frag_off) & FRAGMENT_OFFSET) + pieces * (max_bytes / 8) <= FRAGMENT_OFFSET;
}

#endif
