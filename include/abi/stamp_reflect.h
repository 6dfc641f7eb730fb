/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * abi/stamp_reflect.h - how stamp_xdp answers STAMP's test packets, and what it counts.
 */
#ifndef ABI_STAMP_REFLECT_H
#define ABI_STAMP_REFLECT_H

#include "abi/stamp_packet.h"

#define STAMP_MAX_TLVS		32	/* those after them stay as they came, with the sender's U */
#define STAMP_MAX_PLACES	8	/* within a location */
#define STAMP_MAX_HMAC_BYTES	1020	/* of extensions that an HMAC is reckoned over */
#define STAMP_SESSIONS		16384	/* the oldest give way */
#define STAMP_SOURCES		16384
#define STAMP_IDLE_NS		900000000000ull	/* then a session starts anew (RFC 5357 3.5, REFWAIT) */
#define STAMP_BURST_NS		100000000ull	/* what a quiet source may send at once, as time */

struct stamp_reflect_cfg {
	__u64 period_ns;	/* between packets of one source, in the mean; 0: no limit */
	__u8 stateful;		/* 1: a sequence of its own for each session */
	__u8 authenticated;	/* 1: packets of that format only, and signed */
	__u8 keyed;		/* 1: inner and outer hold the key */
	__u8 twamp;		/* 1: no session identifier and no extensions: padding */
	__u8 allow_dscp;	/* 1: the answer gets the DSCP that a class of service asks for */
	__u8 hide_location;	/* 1: a location is answered with zeros */
	__u8 reserved[2];
	__u32 inner[8], outer[8];	/* SHA-256 after the key's two pads (RFC 2104) */
};
ABI_ASSERT_SIZE(struct stamp_reflect_cfg, 80);

/* User space is the only writer. Each word is whole by itself. */
struct stamp_reflect_clock {
	__u64 utc_offset_ns;	/* UTC - CLOCK_MONOTONIC; these differ by steps alone */
	__u32 error;		/* Error Estimate without Z, host order */
	__u32 generic;		/* 1: in generic XDP, so the kernel still knows of unfinished checksums */
};
ABI_ASSERT_SIZE(struct stamp_reflect_clock, 16);

/* One record a CPU, which is its only writer. */
struct stamp_reflect_rec {
	__u64 sessions;		/* begun */
	__u64 tlvs;		/* extensions looked at */
	__u64 tlvs_unknown;
	__u64 tlvs_malformed;
	__u64 tlvs_unproven;
	__u64 repaired;		/* came with a checksum that a NIC was to finish */
	__u64 reserved[2];
} __attribute__((aligned(64)));
ABI_ASSERT_SIZE(struct stamp_reflect_rec, 64);

#endif
