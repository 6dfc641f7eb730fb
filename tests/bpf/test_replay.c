// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * replay_xdp: the packets of the map leave whole, in order, in their slots, pass after pass.
 */
#include "harness.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <linux/bpf.h>

#include "abi/replay.h"
#include "abi/tag.h"

#include "replay_xdp.skel.h"

#define STREAM 0x1234
#define LONG_NS 10000000000ull	/* a machine has been up for twice that */
#define ARENA_BYTES (64 << 10)

static struct replay_xdp_bpf *skel;
static uint8_t arena[ARENA_BYTES];
static uint64_t arena_used;

static int load_with(bool into_stack, uint64_t last)
{
	skel = replay_xdp_bpf__open();
	if (!skel)
		return -errno;
	skel->rodata->into_stack = into_stack;
	skel->rodata->tag_run = PACKET_RUN;
	skel->rodata->arena_last = last;
	bpf_map__set_value_size(skel->maps.replay_arena, ARENA_BYTES);
	bpf_program__set_autoload(skel->progs.live_refused, false);
	bpf_program__set_autoload(skel->progs.live_failed, false);
	return replay_xdp_bpf__load(skel);
}

static int load(void **state)
{
	(void)state;
	memset(arena, 0, sizeof(arena));
	arena_used = 0;
	return load_with(false, ARENA_BYTES - REPLAY_MAX_BYTES - sizeof(struct replay_rec));
}

static int unload(void **state)
{
	(void)state;
	replay_xdp_bpf__destroy(skel);
	skel = NULL;
	return 0;
}

static uint8_t byte_of(uint32_t packet, uint32_t i)
{
	return (uint8_t)(packet * 59 + i * 7 + (i >> 8) + 1);
}

static struct replay_rec *add(uint32_t packet, uint32_t buf_bytes, uint64_t slot_ns)
{
	struct replay_rec *rec = (struct replay_rec *)(arena + arena_used);
	uint32_t i;

	rec->buf_bytes = (uint16_t)buf_bytes;
	rec->slot_ns = slot_ns;
	for (i = 0; i < buf_bytes; i++)
		rec->bytes[i] = byte_of(packet, i);
	arena_used += replay_rec_size(buf_bytes);
	assert_true(arena_used <= ARENA_BYTES - REPLAY_MAX_BYTES);
	return rec;
}

static struct replay_run *start(void)
{
	uint32_t zero = 0;

	assert_int_equal(bpf_map_update_elem(bpf_map__fd(skel->maps.replay_arena), &zero, arena,
					     BPF_ANY), 0);
	memset(&skel->bss->run, 0, sizeof(skel->bss->run));
	skel->bss->run.pass_bytes = arena_used;
	skel->bss->run.stamp_every = 1;
	skel->bss->run.stream = STREAM;
	return &skel->bss->run;
}

/* A page as another packet left it. */
static void run(const struct bpf_program *prog, size_t len, struct harness_out *ret_out)
{
	uint8_t page[HARNESS_LINEAR_BYTES];

	memset(page, 0xee, sizeof(page));
	harness_run(prog, page, len, ret_out);
}

static void expect_packet(const struct harness_out *out, uint32_t packet, uint32_t buf_bytes)
{
	uint32_t i;

	assert_int_equal(out->action, XDP_TX);
	assert_int_equal(out->len, buf_bytes);
	for (i = 0; i < buf_bytes; i++)
		assert_int_equal(out->bytes[i], byte_of(packet, i));
}

static const uint32_t sizes[] = {
	14, 2999, 42, 55, 56, 57, 60, 63, 64, 71, 72, 73, 119, 120, 121, 594, 1514, 61,
};

#define NR_SIZES (sizeof(sizes) / sizeof(sizes[0]))

static void sends_each_packet_whole_pass_after_pass(void **state)
{
	struct replay_run *counts;
	struct harness_out out;
	uint64_t bytes = 0;
	uint32_t n, i;

	(void)state;
	for (i = 0; i < NR_SIZES; i++)
		add(i, sizes[i], 0);
	counts = start();
	for (n = 0; n < 3 * NR_SIZES; n++) {
		i = n % NR_SIZES;
		run(skel->progs.replay_xdp, 2999, &out);
		expect_packet(&out, i, sizes[i]);
		bytes += sizes[i];
		assert_int_equal(counts->made, n + 1);
		assert_int_equal(counts->made_bytes, bytes);
	}
	assert_int_equal(counts->at, 0);
	assert_int_equal(counts->skipped + counts->tagged + counts->late_sum_ns, 0);
}

static void stops_at_the_limit(void **state)
{
	struct replay_run *counts;
	struct harness_out out;
	uint32_t n;

	(void)state;
	add(0, 60, 0);
	add(1, 77, 0);
	counts = start();
	counts->limit = 5;
	for (n = 0; n < 5; n++) {
		run(skel->progs.replay_xdp, 77, &out);
		expect_packet(&out, n % 2, n % 2 ? 77 : 60);
	}
	run(skel->progs.replay_xdp, 77, &out);
	assert_int_equal(out.action, XDP_DROP);
	run(skel->progs.replay_xdp_slot, 77, &out);
	assert_int_equal(out.action, XDP_DROP);
	assert_int_equal(counts->made, 5);
}

static void counts_what_the_file_has_beside_its_packets(void **state)
{
	struct replay_run *counts;
	struct harness_out out;
	uint32_t n;

	(void)state;
	add(0, 60, 0)->skipped_before = 3;
	add(1, 60, 0);
	add(2, 60, 0)->skipped_before = 70000;
	counts = start();
	counts->skipped_behind = 11;
	for (n = 0; n < 5; n++)
		run(skel->progs.replay_xdp, 60, &out);
	assert_int_equal(counts->skipped, 3 + 70000 + 11 + 3);
}

static void waits_for_its_slot(void **state)
{
	struct replay_run *counts;
	struct harness_out out;

	(void)state;
	add(0, 60, 0);
	add(1, 60, 2 * LONG_NS);
	counts = start();
	counts->paced = 1;
	counts->start.ns = harness_mono_ns() - LONG_NS;
	run(skel->progs.replay_xdp, 60, &out);
	expect_packet(&out, 0, 60);
	assert_true(counts->late_max_ns >= LONG_NS && counts->late_sum_ns == counts->late_max_ns);
	assert_int_equal(counts->last_slot_ns, counts->start.ns);
	assert_true(counts->first_mono_ns && counts->first_mono_ns == counts->last_mono_ns);
	run(skel->progs.replay_xdp, 60, &out);
	assert_int_equal(out.action, XDP_DROP);
	run(skel->progs.replay_xdp_slot, 60, &out);
	assert_int_equal(out.action, XDP_DROP);
	assert_int_equal(counts->made, 1);
	/* A slot that is near is waited for inside. */
	counts->start.ns = harness_mono_ns() - 2 * LONG_NS + 1000;
	run(skel->progs.replay_xdp_slot, 60, &out);
	expect_packet(&out, 1, 60);
	assert_true(counts->last_mono_ns >= counts->last_slot_ns);
}

/* 0.3 ns above 1 us from pass to pass: after 1000 of them 300 ns must have come up. */
static void keeps_fractions_of_a_nanosecond(void **state)
{
	uint64_t start_ns = harness_mono_ns() - LONG_NS;
	struct replay_run *counts;
	struct harness_out out;
	int i;

	(void)state;
	add(0, 60, 7);
	add(1, 60, 500);
	counts = start();
	counts->paced = 1;
	counts->start.ns = start_ns;
	counts->pass.ns = 1000;
	counts->pass.frac = (uint32_t)(0.3 * (1u << PACE_FRAC_BITS));
	for (i = 0; i < 2001; i++)
		run(i % 3 ? skel->progs.replay_xdp : skel->progs.replay_xdp_slot, 60, &out);
	assert_int_equal(counts->made, 2001);
	assert_in_range(counts->last_slot_ns - start_ns, 1000299 + 7, 1000300 + 7);
}

static void ends_before_a_slot_after_the_end(void **state)
{
	struct replay_run *counts;
	struct harness_out out;

	(void)state;
	add(0, 60, 0);
	add(1, 60, 1000);
	counts = start();
	counts->paced = 1;
	counts->start.ns = harness_mono_ns() - LONG_NS;
	counts->pass.ns = 2000;
	counts->end_ns = counts->start.ns + 3000;
	while (counts->made < 3) {
		run(skel->progs.replay_xdp, 60, &out);
		assert_int_equal(out.action, XDP_TX);
	}
	assert_int_equal(counts->ended, 0);
	run(skel->progs.replay_xdp_slot, 60, &out);
	assert_int_equal(out.action, XDP_DROP);
	assert_int_equal(counts->ended, 1);
	run(skel->progs.replay_xdp, 60, &out);
	assert_int_equal(out.action, XDP_DROP);
	assert_int_equal(counts->made, 3);
}

static uint64_t big_endian(const uint8_t *at, int bytes)
{
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | *at++;
	return value;
}

/* Every second packet has a place for the tag; its sequence counts those alone. */
static void tags_what_can_carry_it(void **state)
{
	struct replay_run *counts;
	struct harness_out out;
	uint64_t before_ns;
	uint32_t n, i;

	(void)state;
	add(0, 60, 0)->tag_offset = 42;
	add(1, 60, 0);
	add(2, 1514, 0)->tag_offset = 1496;
	add(3, 60, 0);
	counts = start();
	counts->stamp_every = 3;
	for (n = 0; n < 22; n++) {
		uint32_t at = n % 4 ? 1496 : 42, len = n % 4 == 2 ? 1514 : 60;

		before_ns = harness_mono_ns();
		run(skel->progs.replay_xdp, 1514, &out);
		if (n % 2) {
			expect_packet(&out, n % 4, 60);
			continue;
		}
		assert_int_equal(out.len, len);
		for (i = 0; i < len; i++) {
			if (i < at || i >= at + 18)
				assert_int_equal(out.bytes[i], byte_of(n % 4, i));
		}
		assert_true(packet_tag_is_right(out.bytes + at));
		assert_int_equal(big_endian(out.bytes + at + 2, 2), PACKET_RUN);
		assert_int_equal(big_endian(out.bytes + at + 4, 2), STREAM);
		assert_int_equal(big_endian(out.bytes + at + 6, 4), n / 2);
		assert_in_range(big_endian(out.bytes + at + 10, 6), n / 2 % 3 ? 0 : before_ns,
				n / 2 % 3 ? 0 : harness_mono_ns());
	}
	assert_int_equal(counts->tagged, 11);
}

static void hands_packets_to_this_host_if_asked(void **state)
{
	struct harness_out out;

	unload(state);
	assert_int_equal(load_with(true, 4096), 0);
	add(0, 60, 0);
	start();
	run(skel->progs.replay_xdp, 60, &out);
	assert_int_equal(out.action, XDP_PASS);
}

static void sends_nothing_that_cannot_be(void **state)
{
	struct replay_run *counts;
	struct harness_out out;

	(void)state;
	add(0, 13, 0);
	counts = start();
	run(skel->progs.replay_xdp, 60, &out);
	assert_int_equal(out.action, XDP_ABORTED);
	((struct replay_rec *)arena)->buf_bytes = REPLAY_MAX_BYTES + 1;
	counts = start();
	run(skel->progs.replay_xdp, 60, &out);
	assert_int_equal(out.action, XDP_ABORTED);
	counts->at = ARENA_BYTES;
	run(skel->progs.replay_xdp, 60, &out);
	assert_int_equal(out.action, XDP_DROP);
	assert_int_equal(counts->made, 0);
}

int test_replay(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, load, unload)
	const struct CMUnitTest tests[] = {
		T(sends_each_packet_whole_pass_after_pass),
		T(stops_at_the_limit),
		T(counts_what_the_file_has_beside_its_packets),
		T(waits_for_its_slot),
		T(keeps_fractions_of_a_nanosecond),
		T(ends_before_a_slot_after_the_end),
		T(tags_what_can_carry_it),
		T(hands_packets_to_this_host_if_asked),
		T(sends_nothing_that_cannot_be),
	};
#undef T

	/* As the live frames that it is made for, bpf_xdp_store_bytes() came with 5.18. */
	if (!harness_has_frags())
		return harness_skip_group("replay_xdp");
	return cmocka_run_group_tests_name("replay_xdp", tests, NULL, NULL);
}
