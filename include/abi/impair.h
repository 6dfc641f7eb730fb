/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * abi/impair.h - how each packet is impaired: decided once, the same on both sides.
 *
 * The packets of one direction that match the filter are numbered from 0, in order of arrival: the
 * ordinal. Whether a rule selects a packet is a function of the rule, the seed and the ordinal (for
 * bursts also of the state left by the previous packet), so it can be computed afterwards what must
 * have happened, as the tests do.
 *
 * Losses, bit errors, checksums and cuts happen in the BPF program. If any rule delays, multiplies
 * or reorders packets, every matching packet of that direction goes to user space through AF_XDP,
 * so that none overtakes on the other path; its fate is in front of it as XDP metadata.
 */
#ifndef ABI_IMPAIR_H
#define ABI_IMPAIR_H

#include "abi/abi.h"
#include "abi/field.h"

/* In order of application. Nothing further is decided for a lost packet. */
enum impair_kind {
	IMPAIR_LOSS,		/* dropped */
	IMPAIR_CE,		/* marked "congestion experienced" (RFC 3168), if ECN-capable */
	IMPAIR_REMARK,		/* arg: the new DSCP (RFC 2474) */
	IMPAIR_CORRUPT,		/* arg bits are flipped, at or after offset */
	IMPAIR_CHECKSUM,	/* L4 checksum corrupted (the IPv4 header's if there is no L4) */
	IMPAIR_TRUNCATE,	/* cut to arg bytes, without FCS; shorter packets are unchanged */
	IMPAIR_FRAGMENT,	/* fragments of at most arg bytes of payload; user space */
	IMPAIR_DUPLICATE,	/* sent arg more times, right after it */
	IMPAIR_REORDER,		/* held until arg later ones have been sent */
	IMPAIR_DELAY,		/* delayed by the delay's distribution; drawn in user space */
	IMPAIR_KINDS
};

enum impair_pick {
	IMPAIR_EVERY,		/* ordinals with ordinal % every == phase */
	IMPAIR_RANDOM,		/* each with probability p */
	IMPAIR_GILBERT,		/* a chain of a good and a bad state (Gilbert, Elliott) */
	IMPAIR_LIST,		/* ordinals in the map impair_lists, with bit n for rule n */
};

/*
 * A probability p as a threshold: selected if the upper 32 bits of a draw are below p x 2^32. Every
 * rule is applied to every ordinal; if two of one kind select the same packet, the first one's arg
 * and offset are used.
 */
struct impair_rule {
	__u8 kind;		/* enum impair_kind */
	__u8 pick;		/* enum impair_pick */
	__u16 offset;		/* IMPAIR_CORRUPT: the first byte that may be changed */
	__u32 arg;
	__u64 every, phase;	/* IMPAIR_EVERY */
	__u64 p;		/* IMPAIR_RANDOM: threshold, up to 2^32; IMPAIR_GILBERT: good to bad */
	__u64 r;		/* IMPAIR_GILBERT: bad to good */
	__u64 in_bad, in_good;	/* IMPAIR_GILBERT: selected in that state */
};
ABI_ASSERT_SIZE(struct impair_rule, 56);

#define IMPAIR_MAX_RULES 8
#define IMPAIR_MAX_BITS 16	/* maximum bits flipped in a packet by one rule */

/* What a rule's draws for a packet are used for. */
enum impair_draw {
	IMPAIR_DRAW_PICK,	/* IMPAIR_RANDOM; IMPAIR_GILBERT: selected in its state? */
	IMPAIR_DRAW_CHAIN,	/* IMPAIR_GILBERT: does the state change? Drawn first, starting
				 * in good */
	IMPAIR_DRAW_VALUE,	/* and following: which bits, which delay */
};

/*
 * The 64 random bits of draw @draw for packet @ordinal by rule @rule. Always inline: called while a
 * spin lock is held.
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
	IMPAIR_BY_SPORT = 1 << 4,	/* UDP and TCP, not fragments */
	IMPAIR_BY_DPORT = 1 << 5,
	IMPAIR_BY_STREAM = 1 << 6,	/* in its tag */
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

/* Which checksums, left by the sender's stack to its NIC, the program completes. */
enum impair_completes {
	IMPAIR_COMPLETE_NONE,
	IMPAIR_COMPLETE_MATCHED,	/* of packets that match the filter */
	IMPAIR_COMPLETE_ALL,
};

/* The whole plan for one direction: read-only data of its program. */
struct impair_plan {
	__u64 seed;
	struct impair_rule rules[IMPAIR_MAX_RULES];	/* by kind, then in the order given */
	struct impair_filter filter;
	__u8 nr_rules;		/* 0 and not to_user: nothing is numbered, all are unmatched */
	__u8 onward;		/* enum impair_onward */
	__u8 to_user;		/* matching packets go to user space, with their fate */
	__u8 events;		/* report every impaired packet */
	__u8 direction;		/* of the events */
	__u8 reserved[7];
};
ABI_ASSERT_SIZE(struct impair_plan, 8 + 56 * IMPAIR_MAX_RULES + 76 + 12);

/* One record per CPU, its only writer: it only grows. */
struct impair_rec {
	__u64 seen, seen_bytes;	/* matched; each is in one of the next four */
	__u64 lost;
	__u64 passed;		/* went on in the kernel */
	__u64 to_user;
	__u64 failed;		/* dropped: no AF_XDP socket on its queue, or the kernel refused
				 * it */
	__u64 no_meta;		/* of failed: the driver has no room for the fate */
	__u64 unmatched;
	__u64 done[IMPAIR_KINDS];	/* by kind, for what is done in the kernel */
	__u64 unable;		/* times that an impairment did not apply: too short, no checksum */
	__u64 copies;		/* made in the kernel */
	__u64 events_lost;	/* the ring buffer was full */
	__u64 refused;		/* by the driver of the other interface, after the program */
	__u64 copying;		/* egress: a copy is passing at this moment */
	__u64 bypassed;	/* egress: passed, as user space did not run: abi/beat.h */
	__u64 completed;	/* checksums that the sender's stack had left to its NIC */
	__u64 reserved[7];
};
ABI_ASSERT_SIZE(struct impair_rec, 256);

#define IMPAIR_MAGIC	0xe71f

/*
 * In front of a frame on its way to user space. At most 32 bytes: older kernels do not accept more.
 */
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

/* An impaired packet, as reported in the ring buffer. */
struct impair_event {
	__u64 ordinal;
	__u64 mono_ns;		/* when it was decided */
	__u32 kinds;		/* bit n: enum impair_kind n was decided and can be done */
	__u32 buf_bytes;	/* as it arrived */
	__u32 first_bit;	/* IMPAIR_CORRUPT: the first bit drawn, from the frame's start */
	__be32 sequence;	/* in its tag; 0 without one */
	__be16 stream;
	__u8 tagged;
	__u8 direction;
	__u16 copies;		/* IMPAIR_DUPLICATE */
	__u16 cut_bytes;	/* IMPAIR_TRUNCATE: remaining length */
};
ABI_ASSERT_SIZE(struct impair_event, 40);

#endif
