// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/echo: an echo request is one by its bytes, and its checksum is right
 * whatever number, tag and payload it carries.
 */
#include "check.h"

#include <arpa/inet.h>
#include <string.h>

#include "proto/echo.h"

#define ID 0xbeef

static struct frame_spec spec_of(const char *src, const char *dst, uint32_t frame_bytes)
{
	struct frame_spec spec = {
		.src_mac = { 2, 0, 0, 0, 0, 1 }, .dst_mac = { 2, 0, 0, 0, 0, 2 },
		.ttl = 64, .frame_bytes = frame_bytes, .tagged = true, .stream = 7,
	};

	assert_true(frame_parse_addr(src, &spec.src));
	assert_true(frame_parse_addr(dst, &spec.dst));
	return spec;
}

/* RFC 1071: a right one makes the sum of all it covers ffff. */
static uint16_t sum_of(const uint8_t *frame, size_t l4, size_t end, bool ip6)
{
	uint32_t sum = 0;
	uint16_t pseudo[2] = { htons((uint16_t)(end - l4)), htons(IPPROTO_ICMPV6) };

	if (ip6) {
		sum = frame_sum(0, frame + 22, 32);
		sum = frame_sum(sum, pseudo, sizeof(pseudo));
	}
	return (uint16_t)~frame_fold(frame_sum(sum, frame + l4, end - l4));
}

static void check_numbers_of(struct frame_spec spec, bool ip6)
{
	static const uint32_t numbers[] = { 0, 1, 255, 256, 65535, 65536, 0x12345678, UINT32_MAX };
	size_t l4 = ip6 ? 54 : 34, end = spec.frame_bytes - 4, i;
	uint8_t frame[FRAME_MAX_BYTES];
	uint16_t tag_offset, check;
	struct err e;

	assert_int_equal(echo_build(&spec, ID, frame, sizeof(frame), &tag_offset, &check, &e), 0);
	assert_int_equal(tag_offset, l4 + ECHO_BYTES);
	assert_int_equal(frame[l4], ip6 ? 128 : 8);
	assert_int_equal(frame[l4 + 1], 0);
	assert_int_equal(frame[l4 + 4] << 8 | frame[l4 + 5], ID);
	assert_int_equal(frame[ip6 ? 20 : 23], ip6 ? 58 : 1);
	if (!ip6)
		assert_int_equal(frame_fold(frame_sum(0, frame + 14, 20)), 0);
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		frame_write_tag(frame + tag_offset, 0x8001, 7, numbers[i], 0x0123456789abcdef * (i + 1));
		echo_write_number(frame + l4, check, (uint16_t)numbers[i]);
		assert_int_equal(frame[l4 + 6] << 8 | frame[l4 + 7], numbers[i] & 0xffff);
		assert_int_equal(sum_of(frame, l4, end, ip6), 0xffff);
	}
}

static void check_numbers(struct frame_spec spec, bool ip6)
{
	check_numbers_of(spec, ip6);
	spec.patterned = true;
	check_numbers_of(spec, ip6);
}

static void test_ip4(void **state)
{
	(void)state;
	check_numbers(spec_of("198.18.0.1", "198.18.0.2", 64), false);
	check_numbers(spec_of("198.18.0.1", "198.18.0.2", 1517), false);
	check_numbers(spec_of("255.255.255.255", "255.255.255.254", 65), false);
}

static void test_ip6(void **state)
{
	(void)state;
	check_numbers(spec_of("2001:2::1", "2001:2::2", 84), true);
	check_numbers(spec_of("2001:2::1", "2001:2::2", 1518), true);
}

static void test_too_small(void **state)
{
	struct frame_spec spec = spec_of("2001:2::1", "2001:2::2", 83);
	uint8_t frame[FRAME_MAX_BYTES];
	uint16_t tag_offset, check;
	struct err e;

	(void)state;
	assert_int_equal(echo_build(&spec, ID, frame, sizeof(frame), &tag_offset, &check, &e), -22);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ip4),
		cmocka_unit_test(test_ip6),
		cmocka_unit_test(test_too_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
