/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/tag.bpf.h - find the probe tag (abi/tag.h).
 */
#ifndef LIB_TAG_BPF_H
#define LIB_TAG_BPF_H

#include "abi/tag.h"
#include "lib/parse.bpf.h"

/* The tag behind @udp, or NULL: none, or one that was damaged on the way. */
static __always_inline const struct tag *tag_find(const struct packet *pkt,
						  const struct udphdr *udp)
{
	const struct tag *tag = (const void *)(udp + 1);

	if ((void *)(tag + 1) > pkt->end || tag->magic != bpf_htons(TAG_MAGIC) ||
	    bpf_ntohs(udp->len) < sizeof(*udp) + sizeof(*tag))
		return NULL;
	if (tag->complement != tag_complement(tag->magic, tag->stream, tag->sequence,
					      tag->sent_ns))
		return NULL;
	return tag;
}

#endif
