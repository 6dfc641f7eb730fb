/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * abi/stamp_packet.h - STAMP test packets on the wire: RFC 8762, its extensions (RFC 8972, with
 * errata 8199 and 8339), and TWAMP Light (RFC 5357).
 *
 * Everything is big-endian. A test packet and its answer have the same length.
 */
#ifndef ABI_STAMP_PACKET_H
#define ABI_STAMP_PACKET_H

#include "abi/abi.h"

#define STAMP_PORT		862	/* RFC 8762 4.1 */
#define STAMP_OPEN_BYTES	44	/* unauthenticated, without extensions (4.2.1, 4.3.1) */
#define STAMP_AUTH_BYTES	112	/* authenticated (4.2.2, 4.3.2) */
#define STAMP_TWAMP_BYTES	41	/* minimum for a TWAMP answer (RFC 5357 4.2.1) */

/* HMAC-SHA-256 truncated, over everything before it in the authenticated packet (RFC 8762 4.4). */
#define STAMP_HMAC_BYTES	16
#define STAMP_HMAC_OVER_BYTES	96

/* A time: NTP (Z 0) or PTP's truncated format (Z 1), of UTC. */
struct stamp_time {
	__be32 seconds;		/* since 1900; PTP: since 1970 */
	__be32 fraction;	/* of 2^-32 s; PTP: nanoseconds */
};
ABI_ASSERT_SIZE(struct stamp_time, 8);

/* Error Estimate (RFC 4656 4.1.2, RFC 8186 2.3): multiplier x 2^(scale - 32) seconds. */
#define STAMP_SYNCED		0x8000	/* S: the clock is synchronised to UTC */
#define STAMP_PTP		0x4000	/* Z: timestamps are in PTP format */
#define STAMP_SCALE_SHIFT	8
#define STAMP_MULTIPLIER_MASK	0xff	/* 0 makes the packet invalid */

/* All of the following may be unaligned. */
struct stamp_question {
	__be32 sequence;
	struct stamp_time sent;
	__be16 error;
	__be16 ssid;		/* 0: none. TWAMP Light: padding from here on */
	__u8 zero[28];
} __attribute__((packed));
ABI_ASSERT_SIZE(struct stamp_question, STAMP_OPEN_BYTES);

struct stamp_answer {
	__be32 sequence;	/* stateless: the test packet's; stateful: counts the session's
				 * answers */
	struct stamp_time sent;
	__be16 error;
	__be16 ssid;		/* the question's */
	struct stamp_time received;
	__be32 asked_sequence;	/* the test packet's, like all asked_ fields */
	struct stamp_time asked_sent;
	__be16 asked_error;
	__be16 zero1;
	__u8 asked_ttl;		/* TTL or hop limit in the test packet's IP header; TWAMP ends
				 * here */
	__u8 zero2[3];
} __attribute__((packed));
ABI_ASSERT_SIZE(struct stamp_answer, STAMP_OPEN_BYTES);

struct stamp_auth_question {
	__be32 sequence;
	__u8 zero1[12];
	struct stamp_time sent;
	__be16 error;
	__be16 ssid;
	__u8 zero2[68];
	__u8 hmac[STAMP_HMAC_BYTES];
} __attribute__((packed));
ABI_ASSERT_SIZE(struct stamp_auth_question, STAMP_AUTH_BYTES);

struct stamp_auth_answer {
	__be32 sequence;
	__u8 zero1[12];
	struct stamp_time sent;
	__be16 error;
	__be16 ssid;
	__u8 zero2[4];
	struct stamp_time received;
	__u8 zero3[8];
	__be32 asked_sequence;
	__u8 zero4[12];
	struct stamp_time asked_sent;
	__be16 asked_error;
	__u8 zero5[6];
	__u8 asked_ttl;
	__u8 zero6[15];
	__u8 hmac[STAMP_HMAC_BYTES];
} __attribute__((packed));
ABI_ASSERT_SIZE(struct stamp_auth_answer, STAMP_AUTH_BYTES);

/* Extensions follow the base packet consecutively, unaligned (RFC 8972 4). */
struct stamp_tlv {
	__u8 flags;
	__u8 type;
	__be16 value_bytes;
} __attribute__((packed));
ABI_ASSERT_SIZE(struct stamp_tlv, 4);

#define STAMP_TLV_UNKNOWN	0x80	/* U: sent as 1, answered as 0 if the type is recognised */
#define STAMP_TLV_MALFORMED	0x40	/* M: nothing after it was processed */
#define STAMP_TLV_UNPROVEN	0x20	/* I: the HMAC is wrong */

enum stamp_tlv_type {
	STAMP_TLV_PADDING = 1,	/* any length */
	STAMP_TLV_LOCATION,	/* struct stamp_location and its sub-TLVs */
	STAMP_TLV_TIME,		/* struct stamp_time_info */
	STAMP_TLV_CLASS,	/* struct stamp_class */
	STAMP_TLV_DIRECT,	/* struct stamp_direct */
	STAMP_TLV_ACCESS,	/* struct stamp_access */
	STAMP_TLV_FOLLOW_UP,	/* struct stamp_follow_up */
	STAMP_TLV_HMAC,		/* over the sequence and all extensions before it */
};

struct stamp_location {
	__be16 dst_port, src_port;	/* of the test packet, as received by the reflector */
} __attribute__((packed));

/* Within a location: the first of each three requests, the others answer. */
enum stamp_location_type {
	STAMP_SOURCE_MAC = 1,
	STAMP_SOURCE_EUI48,	/* 6 bytes, 2 zero bytes */
	STAMP_SOURCE_EUI64,
	STAMP_DST_IP,
	STAMP_DST_IP4,		/* 4 bytes, 12 zero bytes */
	STAMP_DST_IP6,
	STAMP_SRC_IP,
	STAMP_SRC_IP4,
	STAMP_SRC_IP6,
};
#define STAMP_LOCATION_MAC_BYTES	8
#define STAMP_LOCATION_IP_BYTES		16

struct stamp_time_info {
	__u8 source_in, method_in, source_out, method_out;
} __attribute__((packed));

enum stamp_time_source {
	STAMP_FROM_NTP = 1, STAMP_FROM_PTP, STAMP_FROM_BITS, STAMP_FROM_SATELLITE, STAMP_FROM_LOCAL,
};

enum stamp_time_method {
	STAMP_BY_HARDWARE = 1, STAMP_BY_SOFTWARE, STAMP_BY_CONTROL,
};

struct stamp_class {
	__be16 bits;		/* DSCP1 (requested) 6, DSCP2 (received) 6, ECN (received) 2, RP
				 * 2 */
	__be16 zero;
} __attribute__((packed));
#define STAMP_CLASS_ASKED_SHIFT		10
#define STAMP_CLASS_ARRIVED_SHIFT	4
#define STAMP_CLASS_ECN_SHIFT		2
#define STAMP_CLASS_REFUSED		1	/* RP: the answer keeps the received DSCP */

struct stamp_direct {
	__be32 sent;		/* by the sender */
	__be32 received;	/* by the reflector, of the session */
	__be32 answered;
} __attribute__((packed));

struct stamp_access {
	__u8 id;		/* in its upper half: 1 3GPP, 2 not */
	__u8 code;
	__be16 zero;
} __attribute__((packed));

/* About the previous answer; a stateless reflector has 0 in the first two. */
struct stamp_follow_up {
	__be32 sequence;
	struct stamp_time sent;
	__u8 method;
	__u8 zero[3];
} __attribute__((packed));

ABI_ASSERT_SIZE(struct stamp_location, 4);
ABI_ASSERT_SIZE(struct stamp_time_info, 4);
ABI_ASSERT_SIZE(struct stamp_class, 4);
ABI_ASSERT_SIZE(struct stamp_direct, 12);
ABI_ASSERT_SIZE(struct stamp_access, 4);
ABI_ASSERT_SIZE(struct stamp_follow_up, 16);

#define STAMP_NTP_EPOCH_S	2208988800u	/* from 1900 to 1970 */

/*
 * A UTC time as the two halves of struct stamp_time, in host byte order. The fraction is within
 * 2^-32 s, and rounds back to the same nanosecond.
 */
static inline void stamp_time_of(__u64 utc_ns, int ptp, __u32 *ret_seconds, __u32 *ret_fraction)
{
	__u64 seconds = utc_ns / 1000000000, ns = utc_ns % 1000000000;

	*ret_seconds = (__u32)(ptp ? seconds : seconds + STAMP_NTP_EPOCH_S);
	/* 2^64 / 10^9, rounded down: no division, and no overflow */
	*ret_fraction = (__u32)(ptp ? ns : (ns * 18446744073ull) >> 32);
}

/*
 * Scale and multiplier, host byte order, without S and Z: the smallest value that covers @error_ns,
 * never 0.
 */
static inline __u16 stamp_error_of(__u64 error_ns)
{
	__u64 units, scale = 0;

	if (error_ns > 1000000000000ull)	/* 1000 s: larger values add no information */
		error_ns = 1000000000000ull;
	units = error_ns / 1000000000 << 32;
	units += ((error_ns % 1000000000 << 32) + 999999999) / 1000000000;
	while (units > STAMP_MULTIPLIER_MASK) {
		units = (units + 1) / 2;
		scale++;
	}
	return (__u16)(scale << STAMP_SCALE_SHIFT | (units ? units : 1));
}

#endif
