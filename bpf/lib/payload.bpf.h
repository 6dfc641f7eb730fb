/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/payload.bpf.h - verify that the payload of a received packet is the pattern (abi/payload.h).
 */
#ifndef LIB_PAYLOAD_BPF_H
#define LIB_PAYLOAD_BPF_H

#include "abi/payload.h"
#include "lib/intact.bpf.h"

/* Otherwise it is not looked at. */
const volatile __u8 verify_payload;

/*
 * The pattern as it is in a packet, so that a word costs a load and a comparison. With
 * verify_payload, filled before load.
 */
const volatile __u64 payload_words[PAYLOAD_WORDS];

#define PAYLOAD_ROW 8	/* words */

/* Only XDP programs that take several buffers can read beyond the first, by copying. */
enum payload_place { PAYLOAD_IN_FIRST, PAYLOAD_IN_ANY };

/* @nr words at @offset of the frame, or NULL; @room is for a copy. */
static __always_inline const __u64 *payload_at(struct xdp_md *ctx, enum payload_place place,
					       __u32 offset, __u32 nr, __u64 *room)
{
	if (place == PAYLOAD_IN_FIRST)
		return frame_at(ctx, offset, nr * sizeof(*room));
	return bpf_xdp_load_bytes(ctx, offset, room, nr * sizeof(*room)) ? NULL : room;
}

/* Adds to @diff how @nr words differ, from byte @done of the payload at @at on; 0: not there. */
static __always_inline int match_words(struct xdp_md *ctx, enum payload_place place, __u32 at,
				       __u32 done, __u32 nr, __u64 *diff)
{
	const volatile __u64 *want = &payload_words[done / 8 & (PAYLOAD_WORDS - nr)];
	__u64 room[PAYLOAD_ROW];
	const __u64 *have = payload_at(ctx, place, at + done, nr, room);
	__u32 i;

	if (!have)
		return 0;
#pragma clang loop unroll(full)
	for (i = 0; i < nr; i++)
		*diff |= have[i] ^ want[i];
	return 1;
}

/* The last 1 to 7 bytes: the frame's 8 up to there, and the next word of the pattern. */
static __always_inline int match_rest(struct xdp_md *ctx, enum payload_place place, __u32 at,
				      __u32 bytes, __u64 *diff)
{
	__u64 room, want = bpf_be64_to_cpu(payload_words[bytes / 8 & (PAYLOAD_WORDS - 1)]);
	const __u64 *have = payload_at(ctx, place, at + bytes - 8, 1, &room);
	__u32 others = 64 - 8 * (bytes & 7);

	if (!have)
		return 0;
	*diff |= (bpf_be64_to_cpu(*have) ^ want >> others) << others;
	return 1;
}

/* As frame_sum() reads a frame: what is not there ends it. The tag precedes @at. */
static __always_inline int match_payload(struct xdp_md *ctx, enum payload_place place, __u32 at,
					 __u32 bytes)
{
	__u32 left = bytes, i;
	__u64 diff = 0;

#pragma clang loop unroll(disable)
	for (i = 0; i < PAYLOAD_BYTES / 64 && left >= 64; i++, left -= 64) {
		if (!match_words(ctx, place, at, i * 64, 8, &diff))
			return 0;
	}
	if ((bytes & 32 && !match_words(ctx, place, at, bytes & ~63u, 4, &diff)) ||
	    (bytes & 16 && !match_words(ctx, place, at, bytes & ~31u, 2, &diff)) ||
	    (bytes & 8 && !match_words(ctx, place, at, bytes & ~15u, 1, &diff)) ||
	    (bytes & 7 && !match_rest(ctx, place, at, bytes, &diff)))
		return 0;
	return !diff;
}

__attribute__((noinline)) int payload_is_in_any(struct xdp_md *ctx, __u32 at, __u32 bytes)
{
	if (!verify_payload || !has_frags)
		return 0;
	return match_payload(ctx, PAYLOAD_IN_ANY, at, bytes);
}

/* Where the packet at @l3 ends in the frame, padding left out; 0: its header does not say. */
__attribute__((noinline)) int packet_end(struct xdp_md *ctx, __u32 l3, __u32 version)
{
	const struct ipv6hdr *ip6;
	const struct iphdr *ip4;

	if (version == 4) {
		ip4 = frame_at(ctx, l3, sizeof(*ip4));
		return ip4 ? l3 + bpf_ntohs(ip4->tot_len) : 0;
	}
	ip6 = version == 6 ? frame_at(ctx, l3, sizeof(*ip6)) : NULL;
	return ip6 ? l3 + sizeof(*ip6) + bpf_ntohs(ip6->payload_len) : 0;
}

/*
 * Verifies a packet from @at, right after its tag, to @end (0: unknown). Its checksums are @intact;
 * returns this, or what the payload makes of it. Verified by itself, as frame_sum().
 */
__attribute__((noinline)) int payload_intact(struct xdp_md *ctx, __u32 at, __u32 end, __u32 intact)
{
	__u32 frame_bytes = (void *)(long)ctx->data_end - (void *)(long)ctx->data, bytes = end - at;
	int is_pattern;

	if (!verify_payload)
		return intact;
	/* Below @at, too: then @bytes is large. */
	if (at > FRAME_REACH || bytes > FRAME_REACH - at)
		return INTACT_UNKNOWN;
	if (at + bytes <= frame_bytes)
		is_pattern = match_payload(ctx, PAYLOAD_IN_FIRST, at, bytes);
	else
		is_pattern = has_frags && payload_is_in_any(ctx, at, bytes);
	return is_pattern ? intact : INTACT_BAD_PAYLOAD;
}

#endif
