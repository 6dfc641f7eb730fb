// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/fragment: against scapy's fragments.
 */
#include <stdbool.h>
#include <string.h>

#include "proto/fragment.h"

#include "check.h"
#include "fragment_vectors.h"

#define ROOM 2048

static const uint8_t *bytes_of(const char *text)
{
	return (const uint8_t *)text;
}

static void are_scapys(const struct fragment_vector *vector)
{
	const uint8_t *piece = bytes_of(vector->pieces);
	struct fragment_plan plan;
	uint8_t packet[ROOM], out[ROOM];
	uint32_t i, bytes;

	memcpy(packet, vector->packet, vector->packet_bytes);
	assert_true(fragment_plan(packet, vector->packet_bytes, vector->max_bytes, &plan));
	plan.identification = 0x89abcdef;
	assert_int_equal(plan.nr, vector->nr);
	for (i = 0; i < plan.nr; i++) {
		memset(out, 0xee, sizeof(out));
		bytes = fragment_write(&plan, packet, i, out);
		assert_true(bytes <= vector->packet_bytes || bytes == plan.pad_bytes);
		assert_int_equal(bytes, piece[0] << 8 | piece[1]);
		assert_memory_equal(out, piece + 2, bytes);
		piece += 2 + bytes;
	}
	/* The first one in its own place. */
	bytes = fragment_write(&plan, packet, 0, packet);
	piece = bytes_of(vector->pieces);
	assert_int_equal(bytes, piece[0] << 8 | piece[1]);
	assert_memory_equal(packet, piece + 2, bytes);
}

static void fragments_are_those_of_scapy(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(fragment_vectors); i++)
		are_scapys(&fragment_vectors[i]);
}

static void what_fits_is_not_cut(void **state)
{
	const struct fragment_vector *two = &fragment_vectors[0];
	struct fragment_plan plan;

	(void)state;
	assert_true(fragment_plan(bytes_of(two->packet), two->packet_bytes, 1479, &plan));
	assert_false(fragment_plan(bytes_of(two->packet), two->packet_bytes, 1480, &plan));
	assert_false(fragment_plan(bytes_of(two->packet), two->packet_bytes, 65535, &plan));
}

static void what_is_no_whole_ip_packet_is_not_cut(void **state)
{
	const struct fragment_vector *two = &fragment_vectors[0];
	struct fragment_plan plan;
	uint8_t packet[ROOM];
	uint32_t bytes;

	(void)state;
	/* Truncated anywhere, it is not changed; the sanitizer checks reads after its end. */
	for (bytes = 0; bytes < two->packet_bytes; bytes++)
		assert_false(fragment_plan(bytes_of(two->packet), bytes, 64, &plan));
	memcpy(packet, two->packet, two->packet_bytes);
	packet[12] = 0x86;
	packet[13] = 0xdd;
	assert_false(fragment_plan(packet, two->packet_bytes, 64, &plan));
	memcpy(packet, two->packet, two->packet_bytes);
	packet[14] = 0x44;		/* a header of 16 bytes */
	assert_false(fragment_plan(packet, two->packet_bytes, 64, &plan));
	memcpy(packet, two->packet, two->packet_bytes);
	packet[20] = 0x1f;		/* at the very end of 64 KiB */
	packet[21] = 0xff;
	assert_false(fragment_plan(packet, two->packet_bytes, 64, &plan));
}

static const struct fragment_vector *vector_of(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fragment_vectors); i++) {
		if (!strcmp(fragment_vectors[i].name, name))
			return &fragment_vectors[i];
	}
	fail_msg("there is no vector %s", name);
	return NULL;
}

static void an_ip6_packet_is_cut_before_its_first_header_for_the_end_alone(void **state)
{
	const struct fragment_vector *two = vector_of("two6"), *hops = vector_of("hops6"), *tiny = vector_of("dest6");
	struct fragment_plan plan;
	uint8_t packet[ROOM];
	uint32_t bytes;

	(void)state;
	for (bytes = 0; bytes < hops->packet_bytes; bytes++)
		assert_false(fragment_plan(bytes_of(hops->packet), bytes, 64, &plan));
	assert_true(fragment_plan(bytes_of(two->packet), two->packet_bytes, 1472, &plan));
	assert_false(fragment_plan(bytes_of(two->packet), two->packet_bytes, 1480, &plan));
	/* A routing header, alone, after options of hops, and after those for the destinations on the way. */
	memcpy(packet, two->packet, two->packet_bytes);
	packet[20] = 43;
	assert_false(fragment_plan(packet, two->packet_bytes, 64, &plan));
	memcpy(packet, hops->packet, hops->packet_bytes);
	packet[54] = 43;
	assert_false(fragment_plan(packet, hops->packet_bytes, 64, &plan));
	memcpy(packet, tiny->packet, tiny->packet_bytes);
	packet[54] = 43;
	assert_false(fragment_plan(packet, tiny->packet_bytes, 64, &plan));
	/* A fragment of 9 to 15 bytes in all: with its header the first would be longer than the packet. */
	memcpy(packet, two->packet, two->packet_bytes);
	packet[18] = 0;
	packet[19] = 15;
	assert_false(fragment_plan(packet, 14 + 40 + 15, 8, &plan));
	packet[19] = 16;
	assert_true(fragment_plan(packet, 14 + 40 + 16, 8, &plan));
	assert_int_equal(plan.nr, 2);
}

static void options_without_end_are_not_read_beyond_the_header(void **state)
{
	const struct fragment_vector *options = &fragment_vectors[ARRAY_SIZE(fragment_vectors) - 1];
	struct fragment_plan plan;
	uint8_t packet[ROOM], out[ROOM];
	uint32_t len, i;

	(void)state;
	for (len = 0; len < 256; len++) {
		memcpy(packet, options->packet, options->packet_bytes);
		packet[34] = 0x83;
		packet[35] = (uint8_t)len;
		assert_true(fragment_plan(packet, options->packet_bytes, 64, &plan));
		for (i = 0; i < plan.nr; i++)
			assert_true(fragment_write(&plan, packet, i, out) <= 14 + 60 + 64);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fragments_are_those_of_scapy),
		cmocka_unit_test(what_fits_is_not_cut),
		cmocka_unit_test(what_is_no_whole_ip_packet_is_not_cut),
		cmocka_unit_test(an_ip6_packet_is_cut_before_its_first_header_for_the_end_alone),
		cmocka_unit_test(options_without_end_are_not_read_beyond_the_header),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
