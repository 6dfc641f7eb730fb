/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proto/stamp.h - test packets of STAMP (RFC 8762, RFC 8972) and TWAMP Light (RFC 5357 appendix I):
 * built and parsed by their sender.
 *
 * Times are ns since 1970 in UTC, as CLOCK_REALTIME.
 */
#ifndef PROTO_STAMP_H
#define PROTO_STAMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/stamp_packet.h"

#define STAMP_MAX_BYTES		9216

enum stamp_mode { STAMP_OPEN, STAMP_AUTH, STAMP_TWAMP_LIGHT };

#define STAMP_TLVS	(STAMP_TLV_HMAC + 1)

/* By type, for --tlv; "" if undefined. */
extern const char *const stamp_tlv_names[STAMP_TLVS];

/* Constant in all packets of a session. */
struct stamp_form {
	enum stamp_mode mode;
	bool ptp;			/* timestamps in PTP format, not NTP */
	uint16_t ssid;
	uint32_t bytes;			/* total; 0: no padding */
	uint32_t tlvs;			/* bit 1 << type: requested; padding is added
					 * automatically */
	uint8_t dscp;			/* requested for the answer */
	uint8_t access_id, access_code;	/* RFC 8972 4.6 */
	const uint8_t *key;
	size_t key_bytes;
};

/* Different in each packet. */
struct stamp_ask {
	uint32_t seq;
	uint32_t sent;			/* test packets so far, including this one */
	uint16_t error;			/* including S and Z */
	uint64_t sent_utc_ns;
};

/* An answer. Bits of its TLVs are 1 << type. */
struct stamp_reply {
	uint32_t seq, sender_seq;
	uint16_t ssid, error, sender_error;
	uint8_t sender_ttl;
	uint64_t sender_utc_ns;		/* T1, as returned */
	uint64_t received_utc_ns;	/* T2 */
	uint64_t sent_utc_ns;		/* T3 */
	uint32_t tlvs, unrecognised, malformed, not_intact;
	uint32_t used;			/* TLVs whose values are reported: none if the HMAC is
					 * wrong or missing */
	bool wrong_tlv_hmac;		/* by our own check */
	uint16_t location_port, location_src_port;
	uint8_t location_mac[6];	/* all 0: not given, like all that follow */
	uint8_t location_dst[16], location_src[16];	/* IPv4 in the first 4 bytes */
	uint8_t location_dst_type, location_src_type;	/* enum stamp_location_type */
	uint8_t timestamp_info[4];	/* source and method, in and out */
	uint8_t dscp_seen, ecn_seen, reverse;	/* class of service */
	uint32_t direct_sent, direct_received, direct_reflected;
	uint8_t access_id, access_code;
	uint32_t follow_up_seq;
	uint64_t follow_up_utc_ns;	/* 0: none */
	uint8_t follow_up_method;
};

uint64_t stamp_time_to_wire(uint64_t utc_ns, bool ptp);
uint64_t stamp_time_of_wire(uint64_t wire, bool ptp);

/* ns of an Error Estimate (RFC 4656 4.1.2); the inverse is abi's stamp_error_of(). */
uint64_t stamp_error_ns(uint16_t error);
bool stamp_error_synchronised(uint16_t error);
bool stamp_error_ptp(uint16_t error);

/* The minimum size for @form, without padding. */
uint32_t stamp_least_bytes(const struct stamp_form *form);

/* False if no packet of @form->bytes is possible: too short, or no room for a padding TLV. */
bool stamp_can_build(const struct stamp_form *form);

/* Returns the number of bytes; @form must satisfy stamp_can_build(). */
uint32_t stamp_build(const struct stamp_form *form, const struct stamp_ask *ask,
		     uint8_t ret_bytes[STAMP_MAX_BYTES]);

/* 0, -EBADMSG: not an answer of this form, or -EKEYREJECTED: its HMAC is wrong. */
int stamp_parse(const struct stamp_form *form, const uint8_t *bytes, size_t len,
		struct stamp_reply *ret_reply);

#endif
