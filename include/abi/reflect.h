/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * abi/reflect.h - what reflect_xdp answers and counts.
 */
#ifndef ABI_REFLECT_H
#define ABI_REFLECT_H

#include "abi/abi.h"

struct reflect_cfg {
	__be16 port;		/* UDP destination to answer; 0: none */
	__u8 icmp;		/* 1: answer ICMP and ICMPv6 echo requests as well */
	__u8 any_mac;		/* 1: also frames to other stations */
	__u8 mac[6];		/* of the interface */
	__u8 reserved[2];
	__u32 tick_ns;		/* length of a jiffy */
	__u64 period_ns;	/* mean interval between packets of one source; 0: no limit */
	__u32 factors[2];	/* of the hash of sources; odd */
};
ABI_ASSERT_SIZE(struct reflect_cfg, 32);

/*
 * Sources that share a place share the rate. The factors are random, so an address that shares another
 * one's place cannot be chosen. A flood of forged addresses would need 4096 times the rate to use up all.
 */
#define REFLECT_SOURCES_BITS	12
#define REFLECT_SOURCES		(1 << REFLECT_SOURCES_BITS)
#define REFLECT_BURST_NS	100000000ull	/* allowed burst of an idle source, as time */

/* An IPv6 source is its /64: a host may take any address in it. @addr: of IPv4 the first word. */
ABI_INLINE __u32 reflect_source_place(const volatile __u32 *factors, __be32 addr0,
				      __be32 addr1)
{
	return ((__u32)addr0 * factors[0] + (__u32)addr1 * factors[1]) >>
	       (32 - REFLECT_SOURCES_BITS);
}

/* Destinations to answer besides the interface's own; at most as many of each IP version. */
#define REFLECT_MAX_POOLS 32

struct reflect_pool4 {
	__be32 addr, mask;
};

struct reflect_pool6 {
	__be32 addr[4], mask[4];
};

struct reflect_pools {
	__u32 nr4, nr6;
	struct reflect_pool4 ip4[REFLECT_MAX_POOLS];
	struct reflect_pool6 ip6[REFLECT_MAX_POOLS];
};
ABI_ASSERT_SIZE(struct reflect_pools, 1288);

/*
 * The interface's own addresses: a hash table without chains, so that a lookup costs the same
 * however many there are. Free places are 0. In mapped memory, as user space has no right to change
 * maps when an address comes or goes: it fills the table that is not active, then switches.
 */
#define REFLECT_OWN_BUCKETS 256
#define REFLECT_OWN_WAYS 4

struct reflect_own_table {
	__u32 factors[4];	/* of the hash; odd */
	/* One of the addresses that are in the buckets, too: most interfaces have no other. */
	__be32 first4, reserved[3], first6[4];
	__be32 ip4[REFLECT_OWN_BUCKETS][REFLECT_OWN_WAYS];
	__be32 ip6[REFLECT_OWN_BUCKETS][REFLECT_OWN_WAYS][4];
};

struct reflect_own {
	__u32 active;		/* 0 or 1 */
	__u32 reserved[3];
	struct reflect_own_table tables[2];
};
ABI_ASSERT_SIZE(struct reflect_own, 41072);

ABI_INLINE __u32 reflect_own_bucket4(const volatile struct reflect_own_table *table, __be32 addr)
{
	return ((__u32)addr * table->factors[3]) >> 24;
}

ABI_INLINE __u32 reflect_own_bucket6(const volatile struct reflect_own_table *table,
				     const __be32 *addr)
{
	return ((__u32)addr[0] * table->factors[0] + (__u32)addr[1] * table->factors[1] +
		(__u32)addr[2] * table->factors[2] + (__u32)addr[3] * table->factors[3]) >> 24;
}

enum reflect_outcome {
	REFLECT_UDP,		/* answered */
	REFLECT_ICMP,		/* answered */
	REFLECT_LEFT,		/* not for the reflector */
	REFLECT_FRAGMENT,	/* passed on: it has no known ports */
	REFLECT_UNSAFE,		/* passed on: broadcast, multicast, or what could go on for ever */
	REFLECT_MALFORMED,	/* passed on: truncated, or contradictory lengths */
	REFLECT_OTHER_DEST,	/* passed on: to neither an own address nor a pool */
	/* Dropped from here on: the stack, too, would answer them, with ICMP. */
	REFLECT_LIMITED,	/* its source exceeds its rate limit */
	/* STAMP only. */
	REFLECT_SHORT,		/* below what an answer needs */
	REFLECT_FORGED,		/* not signed with the key */
	REFLECT_KEYLESS,	/* its session has no key */
	REFLECT_SPLIT,		/* beyond the part of a multi-buffer frame that programs can
				 * access */
	REFLECT_LOOPED,		/* the answer to one of its own answers */
	REFLECT_NR_OUTCOMES,
};

/* One record per CPU, its only writer. */
struct reflect_rec {
	__u64 packets[REFLECT_NR_OUTCOMES];
	__u64 bytes;		/* answered, without FCS */
	__u64 first_mono_ns;	/* of the first answer */
	__u64 last_mono_ns;	/* of answer number last_packets; at high rates one in 64 is
				 * timed */
	__u64 last_packets;
	__u64 refused;		/* answers that the driver did not take */
} __attribute__((aligned(64)));
ABI_ASSERT_SIZE(struct reflect_rec, 192);

#endif
