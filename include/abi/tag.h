/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * abi/tag.h - the probe tag that every generated packet carries, version 2.
 *
 * It follows the last header: that of UDP, TCP, ICMP or GRE, of IP before any other protocol, or
 * the EtherType if it is not IP's. Written by the generator (BPF or user space), read by the sink.
 * In network byte order, so that a capture reads the same on every host:
 *
 *	bits	field
 *	16	check		a mix of the 112 bits after it: damage, and payload that is no tag
 *	1	clock		of the time: 0 CLOCK_MONOTONIC of the sending host, 1 CLOCK_TAI
 *	15	run		random, never 0 in a run: tells its packets from another sender's
 *	16	stream
 *	32	sequence	the low 32 bits; the receiver widens them
 *	48	time		ns modulo 2^48 (78 hours), widened by the receiver; 0: not stamped
 *	16	complement
 *
 * The complement (the idea of RFC 7820) makes the nine 16-bit words sum to 0xffff,
 * which is zero in one's complement: so the L4 checksum is computed once a stream
 * with the tag left out, and stays right whatever the tag holds. Check and
 * complement together pass one random payload in 2^32, and one in 2^16 where the
 * damage leaves the L4 checksum right.
 */
#ifndef ABI_TAG_H
#define ABI_TAG_H

#include "abi/abi.h"

#define TAG_BYTES	18	/* what a 64-byte UDP/IPv4 frame holds */
#define TAG_RUNS	0x8000	/* run numbers are below this */
#define TAG_TAI		0x8000	/* the clock's bit, above the run */
#define TAG_TIME_BITS	48

/* Read as two words, which is as wide as a program can. */
struct tag {
	__be64 high;		/* check, clock, run, stream, upper half of the sequence */
	__be64 low;		/* lower half, time */
	__u16 complement;
} __attribute__((packed, aligned(2)));
ABI_ASSERT_SIZE(struct tag, TAG_BYTES);

/* The same for a BPF program, which may load words at any address, but not through struct tag. */
struct tag_words {
	__be64 high;
	__be64 low;
	__u16 complement;
} __attribute__((packed, aligned(8)));

/* The fields of a tag, in host order. */
struct tag_fields {
	__u16 run;		/* TAG_TAI is above it */
	__u16 stream;
	__u32 sequence;
	__u64 time;		/* 0: not stamped */
};

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define TAG_SWAP(x) __builtin_bswap64(x)
#else
#define TAG_SWAP(x) (x)
#endif

/*
 * Of both words in host order, the check itself left out: multiplications by odd constants (those
 * of splitmix64), with the upper half folded into the lower one in between. Without the last one, a
 * bit at the top of @low would change just one bit of the check. A changed layout gets another
 * first constant, so that tags of an old one are none.
 */
static inline __u16 tag_check(__u64 high, __u64 low)
{
	__u64 mix = (high << 16 ^ 0x7461672d32000000ull) * 0x9e3779b97f4a7c15ull;

	mix = (mix ^ mix >> 32 ^ low) * 0xbf58476d1ce4e5b9ull;
	mix = (mix ^ mix >> 32) * 0x94d049bb133111ebull;
	return mix >> 48;
}

/*
 * One's complement sums do not depend on the byte order (RFC 1071): of the words as
 * they are in memory.
 */
static inline __u16 tag_complement(__be64 high, __be64 low)
{
	__u64 sum = (high & 0xffffffff) + (high >> 32) + (low & 0xffffffff) + (low >> 32);

	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

/* The words in host order, without the check. */
static inline __u64 tag_high(__u16 run, __u16 stream, __u32 sequence)
{
	return (__u64)run << 32 | (__u64)stream << 16 | sequence >> 16;
}

static inline __u64 tag_low(__u32 sequence, __u64 stamp_ns)
{
	return (__u64)sequence << 48 | (stamp_ns & ((1ull << TAG_TIME_BITS) - 1));
}

/* @stamp_ns: of the run's clock; 0: not stamped. */
static inline void tag_write(struct tag *tag, __u16 run, __u16 stream, __u32 sequence,
			     __u64 stamp_ns)
{
	__u64 high = tag_high(run, stream, sequence), low = tag_low(sequence, stamp_ns);
	__be64 high_be = TAG_SWAP(high | (__u64)tag_check(high, low) << 48);
	__be64 low_be = TAG_SWAP(low);

	tag->high = high_be;
	tag->low = low_be;
	tag->complement = tag_complement(high_be, low_be);
}

/* 0: it is no tag, or was damaged. Both words and the complement as they are in memory. */
static inline int tag_read(__be64 high_be, __be64 low_be, __u16 complement,
			   struct tag_fields *ret_fields)
{
	__u64 high = TAG_SWAP(high_be), low = TAG_SWAP(low_be);

	if (high >> 48 != tag_check(high, low) || complement != tag_complement(high_be, low_be))
		return 0;
	ret_fields->run = high >> 32;
	ret_fields->stream = high >> 16;
	ret_fields->sequence = (__u32)high << 16 | low >> 48;
	ret_fields->time = low & ((1ull << TAG_TIME_BITS) - 1);
	return 1;
}

/* The whole time, which is the one next to @now_ns of the same clock: 39 hours before to 39 after. */
static inline __u64 tag_widen(__u64 time, __u64 now_ns)
{
	return now_ns - (__u64)((__s64)((now_ns - time) << (64 - TAG_TIME_BITS)) >> (64 - TAG_TIME_BITS));
}

#endif
