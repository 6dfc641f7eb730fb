/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/stamp_hmac.bpf.h - HMAC-SHA-256 of a part of the packet (RFC 8762 4.4, RFC 8972 4.8).
 */
#ifndef LIB_STAMP_HMAC_BPF_H
#define LIB_STAMP_HMAC_BPF_H

#include "lib/sha256.bpf.h"
#include "lib/stamp.bpf.h"

#define STAMP_HMAC_BLOCKS ((4 + STAMP_MAX_HMAC_BYTES + 8) / 64 + 1)

/* A word of the message: the packet's bytes, then FIPS 180-4's 1 bit, then zeros. */
static __always_inline __u32 stamp_word(struct xdp_md *ctx, __u32 offset, __s32 left)
{
	__u32 word = 0x80;
	__be32 *whole;
	__u8 *byte;
	int i;

	if (left < 0)
		return 0;
	if (left >= 4) {
		whole = frame_at(ctx, offset, 4);
		return whole ? bpf_ntohl(*whole) : 0;
	}
	for (i = 0; i < 3; i++) {
		if (i >= left)
			break;
		byte = frame_at(ctx, offset + i, 1);
		word = byte ? (word & ~0xff) << 8 | *byte << 8 | 0x80 : 0;
	}
	return word << (24 - 8 * left);
}

/*
 * The next block of sequence number (if @with_sequence) and @bytes of the frame at @offset; @done:
 * bytes of the message in the previous blocks. Not static, so that the verifier checks it only
 * once.
 */
__attribute__((noinline)) int stamp_hmac_fill(struct xdp_md *ctx, __u32 offset, __s32 bytes,
					      __u32 done, __u32 with_sequence)
{
	struct stamp_work *work = stamp_work();
	struct sha256 *sha = sha256_work();
	__s32 at;
	int i;

	if (!work || !sha)
		return 0;
#pragma clang loop unroll(disable)
	for (i = 0; i < 16; i++) {
		at = (__s32)done + 4 * i;
		if (with_sequence && !at) {
			sha->block[i & 15] = stamp_word(ctx, work->payload, 4);
			continue;
		}
		at -= with_sequence ? 4 : 0;
		sha->block[i & 15] = stamp_word(ctx, offset + at, bytes - at);
	}
	return 0;
}

/* Into sha256_works' h, of which the first 16 bytes are the HMAC. */
__attribute__((noinline)) int stamp_hmac(struct xdp_md *ctx, __u32 offset, __u32 bytes,
					 __u32 with_sequence)
{
	__u32 total = bytes + (with_sequence ? 4 : 0), i;
	struct stamp_work *work = stamp_work();
	struct sha256 *sha = sha256_work();

	if (!work || !sha)
		return 0;
	for (i = 0; i < 8; i++)
		sha->h[i] = work->key.inner[i];
#pragma clang loop unroll(disable)
	for (i = 0; i < STAMP_HMAC_BLOCKS; i++) {
		if (i > (total + 8) / 64)
			break;
		stamp_hmac_fill(ctx, offset, bytes, i * 64, with_sequence);
		if (i == (total + 8) / 64)
			sha->block[15] = (64 + total) * 8;
		sha256_block();
	}
	for (i = 0; i < 8; i++) {
		sha->block[i] = sha->h[i];
		sha->h[i] = work->key.outer[i];
		sha->block[i + 8] = 0;
	}
	sha->block[8] = 0x80000000;
	sha->block[15] = (64 + 32) * 8;
	sha256_block();
	return 0;
}

/* In constant time. */
static __always_inline int stamp_hmac_is(const struct sha256 *sha, const void *hmac)
{
	const __be32 *words = hmac;

	return !((bpf_ntohl(words[0]) ^ sha->h[0]) | (bpf_ntohl(words[1]) ^ sha->h[1]) |
		 (bpf_ntohl(words[2]) ^ sha->h[2]) | (bpf_ntohl(words[3]) ^ sha->h[3]));
}

static __always_inline void stamp_hmac_put(const struct sha256 *sha, void *hmac)
{
	__be32 *words = hmac;
	int i;

	for (i = 0; i < 4; i++)
		words[i] = bpf_htonl(sha->h[i]);
}

/* Whether the HMAC at @at is valid for @bytes at @offset. */
static __always_inline int stamp_hmac_fits(struct xdp_md *ctx, __u32 offset, __u32 bytes,
					   __u32 with_sequence, __u32 at)
{
	struct sha256 *sha = sha256_work();
	void *hmac;

	stamp_hmac(ctx, offset, bytes, with_sequence);
	hmac = frame_at(ctx, at, STAMP_HMAC_BYTES);
	return hmac && sha && stamp_hmac_is(sha, hmac);
}

static __always_inline void stamp_hmac_write(struct xdp_md *ctx, struct stamp_work *work,
					     __u32 offset, __u32 bytes, __u32 with_sequence,
					     __u32 at)
{
	struct sha256 *sha = sha256_work();
	void *hmac;

	stamp_hmac(ctx, offset, bytes, with_sequence);
	hmac = frame_at(ctx, at, STAMP_HMAC_BYTES);
	if (!hmac || !sha)
		return;
	stamp_sum_old(work, at, hmac, STAMP_HMAC_BYTES);
	stamp_hmac_put(sha, hmac);
	stamp_sum_new(work, at, hmac, STAMP_HMAC_BYTES);
}

/* Signs the answer: its extensions, and the packet itself. Not static: verified once. */
__attribute__((noinline)) int stamp_sign(struct xdp_md *ctx)
{
	struct stamp_work *work = stamp_work();

	if (!work)
		return 0;
	if (work->hmac && !work->unproven)
		stamp_hmac_write(ctx, work, work->tlvs, work->hmac - work->tlvs, 1,
				 work->hmac + sizeof(struct stamp_tlv));
	if (stamp_cfg.authenticated)
		stamp_hmac_write(ctx, work, work->payload, STAMP_HMAC_OVER_BYTES, 0,
				 work->payload + STAMP_HMAC_OVER_BYTES);
	return 0;
}

#endif
