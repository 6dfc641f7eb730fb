/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/tag_skip.bpf.h - where a packet's probe tag may be (abi/tag.h): after its L4 header, or after
 * L3 if that protocol is none of these.
 */
#ifndef LIB_TAG_SKIP_BPF_H
#define LIB_TAG_SKIP_BPF_H

#include <linux/in.h>
#include <linux/in6.h>

#include "lib/core.bpf.h"

/* Length of the header of @proto, whose byte 0 and byte 12 are given. */
static __always_inline __u32 tag_skip(__u32 proto, __u8 byte0, __u8 byte12)
{
	switch (proto) {
	case IPPROTO_UDP:
	case IPPROTO_ICMP:	/* an echo */
	case IPPROTO_ICMPV6:
		return 8;
	case IPPROTO_TCP:
		return (byte12 >> 4) * 4;
	case IPPROTO_GRE:	/* RFC 2784, RFC 2890: checksum, key and sequence number, if present */
		return 4 + (byte0 >> 5 & 4) + (byte0 >> 3 & 4) + (byte0 >> 2 & 4);
	default:
		return 0;
	}
}

#endif
