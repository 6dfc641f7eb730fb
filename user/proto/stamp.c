// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/stamp.c - test packets of STAMP and TWAMP Light.
 */
#include "proto/stamp.h"

#include <errno.h>
#include <string.h>

#include "lib/sha256.h"

#define NSEC_PER_S	1000000000ull
#define TLV_BYTES	((uint32_t)sizeof(struct stamp_tlv))
/* Ports, then sub-TLVs that request MAC, destination and source address. */
#define LOCATION_BYTES	(sizeof(struct stamp_location) + 3 * TLV_BYTES + \
			 STAMP_LOCATION_MAC_BYTES + 2 * STAMP_LOCATION_IP_BYTES)

const char *const stamp_tlv_names[STAMP_TLVS] = {
	"", "padding", "location", "timestamp", "class", "direct", "access", "follow-up", "hmac",
};

/* Sizes of the values; for a location as in the request. */
static const uint8_t value_bytes[STAMP_TLVS] = {
	[STAMP_TLV_LOCATION] = LOCATION_BYTES,
	[STAMP_TLV_TIME] = sizeof(struct stamp_time_info),
	[STAMP_TLV_CLASS] = sizeof(struct stamp_class),
	[STAMP_TLV_DIRECT] = sizeof(struct stamp_direct),
	[STAMP_TLV_ACCESS] = sizeof(struct stamp_access),
	[STAMP_TLV_FOLLOW_UP] = sizeof(struct stamp_follow_up),
	[STAMP_TLV_HMAC] = STAMP_HMAC_BYTES,
};

/* Offsets of fields in test packets and answers. */
static const struct places {
	uint8_t bytes, question_bytes;
	uint8_t time, error, ssid, received, asked_seq, asked_time, asked_error, asked_ttl;
} places[] = {
#define PLACES(len, question_len, type) { len, question_len, offsetof(type, sent), \
	offsetof(type, error), offsetof(type, ssid), offsetof(type, received), \
	offsetof(type, asked_sequence), offsetof(type, asked_sent), \
	offsetof(type, asked_error), offsetof(type, asked_ttl) }
	[STAMP_OPEN] = PLACES(STAMP_OPEN_BYTES, STAMP_OPEN_BYTES, struct stamp_answer),
	[STAMP_AUTH] = PLACES(STAMP_AUTH_BYTES, STAMP_AUTH_BYTES, struct stamp_auth_answer),
	[STAMP_TWAMP_LIGHT] = PLACES(STAMP_TWAMP_BYTES, 14, struct stamp_answer),
#undef PLACES
};

static void put16(uint8_t *at, uint16_t v)
{
	at[0] = (uint8_t)(v >> 8);
	at[1] = (uint8_t)v;
}

static void put32(uint8_t *at, uint32_t v)
{
	put16(at, (uint16_t)(v >> 16));
	put16(at + 2, (uint16_t)v);
}

static void put64(uint8_t *at, uint64_t v)
{
	put32(at, (uint32_t)(v >> 32));
	put32(at + 4, (uint32_t)v);
}

static uint16_t get16(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

static uint32_t get32(const uint8_t *at)
{
	return (uint32_t)get16(at) << 16 | get16(at + 2);
}

static uint64_t get64(const uint8_t *at)
{
	return (uint64_t)get32(at) << 32 | get32(at + 4);
}

uint64_t stamp_time_to_wire(uint64_t utc_ns, bool ptp)
{
	uint32_t seconds, fraction;

	stamp_time_of(utc_ns, ptp, &seconds, &fraction);
	return (uint64_t)seconds << 32 | fraction;
}

uint64_t stamp_time_of_wire(uint64_t wire, bool ptp)
{
	uint64_t s = wire >> 32, part = wire & 0xffffffff;

	if (ptp)
		return s * NSEC_PER_S + part;
	/* RFC 4330 3: with bit 0 clear it belongs to the era that begins in 2036. */
	if (!(s >> 31))
		s += 1ull << 32;
	return (s - STAMP_NTP_EPOCH_S) * NSEC_PER_S + ((part * NSEC_PER_S + (1ull << 31)) >> 32);
}

uint64_t stamp_error_ns(uint16_t error)
{
	unsigned __int128 ns = (unsigned __int128)(error & 0xff) * NSEC_PER_S;

	ns = ((ns << (error >> 8 & 0x3f)) + (1ull << 31)) >> 32;
	return ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

bool stamp_error_synchronised(uint16_t error)
{
	return error & STAMP_SYNCED;
}

bool stamp_error_ptp(uint16_t error)
{
	return error & STAMP_PTP;
}

static uint32_t tlvs_bytes(const struct stamp_form *form)
{
	uint32_t sum = 0;
	int type;

	for (type = STAMP_TLV_LOCATION; type < STAMP_TLVS; type++) {
		if (form->tlvs & 1u << type)
			sum += TLV_BYTES + value_bytes[type];
	}
	return sum;
}

uint32_t stamp_least_bytes(const struct stamp_form *form)
{
	return places[form->mode].question_bytes + tlvs_bytes(form);
}

bool stamp_can_build(const struct stamp_form *form)
{
	uint32_t least = stamp_least_bytes(form);

	if (form->mode == STAMP_TWAMP_LIGHT && form->tlvs)
		return false;
	if (!form->bytes || form->bytes == least)
		return true;
	if (form->mode != STAMP_TWAMP_LIGHT)
		least += TLV_BYTES;
	return form->bytes >= least && form->bytes <= STAMP_MAX_BYTES;
}

static void hmac(const struct stamp_form *form, const uint8_t *seq, const uint8_t *data, size_t len,
		 uint8_t ret_mac[SHA256_BYTES])
{
	uint8_t text[4 + STAMP_MAX_BYTES];

	memcpy(text, seq, 4);
	memcpy(text + 4, data, len);
	sha256_hmac(form->key, form->key_bytes, text, 4 + len, ret_mac);
}

static uint8_t *put_tlv(uint8_t *at, int type, uint32_t len)
{
	at[0] = STAMP_TLV_UNKNOWN;
	at[1] = (uint8_t)type;
	put16(at + 2, (uint16_t)len);
	return at + TLV_BYTES;
}

static void fill_value(const struct stamp_form *form, const struct stamp_ask *ask,
		       int type, uint8_t *value)
{
	if (type == STAMP_TLV_LOCATION) {
		value = put_tlv(value + sizeof(struct stamp_location), STAMP_SOURCE_MAC,
				STAMP_LOCATION_MAC_BYTES) + STAMP_LOCATION_MAC_BYTES;
		value = put_tlv(value, STAMP_DST_IP, STAMP_LOCATION_IP_BYTES) +
			STAMP_LOCATION_IP_BYTES;
		put_tlv(value, STAMP_SRC_IP, STAMP_LOCATION_IP_BYTES);
	} else if (type == STAMP_TLV_CLASS) {
		value[0] = (uint8_t)(form->dscp << 2);
	} else if (type == STAMP_TLV_DIRECT) {
		put32(value, ask->sent);
	} else if (type == STAMP_TLV_ACCESS) {
		value[0] = (uint8_t)(form->access_id << 4);
		value[1] = form->access_code;
	}
}

/* In the order of their types, padding after the others, the HMAC last (RFC 8972 4.8). */
static void put_tlvs(const struct stamp_form *form, const struct stamp_ask *ask,
		     uint8_t *bytes, uint8_t *end)
{
	uint8_t *first = bytes + places[form->mode].question_bytes, *at = first, *value;
	uint8_t mac[SHA256_BYTES];
	int type;

	for (type = STAMP_TLV_LOCATION; type < STAMP_TLV_HMAC; type++) {
		if (!(form->tlvs & 1u << type))
			continue;
		value = put_tlv(at, type, value_bytes[type]);
		fill_value(form, ask, type, value);
		at = value + value_bytes[type];
	}
	if (form->tlvs & 1u << STAMP_TLV_HMAC)
		end -= TLV_BYTES + STAMP_HMAC_BYTES;
	if (at < end)
		put_tlv(at, STAMP_TLV_PADDING, (uint32_t)(end - at - TLV_BYTES));
	if (form->tlvs & 1u << STAMP_TLV_HMAC) {
		hmac(form, bytes, first, (size_t)(end - first), mac);
		memcpy(put_tlv(end, STAMP_TLV_HMAC, STAMP_HMAC_BYTES), mac, STAMP_HMAC_BYTES);
	}
}

uint32_t stamp_build(const struct stamp_form *form, const struct stamp_ask *ask,
		     uint8_t ret_bytes[STAMP_MAX_BYTES])
{
	const struct places *place = &places[form->mode];
	uint32_t len = form->bytes ? form->bytes : stamp_least_bytes(form);
	uint8_t mac[SHA256_BYTES];

	memset(ret_bytes, 0, len);
	put32(ret_bytes, ask->seq);
	put64(ret_bytes + place->time, stamp_time_to_wire(ask->sent_utc_ns, form->ptp));
	put16(ret_bytes + place->error, ask->error);
	if (form->mode == STAMP_TWAMP_LIGHT)
		return len;
	put16(ret_bytes + place->ssid, form->ssid);
	if (form->mode == STAMP_AUTH) {
		sha256_hmac(form->key, form->key_bytes, ret_bytes, STAMP_HMAC_OVER_BYTES, mac);
		memcpy(ret_bytes + STAMP_HMAC_OVER_BYTES, mac, STAMP_HMAC_BYTES);
	}
	put_tlvs(form, ask, ret_bytes, ret_bytes + len);
	return len;
}

static void read_location(const uint8_t *at, const uint8_t *end, struct stamp_reply *reply)
{
	uint32_t len;

	reply->location_port = get16(at);
	reply->location_src_port = get16(at + 2);
	for (at += sizeof(struct stamp_location); end - at >= TLV_BYTES; at += len) {
		const uint8_t *value = at + TLV_BYTES;
		uint8_t type = at[1];

		len = (uint32_t)TLV_BYTES + get16(at + 2);
		if (len > (size_t)(end - at))
			return;
		if (at[0] & (STAMP_TLV_UNKNOWN | STAMP_TLV_MALFORMED))
			continue;
		if (type == STAMP_SOURCE_EUI48 && len - TLV_BYTES >= 6) {
			memcpy(reply->location_mac, value, 6);
		} else if (type >= STAMP_DST_IP4 && len - TLV_BYTES >= STAMP_LOCATION_IP_BYTES) {
			if (type == STAMP_DST_IP4 || type == STAMP_DST_IP6) {
				memcpy(reply->location_dst, value, STAMP_LOCATION_IP_BYTES);
				reply->location_dst_type = type;
			} else if (type == STAMP_SRC_IP4 || type == STAMP_SRC_IP6) {
				memcpy(reply->location_src, value, STAMP_LOCATION_IP_BYTES);
				reply->location_src_type = type;
			}
		}
	}
}

static void read_value(const uint8_t *value, uint32_t len, int type, bool ptp, struct stamp_reply *reply)
{
	switch (type) {
	case STAMP_TLV_LOCATION:
		read_location(value, value + len, reply);
		break;
	case STAMP_TLV_TIME:
		memcpy(reply->timestamp_info, value, 4);
		break;
	case STAMP_TLV_CLASS:
		/* DSCP1 6 bits, DSCP2 6, ECN 2, RP 2 */
		reply->dscp_seen = (uint8_t)(get16(value) >> 4 & 0x3f);
		reply->ecn_seen = value[1] >> 2 & 3;
		reply->reverse = value[1] & 3;
		break;
	case STAMP_TLV_DIRECT:
		reply->direct_sent = get32(value);
		reply->direct_received = get32(value + 4);
		reply->direct_reflected = get32(value + 8);
		break;
	case STAMP_TLV_ACCESS:
		reply->access_id = value[0] >> 4;
		reply->access_code = value[1];
		break;
	case STAMP_TLV_FOLLOW_UP:
		reply->follow_up_seq = get32(value);
		reply->follow_up_utc_ns = get64(value + 4) ?
			stamp_time_of_wire(get64(value + 4), ptp) : 0;
		reply->follow_up_method = value[12];
		break;
	}
}

static uint32_t least_bytes(uint8_t type)
{
	return type == STAMP_TLV_LOCATION ? sizeof(struct stamp_location) : value_bytes[type];
}

/* The end of the usable values: those after a malformed one must not be used (RFC 8972 4). */
static const uint8_t *scan_tlvs(const struct stamp_form *form, const uint8_t *bytes, size_t len,
				struct stamp_reply *reply)
{
	const uint8_t *first = bytes + places[form->mode].bytes, *at = first, *end = bytes + len;
	bool proven = !(form->tlvs & 1u << STAMP_TLV_HMAC), seen = false;
	uint8_t mac[SHA256_BYTES], flags;
	uint32_t value_len, bit;

	for (; end - at >= TLV_BYTES; at += TLV_BYTES + value_len) {
		flags = at[0];
		value_len = get16(at + 2);
		bit = at[1] < STAMP_TLVS ? 1u << at[1] : 1;
		reply->tlvs |= bit;
		reply->unrecognised |= flags & STAMP_TLV_UNKNOWN ? bit : 0;
		reply->not_intact |= flags & STAMP_TLV_UNPROVEN ? bit : 0;
		if (flags & STAMP_TLV_MALFORMED || value_len > (size_t)(end - at) - TLV_BYTES ||
		    (at[1] < STAMP_TLVS && value_len < least_bytes(at[1]))) {
			reply->malformed |= bit;
			break;
		}
		if (seen && at[1] != STAMP_TLV_PADDING)		/* not allowed there (4.8) */
			reply->wrong_tlv_hmac = true;
		if (at[1] == STAMP_TLV_HMAC && !(flags & STAMP_TLV_UNKNOWN) && form->key_bytes &&
		    len <= STAMP_MAX_BYTES) {
			hmac(form, bytes, first, (size_t)(at - first), mac);
			seen = proven = true;
			reply->wrong_tlv_hmac |= !sha256_equal(mac, at + TLV_BYTES, STAMP_HMAC_BYTES);
		}
	}
	return proven && !reply->wrong_tlv_hmac && !reply->not_intact ? at : first;
}

static void read_tlvs(const struct stamp_form *form, const uint8_t *bytes, size_t len,
		      struct stamp_reply *reply)
{
	const uint8_t *at = bytes + places[form->mode].bytes;
	const uint8_t *end = scan_tlvs(form, bytes, len, reply);
	uint32_t value_len;

	for (; at < end; at += TLV_BYTES + value_len) {
		value_len = get16(at + 2);
		if (at[0] & STAMP_TLV_UNKNOWN)
			continue;
		reply->used |= at[1] < STAMP_TLVS ? 1u << at[1] : 1;
		read_value(at + TLV_BYTES, value_len, at[1], stamp_error_ptp(reply->error), reply);
	}
}

int stamp_parse(const struct stamp_form *form, const uint8_t *bytes, size_t len,
		struct stamp_reply *ret_reply)
{
	const struct places *place = &places[form->mode];
	struct stamp_reply reply = { 0 };
	uint8_t mac[SHA256_BYTES];
	bool ptp;

	if (len < place->bytes)
		return -EBADMSG;
	if (form->mode == STAMP_AUTH) {
		sha256_hmac(form->key, form->key_bytes, bytes, STAMP_HMAC_OVER_BYTES, mac);
		if (!sha256_equal(mac, bytes + STAMP_HMAC_OVER_BYTES, STAMP_HMAC_BYTES))
			return -EKEYREJECTED;
	}
	reply.seq = get32(bytes);
	reply.error = get16(bytes + place->error);
	ptp = stamp_error_ptp(reply.error);
	reply.sent_utc_ns = stamp_time_of_wire(get64(bytes + place->time), ptp);
	reply.received_utc_ns = stamp_time_of_wire(get64(bytes + place->received), ptp);
	reply.sender_seq = get32(bytes + place->asked_seq);
	reply.sender_utc_ns = stamp_time_of_wire(get64(bytes + place->asked_time), form->ptp);
	reply.sender_error = get16(bytes + place->asked_error);
	reply.sender_ttl = bytes[place->asked_ttl];
	if (form->mode != STAMP_TWAMP_LIGHT) {
		reply.ssid = get16(bytes + place->ssid);
		read_tlvs(form, bytes, len, &reply);
	}
	*ret_reply = reply;
	return 0;
}
