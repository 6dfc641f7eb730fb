// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test packets of STAMP byte by byte, by the figures of RFC 8762 and RFC 8972. The HMACs
 * were computed by Python's hmac module over the same bytes.
 */
#include <errno.h>
#include <string.h>

#include "lib/sha256.h"
#include "proto/stamp.h"

#include "check.h"

#define UTC_NS 1767323045500000000ull	/* 2026-01-02 03:04:05.5 */

static const uint8_t key[] = "ethgauge-test-key";

static const struct stamp_ask ask = {
	.seq = 7, .sent = 8, .error = 0xcac8, .sent_utc_ns = UTC_NS,
};

static void a_time_survives_both_formats(void **state)
{
	uint64_t ns;

	(void)state;
	/* RFC 5905 figure 4: 1 January 1970 is 2,208,988,800 s of era 0. */
	assert_int_equal(stamp_time_to_wire(0, false), 2208988800ull << 32);
	assert_int_equal(stamp_time_to_wire(500000000, false), (2208988800ull << 32) | 0x7fffffff);
	assert_int_equal(stamp_time_to_wire(UTC_NS, true), (1767323045ull << 32) | 500000000);
	for (ns = UTC_NS; ns < UTC_NS + 5000000000ull; ns += 1234567) {
		assert_int_equal(stamp_time_of_wire(stamp_time_to_wire(ns, false), false), ns);
		assert_int_equal(stamp_time_of_wire(stamp_time_to_wire(ns, true), true), ns);
	}
	/* RFC 4330 3: era 1 begins at 2036-02-07 06:28:16. */
	assert_int_equal(stamp_time_of_wire(0, false), 2085978496ull * 1000000000);
	assert_int_equal(stamp_time_of_wire(stamp_time_to_wire(2100000000ull * 1000000000, false), false),
			 2100000000ull * 1000000000);
}

static void an_error_estimate_is_never_0_and_never_too_small(void **state)
{
	uint64_t ns;

	(void)state;
	assert_int_equal(stamp_error_of(0), 0x0001);
	/* RFC 4656 4.1.2: multiplier x 2^-32 x 2^scale s */
	assert_int_equal(stamp_error_ns(0x2001), 1000000000);
	assert_int_equal(stamp_error_ns(0x1fff), 127500000000ull);
	for (ns = 1; ns < 1000000000000ull; ns = ns * 3 + 1) {
		uint16_t error = STAMP_SYNCED | stamp_error_of(ns);

		assert_true(error & 0xff);
		assert_true(stamp_error_synchronised(error) && !stamp_error_ptp(error));
		/* Exactly: stamp_error_ns() rounds. */
		assert_true((unsigned __int128)((uint64_t)(error & 0xff) << (error >> 8 & 0x3f)) *
			    1000000000 >= (unsigned __int128)ns << 32);
		assert_true(stamp_error_ns(error) <= ns + ns / 64 + 1);
	}
}

static void the_open_question_is_that_of_the_rfc(void **state)
{
	static const uint8_t expected[STAMP_OPEN_BYTES] = {
		0, 0, 0, 7, 0x69, 0x57, 0x35, 0xa5, 0x1d, 0xcd, 0x65, 0, 0xca, 0xc8, 0xbe, 0xef,
	};
	const struct stamp_form form = { .mode = STAMP_OPEN, .ptp = true, .ssid = 0xbeef };
	uint8_t bytes[STAMP_MAX_BYTES];

	(void)state;
	assert_true(stamp_can_build(&form));
	assert_int_equal(stamp_build(&form, &ask, bytes), STAMP_OPEN_BYTES);
	assert_memory_equal(bytes, expected, sizeof(expected));
}

static void the_authenticated_question_has_its_hmac(void **state)
{
	static const uint8_t mac[] = { 0x7c, 0xea, 0xa5, 0x13, 0x06, 0x0c, 0x9f, 0xe6,
				       0x7c, 0x6e, 0x43, 0xbd, 0x3b, 0x32, 0x21, 0x8f };
	const struct stamp_form form = {
		.mode = STAMP_AUTH, .ptp = true, .ssid = 0xbeef, .key = key, .key_bytes = sizeof(key) - 1,
	};
	uint8_t bytes[STAMP_MAX_BYTES];

	(void)state;
	assert_int_equal(stamp_build(&form, &ask, bytes), STAMP_AUTH_BYTES);
	assert_memory_equal(bytes + 16, "\x69\x57\x35\xa5\x1d\xcd\x65\0\xca\xc8\xbe\xef", 12);
	assert_memory_equal(bytes + 96, mac, sizeof(mac));
}

static void twamp_light_is_padded_to_the_answer(void **state)
{
	struct stamp_form form = { .mode = STAMP_TWAMP_LIGHT, .bytes = STAMP_TWAMP_BYTES };
	uint8_t bytes[STAMP_MAX_BYTES];

	(void)state;
	assert_true(stamp_can_build(&form));
	assert_int_equal(stamp_build(&form, &ask, bytes), STAMP_TWAMP_BYTES);
	assert_memory_equal(bytes + 12, "\xca\xc8\0\0", 4);
	form.bytes = 13;
	assert_false(stamp_can_build(&form));
	form.bytes = 41;
	form.tlvs = 1 << STAMP_TLV_CLASS;
	assert_false(stamp_can_build(&form));
}

static void a_size_is_reached_by_a_padding_tlv(void **state)
{
	struct stamp_form form = { .mode = STAMP_OPEN, .bytes = 47 };
	uint8_t bytes[STAMP_MAX_BYTES];

	(void)state;
	assert_false(stamp_can_build(&form));
	form.bytes = 100;
	form.tlvs = 1 << STAMP_TLV_CLASS;
	form.dscp = 46;
	assert_true(stamp_can_build(&form));
	assert_int_equal(stamp_build(&form, &ask, bytes), 100);
	assert_memory_equal(bytes + 44, "\x80\x04\0\x04\xb8\0\0\0\x80\x01\0\x2c", 12);
}

static void the_hmac_tlv_is_the_last_and_covers_number_and_tlvs(void **state)
{
	static const uint8_t tlvs[] = {
		0x80, 5, 0, 12, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0,
		0x80, 8, 0, 16, 0x8b, 0x66, 0x24, 0x16, 0x63, 0xed, 0x7a, 0xf1,
		0x20, 0x80, 0xfc, 0xd7, 0x09, 0xcc, 0x8a, 0x53,
	};
	const struct stamp_form form = {
		.mode = STAMP_OPEN, .tlvs = 1 << STAMP_TLV_DIRECT | 1 << STAMP_TLV_HMAC,
		.key = key, .key_bytes = sizeof(key) - 1,
	};
	uint8_t bytes[STAMP_MAX_BYTES];

	(void)state;
	assert_int_equal(stamp_build(&form, &ask, bytes), STAMP_OPEN_BYTES + sizeof(tlvs));
	assert_memory_equal(bytes + STAMP_OPEN_BYTES, tlvs, sizeof(tlvs));
}

/* RFC 8762 figure 5, followed by TLVs with each kind of flag. */
static const uint8_t open_answer[] = {
	0, 0, 0, 3, 0x69, 0x57, 0x35, 0xa6, 0, 0, 0, 9, 0x40, 0x01, 0xbe, 0xef,
	0x69, 0x57, 0x35, 0xa6, 0, 0, 0, 2, 0, 0, 0, 7,
	0x69, 0x57, 0x35, 0xa5, 0x1d, 0xcd, 0x65, 0, 0xca, 0xc8, 0, 0, 63, 0, 0, 0,
	0, 4, 0, 4, 0xba, 0xe6, 0, 0,			/* DSCP 46 asked, 46 seen, ECN 1, RP 2 */
	0, 5, 0, 12, 0, 0, 0, 8, 0, 0, 0, 5, 0, 0, 0, 4,
	0, 7, 0, 16, 0, 0, 0, 2, 0x69, 0x57, 0x35, 0xa6, 0, 0, 0, 11, 1, 0, 0, 0,
	0x80, 2, 0, 4, 1, 2, 3, 4,
	0, 6, 0, 4, 0x10, 1, 0, 0,
	0, 3, 0, 4, 8, 3, 8, 3,
	0, 1, 0, 9, 0,
};
#define ACCESS_AT	(44 + 8 + 16 + 20 + 8)
#define TIME_AT		(ACCESS_AT + 8)

static void an_answer_is_read_with_its_tlvs(void **state)
{
	const struct stamp_form form = { .mode = STAMP_OPEN, .ptp = true };
	struct stamp_reply a;

	(void)state;
	assert_int_equal(stamp_parse(&form, open_answer, sizeof(open_answer), &a), 0);
	assert_int_equal(a.seq, 3);
	assert_int_equal(a.sender_seq, 7);
	assert_int_equal(a.ssid, 0xbeef);
	assert_int_equal(a.sender_ttl, 63);
	assert_int_equal(a.sender_error, 0xcac8);
	assert_int_equal(a.sender_utc_ns, UTC_NS);
	assert_int_equal(a.received_utc_ns, UTC_NS + 500000002);
	assert_int_equal(a.sent_utc_ns, UTC_NS + 500000009);
	assert_int_equal(a.dscp_seen, 46);
	assert_int_equal(a.ecn_seen, 1);
	assert_int_equal(a.reverse, 2);
	assert_int_equal(a.direct_sent, 8);
	assert_int_equal(a.direct_received, 5);
	assert_int_equal(a.direct_reflected, 4);
	assert_int_equal(a.follow_up_seq, 2);
	assert_int_equal(a.follow_up_utc_ns, UTC_NS + 500000011);
	assert_int_equal(a.tlvs, 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4 | 1 << 5 | 1 << 6 | 1 << 7);
	assert_int_equal(a.unrecognised, 1 << STAMP_TLV_LOCATION);
	assert_int_equal(a.malformed, 1 << STAMP_TLV_PADDING);
	assert_int_equal(a.not_intact, 0);
	assert_int_equal(a.used, 1 << 3 | 1 << 4 | 1 << 5 | 1 << 6 | 1 << 7);
	assert_int_equal(a.location_port, 0);
	assert_int_equal(a.timestamp_info[0], 8);
}

/* RFC 8972 4 */
static void behind_a_malformed_tlv_nothing_is_used_and_of_unproven_ones_none(void **state)
{
	const struct stamp_form form = { .mode = STAMP_OPEN, .ptp = true };
	uint8_t bytes[sizeof(open_answer)];
	struct stamp_reply a;

	(void)state;
	memcpy(bytes, open_answer, sizeof(bytes));
	bytes[ACCESS_AT] = 0x40;
	assert_int_equal(stamp_parse(&form, bytes, sizeof(bytes), &a), 0);
	assert_int_equal(a.malformed, 1 << STAMP_TLV_ACCESS);
	assert_int_equal(a.used, 1 << 4 | 1 << 5 | 1 << 7);
	assert_int_equal(a.access_id | a.timestamp_info[0], 0);
	memcpy(bytes, open_answer, sizeof(bytes));
	bytes[TIME_AT] = 0x20;
	assert_int_equal(stamp_parse(&form, bytes, sizeof(bytes), &a), 0);
	assert_int_equal(a.not_intact, 1 << STAMP_TLV_TIME);
	assert_int_equal(a.used, 0);
	assert_int_equal(a.dscp_seen | a.direct_sent | a.follow_up_seq, 0);
}

/* Over the number and @len bytes at @offset, after the head of the TLV that follows. */
static void hmac_anew(uint8_t *bytes, size_t offset, size_t len)
{
	uint8_t text[64], mac[SHA256_BYTES];

	memcpy(text, bytes, 4);
	memcpy(text + 4, bytes + offset, len);
	sha256_hmac(key, sizeof(key) - 1, text, 4 + len, mac);
	memcpy(bytes + offset + len + 4, mac, STAMP_HMAC_BYTES);
}

/* RFC 8972 4.8 */
static void without_the_hmac_that_was_asked_for_or_with_a_wrong_one_no_tlv_is_used(void **state)
{
	const struct stamp_form form = {
		.mode = STAMP_OPEN, .tlvs = 1 << STAMP_TLV_DIRECT | 1 << STAMP_TLV_HMAC,
		.key = key, .key_bytes = sizeof(key) - 1,
	};
	uint8_t bytes[STAMP_MAX_BYTES];
	struct stamp_reply a;
	uint32_t len;

	(void)state;
	/* The request is used as the answer, flagged as by a reflector that knows both. */
	len = stamp_build(&form, &ask, bytes);
	bytes[44] = bytes[44 + 16] = 0;
	hmac_anew(bytes, 44, 16);
	assert_int_equal(stamp_parse(&form, bytes, len, &a), 0);
	assert_int_equal(a.used, 1 << STAMP_TLV_DIRECT | 1 << STAMP_TLV_HMAC);
	assert_false(a.wrong_tlv_hmac);
	assert_int_equal(stamp_parse(&form, bytes, 44 + 16, &a), 0);
	assert_int_equal(a.used, 0);
	bytes[50] ^= 1;
	assert_int_equal(stamp_parse(&form, bytes, len, &a), 0);
	assert_true(a.wrong_tlv_hmac);
	assert_int_equal(a.used, 0);
	/* Only padding may follow it. */
	bytes[50] ^= 1;
	memset(bytes + len, 0, 4);
	bytes[len + 1] = STAMP_TLV_PADDING;
	assert_int_equal(stamp_parse(&form, bytes, len + 4, &a), 0);
	assert_false(a.wrong_tlv_hmac);
	bytes[len + 1] = 200;
	assert_int_equal(stamp_parse(&form, bytes, len + 4, &a), 0);
	assert_true(a.wrong_tlv_hmac);
}

static void an_answer_that_is_short_or_forged_is_none(void **state)
{
	const struct stamp_form open = { .mode = STAMP_OPEN };
	const struct stamp_form twamp = { .mode = STAMP_TWAMP_LIGHT };
	const struct stamp_form auth = {
		.mode = STAMP_AUTH, .key = key, .key_bytes = sizeof(key) - 1,
	};
	uint8_t bytes[STAMP_MAX_BYTES];
	struct stamp_reply a;
	size_t i;

	(void)state;
	assert_int_equal(stamp_parse(&open, open_answer, 43, &a), -EBADMSG);
	assert_int_equal(stamp_parse(&twamp, open_answer, 40, &a), -EBADMSG);
	assert_int_equal(stamp_parse(&twamp, open_answer, 41, &a), 0);
	assert_int_equal(a.tlvs, 0);
	stamp_build(&auth, &ask, bytes);
	assert_int_equal(stamp_parse(&auth, bytes, 112, &a), 0);
	for (i = 96; i < 112; i++) {
		bytes[i] ^= 1;
		assert_int_equal(stamp_parse(&auth, bytes, 112, &a), -EKEYREJECTED);
		bytes[i] ^= 1;
	}
	bytes[50] ^= 1;
	assert_int_equal(stamp_parse(&auth, bytes, 112, &a), -EKEYREJECTED);
	assert_int_equal(stamp_parse(&auth, bytes, 111, &a), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_time_survives_both_formats),
		cmocka_unit_test(an_error_estimate_is_never_0_and_never_too_small),
		cmocka_unit_test(the_open_question_is_that_of_the_rfc),
		cmocka_unit_test(the_authenticated_question_has_its_hmac),
		cmocka_unit_test(twamp_light_is_padded_to_the_answer),
		cmocka_unit_test(a_size_is_reached_by_a_padding_tlv),
		cmocka_unit_test(the_hmac_tlv_is_the_last_and_covers_number_and_tlvs),
		cmocka_unit_test(an_answer_is_read_with_its_tlvs),
		cmocka_unit_test(behind_a_malformed_tlv_nothing_is_used_and_of_unproven_ones_none),
		cmocka_unit_test(without_the_hmac_that_was_asked_for_or_with_a_wrong_one_no_tlv_is_used),
		cmocka_unit_test(an_answer_that_is_short_or_forged_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
