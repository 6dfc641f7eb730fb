/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/complete.bpf.h - complete the checksum of UDP or TCP that a sender's stack left to its NIC.
 *
 * On veth and tap there is no NIC: the skb has a note of it, which a frame that goes on to another interface or to
 * user space has not. The field then has the sum of the pseudo-header.
 */
#ifndef LIB_COMPLETE_BPF_H
#define LIB_COMPLETE_BPF_H

#include "lib/frame_sum.bpf.h"
#include "lib/parse.bpf.h"

#define COMPLETE_CHUNK	256	/* even, so that the sums of chunks add up */

struct complete_chunk {
	__u64 words[COMPLETE_CHUNK / sizeof(__u64)];
};

/* For the part of a frame that is in further buffers. */
CPU_SCRATCH(complete_chunks, struct complete_chunk);

static __always_inline __u32 chunk_sum(struct complete_chunk *chunk)
{
	return (__u32)bpf_csum_diff(NULL, 0, (void *)chunk, sizeof(*chunk), 0);
}

/* As frame_sum(), in whatever buffers; -1: they are not there. */
static __always_inline __s64 buffers_sum(struct xdp_md *ctx, __u32 at, __u32 bytes)
{
	struct complete_chunk *chunk;
	__u32 key = 0, i;
	__u64 sum = 0;

	chunk = bpf_map_lookup_elem(&complete_chunks, &key);
	if (!chunk)
		return -1;
#pragma clang loop unroll(disable)
	for (i = 0; i < 0x10000 / COMPLETE_CHUNK && bytes >= COMPLETE_CHUNK; i++) {
		if (bpf_xdp_load_bytes(ctx, at, chunk, COMPLETE_CHUNK))
			return -1;
		sum += chunk_sum(chunk);
		at += COMPLETE_CHUNK;
		bytes -= COMPLETE_CHUNK;
	}
	if (bytes) {
		/* Before 6.8 the verifier does not learn from "not 0" that the length is 1 or more. */
		bytes--;
		barrier_var(bytes);
		bytes = (bytes & (COMPLETE_CHUNK - 1)) + 1;
		__builtin_memset(chunk, 0, sizeof(*chunk));
		if (bpf_xdp_load_bytes(ctx, at, chunk, bytes))
			return -1;
		sum += chunk_sum(chunk);
	}
	return sum_fold(sum);
}

/*
 * Completes the checksum of UDP or TCP, @proto, of the packet whose headers start at @l3 and @l4, as
 * parsed. Returns 1, or 0 if there was nothing to complete. Where a checksum is wrong and happens to have
 * this value, 1 of 65,536, it is made correct. Verified by itself, as frame_sum().
 */
__attribute__((noinline)) int complete_checksum(struct xdp_md *ctx, __u32 l3, __u32 l4, __u32 proto,
						__u32 version)
{
	__u32 bytes, linear = (void *)(long)ctx->data_end - (void *)(long)ctx->data, at = l4, i;
	const struct ipv6hdr *ip6;
	const struct iphdr *ip4;
	const __u32 *word;
	__u64 pseudo = 0;
	__u16 *check;
	__s64 sum;

	if (proto != IPPROTO_UDP && proto != IPPROTO_TCP)
		return 0;
	at += proto == IPPROTO_UDP ? 6 : 16;
	if (version == 4) {
		ip4 = frame_at(ctx, l3, sizeof(*ip4));
		if (!ip4)
			return 0;
		bytes = bpf_ntohs(ip4->tot_len) - (l4 - l3);
		pseudo = (__u64)ip4->saddr + ip4->daddr;
	} else {
		ip6 = frame_at(ctx, l3, sizeof(*ip6));
		if (!ip6)
			return 0;
		bytes = bpf_ntohs(ip6->payload_len) - (l4 - l3 - sizeof(*ip6));
		word = (const void *)&ip6->saddr;
#pragma clang loop unroll(full)
		for (i = 0; i < 8; i++)
			pseudo += word[i];
	}
	if (bytes > 0xffff)
		return 0;
	pseudo += bpf_htons(bytes) + bpf_htons(proto);
	check = frame_at(ctx, at, sizeof(*check));
	if (!check || *check != sum_fold(pseudo))
		return 0;
	if (has_frags && l4 + bytes > linear)
		sum = buffers_sum(ctx, l4, bytes);
	else
		sum = l4 + bytes > linear || l4 + bytes > FRAME_REACH ? -1 : frame_sum(ctx, l4, bytes);
	check = frame_at(ctx, at, sizeof(*check));
	/* By chance the correct value. */
	if (sum < 0 || !check || sum_fold(pseudo + sum) == 0xffff)
		return 0;
	*check = ~sum_fold(sum);
	/* 0 would say that there is none. */
	if (!*check)
		*check = 0xffff;
	return 1;
}

#endif
