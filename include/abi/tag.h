/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * abi/tag.h - the probe tag carried by every generated packet.
 *
 * It follows the L4 header. Written by the generator (BPF or user space), read by the sink. All
 * fields are in network byte order, so that a capture reads alike on every host.
 *
 * Clock: ns of CLOCK_MONOTONIC of the sending host, or of CLOCK_TAI; the size of the number
 * distinguishes them (abi/stamp.h). 0 means "no timestamp". Version: the magic; a changed layout
 * gets a new one.
 */
#ifndef ABI_TAG_H
#define ABI_TAG_H

#include "abi/abi.h"

#define TAG_MAGIC	0xe7a1
#define TAG_BYTES	18	/* tag and complement: fits in a 64-byte UDP/IPv4 frame */

struct tag {
	__be16 magic;
	__be16 stream;
	__be32 sequence;		/* low 32 bits; the receiver widens them */
	__be64 sent_ns;
	/*
	 * Checksum complement (the idea of RFC 7820): makes the nine 16-bit words sum to 0xffff,
	 * which is zero in one's complement, so the L4 checksum is computed once per stream without
	 * the tag, and stays valid whatever the tag contains.
	 */
	__u16 complement;
} __attribute__((packed, aligned(2)));
ABI_ASSERT_SIZE(struct tag, TAG_BYTES);

/*
 * The complement for a tag's fields as stored in memory. One's complement sums do not depend on the
 * byte order (RFC 1071), so no swapping.
 */
static inline __u16 tag_complement(__be16 magic, __be16 stream, __be32 sequence, __be64 sent_ns)
{
	__u64 sum = (__u64)magic + stream + sequence + (__u32)sent_ns + (sent_ns >> 32);

	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

#endif
