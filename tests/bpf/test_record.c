// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sink_xdp: the record of each packet, read by libbpf's own reader of the ring.
 */
#include "harness.h"

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <string.h>

#include <linux/bpf.h>

#include "abi/record.h"
#include "abi/sink.h"
#include "abi/tag.h"

#include "sink_xdp.skel.h"

#define STREAMS		3
#define PORT		9
#define RING_BYTES	4096
#define RING_RECORDS	(RING_BYTES / (sizeof(struct record) + 8))

static struct sink_xdp_bpf *skel;
static struct ring_buffer *reader;
static struct record seen[256];
static unsigned int nr_seen;

static int on_record(void *ctx, void *data, size_t bytes)
{
	(void)ctx;
	assert_int_equal(bytes, sizeof(struct record));
	assert_true(nr_seen < sizeof(seen) / sizeof(seen[0]));
	memcpy(&seen[nr_seen++], data, bytes);
	return 0;
}

static void load(uint32_t every)
{
	const struct sink_cfg cfg = {
		.port = htons(PORT), .match = SINK_MATCH_DEST, .check = 1, .streams = STREAMS,
		.pdv_streams = 1,
	};

	skel = harness_open_sink(false);
	assert_non_null(skel);
	memcpy((void *)&skel->rodata->cfg, &cfg, sizeof(cfg));
	skel->rodata->record_every = every;
	skel->rodata->intact_l4 = 1;
	skel->rodata->verify_payload = 1;
	packet_pattern((void *)skel->rodata->payload_words, sizeof(skel->rodata->payload_words));
	bpf_map__set_max_entries(skel->maps.sink_recs, harness_cpus() * (STREAMS + 1));
	bpf_map__set_max_entries(skel->maps.sink_hists, harness_cpus() * STREAMS);
	bpf_map__set_max_entries(skel->maps.pdvs, harness_cpus());
	bpf_map__set_max_entries(skel->maps.sink_cpus, harness_cpus());
	bpf_map__set_max_entries(skel->maps.sink_seqs, STREAMS);
	bpf_map__set_max_entries(skel->maps.sink_orders, STREAMS);
	bpf_map__set_max_entries(skel->maps.sink_rings, STREAMS);
	bpf_map__set_max_entries(skel->maps.sink_records, RING_BYTES);
	assert_int_equal(sink_xdp_bpf__load(skel), 0);
	reader = ring_buffer__new(bpf_map__fd(skel->maps.sink_records), on_record, NULL, NULL);
	assert_non_null(reader);
	nr_seen = 0;
}

static int unload(void **state)
{
	(void)state;
	ring_buffer__free(reader);
	sink_xdp_bpf__destroy(skel);
	reader = NULL;
	skel = NULL;
	return 0;
}

static void send_tag_as(const uint8_t tag[18], uint8_t damage)
{
	struct packet_spec spec = { .dst_port = PORT, .payload = tag, .payload_bytes = TAG_BYTES };
	struct packet_frame frame;
	struct harness_out out;

	packet_build(&frame, &spec);
	frame.bytes[frame.l4 + 7] ^= damage;
	harness_run(skel->progs.sink_xdp, frame.bytes, frame.len, &out);
	assert_int_equal(out.action, XDP_DROP);
}

/* With one byte after the tag. */
static void send_payload(const uint8_t tag[18], uint8_t byte)
{
	uint8_t payload[TAG_BYTES + 1];
	struct packet_spec spec = { .dst_port = PORT, .payload = payload, .payload_bytes = sizeof(payload) };
	struct packet_frame frame;
	struct harness_out out;

	memcpy(payload, tag, TAG_BYTES);
	payload[TAG_BYTES] = byte;
	packet_build(&frame, &spec);
	harness_run(skel->progs.sink_xdp, frame.bytes, frame.len, &out);
}

static void send_tag(const uint8_t tag[18])
{
	send_tag_as(tag, 0);
}

static void arrive_of(uint16_t run, uint16_t stream, uint32_t sequence, uint64_t sent_ns)
{
	uint8_t tag[TAG_BYTES];

	packet_tag(tag, run, stream, sequence, sent_ns);
	send_tag(tag);
}

static void arrive(uint16_t stream, uint32_t sequence, uint64_t sent_ns)
{
	arrive_of(PACKET_RUN, stream, sequence, sent_ns);
}

static uint64_t not_recorded(void)
{
	struct sink_cpu cpu;

	harness_read(skel->maps.sink_cpus, harness_cpu(), &cpu);
	return cpu.odd.not_recorded;
}

static void assert_seen(unsigned int i, uint16_t stream, uint64_t sequence, enum record_kind kind)
{
	assert_true(i < nr_seen);
	assert_int_equal(seen[i].stream, stream);
	assert_int_equal(seen[i].sequence, sequence);
	assert_int_equal(seen[i].kind, kind);
}

static void leaves_none_unless_asked(void **state)
{
	(void)state;
	load(0);
	arrive(0, 0, 1);
	assert_int_equal(ring_buffer__consume(reader), 0);
	assert_int_equal(not_recorded(), 0);
}

static void tells_times_bytes_and_place(void **state)
{
	uint64_t from_ns, to_ns;

	(void)state;
	load(1);
	from_ns = harness_mono_ns();
	arrive(2, 7, from_ns - 12345);
	arrive(2, 8, 0);
	to_ns = harness_mono_ns();
	assert_int_equal(ring_buffer__consume(reader), 2);
	assert_seen(0, 2, 7, RECORD_IN_ORDER);
	assert_seen(1, 2, 8, RECORD_IN_ORDER);
	assert_int_equal(seen[0].sent_ns, from_ns - 12345);
	assert_int_equal(seen[1].sent_ns, 0);
	assert_true(from_ns <= seen[0].received_ns);
	assert_true(seen[0].received_ns <= seen[1].received_ns);
	assert_true(seen[1].received_ns <= to_ns);
	assert_int_equal(seen[0].bytes, 14 + 20 + 8 + 18);
	assert_int_equal(seen[0].cpu, harness_cpu());
	assert_int_equal(seen[0].queue, 0);
}

static void tells_what_became_of_the_sequence(void **state)
{
	(void)state;
	load(1);
	arrive(0, 0, 1);
	arrive(0, 3, 4);
	arrive(0, 2, 3);
	arrive(0, 2, 3);
	arrive(0, 9000, 5);
	arrive(0, 9001, 5);		/* confirms it */
	arrive(0, 1, 2);		/* below the window */
	arrive_of(PACKET_RUN + 1, 0, 5, 6);
	arrive_of(PACKET_RUN + 1, 0, 6, 6);
	arrive(0, 8999, 4);		/* left over from the run before */
	arrive(1, 5, 0);
	assert_int_equal(ring_buffer__consume(reader), 11);
	assert_seen(0, 0, 0, RECORD_IN_ORDER);
	assert_seen(1, 0, 3, RECORD_IN_ORDER);
	assert_seen(2, 0, 2, RECORD_LATE);
	assert_seen(3, 0, 2, RECORD_DUPLICATE);
	assert_seen(4, 0, 9000, RECORD_UNCONFIRMED);
	assert_seen(5, 0, 9001, RECORD_IN_ORDER);
	assert_seen(6, 0, 1, RECORD_UNKNOWN);
	assert_seen(7, 0, 5, RECORD_UNCONFIRMED);
	assert_seen(8, 0, 6, RECORD_RESTART);
	assert_int_equal(seen[9].kind, RECORD_OTHER_RUN);
	assert_seen(10, 1, 5, RECORD_IN_ORDER);
}

static void widens_a_sequence_that_wraps(void **state)
{
	(void)state;
	load(1);
	arrive(0, 0xfffffffe, 0);
	arrive(0, 1, 0);
	arrive(0, 0xffffffff, 0);
	arrive(0, 0, 0);
	assert_int_equal(ring_buffer__consume(reader), 4);
	assert_seen(0, 0, 0xfffffffe, RECORD_IN_ORDER);
	assert_seen(1, 0, 0x100000001, RECORD_IN_ORDER);
	assert_seen(2, 0, 0xffffffff, RECORD_LATE);
	assert_seen(3, 0, 0x100000000, RECORD_LATE);
}

static void records_what_cannot_be_checked_as_such(void **state)
{
	static const uint8_t untagged[TAG_BYTES];
	uint8_t tag[TAG_BYTES];

	(void)state;
	load(1);
	send_tag(untagged);
	arrive(STREAMS, 17, 5);
	packet_tag(tag, PACKET_RUN, 1, 17, 5);
	send_tag_as(tag, 1);
	packet_tag(tag, PACKET_RUN, 2, 19, 5);
	send_payload(tag, 0xa5);
	assert_int_equal(ring_buffer__consume(reader), 4);
	assert_int_equal(seen[0].kind, RECORD_UNTAGGED);
	assert_int_equal(seen[0].sent_ns, 0);
	assert_true(seen[0].received_ns > 0);
	assert_seen(1, STREAMS, 17, RECORD_OTHER_STREAM);
	assert_int_equal(seen[2].kind, RECORD_DAMAGED);
	assert_int_equal(seen[2].sent_ns, 0);
	assert_true(seen[2].received_ns > 0);
	assert_seen(3, 2, 19, RECORD_BAD_PAYLOAD);
	assert_true(seen[3].sent_ns > 0);
}

static void thins_out_by_the_sequence(void **state)
{
	uint32_t i;

	(void)state;
	load(7);
	for (i = 0; i < 101; i++)
		arrive(0, i, i + 1);
	assert_int_equal(ring_buffer__consume(reader), 15);
	for (i = 0; i < 15; i++)
		assert_seen(i, 0, 7 * i, RECORD_IN_ORDER);
	assert_int_equal(not_recorded(), 0);
}

static void counts_what_finds_no_room(void **state)
{
	uint32_t i;

	(void)state;
	load(1);
	for (i = 0; i < 211; i++)
		arrive(0, i, i + 1);
	assert_int_equal(not_recorded(), 211 - RING_RECORDS);
	assert_int_equal(ring_buffer__consume(reader), RING_RECORDS);
	for (i = 0; i < RING_RECORDS; i++)
		assert_seen(i, 0, i, RECORD_IN_ORDER);
	/* There is room again. */
	arrive(0, 211, 212);
	assert_int_equal(ring_buffer__consume(reader), 1);
	assert_seen(RING_RECORDS, 0, 211, RECORD_IN_ORDER);
	assert_int_equal(not_recorded(), 211 - RING_RECORDS);
}

int test_record(void)
{
#define T(f) cmocka_unit_test_teardown(f, unload)
	const struct CMUnitTest tests[] = {
		T(leaves_none_unless_asked),
		T(tells_times_bytes_and_place),
		T(tells_what_became_of_the_sequence),
		T(widens_a_sequence_that_wraps),
		T(records_what_cannot_be_checked_as_such),
		T(thins_out_by_the_sequence),
		T(counts_what_finds_no_room),
	};
#undef T

	return cmocka_run_group_tests_name("sink_xdp records", tests, NULL, NULL);
}
