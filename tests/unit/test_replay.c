// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * model/replay: the packets of a capture come in its order, pass after pass, in slots by
 * the schedule that is shared with all other streams.
 */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/mix.h"
#include "model/replay.h"
#include "proto/capture.h"
#include "proto/flow_file.h"

#define NR 5

static char path[64];
static const uint32_t sizes[NR] = { 60, 1514, 61, 777, 60 };
static const uint64_t times_ns[NR] = { 0, 1000, 1000, 7001, 20000 };

static int make_file(void **state)
{
	static char dir[] = "/tmp/test_replay.XXXXXX";
	struct capture_writer *writer;
	uint8_t bytes[2000] = { 0 };
	struct err e = { 0 };
	FILE *file;
	uint32_t i;

	*state = mkdtemp(dir);
	snprintf(path, sizeof(path), "%s/file.pcap", dir);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(capture_writer_open(&writer, file, &e), 0);
	for (i = 0; i < NR; i++) {
		bytes[20] = (uint8_t)i;
		assert_int_equal(capture_write(writer, times_ns[i], bytes, sizes[i], &e), 0);
	}
	assert_int_equal(capture_writer_close(writer, &e), 0);
	return fclose(file);
}

static int remove_file(void **state)
{
	unlink(path);
	return rmdir(*state);
}

static struct mix *some_mix(struct pace pace, uint64_t loops, uint32_t extra_bytes)
{
	const struct replay_cfg cfg = {
		.path = path, .loops = loops, .mtu = 1500, .pace = pace,
		.extra_bytes = extra_bytes, .stamp_every = 1,
	};
	struct err e = { 0 };
	struct mix *mix = mix_new(1, &e);

	mix->flows[0].pace = pace;
	assert_int_equal(replay_open(&mix->flows[0].replay, &cfg, &e), 0);
	return mix;
}

/* Takes packet @n of the run, which is due at @slot_ns. */
static void expect(struct source *source, uint32_t n, bool paced, uint64_t slot_ns)
{
	struct source_packet packet;
	struct err e = { 0 };

	assert_int_equal(source->ops->peek(source, 0, &packet, &e), 1);
	assert_int_equal(packet.buf_bytes, sizes[n % NR]);
	assert_int_equal(packet.bytes[20], n % NR);
	assert_int_equal(packet.paced, paced);
	assert_int_equal(packet.slot_ns, slot_ns);
	source->ops->take(source, 0, 0);
}

static void expect_end(struct source *source)
{
	struct source_packet packet;
	struct err e = { 0 };

	assert_int_equal(source->ops->peek(source, 0, &packet, &e), 0);
}

static struct source *open_source(const struct mix *mix)
{
	struct source *source = NULL;
	struct err e = { 0 };

	assert_int_equal(mix_kind(mix, 1), MIX_CAPTURE);
	assert_int_equal(mix_source_open(&source, mix, 0, 1, &e), 0);
	return source;
}

/* Twice as fast, and between two passes the mean gap of one: 20000 / 4. */
static void a_pass_follows_the_one_before_at_the_files_rate(void **state)
{
	struct mix *mix = some_mix(flow_pace_times(2), 3, 0);
	struct source *source = open_source(mix);
	uint32_t n;

	(void)state;
	for (n = 0; n < 3 * NR; n++)
		expect(source, n, true, (times_ns[n % NR] + n / NR * 25000) / 2);
	expect_end(source);
	assert_int_equal(replay_planned_ns(mix->flows[0].replay), 70000 / 2);
	mix_source_close(source);
	mix_free(mix);
}

static void a_rate_in_bits_counts_the_bytes_before(void **state)
{
	const struct unit_rate rate = { UNIT_RATE_BPS, 1e9 };
	struct err e = { 0 };
	struct mix_count count;
	struct source *source;
	struct pace pace;
	uint64_t before = 0;
	struct mix *mix;
	double pps;
	uint32_t n;

	(void)state;
	assert_int_equal(flow_pace_frames(&rate, 0, &pace, &pps, &e), 0);
	mix = some_mix(pace, 2, 20);
	source = open_source(mix);
	for (n = 0; n < 2 * NR; n++) {
		expect(source, n, true, before * 8);
		before += sizes[n % NR] + 4 + 20;
	}
	expect_end(source);
	source->ops->count(source, 0, &count);
	assert_int_equal(count.packets, 2 * NR);
	assert_int_equal(count.bytes, before - 2 * NR * 20);
	mix_free(mix);
}

static void without_a_pace_nothing_is_waited_for(void **state)
{
	struct mix *mix = some_mix(flow_pace_even(0), 1, 0);
	struct source *source = open_source(mix);
	uint32_t n;

	(void)state;
	for (n = 0; n < NR; n++)
		expect(source, n, false, 0);
	expect_end(source);
	mix_free(mix);
}

/* What an engine that keeps the file walks over has the slots that the source gives. */
static void a_kept_pass_has_the_same_slots(void **state)
{
	struct mix *mix = some_mix(flow_pace_times(0.5), 7, 0);
	struct replay_cursor cursor = { 0 };
	struct source_packet packet;
	struct replay_pass pass;
	struct err e = { 0 };
	uint32_t n = 0;

	(void)state;
	assert_int_equal(replay_whole(mix->flows[0].replay, &pass, &e), 0);
	assert_true(pass.nr_packets == NR && pass.limit == 7 * NR && pass.max_buf_bytes == 1514);
	assert_true(pass.time.ns == 50000 && !pass.time.frac);
	for (; replay_walk(mix->flows[0].replay, &cursor, &packet); n++)
		assert_int_equal(packet.slot_ns, times_ns[n] * 2);
	assert_int_equal(n, NR);
	mix_free(mix);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pass_follows_the_one_before_at_the_files_rate),
		cmocka_unit_test(a_rate_in_bits_counts_the_bytes_before),
		cmocka_unit_test(without_a_pace_nothing_is_waited_for),
		cmocka_unit_test(a_kept_pass_has_the_same_slots),
	};

	return cmocka_run_group_tests_name("replay", tests, make_file, remove_file);
}
