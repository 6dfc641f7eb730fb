// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * model/frame_vary: its packets are those of a description in words, which is built by
 * other code (proto/packet_build.c), byte for byte, whatever changes in them.
 */
#include "check.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/unit.h"
#include "model/frame_vary.h"
#include "proto/packet_spec.h"

#define NR_PACKETS 997

struct two {
	struct packet frame, described;
	uint8_t a[PACKET_MAX_BYTES], b[PACKET_MAX_BYTES];
};

static struct frame_spec frame_to(const char *src, const char *dst, uint16_t vlan)
{
	struct frame_spec frame = {
		.has_vlan = vlan, .vlan_id = vlan, .src_port = 49152, .dst_port = 9, .dscp = 46,
		.ttl = 7, .frame_bytes = 128, .tagged = true, .stream = 3,
		.src_mac = { 2, 0, 0, 0, 0, 1 }, .dst_mac = { 2, 0, 0, 0, 0, 2 },
	};

	assert_true(frame_parse_addr(src, &frame.src));
	assert_true(frame_parse_addr(dst, &frame.dst));
	return frame;
}

static void describe(const struct frame_spec *frame, const char *text, const struct packet_size *size,
		     struct packet *ret_packet)
{
	struct packet_env env = {
		.src_port = frame->src_port, .dst_port = frame->dst_port, .ttl = frame->ttl,
		.dscp = frame->dscp, .tagged = frame->tagged, .stream = frame->stream,
		.src = frame->src, .dst = frame->dst,
	};
	struct packet_spec *spec;
	struct err e = { 0 };

	memcpy(env.src_mac, frame->src_mac, 6);
	memcpy(env.dst_mac, frame->dst_mac, 6);
	if (packet_spec_parse(text, &spec, &e) ||
	    packet_spec_build(spec, &env, size, ret_packet, &e))
		fail_msg("%s: %s", text, e.msg);
	packet_spec_free(spec);
}

static void check_same(const struct frame_spec *frame, const struct frame_vary *vary,
		       const char *sizes, const char *text)
{
	struct two *two = calloc(1, sizeof(*two));
	struct packet_size size;
	struct err e = { 0 };
	uint32_t i, bytes;

	assert_non_null(two);
	assert_int_equal(packet_size_parse(sizes, 1, &size, &e), 0);
	if (frame_vary_build(frame, vary, &size, &two->frame, &e))
		fail_msg("%s: %s", sizes, e.msg);
	describe(frame, text, &size, &two->described);
	assert_int_equal(two->frame.content_bytes, two->described.content_bytes);
	for (i = 0; i < NR_PACKETS; i++) {
		bytes = packet_buf_bytes(&two->frame, i);
		assert_int_equal(bytes, packet_buf_bytes(&two->described, i));
		memcpy(two->a, two->frame.bytes, bytes);
		memcpy(two->b, two->described.bytes, bytes);
		packet_modify(&two->frame, i, two->a);
		packet_modify(&two->described, i, two->b);
		if (memcmp(two->a, two->b, bytes))
			fail_msg("packet %u of '%s' is not that of '%s'", i, sizes, text);
	}
	free(two);
}

static void sizes_ports_and_addresses_are_those_of_the_same_packet_in_words(void **state)
{
	static const char *const sizes[] = { "88", "88-1518", "88-1518:64", "random(88-1518, seed=7)",
					     "100*7,594*4,1518*1", "genome(bbf)" };
	const struct frame_vary vary = { .ports = 31, .src_ports = 7, .dests = 97, .sources = 13 };
	struct frame_spec frame;
	uint32_t i;

	(void)state;
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		frame = frame_to("198.18.0.1", "198.18.0.2", 0);
		check_same(&frame, &vary, sizes[i],
			   "eth/ip4(src=198.18.0.1-198.18.0.13, dst=198.18.0.2-198.18.0.98)/"
			   "udp(sport=49152-49158, dport=9-39)");
		frame = frame_to("198.18.0.1", "198.18.0.2", 9);
		check_same(&frame, &vary, sizes[i],
			   "eth/vlan(9)/ip4(src=198.18.0.1-198.18.0.13, dst=198.18.0.2-198.18.0.98)/"
			   "udp(sport=49152-49158, dport=9-39)");
		frame = frame_to("2001:2::1", "2001:2::2", 9);
		check_same(&frame, &vary, sizes[i],
			   "eth/vlan(9)/ip6(src=2001:2::1-2001:2::d, dst=2001:2::2-2001:2::62)/"
			   "udp(sport=49152-49158, dport=9-39)");
	}
}

static void sizes_alone_are_those_of_the_same_packet_in_words(void **state)
{
	const struct frame_vary vary = { .ports = 1, .src_ports = 1, .dests = 1, .sources = 1 };
	struct frame_spec frame = frame_to("198.18.0.1", "198.18.0.2", 0);

	(void)state;
	check_same(&frame, &vary, "64-1518", "eth/ip4(dst=198.18.0.2)/udp");
	frame.tagged = false;
	check_same(&frame, &vary, "imix", "eth/ip4(dst=198.18.0.2)/udp");
}

static void a_size_too_small_for_the_headers_is_refused(void **state)
{
	const struct frame_vary vary = { .ports = 1, .src_ports = 1, .dests = 1, .sources = 1 };
	struct frame_spec frame = frame_to("2001:2::1", "2001:2::2", 0);
	struct packet *packet = calloc(1, sizeof(*packet));
	struct packet_size size;
	struct err e = { 0 };

	(void)state;
	assert_non_null(packet);
	assert_int_equal(packet_size_parse("83-1518", 1, &size, &e), 0);
	assert_int_not_equal(frame_vary_build(&frame, &vary, &size, packet, &e), 0);
	assert_non_null(strstr(e.msg, "too short: the packet requires 84"));
	free(packet);
}

/* RFC 1071: congruent modulo 2^16 - 1, and 0 only of 0. */
static void a_sum_is_folded_with_all_its_carries(void **state)
{
	uint32_t i, sum, folded;

	(void)state;
	assert_int_equal(field_fold(0), 0);
	assert_int_equal(field_fold(0x1ffff), 1);
	srandom(3);
	for (i = 0; i < 100003; i++) {
		sum = (uint32_t)random() << 8 ^ (uint32_t)random();
		folded = field_fold(sum);
		assert_true(folded <= 0xffff);
		assert_int_equal(folded % 0xffff, sum % 0xffff);
		assert_int_equal(!folded, !sum);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_ports_and_addresses_are_those_of_the_same_packet_in_words),
		cmocka_unit_test(sizes_alone_are_those_of_the_same_packet_in_words),
		cmocka_unit_test(a_size_too_small_for_the_headers_is_refused),
		cmocka_unit_test(a_sum_is_folded_with_all_its_carries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
