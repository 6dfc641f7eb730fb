/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/stamp_sum.bpf.h - compute UDP's checksum from scratch, where a sender's stack left it to a
 * NIC.
 */
#ifndef LIB_STAMP_SUM_BPF_H
#define LIB_STAMP_SUM_BPF_H

#include "lib/parse.bpf.h"
#include "lib/stamp.bpf.h"

/*
 * The value that a sender's stack leaves for its NIC to complete: the sum of the pseudo-header
 * only.
 */
static __always_inline __u32 pseudo_sum(const struct packet *pkt, __be16 udp_bytes)
{
	__u64 sum = (__u64)udp_bytes + bpf_htons(IPPROTO_UDP);

	if (pkt->version == 4)
		sum += (__u32)bpf_csum_diff(NULL, 0, (void *)&pkt->ip4->saddr, 8, 0);
	else
		sum += (__u32)bpf_csum_diff(NULL, 0, (void *)&pkt->ip6->saddr, 32, 0);
	return stamp_fold(sum);
}

/* The sum over the whole datagram, if the received checksum cannot be used. */
__attribute__((noinline)) int stamp_whole_sum(struct xdp_md *ctx)
{
	struct stamp_work *work = stamp_work();
	__u32 at, sum = 0;
	__u8 *byte;
	void *part;
	int i;

	if (!work)
		return 0;
	at = work->payload - sizeof(struct udphdr);
#pragma clang loop unroll(disable)
	for (i = 0; i < 512 && at + 32 <= work->end; i++, at += 32) {
		part = stamp_at(ctx, at, 32);
		if (part)
			sum += stamp_fold((__u32)bpf_csum_diff(NULL, 0, part, 32, 0));
	}
#pragma clang loop unroll(disable)
	for (i = 0; i < 31 && at < work->end; i++, at++) {
		byte = stamp_at(ctx, at, 1);
		if (byte)
			sum += bpf_htons(i & 1 ? *byte : *byte << 8);
	}
	return stamp_fold(sum);
}

/*
 * The answer's checksum if the received one was @pseudo: it is incomplete, or by chance, one time
 * in 65536, that is the correct value.
 */
static __always_inline __u32 stamp_finish_sum(struct xdp_md *ctx, struct stamp_work *work,
					      struct stamp_reflect_rec *rec, __u32 pseudo)
{
	__u32 whole = stamp_whole_sum(ctx);

	if (!work->generic) {
		/*
		 * The kernel's note about it is lost with the skb: nothing else will complete it.
		 */
		ADD_ONCE(rec->repaired, 1);
		return pseudo + whole;
	}
	/* Including its checksum, a correct datagram sums up to this. */
	if (stamp_fold(2 * pseudo + whole + (__u16)~stamp_fold(work->sum)) == 0xffff)
		return (__u16)~pseudo + work->sum;
	/*
	 * It is sent in its skb, which is completed if required, starting from the pseudo-header's
	 * sum.
	 */
	return (__u16)~pseudo;
}

#endif
