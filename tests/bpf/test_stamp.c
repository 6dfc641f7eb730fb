// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stamp_xdp: what is answered at which length, and what never happens whatever comes in.
 * The bytes of answers are held against a model in tests/net/stamp_peer.py.
 */
#include "harness.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/bpf.h>

#include "abi/hist.h"
#include "abi/reflect.h"
#include "abi/stamp_reflect.h"
#include "lib/sha256.h"
#include "own.h"

#include "stamp_xdp.skel.h"

static struct stamp_xdp_bpf *skel;
static uint32_t nr_keys = 1;	/* room for them */

static const uint64_t offset_ns = 1700000000123456789;

static void load(struct stamp_reflect_cfg cfg)
{
	static const struct reflect_cfg common = { .icmp = 1, .mac = { 2, 0, 0, 0, 0, 2 } };
	struct stamp_reflect_clock clock = {
		.utc_offset_ns = offset_ns, .error = STAMP_SYNCED | 0x0a05,
	};
	uint32_t zero = 0;

	stamp_xdp_bpf__destroy(skel);
	skel = stamp_xdp_bpf__open();
	assert_non_null(skel);
	memcpy((void *)&skel->rodata->cfg, &common, sizeof(common));
	skel->rodata->cfg.port = htons(862);
	memcpy((void *)&skel->rodata->stamp_cfg, &cfg, sizeof(cfg));
	own_usual(&skel->bss->own);
	bpf_map__set_max_entries(skel->maps.reflect_recs, harness_cpus());
	bpf_map__set_max_entries(skel->maps.stamp_recs, harness_cpus());
	bpf_map__set_max_entries(skel->maps.stamp_hists, harness_cpus());
	bpf_map__set_max_entries(skel->maps.stamp_keys, nr_keys);
	assert_int_equal(stamp_xdp_bpf__load(skel), 0);
	assert_int_equal(bpf_map__update_elem(skel->maps.stamp_clocks, &zero, sizeof(zero), &clock,
					      sizeof(clock), BPF_ANY), 0);
}

static int unload(void **state)
{
	(void)state;
	stamp_xdp_bpf__destroy(skel);
	skel = NULL;
	return 0;
}

static uint64_t outcome(enum reflect_outcome which)
{
	struct reflect_rec rec;

	harness_read(skel->maps.reflect_recs, harness_cpu(), &rec);
	return rec.packets[which];
}

static uint32_t get32(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* The time in nanoseconds since 1970, from either format. */
static uint64_t utc_ns(const uint8_t *at, bool ptp)
{
	if (ptp)
		return get32(at) * 1000000000ull + get32(at + 4);
	return (get32(at) - 2208988800u) * 1000000000ull +
	       ((get32(at + 4) * 1000000000ull + (1u << 31)) >> 32);
}

static bool sums_are_right(const struct packet_frame *frame, const struct harness_out *out)
{
	static struct packet_frame answer;

	answer = *frame;
	memcpy(answer.bytes, out->bytes, out->len);
	return packet_checksums_are_right(&answer);
}

static void check_answer(const struct packet_frame *frame, const struct harness_out *out,
			 size_t len, bool ptp, uint64_t start_ns)
{
	const uint8_t *asked = frame->bytes + frame->l4 + 8, *got = out->bytes + frame->l4 + 8;
	uint64_t came_ns = utc_ns(got + 16, ptp), left_ns = utc_ns(got + 4, ptp);

	assert_memory_equal(got, asked, 4);
	assert_int_equal(got[12], 0x8a | (ptp ? 0x40 : 0));
	assert_int_equal(got[13], 5);
	assert_memory_equal(got + 14, asked + 14, 2);
	assert_memory_equal(got + 24, asked, 14);
	assert_int_equal(got[38] | got[39], 0);
	assert_int_equal(got[40], 64);		/* packet.c's TTL */
	assert_true(came_ns >= start_ns + offset_ns && came_ns <= left_ns);
	assert_true(left_ns <= harness_mono_ns() + offset_ns);
	for (size_t i = 41; i < len && i < 44; i++)
		assert_int_equal(got[i], 0);
	/* Zeros are no extension. */
	if (len > 44)
		assert_memory_equal(got + 44, asked + 44, len - 44);
	assert_int_equal(out->bytes[frame->l3 + (frame->version == 6 ? 7 : 8)], 255);
	assert_true(sums_are_right(frame, out));
}

static void every_length_to_200_is_answered_from_41_on(void **state)
{
	static const uint8_t asked[200] = {
		1, 2, 3, 4, 0xe8, 0, 0, 5, 0x80, 0, 0, 7, 0x21, 9, 0x55, 0xaa,
	};
	struct harness_out out;
	uint8_t payload[200];
	size_t len;
	int kind;

	(void)state;
	load((struct stamp_reflect_cfg){ 0 });
	for (kind = 0; kind < 12; kind++) {
		for (len = 0; len <= sizeof(payload); len++) {
			struct packet_spec spec = {
				.version = kind & 1 ? 6 : 4, .vlans = (unsigned int)kind / 4,
				.dst_port = 862, .payload = payload, .payload_bytes = len,
			};
			struct packet_frame frame;
			uint64_t refused = outcome(REFLECT_SHORT), start_ns;

			memcpy(payload, asked, sizeof(payload));
			payload[12] |= kind & 2 ? 0x40 : 0;
			packet_build(&frame, &spec);
			start_ns = harness_mono_ns();
			harness_run(skel->progs.stamp_xdp, frame.bytes, frame.len, &out);
			assert_int_equal(out.len, frame.len);
			assert_int_equal(out.action, len < 41 ? XDP_DROP : XDP_TX);
			assert_int_equal(outcome(REFLECT_SHORT) - refused, len < 41);
			if (len >= 41)
				check_answer(&frame, &out, len, kind & 2, start_ns);
		}
	}
}

static void a_wrong_checksum_comes_back_wrong_and_none_stays_none(void **state)
{
	struct packet_spec spec = { .dst_port = 862, .payload_bytes = 44 };
	struct packet_frame frame;
	struct harness_out out;

	(void)state;
	load((struct stamp_reflect_cfg){ 0 });
	packet_build(&frame, &spec);
	frame.bytes[frame.l4 + 7] ^= 1;
	harness_run(skel->progs.stamp_xdp, frame.bytes, frame.len, &out);
	assert_int_equal(out.action, XDP_TX);
	assert_false(sums_are_right(&frame, &out));
	memset(frame.bytes + frame.l4 + 6, 0, 2);
	harness_run(skel->progs.stamp_xdp, frame.bytes, frame.len, &out);
	assert_int_equal(out.action, XDP_TX);
	assert_int_equal(out.bytes[frame.l4 + 6] | out.bytes[frame.l4 + 7], 0);
	/* IPv6 has no such packets. */
	spec.version = 6;
	packet_build(&frame, &spec);
	memset(frame.bytes + frame.l4 + 6, 0, 2);
	harness_run(skel->progs.stamp_xdp, frame.bytes, frame.len, &out);
	assert_int_equal(out.action, XDP_PASS);
}

static uint32_t get16(const uint8_t *at)
{
	return (uint32_t)at[0] << 8 | at[1];
}

static void put16(uint8_t *at, uint32_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

/* Of the pseudo header of the frame's UDP over IPv4: what a stack leaves for a NIC to finish. */
static uint32_t unfinished_sum(const struct packet_frame *frame)
{
	uint32_t sum = 17 + get16(frame->bytes + frame->l4 + 4);
	int i;

	for (i = 12; i < 20; i += 2)
		sum += get16(frame->bytes + frame->l3 + i);
	return sum % 0xffff;
}

static void an_unfinished_checksum_is_finished_but_in_generic_xdp_left_to_the_kernel(void **state)
{
	struct stamp_reflect_clock clock = { .utc_offset_ns = offset_ns, .error = 1, .generic = 1 };
	struct packet_spec spec = { .dst_port = 862, .payload_bytes = 53 };
	uint32_t zero = 0, unfinished, sum;
	struct packet_frame frame;
	struct harness_out out;

	(void)state;
	load((struct stamp_reflect_cfg){ 0 });
	packet_build(&frame, &spec);
	unfinished = unfinished_sum(&frame);
	sum = get16(frame.bytes + frame.l4 + 6);
	put16(frame.bytes + frame.l4 + 6, unfinished);
	harness_run(skel->progs.stamp_xdp, frame.bytes, frame.len, &out);
	assert_int_equal(out.action, XDP_TX);
	assert_true(sums_are_right(&frame, &out));
	assert_int_equal(bpf_map__update_elem(skel->maps.stamp_clocks, &zero, sizeof(zero), &clock,
					      sizeof(clock), BPF_ANY), 0);
	harness_run(skel->progs.stamp_xdp, frame.bytes, frame.len, &out);
	assert_int_equal(out.action, XDP_TX);
	assert_int_equal(get16(out.bytes + frame.l4 + 6), unfinished);
	/* A right one that is the same number by chance: a word of the time makes up for it. */
	sum = (get16(frame.bytes + frame.l4 + 12) + sum + 0xffff - unfinished) % 0xffff;
	put16(frame.bytes + frame.l4 + 12, sum);
	memcpy(out.bytes, frame.bytes, frame.len);
	assert_true(sums_are_right(&frame, &out));
	harness_run(skel->progs.stamp_xdp, frame.bytes, frame.len, &out);
	assert_int_equal(out.action, XDP_TX);
	assert_true(sums_are_right(&frame, &out));
}

/* As in an answer to a packet that was sent then. */
static void put_asked_time(uint8_t *payload, bool ptp, uint64_t utc_ns)
{
	uint8_t *at = payload + offsetof(struct stamp_answer, asked_sent);
	uint32_t seconds, fraction;

	stamp_time_of(utc_ns, ptp, &seconds, &fraction);
	seconds = htonl(seconds);
	fraction = htonl(fraction);
	memcpy(at, &seconds, 4);
	memcpy(at + 4, &fraction, 4);
	at[8] = ptp ? 0x40 : 0;
}

static void the_answer_to_an_own_answer_is_dropped(void **state)
{
	uint64_t second = 1000000000, now_ns;
	uint8_t payload[44] = { 0 };
	struct packet_spec spec = { .dst_port = 862, .payload = payload };
	struct packet_frame frame;
	struct harness_out out;
	int kind;

	(void)state;
	for (kind = 0; kind < 16; kind++) {
		const struct { int64_t ns; bool looped; } ages[] = {
			{ 0, true }, { 7 * (int64_t)second, true }, { 10 * (int64_t)second, false },
			{ -10 * (int64_t)second, false },
		};
		bool ptp = kind & 1;
		size_t i;

		spec.version = kind & 2 ? 6 : 4;
		spec.payload_bytes = kind & 4 ? 41 : 44;
		load((struct stamp_reflect_cfg){ .stateful = kind >> 3 & 1, .twamp = kind >> 2 & 1 });
		for (i = 0; i < 4; i++) {
			now_ns = harness_mono_ns() + offset_ns;
			put_asked_time(payload, ptp, now_ns - (uint64_t)ages[i].ns);
			packet_build(&frame, &spec);
			harness_run(skel->progs.stamp_xdp, frame.bytes, frame.len, &out);
			assert_int_equal(out.action, ages[i].looped ? XDP_DROP : XDP_TX);
			if (ages[i].looped)
				assert_true(harness_untouched(&out, frame.bytes, frame.len));
		}
		assert_int_equal(outcome(REFLECT_LOOPED), 2);
		/* Padding that has zeros nowhere is no answer. */
		put_asked_time(payload, ptp, harness_mono_ns() + offset_ns);
		payload[38] = 1;
		packet_build(&frame, &spec);
		harness_run(skel->progs.stamp_xdp, frame.bytes, frame.len, &out);
		assert_int_equal(out.action, XDP_TX);
		payload[38] = 0;
		/* The time of the other format. */
		put_asked_time(payload, ptp, harness_mono_ns() + offset_ns);
		payload[36] ^= 0x40;
		packet_build(&frame, &spec);
		harness_run(skel->progs.stamp_xdp, frame.bytes, frame.len, &out);
		assert_int_equal(out.action, XDP_TX);
		payload[36] = 0;
		assert_int_equal(outcome(REFLECT_LOOPED), 2);
	}
}

/* Its own answers, turned round by a reflector that changes nothing: the second time it sees it. */
static void own_answers_that_come_back_end(void **state)
{
	uint8_t payload[44] = { 0 };
	struct packet_spec spec = { .dst_port = 862, .payload = payload, .payload_bytes = 44 };
	struct packet_frame frame;
	struct harness_out out;
	int i;

	(void)state;
	load((struct stamp_reflect_cfg){ 0 });
	for (i = 0; i < 3; i++) {
		packet_build(&frame, &spec);
		harness_run(skel->progs.stamp_xdp, frame.bytes, frame.len, &out);
		assert_int_equal(out.action, i < 2 ? XDP_TX : XDP_DROP);
		memcpy(payload, out.bytes + frame.l4 + 8, sizeof(payload));
	}
	assert_int_equal(outcome(REFLECT_LOOPED), 1);
}

/* Of the sessions of the frame's source and @ssid (-1: any): @secret, for the first @bits of the address. */
static void put_key(const struct packet_frame *frame, uint32_t bits, int ssid, const char *secret)
{
	bool six = frame->version == 6;
	struct stamp_key_name name = {
		.bits = STAMP_KEY_NAME_BITS + bits, .version = (uint8_t)frame->version, .any_ssid = ssid < 0,
		.ssid = htons(ssid < 0 ? 0 : (uint16_t)ssid),
	};
	struct stamp_key key;

	memcpy(name.src, frame->bytes + frame->l3 + (six ? 8 : 12), six ? 16 : 4);
	sha256_hmac_pads(secret, strlen(secret), key.inner, key.outer);
	assert_int_equal(bpf_map__update_elem(skel->maps.stamp_keys, &name, sizeof(name), &key, sizeof(key),
					      BPF_NOEXIST), 0);
}

/* An authenticated packet of the session, signed with @secret; if not @near, from a neighbour of the source. */
static void check_key(unsigned int version, int ssid, bool near, const char *secret,
		      enum reflect_outcome expected)
{
	uint8_t payload[STAMP_AUTH_BYTES] = { 0 }, hmac[SHA256_BYTES];
	struct packet_spec spec = {
		.version = version, .dst_port = 862, .payload = payload, .payload_bytes = sizeof(payload),
	};
	uint64_t before = outcome(expected);
	struct packet_frame frame;
	struct harness_out out;
	uint8_t *source;

	payload[offsetof(struct stamp_auth_question, ssid)] = (uint8_t)(ssid >> 8);
	payload[offsetof(struct stamp_auth_question, ssid) + 1] = (uint8_t)ssid;
	sha256_hmac(secret, strlen(secret), payload, STAMP_HMAC_OVER_BYTES, hmac);
	memcpy(payload + STAMP_HMAC_OVER_BYTES, hmac, STAMP_HMAC_BYTES);
	packet_build(&frame, &spec);
	source = frame.bytes + frame.l3 + (version == 6 ? 20 : 12);
	if (!near)
		source[3] ^= 1;
	harness_run(skel->progs.stamp_xdp, frame.bytes, frame.len, &out);
	assert_int_equal(outcome(expected) - before, 1);
	assert_int_equal(out.action, expected == REFLECT_UDP ? XDP_TX : XDP_DROP);
	if (expected != REFLECT_UDP) {
		assert_true(harness_untouched(&out, frame.bytes, frame.len));
		return;
	}
	sha256_hmac(secret, strlen(secret), out.bytes + frame.l4 + 8, STAMP_HMAC_OVER_BYTES, hmac);
	assert_memory_equal(out.bytes + frame.l4 + 8 + STAMP_HMAC_OVER_BYTES, hmac, STAMP_HMAC_BYTES);
}

static void a_session_has_the_key_of_its_identifier_and_of_the_longest_prefix(void **state)
{
	struct packet_spec spec = { .dst_port = 862, .payload_bytes = 44 };
	struct packet_frame frame;
	uint32_t bits;

	(void)state;
	nr_keys = 8;
	load((struct stamp_reflect_cfg){ .authenticated = 1, .keyed = STAMP_KEYED_APART });
	nr_keys = 1;
	for (spec.version = 4; spec.version <= 6; spec.version += 2) {
		packet_build(&frame, &spec);
		bits = spec.version == 4 ? 32 : 128;
		check_key(spec.version, 7, true, "of the host", REFLECT_KEYLESS);
		put_key(&frame, bits, -1, "of the host");
		check_key(spec.version, 7, true, "of the host", REFLECT_UDP);
		check_key(spec.version, 7, true, "of the net", REFLECT_FORGED);
		check_key(spec.version, 7, false, "of the host", REFLECT_KEYLESS);
		put_key(&frame, bits - 8, -1, "of the net");
		check_key(spec.version, 7, true, "of the host", REFLECT_UDP);
		check_key(spec.version, 7, false, "of the net", REFLECT_UDP);
		check_key(spec.version, 7, false, "of the host", REFLECT_FORGED);
		put_key(&frame, bits - 8, 7, "of session 7");
		check_key(spec.version, 7, true, "of session 7", REFLECT_UDP);
		check_key(spec.version, 7, true, "of the host", REFLECT_FORGED);
		check_key(spec.version, 0x700, true, "of the host", REFLECT_UDP);
		check_key(spec.version, 0, true, "of the host", REFLECT_UDP);
		put_key(&frame, 0, 0, "of session 0");
		check_key(spec.version, 0, true, "of session 0", REFLECT_UDP);
		check_key(spec.version, 0, true, "of the host", REFLECT_FORGED);
	}
}

static size_t chance(size_t below)
{
	return (size_t)random() % below;
}

/* Extensions that are nearly right. */
static size_t random_payload(uint8_t *payload, size_t max)
{
	size_t len = chance(max), at, i;

	for (i = 0; i < len; i++)
		payload[i] = (uint8_t)random();
	for (at = chance(2) ? 44 : 112; at + 4 < len;) {
		static const uint8_t lengths[] = { 0, 8, 4, 4, 4, 12, 4, 16, 16, 24, 5 };
		size_t type = chance(11), value = chance(12) ? lengths[type] : chance(80);

		payload[at + 1] = (uint8_t)type;
		payload[at + 2] = 0;
		payload[at + 3] = (uint8_t)value;
		at += 4 + value;
	}
	return len;
}

/* Seconds to go on for: STAMP_FUZZ_S; else a few thousand packets. */
static void nothing_makes_an_answer_longer_or_its_checksum_wrong(void **state)
{
	const char *seconds = getenv("STAMP_FUZZ_S");
	uint64_t end_ns = harness_mono_ns() + strtoull(seconds ? seconds : "0", NULL, 10) * 1000000000;
	uint64_t runs = 0, due = harness_runs(20011, 2003), answered = 0;
	static uint8_t payload[1400];
	static struct packet_frame frame;
	static struct harness_out out;
	unsigned int cfg_bits;

	(void)state;
	srandom(seconds ? (unsigned int)end_ns : 4711);
	for (cfg_bits = 0; cfg_bits < 4 || harness_mono_ns() < end_ns; cfg_bits++) {
		load((struct stamp_reflect_cfg){
			.stateful = cfg_bits & 1, .keyed = (cfg_bits >> 1) % (STAMP_KEYED_APART + 1),
			.allow_dscp = cfg_bits & 1, .twamp = (cfg_bits & 15) == 8,
			/* Authenticated, a random packet is never signed: see stamp_peer.py. */
			.authenticated = (cfg_bits & 15) == 10,
		});
		for (runs = 0; runs < due / 4; runs++) {
			struct packet_spec spec = {
				.version = chance(2) ? 6 : 4, .vlans = (unsigned int)chance(3),
				.option_bytes = (unsigned int)chance(3) * 4,
				.extensions = (unsigned int)chance(3),
				.dst_port = 862, .payload = payload,
			};

			spec.payload_bytes = random_payload(payload, sizeof(payload));
			packet_build(&frame, &spec);
			harness_run(skel->progs.stamp_xdp, frame.bytes, frame.len, &out);
			assert_int_equal(out.len, frame.len);
			if (out.action != XDP_TX) {
				assert_int_equal(out.action, XDP_DROP);
				assert_true(harness_untouched(&out, frame.bytes, frame.len));
				continue;
			}
			answered++;
			if (!sums_are_right(&frame, &out))
				fail_msg("wrong checksum: version %u, %zu bytes", frame.version,
					 spec.payload_bytes);
		}
	}
	print_message("%llu answered\n", (unsigned long long)answered);
	assert_true(answered > due / 4);
}

static void other_destinations_are_passed_and_counted(void **state)
{
	struct packet_spec spec = { .payload_bytes = 44, .dst_port = 862, .src_port = 50021 };
	struct packet_frame frame;
	struct harness_out out;

	(void)state;
	load((struct stamp_reflect_cfg){ 0 });
	for (spec.version = 4; spec.version <= 6; spec.version += 2) {
		packet_build(&frame, &spec);
		harness_run(skel->progs.stamp_xdp, frame.bytes, frame.len, &out);
		assert_int_equal(out.action, XDP_TX);
		frame.bytes[frame.l4 - 1] ^= 1;		/* of the destination */
		harness_run(skel->progs.stamp_xdp, frame.bytes, frame.len, &out);
		assert_int_equal(out.action, XDP_PASS);
		assert_true(harness_untouched(&out, frame.bytes, frame.len));
	}
	assert_int_equal(outcome(REFLECT_OTHER_DEST), 2);
	assert_int_equal(outcome(REFLECT_UDP), 2);
}

int test_stamp(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_length_to_200_is_answered_from_41_on),
		cmocka_unit_test(a_wrong_checksum_comes_back_wrong_and_none_stays_none),
		cmocka_unit_test(an_unfinished_checksum_is_finished_but_in_generic_xdp_left_to_the_kernel),
		cmocka_unit_test(the_answer_to_an_own_answer_is_dropped),
		cmocka_unit_test(own_answers_that_come_back_end),
		cmocka_unit_test(a_session_has_the_key_of_its_identifier_and_of_the_longest_prefix),
		cmocka_unit_test(nothing_makes_an_answer_longer_or_its_checksum_wrong),
		cmocka_unit_test(other_destinations_are_passed_and_counted),
	};

	return cmocka_run_group_tests_name("stamp_xdp", tests, NULL, unload);
}
