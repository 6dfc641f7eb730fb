/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/filter.bpf.h - whether a packet matches a filter.
 */
#ifndef LIB_FILTER_BPF_H
#define LIB_FILTER_BPF_H

#include "abi/impair.h"
#include "lib/parse.bpf.h"
#include "lib/tag.bpf.h"

static __always_inline int is_in(const __be32 *addr, const volatile __be32 *net,
				 const volatile __be32 *mask, int words)
{
	int i;

#pragma unroll
	for (i = 0; i < 4; i++) {
		if (i < words && ((addr[i] ^ net[i]) & mask[i]))
			return 0;
	}
	return 1;
}

static __always_inline int ends_match(const volatile struct impair_filter *f,
				       const struct packet *pkt)
{
	if (pkt->version == 4)
		return (!(f->by & IMPAIR_BY_SRC) || is_in(&pkt->ip4->saddr, f->src, f->src_mask, 1)) &&
		       (!(f->by & IMPAIR_BY_DST) || is_in(&pkt->ip4->daddr, f->dst, f->dst_mask, 1));
	return (!(f->by & IMPAIR_BY_SRC) ||
		is_in(pkt->ip6->saddr.in6_u.u6_addr32, f->src, f->src_mask, 4)) &&
	       (!(f->by & IMPAIR_BY_DST) ||
		is_in(pkt->ip6->daddr.in6_u.u6_addr32, f->dst, f->dst_mask, 4));
}

static __always_inline int ports_match(const volatile struct impair_filter *f,
					const struct packet *pkt, enum parse_result parsed)
{
	const __be16 *ports = pkt->l4;

	if (parsed != PARSE_L4 || (pkt->proto != IPPROTO_UDP && pkt->proto != IPPROTO_TCP) ||
	    (void *)(ports + 2) > pkt->end)
		return 0;
	return (!(f->by & IMPAIR_BY_SPORT) || ports[0] == f->sport) &&
	       (!(f->by & IMPAIR_BY_DPORT) || ports[1] == f->dport);
}

static __always_inline int filter_matches(const volatile struct impair_filter *f,
					  const struct packet *pkt, enum parse_result parsed,
					  const struct tag_fields *tag)
{
	if (!f->by)
		return 1;
	if (!pkt->version || parsed == PARSE_MALFORMED)
		return 0;
	if ((f->by & IMPAIR_BY_VERSION) && pkt->version != f->version)
		return 0;
	if ((f->by & IMPAIR_BY_PROTO) && pkt->proto != f->proto)
		return 0;
	if ((f->by & (IMPAIR_BY_SRC | IMPAIR_BY_DST)) && !ends_match(f, pkt))
		return 0;
	if ((f->by & (IMPAIR_BY_SPORT | IMPAIR_BY_DPORT)) && !ports_match(f, pkt, parsed))
		return 0;
	return !(f->by & IMPAIR_BY_STREAM) || (tag && tag->stream == bpf_ntohs(f->stream));
}

#endif
