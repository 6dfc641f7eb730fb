// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/frame: against scapy's bytes, and against itself for every size.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <arpa/inet.h>
#include <cmocka.h>

#include "abi/tag.h"
#include "proto/frame.h"

#include "frame_vectors.h"

static struct frame_spec spec_of(const char *src, const char *dst, uint32_t frame_bytes)
{
	struct frame_spec spec = {
		.dst_mac = { 2, 0, 0, 0, 0, 2 }, .src_mac = { 2, 0, 0, 0, 0, 1 },
		.src_port = 49152, .dst_port = 9, .ttl = 64, .frame_bytes = frame_bytes,
		.tagged = true, .stream = 7,
	};

	assert_true(frame_parse_addr(src, &spec.src));
	assert_true(frame_parse_addr(dst, &spec.dst));
	return spec;
}

static struct frame_spec spec_ip4(uint32_t frame_bytes)
{
	return spec_of("198.18.0.1", "198.18.0.2", frame_bytes);
}

static struct frame_spec spec_ip6(uint32_t frame_bytes)
{
	return spec_of("2001:2::1", "2001:2::2", frame_bytes);
}

static void into_vlan(struct frame_spec *spec)
{
	spec->has_vlan = true;
	spec->vlan_id = 1234;
	spec->vlan_pcp = 5;
	spec->dscp = 46;
	spec->stream = 0xffff;
}

static void expect(const struct frame_spec *spec, const uint8_t *bytes, size_t len,
		   uint16_t tag_offset)
{
	uint8_t buf[FRAME_MAX_BYTES + 16];
	uint16_t offset = 1;
	struct err e = { 0 };
	size_t i;

	memset(buf, 0xee, sizeof(buf));
	assert_int_equal(frame_build(spec, buf, sizeof(buf), &offset, &e), 0);
	assert_memory_equal(buf, bytes, len);
	assert_int_equal(offset, tag_offset);
	assert_int_equal(len, spec->frame_bytes - 4);
	for (i = len; i < sizeof(buf); i++)
		assert_int_equal(buf[i], 0xee);
}

static void frames_are_scapys(void **state)
{
	struct frame_spec spec;

	(void)state;
	spec = spec_ip4(64);
	expect(&spec, ip4_64, sizeof(ip4_64), 42);
	spec.tagged = false;
	expect(&spec, ip4_untagged_64, sizeof(ip4_untagged_64), 0);
	spec = spec_ip6(84);
	expect(&spec, ip6_84, sizeof(ip6_84), 62);
	spec = spec_ip4(90);
	into_vlan(&spec);
	expect(&spec, ip4_vlan_90, sizeof(ip4_vlan_90), 46);
	spec = spec_ip6(91);
	into_vlan(&spec);
	expect(&spec, ip6_vlan_91, sizeof(ip6_vlan_91), 66);
}

static void a_rewritten_tag_leaves_the_checksum_right(void **state)
{
	struct frame_spec spec = spec_ip4(64);
	uint8_t buf[60];
	uint16_t offset;
	struct err e;

	(void)state;
	assert_int_equal(frame_build(&spec, buf, sizeof(buf), &offset, &e), 0);
	frame_write_tag(buf + offset, 0x1234, 7, 0xffff0001, 0x0123456789abcdef);
	assert_memory_equal(buf, ip4_64_sent, sizeof(ip4_64_sent));
}

static void a_zero_udp_checksum_is_sent_as_ffff(void **state)
{
	struct frame_spec spec = spec_ip4(64);

	(void)state;
	spec.tagged = false;
	spec.src_port = ZERO_PORT_IP4;
	assert_int_equal(ip4_zero_64[40] << 8 | ip4_zero_64[41], 0xffff);
	expect(&spec, ip4_zero_64, sizeof(ip4_zero_64), 0);
	spec = spec_ip6(66);
	spec.tagged = false;
	spec.src_port = ZERO_PORT_IP6;
	assert_int_equal(ip6_zero_66[60] << 8 | ip6_zero_66[61], 0xffff);
	expect(&spec, ip6_zero_66, sizeof(ip6_zero_66), 0);
}

/* The receiver's view: pseudo header and datagram must sum to zero. */
static void check_sums(const struct frame_spec *spec, const uint8_t *buf)
{
	const uint8_t *ip = buf + (spec->has_vlan ? 18 : 14);
	bool is_ip6 = spec->dst.family == AF_INET6;
	size_t ip_bytes = is_ip6 ? 40 : 20;
	size_t udp_bytes = (size_t)(buf + spec->frame_bytes - 4 - ip) - ip_bytes;
	uint16_t words[2] = { htons(17), htons((uint16_t)udp_bytes) };
	uint32_t sum = frame_sum(0, words, sizeof(words));

	sum = is_ip6 ? frame_sum(sum, ip + 8, 32) : frame_sum(sum, ip + 12, 8);
	assert_int_equal(frame_fold(frame_sum(sum, ip + ip_bytes, udp_bytes)), 0);
	assert_int_equal(ip[ip_bytes + 4] << 8 | ip[ip_bytes + 5], udp_bytes);
	if (is_ip6) {
		assert_int_equal(ip[4] << 8 | ip[5], udp_bytes);
		return;
	}
	assert_int_equal(frame_fold(frame_sum(0, ip, 20)), 0);
	assert_int_equal(ip[2] << 8 | ip[3], udp_bytes + 20);
}

static void walk_sizes(struct frame_spec *spec, uint32_t min)
{
	uint8_t buf[FRAME_MAX_BYTES];
	struct err e = { 0 };
	uint16_t offset;
	char text[32];

	assert_int_equal(frame_min_bytes(spec), min);
	for (spec->frame_bytes = min; spec->frame_bytes <= FRAME_MAX_BYTES; spec->frame_bytes++) {
		assert_int_equal(frame_build(spec, buf, sizeof(buf), &offset, &e), 0);
		check_sums(spec, buf);
		if (!spec->tagged)
			continue;
		frame_write_tag(buf + offset, 0x7fff, spec->stream, spec->frame_bytes * 2654435761u,
				spec->frame_bytes * 11400714819323198485ull);
		check_sums(spec, buf);
	}
	assert_int_equal(frame_build(spec, buf, sizeof(buf), &offset, &e), -22);
	assert_non_null(strstr(e.msg, "too large"));
	spec->frame_bytes = min - 1;
	assert_int_equal(frame_build(spec, buf, sizeof(buf), &offset, &e), -22);
	assert_int_equal(e.kind, ERR_USAGE);
	snprintf(text, sizeof(text), "at least %u bytes", min);
	assert_non_null(strstr(e.msg, text));
}

static void every_size_builds_and_one_less_than_the_smallest_does_not(void **state)
{
	static const uint32_t mins[2][2][2] = {	/* family, VLAN, tagged */
		{ { 64, 64 }, { 64, 68 } }, { { 66, 84 }, { 70, 88 } },
	};
	int ip6, vlan, tagged;

	(void)state;
	for (ip6 = 0; ip6 < 2; ip6++) {
		for (vlan = 0; vlan < 2; vlan++) {
			for (tagged = 0; tagged < 2; tagged++) {
				struct frame_spec spec = ip6 ? spec_ip6(0) : spec_ip4(0);

				spec.has_vlan = vlan;
				spec.tagged = tagged;
				walk_sizes(&spec, mins[ip6][vlan][tagged]);
			}
		}
	}
}

static void the_error_says_why_a_size_is_too_small(void **state)
{
	struct frame_spec spec = spec_ip6(83);
	uint8_t buf[2000];
	uint16_t offset = 4711;
	struct err e;

	(void)state;
	assert_int_equal(frame_build(&spec, buf, sizeof(buf), &offset, &e), -22);
	assert_non_null(strstr(e.msg, "a tagged UDP/IPv6 frame requires at least 84 bytes"));
	assert_int_equal(offset, 4711);
	spec.has_vlan = true;
	assert_int_equal(frame_build(&spec, buf, sizeof(buf), &offset, &e), -22);
	assert_non_null(strstr(e.msg, "in a VLAN requires at least 88 bytes"));
	spec = spec_ip4(63);
	assert_int_equal(frame_build(&spec, buf, sizeof(buf), &offset, &e), -22);
	assert_non_null(strstr(e.msg, "Ethernet requires at least 64 bytes"));
}

static void what_does_not_fit_the_fields_is_refused(void **state)
{
	struct frame_spec spec = spec_of("198.18.0.1", "2001:2::2", 1000);
	uint8_t buf[60];
	uint16_t offset;
	struct err e;

	(void)state;
	assert_int_equal(frame_build(&spec, buf, sizeof(buf), &offset, &e), -22);
	spec = spec_ip4(65);
	assert_int_equal(frame_build(&spec, buf, sizeof(buf), &offset, &e), -22);
	spec = spec_ip4(64);
	spec.dscp = 64;
	assert_int_equal(frame_build(&spec, buf, sizeof(buf), &offset, &e), -22);
	spec.dscp = 63;
	assert_int_equal(frame_build(&spec, buf, sizeof(buf), &offset, &e), 0);
}

static void addresses_are_read_whole_or_not_at_all(void **state)
{
	static const char *const bad[] = { "", "198.18.0", "198.18.0.2 ", "198.18.0.256", "2001:2",
					   "2001:2::2%eth0", "host", "198.18.0.2/24" };
	struct frame_addr addr = { .family = 4711 };
	char text[64];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(frame_parse_addr(bad[i], &addr));
	assert_int_equal(addr.family, 4711);
	assert_true(frame_parse_addr("2001:2:0::2", &addr));
	assert_string_equal(frame_show_addr(text, sizeof(text), &addr), "2001:2::2");
	assert_true(frame_parse_addr("198.18.0.2", &addr));
	assert_string_equal(frame_show_addr(text, sizeof(text), &addr), "198.18.0.2");
}

/* RFC 2544 appendix B (10 Mbit/s) and RFC 5180 appendix A.1 (10 Gbit/s); both round down */
static void highest_frame_rates_are_those_of_the_rfcs(void **state)
{
	static const uint32_t fast[][2] = {
		{ 64, 14880952 }, { 128, 8445945 }, { 256, 4528985 }, { 512, 2349624 },
		{ 1024, 1197318 }, { 1280, 961538 }, { 1518, 812743 }, { 9216, 135339 },
	};
	static const uint32_t table[][2] = {
		{ 64, 14880 }, { 128, 8445 }, { 256, 4528 }, { 512, 2349 }, { 768, 1586 },
		{ 1024, 1197 }, { 1280, 961 }, { 1518, 812 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		assert_int_equal((uint32_t)frame_max_pps(10000000, table[i][0]), table[i][1]);
	for (i = 0; i < sizeof(fast) / sizeof(fast[0]); i++)
		assert_int_equal((uint32_t)frame_max_pps(10000000000ull, fast[i][0]), fast[i][1]);
}

static void a_layer_counts_what_it_carries(void **state)
{
	struct frame_spec spec = spec_ip4(1518);

	(void)state;
	assert_int_equal(frame_layer_bytes(&spec, FRAME_L1), 1538);
	assert_int_equal(frame_layer_bytes(&spec, FRAME_L2), 1518);
	assert_int_equal(frame_layer_bytes(&spec, FRAME_L3), 1500);
	assert_int_equal(frame_layer_bytes(&spec, FRAME_PAYLOAD), 1472);
	spec = spec_ip6(1522);
	spec.has_vlan = true;
	assert_int_equal(frame_layer_bytes(&spec, FRAME_L1), 1542);
	assert_int_equal(frame_layer_bytes(&spec, FRAME_L3), 1500);
	assert_int_equal(frame_layer_bytes(&spec, FRAME_PAYLOAD), 1452);
	spec = spec_ip6(66);
	assert_int_equal(frame_layer_bytes(&spec, FRAME_PAYLOAD), 0);
}

static void the_tag_of_a_frame_is_found(void **state)
{
	struct frame_spec specs[] = { spec_ip4(64), spec_ip6(1518), spec_ip4(1518), spec_ip4(1518) };
	uint8_t buf[FRAME_MAX_BYTES];
	struct tag_fields fields;
	struct err e = { 0 };
	uint16_t at;
	size_t i;

	(void)state;
	specs[2].tagged = false;
	into_vlan(&specs[3]);
	for (i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		assert_int_equal(frame_build(&specs[i], buf, sizeof(buf), &at, &e), 0);
		if (i >= 2) {
			assert_false(frame_find_tag(buf, specs[i].frame_bytes - 4, &fields));
			continue;
		}
		frame_write_tag(buf + at, 11, 7, 0xfffffff1, 12345);
		fields = (struct tag_fields){ 0 };
		assert_true(frame_find_tag(buf, specs[i].frame_bytes - 4, &fields));
		assert_int_equal(fields.stream, 7);
		assert_int_equal(fields.sequence, 0xfffffff1);
		assert_false(frame_find_tag(buf, at + TAG_BYTES - 1u, &fields));
		buf[at + 5] ^= 1;
		assert_false(frame_find_tag(buf, specs[i].frame_bytes - 4, &fields));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_are_scapys),
		cmocka_unit_test(a_rewritten_tag_leaves_the_checksum_right),
		cmocka_unit_test(the_tag_of_a_frame_is_found),
		cmocka_unit_test(a_zero_udp_checksum_is_sent_as_ffff),
		cmocka_unit_test(every_size_builds_and_one_less_than_the_smallest_does_not),
		cmocka_unit_test(the_error_says_why_a_size_is_too_small),
		cmocka_unit_test(what_does_not_fit_the_fields_is_refused),
		cmocka_unit_test(addresses_are_read_whole_or_not_at_all),
		cmocka_unit_test(a_layer_counts_what_it_carries),
		cmocka_unit_test(highest_frame_rates_are_those_of_the_rfcs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
