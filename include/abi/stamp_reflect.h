/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * abi/stamp_reflect.h - how stamp_xdp answers STAMP test packets, and what it counts.
 */
#ifndef ABI_STAMP_REFLECT_H
#define ABI_STAMP_REFLECT_H

#include "abi/stamp_packet.h"

#define STAMP_MAX_TLVS		32	/* those after them are unchanged, with the sender's U */
#define STAMP_MAX_PLACES	8	/* within a location */
#define STAMP_MAX_HMAC_BYTES	1020	/* maximum length of extensions covered by an HMAC */
#define STAMP_SESSIONS		16384	/* the oldest are evicted */
#define STAMP_IDLE_NS		900000000000ull	/* after this a session restarts (RFC 5357 3.5,
						 * REFWAIT) */
#define STAMP_LOOP_S		8	/* an answer to one of its own answers is not later than this */

enum stamp_keyed {
	STAMP_KEYED_NOT,
	STAMP_KEYED_ALIKE,	/* all sessions have the key of struct stamp_reflect_cfg */
	STAMP_KEYED_APART,	/* each has a key of its own, or none: map stamp_keys */
};

/* SHA-256 after the key's two pads (RFC 2104). */
struct stamp_key {
	__u32 inner[8], outer[8];
};
ABI_ASSERT_SIZE(struct stamp_key, 64);

/* Sessions with the same key, as a longest-prefix-match map has them: @bits of what follows @bits. */
struct stamp_key_name {
	__u32 bits;
	__u8 any_ssid;		/* 1: @ssid is 0 */
	__u8 version;		/* 4 or 6 */
	__be16 ssid;
	__be32 src[4];		/* IPv4: the first word */
};
ABI_ASSERT_SIZE(struct stamp_key_name, 24);

#define STAMP_KEY_NAME_BITS	32	/* before the address */

struct stamp_reflect_cfg {
	__u8 stateful;		/* 1: number the answers separately for each session */
	__u8 authenticated;	/* 1: only authenticated packets with a valid HMAC */
	__u8 keyed;		/* enum stamp_keyed */
	__u8 twamp;		/* 1: no session identifier and no extensions: padding */
	__u8 allow_dscp;	/* 1: the answer gets the DSCP that a Class of Service TLV
				 * requests */
	__u8 hide_location;	/* 1: answer a Location TLV with zeros */
	__u8 reserved[2];
	struct stamp_key key;	/* of all sessions */
};
ABI_ASSERT_SIZE(struct stamp_reflect_cfg, 72);

/* Written only by user space. Each word is consistent by itself. */
struct stamp_reflect_clock {
	__u64 utc_offset_ns;	/* UTC - CLOCK_MONOTONIC; changes only in steps */
	__u32 error;		/* Error Estimate without Z, host byte order */
	__u32 generic;		/* 1: in generic XDP, where the kernel keeps track of incomplete
				 * checksums */
};
ABI_ASSERT_SIZE(struct stamp_reflect_clock, 16);

/* One record per CPU, its only writer. */
struct stamp_reflect_rec {
	__u64 sessions;		/* begun */
	__u64 tlvs;		/* extensions processed */
	__u64 tlvs_unknown;
	__u64 tlvs_malformed;
	__u64 tlvs_unproven;
	__u64 repaired;		/* received with a checksum left for a NIC to complete */
	__u64 reserved[2];
} __attribute__((aligned(64)));
ABI_ASSERT_SIZE(struct stamp_reflect_rec, 64);

#endif
