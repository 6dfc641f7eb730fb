/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proto/stamp.h - test packets of STAMP (RFC 8762, RFC 8972) and of TWAMP Light
 * (RFC 5357 appendix I), as their sender writes and reads them.
 *
 * Times are ns of UTC since 1970, as CLOCK_REALTIME tells them.
 */
#ifndef PROTO_STAMP_H
#define PROTO_STAMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STAMP_PORT		862
#define STAMP_OPEN_BYTES	44	/* of the test packet, both ways */
#define STAMP_AUTH_BYTES	112
#define STAMP_TWAMP_BYTES	41	/* what a reflector sends; a sender pads up to it */
#define STAMP_TLV_BYTES		4	/* flags, type, length */
#define STAMP_HMAC_BYTES	16
#define STAMP_MAX_BYTES		9216
#define STAMP_MAX_KEY_BYTES	256

enum stamp_mode { STAMP_OPEN, STAMP_AUTH, STAMP_TWAMP_LIGHT };

/* RFC 8972's numbers; the names are those of --tlv. */
enum stamp_tlv {
	STAMP_TLV_PADDING = 1, STAMP_TLV_LOCATION, STAMP_TLV_TIMESTAMP, STAMP_TLV_CLASS,
	STAMP_TLV_DIRECT, STAMP_TLV_ACCESS, STAMP_TLV_FOLLOW_UP, STAMP_TLV_HMAC,
	STAMP_TLVS
};

extern const char *const stamp_tlv_names[STAMP_TLVS];

enum stamp_flag {
	STAMP_FLAG_U = 0x80,	/* not recognised; a sender sets it */
	STAMP_FLAG_M = 0x40,	/* malformed */
	STAMP_FLAG_I = 0x20,	/* integrity check failed */
};

/* What is the same in all packets of a session. */
struct stamp_form {
	enum stamp_mode mode;
	bool ptp;			/* stamps in PTP's format, not in NTP's */
	uint16_t ssid;
	uint32_t bytes;			/* in all; 0: no padding */
	uint32_t tlvs;			/* bit 1 << type: asked for; padding comes by itself */
	uint8_t dscp;			/* asked for on the way back */
	uint8_t access_id, access_code;	/* RFC 8972 4.6 */
	const uint8_t *key;
	size_t key_bytes;
};

/* What is not. */
struct stamp_question {
	uint32_t seq;
	uint32_t sent;			/* test packets so far with this one */
	uint16_t error;			/* stamp_error_of() */
	uint64_t sent_utc_ns;
};

/* An answer. Bits of its TLVs are 1 << type. */
struct stamp_answer {
	uint32_t seq, sender_seq;
	uint16_t ssid, error, sender_error;
	uint8_t sender_ttl;
	uint64_t sender_utc_ns;		/* T1, as it came back */
	uint64_t received_utc_ns;	/* T2 */
	uint64_t sent_utc_ns;		/* T3 */
	uint32_t tlvs, unrecognised, malformed, not_intact;
	bool wrong_tlv_hmac;		/* by our own check */
	uint16_t location_port, location_src_port;
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

/* RFC 4656 4.1.2: S, Z, scale and multiplier, which is never 0 and never below @error_ns. */
uint16_t stamp_error_of(bool synchronised, bool ptp, uint64_t error_ns);
uint64_t stamp_error_ns(uint16_t error);
bool stamp_error_synchronised(uint16_t error);
bool stamp_error_ptp(uint16_t error);

/* The least that @form comes to, without padding. */
uint32_t stamp_least_bytes(const struct stamp_form *form);

/* False if no packet of @form->bytes can be made: too short, or too little for a padding TLV. */
bool stamp_can_build(const struct stamp_form *form);

/* Returns the number of bytes; @form must be one that can be built. */
uint32_t stamp_build(const struct stamp_form *form, const struct stamp_question *question,
		     uint8_t ret_bytes[STAMP_MAX_BYTES]);

/* 0, -EBADMSG: no answer of this form, or -EKEYREJECTED: its HMAC is wrong. */
int stamp_parse(const struct stamp_form *form, const uint8_t *bytes, size_t len,
		struct stamp_answer *ret_answer);

#endif
