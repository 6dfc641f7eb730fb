/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * abi/hist.h - log-linear histogram of times, with the same arithmetic on both sides.
 *
 * Values below 64 have a bucket each. From there every power of two is divided into 64 equal
 * buckets, so a bucket is never wider than 1/64 of its lower bound. The index is HdrHistogram's for
 * 64 sub-buckets per half, so counts can be exported without re-bucketing. Covers [0, 2^40) ns,
 * about 18 minutes.
 */
#ifndef ABI_HIST_H
#define ABI_HIST_H

#include "abi/abi.h"

#define HIST_SUB_BITS	6
#define HIST_SUB	(1 << HIST_SUB_BITS)
#define HIST_MAX_BITS	40
#define HIST_BUCKETS	((HIST_MAX_BITS - HIST_SUB_BITS + 1) * HIST_SUB)	/* 2240 */

/*
 * One record per CPU and stream: one writer, never cleared; records merge by addition. min_ns is
 * stored as its complement so that a zeroed record is a valid empty one: the larger the complement,
 * the smaller the time.
 */
struct hist_rec {
	__u64 count;		/* values in buckets and above the range */
	__u64 sum_ns;
	__u64 not_min_ns;	/* ~min */
	__u64 max_ns;
	__u64 negative;		/* below 0: the clocks of the two ends differ */
	__u64 above;		/* at or above 2^40 ns; part of count, sum and max */
	__u64 square_low;	/* sum of the squares of what is in buckets, 128 bits; */
	__u64 square_high;	/* both 0: not kept */
	__u64 buckets[HIST_BUCKETS];
};
ABI_ASSERT_SIZE(struct hist_rec, 64 + 8 * HIST_BUCKETS);

/*
 * Position of the highest bit set in @v, which must not be 0; BPF has no clz. Branches only where one way
 * is usual: times differ in their lower bits, which no CPU predicts, and the verifier follows each path.
 */
ABI_INLINE __u32 hist_log2(__u64 v)
{
	__u32 bit = 0, four;

	if (v >> 32) {
		bit += 32;
		v >>= 32;
	}
	if (v >> 16) {
		bit += 16;
		v >>= 16;
	}
	if (v >> 8) {
		bit += 8;
		v >>= 8;
	}
	/* 4 if it is above 15. */
	four = (15 - v) >> 63 << 2;
	v >>= four;
	/* Two bits for each of 0 to 15. */
	return bit + four + (0xffffaa50u >> (2 * v) & 3);
}

/* The bucket of @ns, which must be below 2^HIST_MAX_BITS. */
ABI_INLINE __u32 hist_index(__u64 ns)
{
	__u32 shift;

	if (ns < HIST_SUB)
		return ns;
	shift = hist_log2(ns) - HIST_SUB_BITS;
	return (shift << HIST_SUB_BITS) + (__u32)(ns >> shift);
}

/* Adds the square of @ns, below 2^HIST_MAX_BITS, exactly. No branch: the verifier follows each path. */
ABI_INLINE void hist_square_add(__u64 *low, __u64 *high, __u64 ns)
{
	__u64 top = ns >> 32, rest = (__u32)ns, middle = 2 * top * rest + (rest * rest >> 32);
	__u64 square = ns * ns, sum = *low + square;

	/* The last term is the carry of the sum. */
	*high += top * top + (middle >> 32) + (((*low & square) | ((*low | square) & ~sum)) >> 63);
	*low = sum;
}

/* The lowest value of bucket @index; that of @index + 1 is its upper bound. */
static inline __u64 hist_lower_ns(__u32 index)
{
	__u32 shift;

	if (index < 2 * HIST_SUB)
		return index;
	shift = (index >> HIST_SUB_BITS) - 1;
	return (__u64)(HIST_SUB + (index & (HIST_SUB - 1))) << shift;
}

#endif
