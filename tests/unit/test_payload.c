// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The payload pattern: its bytes are those that tests/lib/tag.py computes of its description, any
 * change in it is seen, and packets that have it have right lengths and checksums in every size.
 */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/payload.h"
#include "abi/tag.h"
#include "frame_check.h"
#include "model/frame_vary.h"
#include "proto/packet_spec.h"
#include "proto/payload.h"

static uint8_t pattern[PAYLOAD_BYTES];

static void the_bytes_are_those_of_the_description(void **state)
{
	static const uint8_t first[] = {
		0x7f, 0xaf, 0x85, 0x32, 0x80, 0x50, 0x7a, 0xcd, 0x0d, 0x63, 0x5e, 0x33,
		0xf2, 0x9c, 0xa1, 0xcc, 0x2e, 0x95, 0xa9, 0xb7, 0xd1, 0x6a, 0x56, 0x48,
	};
	static const uint8_t last[] = { 0x6a, 0xe2, 0x26, 0xf8, 0x95, 0x1d, 0xd9, 0x07 };

	(void)state;
	assert_memory_equal(pattern, first, sizeof(first));
	assert_memory_equal(pattern + PAYLOAD_BYTES - sizeof(last), last, sizeof(last));
}

static void a_part_is_the_start_of_the_whole_and_nothing_follows_it(void **state)
{
	uint8_t part[66];
	size_t bytes;

	(void)state;
	for (bytes = 0; bytes < sizeof(part); bytes++) {
		memset(part, 0, sizeof(part));
		payload_fill(part, bytes);
		assert_memory_equal(part, pattern, bytes);
		assert_int_equal(part[bytes], 0);
		assert_true(payload_is_intact(part, bytes));
	}
}

static void any_bit_that_differs_is_seen(void **state)
{
	static const size_t sizes[] = { 1, 7, 8, 9, 1454 };
	size_t i, bit;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		for (bit = 0; bit < 8 * sizes[i]; bit++) {
			pattern[bit / 8] ^= (uint8_t)(1 << bit % 8);
			assert_false(payload_is_intact(pattern, sizes[i]));
			pattern[bit / 8] ^= (uint8_t)(1 << bit % 8);
		}
		assert_true(payload_is_intact(pattern, sizes[i]));
	}
}

/* Even of 4 bytes, in which halves of words differ from each other's complement. */
static void a_shift_and_words_that_changed_places_are_seen(void **state)
{
	uint64_t words[PAYLOAD_WORDS], other;
	size_t i, k;

	(void)state;
	for (i = 1; i < 4096; i++)
		assert_false(payload_is_intact(pattern + i, 4));
	memcpy(words, pattern, sizeof(words));
	for (i = 0; i < PAYLOAD_WORDS; i++) {
		for (k = i + 1; k < PAYLOAD_WORDS; k++)
			assert_true(words[i] != words[k]);
	}
	other = words[5];
	words[5] = words[6];
	words[6] = other;
	assert_false(payload_is_intact(words, sizeof(words)));
}

/* In the packet of @bytes with the tag at @tag_offset: right sums, and the pattern to its end. */
static void assert_whole(const uint8_t *bytes, uint32_t nr_bytes, uint16_t tag_offset, unsigned int nr_sums,
			 const char *what)
{
	struct frame_check check = frame_checked(bytes, nr_bytes);

	if (check.wrong[0])
		fail_msg("%s of %u bytes: %s", what, nr_bytes, check.wrong);
	assert_int_equal(check.nr_sums, nr_sums);
	assert_int_equal(check.end, nr_bytes);
	assert_true(payload_is_intact(bytes + tag_offset + TAG_BYTES, nr_bytes - tag_offset - TAG_BYTES));
}

static struct frame_spec frame_to(const char *src, const char *dst, bool has_vlan)
{
	struct frame_spec frame = {
		.has_vlan = has_vlan, .vlan_id = 7, .src_port = 49152, .dst_port = 9, .ttl = 64,
		.tagged = true, .patterned = true,
		.src_mac = { 2, 0, 0, 0, 0, 1 }, .dst_mac = { 2, 0, 0, 0, 0, 2 },
	};

	assert_true(frame_parse_addr(src, &frame.src));
	assert_true(frame_parse_addr(dst, &frame.dst));
	return frame;
}

static void frames_of_every_size_have_right_checksums(void **state)
{
	struct frame_spec frames[] = {
		frame_to("198.18.0.1", "198.18.0.2", false), frame_to("198.18.0.1", "198.18.0.2", true),
		frame_to("2001:2::1", "2001:2::2", false), frame_to("2001:2::1", "2001:2::2", true),
	};
	uint8_t bytes[FRAME_MAX_BYTES];
	uint16_t tag_offset;
	struct err e;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(frames); i++) {
		uint32_t size = frame_min_bytes(&frames[i]);

		for (; size <= FRAME_MAX_BYTES; size += size < 1600 ? 1 : 119) {
			frames[i].frame_bytes = size;
			assert_int_equal(frame_build(&frames[i], bytes, sizeof(bytes), &tag_offset, &e), 0);
			assert_whole(bytes, size - 4, tag_offset, frames[i].src.family == AF_INET ? 2 : 1,
				     "frame");
		}
	}
}

static void without_a_tag_there_is_no_pattern(void **state)
{
	struct frame_spec frame = frame_to("198.18.0.1", "198.18.0.2", false);
	uint8_t bytes[FRAME_MAX_BYTES], zeros[64] = { 0 };
	uint16_t tag_offset;
	struct err e;

	(void)state;
	frame.tagged = false;
	frame.frame_bytes = 110;
	assert_int_equal(frame_build(&frame, bytes, sizeof(bytes), &tag_offset, &e), 0);
	assert_memory_equal(bytes + 42, zeros, sizeof(zeros));
}

/* Each packet of @packet is taken out of a buffer that holds the longest one. */
static void assert_each(const struct packet *packet, uint32_t nr, unsigned int nr_sums, const char *what)
{
	uint32_t bases[FIELD_MAX_SUMS], i, size;
	uint8_t bytes[PACKET_MAX_BYTES];

	assert_int_not_equal(packet->pattern_offset, 0);
	assert_int_equal(packet->content_bytes, packet->buf_bytes);
	packet_sum_bases(packet, bases);
	for (i = 0; i < nr; i++) {
		size = packet_buf_bytes(packet, i);
		memcpy(bytes, packet->bytes, packet->buf_bytes);
		packet_modify_from(packet, bases, i, bytes);
		assert_whole(bytes, size, packet->tag_offset, nr_sums, what);
	}
}

static void checksums_follow_sizes_that_change(void **state)
{
	static const char *const sizes[] = {
		"84-1518", "random(84-1518, seed=7)", "84*7,594*4,1518*1", "85-9216:119", "97",
	};
	const struct frame_vary vary = { .ports = 31, .src_ports = 1, .dests = 5, .sources = 1 };
	struct packet *packet = calloc(1, sizeof(*packet));
	struct packet_size size;
	struct err e;
	size_t i;

	(void)state;
	assert_non_null(packet);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct frame_spec ip4 = frame_to("198.18.0.1", "198.18.0.2", false);
		struct frame_spec ip6 = frame_to("2001:2::1", "2001:2::2", false);

		assert_int_equal(packet_size_parse(sizes[i], 1, &size, &e), 0);
		assert_int_equal(frame_vary_build(&ip4, &vary, &size, packet, &e), 0);
		assert_each(packet, 1511, 2, sizes[i]);
		assert_int_equal(frame_vary_build(&ip6, &vary, &size, packet, &e), 0);
		assert_each(packet, 1511, 1, sizes[i]);
	}
	free(packet);
}

static void checksums_of_tunnels_follow_sizes_that_change(void **state)
{
	static const struct {
		const char *text;
		unsigned int nr_sums;
	} packets[] = {
		{ "ip4(dst=198.18.0.2)/udp(dport=1-65535)", 2 },
		{ "vlan(7)/ip6(dst=2001:2::2)/udp", 1 },
		{ "ip4(dst=198.18.0.2)/udp/vxlan(vni=7)/eth/ip4(dst=198.18.1.1-198.18.1.9)/udp", 4 },
		{ "ip4(dst=198.18.0.2)/gre(sum)/ip4/udp", 4 },
		{ "ip6(dst=2001:2::2)/ip4/udp", 2 },
	};
	struct packet_env env = {
		.src_mac = { 2, 0, 0, 0, 0, 1 }, .dst_mac = { 2, 0, 0, 0, 0, 2 },
		.src_port = 49152, .dst_port = 9, .ttl = 64, .tagged = true, .patterned = true,
	};
	struct packet *packet = calloc(1, sizeof(*packet));
	struct packet_spec *spec;
	struct packet_size size;
	struct err e;
	size_t i;

	(void)state;
	assert_non_null(packet);
	frame_parse_addr("198.18.0.1", &env.src);
	assert_int_equal(packet_size_parse("132-1518", 1, &size, &e), 0);
	for (i = 0; i < ARRAY_SIZE(packets); i++) {
		if (packet_spec_parse(packets[i].text, &spec, &e) ||
		    packet_spec_build(spec, &env, &size, packet, &e))
			fail_msg("%s: %s", packets[i].text, e.msg);
		assert_each(packet, 1511, packets[i].nr_sums, packets[i].text);
		packet_spec_free(spec);
	}
	free(packet);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_bytes_are_those_of_the_description),
		cmocka_unit_test(a_part_is_the_start_of_the_whole_and_nothing_follows_it),
		cmocka_unit_test(any_bit_that_differs_is_seen),
		cmocka_unit_test(a_shift_and_words_that_changed_places_are_seen),
		cmocka_unit_test(frames_of_every_size_have_right_checksums),
		cmocka_unit_test(without_a_tag_there_is_no_pattern),
		cmocka_unit_test(checksums_follow_sizes_that_change),
		cmocka_unit_test(checksums_of_tunnels_follow_sizes_that_change),
	};

	payload_fill(pattern, sizeof(pattern));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
