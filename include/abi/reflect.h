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
	__u8 reserved[6];
};
ABI_ASSERT_SIZE(struct reflect_cfg, 16);

enum reflect_outcome {
	REFLECT_UDP,		/* answered */
	REFLECT_ICMP,		/* answered */
	REFLECT_LEFT,		/* not for the reflector */
	REFLECT_FRAGMENT,	/* passed on: it has no known ports */
	REFLECT_UNSAFE,		/* passed on: broadcast, multicast, or from cfg.port itself */
	REFLECT_MALFORMED,	/* passed on: truncated, or contradictory lengths */
	/* STAMP only; dropped, as the stack's ICMP errors would answer them, too. */
	REFLECT_SHORT,		/* below what an answer needs */
	REFLECT_LIMITED,	/* its source exceeds its rate limit */
	REFLECT_FORGED,		/* not signed with the key */
	REFLECT_SPLIT,		/* beyond the part of a multi-buffer frame that programs can
				 * access */
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
	__u64 reserved[1];
} __attribute__((aligned(64)));
ABI_ASSERT_SIZE(struct reflect_rec, 128);

#endif
