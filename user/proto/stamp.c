// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/stamp.c - test packets of STAMP and TWAMP Light.
 */
#include "proto/stamp.h"

#include <errno.h>
#include <string.h>

#include "lib/sha256.h"

#define NSEC_PER_S	1000000000ull
#define NTP_EPOCH_S	2208988800ull	/* 1900 to 1970 */
#define ERROR_S		0x8000
#define ERROR_Z		0x4000
#define HMAC_AT		96		/* RFC 8762 4.4: it covers what is before it */

const char *const stamp_tlv_names[STAMP_TLVS] = {
	"", "padding", "location", "timestamp", "class", "direct", "access", "follow-up", "hmac",
};

/* Of the values that a sender sends; location without sub-TLVs: it asks for the ports only. */
static const uint8_t value_bytes[STAMP_TLVS] = {
	[STAMP_TLV_LOCATION] = 4, [STAMP_TLV_TIMESTAMP] = 4, [STAMP_TLV_CLASS] = 4,
	[STAMP_TLV_DIRECT] = 12, [STAMP_TLV_ACCESS] = 4, [STAMP_TLV_FOLLOW_UP] = 16,
	[STAMP_TLV_HMAC] = STAMP_HMAC_BYTES,
};

/* Where the fields of a question and of an answer are (RFC 8762 4.2, 4.3; RFC 8972 3). */
static const struct places {
	uint8_t bytes, question_bytes;
	uint8_t seq, time, error, ssid, received, sender_seq, sender_time, sender_error, sender_ttl;
} places[] = {
	[STAMP_OPEN] = { 44, 44, 0, 4, 12, 14, 16, 24, 28, 36, 40 },
	[STAMP_AUTH] = { 112, 112, 0, 16, 24, 26, 32, 48, 64, 72, 80 },
	[STAMP_TWAMP_LIGHT] = { 41, 14, 0, 4, 12, 0, 16, 24, 28, 36, 40 },
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
	uint64_t s = utc_ns / NSEC_PER_S, ns = utc_ns % NSEC_PER_S;

	if (ptp)
		return s << 32 | ns;
	/* Rounded, so that the way there and back changes nothing. */
	return (s + NTP_EPOCH_S) << 32 | ((ns << 32) + NSEC_PER_S / 2) / NSEC_PER_S;
}

uint64_t stamp_time_of_wire(uint64_t wire, bool ptp)
{
	uint64_t s = wire >> 32, part = wire & 0xffffffff;

	if (ptp)
		return s * NSEC_PER_S + part;
	/* RFC 4330 3: with bit 0 clear it is of the era that begins in 2036. */
	if (!(s >> 31))
		s += 1ull << 32;
	return (s - NTP_EPOCH_S) * NSEC_PER_S + ((part * NSEC_PER_S + (1ull << 31)) >> 32);
}

/* The error is multiplier x 2^(scale - 32) s. */
uint16_t stamp_error_of(bool synchronised, bool ptp, uint64_t error_ns)
{
	unsigned __int128 units = ((unsigned __int128)error_ns << 32) / NSEC_PER_S + 1;
	unsigned int scale = 0;

	while (units > 255 && scale < 63) {
		units = (units + 1) >> 1;
		scale++;
	}
	return (uint16_t)((synchronised ? ERROR_S : 0) | (ptp ? ERROR_Z : 0) | scale << 8 |
			  (units > 255 ? 255 : (unsigned int)units));
}

uint64_t stamp_error_ns(uint16_t error)
{
	unsigned __int128 ns = (unsigned __int128)(error & 0xff) * NSEC_PER_S;

	ns = ((ns << (error >> 8 & 0x3f)) + (1ull << 31)) >> 32;
	return ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

bool stamp_error_synchronised(uint16_t error)
{
	return error & ERROR_S;
}

bool stamp_error_ptp(uint16_t error)
{
	return error & ERROR_Z;
}

static uint32_t tlvs_bytes(const struct stamp_form *form)
{
	uint32_t sum = 0;
	int type;

	for (type = STAMP_TLV_LOCATION; type < STAMP_TLVS; type++) {
		if (form->tlvs & 1u << type)
			sum += STAMP_TLV_BYTES + value_bytes[type];
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
		least += STAMP_TLV_BYTES;
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
	at[0] = STAMP_FLAG_U;
	at[1] = (uint8_t)type;
	put16(at + 2, (uint16_t)len);
	return at + STAMP_TLV_BYTES;
}

static void fill_value(const struct stamp_form *form, const struct stamp_question *question,
		       int type, uint8_t *value)
{
	if (type == STAMP_TLV_CLASS) {
		value[0] = (uint8_t)(form->dscp << 2);
	} else if (type == STAMP_TLV_DIRECT) {
		put32(value, question->sent);
	} else if (type == STAMP_TLV_ACCESS) {
		value[0] = (uint8_t)(form->access_id << 4);
		value[1] = form->access_code;
	}
}

/* In the order of their numbers, padding behind the others, the HMAC last (RFC 8972 4.8). */
static void put_tlvs(const struct stamp_form *form, const struct stamp_question *question,
		     uint8_t *bytes, uint8_t *end)
{
	uint8_t *first = bytes + places[form->mode].question_bytes, *at = first, *value;
	uint8_t mac[SHA256_BYTES];
	int type;

	for (type = STAMP_TLV_LOCATION; type < STAMP_TLV_HMAC; type++) {
		if (!(form->tlvs & 1u << type))
			continue;
		value = put_tlv(at, type, value_bytes[type]);
		fill_value(form, question, type, value);
		at = value + value_bytes[type];
	}
	if (form->tlvs & 1u << STAMP_TLV_HMAC)
		end -= STAMP_TLV_BYTES + STAMP_HMAC_BYTES;
	if (at < end)
		put_tlv(at, STAMP_TLV_PADDING, (uint32_t)(end - at - STAMP_TLV_BYTES));
	if (form->tlvs & 1u << STAMP_TLV_HMAC) {
		hmac(form, bytes, first, (size_t)(end - first), mac);
		memcpy(put_tlv(end, STAMP_TLV_HMAC, STAMP_HMAC_BYTES), mac, STAMP_HMAC_BYTES);
	}
}

uint32_t stamp_build(const struct stamp_form *form, const struct stamp_question *question,
		     uint8_t ret_bytes[STAMP_MAX_BYTES])
{
	const struct places *place = &places[form->mode];
	uint32_t len = form->bytes ? form->bytes : stamp_least_bytes(form);
	uint8_t mac[SHA256_BYTES];

	memset(ret_bytes, 0, len);
	put32(ret_bytes + place->seq, question->seq);
	put64(ret_bytes + place->time, stamp_time_to_wire(question->sent_utc_ns, form->ptp));
	put16(ret_bytes + place->error, question->error);
	if (form->mode == STAMP_TWAMP_LIGHT)
		return len;
	put16(ret_bytes + place->ssid, form->ssid);
	if (form->mode == STAMP_AUTH) {
		sha256_hmac(form->key, form->key_bytes, ret_bytes, HMAC_AT, mac);
		memcpy(ret_bytes + HMAC_AT, mac, STAMP_HMAC_BYTES);
	}
	put_tlvs(form, question, ret_bytes, ret_bytes + len);
	return len;
}

static void read_value(const uint8_t *value, int type, bool ptp, struct stamp_answer *answer)
{
	switch (type) {
	case STAMP_TLV_LOCATION:
		answer->location_port = get16(value);
		answer->location_src_port = get16(value + 2);
		break;
	case STAMP_TLV_TIMESTAMP:
		memcpy(answer->timestamp_info, value, 4);
		break;
	case STAMP_TLV_CLASS:
		/* DSCP1 6 bits, DSCP2 6, ECN 2, RP 2 */
		answer->dscp_seen = (uint8_t)(get16(value) >> 4 & 0x3f);
		answer->ecn_seen = value[1] >> 2 & 3;
		answer->reverse = value[1] & 3;
		break;
	case STAMP_TLV_DIRECT:
		answer->direct_sent = get32(value);
		answer->direct_received = get32(value + 4);
		answer->direct_reflected = get32(value + 8);
		break;
	case STAMP_TLV_ACCESS:
		answer->access_id = value[0] >> 4;
		answer->access_code = value[1];
		break;
	case STAMP_TLV_FOLLOW_UP:
		answer->follow_up_seq = get32(value);
		answer->follow_up_utc_ns = get64(value + 4) ?
			stamp_time_of_wire(get64(value + 4), ptp) : 0;
		answer->follow_up_method = value[12];
		break;
	}
}

/* Reads as far as the TLVs are whole; what follows one that is not cannot be told apart. */
static void read_tlvs(const struct stamp_form *form, const uint8_t *bytes, size_t len,
		      struct stamp_answer *answer)
{
	const uint8_t *first = bytes + places[form->mode].bytes, *at = first, *end = bytes + len;
	uint8_t mac[SHA256_BYTES], flags;
	uint32_t value_len, bit;

	for (; end - at >= STAMP_TLV_BYTES; at += STAMP_TLV_BYTES + value_len) {
		flags = at[0];
		value_len = get16(at + 2);
		bit = at[1] < STAMP_TLVS ? 1u << at[1] : 1;
		answer->tlvs |= bit;
		answer->unrecognised |= flags & STAMP_FLAG_U ? bit : 0;
		answer->not_intact |= flags & STAMP_FLAG_I ? bit : 0;
		if (flags & STAMP_FLAG_M || value_len > (size_t)(end - at) - STAMP_TLV_BYTES ||
		    (at[1] < STAMP_TLVS && value_len < value_bytes[at[1]])) {
			answer->malformed |= bit;
			if (value_len > (size_t)(end - at) - STAMP_TLV_BYTES)
				return;
			continue;
		}
		if (at[1] == STAMP_TLV_HMAC && form->key_bytes && len <= STAMP_MAX_BYTES) {
			hmac(form, bytes, first, (size_t)(at - first), mac);
			answer->wrong_tlv_hmac = memcmp(mac, at + STAMP_TLV_BYTES,
							STAMP_HMAC_BYTES) != 0;
		} else if (!(flags & STAMP_FLAG_U)) {
			read_value(at + STAMP_TLV_BYTES, at[1], stamp_error_ptp(answer->error),
				   answer);
		}
	}
}

int stamp_parse(const struct stamp_form *form, const uint8_t *bytes, size_t len,
		struct stamp_answer *ret_answer)
{
	const struct places *place = &places[form->mode];
	struct stamp_answer answer = { 0 };
	uint8_t mac[SHA256_BYTES];
	bool ptp;

	if (len < place->bytes)
		return -EBADMSG;
	if (form->mode == STAMP_AUTH) {
		sha256_hmac(form->key, form->key_bytes, bytes, HMAC_AT, mac);
		if (memcmp(mac, bytes + HMAC_AT, STAMP_HMAC_BYTES))
			return -EKEYREJECTED;
	}
	answer.seq = get32(bytes + place->seq);
	answer.error = get16(bytes + place->error);
	ptp = stamp_error_ptp(answer.error);
	answer.sent_utc_ns = stamp_time_of_wire(get64(bytes + place->time), ptp);
	answer.received_utc_ns = stamp_time_of_wire(get64(bytes + place->received), ptp);
	answer.sender_seq = get32(bytes + place->sender_seq);
	answer.sender_utc_ns = stamp_time_of_wire(get64(bytes + place->sender_time), form->ptp);
	answer.sender_error = get16(bytes + place->sender_error);
	answer.sender_ttl = bytes[place->sender_ttl];
	if (form->mode != STAMP_TWAMP_LIGHT) {
		answer.ssid = get16(bytes + place->ssid);
		read_tlvs(form, bytes, len, &answer);
	}
	*ret_answer = answer;
	return 0;
}
