/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/frame_sum.bpf.h - the one's complement sum over a part of the frame (RFC 1071).
 */
#ifndef LIB_FRAME_SUM_BPF_H
#define LIB_FRAME_SUM_BPF_H

#include "lib/core.bpf.h"

/*
 * Set before load if bpf_sums_blocks(): large blocks are left to the kernel's own sum, which is quicker
 * from some 256 bytes on, as BPF has no add with carry.
 */
const volatile __u8 sum_blocks;

/* A packet pointer's bounds must be known; a linear part is not this long. */
#define FRAME_REACH	0x3fff

/* @bytes of the frame from @offset on, or NULL; @bytes must be constant for the verifier. */
static __always_inline void *frame_at(struct xdp_md *ctx, __u32 offset, __u32 bytes)
{
	void *end = (void *)(long)ctx->data_end, *at = (void *)(long)ctx->data;

	barrier_var(offset);
	at += offset & FRAME_REACH;
	return at + bytes > end ? NULL : at;
}

static __always_inline __u32 sum_fold(__u64 sum)
{
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (sum & 0xffff) + (sum >> 16);
}

/* Of 64-bit words: their sum modulo 2^64, and that of their upper halves. */
struct word_sums {
	__u64 all, upper;
};

/* Adds @nr words at @at, and moves it on; 0: they are not there. */
static __always_inline int sum_words(struct xdp_md *ctx, __u32 *at, __u32 nr, struct word_sums *sums)
{
	const __u64 *part = frame_at(ctx, *at, nr * sizeof(*part));
	__u32 i;

	if (!part)
		return 0;
#pragma clang loop unroll(full)
	for (i = 0; i < nr; i++) {
		sums->all += part[i];
		sums->upper += part[i] >> 32;
	}
	*at += nr * sizeof(*part);
	return 1;
}

/* A part of the frame, and the sum of what was before it. */
struct frame_part {
	__u32 at, bytes;
	__u64 sum;
};

/*
 * If @part has @bytes, a constant, or more: adds them by the kernel's sum, and moves on. Where the
 * kernel does not take such a block, it is left to the words.
 */
static __always_inline void sum_block(struct xdp_md *ctx, struct frame_part *part, __u32 bytes)
{
	void *block = frame_at(ctx, part->at, bytes);
	__s64 sum;

	if (part->bytes < bytes || !block)
		return;
	sum = bpf_csum_diff(NULL, 0, block, bytes, 0);
	if (sum < 0)
		return;
	part->sum += (__u32)sum;
	part->at += bytes;
	part->bytes -= bytes;
}

/* What is less than a word: up to 7 bytes. */
static __always_inline __u32 sum_rest(struct xdp_md *ctx, __u32 at, __u32 bytes)
{
	__u64 sum = 0;
	__u32 *word;
	__u16 *half;
	__u8 *byte;

	if (bytes & 4) {
		word = frame_at(ctx, at, 4);
		if (!word)
			return 0;
		sum += *word;
		at += 4;
	}
	if (bytes & 2) {
		half = frame_at(ctx, at, 2);
		if (!half)
			return 0;
		sum += *half;
		at += 2;
	}
	if (bytes & 1) {
		byte = frame_at(ctx, at, 1);
		if (!byte)
			return 0;
		sum += bpf_htons(*byte << 8);
	}
	return sum_fold(sum);
}

/*
 * The folded sum of @bytes from @at on, which must be in the linear part and below FRAME_REACH; an
 * odd last byte counts as if a 0 followed. Verified by itself, so that a caller's paths do not multiply
 * the loop's; what is not there ends it, as the verifier would follow the rest from each row.
 */
__attribute__((noinline)) int frame_sum(struct xdp_md *ctx, __u32 at, __u32 bytes)
{
	struct frame_part part = { .at = at, .bytes = bytes };
	struct word_sums sums = { 0 };
	__u32 i;

	if (sum_blocks) {
		sum_block(ctx, &part, 1024);
		sum_block(ctx, &part, 512);
		sum_block(ctx, &part, 256);
		at = part.at;
		bytes = part.bytes;
	}

#pragma clang loop unroll(disable)
	for (i = 0; i < FRAME_REACH / 64 && bytes >= 64; i++, bytes -= 64) {
		if (!sum_words(ctx, &at, 8, &sums))
			return 0;
	}
	if ((bytes & 32 && !sum_words(ctx, &at, 4, &sums)) ||
	    (bytes & 16 && !sum_words(ctx, &at, 2, &sums)) ||
	    (bytes & 8 && !sum_words(ctx, &at, 1, &sums)))
		return 0;
	/* The sum of the lower halves is far below 2^64. */
	return sum_fold(part.sum + sum_fold(sums.all - (sums.upper << 32)) + sum_fold(sums.upper) +
			sum_rest(ctx, at, bytes));
}

#endif
