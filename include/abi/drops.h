/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * abi/drops.h - where the kernel dropped packets of a test. The configuration is written by user
 * space, everything else by BPF; counters only grow while it is loaded.
 */
#ifndef ABI_DROPS_H
#define ABI_DROPS_H

#include "abi/abi.h"

/*
 * How to recognise a test's packets. With a tag: by its run and stream, as ports and addresses may be translated on
 * the way and a tunnel may be around it. Otherwise they are UDP, by address and ports.
 */
struct drops_cfg {
	__u16 src_port, nr_src_ports;	/* host byte order; nr 0: any port */
	__u16 dst_port, nr_dst_ports;
	__u16 first_stream, last_stream;	/* in the tag */
	__u8 tagged;			/* 1: by a complete tag; the ports tell whether it may be damaged */
	__u8 version;			/* IP version of the address: 4 or 6; 0: any address */
	__u8 any;		/* 1: every packet of the host; the fields about the test are ignored */
	__u8 reserved;
	__u16 run;			/* in the tag, with the clock's bit */
	__u16 no_socket, queue_purge, other_host;	/* enum skb_drop_reason of the running kernel; 0: unknown */
	__be32 dst[4];			/* IPv4: only the first */
	__u64 damage_reasons[2];	/* a bit for each enum skb_drop_reason that damage causes */
	__u16 not_specified, no_route;	/* as no_socket: what the kernel says of a route that forbids, too */
	__u8 knows_no_forward;	/* 1: it has a reason for packets that this host may not forward */
	__u8 reserved_2;
	__u16 qdisc_drop;	/* as no_socket: what the kernel says of a drop whose reason qdisc:qdisc_drop gives */
};
ABI_ASSERT_SIZE(struct drops_cfg, 64);

/* A reason of ours where the kernel has none: with the error of the route that forbids the packet. */
#define DROP_BY_ROUTE	(1u << 31)

#define DROP_DAMAGE_REASONS	128	/* number of bits */

/* After the first IP header, this much is searched for a tag: room for GENEVE with options and IPv6 inside. */
#define DROP_SCAN_BYTES	256

enum drop_kind {
	DROP_SKB,		/* skb:kfree_skb, packets of the test only */
	DROP_XDP_EXCEPTION,	/* xdp:xdp_exception, of any packet; reason: the action */
	DROP_XDP_REDIRECT,	/* xdp:xdp_redirect_err, of any packet; reason: the error */
	/*
	 * skb:kfree_skb for a reason of damage_reasons: packets that have the tag of the test but
	 * not its UDP ports, or its ports and a damaged tag that has its run but for two bits at most.
	 * Copies of packets that were received are among them.
	 */
	DROP_DAMAGED,
	/* skb:kfree_skb: encrypted by WireGuard or IPsec (ESP), of the test or not; in no drop_sum. */
	DROP_ENCRYPTED,
};

#define DROP_NAME_BYTES	16	/* IFNAMSIZ */

/* A drop location; key of a per-CPU hash of counters. */
struct drop_key {
	__u64 location;		/* address in the kernel; 0: not of this kind */
	__u32 kind;		/* enum drop_kind */
	__u32 reason;		/* enum skb_drop_reason or qdisc_drop_reason of the running kernel, or
				 * DROP_BY_ROUTE; 0: none */
	__u32 ifindex;		/* 0: unknown */
	__u32 netns;		/* inode number of the network namespace; 0: unknown */
	char ifname[DROP_NAME_BYTES];
};
ABI_ASSERT_SIZE(struct drop_key, 40);

#define DROP_PLACES	512	/* maximum number of locations */

/* Counters without a location, per CPU. */
struct drop_sum {
	__u64 skbs;		/* packets of the test, at all locations */
	__u64 again;		/* of these, received before, or counted at the same location */
	__u64 unplaced;		/* of these, not listed as the table was full */
	__u64 reserved;
};
ABI_ASSERT_SIZE(struct drop_sum, 32);

/* Identifies a drop location in 31 bits; never 0. */
static inline __u64 drop_place_id(const struct drop_key *key)
{
	__u64 id = (key->location ^ (__u64)key->kind << 48 ^ (__u64)key->reason << 16) *
		   0x9e3779b97f4a7c15ull;

	id ^= (__u64)key->ifindex << 32 | key->netns;
	id = (id ^ id >> 32) * 0xbf58476d1ce4e5b9ull + key->ifname[0];
	return (id >> 33) | 1;
}

/*
 * The packets that were received or dropped last, so that none is counted twice: a copy of one that
 * arrived, or one that the sink itself dropped. Where a drop comes first, as that of a packet of
 * which a packet socket has a copy and sends it on, it is taken back when the copy arrives. Shared
 * between the receiver and the drop watcher; a slot identifies one packet.
 */
#define SEEN_SLOTS	65536

/* One word, as copies of a packet may end on several CPUs at once. */
struct seen_packet {
	__u64 end;		/* seen_end(); 0: none */
};
ABI_ASSERT_SIZE(struct seen_packet, 8);

#define SEEN_PLACE	((1u << 31) - 1)	/* of an end: drop_place_id() of its last drop; 0: it was received */
#define SEEN_TRIES	8	/* each other CPU that has a copy may come first once */

static inline __u32 seen_slot(__u16 stream, __u32 sequence)
{
	return (sequence + stream * 40503u) & (SEEN_SLOTS - 1);
}

/* Never 0, which is an empty slot. The low half of @sequence follows from the stream and the slot. */
static inline __u64 seen_end(__u16 stream, __u32 sequence, __u64 place)
{
	return (__u64)stream << 48 | (__u64)(sequence >> 16) << 32 | 1u << 31 | place;
}

/*
 * Notes that a packet has @end, a seen_end(), now. Returns 1 if it had that end, or was received, before; with
 * @is_copy, if it had any end. *ret_back: the place where it was dropped before, a drop to be taken back; 0: none.
 */
ABI_INLINE int seen_note(volatile struct seen_packet *seen, __u64 end, int is_copy, __u64 *ret_back)
{
	__u64 before, is_same;
	int i;

	*ret_back = 0;
	for (i = 0; i < SEEN_TRIES; i++) {
		before = seen->end;
		is_same = !((before ^ end) & ~(__u64)SEEN_PLACE);
		if (is_same && (is_copy || before == end || !(before & SEEN_PLACE)))
			return 1;
#ifdef NO_CMPXCHG
		seen->end = end;
#else
		if (__sync_val_compare_and_swap(&seen->end, before, end) != before)
			continue;
#endif
		*ret_back = is_same ? before & SEEN_PLACE : 0;
		return 0;
	}
	/* Others changed it each time: it has an end. */
	return 1;
}

#endif
