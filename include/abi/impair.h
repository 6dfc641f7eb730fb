/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * abi/impair.h - what is to become of each packet: decided once, the same on both sides.
 *
 * The packets of one direction that match the filter are numbered from 0, in
 * the order of their arrival: the ordinal. Whether a rule takes a packet is a
 * function of the rule, the seed and the ordinal (for bursts also of the state
 * that the packet before left), so anyone can compute afterwards what must have
 * happened, and does: the tests.
 *
 * Losses, bit errors, checksums and cuts happen in the BPF program. Where
 * anything takes time, makes packets or changes their order, every matching
 * packet of that direction goes to user space through AF_XDP, so that nothing
 * overtakes by taking the other way; its fate is in front of it as XDP
 * metadata.
 */
#ifndef ABI_IMPAIR_H
#define ABI_IMPAIR_H

#include "abi/abi.h"
#include "abi/field.h"

/* In the order in which they are done. Of a lost packet nothing further is decided. */
enum impair_kind {
	IMPAIR_LOSS,		/* dropped */
	IMPAIR_CORRUPT,		/* arg bits are flipped, at or after offset */
	IMPAIR_CHECKSUM,	/* L4 checksum made wrong (IPv4 header's where there is no L4) */
	IMPAIR_TRUNCATE,	/* cut to arg bytes, without FCS; shorter ones stay as they are */
	IMPAIR_FRAGMENT,	/* IPv4 fragments of at most arg bytes of payload; user space */
	IMPAIR_DUPLICATE,	/* sent arg times more, right after it */
	IMPAIR_REORDER,		/* held until arg later ones have been sent */
	IMPAIR_DELAY,		/* held for a time of the delay's distribution; user space draws it */
	IMPAIR_KINDS
};

enum impair_pick {
	IMPAIR_EVERY,		/* ordinals with ordinal % every == phase */
	IMPAIR_RANDOM,		/* each with probability p */
	IMPAIR_GILBERT,		/* a chain of a good and a bad state (Gilbert, Elliott) */
	IMPAIR_LIST,		/* ordinals in the map impair_lists, with bit n for rule n */
};

/*
 * A probability p as a threshold: taken where the upper 32 bits of a draw are
 * below p x 2^32. Every rule is asked about every ordinal; where two of one
 * kind take the same packet, the first one's arg and offset hold.
 */
struct impair_rule {
	__u8 kind;		/* enum impair_kind */
	__u8 pick;		/* enum impair_pick */
	__u16 offset;		/* IMPAIR_CORRUPT: the first byte that may be hit */
	__u32 arg;
	__u64 every, phase;	/* IMPAIR_EVERY */
	__u64 p;		/* IMPAIR_RANDOM: threshold, up to 2^32; IMPAIR_GILBERT: good to bad */
	__u64 r;		/* IMPAIR_GILBERT: bad to good */
	__u64 in_bad, in_good;	/* IMPAIR_GILBERT: taken in that state */
};
ABI_ASSERT_SIZE(struct impair_rule, 56);

#define IMPAIR_MAX_RULES 8
#define IMPAIR_MAX_BITS 16	/* flipped in one packet by one rule */

/* What a rule draws for a packet. */
enum impair_draw {
	IMPAIR_DRAW_PICK,	/* IMPAIR_RANDOM; IMPAIR_GILBERT: taken in its state? */
	IMPAIR_DRAW_CHAIN,	/* IMPAIR_GILBERT: does the state change? Asked first, from good on */
	IMPAIR_DRAW_VALUE,	/* and further ones: which bits, how long a delay */
};

/*
 * The 64 random bits of draw @draw for packet @ordinal by rule number @rule.
 * Always inline: it is called where a spin lock is held.
 */
static inline __attribute__((always_inline))
__u64 impair_random(__u64 seed, __u32 rule, __u32 draw, __u64 ordinal)
{
	return field_hash(seed + ((__u64)rule << 40) + ((__u64)draw << 48), ordinal);
}

enum impair_filter_field {
	IMPAIR_BY_VERSION = 1 << 0,
	IMPAIR_BY_PROTO = 1 << 1,
	IMPAIR_BY_SRC = 1 << 2,
	IMPAIR_BY_DST = 1 << 3,
	IMPAIR_BY_SPORT = 1 << 4,	/* UDP and TCP, no fragment */
	IMPAIR_BY_DPORT = 1 << 5,
	IMPAIR_BY_STREAM = 1 << 6,	/* of its tag */
};

/* Which packets are numbered; an IPv4 address is in word 0. */
struct impair_filter {
	__u8 by;		/* enum impair_filter_field; 0: all packets */
	__u8 version;
	__u8 proto;		/* IPPROTO_ */
	__u8 reserved;
	__be16 sport, dport;
	__be32 src[4], src_mask[4], dst[4], dst_mask[4];
	__be16 stream;
	__u16 reserved1;
};
ABI_ASSERT_SIZE(struct impair_filter, 76);

enum impair_onward {
	IMPAIR_PASS,		/* to the stack, or to the driver on egress */
	IMPAIR_REDIRECT,	/* out of the other interface: the map impair_out */
};

/* One direction's whole plan: read-only data of its program. */
struct impair_plan {
	__u64 seed;
	struct impair_rule rules[IMPAIR_MAX_RULES];	/* by kind, then as they were given */
	struct impair_filter filter;
	__u8 nr_rules;		/* 0 and not to_user: nothing is numbered, all is unmatched */
	__u8 onward;		/* enum impair_onward */
	__u8 to_user;		/* matching packets go to user space, with their fate */
	__u8 events;		/* report every packet that something was done to */
	__u8 direction;		/* of the events */
	__u8 reserved[7];
};
ABI_ASSERT_SIZE(struct impair_plan, 8 + 56 * IMPAIR_MAX_RULES + 76 + 12);

/* One record a CPU, which is its only writer: it only grows. */
struct impair_rec {
	__u64 seen, seen_bytes;	/* matched; each is in one of the next four */
	__u64 lost;
	__u64 passed;		/* went on in the kernel */
	__u64 to_user;
	__u64 failed;		/* dropped: no AF_XDP socket on its queue, or the kernel refused it */
	__u64 no_meta;		/* of failed: the driver has no room for the fate */
	__u64 unmatched;
	__u64 done[8];		/* by kind, of what is done in the kernel */
	__u64 unable;		/* times that a packet had nothing to do it to: too short, no checksum */
	__u64 copies;		/* made in the kernel */
	__u64 events_lost;	/* the ring buffer was full */
	__u64 refused;		/* by the driver of the other interface, after the program */
	__u64 copying;		/* egress: a copy is passing through just now */
	__u64 reserved[3];
};
ABI_ASSERT_SIZE(struct impair_rec, 192);

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
	__u32 kinds;		/* bit n: enum impair_kind n was decided and can be done */
	__u32 buf_bytes;	/* as it arrived */
	__u32 first_bit;	/* IMPAIR_CORRUPT: the first that was drawn, from the frame's start */
	__be32 sequence;	/* of its tag; 0 without one */
	__be16 stream;
	__u8 tagged;
	__u8 direction;
	__u16 copies;		/* IMPAIR_DUPLICATE */
	__u16 cut_bytes;	/* IMPAIR_TRUNCATE: what is left */
};
ABI_ASSERT_SIZE(struct impair_event, 40);

#endif
