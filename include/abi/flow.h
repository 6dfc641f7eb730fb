/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * abi/flow.h - what flow_tc counts beside abi/watch.h: flows, and their round trips. Written by BPF, read by user
 * space, which also removes idle flows.
 *
 * A flow has two ends as seen from the interface: near, which sends what the interface transmits,
 * and far, beyond it. So both directions are one flow, and on loopback each connection is two, one
 * for each of its ends. Times are CLOCK_MONOTONIC; packets and frame_bytes are as in abi/watch.h.
 */
#ifndef ABI_FLOW_H
#define ABI_FLOW_H

#include "abi/abi.h"
#include "abi/hist.h"
#include "abi/watch.h"

struct flow_key {
	__u8 near[16], far[16];		/* IPv4: the first 4 bytes, the others 0 */
	__be16 near_port, far_port;	/* TCP, UDP, SCTP; else 0 */
	__u8 proto;			/* IPPROTO_ */
	__u8 version;			/* 4 or 6 */
	__u8 fragment;			/* 1: fragments, including the first; they have no ports
					 * here */
	__u8 reserved;
};
ABI_ASSERT_SIZE(struct flow_key, 40);

/* What TCP's headers show about one direction. */
struct flow_way {
	__u64 timed_mono_ns;	/* when the timed segment passed; 0: none is timed */
	__u64 hole_mono_ns;	/* when the latest hole in the sequence opened */
	__u32 timed;		/* its TSval, or the acknowledgement that ends it */
	__u32 next_seq;		/* after the highest byte seen */
	__u32 hole_seq, hole_end;	/* hole_seq == hole_end: none */
	__u32 tsval;		/* newest */
	__u32 ack;		/* newest */
	__u16 window;		/* latest, not scaled */
	__u8 flags;		/* all seen */
	__u8 known;		/* bit FLOW_KNOWS_: which of the above are valid */
	__u32 reserved;
	__u64 retransmitted;	/* packets on the wire, like all four */
	__u64 out_of_order;
	__u64 zero_windows;
	__u64 dup_acks;
};
ABI_ASSERT_SIZE(struct flow_way, 80);

#define FLOW_KNOWS_SEQ		1
#define FLOW_KNOWS_TSVAL	2
#define FLOW_KNOWS_ACK		4
#define FLOW_TIMED_BY_TS	8

struct flow_rtt {
	__u64 count;
	__u64 sum_ns;
	__u64 not_min_ns;	/* as in struct hist_rec */
	__u64 max_ns;
};
ABI_ASSERT_SIZE(struct flow_rtt, 32);

/*
 * By direction, enum watch_dir: WATCH_TX is what the near end sent, and the round trip from the
 * interface to the far end and back.
 */
struct flow_rec {
	__u64 first_mono_ns, last_mono_ns;
	struct watch_sum counts[WATCH_DIRS];
	struct flow_way ways[WATCH_DIRS];
	struct flow_rtt rtts[WATCH_DIRS];
	/*
	 * TCP: the latest connection's first SYN, and the time from it to the ACK of the SYN/ACK.
	 * QUIC: the first Initial, and the time from the latest one that was neither retried nor
	 * refused for its version to the server's first. 0: not seen.
	 */
	__u64 syn_mono_ns, handshake_ns;
	__u32 epoch;		/* the last one in which a packet passed */
	__u8 opener;		/* direction of the SYN, otherwise of the first packet */
	__u8 ended;		/* 1: by FINs of both ends, or RST */
	__u8 reserved[2];
	__u64 squares[WATCH_DIRS];	/* with sampling: of each buffer's frame_bytes, their sum */
};
ABI_ASSERT_SIZE(struct flow_rec, 312);

/* The value in the table of flows: a struct flow_rec, then a bpf_spin_lock and 4 bytes. */
#define FLOW_SLOT_BYTES (sizeof(struct flow_rec) + 8)

/* A key as words, in memory's byte order. */
struct flow_words {
	__u64 near[2], far[2];
	__u64 rest;
};
_Static_assert(sizeof(struct flow_words) == sizeof(struct flow_key), "the same");

/*
 * The flows seen last by a CPU, index CPU x FLOW_CACHE + flow_cache_index(): what they counted that is not
 * in the table yet. It is moved there when another flow needs the place, and at the flow's next packet
 * after FLOW_CACHE_NS or in another epoch; user space adds the rest when it reads. Of packets that need
 * nothing else of the table: not TCP's, nor of a QUIC handshake.
 */
#define FLOW_CACHE	1024	/* a power of two */
#define FLOW_CACHE_NS	10000000

struct flow_cached {
	struct flow_words key;	/* its version 0: none */
	__u32 epoch;
	__u32 reserved;
	__u64 since_mono_ns;	/* when the table got them last */
	__u64 last_mono_ns;
	struct watch_sum counts[WATCH_DIRS];
};
ABI_ASSERT_SIZE(struct flow_cached, 96);

ABI_INLINE __u32 flow_cache_index(const struct flow_words *key)
{
	__u64 mix = (key->near[0] ^ key->far[1]) * 0x9e3779b97f4a7c15ull +
		    (key->near[1] ^ key->far[0]) * 0xbf58476d1ce4e5b9ull;

	mix = (mix ^ key->rest) * 0x94d049bb133111ebull;
	/* Ports in a row differ in few bits. */
	return (mix ^ mix >> 32) * 0x9e3779b97f4a7c15ull >> 54;
}
_Static_assert(FLOW_CACHE == 1 << (64 - 54), "what flow_cache_index() returns");

/* The far end's /24 or /48: counts packets while the table of flows is full. */
struct flow_prefix {
	__u8 addr[6];		/* 3 bytes of IPv4, 6 of IPv6 */
	__u8 version;
	__u8 reserved;
};
ABI_ASSERT_SIZE(struct flow_prefix, 8);

ABI_INLINE void flow_prefix_of(const struct flow_key *key, struct flow_prefix *ret_prefix)
{
	*ret_prefix = (struct flow_prefix){ .version = key->version };
	__builtin_memcpy(ret_prefix->addr, key->far, 3);
	if (key->version == 6)
		__builtin_memcpy(ret_prefix->addr + 3, key->far + 3, 3);
}

/* Updated by all CPUs. */
struct flow_fold {
	struct watch_sum counts[WATCH_DIRS];
};
ABI_ASSERT_SIZE(struct flow_fold, 32);

/*
 * A flow's round trips by length, in a separate table: created with the first one, so that flows
 * without any need no memory. Four buckets per power of two from 1 us to 17 s, one below and one
 * above. Updated by all CPUs; none exceeds FLOW_SPREAD_FULL.
 */
#define FLOW_SPREAD_SUB_BITS	2
#define FLOW_SPREAD_MIN_BITS	10
#define FLOW_SPREAD_MAX_BITS	34
#define FLOW_SPREAD_BUCKETS \
	(((FLOW_SPREAD_MAX_BITS - FLOW_SPREAD_MIN_BITS) << FLOW_SPREAD_SUB_BITS) + 2)
#define FLOW_SPREAD_FULL	0xffff0000u	/* below 2^32 by more than the number of CPUs */

struct flow_spread {
	__u32 buckets[WATCH_DIRS][FLOW_SPREAD_BUCKETS];	/* directions as flow_rec.rtts */
};
ABI_ASSERT_SIZE(struct flow_spread, 784);

ABI_INLINE __u32 flow_spread_index(__u64 ns)
{
	__u32 bit;

	if (ns >> FLOW_SPREAD_MAX_BITS)
		return FLOW_SPREAD_BUCKETS - 1;
	if (!(ns >> FLOW_SPREAD_MIN_BITS))
		return 0;
	bit = hist_log2(ns);
	/* The highest bit is the 4 of the octave's first bucket. */
	return ((bit - FLOW_SPREAD_MIN_BITS) << FLOW_SPREAD_SUB_BITS) +
	       (__u32)(ns >> (bit - FLOW_SPREAD_SUB_BITS)) - (1 << FLOW_SPREAD_SUB_BITS) + 1;
}

/* The lowest value of bucket @index; that of @index + 1 is its upper bound, except for the last. */
static inline __u64 flow_spread_lower_ns(__u32 index)
{
	__u32 sub = 1 << FLOW_SPREAD_SUB_BITS, at = index - 1;

	if (!index)
		return 0;
	return (__u64)(sub + at % sub) << (at / sub + FLOW_SPREAD_MIN_BITS - FLOW_SPREAD_SUB_BITS);
}

#define FLOW_SPREADS	(1u << 18)	/* maximum number of flows with buckets: 1 KB each */
#define FLOW_PREFIXES	4096	/* maximum number of folded prefixes; beyond: flow_cpu.other */
#define FLOW_TRIPS	256	/* prefixes with a separate histogram */
#define FLOW_ASKED	16384	/* outstanding requests (ICMP echo, DNS) */

/* One record per CPU, one writer. */
struct flow_cpu {
	__u64 beside_buffers;			/* received, where watch_xdp counts; includes those
						 * that a filter excludes */
	struct watch_sum seen[WATCH_DIRS];	/* every packet */
	struct watch_sum no_flow[WATCH_DIRS];	/* not IP, or malformed */
	struct watch_sum other[WATCH_DIRS];	/* no room for a flow or a prefix */
	__u64 new_flows;
	__u64 ended_flows;
	__u64 active_flows;	/* per epoch, summed over all epochs */
	__u64 folded;		/* packets counted while the table of flows was full */
	__u64 asked;		/* ICMP echo and DNS requests */
	__u64 answered;		/* requests with a timed answer */
	__u64 asked_again;	/* repeated before an answer: ambiguous which one it answers */
	__u64 unasked;		/* answers to unknown or repeated requests */
	__u64 quic_retries;	/* Retries in answer to a timed Initial */
	__u64 quic_versions;	/* likewise, Version Negotiations */
	__u64 not_spread;	/* round trips without room in a struct flow_spread */
	struct watch_sum sampled[WATCH_DIRS];	/* with sampling, the packets that are taken: all counts
						 * above but beside_buffers and seen are of these */
	__u64 gap_left;		/* no count: buffers until the next one that is looked up; 0: to be drawn */
};
ABI_ASSERT_SIZE(struct flow_cpu, 232);

/* Gaps between buffers that are looked up, with sampling: as many quantiles. A power of two. */
#define FLOW_GAPS	1024

/* Histograms of round trips: index (kind x WATCH_DIRS + direction) x CPUs + CPU. */
enum flow_kind {
	FLOW_BY_TIMESTAMP,	/* TSval until it is echoed as TSecr (RFC 7323) */
	FLOW_BY_SEQUENCE,	/* a segment until it is acknowledged: SYNs, and flows without
				 * timestamps */
	FLOW_HANDSHAKE,		/* SYN until the ACK of the SYN/ACK: both sides together */
	FLOW_ECHO,
	FLOW_DNS,
	FLOW_QUIC,		/* a client's first Initial until the server's first handshake
				 * packet */
	FLOW_KINDS
};

/* The fields of a request that its answer repeats; the ends are those of the request. */
struct flow_ask {
	struct flow_key key;
	__be16 id, seq;		/* DNS: seq is 0 */
};
ABI_ASSERT_SIZE(struct flow_ask, 44);

#endif
