// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * impair_xdp and impair_tc: what each action makes of the bytes of a packet, and
 * which packets the rules and the filter take.
 */
#include "harness.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <linux/bpf.h>
#include <linux/pkt_cls.h>

#include "abi/impair.h"
#include "proto/fragment.h"

#include "impair_tc.skel.h"
#include "impair_xdp.skel.h"

#define SEED		0x1234567890abcdefull
#define NR_PACKETS	2003
#define EVENTS_BYTES	(1 << 16)
#define ONE		(1ull << 32)

static struct impair_xdp_bpf *skel;
static struct impair_tc_bpf *tc;

static struct impair_plan plan_of(const struct impair_rule *rules, uint8_t nr)
{
	struct impair_plan plan = { .seed = SEED, .nr_rules = nr };

	memcpy(plan.rules, rules, nr * sizeof(*rules));
	return plan;
}

static void unload(void)
{
	impair_xdp_bpf__destroy(skel);
	impair_tc_bpf__destroy(tc);
	skel = NULL;
	tc = NULL;
}

static int release(void **state)
{
	(void)state;
	unload();
	return 0;
}

static void load_frags(const struct impair_plan *plan, bool frags)
{
	unload();
	skel = impair_xdp_bpf__open();
	assert_non_null(skel);
	memcpy((void *)&skel->rodata->plan, plan, sizeof(*plan));
	bpf_program__set_autoload(skel->progs.impair_refused, false);
	bpf_program__set_autoload(skel->progs.impair_failed, false);
	bpf_map__set_max_entries(skel->maps.impair_recs, harness_cpus());
	bpf_map__set_max_entries(skel->maps.impair_lists, 64);
	bpf_map__set_max_entries(skel->maps.impair_events, EVENTS_BYTES);
	skel->rodata->has_frags = frags;
	if (frags)
		harness_set_frags(skel->obj);
	assert_int_equal(impair_xdp_bpf__load(skel), 0);
}

static void load(const struct impair_plan *plan)
{
	load_frags(plan, false);
}

/* Packets come out with their fate in front. */
static void load_to_user(struct impair_plan *plan)
{
	plan->to_user = 1;
	load(plan);
	if (!harness_has_context(skel->progs.impair_xdp))
		harness_cannot("xdp-context");
	/* The question counts as a packet. */
	load(plan);
}

static void load_tc(const struct impair_plan *plan)
{
	unload();
	tc = impair_tc_bpf__open();
	assert_non_null(tc);
	memcpy((void *)&tc->rodata->plan, plan, sizeof(*plan));
	bpf_map__set_max_entries(tc->maps.impair_recs, harness_cpus());
	assert_int_equal(impair_tc_bpf__load(tc), 0);
}

static void load_rule(struct impair_rule rule)
{
	struct impair_plan plan = plan_of(&rule, 1);

	load(&plan);
}

static struct impair_rec read_rec(void)
{
	struct impair_rec rec;

	harness_read(skel ? skel->maps.impair_recs : tc->maps.impair_recs, harness_cpu(), &rec);
	return rec;
}

static int run(const struct packet_frame *frame, struct harness_out *ret_out)
{
	harness_run(skel ? skel->progs.impair_xdp : tc->progs.impair_tc, frame->bytes, frame->len,
		    ret_out);
	return ret_out->action;
}

static void build(struct packet_frame *ret_frame, size_t payload_bytes, unsigned int version)
{
	const struct packet_spec spec = { .payload_bytes = payload_bytes, .version = version };

	packet_build(ret_frame, &spec);
}

/* splitmix64, written again from its definition. */
static uint64_t draw(uint64_t rule, uint64_t draw, uint64_t ordinal)
{
	uint64_t z = SEED + (rule << 40) + (draw << 48) + ordinal * 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

static unsigned int bits_that_differ(const uint8_t *a, const uint8_t *b, size_t from, size_t to)
{
	unsigned int nr = 0;

	for (; from < to; from++)
		nr += (unsigned int)__builtin_popcount(a[from] ^ b[from]);
	return nr;
}

static void no_rule_hands_on_untouched(void **state)
{
	const struct impair_plan plan = { .seed = SEED };
	struct packet_frame frame;
	struct harness_out out;

	(void)state;
	build(&frame, 18, 4);
	load(&plan);
	assert_int_equal(run(&frame, &out), XDP_PASS);
	assert_true(harness_untouched(&out, frame.bytes, frame.len));
	assert_int_equal(read_rec().unmatched, 1);
	assert_int_equal(read_rec().seen, 0);
}

static void every_nth_is_lost_from_its_phase_on(void **state)
{
	struct packet_frame frame;
	struct harness_out out;
	int i;

	(void)state;
	build(&frame, 18, 4);
	load_rule((struct impair_rule){ .kind = IMPAIR_LOSS, .every = 7, .phase = 3 });
	for (i = 0; i < 101; i++)
		assert_int_equal(run(&frame, &out), i % 7 == 3 ? XDP_DROP : XDP_PASS);
	assert_int_equal(read_rec().seen, 101);
	assert_int_equal(read_rec().lost, 14);
	assert_int_equal(read_rec().passed, 87);
	assert_int_equal(read_rec().seen_bytes, 101 * frame.len);
}

static void random_losses_are_those_of_the_seed(void **state)
{
	struct packet_frame frame;
	struct harness_out out;
	uint64_t i;

	(void)state;
	build(&frame, 18, 4);
	load_rule((struct impair_rule){ .kind = IMPAIR_LOSS, .pick = IMPAIR_RANDOM, .p = ONE / 10 });
	for (i = 0; i < NR_PACKETS; i++)
		assert_int_equal(run(&frame, &out), draw(0, 0, i) >> 32 < ONE / 10 ? XDP_DROP :
								      XDP_PASS);
	assert_in_range(read_rec().lost, NR_PACKETS / 20, NR_PACKETS / 5);
}

static void certainty_takes_all_and_impossibility_none(void **state)
{
	struct packet_frame frame;
	struct harness_out out;
	int i;

	(void)state;
	build(&frame, 18, 4);
	load_rule((struct impair_rule){ .kind = IMPAIR_LOSS, .pick = IMPAIR_RANDOM, .p = ONE });
	for (i = 0; i < 101; i++)
		assert_int_equal(run(&frame, &out), XDP_DROP);
	load_rule((struct impair_rule){ .kind = IMPAIR_LOSS, .pick = IMPAIR_RANDOM, .p = 0 });
	for (i = 0; i < 101; i++)
		assert_int_equal(run(&frame, &out), XDP_PASS);
}

static void a_chain_moves_before_it_takes_and_begins_good(void **state)
{
	const uint64_t p = ONE / 20, r = ONE / 4, bad = ONE / 10 * 9, good = ONE / 100;
	struct packet_frame frame;
	struct harness_out out;
	int is_bad = 0;
	uint64_t i;

	(void)state;
	build(&frame, 18, 4);
	load_rule((struct impair_rule){ .kind = IMPAIR_LOSS, .pick = IMPAIR_GILBERT, .p = p, .r = r,
					.in_bad = bad, .in_good = good });
	for (i = 0; i < NR_PACKETS; i++) {
		if (draw(0, 1, i) >> 32 < (is_bad ? r : p))
			is_bad = !is_bad;
		assert_int_equal(run(&frame, &out),
				 draw(0, 0, i) >> 32 < (is_bad ? bad : good) ? XDP_DROP : XDP_PASS);
	}
	assert_in_range(read_rec().lost, NR_PACKETS / 12, NR_PACKETS / 3);
}

static void a_list_takes_what_it_names(void **state)
{
	const uint64_t listed[] = { 0, 3, 17, 99, 100 };
	struct packet_frame frame;
	struct harness_out out;
	uint64_t i, lost = 0;
	uint32_t rules = 1;

	(void)state;
	build(&frame, 18, 4);
	load_rule((struct impair_rule){ .kind = IMPAIR_LOSS, .pick = IMPAIR_LIST });
	for (i = 0; i < 5; i++)
		assert_int_equal(bpf_map_update_elem(bpf_map__fd(skel->maps.impair_lists), &listed[i],
						     &rules, 0), 0);
	for (i = 0; i < 103; i++) {
		bool named = i == 0 || i == 3 || i == 17 || i == 99 || i == 100;

		assert_int_equal(run(&frame, &out), named ? XDP_DROP : XDP_PASS);
		lost += named;
	}
	assert_int_equal(read_rec().lost, lost);
}

static void corrupt_bits(size_t payload_bytes, uint16_t offset, uint32_t bits)
{
	struct packet_frame frame;
	struct harness_out out;
	int i;

	build(&frame, payload_bytes, 4);
	for (i = 0; i < 211; i++) {
		assert_int_equal(run(&frame, &out), XDP_PASS);
		assert_int_equal(out.len, frame.len);
		assert_int_equal(bits_that_differ(out.bytes, frame.bytes, 0, offset), 0);
		assert_int_equal(bits_that_differ(out.bytes, frame.bytes, offset, frame.len), bits);
	}
}

static void the_given_number_of_bits_is_flipped_after_the_offset(void **state)
{
	static const uint32_t bits[] = { 1, 2, 7, IMPAIR_MAX_BITS };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bits) / sizeof(bits[0]); i++) {
		load_rule((struct impair_rule){ .kind = IMPAIR_CORRUPT, .every = 1, .arg = bits[i],
						.offset = 14 });
		corrupt_bits(18, 14, bits[i]);
		corrupt_bits(1472, 14, bits[i]);
		/* Of two bytes at the end 16 bits are all there are: every draw collides. */
		load_rule((struct impair_rule){ .kind = IMPAIR_CORRUPT, .every = 1, .arg = bits[i],
						.offset = 58 });
		corrupt_bits(18, 58, bits[i]);
	}
}

static void bits_are_flipped_evenly_and_the_first_is_reported(void **state)
{
	struct impair_rule rule = { .kind = IMPAIR_CORRUPT, .every = 1, .arg = 1, .offset = 56 };
	unsigned int hits[32] = { 0 }, nr = 0;
	struct packet_frame frame;
	struct harness_out out;
	uint64_t i;
	size_t bit;

	(void)state;
	build(&frame, 18, 4);
	load_rule(rule);
	for (i = 0; i < NR_PACKETS; i++) {
		run(&frame, &out);
		bit = (draw(0, 2, i) >> 32) * 32 >> 32;
		assert_int_equal(out.bytes[56 + bit / 8] ^ frame.bytes[56 + bit / 8], 0x80 >> bit % 8);
		hits[bit]++;
	}
	for (bit = 0; bit < 32; bit++) {
		assert_in_range(hits[bit], 25, 110);
		nr += hits[bit];
	}
	assert_int_equal(nr, NR_PACKETS);
}

static void a_frame_without_so_many_bits_stays_whole(void **state)
{
	struct packet_frame frame;
	struct harness_out out;

	(void)state;
	build(&frame, 18, 4);
	load_rule((struct impair_rule){ .kind = IMPAIR_CORRUPT, .every = 1, .arg = 9, .offset = 59 });
	assert_int_equal(run(&frame, &out), XDP_PASS);
	assert_true(harness_untouched(&out, frame.bytes, frame.len));
	assert_int_equal(read_rec().unable, 1);
	assert_int_equal(read_rec().done[IMPAIR_CORRUPT], 0);
	assert_int_equal(read_rec().passed, 1);
}

static void all_of_a_jumbo_frame_can_be_hit_and_cut(void **state)
{
	struct impair_rule rule = { .kind = IMPAIR_CORRUPT, .every = 1, .arg = 16, .offset = 14 };
	struct impair_plan plan = plan_of(&rule, 1);
	struct packet_frame frame;
	struct harness_out out;

	(void)state;
	if (!harness_has_frags())
		harness_cannot("multi-buffer");
	load_frags(&plan, true);
	corrupt_bits(8972, 14, 16);
	plan.rules[0].offset = 8900;
	load_frags(&plan, true);
	corrupt_bits(8972, 8900, 16);
	plan.rules[0] = (struct impair_rule){ .kind = IMPAIR_TRUNCATE, .every = 1, .arg = 1001 };
	load_frags(&plan, true);
	build(&frame, 8972, 4);
	run(&frame, &out);
	assert_int_equal(out.len, 1001);
	assert_int_equal(bits_that_differ(out.bytes, frame.bytes, 0, 1001), 0);
	plan.rules[0] = (struct impair_rule){ .kind = IMPAIR_CHECKSUM, .every = 1 };
	load_frags(&plan, true);
	run(&frame, &out);
	assert_int_equal(bits_that_differ(out.bytes, frame.bytes, 0, frame.len), 1);
}

/* Makes UDP's or TCP's checksum what a stack leaves to its NIC; returns the right one, computed anew. */
static uint16_t leave_open(struct packet_frame *frame, bool tcp)
{
	size_t at = frame->l4 + (tcp ? 16 : 6), addresses = frame->version == 4 ? 8 : 32;
	const uint8_t *source = frame->bytes + frame->l3 + (frame->version == 4 ? 12 : 8);
	uint16_t pseudo, check;

	/* The protocol, and no more of a TCP header than its place for the checksum. */
	frame->bytes[frame->l3 + (frame->version == 4 ? 9 : 6)] = tcp ? 6 : 17;
	pseudo = packet_sum(source, addresses, (uint32_t)(frame->ip_end - frame->l4) + (tcp ? 6 : 17));
	frame->bytes[at] = frame->bytes[at + 1] = 0;
	check = (uint16_t)~packet_sum(frame->bytes + frame->l4, frame->ip_end - frame->l4, pseudo);
	frame->bytes[at] = (uint8_t)(pseudo >> 8);
	frame->bytes[at + 1] = (uint8_t)pseudo;
	return check ? check : 0xffff;
}

static void completes(unsigned int version, size_t payload_bytes, bool tcp)
{
	struct packet_frame frame;
	struct harness_out out;
	uint64_t before = read_rec().completed;
	uint16_t check;
	size_t at;

	build(&frame, payload_bytes, version);
	at = frame.l4 + (tcp ? 16 : 6);
	check = leave_open(&frame, tcp);
	skel->bss->completes = IMPAIR_COMPLETE_NONE;
	run(&frame, &out);
	assert_true(harness_untouched(&out, frame.bytes, frame.len));
	/* This one matches nothing. */
	skel->bss->completes = IMPAIR_COMPLETE_MATCHED;
	run(&frame, &out);
	assert_true(harness_untouched(&out, frame.bytes, frame.len));
	skel->bss->completes = IMPAIR_COMPLETE_ALL;
	run(&frame, &out);
	assert_int_equal(out.bytes[at] << 8 | out.bytes[at + 1], check);
	assert_int_equal(read_rec().completed, before + 1);
	frame.bytes[at] = (uint8_t)(check >> 8);
	frame.bytes[at + 1] = (uint8_t)check;
	assert_memory_equal(out.bytes, frame.bytes, frame.len);
	/* Right, wrong and absent checksums stay. */
	run(&frame, &out);
	assert_true(harness_untouched(&out, frame.bytes, frame.len));
	frame.bytes[at] ^= 0x10;
	run(&frame, &out);
	assert_true(harness_untouched(&out, frame.bytes, frame.len));
	frame.bytes[at] = frame.bytes[at + 1] = 0;
	run(&frame, &out);
	assert_true(harness_untouched(&out, frame.bytes, frame.len));
	assert_int_equal(read_rec().completed, before + 1);
}

static void open_checksums_are_completed(void **state)
{
	const struct impair_plan plan = { .seed = SEED };
	static const size_t sizes[] = { 16, 17, 18, 101, 255, 256, 257, 1023, 1472 };
	unsigned int version;
	size_t i;

	(void)state;
	load(&plan);
	for (version = 4; version <= 6; version += 2) {
		for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			completes(version, sizes[i], false);
			completes(version, sizes[i], true);
		}
	}
	if (!harness_has_frags())
		return;
	load_frags(&plan, true);
	for (i = 8000; i < 8972; i += 107) {
		completes(4, i, false);
		completes(6, i - 20, true);
	}
}

/* The same frame with another checksum, and nothing else changed. */
static void check_is_wrong(const struct packet_frame *frame, size_t at)
{
	struct packet_frame changed = *frame;
	struct harness_out out;

	run(frame, &out);
	assert_int_equal(out.len, frame->len);
	memcpy(changed.bytes, out.bytes, out.len);
	assert_true(packet_checksums_are_right(frame));
	assert_false(packet_checksums_are_right(&changed));
	assert_int_equal(bits_that_differ(out.bytes, frame->bytes, 0, at), 0);
	assert_int_equal(bits_that_differ(out.bytes, frame->bytes, at + 2, frame->len), 0);
	assert_true(out.bytes[at] || out.bytes[at + 1]);
}

static void checksums_are_wrong(void)
{
	struct packet_frame frame;
	unsigned int version, payload;

	/* Payloads of every sum: the right checksum takes every value in its low byte. */
	for (version = 4; version <= 6; version += 2) {
		for (payload = 0; payload < 1031; payload++) {
			uint16_t word = htons((uint16_t)payload);
			struct packet_spec spec = { .version = version, .payload = &word,
						    .payload_bytes = 2 };

			packet_build(&frame, &spec);
			check_is_wrong(&frame, frame.l4 + 6);
			spec.echo = true;
			packet_build(&frame, &spec);
			check_is_wrong(&frame, frame.l4 + 2);
		}
	}
}

static void a_spoilt_checksum_is_never_right_and_never_absent(void **state)
{
	const struct impair_rule rule = { .kind = IMPAIR_CHECKSUM, .every = 1 };
	const struct impair_plan plan = plan_of(&rule, 1);

	(void)state;
	load(&plan);
	checksums_are_wrong();
	load_tc(&plan);
	checksums_are_wrong();
}

/* A UDP checksum of 1 must not become 0, which says that there is none. */
static void udp_checksum_1_does_not_become_none(void **state)
{
	struct packet_frame frame;
	struct harness_out out;

	(void)state;
	build(&frame, 18, 4);
	load_rule((struct impair_rule){ .kind = IMPAIR_CHECKSUM, .every = 1 });
	frame.bytes[frame.l4 + 6] = 0;
	frame.bytes[frame.l4 + 7] = 1;
	run(&frame, &out);
	assert_int_equal(out.bytes[frame.l4 + 6] << 8 | out.bytes[frame.l4 + 7], 3);
}

static void without_a_checksum_of_l4_it_is_the_header_s(void **state)
{
	struct packet_frame frame;
	struct harness_out out;
	size_t check;

	(void)state;
	build(&frame, 18, 4);
	check = frame.l3 + 10;
	load_rule((struct impair_rule){ .kind = IMPAIR_CHECKSUM, .every = 1 });
	frame.bytes[frame.l4 + 6] = frame.bytes[frame.l4 + 7] = 0;
	run(&frame, &out);
	assert_int_equal(bits_that_differ(out.bytes, frame.bytes, check, check + 2), 1);
	assert_int_equal(bits_that_differ(out.bytes, frame.bytes, 0, frame.len), 1);

	/* Neither: ARP is not changed, and reported. */
	frame.bytes[12] = 0x08;
	frame.bytes[13] = 0x06;
	run(&frame, &out);
	assert_true(harness_untouched(&out, frame.bytes, frame.len));
	assert_int_equal(read_rec().unable, 1);
	assert_int_equal(read_rec().done[IMPAIR_CHECKSUM], 1);
}

static void a_cut_frame_keeps_its_start_and_its_lengths(void **state)
{
	struct packet_frame frame;
	struct harness_out out;

	(void)state;
	load_rule((struct impair_rule){ .kind = IMPAIR_TRUNCATE, .every = 1, .arg = 50 });
	build(&frame, 101, 4);
	assert_int_equal(run(&frame, &out), XDP_PASS);
	assert_int_equal(out.len, 50);
	assert_int_equal(bits_that_differ(out.bytes, frame.bytes, 0, 50), 0);
	build(&frame, 8, 4);
	assert_int_equal(frame.len, 50);
	run(&frame, &out);
	assert_true(harness_untouched(&out, frame.bytes, frame.len));
	assert_int_equal(read_rec().done[IMPAIR_TRUNCATE], 1);
	assert_int_equal(read_rec().unable, 1);
}

static void what_takes_time_goes_with_its_fate_in_front(void **state)
{
	const struct impair_rule rules[] = {
		{ .kind = IMPAIR_CORRUPT, .every = 2, .arg = 1, .offset = 14 },
		{ .kind = IMPAIR_FRAGMENT, .every = 3, .arg = 64 },
		{ .kind = IMPAIR_DUPLICATE, .every = 5, .arg = 4 },
		{ .kind = IMPAIR_REORDER, .every = 7, .arg = 9 },
		{ .kind = IMPAIR_DELAY, .every = 2, .phase = 1 },
		{ .kind = IMPAIR_DELAY, .every = 1 },
	};
	struct impair_plan plan = plan_of(rules, 6);
	struct impair_fate fate;
	struct packet_frame frame;
	struct harness_out out;
	uint64_t i, before_ns;

	(void)state;
	load_to_user(&plan);
	build(&frame, 101, 4);
	for (i = 0; i < 107; i++) {
		uint32_t kinds = 1 << IMPAIR_DELAY;

		kinds |= i % 3 ? 0 : 1 << IMPAIR_FRAGMENT;
		kinds |= i % 5 ? 0 : 1 << IMPAIR_DUPLICATE;
		kinds |= i % 7 ? 0 : 1 << IMPAIR_REORDER;
		before_ns = harness_mono_ns();
		/* No socket is there to take it, so in the end it is dropped, and counted so. */
		assert_int_equal(run(&frame, &out), XDP_DROP);
		assert_int_equal(out.len, frame.len + sizeof(fate));
		memcpy(&fate, out.bytes, sizeof(fate));
		assert_int_equal(fate.magic, IMPAIR_MAGIC);
		assert_int_equal(fate.ordinal, i);
		assert_int_equal(fate.kinds, kinds);
		assert_int_equal(fate.copies, i % 5 ? 0 : 4);
		assert_int_equal(fate.places, i % 7 ? 0 : 9);
		assert_int_equal(fate.fragment_bytes, i % 3 ? 0 : 64);
		assert_int_equal(fate.delay_rule, i % 2 ? 4 : 5);
		assert_in_range(fate.arrived_mono_ns, before_ns, harness_mono_ns());
		assert_int_equal(bits_that_differ(out.bytes + sizeof(fate), frame.bytes, 0, frame.len),
				 i % 2 ? 0 : 1);
	}
	assert_int_equal(read_rec().failed, 107);
	assert_int_equal(read_rec().no_meta, 0);
	assert_int_equal(read_rec().seen, 107);
}

/* Often one that says something else about the packet: the headers, not the payload. */
static void change_a_byte(struct packet_frame *frame, uint64_t random)
{
	size_t last = frame->l3 + 8;

	frame->bytes[12 + random % (last - 12)] = (uint8_t)(random >> 32);
}

/* Whether user space can do it is known before its kind is in the fate and in the event. */
static void what_cannot_be_fragmented_is_not_said_to_be(void **state)
{
	const struct impair_rule rule = { .kind = IMPAIR_FRAGMENT, .every = 1, .arg = 64 };
	struct impair_plan plan = plan_of(&rule, 1);
	static const uint8_t nexts[] = { 0, 17, 43, 44, 60 };
	uint64_t i, possible = 0, changed = 0;
	struct fragment_plan fragments;
	struct packet_frame frame;
	struct impair_fate fate;
	struct harness_out out;
	bool is_possible;

	(void)state;
	load_to_user(&plan);
	for (i = 0; i < NR_PACKETS; i++) {
		const uint64_t random = draw(7, 0, i);
		const struct packet_spec spec = {
			.version = random >> 8 & 7 ? 4 : 6, .vlans = random >> 12 & 3,
			.option_bytes = random >> 8 & 7 ? (random >> 16 & 1) * 12 : 0,
			.extensions = random >> 8 & 7 ? 0 : (random >> 16 & 3),
			.payload_bytes = 18 + (random >> 20) % 150,
		};

		packet_build(&frame, &spec);
		if (i % 2)
			change_a_byte(&frame, draw(7, 1, i));
		if (i % 8 == 7)
			frame.bytes[frame.l3 + 6] = 0x1f, frame.bytes[frame.l3 + 7] = (uint8_t)(0xf0 + random % 16);
		if (spec.version == 6) {
			frame.bytes[frame.l3 + 6] = nexts[(random >> 32) % 5];
			frame.bytes[frame.l3 + 40] = nexts[(random >> 40) % 5];
			frame.bytes[frame.l3 + 41] = random >> 48 & 1;
		}
		is_possible = fragment_plan(frame.bytes, (uint32_t)frame.len, 64, &fragments);
		possible += is_possible;
		changed += is_possible && i % 2;
		run(&frame, &out);
		memcpy(&fate, out.bytes, sizeof(fate));
		assert_int_equal(fate.magic, IMPAIR_MAGIC);
		assert_int_equal(fate.kinds, is_possible ? 1 << IMPAIR_FRAGMENT : 0);
		assert_int_equal(read_rec().unable, i + 1 - possible);
	}
	/* Of each enough that the test means something. */
	assert_in_range(possible, NR_PACKETS / 4, NR_PACKETS * 3 / 4);
	assert_in_range(changed, NR_PACKETS / 16, NR_PACKETS / 2);
}

/* The eight bits of DSCP and ECN. */
static unsigned int class_of(const struct packet_frame *frame, const uint8_t *bytes)
{
	const uint8_t *ip = bytes + frame->l3;

	return frame->version == 4 ? ip[1] : (ip[0] & 0xfu) << 4 | ip[1] >> 4;
}

static void set_class(struct packet_frame *frame, unsigned int class)
{
	uint8_t *ip = frame->bytes + frame->l3;
	uint16_t sum;

	if (frame->version == 6) {
		ip[0] = (uint8_t)(0x60 | class >> 4);
		ip[1] = (uint8_t)(class << 4 | 0xa);
		return;
	}
	ip[1] = (uint8_t)class;
	ip[10] = ip[11] = 0;
	sum = (uint16_t)~packet_sum(ip, frame->l4 - frame->l3, 0);
	ip[10] = (uint8_t)(sum >> 8), ip[11] = (uint8_t)sum;
}

/* Every class by every kind; the bytes must be those of a packet built with the new class. */
static void each_class_is_marked(bool by_tc, unsigned int version, int ce, int dscp)
{
	const struct packet_spec spec = { .version = version, .payload_bytes = 40, .vlans = by_tc ? 0 : 1 };
	const struct impair_rule rules[] = {
		{ .kind = IMPAIR_CE, .every = ce ? 1 : 1ull << 40, .phase = ce ? 0 : 1ull << 39 },
		{ .kind = IMPAIR_REMARK, .every = dscp >= 0 ? 1 : 1ull << 40, .phase = dscp >= 0 ? 0 : 1ull << 39,
		  .arg = dscp >= 0 ? (uint32_t)dscp : 0 },
	};
	struct impair_plan plan = plan_of(rules, 2);
	struct packet_frame frame, expected;
	unsigned int class, to, marks = 0;
	struct harness_out out;

	if (by_tc)
		load_tc(&plan);
	else
		load(&plan);
	for (class = 0; class < 256; class++) {
		packet_build(&frame, &spec);
		set_class(&frame, class);
		to = class;
		if (ce && (class % 4 == 1 || class % 4 == 2)) {
			to |= 3;
			marks++;
		}
		if (dscp >= 0)
			to = (unsigned int)dscp << 2 | (to & 3);
		expected = frame;
		set_class(&expected, to);
		run(&frame, &out);
		assert_int_equal(class_of(&frame, out.bytes), to);
		assert_memory_equal(out.bytes, expected.bytes, frame.len);
	}
	assert_int_equal(read_rec().done[IMPAIR_CE], marks);
	assert_int_equal(read_rec().done[IMPAIR_REMARK], dscp >= 0 ? 256 : 0);
	assert_int_equal(read_rec().unable, ce ? 256 - marks : 0);
}

static void ecn_and_dscp_are_rewritten_and_nothing_else(void **state)
{
	unsigned int version, by_tc;

	(void)state;
	for (version = 4; version <= 6; version += 2) {
		for (by_tc = 0; by_tc < 2; by_tc++) {
			each_class_is_marked(by_tc, version, 1, -1);
			each_class_is_marked(by_tc, version, 0, 46);
			each_class_is_marked(by_tc, version, 0, 0);
			each_class_is_marked(by_tc, version, 1, 63);
		}
	}
}

static void a_wrong_header_checksum_stays_wrong_and_without_ip_nothing_is_marked(void **state)
{
	const struct impair_rule rules[] = {
		{ .kind = IMPAIR_CE, .every = 1 }, { .kind = IMPAIR_REMARK, .every = 1, .arg = 10 },
	};
	struct impair_plan plan = plan_of(rules, 2);
	struct packet_frame frame, expected;
	struct harness_out out;

	(void)state;
	load(&plan);
	build(&frame, 40, 4);
	set_class(&frame, 0xb9);
	expected = frame;
	set_class(&expected, 0x2b);
	frame.bytes[frame.l3 + 11] ^= 0x10;
	run(&frame, &out);
	assert_int_equal(class_of(&frame, out.bytes), 0x2b);
	assert_int_not_equal(out.bytes[frame.l3 + 11], expected.bytes[frame.l3 + 11]);
	assert_int_equal(read_rec().unable, 0);
	frame.bytes[12] = 0x08, frame.bytes[13] = 0x06;
	run(&frame, &out);
	assert_true(harness_untouched(&out, frame.bytes, frame.len));
	assert_int_equal(read_rec().unable, 2);
	assert_int_equal(read_rec().done[IMPAIR_REMARK], 1);
}

static void of_a_lost_packet_nothing_else_is_decided(void **state)
{
	const struct impair_rule rules[] = {
		{ .kind = IMPAIR_LOSS, .every = 2 },
		{ .kind = IMPAIR_CORRUPT, .every = 1, .arg = 1, .offset = 14 },
	};
	struct impair_plan plan = plan_of(rules, 2);
	struct packet_frame frame;
	struct harness_out out;
	int i;

	(void)state;
	build(&frame, 18, 4);
	load(&plan);
	for (i = 0; i < 10; i++)
		run(&frame, &out);
	assert_int_equal(read_rec().lost, 5);
	assert_int_equal(read_rec().done[IMPAIR_LOSS], 5);
	assert_int_equal(read_rec().done[IMPAIR_CORRUPT], 5);
}

static bool filter_takes(const struct impair_filter *filter, const struct packet_spec *spec)
{
	struct impair_rule rule = { .kind = IMPAIR_LOSS, .every = 1 };
	struct impair_plan plan = plan_of(&rule, 1);
	struct packet_frame frame;
	struct harness_out out;

	plan.filter = *filter;
	load(&plan);
	packet_build(&frame, spec);
	run(&frame, &out);
	assert_int_equal(read_rec().seen + read_rec().unmatched, 1);
	assert_int_equal(read_rec().seen, out.action == XDP_DROP);
	return out.action == XDP_DROP;
}

static void the_filter_takes_just_what_it_says(void **state)
{
	const struct packet_spec v4 = { .version = 4, .dst_port = 9, .src_port = 7777 };
	const struct packet_spec v6 = { .version = 6, .dst_port = 9, .vlans = 2 };
	const struct packet_spec echo = { .echo = true };
	struct impair_filter f = { .by = IMPAIR_BY_VERSION, .version = 6 };

	(void)state;
	assert_false(filter_takes(&f, &v4));
	assert_true(filter_takes(&f, &v6));
	f = (struct impair_filter){ .by = IMPAIR_BY_PROTO, .proto = 17 };
	assert_true(filter_takes(&f, &v4));
	assert_true(filter_takes(&f, &v6));
	assert_false(filter_takes(&f, &echo));
	f = (struct impair_filter){ .by = IMPAIR_BY_DPORT, .dport = htons(9) };
	assert_true(filter_takes(&f, &v4));
	assert_true(filter_takes(&f, &v6));
	assert_false(filter_takes(&f, &echo));
	f.dport = htons(10);
	assert_false(filter_takes(&f, &v4));
	f = (struct impair_filter){ .by = IMPAIR_BY_DPORT | IMPAIR_BY_SPORT, .dport = htons(9),
				    .sport = htons(7777) };
	assert_true(filter_takes(&f, &v4));
	f.sport = htons(7778);
	assert_false(filter_takes(&f, &v4));
}

static void the_filter_distinguishes_networks(void **state)
{
	const struct packet_spec v4 = { .version = 4 };
	struct impair_filter f = { .by = IMPAIR_BY_DST | IMPAIR_BY_VERSION, .version = 4 };
	struct packet_frame frame;
	__be32 src, dst;

	(void)state;
	packet_build(&frame, &v4);
	memcpy(&src, frame.bytes + frame.l3 + 12, 4);
	memcpy(&dst, frame.bytes + frame.l3 + 16, 4);
	f.dst[0] = dst;
	f.dst_mask[0] = 0xffffffff;
	assert_true(filter_takes(&f, &v4));
	f.dst[0] = dst ^ htonl(1);
	assert_false(filter_takes(&f, &v4));
	f.dst_mask[0] = htonl(0xfffffffe);
	f.dst[0] = dst & f.dst_mask[0];
	assert_true(filter_takes(&f, &v4));
	f.by |= IMPAIR_BY_SRC;
	f.src[0] = src ^ htonl(0x01000000);
	f.src_mask[0] = htonl(0xff000000);
	f.src[0] &= f.src_mask[0];
	assert_false(filter_takes(&f, &v4));
}

static int events_seen;

static int take_event(void *ctx, void *data, size_t bytes)
{
	struct impair_event *last = ctx;

	assert_int_equal(bytes, sizeof(*last));
	memcpy(last, data, sizeof(*last));
	events_seen++;
	return 0;
}

static void each_impaired_packet_is_reported_with_its_tag(void **state)
{
	struct impair_rule rule = { .kind = IMPAIR_CORRUPT, .every = 3, .phase = 1, .arg = 2,
				    .offset = 60 };
	struct impair_plan plan = plan_of(&rule, 1);
	struct impair_event last = { 0 };
	struct ring_buffer *ring;
	struct packet_frame frame;
	struct harness_out out;
	uint8_t tag[32] = { 0 };
	const struct packet_spec spec = { .payload = tag, .payload_bytes = sizeof(tag) };
	int i;

	(void)state;
	packet_tag(tag, PACKET_RUN, 5, 77, 0);
	plan.events = 1;
	plan.direction = 1;
	load(&plan);
	ring = ring_buffer__new(bpf_map__fd(skel->maps.impair_events), take_event, &last, NULL);
	assert_non_null(ring);
	events_seen = 0;
	packet_build(&frame, &spec);
	for (i = 0; i < 6; i++)
		run(&frame, &out);
	assert_true(ring_buffer__consume(ring) >= 0);
	assert_int_equal(events_seen, 2);
	assert_int_equal(last.ordinal, 4);
	assert_int_equal(last.kinds, 1 << IMPAIR_CORRUPT);
	assert_int_equal(last.tagged, 1);
	assert_int_equal(ntohs(last.stream), 5);
	assert_int_equal(ntohl(last.sequence), 77);
	assert_int_equal(last.direction, 1);
	assert_int_equal(last.buf_bytes, frame.len);
	assert_int_equal(last.first_bit, 480 + ((draw(0, 2, 4) >> 32) * ((frame.len - 60) * 8 - 1) >> 32));

	/* What the buffer cannot hold is counted: EVENTS_BYTES take 1365 of 40 + 8 bytes. */
	for (i = 0; i < 3 * 1399; i++)
		run(&frame, &out);
	events_seen = 0;
	assert_true(ring_buffer__consume(ring) >= 0);
	assert_int_equal(events_seen + read_rec().events_lost, 1399);
	assert_in_range(read_rec().events_lost, 1, 1000);
	ring_buffer__free(ring);
}

static void tc_does_the_same_to_the_same_packets(void **state)
{
	const struct impair_rule rules[] = {
		{ .kind = IMPAIR_LOSS, .pick = IMPAIR_RANDOM, .p = ONE / 7 },
		{ .kind = IMPAIR_CORRUPT, .pick = IMPAIR_RANDOM, .p = ONE / 3, .arg = 3, .offset = 14 },
		{ .kind = IMPAIR_CHECKSUM, .every = 5 },
	};
	struct impair_plan plan = plan_of(rules, 3);
	static uint8_t bytes[503][128];
	struct packet_frame frame;
	struct harness_out out;
	int i;

	(void)state;
	build(&frame, 50, 4);
	load(&plan);
	for (i = 0; i < 503; i++) {
		bytes[i][127] = run(&frame, &out) == XDP_DROP;
		memcpy(bytes[i], out.bytes, frame.len);
	}
	load_tc(&plan);
	for (i = 0; i < 503; i++) {
		assert_int_equal(run(&frame, &out), bytes[i][127] ? TC_ACT_SHOT : TC_ACT_UNSPEC);
		assert_memory_equal(out.bytes, bytes[i], frame.len);
	}
}

static void all_kinds_and_picks_load_together(void **state)
{
	struct impair_rule rules[IMPAIR_MAX_RULES];
	struct impair_plan plan;
	struct packet_frame frame;
	struct harness_out out;
	uint32_t i, first;

	(void)state;
	build(&frame, 18, 4);
	/* There are more kinds than rules. A run checks how many instructions were verified. */
	for (first = 0; first <= IMPAIR_KINDS - IMPAIR_MAX_RULES; first++) {
		for (i = 0; i < IMPAIR_MAX_RULES; i++)
			rules[i] = (struct impair_rule){
				.kind = (uint8_t)(first + i), .pick = (uint8_t)(i % 4), .arg = 16, .every = 1000003,
				.p = ONE / 100, .r = ONE / 3, .in_bad = ONE, .in_good = ONE / 1000,
			};
		plan = plan_of(rules, IMPAIR_MAX_RULES);
		plan.events = 1;
		plan.filter = (struct impair_filter){ .by = 0x7f, .version = 6, .proto = 17 };
		load(&plan);
		run(&frame, &out);
		plan.to_user = 1;
		load(&plan);
		run(&frame, &out);
		plan.onward = IMPAIR_REDIRECT;
		plan.to_user = 0;
		load_frags(&plan, harness_has_frags());
		run(&frame, &out);
		load_tc(&plan);
		run(&frame, &out);
	}
	for (i = 0; i < IMPAIR_MAX_RULES; i++)
		plan.rules[i].pick = IMPAIR_GILBERT, plan.rules[i].kind = IMPAIR_CORRUPT;
	load(&plan);
	run(&frame, &out);
	load_tc(&plan);
	run(&frame, &out);
}

int test_impair(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(no_rule_hands_on_untouched, release),
		cmocka_unit_test_teardown(every_nth_is_lost_from_its_phase_on, release),
		cmocka_unit_test_teardown(random_losses_are_those_of_the_seed, release),
		cmocka_unit_test_teardown(certainty_takes_all_and_impossibility_none, release),
		cmocka_unit_test_teardown(a_chain_moves_before_it_takes_and_begins_good, release),
		cmocka_unit_test_teardown(a_list_takes_what_it_names, release),
		cmocka_unit_test_teardown(the_given_number_of_bits_is_flipped_after_the_offset, release),
		cmocka_unit_test_teardown(bits_are_flipped_evenly_and_the_first_is_reported, release),
		cmocka_unit_test_teardown(a_frame_without_so_many_bits_stays_whole, release),
		cmocka_unit_test_teardown(all_of_a_jumbo_frame_can_be_hit_and_cut, release),
		cmocka_unit_test_teardown(open_checksums_are_completed, release),
		cmocka_unit_test_teardown(a_spoilt_checksum_is_never_right_and_never_absent, release),
		cmocka_unit_test_teardown(udp_checksum_1_does_not_become_none, release),
		cmocka_unit_test_teardown(without_a_checksum_of_l4_it_is_the_header_s, release),
		cmocka_unit_test_teardown(a_cut_frame_keeps_its_start_and_its_lengths, release),
		cmocka_unit_test_teardown(what_takes_time_goes_with_its_fate_in_front, release),
		cmocka_unit_test_teardown(what_cannot_be_fragmented_is_not_said_to_be, release),
		cmocka_unit_test_teardown(ecn_and_dscp_are_rewritten_and_nothing_else, release),
		cmocka_unit_test_teardown(a_wrong_header_checksum_stays_wrong_and_without_ip_nothing_is_marked, release),
		cmocka_unit_test_teardown(of_a_lost_packet_nothing_else_is_decided, release),
		cmocka_unit_test_teardown(the_filter_takes_just_what_it_says, release),
		cmocka_unit_test_teardown(the_filter_distinguishes_networks, release),
		cmocka_unit_test_teardown(each_impaired_packet_is_reported_with_its_tag, release),
		cmocka_unit_test_teardown(tc_does_the_same_to_the_same_packets, release),
		cmocka_unit_test_teardown(all_kinds_and_picks_load_together, release),
	};

	return cmocka_run_group_tests_name("impair", tests, NULL, NULL);
}
