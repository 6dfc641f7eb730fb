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
	return sum_fold(sum);
}

/*
 * The answer's checksum if the received one was @pseudo: it is incomplete, or by chance, one time
 * in 65536, that is the correct value.
 */
static __always_inline __u32 stamp_finish_sum(struct xdp_md *ctx, struct stamp_work *work,
					      struct stamp_reflect_rec *rec, __u32 pseudo)
{
	__u32 at = work->payload - sizeof(struct udphdr), whole = frame_sum(ctx, at, work->end - at);

	if (!work->generic) {
		/*
		 * The kernel's note about it is lost with the skb: nothing else will complete it.
		 */
		ADD_ONCE(rec->repaired, 1);
		return pseudo + whole;
	}
	/* Including its checksum, a correct datagram sums up to this. */
	if (sum_fold(2 * pseudo + whole + (__u16)~sum_fold(work->sum)) == 0xffff)
		return (__u16)~pseudo + work->sum;
	/*
	 * It is sent in its skb, which is completed if required, starting from the pseudo-header's
	 * sum.
	 */
	return (__u16)~pseudo;
}

#endif
