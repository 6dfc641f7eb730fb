/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * abi/impair.h - what is to become of each packet: decided once, the same on both sides.
 *
 * The packets of one direction that match the filter are numbered from 0, in
 * the order of their arrival: the ordinal. Whether a rule takes a packet is a
 * function of the rule, the seed and the ordinal (for bursts also of the state
 * that the packet before left), so anybody can tell afterwards what must have
 * happened, and does: the tests.
 *
 * Losses, bit errors, checksums and cuts happen in the BPF program. Where
 * anything takes time, makes packets or changes their order, every matching
 * packet of that direction goes to user space through AF_XDP, so that nothing
 * overtakes by taking the other way; its fate stands in front of it as XDP
 * metadata.
 */
#ifndef ABI_IMPAIR_H
#define ABI_IMPAIR_H

#include "abi/abi.h"
#include "abi/field.h"

/* In the order in which they are done. Of a lost packet nothing further is decided. */
enum impair_kind {
	IMPAIR_LOSS,		/* dropped */
	IMPAIR_CORRUPT,		/* arg bits are flipped, at or behind offset */
	IMPAIR_CHECKSUM,	/* L4 checksum made wrong (IPv4 header's where there is no L4) */
	IMPAIR_TRUNCATE,	/* cut to arg bytes, without FCS; shorter ones stay as they are */
	IMPAIR_FRAGMENT,	/* IPv4 fragments of at most arg bytes of payload; user space */
	IMPAIR_DUPLICATE,	/* sent arg times more, right behind */
	IMPAIR_REORDER,		/* held until arg later ones have been sent */
	IMPAIR_DELAY,		/* held for a time of the delay's distribution; user space draws it */
	IMPAIR_KINDS
};

enum impair_pick {
	IMPAIR_EVERY,		/* ordinals with ordinal % every == phase */
	IMPAIR_RANDOM,		/* each with probability p */
	IMPAIR_GILBERT,		/* a chain of a good and a bad state (Gilbert, Elliott) */
	IMPAIR_LIST,		/* ordinals in the map impair_lists */
};

/* A probability p as a 32-bit threshold: taken where a random number is below p x 2^32. */
struct impair_rule {
	__u8 kind;		/* enum impair_kind */
	__u8 pick;		/* enum impair_pick */
	__u16 reserved;
	__u32 arg;
	__u64 every, phase;	/* IMPAIR_EVERY */
	__u64 p;		/* IMPAIR_RANDOM: threshold, up to 2^32; IMPAIR_GILBERT: good to bad */
	__u64 r;		/* IMPAIR_GILBERT: bad to good */
	__u64 in_bad, in_good;	/* IMPAIR_GILBERT: taken in that state */
};
ABI_ASSERT_SIZE(struct impair_rule, 56);

#define IMPAIR_MAX_RULES 8

/*
 * The 64 random bits of draw @draw for packet @ordinal by rule number @rule.
 */
static inline __u64 impair_random(__u64 seed, __u32 rule, __u32 draw, __u64 ordinal)
{
	return field_hash(seed + ((__u64)rule << 40) + ((__u64)draw << 48), ordinal);
}

#define IMPAIR_MAGIC	0xe71f

/* In front of a frame on its way to user space. At most 32 bytes: older kernels take no more. */
struct impair_fate {
	__u64 ordinal;
	__u64 arrived_mono_ns;
	__u32 kinds;		/* bit n: enum impair_kind n is still to be done */
	__u16 copies;		/* IMPAIR_DUPLICATE: how many more */
	__u16 places;		/* IMPAIR_REORDER */
	__u16 fragment_bytes;	/* IMPAIR_FRAGMENT */
	__u16 magic;		/* IMPAIR_MAGIC */
	__u32 delay_rule;	/* IMPAIR_DELAY: number of the rule */
};
ABI_ASSERT_SIZE(struct impair_fate, 32);

/* A packet that something was done to, as the ring buffer carries it. */
struct impair_event {
	__u64 ordinal;
	__u64 mono_ns;		/* when it was decided */
	__u32 kinds;		/* all that was decided for it */
	__u32 buf_bytes;
	__u32 detail;		/* first flipped bit, or bytes left of a cut */
	__be32 sequence;	/* of its tag; 0 without one */
	__be16 stream;
	__u8 tagged;
	__u8 direction;
	__u32 reserved;
};
ABI_ASSERT_SIZE(struct impair_event, 40);

#endif
