/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * abi/payload.h - the payload pattern: what may follow the probe tag up to the end of the L4
 * payload, so that a receiver can verify every byte.
 *
 * A byte depends only on its place after the tag: the pattern is the same in all packets, streams
 * and runs. So it is part of a stream's template, and a receiver needs no setting. It is a sequence
 * of 64-bit words in network byte order. The upper half of word i is the upper half of a hash of i
 * (field_hash(), which is splitmix64), the lower half is its complement:
 *
 *	word i = h << 32 | ~h,  h = splitmix64(seed, i) >> 32
 *
 * So whole words add 0 to a checksum in one's complement, and packets of different length differ
 * only by the bytes of their last, incomplete word.
 */
#ifndef ABI_PAYLOAD_H
#define ABI_PAYLOAD_H

#include "abi/field.h"

#define PAYLOAD_SEED	0x7061796c6f616421ull
#define PAYLOAD_BYTES	0x4000	/* longer payloads are not verified; a power of two */
#define PAYLOAD_WORDS	(PAYLOAD_BYTES / 8)

/* As a number: its first byte is the uppermost. */
static inline __u64 payload_word(__u64 index)
{
	__u64 half = field_hash(PAYLOAD_SEED, index) >> 32;

	return half << 32 | (half ^ 0xffffffff);
}

/* What the first @bytes of the pattern add to a checksum that covers them; not folded. */
static inline __u32 payload_sum16(__u32 bytes)
{
	__u32 rest = bytes & 7;

	return rest ? field_sum16(payload_word(bytes >> 3) & ~0ull << (64 - 8 * rest)) : 0;
}

#endif
