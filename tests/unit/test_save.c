// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/save: the packets of many streams are in the file in the order of
 * their slots, with their slots as times, and tags that a sink understands.
 */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/tag.h"
#include "model/mix.h"
#include "model/save.h"
#include "proto/capture.h"

#define FRAC (1ull << PACE_FRAC_BITS)

static char path[64];

static int make_dir(void **state)
{
	static char dir[] = "/tmp/test_save.XXXXXX";

	*state = mkdtemp(dir);
	snprintf(path, sizeof(path), "%s/file.pcap", dir);
	return *state ? 0 : -1;
}

static int remove_dir(void **state)
{
	unlink(path);
	return rmdir(*state);
}

static struct mix *some_mix(uint32_t nr)
{
	struct mix *mix = calloc(1, sizeof(*mix));
	uint32_t i;

	mix->nr_flows = nr;
	mix->flows = calloc(nr, sizeof(*mix->flows));
	for (i = 0; i < nr; i++) {
		struct mix_flow *flow = &mix->flows[i];

		flow->packet = calloc(1, sizeof(*flow->packet));
		flow->packet->buf_bytes = flow->packet->content_bytes = 60 + i;
		flow->packet->tag_offset = 42;
		flow->pace.kind = PACE_EVEN;
		flow->pace.gap = (1000 + 300 * i) * FRAC;
		flow->stamp_every = 2;
		flow->stream = (uint16_t)(100 + i);
		flow->tagged = true;
	}
	return mix;
}

static int save(const struct mix *mix, uint64_t count, uint64_t duration_ns)
{
	struct result *res = result_new("blast");
	struct source *source;
	struct err e = { 0 };
	int err;

	assert_int_equal(mix_source_open(&source, mix, 0, 1, &e), 0);
	err = save_source(source, 0, count, duration_ns, path, res, &e);
	mix_source_close(source);
	result_free(res);
	return err;
}

static uint64_t big(const uint8_t *at, int bytes)
{
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | *at++;
	return value;
}

static void a_packet_has_its_slot_as_time_in_file_and_tag(void **state)
{
	struct mix *mix = some_mix(3);
	uint64_t numbers[3] = { 0 }, last_ns = 0;
	struct capture_packet packet;
	struct capture *capture;
	struct err e = { 0 };
	uint32_t i;

	(void)state;
	/* Before 10 us: 10 slots, 8 (0, 1300, ..., 9100), 7 (0, 1600, ..., 9600) */
	assert_int_equal(save(mix, 0, 10000), 0);
	assert_int_equal(capture_open(&capture, path, &e), 0);
	while (capture_read(capture, &packet, &e) == 1) {
		i = packet.buf_bytes - 60;
		assert_in_range(i, 0, 2);
		assert_int_equal(packet.time_ns, numbers[i] * (1000 + 300 * i));
		assert_true(packet.time_ns >= last_ns);
		last_ns = packet.time_ns;
		assert_int_equal(big(packet.bytes + 44, 2), 1);
		assert_int_equal(big(packet.bytes + 46, 2), 100 + i);
		assert_int_equal(big(packet.bytes + 48, 4), numbers[i]);
		assert_int_equal(big(packet.bytes + 52, 6), numbers[i] % 2 ? 0 : packet.time_ns);
		numbers[i]++;
	}
	assert_int_equal(numbers[0], 10);
	assert_int_equal(numbers[1], 8);
	assert_int_equal(numbers[2], 7);
	capture_close(capture);
	mix_free(mix);
}

/* As a field counts, and with slots or without them. */
static void check_shared(enum pace_kind kind)
{
	struct mix *mix = some_mix(3);
	struct capture_packet packet;
	struct capture *capture;
	struct err e = { 0 };
	uint32_t i, nr = 0;

	for (i = 0; i < 3; i++) {
		struct mix_flow *flow = &mix->flows[i];

		flow->packet->buf_bytes = flow->packet->content_bytes = 60;
		flow->packet->fields[0] = (struct field){
			.mask = 0xffff, .span = 1000, .step = 1, .every = 1, .offset = 36, .bytes = 2,
			.kind = FIELD_COUNTER,
		};
		flow->packet->nr_fields = 1;
		flow->limit = 1009;
		flow->pace = (struct pace){ .kind = kind, .burst = 1, .gap = 3000 * FRAC };
		mix_share(flow, i, 3);
	}
	assert_int_equal(save(mix, 0, 0), 0);
	assert_int_equal(capture_open(&capture, path, &e), 0);
	while (capture_read(capture, &packet, &e) == 1) {
		assert_int_equal(big(packet.bytes + 36, 2), nr % 1000);
		assert_int_equal(big(packet.bytes + 46, 2), 100 + nr % 3);
		assert_int_equal(big(packet.bytes + 48, 4), nr / 3);
		if (kind == PACE_EVEN)
			assert_int_equal(packet.time_ns, nr * 1000);
		nr++;
	}
	assert_int_equal(nr, 1009);
	capture_close(capture);
	mix_free(mix);
}

static void threads_that_share_a_stream_take_its_packets_in_turn(void **state)
{
	(void)state;
	check_shared(PACE_EVEN);
	check_shared(PACE_MAX);
}

static void streams_without_slots_fill_the_link_around_those_with(void **state)
{
	struct mix *mix = some_mix(2);
	uint64_t nr = 0, paced = 0, last_ns = 0;
	struct capture_packet packet;
	struct capture *capture;
	struct err e = { 0 };

	(void)state;
	mix->flows[1].pace.kind = PACE_MAX;
	assert_int_equal(save(mix, 1009, 0), 0);
	assert_int_equal(capture_open(&capture, path, &e), 0);
	while (capture_read(capture, &packet, &e) == 1) {
		nr++;
		assert_true(packet.time_ns >= last_ns);
		last_ns = packet.time_ns;
		if (packet.buf_bytes == 60)
			assert_int_equal(packet.time_ns, 1000 * paced++);
	}
	assert_int_equal(nr, 1009);
	/* 84 bytes of wire time each, one more where there is no slot: 67.2 and 68 ns */
	assert_in_range(last_ns, 1009 * 67, 1009 * 68);
	assert_int_equal(paced, last_ns / 1000 + 1);
	capture_close(capture);
	mix_free(mix);
}

static void a_file_that_cannot_be_written_is_an_error(void **state)
{
	struct mix *mix = some_mix(1);
	char right[sizeof(path)];

	(void)state;
	memcpy(right, path, sizeof(path));
	snprintf(path, sizeof(path), "/nonexistent/file.pcap");
	assert_true(save(mix, 3, 0) < 0);
	memcpy(path, right, sizeof(path));
	mix_free(mix);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_packet_has_its_slot_as_time_in_file_and_tag),
		cmocka_unit_test(threads_that_share_a_stream_take_its_packets_in_turn),
		cmocka_unit_test(streams_without_slots_fill_the_link_around_those_with),
		cmocka_unit_test(a_file_that_cannot_be_written_is_an_error),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
