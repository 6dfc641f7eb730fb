// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/packet: the fields have the values that they should, whatever stood
 * there, and the checksums are those that are computed from scratch.
 */
#include "check.h"

#include <stdbool.h>
#include <string.h>

#include "proto/packet.h"

/* UDP/IPv4 in 60 bytes; the sums are computed here, by adding every word. */
static uint32_t add_words(const uint8_t *at, const uint8_t *end)
{
	uint32_t sum = 0;

	for (; at < end; at += 2)
		sum += (uint32_t)at[0] << 8 | at[1];
	return sum;
}

static uint32_t folded(uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

static bool ip_sum_is_right(const uint8_t *b)
{
	return folded(add_words(b + 14, b + 34)) == 0xffff;
}

static bool udp_sum_is_right(const uint8_t *b)
{
	return folded(add_words(b + 26, b + 60) + 17 + 26) == 0xffff && (b[40] || b[41]);
}

static void make(struct packet *packet)
{
	static const uint8_t frame[34] = {
		2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0,
		0x45, 0, 0, 46, 0, 0, 0x40, 0, 64, 17, 0, 0,
		198, 18, 0, 1, 198, 18, 0, 2,
	};
	static const uint8_t ports[] = { 0xc0, 0, 0, 9, 0, 26 };
	uint32_t sum;

	memset(packet, 0, sizeof(*packet));
	memcpy(packet->bytes, frame, sizeof(frame));
	memcpy(packet->bytes + 34, ports, sizeof(ports));
	packet->buf_bytes = 60;
	sum = ~folded(add_words(packet->bytes + 14, packet->bytes + 34));
	packet->bytes[24] = (uint8_t)(sum >> 8);
	packet->bytes[25] = (uint8_t)sum;
	sum = ~folded(add_words(packet->bytes + 26, packet->bytes + 60) + 17 + 26);
	packet->bytes[40] = (uint8_t)(sum >> 8);
	packet->bytes[41] = (uint8_t)sum;
	assert_true(ip_sum_is_right(packet->bytes) && udp_sum_is_right(packet->bytes));
	packet->sums[0] = (struct field_sum){ .offset = 24 };
	packet->sums[1] = (struct field_sum){ .offset = 40, .udp = 1 };
	packet->nr_sums = 2;
}

static uint64_t big(const uint8_t *at, int bytes)
{
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | *at++;
	return value;
}

static void fields_count_and_checksums_follow(void **state)
{
	static uint8_t b[60];
	struct packet packet;
	uint64_t n;

	(void)state;
	make(&packet);
	packet.fields[0] = (struct field){ .offset = 26, .bytes = 4, .mask = 0xffffffff,
		.first = 0xc6120001, .span = 254, .step = 1, .every = 1, .sums = 3 };
	packet.fields[1] = (struct field){ .offset = 36, .bytes = 2, .mask = 0xffff, .first = 5999,
		.span = 1000, .step = -1ull, .every = 1, .sums = 2 };
	packet.fields[2] = (struct field){ .offset = 14, .bytes = 2, .mask = 0xfc, .shift = 2,
		.span = 64, .step = 1, .every = 7, .sums = 1 };
	packet.nr_fields = 3;
	for (n = 0; n < 70001; n++) {
		memcpy(b, packet.bytes, 60);
		memset(b + 26, (int)n, 4);	/* what stood there does not matter */
		b[24] = b[40] = (uint8_t)n;
		packet_modify(&packet, n, b);
		assert_int_equal(big(b + 26, 4), 0xc6120001 + n % 254);
		assert_int_equal(big(b + 36, 2), 5999 - n % 1000);
		assert_int_equal(b[15], (n / 7 % 64) << 2);
		assert_true(ip_sum_is_right(b));
		assert_true(udp_sum_is_right(b));
	}
}

static void random_values_stay_in_their_span_and_reach_it_all(void **state)
{
	static uint8_t b[60];
	bool seen[50] = { false };
	struct packet packet;
	unsigned int all = 0;
	uint64_t n, value;

	(void)state;
	make(&packet);
	packet.fields[0] = (struct field){ .offset = 36, .bytes = 2, .mask = 0xffff, .first = 1000,
		.span = 50, .seed = 3, .every = 1, .sums = 2, .kind = FIELD_RANDOM };
	packet.nr_fields = 1;
	memcpy(b, packet.bytes, 60);
	for (n = 0; n < 5000; n++) {
		packet_modify(&packet, n, b);
		value = big(b + 36, 2);
		assert_in_range(value, 1000, 1049);
		all += !seen[value - 1000];
		seen[value - 1000] = true;
		assert_true(udp_sum_is_right(b));
	}
	assert_int_equal(all, 50);
}

static void a_udp_sum_of_zero_is_sent_as_all_ones(void **state)
{
	static uint8_t b[60];
	struct packet packet;
	bool met = false;
	uint64_t n;

	(void)state;
	make(&packet);
	packet.fields[0] = (struct field){ .offset = 42, .bytes = 2, .mask = 0xffff, .span = 65536,
		.step = 1, .every = 1, .sums = 2 };
	packet.nr_fields = 1;
	memcpy(b, packet.bytes, 60);
	for (n = 0; n < 65536; n++) {
		packet_modify(&packet, n, b);
		met |= b[40] == 0xff && b[41] == 0xff;
		assert_true(udp_sum_is_right(b));
	}
	assert_true(met);
}

static void an_inner_checksum_moves_the_outer_one_that_covers_it(void **state)
{
	static uint8_t b[60];
	struct packet packet;
	uint64_t n;

	(void)state;
	make(&packet);
	/* The IPv4 checksum stands in for an inner one: UDP is made to cover a copy of its place. */
	packet.sums[0] = (struct field_sum){ .offset = 50, .sums = 2 };
	packet.fields[0] = (struct field){ .offset = 52, .bytes = 8, .mask = UINT64_MAX, .first = 1,
		.step = 0x123456789abcdef, .every = 1, .sums = 3 };
	packet.nr_fields = 1;
	/* Over bytes 52..60, which are 0 in the template: the complement is all ones. */
	packet.bytes[50] = packet.bytes[51] = 0xff;	/* and adds nothing to UDP's sum */
	memcpy(b, packet.bytes, 60);
	for (n = 0; n < 10007; n++) {
		packet_modify(&packet, n, b);
		assert_int_equal(big(b + 52, 8), 1 + n * 0x123456789abcdef);
		assert_int_equal(folded(add_words(b + 50, b + 60)), 0xffff);
		assert_true(udp_sum_is_right(b));
	}
}

static void lists_and_bursts_take_their_turns(void **state)
{
	struct field field = { .kind = FIELD_LIST, .first = 1, .span = 3, .every = 4 };
	const __u64 list[FIELD_MAX_LIST] = { 9, 10, 20, 30 };
	uint64_t n;

	(void)state;
	for (n = 0; n < 100; n++)
		assert_int_equal(field_value(&field, list, 4, n), 10 * (1 + n / 4 % 3));
	field.step = -3ull;
	assert_int_equal(field_value(&field, list, 4, 4), 17);
	field.step = 0;
	field.first = 4;
	assert_int_equal(field_value(&field, list, 4, 0), 0);	/* beyond: nothing is read */
}

static void a_distribution_gives_each_value_its_weight(void **state)
{
	struct field field = { .kind = FIELD_PICK, .first = 1, .span = 4, .every = 1, .seed = 5 };
	const __u64 list[] = { 9, 7, 7, 7, 8 };
	uint64_t n, nr_seven = 0, nr_eight = 0;

	(void)state;
	for (n = 0; n < 40000; n++) {
		nr_seven += field_value(&field, list, 5, n) == 7;
		nr_eight += field_value(&field, list, 5, n) == 8;
	}
	assert_int_equal(nr_seven + nr_eight, 40000);
	/* 30000 expected, standard deviation 87 */
	assert_in_range(nr_seven, 29600, 30400);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_count_and_checksums_follow),
		cmocka_unit_test(random_values_stay_in_their_span_and_reach_it_all),
		cmocka_unit_test(a_udp_sum_of_zero_is_sent_as_all_ones),
		cmocka_unit_test(an_inner_checksum_moves_the_outer_one_that_covers_it),
		cmocka_unit_test(lists_and_bursts_take_their_turns),
		cmocka_unit_test(a_distribution_gives_each_value_its_weight),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
