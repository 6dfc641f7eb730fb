// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/frame.h"
#include "proto/rewrite.h"

#include "check.h"

#define NR_RANDOM 300007

static struct rewrite rewrite_of(const char *prefixes, const char *ports)
{
	struct rewrite rewrite = { 0 };
	struct err e = { 0 };

	if (prefixes && rewrite_parse_prefixes(&rewrite, "--map-ip", prefixes, &e))
		fail_msg("%s", e.msg);
	if (ports && rewrite_parse_ports(&rewrite, "--map-port", ports, &e))
		fail_msg("%s", e.msg);
	return rewrite;
}

static void refused(const char *prefixes, const char *ports)
{
	struct rewrite rewrite = { 0 };
	struct err e = { 0 };

	if (prefixes)
		assert_int_equal(rewrite_parse_prefixes(&rewrite, "--map-ip", prefixes, &e), -22);
	else
		assert_int_equal(rewrite_parse_ports(&rewrite, "--map-port", ports, &e), -22);
	assert_non_null(strstr(e.msg, prefixes ? "--map-ip" : "--map-port"));
}

static void maps_that_are_none_are_refused(void **state)
{
	(void)state;
	refused("", NULL);
	refused("10.0.0.0/8", NULL);
	refused("10.0.0.0/8=", NULL);
	refused("=10.0.0.0/8", NULL);
	refused("10.0.0.0/8=198.18.0.0/15,", NULL);
	refused("10.0.0.0/33=198.18.0.0/15", NULL);
	refused("10.0.0.0/=198.18.0.0/15", NULL);
	refused("10.0.0.0/-1=198.18.0.0/15", NULL);
	refused("10.0.0.1/8=198.18.0.0/15", NULL);
	refused("10.0.0.0/8=198.19.0.0/15", NULL);
	refused("10.0.0.0/8=2001:2::/48", NULL);
	refused("2001:db8::/129=2001:2::/48", NULL);
	refused(NULL, "80");
	refused(NULL, "80=");
	refused(NULL, "80=65536");
	refused(NULL, "80=8080x");
	refused(NULL, "80=8080,,443=1");
	rewrite_of("0.0.0.0/0=198.18.0.0/15,10.0.0.1=10.0.0.2,::/0=2001:2::/48", "0=1,65535=2");
}

static uint32_t build(uint8_t *frame, int family)
{
	struct frame_spec spec = {
		.src.family = family, .dst.family = family, .src_port = 1025, .dst_port = 80,
		.ttl = 64, .frame_bytes = 128,
	};
	struct err e;
	uint16_t tag;

	frame_parse_addr(family == AF_INET ? "10.1.2.3" : "2001:db8::1", &spec.src);
	frame_parse_addr(family == AF_INET ? "10.255.254.253" : "2001:db8:ffff::2", &spec.dst);
	assert_int_equal(frame_build(&spec, frame, 256, &tag, &e), 0);
	return 124;
}

/* Mended and computed anew are the same. */
static void mending_agrees_with_computing(void **state)
{
	static const int families[] = { AF_INET, AF_INET6 };
	uint8_t mended[256], computed[256];
	char text[128];
	uint32_t i;

	(void)state;
	srand(42);
	for (i = 0; i < 10007; i++) {
		struct rewrite rewrite;
		uint32_t len = build(mended, families[i % 2]);

		snprintf(text, sizeof(text), "10.0.0.0/8=%u.%u.0.0/16,2001:db8::/32=%x:%x::/32",
			 rand() % 256, rand() % 256, rand() % 65535 + 1, rand() % 65535 + 1);
		rewrite = rewrite_of(text, "80=65535,1025=0");
		memcpy(computed, mended, sizeof(computed));
		assert_int_equal(rewrite_frame(&rewrite, mended, len), len);
		rewrite.fix_checksums = true;
		assert_int_equal(rewrite_frame(&rewrite, computed, len), len);
		assert_memory_equal(mended, computed, len);
	}
}

/* 0 would mean that there is none; of 65536 ports in a row one has it. */
static void a_udp_checksum_of_0_is_written_as_ffff(void **state)
{
	static const int families[] = { AF_INET, AF_INET6 };
	struct rewrite rewrite = { .nr_ports = 1 };
	uint8_t whole[256], frame[256];
	uint32_t i, to, len, at, met;

	(void)state;
	for (i = 0; i < 4; i++) {
		len = build(whole, families[i % 2]);
		at = i % 2 ? 60 : 40;
		rewrite.fix_checksums = i / 2;
		for (met = to = 0; to < 65536; to++) {
			memcpy(frame, whole, len);
			rewrite.ports[0].from = 80;
			rewrite.ports[0].to = (uint16_t)to;
			assert_int_equal(rewrite_frame(&rewrite, frame, len), len);
			assert_true(frame[at] || frame[at + 1]);
			met += frame[at] == 0xff && frame[at + 1] == 0xff;
		}
		assert_int_equal(met, 1);
	}
}

static void prefixes_keep_the_bits_behind_them(void **state)
{
	const struct rewrite rewrite = rewrite_of("10.0.0.0/9=1.0.0.0/8,10.128.0.0/9=198.18.0.0/15",
						  NULL);
	static const uint8_t want[] = { 1, 1, 2, 3, 198, 19, 254, 253 };
	uint8_t frame[256];

	(void)state;
	build(frame, AF_INET);
	rewrite_frame(&rewrite, frame, 124);
	assert_memory_equal(frame + 26, want, sizeof(want));
}

/* Zeros, and a tag that sums to 0xffff, leave the checksum as right as computing it anew. */
static void a_cleared_tag_leaves_a_right_checksum(void **state)
{
	static const int families[] = { AF_INET, AF_INET6 };
	static const uint8_t zeros[18];
	const struct rewrite fix = { .fix_checksums = true };
	uint8_t frame[256], computed[256];
	uint32_t i, n, len, at;

	(void)state;
	srand(42);
	for (i = 0; i < 1009; i++) {
		len = build(frame, families[i % 2]);
		at = i % 2 ? 62 : 42;
		for (n = at; n < len; n++)
			frame[n] = (uint8_t)rand();
		rewrite_frame(&fix, frame, len);
		assert_int_equal(rewrite_clear_tag(frame, len), at);
		assert_memory_equal(frame + at, zeros, sizeof(zeros));
		frame_write_tag(frame + at, (uint16_t)(i * 31), (uint16_t)i, i, i * 1000003ull);
		memcpy(computed, frame, sizeof(computed));
		rewrite_frame(&fix, computed, len);
		assert_memory_equal(frame, computed, len);
	}
}

static void refuses_a_tag(const uint8_t *frame, uint32_t len)
{
	uint8_t copy[256];

	memcpy(copy, frame, len);
	assert_int_equal(rewrite_clear_tag(copy, len), 0);
	assert_memory_equal(copy, frame, len);
}

static void what_cannot_carry_a_tag_stays_as_it_is(void **state)
{
	uint8_t frame[256], saved[256];
	uint32_t len = build(saved, AF_INET);

	(void)state;
#define WITH(...) do { memcpy(frame, saved, len); __VA_ARGS__; refuses_a_tag(frame, len); } while (0)
	WITH(frame[12] = 0x88);				/* no IP */
	WITH(frame[23] = 6);				/* TCP */
	WITH(frame[20] = 0x20);				/* the first fragment */
	WITH(frame[21] = 1);				/* a later one */
	WITH(frame[38] = 0, frame[39] = 8 + 17);	/* one byte too short */
	WITH(frame[38] = 1);				/* longer than the packet */
	WITH(frame[16] = 0, frame[17] = 20 + 8 + 17);
#undef WITH
	/* No checksum over IPv4 is none afterwards. */
	memcpy(frame, saved, len);
	frame[40] = frame[41] = 0;
	frame[50] = 0x77;
	assert_int_equal(rewrite_clear_tag(frame, len), 42);
	assert_int_equal(frame[40] | frame[41] | frame[50], 0);
}

/* Under the sanitizers: exactly as long as they say, so that a step beyond is seen. */
static void random_frames_never_lead_beyond_their_end(void **state)
{
	static const uint8_t types[][2] = { { 8, 0 }, { 0x86, 0xdd }, { 0x81, 0 }, { 8, 6 } };
	static const uint8_t nexts[] = { 0, 1, 2, 6, 17, 43, 44, 58, 60, 136 };
	struct rewrite rewrite = rewrite_of("0.0.0.0/1=198.18.0.0/15,::/1=2001:2::/48", "0=1");
	uint32_t i, n, len, got, at;

	(void)state;
	srand(42);
	for (i = 0; i < NR_RANDOM; i++) {
		uint8_t *frame;

		len = 14 + (uint32_t)rand() % 100;
		rewrite.push_vlan = i & 1;
		rewrite.strip_vlan = i & 2;
		rewrite.fix_checksums = i & 4;
		frame = malloc(len + (rewrite.push_vlan ? REWRITE_ROOM_BYTES : 0));
		assert_non_null(frame);
		for (n = 0; n < len; n++)
			frame[n] = (uint8_t)(rand() % 3 ? rand() % 8 : rand());
		memcpy(frame + 12, types[rand() % 4], 2);
		if (len > 60) {
			frame[14] = frame[12] == 8 ? 0x45 + (uint8_t)(rand() % 3) : 0x60;
			frame[16] = frame[18] = 0;
			frame[17] = frame[19] = (uint8_t)(rand() % (int)len);
			frame[20] = nexts[rand() % 10];
			frame[23] = nexts[rand() % 10];
			frame[54] = nexts[rand() % 10];
		}
		got = rewrite_frame(&rewrite, frame, len);
		assert_true(got >= 14 && got <= len + REWRITE_ROOM_BYTES);
		at = rewrite_clear_tag(frame, got);
		assert_true(!at || (at >= 42 && at + 18 <= got));
		free(frame);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(maps_that_are_none_are_refused),
		cmocka_unit_test(mending_agrees_with_computing),
		cmocka_unit_test(a_udp_checksum_of_0_is_written_as_ffff),
		cmocka_unit_test(prefixes_keep_the_bits_behind_them),
		cmocka_unit_test(a_cleared_tag_leaves_a_right_checksum),
		cmocka_unit_test(what_cannot_carry_a_tag_stays_as_it_is),
		cmocka_unit_test(random_frames_never_lead_beyond_their_end),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
