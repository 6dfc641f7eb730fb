/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/tag.bpf.h - find the probe tag (abi/tag.h).
 */
#ifndef LIB_TAG_BPF_H
#define LIB_TAG_BPF_H

#include "abi/tag.h"
#include "lib/parse.bpf.h"

/* @at is a complete and undamaged tag. */
static __always_inline int tag_is_whole(const struct packet *pkt, const void *at)
{
	const struct tag *tag = at;

	return (void *)(tag + 1) <= pkt->end && tag->magic == bpf_htons(TAG_MAGIC) &&
	       tag->complement == tag_complement(tag->magic, tag->stream, tag->sequence,
						 tag->sent_ns);
}

/* The tag after @udp, or NULL. */
static __always_inline const struct tag *tag_find(const struct packet *pkt,
						  const struct udphdr *udp)
{
	const struct tag *tag = (const void *)(udp + 1);

	if ((void *)(tag + 1) > pkt->end || bpf_ntohs(udp->len) < sizeof(*udp) + sizeof(*tag))
		return NULL;
	return tag_is_whole(pkt, tag) ? tag : NULL;
}

#endif
