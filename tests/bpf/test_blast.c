// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * blast_xdp: every frame is written whole, numbered, stamped, and sent in its slot.
 */
#include "harness.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include <bpf/bpf.h>
#include <linux/bpf.h>

#include "abi/gen.h"
#include "abi/hist.h"
#include "abi/stamp.h"

#include "blast_xdp.skel.h"

#define STREAM 0x1234

static struct blast_xdp_bpf *skel;
static enum stamp_clock stamp_clock;	/* of the next load */

static int load(void **state)
{
	(void)state;
	skel = blast_xdp_bpf__open();
	if (!skel)
		return -errno;
	skel->rodata->stamp_clock = stamp_clock;
	skel->rodata->tag_run = PACKET_RUN;
	bpf_map__set_max_entries(skel->maps.gen_recs, harness_cpus());
	bpf_map__set_max_entries(skel->maps.gen_lates, harness_cpus());
	bpf_program__set_autoload(skel->progs.live_refused, false);
	bpf_program__set_autoload(skel->progs.live_failed, false);
	return blast_xdp_bpf__load(skel);
}

static int unload(void **state)
{
	(void)state;
	blast_xdp_bpf__destroy(skel);
	skel = NULL;
	return 0;
}

static struct gen_rec read_rec(void)
{
	struct gen_rec rec;

	harness_read(skel->maps.gen_recs, harness_cpu(), &rec);
	return rec;
}

static void write_rec(const struct gen_rec *rec)
{
	uint32_t cpu = harness_cpu();

	assert_int_equal(bpf_map_update_elem(bpf_map__fd(skel->maps.gen_recs), &cpu, rec, BPF_ANY),
			 0);
}

/* 18 zero bytes add nothing to the UDP checksum: it is that of the frame with the tag left out. */
static void make_template(struct packet_frame *ret_frame, unsigned int version,
			  unsigned int vlans, size_t more_bytes)
{
	static const uint8_t zeros[PACKET_MAX_BYTES];
	struct packet_spec spec = {
		.version = version, .vlans = vlans, .dst_port = 9,
		.payload = zeros, .payload_bytes = 18 + more_bytes,
	};

	packet_build(ret_frame, &spec);
}

static void start(const struct packet_frame *frame, struct gen_rec *rec)
{
	size_t payload = frame->l4 + 8;

	rec->header_bytes = (uint16_t)(payload < 56 ? 56 : payload);
	if (rec->tag_offset)
		rec->tag_offset = (uint16_t)payload;
	rec->stream = STREAM;
	if (!rec->stamp_every)
		rec->stamp_every = 1;
	memcpy(rec->header, frame->bytes, GEN_HEADER_BYTES < frame->len ? GEN_HEADER_BYTES :
								       frame->len);
	write_rec(rec);
}

static uint64_t big_endian(const uint8_t *at, int bytes)
{
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | *at++;
	return value;
}

/* As the receiver left the page: other addresses, a smaller TTL, another tag. */
static void spoil(struct packet_frame *frame)
{
	size_t i;

	for (i = 0; i < frame->l4 + 8 + 18; i++)
		frame->bytes[i] ^= (uint8_t)(0xa5 + i);
}

static void expect_tag(const uint8_t *tag, uint32_t sequence, uint64_t low_ns, uint64_t high_ns)
{
	const uint64_t time_mask = 0xffffffffffff;

	assert_true(packet_tag_is_right(tag));
	assert_int_equal(big_endian(tag + 2, 2), PACKET_RUN);
	assert_int_equal(big_endian(tag + 4, 2), STREAM);
	assert_int_equal(big_endian(tag + 6, 4), sequence);
	assert_in_range(big_endian(tag + 10, 6), low_ns & time_mask, high_ns & time_mask);
}

static void writes_every_frame_whole(void **state)
{
	static const struct {
		unsigned int version, vlans;
		size_t more;
	} shapes[] = { { 4, 0, 0 }, { 4, 1, 0 }, { 6, 0, 0 }, { 6, 1, 0 }, { 4, 0, 1 },
		       { 6, 0, 1001 } };
	size_t shape;

	(void)state;
	for (shape = 0; shape < sizeof(shapes) / sizeof(shapes[0]); shape++) {
		struct gen_rec rec = { .tag_offset = 1 };
		struct packet_frame wanted, spoilt;
		struct harness_out out;
		uint32_t n;

		make_template(&wanted, shapes[shape].version, shapes[shape].vlans,
			      shapes[shape].more);
		start(&wanted, &rec);
		for (n = 0; n < 257; n++) {
			uint64_t before_ns = harness_mono_ns();
			size_t payload = wanted.l4 + 8;

			spoilt = wanted;
			spoil(&spoilt);
			harness_run(skel->progs.blast_xdp, spoilt.bytes, spoilt.len, &out);
			assert_int_equal(out.action, XDP_TX);
			assert_int_equal(out.len, wanted.len);
			assert_memory_equal(out.bytes, wanted.bytes, payload);
			expect_tag(out.bytes + payload, n, before_ns, harness_mono_ns());
			assert_memory_equal(out.bytes + payload + 18, wanted.bytes + payload + 18,
					    wanted.len - payload - 18);
			memcpy(spoilt.bytes, out.bytes, out.len);
			assert_true(packet_checksums_are_right(&spoilt));
		}
		assert_int_equal(read_rec().made, 257);
	}
}

/* Its headers are longer than those that are written into every frame. */
static void writes_the_tag_after_the_headers_of_a_tunnel(void **state)
{
	struct gen_rec rec = { .stamp_every = 1 };
	uint64_t before_ns = harness_mono_ns();
	struct packet_frame frame;
	struct harness_out out;

	(void)state;
	make_template(&frame, 6, 0, 200);
	start(&frame, &rec);
	rec.tag_offset = 132;
	write_rec(&rec);
	harness_run(skel->progs.blast_xdp, frame.bytes, frame.len, &out);
	assert_int_equal(out.action, XDP_TX);
	assert_int_equal(out.len, frame.len);
	assert_memory_equal(out.bytes, frame.bytes, 132);
	expect_tag(out.bytes + 132, 0, before_ns, harness_mono_ns());
	assert_memory_equal(out.bytes + 150, frame.bytes + 150, frame.len - 150);
}

static void stops_at_the_limit(void **state)
{
	struct gen_rec rec = { .tag_offset = 1, .limit = 3 };
	struct packet_frame frame;
	struct harness_out out;
	int i;

	(void)state;
	make_template(&frame, 4, 0, 0);
	start(&frame, &rec);
	for (i = 0; i < 7; i++) {
		harness_run(skel->progs.blast_xdp, frame.bytes, frame.len, &out);
		assert_int_equal(out.action, i < 3 ? XDP_TX : XDP_DROP);
	}
	assert_int_equal(read_rec().made, 3);
}

static void sends_without_a_tag(void **state)
{
	struct gen_rec rec = { 0 };
	struct packet_frame frame;
	struct harness_out out;

	(void)state;
	make_template(&frame, 4, 0, 0);
	start(&frame, &rec);
	harness_run(skel->progs.blast_xdp, frame.bytes, frame.len, &out);
	assert_int_equal(out.action, XDP_TX);
	assert_memory_equal(out.bytes, frame.bytes, frame.len);
	assert_int_equal(read_rec().first_mono_ns, 0);	/* no clock was read */
}

static void stamps_one_in_n(void **state)
{
	struct gen_rec rec = { .tag_offset = 1, .stamp_every = 5 };
	struct packet_frame frame;
	struct harness_out out;
	uint32_t n;

	(void)state;
	make_template(&frame, 4, 0, 0);
	start(&frame, &rec);
	for (n = 0; n < 23; n++) {
		harness_run(skel->progs.blast_xdp, frame.bytes, frame.len, &out);
		expect_tag(out.bytes + frame.l4 + 8, n, n % 5 ? 0 : 1,
			   n % 5 ? 0 : harness_mono_ns());
	}
}

/* The times that rates are computed from remain those of CLOCK_MONOTONIC. */
static void stamps_by_tai_when_asked(void **state)
{
	struct gen_rec rec = { .tag_offset = 1, .pace = { .kind = PACE_EVEN, .gap = 1 << PACE_FRAC_BITS } };
	struct packet_frame frame;
	struct harness_out out;
	uint64_t before_ns;

	if (!harness_has_tai())
		harness_cannot("tai-clock");
	blast_xdp_bpf__destroy(skel);
	stamp_clock = STAMP_TAI;
	assert_int_equal(load(state), 0);
	stamp_clock = STAMP_MONOTONIC;
	make_template(&frame, 4, 0, 0);
	start(&frame, &rec);
	before_ns = harness_tai_ns();
	harness_run(skel->progs.blast_xdp, frame.bytes, frame.len, &out);
	expect_tag(out.bytes + frame.l4 + 8, 0, before_ns, harness_tai_ns());
	assert_in_range(read_rec().last_mono_ns, 1, harness_mono_ns());
}

static void waits_for_its_slot(void **state)
{
	struct gen_rec rec = { .tag_offset = 1, .pace = { .kind = PACE_EVEN, .gap = 1000ull << PACE_FRAC_BITS } };
	struct packet_frame frame;
	struct harness_out out;

	(void)state;
	make_template(&frame, 4, 0, 0);
	rec.due.ns = harness_mono_ns() + 3600000000000ull;
	start(&frame, &rec);
	harness_run(skel->progs.blast_xdp, frame.bytes, frame.len, &out);
	assert_int_equal(out.action, XDP_DROP);
	harness_run(skel->progs.blast_xdp_slot, frame.bytes, frame.len, &out);
	assert_int_equal(out.action, XDP_DROP);
	assert_int_equal(read_rec().made, 0);
}

/* 0.3 ns above 1 us, from a slot in the past: after 1000 packets 300 ns must have come up. */
static void keeps_fractions_of_a_nanosecond(void **state)
{
	uint64_t start_ns = harness_mono_ns() - 1000000000;
	struct gen_rec rec = {
		.tag_offset = 1, .due.ns = start_ns,
		.pace = { .kind = PACE_EVEN, .gap = (uint64_t)(1000.3 * (1 << PACE_FRAC_BITS)) },
	};
	struct packet_frame frame;
	struct harness_out out;
	struct hist_rec late;
	int i;

	(void)state;
	make_template(&frame, 4, 0, 0);
	start(&frame, &rec);
	for (i = 0; i < 1000; i++) {
		harness_run(i % 2 ? skel->progs.blast_xdp : skel->progs.blast_xdp_slot,
			    frame.bytes, frame.len, &out);
		assert_int_equal(out.action, XDP_TX);
	}
	rec = read_rec();
	assert_in_range(rec.due.ns - start_ns, 1000299, 1000300);
	/* All were late, each by 1 s less its slots, and that is said. */
	harness_read(skel->maps.gen_lates, harness_cpu(), &late);
	assert_int_equal(late.count, 1000);
	assert_true(late.sum_ns > 1000 * 990000000ull);
	assert_true(late.max_ns >= late.sum_ns / 1000);
	assert_true(~late.not_min_ns >= 990000000 && ~late.not_min_ns <= late.sum_ns / 1000);
}

/* Sum of the 16-bit words of [from, to), which is even. */
static uint32_t sum_of(const uint8_t *bytes, size_t from, size_t to)
{
	uint32_t sum = 0;

	for (; from < to; from += 2)
		sum += (uint32_t)big_endian(bytes + from, 2);
	return sum;
}

static int reload_with_plan(const struct gen_plan *plan)
{
	int err;

	blast_xdp_bpf__destroy(skel);
	skel = blast_xdp_bpf__open();
	if (!skel)
		return -errno;
	memcpy((void *)&skel->rodata->plan, plan, sizeof(*plan));
	bpf_map__set_max_entries(skel->maps.gen_recs, harness_cpus());
	bpf_program__set_autoload(skel->progs.live_refused, false);
	bpf_program__set_autoload(skel->progs.live_failed, false);
	err = blast_xdp_bpf__load(skel);
	return err;
}

/*
 * Six fields of every kind and width in one UDP/IPv4 packet. What each value
 * must be is said in plain arithmetic; the checksums are recomputed from the bytes.
 */
static void changes_fields_and_mends_the_checksums(void **state)
{
	enum { DSCP, ID, SRC, DPORT, SPORT, PAYLOAD };
	struct gen_rec rec = { .number_first = 5, .number_step = 3 };
	struct gen_plan plan = {
		.nr_fields = 6,
		.nr_sums = 2,
		.list = { 11, 222, 3333 },
		.sums = { { .offset = 24 }, { .offset = 40, .udp = 1 } },
		.fields = {
			[DSCP] = { .offset = 14, .bytes = 2, .mask = 0x00fc, .shift = 2,
				   .span = 64, .step = 1, .every = 10, .sums = 1 },
			[ID] = { .offset = 18, .bytes = 2, .mask = 0xffff, .kind = FIELD_RANDOM,
				 .first = 1000, .span = 50, .seed = 7, .every = 1, .sums = 1 },
			[SRC] = { .offset = 26, .bytes = 4, .mask = 0x0000ffff, .span = 65536,
				  .step = 1, .every = 1, .sums = 3 },
			[DPORT] = { .offset = 36, .bytes = 2, .mask = 0xffff, .first = 5999,
				    .span = 1000, .step = -1ull, .every = 1, .sums = 2 },
			[SPORT] = { .offset = 34, .bytes = 2, .mask = 0xffff, .kind = FIELD_LIST,
				    .span = 3, .every = 1, .sums = 2 },
			[PAYLOAD] = { .offset = 42, .bytes = 8, .mask = -1ull, .step = 1ull << 40,
				      .every = 1, .sums = 2 },
		},
	};
	struct packet_frame frame, spoilt;
	struct harness_out out;
	bool random_moves = false;
	uint64_t i, id = 0;

	(void)state;
	make_template(&frame, 4, 0, 0);
	memset(frame.bytes + 28, 0, 2);			/* the bits that change count as 0 */
	memset(frame.bytes + 34, 0, 4);
	memset(frame.bytes + 18, 0, 2);
	frame.bytes[15] &= 3;
	plan.sum_base[0] = sum_of(frame.bytes, 14, 24) + sum_of(frame.bytes, 26, 34);
	plan.sum_base[1] = sum_of(frame.bytes, 26, 40) + sum_of(frame.bytes, 42, 60) + 17 +
			   (60 - 34);
	assert_int_equal(reload_with_plan(&plan), 0);
	start(&frame, &rec);
	for (i = 0; i < 3001; i++) {
		uint64_t number = 5 + 3 * i;
		const uint8_t *b = out.bytes;

		spoilt = frame;
		spoil(&spoilt);
		memcpy(spoilt.bytes + 56, frame.bytes + 56, 4);	/* after the header: not rewritten */
		harness_run(skel->progs.blast_xdp, spoilt.bytes, spoilt.len, &out);
		assert_int_equal(out.action, XDP_TX);
		assert_int_equal(b[15], (number / 10 % 64) << 2 | (frame.bytes[15] & 3));
		assert_in_range(big_endian(b + 18, 2), 1000, 1049);
		random_moves |= i && big_endian(b + 18, 2) != id;
		id = big_endian(b + 18, 2);
		assert_int_equal(big_endian(b + 26, 4),
				 (big_endian(frame.bytes + 26, 2) << 16) | (number & 0xffff));
		assert_int_equal(big_endian(b + 34, 2), plan.list[number % 3]);
		assert_int_equal(big_endian(b + 36, 2), 5999 - number % 1000);
		assert_int_equal(big_endian(b + 42, 8), number << 40);
		memcpy(spoilt.bytes, b, out.len);
		assert_true(packet_checksums_are_right(&spoilt));
	}
	assert_true(random_moves);
}

int test_blast(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, load, unload)
	const struct CMUnitTest tests[] = {
		T(writes_every_frame_whole),
		T(writes_the_tag_after_the_headers_of_a_tunnel),
		T(stops_at_the_limit),
		T(sends_without_a_tag),
		T(stamps_one_in_n),
		T(stamps_by_tai_when_asked),
		T(waits_for_its_slot),
		T(keeps_fractions_of_a_nanosecond),
		T(changes_fields_and_mends_the_checksums),
	};
#undef T

	return cmocka_run_group_tests_name("blast_xdp", tests, NULL, NULL);
}
