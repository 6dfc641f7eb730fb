/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/tag.bpf.h - find the probe tag (abi/tag.h).
 */
#ifndef LIB_TAG_BPF_H
#define LIB_TAG_BPF_H

#include "abi/tag.h"
#include "lib/parse.bpf.h"

/* True if @at is a complete and undamaged tag. */
static __always_inline int tag_take(const struct packet *pkt, const void *at,
				    struct tag_fields *ret_tag)
{
	const struct tag_words *tag = at;

	return at + TAG_BYTES <= pkt->end && tag_read(tag->high, tag->low, tag->complement, ret_tag);
}

/* The same of what follows @udp. */
static __always_inline int tag_find(const struct packet *pkt, const struct udphdr *udp,
				    struct tag_fields *ret_tag)
{
	return (void *)(udp + 1) + TAG_BYTES <= pkt->end &&
	       bpf_ntohs(udp->len) >= sizeof(*udp) + TAG_BYTES && tag_take(pkt, udp + 1, ret_tag);
}

#endif
