// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sink_xdp: what it takes for a test packet, and what it says of a sequence.
 *
 * Order is held against a model that keeps every number ever seen in a plain
 * array, without a window or a bitmap.
 */
#include "harness.h"

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <linux/bpf.h>

#include "abi/drops.h"
#include "abi/hist.h"
#include "abi/sink.h"
#include "abi/stamp.h"
#include "lib/hist.h"
#include "lib/pdv.h"

#include "sink_xdp.skel.h"

#define STREAMS		3
#define PORT		9
#define MS		1000000ull
#define KEPT		32

static struct sink_xdp_bpf *skel;

/* Of the next load; each test starts from zeros, that is from what the tool does by default. */
static struct variant {
	uint64_t expect_gap_ns;
	enum stamp_clock stamp_clock;
	bool no_l4, frags, note_seen, verify_payload, sum_blocks, spin;
	unsigned int peer_version;	/* of packet_build()'s client */
	bool own_mac;			/* of packet_build()'s packets */
} variant;

static const struct sink_cfg usual = {
	.match = SINK_MATCH_DEST, .check = 1, .streams = STREAMS, .vary = 1, .pdv_streams = STREAMS,
};

/* Verifying takes most of a test's time: what a test before had loaded is taken again, emptied. */
static struct kept {
	struct sink_cfg cfg;
	struct variant variant;
	struct sink_xdp_bpf *skel;
} kept[KEPT];

static void set_peer(struct sink_xdp_bpf *to)
{
	const struct packet_spec spec = { .version = variant.peer_version };
	struct sink_peer peer = { .version = (__u8)spec.version };
	struct packet_frame frame;

	packet_build(&frame, &spec);
	memcpy(peer.addr, frame.bytes + frame.l3 + (spec.version == 6 ? 8 : 12), spec.version == 6 ? 16 : 4);
	memcpy((void *)&to->rodata->sink_peer, &peer, sizeof(peer));
}

static int load(struct sink_cfg cfg)
{
	struct packet_frame frame;
	struct kept *k = kept;

	for (; k < kept + KEPT && k->skel; k++) {
		if (memcmp(&k->cfg, &cfg, sizeof(cfg)) || memcmp(&k->variant, &variant, sizeof(variant)))
			continue;
		skel = k->skel;
		harness_empty(skel->obj);
		return 0;
	}
	if (k == kept + KEPT)
		return -ENOSPC;
	skel = harness_open_sink(variant.spin);
	if (!skel)
		return -errno;
	k->cfg = cfg;
	k->variant = variant;
	k->skel = skel;
	cfg.port = htons(PORT);
	memcpy((void *)&skel->rodata->cfg, &cfg, sizeof(cfg));
	skel->rodata->expect_gap_ns = variant.expect_gap_ns;
	skel->rodata->stamp_clock = variant.stamp_clock;
	skel->rodata->intact_l4 = !variant.no_l4;
	skel->rodata->sum_blocks = variant.sum_blocks;
	skel->rodata->has_frags = variant.frags;
	skel->rodata->note_seen = variant.note_seen;
	skel->rodata->verify_payload = variant.verify_payload;
	if (variant.peer_version)
		set_peer(skel);
	if (variant.own_mac) {
		packet_build(&frame, &(struct packet_spec){ 0 });
		skel->rodata->own_mac = sink_mac(frame.bytes);
	}
	if (variant.verify_payload)
		packet_pattern((void *)skel->rodata->payload_words, sizeof(skel->rodata->payload_words));
	if (variant.frags)
		harness_set_frags(skel->obj);
	if (variant.note_seen) {
		bpf_map__set_max_entries(skel->maps.seen_packets, SEEN_SLOTS);
		bpf_map__set_max_entries(skel->maps.drops_taken_back, DROP_PLACES);
	}
	bpf_map__set_max_entries(skel->maps.sink_recs, harness_cpus() * (cfg.streams + 1));
	bpf_map__set_max_entries(skel->maps.sink_hists, harness_cpus() * cfg.streams);
	bpf_map__set_max_entries(skel->maps.pdvs, harness_cpus() * cfg.pdv_streams);
	bpf_map__set_max_entries(skel->maps.sink_gaps, harness_cpus() * cfg.streams);
	bpf_map__set_max_entries(skel->maps.sink_gap_errors, harness_cpus() * cfg.streams);
	bpf_map__set_max_entries(skel->maps.sink_cpus, harness_cpus());
	bpf_map__set_max_entries(skel->maps.sink_seqs, cfg.streams);
	bpf_map__set_max_entries(skel->maps.sink_orders, cfg.streams);
	bpf_map__set_max_entries(skel->maps.sink_rings, cfg.streams);
	bpf_map__set_max_entries(skel->maps.sink_varies, cfg.streams);
	return sink_xdp_bpf__load(skel);
}

static int load_usual(void **state)
{
	(void)state;
	memset(&variant, 0, sizeof(variant));
	return load(usual);
}

static int unload(void **state)
{
	(void)state;
	for (struct kept *k = kept; k < kept + KEPT; k++)
		sink_xdp_bpf__destroy(k->skel);
	memset(kept, 0, sizeof(kept));
	skel = NULL;
	return 0;
}

static void build(struct packet_frame *ret_frame, const struct packet_spec *shape,
		  const uint8_t tag[18])
{
	struct packet_spec spec = *shape;

	spec.dst_port = PORT;
	spec.payload = tag;
	spec.payload_bytes = 18;
	packet_build(ret_frame, &spec);
}

static int run_frame(const struct packet_frame *frame)
{
	struct harness_out out;

	harness_run(skel->progs.sink_xdp, frame->bytes, frame->len, &out);
	assert_true(harness_untouched(&out, frame->bytes, frame->len));
	return out.action;
}

static int send_of(uint16_t run, uint16_t stream, uint32_t sequence, uint64_t sent_ns)
{
	static const struct packet_spec plain;
	struct packet_frame frame;
	uint8_t tag[18];

	packet_tag(tag, run, stream, sequence, sent_ns);
	build(&frame, &plain, tag);
	return run_frame(&frame);
}

static int send_tag(uint16_t stream, uint32_t sequence, uint64_t sent_ns)
{
	return send_of(PACKET_RUN, stream, sequence, sent_ns);
}

static int send_tai(uint16_t stream, uint32_t sequence, uint64_t sent_ns)
{
	return send_of(PACKET_RUN | 0x8000, stream, sequence, sent_ns);
}

static struct seq_state read_seq(uint32_t stream)
{
	struct seq_slot slot;

	harness_read(skel->maps.sink_seqs, stream, &slot);
	seq_take_only(&slot.state);
	return slot.state;
}

static struct sink_odd read_odd(void)
{
	struct sink_cpu cpu;

	harness_read(skel->maps.sink_cpus, harness_cpu(), &cpu);
	return cpu.odd;
}

static struct sink_rec read_rec(uint32_t slot)
{
	struct sink_rec rec;

	harness_read(skel->maps.sink_recs, harness_cpu() * (STREAMS + 1) + slot, &rec);
	return rec;
}

static struct hist_rec read_of(const struct bpf_map *map, uint32_t stream)
{
	struct hist_rec hist;

	harness_read(map, harness_cpu() * STREAMS + stream, &hist);
	return hist;
}

static struct hist_rec read_hist(uint32_t stream)
{
	return read_of(skel->maps.sink_hists, stream);
}

static void load_with_gaps(uint64_t expect_gap_ns)
{
	struct sink_cfg cfg = usual;

	cfg.gaps = 1;
	variant.expect_gap_ns = expect_gap_ns;
	assert_int_equal(load(cfg), 0);
}

/* A packet that arrives between these two times. */
struct arrival {
	uint64_t from_ns, to_ns;
};

static struct arrival arrive(uint16_t stream, uint32_t sequence, uint64_t sent_ns)
{
	struct arrival arrival = { .from_ns = harness_mono_ns() };

	send_tag(stream, sequence, sent_ns);
	arrival.to_ns = harness_mono_ns();
	return arrival;
}

static void pass_time(uint64_t ns)
{
	uint64_t until_ns = harness_mono_ns() + ns;

	while (harness_mono_ns() < until_ns)
		;
}

static void takes_every_good_shape(void **state)
{
	static const struct packet_spec shapes[] = {
		{ .version = 4 }, { .version = 6 }, { .version = 4, .vlans = 1 },
		{ .version = 6, .vlans = 2 }, { .version = 4, .option_bytes = 40 },
		{ .version = 6, .extensions = 3 },
	};
	size_t i, n = sizeof(shapes) / sizeof(shapes[0]);
	struct packet_frame frame;
	uint8_t tag[18];
	uint64_t bytes = 0;

	(void)state;
	for (i = 0; i < n; i++) {
		packet_tag(tag, PACKET_RUN, 1, (uint32_t)i, harness_mono_ns());
		build(&frame, &shapes[i], tag);
		assert_int_equal(run_frame(&frame), XDP_DROP);
		bytes += frame.len;
	}
	assert_int_equal(read_seq(1).distinct, n);
	assert_int_equal(read_rec(1).packets, n);
	assert_int_equal(read_rec(1).bytes, bytes);
	assert_int_equal(read_hist(1).count, n);
	assert_int_equal(read_odd().untagged, 0);
}

static void leaves_what_is_foreign(void **state)
{
	static const struct packet_spec other_port = { .dst_port = 10, .payload_bytes = 18 };
	static const struct packet_spec echo = { .echo = true, .payload_bytes = 18 };
	struct packet_frame frame;

	(void)state;
	packet_build(&frame, &other_port);
	assert_int_equal(run_frame(&frame), XDP_PASS);
	packet_build(&frame, &echo);
	assert_int_equal(run_frame(&frame), XDP_PASS);
	memset(frame.bytes, 0xff, 60);
	frame.len = 60;
	assert_int_equal(run_frame(&frame), XDP_PASS);
	assert_int_equal(read_odd().foreign, 3);
	assert_int_equal(read_rec(STREAMS).packets, 0);
}

/* A frame cut anywhere must never be taken for a tagged one, nor end the program badly. */
static void believes_no_frame_that_is_cut(void **state)
{
	static const struct packet_spec plain;
	struct packet_frame frame;
	struct harness_out out;
	uint8_t tag[18];
	size_t len;

	(void)state;
	packet_tag(tag, PACKET_RUN, 0, 0, harness_mono_ns());
	build(&frame, &plain, tag);
	for (len = 14; len < frame.len; len++) {
		harness_run(skel->progs.sink_xdp, frame.bytes, len, &out);
		assert_int_equal(out.action, XDP_PASS);
	}
	assert_int_equal(read_seq(0).run, 0);
	assert_int_equal(read_odd().foreign, frame.len - 14);
}

static void believes_no_damaged_tag(void **state)
{
	static const struct packet_spec plain;
	struct packet_frame frame;
	unsigned int bit;
	uint8_t tag[18];

	(void)state;
	for (bit = 0; bit < 18 * 8; bit++) {
		packet_tag(tag, PACKET_RUN, 0, 7, harness_mono_ns());
		tag[bit / 8] ^= (uint8_t)(1 << bit % 8);
		build(&frame, &plain, tag);
		assert_int_equal(run_frame(&frame), XDP_DROP);
	}
	assert_int_equal(read_odd().untagged, 18 * 8);
	assert_int_equal(read_rec(STREAMS).packets, 18 * 8);
	assert_int_equal(read_seq(0).run, 0);
}

static void counts_streams_beyond_its_table(void **state)
{
	(void)state;
	send_tag(STREAMS - 1, 0, 1);
	send_tag(STREAMS, 0, 1);
	send_tag(65535, 0, 1);
	assert_int_equal(read_odd().other_stream, 2);
	assert_int_equal(read_rec(STREAMS).packets, 2);
	assert_int_equal(read_seq(STREAMS - 1).distinct, 1);
}

static void measures_the_delay(void **state)
{
	uint64_t before_ns = harness_mono_ns(), took_ns;
	struct hist_rec hist;

	(void)state;
	send_tag(0, 0, before_ns - 5 * MS);
	send_tag(0, 1, before_ns - 3 * MS);
	took_ns = harness_mono_ns() - before_ns;
	hist = read_hist(0);
	assert_int_equal(hist.count, 2);
	assert_in_range(~hist.not_min_ns, 3 * MS, 3 * MS + took_ns);
	assert_in_range(hist.max_ns, 5 * MS, 5 * MS + took_ns);
	assert_in_range(hist.sum_ns, 8 * MS, 8 * MS + 2 * took_ns);
}

#define FALLS 1009

/* Sorted bounds of the delays: how long a run of the program takes is not known. */
static struct bounds {
	uint64_t from_ns[FALLS], to_ns[FALLS];
	uint32_t nr;
} bounds;

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void send_delayed(uint16_t stream, uint64_t delay_ns)
{
	uint64_t sent_ns = harness_mono_ns() - delay_ns;
	struct arrival arrival = arrive(stream, bounds.nr, sent_ns);

	bounds.from_ns[bounds.nr] = arrival.from_ns - sent_ns;
	bounds.to_ns[bounds.nr++] = arrival.to_ns - sent_ns;
}

/* Each percentile of D - Dmin is within 1/64 of the true one. */
static void check_pdv(const struct hist_rec *delays, uint32_t record)
{
	uint64_t least_ns = hist_min_ns(delays), rank;
	static struct pdv_rec pdv;
	struct hist_rec hist;
	double from_ns, to_ns, ns;
	int i;

	harness_read(skel->maps.pdvs, record, &pdv);
	pdv_hist(&pdv, delays, &hist);
	assert_int_equal(delays->count, bounds.nr);
	qsort(bounds.from_ns, bounds.nr, sizeof(bounds.from_ns[0]), by_value);
	qsort(bounds.to_ns, bounds.nr, sizeof(bounds.to_ns[0]), by_value);
	for (i = 1; i < 100; i++) {
		rank = ((uint64_t)i * bounds.nr + 99) / 100;
		from_ns = (double)bounds.from_ns[rank - 1] - (double)least_ns;
		to_ns = (double)bounds.to_ns[rank - 1] - (double)least_ns;
		ns = (double)hist_percentile_ns(&hist, i / 100.);
		if (ns < from_ns * 63 / 64 || ns > to_ns * 65 / 64)
			fail_msg("%d %%: %.0f, which is from %.0f to %.0f", i, ns, from_ns, to_ns);
	}
}

static void delay_variation_is_of_the_smallest_delay(void **state)
{
	static const uint64_t steps_ns[] = { 0, 1, 97, 4099, 691 * MS / FALLS };
	struct hist_rec hist;
	size_t step;
	uint32_t i;

	(void)state;
	for (step = 0; step < sizeof(steps_ns) / sizeof(steps_ns[0]); step++) {
		assert_int_equal(load(usual), 0);
		bounds.nr = 0;
		/* Most are on the way down, and every third is far above. */
		for (i = 0; i < FALLS; i++)
			send_delayed(1, 700 * MS - i * steps_ns[step] + (i % 3 ? 0 : i * MS / 7));
		hist = read_hist(1);
		check_pdv(&hist, harness_cpu() * STREAMS + 1);
	}
}

static void streams_without_a_record_share_the_last(void **state)
{
	struct hist_rec hist = { 0 }, of_stream;
	struct sink_cfg cfg = usual;
	uint32_t i;

	(void)state;
	cfg.pdv_streams = 1;
	assert_int_equal(load(cfg), 0);
	bounds.nr = 0;
	for (i = 0; i < FALLS; i++)
		send_delayed(i % STREAMS, (20 + i % STREAMS) * MS + i * 1009);
	for (i = 0; i < STREAMS; i++) {
		of_stream = read_hist(i);
		hist_merge(&hist, &of_stream);
	}
	check_pdv(&hist, harness_cpu());
}

static void counts_a_stamp_in_the_future_apart(void **state)
{
	static struct vary_rec vary;

	(void)state;
	send_tag(0, 0, harness_mono_ns() + 1000 * MS);
	assert_int_equal(read_hist(0).negative, 1);
	assert_int_equal(read_hist(0).count, 0);
	/* Nor has it a delay that varies. */
	send_tag(0, 1, harness_mono_ns() + 500 * MS);
	harness_read(skel->maps.sink_varies, 0, &vary);
	assert_int_equal(vary.jitter.timed, 0);
}

/* A minute and more, either way: damaged, or of a clock that is not the sink's. */
static void does_not_time_what_is_implausible(void **state)
{
	uint64_t now_ns = harness_mono_ns();

	(void)state;
	send_tag(0, 0, now_ns - 61000 * MS);
	send_tag(0, 1, now_ns + 61000 * MS);
	send_tag(0, 2, now_ns - 59000 * MS);
	assert_int_equal(read_odd().implausible_time, 2);
	assert_int_equal(read_hist(0).count, 1);
	assert_int_equal(read_hist(0).negative, 0);
	assert_int_equal(read_seq(0).distinct, 3);
}

static void does_not_time_what_has_no_stamp(void **state)
{
	(void)state;
	send_tag(0, 0, 0);
	assert_int_equal(read_hist(0).count, 0);
	assert_int_equal(read_seq(0).distinct, 1);
}

static void tells_a_new_run_from_a_late_packet(void **state)
{
	struct seq_state seq;
	uint32_t i;

	(void)state;
	for (i = 0; i < 1009; i++)
		send_tag(0, i, 1000 + i);
	for (i = 0; i < 503; i++)
		send_of(PACKET_RUN + 1, 0, i, 5000 + i);
	seq = read_seq(0);
	assert_int_equal(seq.run, 2);
	assert_int_equal(seq.distinct, 1009 + 503);
	assert_int_equal(seq.spanned, 1009);
	assert_int_equal(seq.duplicates, 0);
	assert_int_equal(seq.reordered, 0);
	send_tag(0, 600, 1600);		/* left over from the first run */
	assert_int_equal(read_seq(0).unknown, 0);
	assert_int_equal(read_seq(0).other_run, 1);
	assert_int_equal(read_seq(0).next - read_seq(0).base, 503);
}

static void widens_a_sequence_that_wraps(void **state)
{
	struct seq_state seq;
	uint64_t number;

	(void)state;
	for (number = 0xffffff00; number < 0x100000100; number++)
		send_tag(0, (uint32_t)number, number);
	seq = read_seq(0);
	assert_int_equal(seq.run, 1);
	assert_int_equal(seq.next - seq.base, 0x100000100);
	assert_int_equal(seq.distinct, 0x200);
	assert_int_equal(seq.reordered, 0);
}

/* The model: everything ever seen, and nothing forgotten but by the window's definition. */
struct model {
	uint8_t seen[210000];
	uint64_t next, first, distinct, duplicates, reordered, distance_max, unknown;
	bool started;
};

static void model_add(struct model *m, uint64_t number)
{
	if (m->started && number < m->next && m->next - number > SEQ_WINDOW_MIN) {
		m->unknown++;
		return;
	}
	if (m->seen[number]) {
		m->duplicates++;
		return;
	}
	m->seen[number] = 1;
	m->distinct++;
	if (!m->started || number < m->first)
		m->first = number;
	if (m->started && number < m->next) {
		m->reordered++;
		if (m->next - 1 - number > m->distance_max)
			m->distance_max = m->next - 1 - number;
	} else {
		m->next = number + 1;
	}
	m->started = true;
}

/* Losses, swaps, far jumps back and ahead, and repetitions, all by chance. */
static void agrees_with_the_model(void **state)
{
	struct model *m = calloc(1, sizeof(*m));
	unsigned int seed = 4737, i;
	uint64_t number = 100;
	struct seq_state seq;

	(void)state;
	assert_non_null(m);
	srandom(seed);
	for (i = 0; i < 20000 && number < 200000; i++) {
		long chance = random() % 1000;
		uint64_t back = 1 + (uint64_t)random() % (chance < 3 ? 6000 : 40);
		uint64_t sent = number;

		if (chance < 60)
			sent = number > back ? number - back : 0;
		else if (chance < 62)
			sent = number += 60 + (uint64_t)random() % 300;
		else if (chance < 63)
			sent = number += 3800 + (uint64_t)random() % 200;
		else if (chance < 200)
			sent = ++number;
		number = sent == number ? number + 1 : number;
		/* Stamped by number, as a sender does: a late packet was sent early. */
		send_tag(0, (uint32_t)sent, 1 + sent);
		model_add(m, sent);
	}
	seq = read_seq(0);
	assert_int_equal(seq.run, 1);
	assert_int_equal(seq.next - seq.base, m->next);
	assert_int_equal(seq.first - seq.base, m->first);
	assert_int_equal(seq.distinct, m->distinct);
	assert_int_equal(seq.duplicates, m->duplicates);
	assert_int_equal(seq.reordered, m->reordered);
	assert_int_equal(seq.distance_max, m->distance_max);
	assert_int_equal(seq.unknown, m->unknown);
	/* The script must have done what it is for. */
	assert_true(m->duplicates > 100 && m->reordered > 100 && m->unknown > 0);
	free(m);
}

static uint64_t other_clock(void)
{
	struct sink_cpu own;

	harness_read(skel->maps.sink_cpus, harness_cpu(), &own);
	return own.odd.other_clock;
}

static void times_by_tai_when_asked(void **state)
{
	uint64_t sent_ns = harness_tai_ns() - 7 * MS, before_ns, after_ns;
	struct hist_rec delays;

	(void)state;
	if (!harness_has_tai())
		harness_cannot("tai-clock");
	variant.stamp_clock = STAMP_TAI;
	assert_int_equal(load(usual), 0);
	before_ns = harness_tai_ns();
	send_tai(0, 0, sent_ns);
	after_ns = harness_tai_ns();
	delays = read_of(skel->maps.sink_hists, 0);
	assert_int_equal(delays.count, 1);
	assert_in_range(delays.sum_ns, before_ns - sent_ns, after_ns - sent_ns);
	assert_int_equal(other_clock(), 0);
}

/* The sequence is right with any clock. */
static void does_not_time_by_two_clocks(void **state)
{
	(void)state;
	send_tag(0, 0, harness_mono_ns());
	send_tai(1, 1, harness_tai_ns());
	send_tai(1, 3, harness_tai_ns());
	assert_int_equal(other_clock(), 2);
	assert_int_equal(read_of(skel->maps.sink_hists, 0).count, 1);
	assert_int_equal(read_of(skel->maps.sink_hists, 1).count, 0);
	assert_int_equal(read_seq(1).distinct, 2);
	if (!harness_has_tai())
		return;
	variant.stamp_clock = STAMP_TAI;
	assert_int_equal(load(usual), 0);
	send_tag(0, 0, harness_mono_ns());
	send_tag(0, 1, 0);
	assert_int_equal(other_clock(), 1);
	assert_int_equal(read_of(skel->maps.sink_hists, 0).count, 0);
	assert_int_equal(read_seq(0).distinct, 2);
}

static void passes_on_when_asked(void **state)
{
	struct sink_cfg cfg = usual;

	(void)state;
	cfg.pass = 1;
	assert_int_equal(load(cfg), 0);
	assert_int_equal(send_tag(0, 0, 1), XDP_PASS);
	assert_int_equal(read_seq(0).distinct, 1);
}

static void matches_reflections_by_source_port(void **state)
{
	static const struct packet_spec back = { .src_port = PORT, .dst_port = 50021,
						 .payload_bytes = 18 };
	struct sink_cfg cfg = usual;
	struct packet_frame frame;

	(void)state;
	cfg.match = SINK_MATCH_SOURCE;
	assert_int_equal(load(cfg), 0);
	packet_build(&frame, &back);
	assert_int_equal(run_frame(&frame), XDP_DROP);
	assert_int_equal(send_tag(0, 0, 1), XDP_PASS);	/* to the port, not from it */
	assert_int_equal(read_odd().foreign, 1);
}

/* Any bit of it, and the other version. */
static void matches_reflections_by_source_address(void **state)
{
	static const unsigned int versions[] = { 4, 6 };
	struct packet_spec back = { .src_port = PORT, .dst_port = 50021, .payload_bytes = 18 };
	struct sink_cfg cfg = usual;
	struct packet_frame frame;
	size_t i, bit, at, bytes;

	(void)state;
	cfg.match = SINK_MATCH_SOURCE;
	for (i = 0; i < 2; i++) {
		variant.peer_version = versions[i];
		assert_int_equal(load(cfg), 0);
		back.version = versions[i];
		packet_build(&frame, &back);
		assert_int_equal(run_frame(&frame), XDP_DROP);
		at = frame.l3 + (versions[i] == 6 ? 8 : 12);
		bytes = versions[i] == 6 ? 16 : 4;
		for (bit = 0; bit < 8 * bytes; bit++) {
			frame.bytes[at + bit / 8] ^= (uint8_t)(1 << bit % 8);
			assert_int_equal(run_frame(&frame), XDP_PASS);
			frame.bytes[at + bit / 8] ^= (uint8_t)(1 << bit % 8);
		}
		back.version = versions[!i];
		packet_build(&frame, &back);
		assert_int_equal(run_frame(&frame), XDP_PASS);
		assert_int_equal(read_odd().foreign, 8 * bytes + 1);
	}
}

/* Each bit of the address, alone: the lowest of the first byte makes it one of a group. */
static void counts_packets_to_other_addresses_apart(void **state)
{
	struct sink_cfg all = usual;
	struct packet_frame frame;
	unsigned int bit, way;
	uint64_t received;

	(void)state;
	all.check = 0;
	all.no_verify = 1;
	all.match = SINK_MATCH_ALL;
	variant.own_mac = true;
	for (way = 0; way < 2; way++) {
		assert_int_equal(load(way ? all : usual), 0);
		packet_build(&frame, &(struct packet_spec){ .dst_port = PORT, .payload_bytes = 18 });
		assert_int_equal(run_frame(&frame), XDP_DROP);
		for (bit = 0; bit < 48; bit++) {
			frame.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
			assert_int_equal(run_frame(&frame), bit ? XDP_PASS : XDP_DROP);
			frame.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		}
		received = read_rec(STREAMS).packets;
		assert_int_equal(read_odd().other_mac, 47);
		assert_int_equal(received, 2);
		assert_int_equal(read_odd().foreign, 0);
	}
}

static void counts_everything_when_asked(void **state)
{
	static const struct packet_spec echo = { .echo = true, .payload_bytes = 18 };
	struct sink_cfg cfg = usual;
	struct packet_frame frame;

	(void)state;
	cfg.match = SINK_MATCH_ALL;
	assert_int_equal(load(cfg), 0);
	packet_build(&frame, &echo);
	assert_int_equal(run_frame(&frame), XDP_DROP);
	assert_int_equal(send_tag(0, 0, 1), XDP_DROP);
	assert_int_equal(read_odd().untagged, 1);
	assert_int_equal(read_seq(0).distinct, 1);
}

static void only_counts_when_asked(void **state)
{
	struct sink_cfg cfg = usual;
	struct sink_rec rec;
	uint32_t i;

	(void)state;
	cfg.check = 0;
	assert_int_equal(load(cfg), 0);
	for (i = 0; i < 4201; i++)
		send_tag(0, i, 1);
	rec = read_rec(STREAMS);
	assert_int_equal(rec.packets, 4201);
	/* One in 64 is stamped from the 4096th on; the stamp names its packet. */
	assert_int_equal(rec.last_packets, 4160);
	assert_true(rec.last_mono_ns > rec.first_mono_ns);
	assert_int_equal(read_seq(0).run, 0);
}

static void measures_no_gap_unless_asked(void **state)
{
	(void)state;
	send_tag(0, 0, 1);
	send_tag(0, 1, 2);
	assert_int_equal(read_of(skel->maps.sink_gaps, 0).count, 0);
	assert_int_equal(read_seq(0).arrived_ns, 0);
}

/* Held against the times around each run, which no interruption makes wrong. */
static void measures_the_gaps_of_a_stream(void **state)
{
	struct arrival at[3];
	struct hist_rec gaps;

	(void)state;
	load_with_gaps(0);
	at[0] = arrive(0, 0, 1);
	assert_int_equal(read_of(skel->maps.sink_gaps, 0).count, 0);
	pass_time(5 * MS);
	at[1] = arrive(0, 1, 2);
	gaps = read_of(skel->maps.sink_gaps, 0);
	assert_int_equal(gaps.count, 1);
	assert_in_range(gaps.sum_ns, at[1].from_ns - at[0].to_ns, at[1].to_ns - at[0].from_ns);
	assert_int_equal(gaps.max_ns, gaps.sum_ns);
	at[2] = arrive(0, 2, 3);
	gaps = read_of(skel->maps.sink_gaps, 0);
	assert_int_equal(gaps.count, 2);
	assert_in_range(gaps.sum_ns, at[2].from_ns - at[0].to_ns, at[2].to_ns - at[0].from_ns);
	assert_in_range(gaps.sum_ns - gaps.max_ns, 1, at[2].to_ns - at[1].from_ns);
	assert_int_equal(read_of(skel->maps.sink_gap_errors, 0).count, 0);
}

/* Duplicates, late ones and packets without a time arrive as well; other streams have their own. */
static void every_arrival_of_a_stream_ends_a_gap(void **state)
{
	uint64_t from_ns, to_ns;
	struct hist_rec gaps;

	(void)state;
	load_with_gaps(0);
	from_ns = harness_mono_ns();
	send_tag(0, 5, 5);
	send_tag(1, 0, 1);
	send_tag(0, 5, 5);
	send_tag(0, 3, 3);
	send_tag(0, 6, 0);
	send_tag(1, 1, 2);
	to_ns = harness_mono_ns();
	gaps = read_of(skel->maps.sink_gaps, 0);
	assert_int_equal(gaps.count, 3);
	assert_in_range(gaps.sum_ns, 1, to_ns - from_ns);
	assert_int_equal(gaps.sum_ns, read_rec(0).last_mono_ns - read_rec(0).first_mono_ns);
	assert_int_equal(read_of(skel->maps.sink_gaps, 1).count, 1);
	assert_int_equal(read_of(skel->maps.sink_gaps, 2).count, 0);
}

static void a_gap_error_is_the_distance_from_the_gap_expected(void **state)
{
	struct hist_rec gaps, errors;

	(void)state;
	load_with_gaps(1000 * MS);
	send_tag(0, 0, 1);
	send_tag(0, 1, 2);
	pass_time(3 * MS);
	send_tag(0, 2, 3);
	gaps = read_of(skel->maps.sink_gaps, 0);
	errors = read_of(skel->maps.sink_gap_errors, 0);
	assert_int_equal(errors.count, 2);
	assert_int_equal(errors.sum_ns, 2 * 1000 * MS - gaps.sum_ns);
	assert_int_equal(errors.max_ns, 1000 * MS - ~gaps.not_min_ns);
	assert_int_equal(errors.negative, 0);

	load_with_gaps(7);
	send_tag(0, 0, 1);
	pass_time(MS);
	send_tag(0, 1, 2);
	errors = read_of(skel->maps.sink_gap_errors, 0);
	assert_int_equal(errors.count, 1);
	assert_int_equal(errors.sum_ns, read_of(skel->maps.sink_gaps, 0).sum_ns - 7);
}

static void sums_the_squares_of_delays_and_gaps(void **state)
{
	/* On either side of 2^32 ns; of 59 s the square has 72 bits. */
	static const uint64_t delays_ns[] = { 1, 4294967000, 59000 * MS, 3 * MS, 4295 * MS };
	struct harness_follow delays = { 0 }, gaps = { 0 }, errors = { 0 };
	struct hist_rec hist;
	uint32_t i;

	(void)state;
	load_with_gaps(1000 * MS);
	for (i = 0; i < 23; i++) {
		send_tag(0, i, harness_mono_ns() - delays_ns[i % 5]);
		pass_time(i * MS / 10);
		hist = read_hist(0);
		harness_follow(&delays, &hist);
		hist = read_of(skel->maps.sink_gaps, 0);
		harness_follow(&gaps, &hist);
		hist = read_of(skel->maps.sink_gap_errors, 0);
		harness_follow(&errors, &hist);
	}
	assert_int_equal(delays.count, 23);
	assert_int_equal(gaps.count, 22);
	assert_int_equal(errors.count, 22);
	assert_true(read_hist(0).square_high > 0);
}

/* As if another CPU had read its clock later and got the lock first. */
static void an_earlier_clock_after_the_lock_is_an_interval_of_0(void **state)
{
	uint64_t ahead_ns = harness_mono_ns() + 1000000 * MS;
	struct seq_slot slot;
	struct hist_rec gaps;
	uint32_t stream = 0;

	(void)state;
	load_with_gaps(0);
	send_tag(0, 0, 1);
	harness_read(skel->maps.sink_seqs, stream, &slot);
	slot.state.arrived_ns = ahead_ns;
	assert_int_equal(bpf_map_update_elem(bpf_map__fd(skel->maps.sink_seqs), &stream, &slot,
					     BPF_ANY), 0);
	send_tag(0, 1, 2);
	gaps = read_of(skel->maps.sink_gaps, 0);
	assert_int_equal(gaps.count, 1);
	assert_int_equal(gaps.sum_ns, 0);
	assert_int_equal(gaps.negative, 0);
	assert_int_equal(read_seq(0).arrived_ns, ahead_ns);
}

/* Payload sizes around every step of the sum: words, rows of words, odd ends. */
static const size_t damage_sizes[] = { 18, 19, 20, 21, 25, 33, 41, 55, 56, 57, 64, 119, 120, 121, 511, 1473, 2047,
	2900 };

static const struct packet_spec damage_shapes[] = {
	{ .version = 4 }, { .version = 6 }, { .version = 4, .vlans = 1 }, { .version = 6, .vlans = 2 },
	{ .version = 4, .option_bytes = 4 }, { .version = 4, .option_bytes = 40 },
	{ .version = 6, .extensions = 3 },
};

#define NR(array) (sizeof(array) / sizeof((array)[0]))

/* A tagged packet of number @sequence of stream 1 with @payload_bytes. */
static void build_sized(struct packet_frame *ret_frame, const struct packet_spec *shape,
			uint32_t sequence, size_t payload_bytes)
{
	static uint8_t payload[PACKET_MAX_BYTES];
	struct packet_spec spec = *shape;
	size_t i;

	packet_tag(payload, PACKET_RUN, 1, sequence, harness_mono_ns());
	for (i = 18; i < payload_bytes; i++)
		payload[i] = (uint8_t)(i * 31 + sequence);
	if (variant.verify_payload)
		packet_pattern(payload + 18, payload_bytes - 18);
	spec.dst_port = PORT;
	spec.payload = payload;
	spec.payload_bytes = payload_bytes;
	packet_build(ret_frame, &spec);
}

static uint16_t check_of(const struct packet_frame *frame)
{
	return (uint16_t)(frame->bytes[frame->l4 + 6] << 8 | frame->bytes[frame->l4 + 7]);
}

static void set_check(struct packet_frame *frame, size_t offset, uint16_t value)
{
	frame->bytes[frame->l4 + offset] = (uint8_t)(value >> 8);
	frame->bytes[frame->l4 + offset + 1] = (uint8_t)value;
}

/* The pseudo-header's sum, as a stack leaves it in the field for its NIC. */
static uint16_t pseudo_of(const struct packet_frame *frame, uint8_t proto)
{
	uint32_t start = (uint32_t)(frame->ip_end - frame->l4) + proto;

	return frame->version == 6 ? packet_sum(frame->bytes + frame->l3 + 8, 32, start) :
				     packet_sum(frame->bytes + frame->l3 + 12, 8, start);
}

/* No other figure changes. */
static void assert_counts(uint64_t good, uint64_t damaged, uint64_t bad_payload, uint64_t unverified)
{
	assert_int_equal(read_odd().damaged, damaged);
	assert_int_equal(read_odd().bad_payload, bad_payload);
	assert_int_equal(read_odd().unverified, unverified);
	assert_int_equal(read_odd().untagged, 0);
	assert_int_equal(read_seq(1).distinct, good);
	assert_int_equal(read_seq(1).duplicates, 0);
	assert_int_equal(read_seq(1).reordered, 0);
	assert_int_equal(read_rec(1).packets, good);
	assert_int_equal(read_hist(1).count, good);
	assert_int_equal(read_rec(STREAMS).packets, damaged + bad_payload);
}

static void assert_damage(uint64_t good, uint64_t damaged, uint64_t unverified)
{
	assert_counts(good, damaged, 0, unverified);
}

static void assert_payloads(uint64_t good, uint64_t bad, uint64_t unverified)
{
	assert_counts(good, 0, bad, unverified);
}

static void a_right_checksum_is_right_in_every_shape_and_size(void **state)
{
	struct packet_frame frame;
	uint32_t nr = 0;
	size_t i, k;

	(void)state;
	for (i = 0; i < NR(damage_shapes); i++) {
		for (k = 0; k < NR(damage_sizes); k++) {
			build_sized(&frame, &damage_shapes[i], nr++, damage_sizes[k]);
			assert_true(packet_checksums_are_right(&frame));
			assert_int_equal(run_frame(&frame), XDP_DROP);
			assert_damage(nr, 0, 0);
		}
	}
}

/* Ports are what a test packet is known by, and a checksum of 0 means that there is none. */
static void any_bit_of_udp_that_is_wrong_is_found(void **state)
{
	uint64_t nr = 0, damaged = 0;
	struct packet_frame frame;
	size_t i, k, at;

	(void)state;
	for (i = 0; i < NR(damage_shapes); i++) {
		for (k = 0; k < NR(damage_sizes); k++) {
			build_sized(&frame, &damage_shapes[i], 7, damage_sizes[k]);
			for (at = frame.l4; at < frame.ip_end; at += damage_sizes[k] > 200 ? 41 : 1) {
				uint8_t bit = (uint8_t)(1 << nr % 8);

				if (at == frame.l4 + 2 || at == frame.l4 + 3)
					continue;
				frame.bytes[at] ^= bit;
				if (check_of(&frame)) {
					assert_int_equal(run_frame(&frame), XDP_DROP);
					damaged++;
				}
				frame.bytes[at] ^= bit;
				nr++;
			}
			/* The last byte too. */
			frame.bytes[frame.ip_end - 1] ^= 0x10;
			assert_int_equal(run_frame(&frame), XDP_DROP);
			damaged++;
		}
		assert_damage(0, damaged, 0);
	}
	assert_true(damaged > 3000);
}

/* Blocks by the kernel's sum; where it takes none of this size, all by words. */
static void sums_by_the_kernel_are_the_same(void **state)
{
	variant.sum_blocks = true;
	assert_int_equal(load(usual), 0);
	a_right_checksum_is_right_in_every_shape_and_size(state);
	harness_empty(skel->obj);
	any_bit_of_udp_that_is_wrong_is_found(state);
}

/* Some bits make it no test packet; none makes it a good one. */
static void any_bit_of_an_ip4_header_that_is_wrong_is_found(void **state)
{
	static const unsigned int options[] = { 0, 4, 40 };
	struct packet_frame frame;
	uint64_t tries = 0;
	size_t i, bit;

	(void)state;
	for (i = 0; i < NR(options); i++) {
		struct packet_spec shape = { .option_bytes = options[i] };

		build_sized(&frame, &shape, 7, 30);
		for (bit = 8 * frame.l3; bit < 8 * frame.l4; bit++) {
			frame.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
			run_frame(&frame);
			frame.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
			tries++;
			assert_int_equal(read_odd().damaged + read_odd().foreign, tries);
			assert_int_equal(read_seq(1).distinct, 0);
		}
	}
	assert_true(read_odd().damaged > tries * 3 / 4);
	run_frame(&frame);
	assert_int_equal(read_seq(1).distinct, 1);
}

static void no_checksum_is_not_verified_over_ip4_and_wrong_over_ip6(void **state)
{
	struct packet_frame frame;

	(void)state;
	build_sized(&frame, &damage_shapes[0], 0, 18);
	set_check(&frame, 6, 0);
	run_frame(&frame);
	assert_damage(1, 0, 1);
	build_sized(&frame, &damage_shapes[1], 1, 18);
	set_check(&frame, 6, 0);
	run_frame(&frame);
	assert_damage(1, 1, 1);
}

/* What a socket of this host sends over veth looks like this. */
static void a_checksum_left_to_a_nic_is_not_wrong(void **state)
{
	struct packet_frame frame;
	uint32_t nr = 0;
	size_t i, k;

	(void)state;
	for (i = 0; i < NR(damage_shapes); i++) {
		for (k = 0; k < NR(damage_sizes); k++) {
			build_sized(&frame, &damage_shapes[i], nr++, damage_sizes[k]);
			set_check(&frame, 6, pseudo_of(&frame, 17));
			run_frame(&frame);
			assert_damage(nr, 0, nr);
		}
	}
}

static void a_length_that_contradicts_is_wrong_and_padding_is_not_summed(void **state)
{
	struct packet_frame frame;

	(void)state;
	build_sized(&frame, &damage_shapes[0], 0, 30);
	packet_set_udp_bytes(&frame, 39);
	run_frame(&frame);
	packet_set_udp_bytes(&frame, 37);
	run_frame(&frame);
	packet_set_udp_bytes(&frame, 7);
	run_frame(&frame);
	assert_damage(0, 3, 0);
	packet_set_udp_bytes(&frame, 38);
	memset(frame.bytes + frame.len, 0xa5, 5);
	frame.len += 5;
	run_frame(&frame);
	assert_damage(1, 3, 0);
}

/* Its number moves nothing: it is missing, until a good copy comes. */
static void a_good_copy_of_a_damaged_packet_is_the_first(void **state)
{
	struct packet_frame frame;
	uint32_t number;

	(void)state;
	for (number = 0; number < 200; number++) {
		build_sized(&frame, &damage_shapes[0], number == 100 ? 900000 : number, 40);
		if (number % 10 == 3 || number == 100) {
			frame.bytes[frame.l4 + 40] ^= 4;
			run_frame(&frame);
			frame.bytes[frame.l4 + 40] ^= 4;
		}
		if (number != 100)
			run_frame(&frame);
	}
	assert_damage(199, 21, 0);
	assert_int_equal(read_seq(1).next - read_seq(1).base, 200);
	assert_int_equal(read_seq(1).implausible, 0);
}

static void the_packet_of_another_run_is_no_damage_of_this_one(void **state)
{
	struct sink_cfg cfg = usual;
	struct packet_frame frame;

	(void)state;
	cfg.run = PACKET_RUN + 1;
	assert_int_equal(load(cfg), 0);
	build_sized(&frame, &damage_shapes[0], 0, 40);
	frame.bytes[frame.ip_end - 1] ^= 1;
	run_frame(&frame);
	assert_int_equal(read_odd().other_run, 1);
	assert_damage(0, 0, 0);
	/* Whose it was can no longer be known. */
	frame.bytes[frame.l4 + 10] ^= 1;
	run_frame(&frame);
	assert_int_equal(read_odd().other_run, 1);
	assert_damage(0, 1, 0);
}

/* TCP as far as a checksum goes: the packet's UDP bytes, with it where TCP has it. */
static void make_tcp(struct packet_frame *frame, uint8_t proto)
{
	struct packet_frame *f = frame;
	uint16_t sum;

	f->bytes[f->version == 6 ? f->l3 + 6 : f->l3 + 9] = proto;
	packet_set_ip_end(f, f->ip_end);
	set_check(f, 16, 0);
	sum = packet_sum(f->bytes + f->l4, f->ip_end - f->l4, pseudo_of(f, proto));
	set_check(f, 16, (uint16_t)~sum);
}

static void tcp_and_icmp_are_verified_and_what_has_no_such_checksum_is_not(void **state)
{
	struct sink_cfg cfg = usual;
	struct packet_frame frame;
	unsigned int version;

	(void)state;
	cfg.match = SINK_MATCH_ALL;
	for (version = 4; version <= 6; version += 2) {
		struct packet_spec shape = { .version = version };
		struct packet_spec echo = { .version = version, .echo = true, .payload_bytes = 57 };

		assert_int_equal(load(cfg), 0);
		packet_build(&frame, &echo);
		run_frame(&frame);
		assert_int_equal(read_odd().damaged, 0);
		frame.bytes[frame.ip_end - 1] ^= 0x80;
		run_frame(&frame);
		assert_int_equal(read_odd().damaged, 1);
		build_sized(&frame, &shape, 0, 41);
		make_tcp(&frame, 6);
		run_frame(&frame);
		assert_int_equal(read_odd().damaged, 1);
		assert_int_equal(read_odd().unverified, 0);
		frame.bytes[frame.ip_end - 1] ^= 0x80;
		run_frame(&frame);
		assert_int_equal(read_odd().damaged, 2);
		set_check(&frame, 16, pseudo_of(&frame, 6));
		run_frame(&frame);
		assert_int_equal(read_odd().damaged, 2);
		assert_int_equal(read_odd().unverified, 1);
		make_tcp(&frame, 132);		/* SCTP, whose checksum is another */
		run_frame(&frame);
		assert_int_equal(read_odd().damaged, 2);
		assert_int_equal(read_odd().unverified, 2);
	}
	/* A first fragment; there is nothing to verify where there is no IP at all. */
	build_sized(&frame, &damage_shapes[0], 0, 40);
	frame.bytes[frame.l3 + 6] = 0x20;
	packet_set_ip_end(&frame, frame.ip_end);
	run_frame(&frame);
	frame.bytes[12] = frame.bytes[13] = 6;
	run_frame(&frame);
	assert_int_equal(read_odd().damaged, 2);
	assert_int_equal(read_odd().unverified, 3);
}

/* Headers that a tag follows, by their first byte, by TCP's offset, and by what verifies them. */
static const struct last_header {
	unsigned int version;		/* 0: no IP at all */
	uint8_t proto;
	size_t header_bytes;
	uint8_t first, offset;
	size_t check_at;		/* 0: none */
	bool is_icmp;
} headers[] = {
	{ 4, 6, 20, 0, 0x50, 16 }, { 6, 6, 60, 0, 0xf0, 16 }, { 4, 6, 32, 0x1f, 0x80, 16 },
	{ 4, 1, 8, 8, 0, 2, true }, { 4, 1, 8, 0, 0, 2, true }, { 6, 58, 8, 128, 0, 2, true },
	{ 4, 47, 4 }, { 6, 47, 8, 0x20 }, { 4, 47, 8, 0x80 }, { 4, 47, 8, 0x10 }, { 6, 47, 16, 0xb0 },
	{ 4, 253, 0 }, { 6, 253, 0 }, { 6, 59, 0 }, { 4, 132, 0 }, { 0 },
};

static void build_after(struct packet_frame *ret_frame, const struct last_header *last,
			 unsigned int vlans, uint16_t port, const uint8_t tag[18])
{
	struct packet_spec shape = {
		.version = last->version, .vlans = vlans,
		.payload_bytes = last->header_bytes + 18 + 5 - 8,
	};
	struct packet_frame *f = ret_frame;
	uint32_t pseudo;

	packet_build(f, &shape);
	if (!last->version) {
		f->bytes[f->l3 - 2] = 0x88;
		f->bytes[f->l3 - 1] = 0xb5;
		memcpy(f->bytes + f->l3, tag, 18);
		return;
	}
	f->bytes[f->version == 6 ? f->l3 + 6 : f->l3 + 9] = last->proto;
	packet_set_ip_end(f, f->ip_end);
	memset(f->bytes + f->l4, 0, last->header_bytes);
	if (last->proto == 6) {
		f->bytes[f->l4 + 3] = (uint8_t)port;
		f->bytes[f->l4 + 12] = last->offset;
	}
	f->bytes[f->l4] = last->first;
	memcpy(f->bytes + f->l4 + last->header_bytes, tag, 18);
	if (!last->check_at)
		return;
	pseudo = last->proto == 1 ? 0 : pseudo_of(f, last->proto);
	set_check(f, last->check_at,
		  (uint16_t)~packet_sum(f->bytes + f->l4, f->ip_end - f->l4, pseudo));
}

static int send_after(const struct last_header *last, unsigned int vlans, uint16_t port, uint16_t run,
		       uint32_t sequence)
{
	struct packet_frame frame;
	uint8_t tag[18];

	packet_tag(tag, run, 1, sequence, harness_mono_ns());
	build_after(&frame, last, vlans, port, tag);
	return run_frame(&frame);
}

static void a_tag_of_the_run_is_found_after_any_header(void **state)
{
	static const enum sink_match matches[] = { SINK_MATCH_DEST, SINK_MATCH_TAG, SINK_MATCH_ALL };
	size_t n = sizeof(headers) / sizeof(headers[0]), i, k;
	struct sink_cfg cfg = usual;
	struct packet_frame frame;
	unsigned int vlans, bit;
	uint32_t sequence;
	uint8_t tag[18];

	(void)state;
	cfg.run = PACKET_RUN;
	for (k = 0; k < 3; k++) {
		cfg.match = (uint8_t)matches[k];
		assert_int_equal(load(cfg), 0);
		sequence = 0;
		for (vlans = 0; vlans <= 2; vlans++) {
			for (i = 0; i < n; i++, sequence++) {
				if (send_after(&headers[i], vlans, 77, PACKET_RUN, sequence) != XDP_DROP)
					fail_msg("match %zu, %u VLANs: header %zu", k, vlans, i);
			}
		}
		assert_int_equal(read_seq(1).distinct, sequence);
		assert_int_equal(read_rec(1).packets, sequence);
		assert_int_equal(read_hist(1).count, sequence);
		assert_int_equal(read_odd().damaged, 0);
		assert_int_equal(read_odd().untagged, 0);
		assert_int_equal(read_odd().foreign, 0);
	}
	cfg.match = SINK_MATCH_TAG;
	assert_int_equal(load(cfg), 0);
	for (i = 0; i < n; i++) {
		assert_int_equal(send_after(&headers[i], 0, PORT, PACKET_RUN + 1, 0), XDP_PASS);
		for (bit = 0; bit < 18 * 8; bit += 7) {
			packet_tag(tag, PACKET_RUN, 1, 0, 1);
			tag[bit / 8] ^= (uint8_t)(1 << bit % 8);
			build_after(&frame, &headers[i], 0, PORT, tag);
			assert_int_equal(run_frame(&frame), XDP_PASS);
		}
	}
	assert_int_equal(send_tag(0, 0, 1), XDP_DROP);
	assert_int_equal(send_of(PACKET_RUN + 1, 0, 0, 1), XDP_PASS);
	assert_int_equal(read_odd().foreign, n * (1 + 21) + 1);
	assert_int_equal(read_seq(1).distinct, 0);
}

/* ping sends tags after ICMP, and other verbs to ports of their own. */
static void without_a_run_tcp_must_be_to_the_port_and_icmp_is_left_alone(void **state)
{
	size_t n = sizeof(headers) / sizeof(headers[0]), i;
	struct packet_frame frame;
	uint32_t taken = 0;
	uint8_t tag[18];

	(void)state;
	for (i = 0; i < n; i++) {
		assert_int_equal(send_after(&headers[i], 0, PORT, PACKET_RUN, taken),
				 headers[i].is_icmp ? XDP_PASS : XDP_DROP);
		taken += !headers[i].is_icmp;
		if (headers[i].proto == 6)
			assert_int_equal(send_after(&headers[i], 0, PORT + 1, PACKET_RUN, 7), XDP_PASS);
	}
	assert_int_equal(read_seq(1).distinct, taken);
	/* To the port, but without a tag: a connection of the stack's. */
	memset(tag, 0, sizeof(tag));
	build_after(&frame, &headers[0], 0, PORT, tag);
	assert_int_equal(run_frame(&frame), XDP_PASS);
	assert_int_equal(read_odd().untagged, 0);
}

static void a_frame_that_is_cut_has_no_tag_after_any_header(void **state)
{
	size_t n = sizeof(headers) / sizeof(headers[0]), i, len;
	struct sink_cfg cfg = usual;
	struct packet_frame frame;
	struct harness_out out;
	uint8_t tag[18];

	(void)state;
	cfg.match = SINK_MATCH_TAG;
	cfg.run = PACKET_RUN;
	assert_int_equal(load(cfg), 0);
	packet_tag(tag, PACKET_RUN, 1, 0, 1);
	for (i = 0; i < n; i++) {
		build_after(&frame, &headers[i], 0, PORT, tag);
		/* Without IP nothing says how long it is: bytes after the tag may be missing. */
		for (len = 14; len < (headers[i].version ? frame.len : 14 + 18); len++) {
			harness_run(skel->progs.sink_xdp, frame.bytes, len, &out);
			assert_int_equal(out.action, XDP_PASS);
		}
	}
	assert_int_equal(read_seq(1).distinct, 0);
}

static void counts_damage_without_tags_too(void **state)
{
	struct sink_cfg cfg = usual;
	struct packet_frame frame;

	(void)state;
	cfg.check = 0;
	assert_int_equal(load(cfg), 0);
	build_sized(&frame, &damage_shapes[1], 0, 40);
	run_frame(&frame);
	frame.bytes[frame.ip_end - 1] ^= 1;
	run_frame(&frame);
	run_frame(&frame);
	assert_int_equal(read_odd().damaged, 2);
	assert_int_equal(read_rec(STREAMS).packets, 3);
}

static void verifies_nothing_where_packets_are_counted_only(void **state)
{
	static const enum sink_match matches[] = { SINK_MATCH_DEST, SINK_MATCH_ALL };
	struct sink_cfg cfg = usual;
	struct packet_frame frame;

	(void)state;
	cfg.check = 0;
	cfg.vary = 0;
	cfg.no_verify = 1;
	for (unsigned int i = 0; i < 2; i++) {
		cfg.match = matches[i];
		assert_int_equal(load(cfg), 0);
		build_sized(&frame, &damage_shapes[1], 0, 40);
		frame.bytes[frame.ip_end - 1] ^= 1;
		run_frame(&frame);
		assert_int_equal(read_odd().damaged, 0);
		assert_int_equal(read_odd().unverified, 0);
		assert_int_equal(read_rec(STREAMS).packets, 1);
		assert_int_equal(read_rec(STREAMS).bytes, frame.len);
	}
}

static void leaves_l4_when_asked_and_verifies_ip4_always(void **state)
{
	struct packet_frame frame;

	(void)state;
	variant.no_l4 = true;
	assert_int_equal(load(usual), 0);
	build_sized(&frame, &damage_shapes[0], 0, 40);
	frame.bytes[frame.ip_end - 1] ^= 1;
	run_frame(&frame);
	assert_damage(1, 0, 0);
	frame.bytes[frame.l3 + 8] ^= 1;
	run_frame(&frame);
	assert_damage(1, 1, 0);
}

/* In the first buffer it is verified; what goes on in others is neither good nor damaged. */
static void what_lies_in_several_buffers_is_not_verified(void **state)
{
	struct packet_frame frame;

	(void)state;
	if (!harness_has_frags())
		harness_cannot("multi-buffer");
	variant.frags = true;
	assert_int_equal(load(usual), 0);
	build_sized(&frame, &damage_shapes[0], 0, 9000);
	run_frame(&frame);
	assert_damage(1, 0, 1);
	build_sized(&frame, &damage_shapes[0], 1, 9000);
	frame.bytes[frame.ip_end - 1] ^= 1;
	run_frame(&frame);
	assert_damage(2, 0, 2);
	frame.bytes[frame.l3 + 8] ^= 1;
	run_frame(&frame);
	assert_damage(2, 1, 2);
	build_sized(&frame, &damage_shapes[0], 2, 1473);
	run_frame(&frame);
	assert_damage(3, 1, 2);
	frame.bytes[frame.ip_end - 1] ^= 1;
	run_frame(&frame);
	assert_damage(3, 2, 2);
}

/* In generic mode the kernel reports the drop of its skb, which is no second packet. */
static void a_damaged_packet_is_noted_as_seen(void **state)
{
	struct packet_frame frame;
	struct seen_packet seen;

	(void)state;
	variant.note_seen = true;
	assert_int_equal(load(usual), 0);
	build_sized(&frame, &damage_shapes[0], 77, 40);
	frame.bytes[frame.ip_end - 1] ^= 1;
	run_frame(&frame);
	assert_damage(0, 1, 0);
	harness_read(skel->maps.seen_packets, seen_slot(1, 77), &seen);
	assert_int_equal(seen.end, seen_end(1, 77, 0));
}

static void a_drop_of_a_packet_that_arrives_later_is_taken_back_once(void **state)
{
	const uint64_t place = 0x12345679;
	struct seen_packet seen = { .end = seen_end(1, 77, place) };
	uint32_t slot = seen_slot(1, 77);
	uint64_t packets = 0;
	int fd;

	(void)state;
	variant.note_seen = true;
	assert_int_equal(load(usual), 0);
	assert_int_equal(bpf_map_update_elem(bpf_map__fd(skel->maps.seen_packets), &slot, &seen, 0), 0);
	fd = bpf_map__fd(skel->maps.drops_taken_back);
	send_tag(1, 76, 1);
	assert_int_not_equal(bpf_map_lookup_elem(fd, &place, &packets), 0);
	send_tag(1, 77, 1);
	send_tag(1, 77, 1);
	assert_int_equal(bpf_map_lookup_elem(fd, &place, &packets), 0);
	assert_int_equal(packets, 1);
	harness_read(skel->maps.seen_packets, slot, &seen);
	assert_int_equal(seen.end, seen_end(1, 77, 0));
}

static void load_verifying(void)
{
	variant.verify_payload = true;
	assert_int_equal(load(usual), 0);
}

/* Makes the checksum that of the bytes as they are. */
static void mend_check(struct packet_frame *frame)
{
	uint16_t sum;

	set_check(frame, 6, 0);
	sum = (uint16_t)~packet_sum(frame->bytes + frame->l4, frame->ip_end - frame->l4,
				    pseudo_of(frame, 17));
	set_check(frame, 6, sum ? sum : 0xffff);
	assert_true(packet_checksums_are_right(frame));
}

static void the_pattern_is_right_in_every_shape_and_size(void **state)
{
	struct packet_frame frame;
	uint32_t nr = 0;
	size_t i, bytes;

	(void)state;
	load_verifying();
	for (i = 0; i < NR(damage_shapes); i++) {
		for (bytes = 18; bytes < 2900; bytes += bytes < 160 ? 1 : 61) {
			build_sized(&frame, &damage_shapes[i], nr++, bytes);
			assert_int_equal(run_frame(&frame), XDP_DROP);
			assert_payloads(nr, 0, 0);
		}
	}
}

/* From the tag's end on: frames of 65, 71, 72 and 1518 bytes over IPv4, and longer ones. */
static void any_bit_of_the_payload_that_is_wrong_is_found_behind_a_right_checksum(void **state)
{
	static const size_t sizes[] = { 19, 25, 26, 27, 33, 34, 1472, 2900 };
	struct packet_frame frame;
	uint64_t nr = 0;
	size_t i, k, bit;

	(void)state;
	load_verifying();
	for (i = 0; i < NR(damage_shapes); i += 3) {
		for (k = 0; k < NR(sizes); k++) {
			/* Of the others one in 65, which meets each byte's and word's bits in turn. */
			size_t step = sizes[k] < 100 || (!i && sizes[k] == 1472) ? harness_runs(1, 3) : 65;

			build_sized(&frame, &damage_shapes[i], 7, sizes[k]);
			for (bit = 8 * (frame.l4 + 26); bit < 8 * frame.ip_end; bit += step) {
				frame.bytes[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
				mend_check(&frame);
				assert_int_equal(run_frame(&frame), XDP_DROP);
				frame.bytes[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
				nr++;
			}
			assert_payloads(0, nr, 0);
		}
	}
}

static void a_payload_of_zeros_or_out_of_place_is_wrong(void **state)
{
	struct packet_frame frame;
	uint8_t *rest, other[8];
	uint64_t nr = 0;
	size_t shift;

	(void)state;
	load_verifying();
	for (shift = 1; shift <= 16; shift++) {
		build_sized(&frame, &damage_shapes[0], 7, 600);
		rest = frame.bytes + frame.l4 + 26;
		memmove(rest, rest + shift, 582 - shift);
		mend_check(&frame);
		run_frame(&frame);
		assert_payloads(0, ++nr, 0);
	}
	build_sized(&frame, &damage_shapes[0], 7, 600);
	rest = frame.bytes + frame.l4 + 26;
	memcpy(other, rest + 80, 8);
	memcpy(rest + 80, rest + 400, 8);
	memcpy(rest + 400, other, 8);
	mend_check(&frame);
	run_frame(&frame);
	assert_payloads(0, ++nr, 0);
	memset(rest, 0, 582);
	mend_check(&frame);
	run_frame(&frame);
	assert_payloads(0, ++nr, 0);
	build_sized(&frame, &damage_shapes[0], 7, 600);
	memset(frame.bytes + frame.ip_end - 100, 0, 100);
	mend_check(&frame);
	run_frame(&frame);
	assert_payloads(0, ++nr, 0);
}

/* A wrong checksum says it already; no checksum says nothing, and then the payload does. */
static void a_packet_is_damaged_once(void **state)
{
	struct packet_frame frame;

	(void)state;
	load_verifying();
	build_sized(&frame, &damage_shapes[0], 0, 40);
	frame.bytes[frame.ip_end - 1] ^= 1;
	run_frame(&frame);
	assert_int_equal(read_odd().damaged, 1);
	assert_int_equal(read_odd().bad_payload, 0);
	set_check(&frame, 6, 0);
	run_frame(&frame);
	assert_int_equal(read_odd().damaged, 1);
	assert_int_equal(read_odd().bad_payload, 1);
	assert_int_equal(read_odd().unverified, 0);
	frame.bytes[frame.ip_end - 1] ^= 1;
	run_frame(&frame);
	assert_int_equal(read_odd().unverified, 1);
	assert_int_equal(read_odd().bad_payload, 1);
	assert_int_equal(read_seq(1).distinct, 1);
}

static void only_the_payload_behind_a_tag_of_this_run_is_verified(void **state)
{
	struct sink_cfg cfg = usual;
	struct packet_frame frame;

	(void)state;
	variant.verify_payload = true;
	cfg.run = PACKET_RUN + 1;
	assert_int_equal(load(cfg), 0);
	build_sized(&frame, &damage_shapes[0], 0, 40);
	frame.bytes[frame.ip_end - 1] ^= 1;
	mend_check(&frame);
	run_frame(&frame);
	assert_int_equal(read_odd().other_run, 1);
	memset(frame.bytes + frame.l4 + 8, 0, 18);
	mend_check(&frame);
	run_frame(&frame);
	assert_int_equal(read_odd().untagged, 1);
	assert_int_equal(read_odd().bad_payload, 0);
}

static void no_payload_is_verified_unless_asked(void **state)
{
	struct packet_frame frame;

	(void)state;
	build_sized(&frame, &damage_shapes[0], 0, 600);
	run_frame(&frame);
	assert_payloads(1, 0, 0);
}

/* Its length says more than the frame has: without the L4 checksum only the payload tells. */
static void a_payload_that_is_cut_is_wrong(void **state)
{
	struct packet_frame frame;

	(void)state;
	variant.no_l4 = true;
	load_verifying();
	build_sized(&frame, &damage_shapes[0], 0, 40);
	packet_set_udp_bytes(&frame, 49);
	run_frame(&frame);
	assert_payloads(0, 1, 0);
	packet_set_udp_bytes(&frame, 47);
	run_frame(&frame);
	assert_payloads(1, 1, 0);
}

/* The checksum of such a packet is not verified, its payload is. */
static void the_payload_in_several_buffers_is_verified(void **state)
{
	struct packet_frame frame;
	uint64_t bad = 0;
	size_t at;

	(void)state;
	if (!harness_has_frags())
		harness_cannot("multi-buffer");
	variant.frags = true;
	load_verifying();
	build_sized(&frame, &damage_shapes[0], 0, 8972);
	assert_int_equal(frame.len, 9014);
	run_frame(&frame);
	assert_payloads(1, 0, 1);
	for (at = frame.l4 + 26; at < frame.len; at += 7) {
		frame.bytes[at] ^= 0x10;
		run_frame(&frame);
		frame.bytes[at] ^= 0x10;
		assert_int_equal(read_odd().bad_payload, ++bad);
	}
	frame.bytes[frame.len - 1] ^= 1;
	run_frame(&frame);
	assert_payloads(1, ++bad, 1);
	build_sized(&frame, &damage_shapes[0], 1, 1472);
	run_frame(&frame);
	assert_payloads(2, bad, 1);
}

/* The longest that is verified, and one that is longer. */
static void a_payload_that_is_too_long_is_not_verified(void **state)
{
	struct packet_frame frame;

	(void)state;
	if (!harness_has_frags())
		harness_cannot("multi-buffer");
	variant.frags = true;
	load_verifying();
	build_sized(&frame, &damage_shapes[0], 0, PACKET_MAX_BYTES - 1 - 42);
	run_frame(&frame);
	assert_payloads(1, 0, 1);
	frame.bytes[frame.len - 1] ^= 1;
	run_frame(&frame);
	assert_payloads(1, 1, 1);
	build_sized(&frame, &damage_shapes[0], 1, PACKET_MAX_BYTES - 42);
	frame.bytes[frame.len - 1] ^= 1;
	run_frame(&frame);
	assert_payloads(2, 1, 2);
}

static void a_packet_with_a_bad_payload_is_noted_as_seen(void **state)
{
	struct packet_frame frame;
	struct seen_packet seen;

	(void)state;
	variant.note_seen = true;
	load_verifying();
	build_sized(&frame, &damage_shapes[0], 77, 40);
	frame.bytes[frame.ip_end - 1] ^= 1;
	mend_check(&frame);
	run_frame(&frame);
	assert_payloads(0, 1, 0);
	harness_read(skel->maps.seen_packets, seen_slot(1, 77), &seen);
	assert_int_equal(seen.end, seen_end(1, 77, 0));
}

int test_sink(void)
{
#define T(f) cmocka_unit_test_setup(f, load_usual)
	const struct CMUnitTest tests[] = {
		T(takes_every_good_shape),
		T(leaves_what_is_foreign),
		T(believes_no_frame_that_is_cut),
		T(believes_no_damaged_tag),
		T(counts_streams_beyond_its_table),
		T(measures_the_delay),
		T(delay_variation_is_of_the_smallest_delay),
		T(streams_without_a_record_share_the_last),
		T(counts_a_stamp_in_the_future_apart),
		T(does_not_time_what_is_implausible),
		T(does_not_time_what_has_no_stamp),
		T(tells_a_new_run_from_a_late_packet),
		T(widens_a_sequence_that_wraps),
		T(agrees_with_the_model),
		T(times_by_tai_when_asked),
		T(does_not_time_by_two_clocks),
		T(passes_on_when_asked),
		T(matches_reflections_by_source_port),
		T(matches_reflections_by_source_address),
		T(counts_packets_to_other_addresses_apart),
		T(counts_everything_when_asked),
		T(only_counts_when_asked),
		T(measures_no_gap_unless_asked),
		T(measures_the_gaps_of_a_stream),
		T(every_arrival_of_a_stream_ends_a_gap),
		T(a_gap_error_is_the_distance_from_the_gap_expected),
		T(sums_the_squares_of_delays_and_gaps),
		T(an_earlier_clock_after_the_lock_is_an_interval_of_0),
		T(a_right_checksum_is_right_in_every_shape_and_size),
		T(any_bit_of_udp_that_is_wrong_is_found),
		T(sums_by_the_kernel_are_the_same),
		T(any_bit_of_an_ip4_header_that_is_wrong_is_found),
		T(no_checksum_is_not_verified_over_ip4_and_wrong_over_ip6),
		T(a_checksum_left_to_a_nic_is_not_wrong),
		T(a_length_that_contradicts_is_wrong_and_padding_is_not_summed),
		T(a_good_copy_of_a_damaged_packet_is_the_first),
		T(the_packet_of_another_run_is_no_damage_of_this_one),
		T(tcp_and_icmp_are_verified_and_what_has_no_such_checksum_is_not),
		T(a_tag_of_the_run_is_found_after_any_header),
		T(without_a_run_tcp_must_be_to_the_port_and_icmp_is_left_alone),
		T(a_frame_that_is_cut_has_no_tag_after_any_header),
		T(counts_damage_without_tags_too),
		T(verifies_nothing_where_packets_are_counted_only),
		T(leaves_l4_when_asked_and_verifies_ip4_always),
		T(what_lies_in_several_buffers_is_not_verified),
		T(a_damaged_packet_is_noted_as_seen),
		T(a_drop_of_a_packet_that_arrives_later_is_taken_back_once),
		T(the_pattern_is_right_in_every_shape_and_size),
		T(any_bit_of_the_payload_that_is_wrong_is_found_behind_a_right_checksum),
		T(a_payload_of_zeros_or_out_of_place_is_wrong),
		T(a_packet_is_damaged_once),
		T(only_the_payload_behind_a_tag_of_this_run_is_verified),
		T(no_payload_is_verified_unless_asked),
		T(a_payload_that_is_cut_is_wrong),
		T(the_payload_in_several_buffers_is_verified),
		T(a_payload_that_is_too_long_is_not_verified),
		T(a_packet_with_a_bad_payload_is_noted_as_seen),
	};
#undef T

	return cmocka_run_group_tests_name("sink_xdp", tests, NULL, unload);
}
