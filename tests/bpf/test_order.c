// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sink_xdp's order, runs of loss and delay variation: held against the examples
 * of RFC 4737, and against a model that keeps all arrivals of a run in a list
 * and looks through all of it, as the definitions of the RFCs read. What a socket's
 * receiver counts (seqwin) is held against sink_xdp.
 */
#include "harness.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <bpf/bpf.h>
#include <linux/bpf.h>

#include "abi/hist.h"
#include "abi/seq.h"
#include "abi/sink.h"
#include "proto/seqwin.h"

#include "sink_xdp.skel.h"

#define PORT		9
#define MAX_ARRIVALS	20000

/* What the sender made: the number as it is, of which the tag has the low 32 bits. */
struct packet {
	unsigned int run;
	uint64_t number;
	uint64_t sent_ns;		/* 0: not stamped */
	unsigned int flips;		/* of bits of the tag, on the way */
};

/* One that arrived and was neither a duplicate nor unknown. */
struct got {
	uint64_t number;
	uint64_t now_ns;		/* 0: the program had no cause to look at the clock */
	int64_t delay_ns;
	bool timed;
};

/* In the names of the figures that they must equal. */
struct model {
	struct got list[MAX_ARRIVALS];	/* of this run, in order of arrival */
	size_t n;
	unsigned int run, before;
	bool started, has_before;
	struct held {
		bool is;
		struct packet packet;
		uint64_t now_ns, distinct;	/* and how many were accepted before it */
		uint64_t copies;
	} held[2];			/* the older one first */
	unsigned int runs;
	uint64_t other_run, implausible;
	uint64_t next, opened;
	uint64_t distinct, duplicates, reordered, distance_max, unknown, gaps;
	uint64_t loss_runs, loss_run_max;
	uint64_t extent_sum, extent_max, extents[SEQ_EXTENTS], n_reordered[SEQ_N_MAX + 1];
	uint64_t late_count, late_sum_ns, late_max_ns;
	unsigned __int128 late_squares, ipdv_abs_squares;
	uint64_t timed, jitter_x16_ns, ipdv_count, ipdv_abs_sum_ns;
	int64_t transit_ns, ipdv_sum_ns, ipdv_min_ns, ipdv_max_ns;
};

static struct {
	struct sink_xdp_bpf *skel;
	struct order_rec *order;
	struct vary_rec *vary;
	__u64 *ring;
	struct sink_rec *recs;
	struct packet_frame frame;
	struct model model;
	struct seqwin win;		/* the same arrivals at a socket */
	uint64_t base_ns;		/* of the senders' times: 2 s back */
	uint32_t seed;			/* of what is fed by chance */
	uint32_t window;
} t;

static void *map_memory(const struct bpf_map *map, size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);

	assert_ptr_not_equal(memory, MAP_FAILED);
	return memory;
}

static int load(uint32_t window, bool spin)
{
	static const struct packet_spec spec = { .dst_port = PORT, .payload_bytes = 18 };
	const struct sink_cfg cfg = {
		.port = htons(PORT), .match = SINK_MATCH_DEST, .check = 1, .streams = 1, .vary = 1,
		.pdv_streams = 1,
	};

	t.window = window;
	t.skel = harness_open_sink(spin);
	if (!t.skel)
		return -errno;
	memcpy((void *)&t.skel->rodata->cfg, &cfg, sizeof(cfg));
	t.skel->rodata->seq_window = window;
	bpf_map__set_value_size(t.skel->maps.sink_rings, SEQ_RING_BYTES(window, 1));
	bpf_map__set_max_entries(t.skel->maps.sink_recs, harness_cpus() * 2);
	bpf_map__set_max_entries(t.skel->maps.sink_hists, harness_cpus());
	bpf_map__set_max_entries(t.skel->maps.pdvs, harness_cpus());
	bpf_map__set_max_entries(t.skel->maps.sink_cpus, harness_cpus());
	if (sink_xdp_bpf__load(t.skel))
		return -errno;
	t.order = map_memory(t.skel->maps.sink_orders, sizeof(*t.order));
	t.vary = map_memory(t.skel->maps.sink_varies, sizeof(*t.vary));
	t.ring = map_memory(t.skel->maps.sink_rings, SEQ_RING_BYTES(window, 1));
	t.recs = map_memory(t.skel->maps.sink_recs, sizeof(*t.recs) * harness_cpus() * 2);
	packet_build(&t.frame, &spec);
	return 0;
}

static int load_narrow(void **state)
{
	(void)state;
	return load(SEQ_WINDOW_MIN, false);
}

static int load_wide(void **state)
{
	(void)state;
	return load((uint32_t)harness_runs(SEQ_WINDOW_MAX, 4 * SEQ_WINDOW_MIN), false);
}

static int load_spin(void **state)
{
	(void)state;
	return load(SEQ_WINDOW_MIN, true);
}

static int unload(void **state)
{
	(void)state;
	munmap(t.order, sizeof(*t.order));
	munmap(t.vary, sizeof(*t.vary));
	munmap(t.ring, SEQ_RING_BYTES(t.window, 1));
	munmap(t.recs, sizeof(*t.recs) * harness_cpus() * 2);
	sink_xdp_bpf__destroy(t.skel);
	return 0;
}

static void forget(void)
{
	static const struct seq_slot empty;
	uint32_t stream = 0;

	assert_int_equal(bpf_map_update_elem(bpf_map__fd(t.skel->maps.sink_seqs), &stream, &empty,
					     BPF_ANY), 0);
	memset(t.order, 0, sizeof(*t.order));
	memset(t.vary, 0, sizeof(*t.vary));
	memset(t.ring, 0, SEQ_RING_BYTES(t.window, 1));
	memset(&t.model, 0, sizeof(t.model));
	t.win = (struct seqwin){ .confirms = true };
	t.base_ns = harness_mono_ns() - 2000000000;
}

/*
 * One damaged tag in 10^7 is still right, but another one, which no model can tell: it gets one more
 * damaged bit.
 */
static void damage_tag(uint8_t tag[18], unsigned int flips)
{
	uint8_t before[18];
	unsigned int bit;

	memcpy(before, tag, sizeof(before));
	while (flips) {
		bit = (unsigned int)random() % 144;
		tag[bit / 8] ^= (uint8_t)(1 << bit % 8);
		if (!--flips && memcmp(tag, before, sizeof(before)) && packet_tag_is_right(tag))
			flips++;
	}
}

/* Returns when the program says that it arrived; 0: its tag was damaged, and is none. */
static uint64_t send_one(const struct packet *packet)
{
	uint8_t *tag = t.frame.bytes + t.frame.l4 + 8;
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = t.frame.bytes,
		    .data_size_in = (uint32_t)t.frame.len, .repeat = 1);
	int err;

	harness_cpu();
	packet_tag(tag, (uint16_t)(1 + packet->run), 0, (uint32_t)packet->number, packet->sent_ns);
	damage_tag(tag, packet->flips);
	do {
		err = bpf_prog_test_run_opts(bpf_program__fd(t.skel->progs.sink_xdp), &opts);
	} while (err == -EINTR || err == -EAGAIN);
	assert_int_equal(err, 0);
	assert_int_equal(opts.retval, XDP_DROP);
	if (!packet_tag_is_right(tag))
		return 0;
	return t.recs[harness_cpu() * 2].last_mono_ns;
}

/* The figures as a reader gets them: with the window's end judged. */
static struct seq_state read_seq(void)
{
	struct seq_slot slot;

	harness_read(t.skel->maps.sink_seqs, 0, &slot);
	seq_take_only(&slot.state);
	seq_judge_rest(&slot.state, t.ring, t.window);
	return slot.state;
}

/* -- the model -------------------------------------------------------------- */

static const struct got *find(const struct model *m, uint64_t number)
{
	size_t i;

	for (i = 0; i < m->n; i++) {
		if (m->list[i].number == number)
			return &m->list[i];
	}
	return NULL;
}

/* What is missing between the first number and the highest: each row is one run of loss. */
static void model_end_run(struct model *m)
{
	uint64_t first = UINT64_MAX, number, row = 0;
	static uint8_t seen[1 << 26];
	size_t i;

	if (!m->n)
		return;
	for (i = 0; i < m->n; i++)
		first = m->list[i].number < first ? m->list[i].number : first;
	assert_true(m->next - first <= sizeof(seen));
	memset(seen, 0, m->next - first);
	for (i = 0; i < m->n; i++)
		seen[m->list[i].number - first] = 1;
	for (number = first; number < m->next; number++) {
		row = seen[number - first] ? 0 : row + 1;
		m->gaps += !!row;
		m->loss_runs += row == 1;
		if (row > m->loss_run_max)
			m->loss_run_max = row;
	}
}

/* RFC 4737 4.2.2, 4.3.2 and 5.3, of the newest in the list. */
static void model_reordered(struct model *m)
{
	const struct got *got = &m->list[m->n - 1], *early;
	size_t i = m->n - 1, j, n;
	uint64_t late_ns;

	for (j = 0; m->list[j].number < got->number; j++)
		;
	early = &m->list[j];
	m->extent_sum += i - j;
	if (i - j > m->extent_max)
		m->extent_max = i - j;
	m->extents[hist_index(i - j)]++;
	for (n = 0; n < i && m->list[i - 1 - n].number > got->number; n++)
		;
	m->n_reordered[n < SEQ_N_MAX ? n : SEQ_N_MAX]++;
	if (!early->now_ns || !got->now_ns)
		return;
	late_ns = got->now_ns - early->now_ns;
	m->late_count++;
	m->late_sum_ns += late_ns;
	m->late_squares += harness_square(late_ns);
	if (late_ns > m->late_max_ns)
		m->late_max_ns = late_ns;
}

/* RFC 5481: delay(i) - delay(i - 1). */
static void model_pair(struct model *m, const struct got *before, const struct got *after)
{
	int64_t ipdv_ns;

	if (!before || !after || !before->timed || !after->timed)
		return;
	if (m->next - before->number > t.window)
		return;
	ipdv_ns = after->delay_ns - before->delay_ns;
	if (!m->ipdv_count || ipdv_ns < m->ipdv_min_ns)
		m->ipdv_min_ns = ipdv_ns;
	if (!m->ipdv_count || ipdv_ns > m->ipdv_max_ns)
		m->ipdv_max_ns = ipdv_ns;
	m->ipdv_count++;
	m->ipdv_sum_ns += ipdv_ns;
	m->ipdv_abs_sum_ns += (uint64_t)llabs(ipdv_ns);
	m->ipdv_abs_squares += harness_square((uint64_t)llabs(ipdv_ns));
}

/* RFC 3550 A.8: s->jitter += d - ((s->jitter + 8) >> 4). */
static void model_jitter(struct model *m, int64_t transit_ns)
{
	int64_t d = llabs(transit_ns - m->transit_ns);

	if (m->timed++)
		m->jitter_x16_ns += (uint64_t)d - ((m->jitter_x16_ns + 8) >> 4);
	m->transit_ns = transit_ns;
}

static void model_accept(struct model *m, const struct packet *packet, uint64_t number,
			 uint64_t now_ns, bool expected)
{
	struct got *got = &m->list[m->n++];
	bool late = m->n > 1 && number < m->next;

	if (packet->sent_ns)
		model_jitter(m, (int64_t)(now_ns - packet->sent_ns));
	got->number = number;
	got->timed = packet->sent_ns;
	got->delay_ns = (int64_t)(now_ns - packet->sent_ns);
	got->now_ns = packet->sent_ns || !expected ? now_ns : 0;
	m->distinct++;
	if (late) {
		m->reordered++;
		if (m->next - 1 - number > m->distance_max)
			m->distance_max = m->next - 1 - number;
		model_reordered(m);
	} else {
		m->next = number + 1;
	}
	model_pair(m, number ? find(m, number - 1) : NULL, got);
	if (late)
		model_pair(m, got, find(m, number + 1));
}

static void model_begin(struct model *m, const struct packet *packet)
{
	model_end_run(m);
	m->has_before = m->started;
	m->before = m->run;
	m->started = true;
	m->run = packet->run;
	m->runs++;
	m->n = 0;
	m->next = m->opened = (uint32_t)packet->number;
}

/* The number next to the next expected one that has the low 32 bits of the tag. */
static int64_t widen(const struct model *m, uint64_t number)
{
	return (int64_t)m->next + (int32_t)((uint32_t)number - (uint32_t)m->next);
}

static bool model_is_behind(const struct model *m, const struct held *held)
{
	return m->started && held->packet.run == m->run &&
	       widen(m, held->packet.number) < (int64_t)m->next;
}

static bool model_is_next(const struct model *m, const struct held *held,
			  const struct packet *packet)
{
	int64_t apart = (int32_t)((uint32_t)packet->number - (uint32_t)held->packet.number);

	return held->is && held->packet.run == packet->run && apart > -(int64_t)t.window &&
	       !model_is_behind(m, held) &&
	       m->distinct - held->distinct <= (packet->run == m->run ? 4 : 0);
}

static void model_give_up(struct model *m, const struct held *held, const struct packet *packet)
{
	if (!held->is)
		return;
	if (model_is_behind(m, held))
		m->unknown += 1 + held->copies;
	else if (held->packet.run == (m->started ? m->run : packet->run))
		m->implausible += 1 + held->copies;
	else
		m->other_run += 1 + held->copies;
}

/* Held until a packet next to it comes; true: @packet is such, and what was held is taken. */
static bool model_confirm(struct model *m, const struct packet *packet, uint64_t now_ns)
{
	struct held taken = m->held[0];
	int i;

	for (i = 0; i < 2; i++) {
		if (!m->held[i].is || m->held[i].packet.run != packet->run ||
		    (uint32_t)m->held[i].packet.number != (uint32_t)packet->number)
			continue;
		m->held[i].copies++;
		return false;
	}
	if (model_is_next(m, &m->held[0], packet)) {
		m->held[0].is = false;
	} else if (model_is_next(m, &m->held[1], packet)) {
		model_give_up(m, &m->held[0], packet);
		m->held[0].is = false;
		taken = m->held[1];
		m->held[1].is = false;
	} else {
		model_give_up(m, &m->held[0], packet);
		m->held[0] = m->held[1];
		m->held[1] = (struct held){ true, *packet, now_ns, m->distinct, 0 };
		return false;
	}
	m->duplicates += taken.copies;
	if (packet->run != m->run || !m->started)
		model_begin(m, &taken.packet);
	model_accept(m, &taken.packet, (uint64_t)widen(m, taken.packet.number), taken.now_ns, false);
	return true;
}

static void model_add(struct model *m, const struct packet *packet, uint64_t now_ns)
{
	bool expected = (uint32_t)packet->number == (uint32_t)m->next;
	int64_t number;

	if (m->started && packet->run != m->run && m->has_before && packet->run == m->before) {
		m->other_run++;
		return;
	} else if (!m->started || packet->run != m->run ||
		   widen(m, packet->number) >= (int64_t)m->next + SEQ_FAR) {
		if (!model_confirm(m, packet, now_ns))
			return;
	}
	number = widen(m, packet->number);
	if (number < 0) {
		m->implausible++;
		return;
	}
	if (number < (int64_t)m->next && m->n &&
	    ((int64_t)m->next - number > t.window || find(m, (uint64_t)number))) {
		if (packet->sent_ns)
			model_jitter(m, (int64_t)(now_ns - packet->sent_ns));
		*((int64_t)m->next - number > t.window ? &m->unknown : &m->duplicates) += 1;
		return;
	}
	model_accept(m, packet, (uint64_t)number, now_ns, expected);
}

/* -- both ------------------------------------------------------------------- */

static void feed(const struct packet *packet)
{
	uint64_t now_ns = send_one(packet);

	if (!now_ns)
		return;
	model_add(&t.model, packet, now_ns);
	seqwin_add(&t.win, (uint16_t)(1 + packet->run), (uint32_t)packet->number);
}

/* @seq and @win, which were judged: the same in all that both count. */
static void compare_states(const struct seq_state *seq, const struct seqwin *win)
{
	int i;

	assert_int_equal(win->runs, seq->run);
	assert_int_equal(win->next, seq->next - seq->base);
	assert_int_equal(win->first, seq->first - seq->base);
	assert_int_equal(win->distinct, seq->distinct);
	assert_int_equal(win->duplicates, seq->duplicates);
	assert_int_equal(win->reordered, seq->reordered);
	assert_int_equal(win->distance_max, seq->distance_max);
	assert_int_equal(win->unknown, seq->unknown);
	assert_int_equal(win->other_run, seq->other_run);
	assert_int_equal(win->implausible, seq->implausible);
	assert_int_equal(win->spanned, seq->spanned);
	assert_int_equal(win->unseen, seq->unseen);
	assert_int_equal(win->loss_runs, seq->loss_runs);
	assert_int_equal(win->loss_run_max, seq->loss_run_max);
	for (i = 0; i < SEQ_NR_HELD; i++) {
		assert_int_equal(win->held[i].is, seq->held[i].is);
		if (seq->held[i].is) {
			assert_int_equal(win->held[i].low, seq->held[i].low);
			assert_int_equal(win->held[i].copies, seq->held[i].copies);
		}
	}
}

/* Where the number of packets that were sent is known, which may be below the highest that came. */
static void compare_at_end(uint64_t end)
{
	struct seqwin win = t.win;
	struct seq_slot slot;
	struct seq_state *seq = &slot.state;
	bool is_forged;

	harness_read(t.skel->maps.sink_seqs, 0, &slot);
	seq_take_only(seq);
	seqwin_take_only(&win);
	is_forged = seq_drop_forged(seq, t.order, t.ring, t.window, end);
	seq_settle_held(seq, end);
	assert_int_equal(seqwin_settle(&win, end), is_forged);
	seq_judge_rest(seq, t.ring, t.window);
	assert_int_equal(seqwin_finish(&win, end), seq_lose_ends(seq, end));
	/* Runs of loss are not known then. */
	if (is_forged) {
		win.loss_runs = seq->loss_runs;
		win.loss_run_max = seq->loss_run_max;
	}
	compare_states(seq, &win);
}

static void compare_socket(const struct seq_state *seq)
{
	struct seqwin win = t.win;

	if (t.window != SEQWIN_NUMBERS)
		return;
	seqwin_take_only(&win);
	seqwin_finish(&win, 0);
	compare_states(seq, &win);
	if (seq->run != 1)
		return;
	compare_at_end(win.next + 3);
	compare_at_end(win.next);
	compare_at_end(win.next - win.next / 50);
	compare_at_end(win.next > 100 ? win.next - 100 : 0);
}

static void compare(void)
{
	struct seq_state seq = read_seq();
	const struct model *m = &t.model;
	int i;

	model_end_run(&t.model);
	compare_socket(&seq);
	/* To feed the same again. */
	if (seq.distinct != m->distinct || seq.duplicates != m->duplicates || seq.unknown != m->unknown)
		print_message("seed %u, times from %llu ns: %llu distinct, %llu copies, %llu unknown; the model %llu, %llu, %llu\n",
			      t.seed, (unsigned long long)t.base_ns,
			      seq.distinct, seq.duplicates, seq.unknown, (unsigned long long)m->distinct,
			      (unsigned long long)m->duplicates, (unsigned long long)m->unknown);
	assert_int_equal(seq.run, m->runs);
	for (i = 0; i < 2; i++) {
		assert_int_equal(seq.held[i].is, m->held[i].is);
		if (m->held[i].is) {
			assert_int_equal(seq.held[i].low, (uint32_t)m->held[i].packet.number);
			assert_int_equal(seq.held[i].copies, m->held[i].copies);
		}
	}
	assert_int_equal(seq.other_run, m->other_run);
	assert_int_equal(seq.implausible, m->implausible);
	assert_int_equal(seq.next - seq.base, m->next);
	assert_int_equal(seq.distinct, m->distinct);
	assert_int_equal(seq.duplicates, m->duplicates);
	assert_int_equal(seq.unknown, m->unknown);
	assert_int_equal(seq.reordered, m->reordered);
	assert_int_equal(seq.distance_max, m->distance_max);
	assert_int_equal(seq.spanned + seq.next - seq.first - seq.distinct, m->gaps);
	assert_int_equal(seq.loss_runs, m->loss_runs);
	assert_int_equal(seq.loss_run_max, m->loss_run_max);
	assert_int_equal(t.order->extent_sum, m->extent_sum);
	assert_int_equal(t.order->extent_max, m->extent_max);
	assert_memory_equal(t.order->extents, m->extents, sizeof(m->extents));
	assert_memory_equal(t.order->n_reordered, m->n_reordered, sizeof(m->n_reordered));
	assert_int_equal(t.order->late.count, m->late_count);
	assert_int_equal(t.order->late.sum_ns, m->late_sum_ns);
	assert_int_equal(t.order->late.max_ns, m->late_max_ns);
	assert_true(harness_squares(&t.order->late) == m->late_squares);
	assert_int_equal(t.vary->jitter.timed, m->timed);
	assert_int_equal(t.vary->jitter.x16_ns, m->jitter_x16_ns);
	assert_int_equal(t.vary->ipdv.count, m->ipdv_count);
	assert_int_equal(t.vary->ipdv.sum_ns, m->ipdv_abs_sum_ns);
	assert_true(harness_squares(&t.vary->ipdv) == m->ipdv_abs_squares);
	assert_int_equal(t.vary->ipdv_sum_ns, m->ipdv_sum_ns);
	assert_int_equal(t.vary->ipdv_min_ns, m->ipdv_min_ns);
	assert_int_equal(t.vary->ipdv_max_ns, m->ipdv_max_ns);
}

/* Numbers that arrive in this order, 0 last; all of one run. */
static void feed_numbers(const uint64_t *numbers)
{
	struct packet packet = { 0 };

	forget();
	for (; *numbers; numbers++) {
		packet.number = *numbers;
		packet.sent_ns = t.base_ns + *numbers * 1000;
		feed(&packet);
	}
}

/* RFC 4737 7.1 to 7.3: extent and n of each reordered packet as the text gives them. */
static void follows_the_examples_of_rfc_4737(void **state)
{
	static const struct {
		uint64_t arrivals[12];
		uint64_t reordered, extents[9], n[9];	/* how many of each size */
	} examples[] = {
		{ { 1, 2, 3, 5, 6, 7, 8, 4, 9, 10 }, 1, { [4] = 1 }, { [4] = 1 } },
		{ { 1, 2, 3, 4, 7, 5, 6, 8, 9, 10 }, 2, { [1] = 1, [2] = 1 }, { [0] = 1, [1] = 1 } },
		{ { 1, 2, 3, 7, 8, 9, 10, 4, 5, 6, 11 }, 3, { [4] = 1, [5] = 1, [6] = 1 },
		  { [0] = 2, [4] = 1 } },
	};
	size_t i, size;

	(void)state;
	for (i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
		feed_numbers(examples[i].arrivals);
		assert_int_equal(read_seq().reordered, examples[i].reordered);
		assert_int_equal(t.order->late.count, examples[i].reordered);
		for (size = 0; size < 9; size++) {
			assert_int_equal(t.order->extents[size], examples[i].extents[size]);
			assert_int_equal(t.order->n_reordered[size], examples[i].n[size]);
		}
		compare();
	}
}

/* The section's own count: duplicates are removed before anything is looked at. */
static void duplicates_change_no_figure_of_order(void **state)
{
	static const uint64_t once[] = { 1, 2, 3, 5, 6, 7, 8, 4, 9, 10, 0 };
	static const uint64_t twice[] = { 1, 2, 3, 3, 5, 6, 5, 6, 7, 7, 1, 8, 4, 4, 9, 8, 10, 4, 0 };
	struct order_rec *before = malloc(sizeof(*before));

	(void)state;
	assert_non_null(before);
	feed_numbers(once);
	*before = *t.order;
	feed_numbers(twice);
	assert_int_equal(read_seq().duplicates, 8);
	assert_int_equal(t.order->extent_sum, before->extent_sum);
	assert_memory_equal(t.order->n_reordered, before->n_reordered, sizeof(before->n_reordered));
	compare();
	free(before);
}

/*
 * The most that a window can hold: each second number, then the others backwards. A wide window has too
 * many for the model.
 */
static void keeps_as_many_gaps_as_a_window_holds(void **state)
{
	bool is_modelled = 2 * t.window <= MAX_ARRIVALS;
	struct packet packet = { 0 };
	uint64_t i;

	(void)state;
	forget();
	for (i = 0; i < 2 * t.window; i++) {
		packet.number = i < t.window * 3 / 2 ? 2 * i + 1 : 6ull * t.window - 2 - 2 * i;
		packet.sent_ns = t.base_ns + packet.number;
		if (is_modelled)
			feed(&packet);
		else
			send_one(&packet);
	}
	assert_int_equal(read_seq().reordered, t.window / 2);
	assert_int_equal(read_seq().distinct, 2 * t.window);
	assert_int_equal(t.order->extent_max, t.window - 1);
	assert_int_equal(t.order->n_reordered[SEQ_N_MAX], (t.window - SEQ_N_MAX) / 2);
	if (is_modelled)
		compare();
}

/* While a number waits to be confirmed, the others come up to it, or pass it. */
static void judges_a_held_number_by_where_the_others_are(void **state)
{
	static const uint64_t reached[] = { 1, 2, 3, 8000, 4000, 7999, 30000, 30001, 0 };
	static const uint64_t passed[] = { 1, 2, 3, 8000, 4000, 8050, 30000, 30001, 50000, 30002, 50000,
					   90000, 90001, 0 };

	(void)state;
	feed_numbers(reached);
	assert_int_equal(read_seq().distinct, 8);
	compare();
	feed_numbers(passed);
	assert_int_equal(read_seq().unknown, 1);
	assert_int_equal(read_seq().distinct, 11);
	compare();
}

/* The second run is confirmed first: what came of the other one is whole, and not of this run. */
static void a_packet_of_another_sender_before_the_first_is_none_that_is_damaged(void **state)
{
	static const struct packet packets[] = {
		{ .run = 1, .number = 0 }, { .run = 2, .number = 0 }, { .run = 2, .number = 1 },
	};
	size_t i;

	(void)state;
	forget();
	for (i = 0; i < sizeof(packets) / sizeof(packets[0]); i++)
		feed(&packets[i]);
	assert_int_equal(read_seq().other_run, 1);
	assert_int_equal(read_seq().implausible, 0);
	assert_int_equal(read_seq().distinct, 2);
	compare();
}

/* -- by chance -------------------------------------------------------------- */

struct chance {
	uint32_t loss, twice, back, jump, restart, leftover;	/* of 1000 */
	uint32_t flip, forge;		/* of 1000: bits changed on the way; numbers that no one sent */
	uint32_t far;			/* how far back, and how wide a jump */
	uint32_t stamp_every;
	uint64_t start;
};

static void begin_chance(uint32_t seed)
{
	t.seed = seed;
	srandom(seed);
}

static uint32_t below(uint32_t n)
{
	return n ? (uint32_t)random() % n : 0;
}

/* A function of run and number; the order must not depend on it: clocks are stepped. */
static uint64_t stamp(const struct chance *c, unsigned int run, uint64_t number)
{
	if (number % c->stamp_every)
		return 0;
	return t.base_ns + (number * 1000 + run * 7919) % 500000000 + number * 2654435761u % 1000000;
}

static void feed_one(const struct chance *c, unsigned int run, uint64_t number)
{
	struct packet packet = { .run = run, .number = number, .sent_ns = stamp(c, run, number) };

	if (below(1000) < c->flip)
		packet.flips = 1 + below(5);
	if (below(1000) < c->forge)
		packet.number += below(2) ? 1ull << (12 + below(8)) : -(1ull << (12 + below(12)));
	feed(&packet);
}

static void feed_by_chance(const struct chance *c, uint32_t arrivals)
{
	uint64_t number = c->start, back;
	unsigned int run = 0;
	uint32_t i;

	forget();
	for (i = 0; i < arrivals; i++) {
		/* The first says where the numbers start, by its low 32 bits. */
		if (i && below(1000) < c->loss)
			number += 1 + (below(4) ? 0 : below(130));
		if (i && below(1000) < c->jump)
			number += below(c->far);
		if (below(1000) < c->restart && (int32_t)(uint32_t)t.model.next > 150) {
			run++;
			number = below(50) * c->stamp_every;
		}
		feed_one(c, run, number++);
		if (below(1000) < c->twice)
			feed_one(c, run, number - 1 - below(2) * (number > t.model.opened + 1));
		back = 1 + below(below(4) ? 20 : c->far);
		if (below(1000) < c->back && number > back + 1)
			feed_one(c, run, number - 1 - back);
		if (run && below(1000) < c->leftover)
			feed_one(c, run - 1, t.model.opened + 1 + below(200));
	}
	compare();
}

/* For a longer search by hand: ORDER_SEQUENCES=1000000 */
static uint64_t sequences(void)
{
	const char *nr = getenv("ORDER_SEQUENCES");

	return nr ? strtoull(nr, NULL, 10) : harness_runs(3001, 151);
}

static void agrees_with_the_model(void **state)
{
	static const uint64_t starts[] = { 0, 1, 63, 64, 100000, 0xfffffff0, 0xffffe000 };
	uint32_t seed;

	(void)state;
	for (seed = 1; seed <= sequences(); seed++) {
		begin_chance(seed);
		const struct chance c = {
			.loss = below(2) * below(300), .twice = below(2) * below(200),
			.back = below(2) * below(500), .jump = below(3) ? 0 : below(20),
			.restart = below(3) ? 0 : below(20), .leftover = below(100),
			.far = below(4) ? 300 : t.window * 9 / 4, .stamp_every = below(5) ? 1 : 1 + below(3),
			.start = starts[below(7)], .flip = below(2) * below(30),
			.forge = below(2) * below(30),
		};
		feed_by_chance(&c, 20 + below(200));
	}
}

/* Both the number that is held and the one that confirms it leave whole windows behind. */
static void agrees_with_the_model_where_most_is_lost(void **state)
{
	uint32_t seed, held = 0;

	(void)state;
	for (seed = 1; seed <= harness_runs(301, 31); seed++) {
		begin_chance(seed);
		const struct chance c = {
			.twice = 30, .back = 100, .jump = 100 + below(900), .restart = below(50),
			.leftover = below(50), .far = 5000 + below(t.window > SEQ_WINDOW_MIN ? 250000 : 40000), .stamp_every = 1 + below(2),
			.start = below(2) * 0xffff0000u, .forge = below(2) * below(50),
		};
		feed_by_chance(&c, 20 + below(200));
		held += t.model.loss_run_max > 2 * SEQ_FAR;
	}
	assert_true(held > seed / 2);
}

static void agrees_with_the_model_over_many_windows(void **state)
{
	const struct chance all = {
		.loss = 20, .twice = 10, .back = 100, .jump = 2, .far = t.window + t.window / 20, .stamp_every = 1,
		.start = 0xfffff000,
	};
	uint32_t seed;

	(void)state;
	for (seed = 1; seed <= harness_runs(7, 1); seed++) {
		begin_chance(seed);
		feed_by_chance(&all, 9001);
		/* The script must have done what it is for. */
		assert_true(t.model.unknown && t.model.duplicates > 50 && t.model.reordered > 100);
		assert_true(t.model.loss_run_max > 1000 && t.model.n_reordered[SEQ_N_MAX]);
	}
}

/* -- several CPUs at once --------------------------------------------------- */

#define EACH ((uint32_t)harness_runs(100003, 10007))

struct lane {
	pthread_t thread;
	unsigned int cpu;
	int err;
	uint32_t *next;			/* of all lanes: each number is sent once */
};

static void *send_lane(void *arg)
{
	struct packet_frame frame = t.frame;
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame.bytes,
		    .data_size_in = (uint32_t)frame.len, .repeat = 1);
	struct lane *lane = arg;
	cpu_set_t set;
	uint32_t i, number;

	CPU_ZERO(&set);
	CPU_SET(lane->cpu, &set);
	lane->err = sched_setaffinity(0, sizeof(set), &set);
	for (i = 0; i < EACH && !lane->err; i++) {
		number = __atomic_fetch_add(lane->next, 1, __ATOMIC_RELAXED);
		packet_tag(frame.bytes + frame.l4 + 8, PACKET_RUN, 0, number, t.base_ns + number);
		do {
			lane->err = bpf_prog_test_run_opts(bpf_program__fd(t.skel->progs.sink_xdp),
							   &opts);
		} while (lane->err == -EINTR || lane->err == -EAGAIN);
	}
	return NULL;
}

/* A CPU that is not the harness's own; -1: there is none. */
static int other_cpu(void)
{
	unsigned int own = harness_cpu(), cpu;
	cpu_set_t set, before;

	sched_getaffinity(0, sizeof(before), &before);
	for (cpu = 0; cpu < harness_cpus(); cpu++) {
		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		if (cpu != own && !sched_setaffinity(0, sizeof(set), &set)) {
			sched_setaffinity(0, sizeof(before), &before);
			return (int)cpu;
		}
	}
	return -1;
}

static uint64_t sum(const __u64 *counts, size_t n)
{
	uint64_t all = 0;

	while (n--)
		all += counts[n];
	return all;
}

static uint64_t locked_out(void)
{
	uint64_t all = 0;
	struct sink_cpu own;
	unsigned int i;

	for (i = 0; i < harness_cpus(); i++) {
		harness_read(t.skel->maps.sink_cpus, i, &own);
		all += own.odd.locked_out;
	}
	return all;
}

/* One stream over two queues: which comes first is chance, but nothing is lost or counted twice. */
static void counts_a_stream_on_two_cpus_exactly(void **state)
{
	struct lane lanes[2] = { 0 };
	struct seq_state seq;
	uint32_t next = 0;
	int i, cpu = other_cpu();

	(void)state;
	if (cpu < 0)
		harness_cannot("cpus");
	forget();
	for (i = 0; i < 2; i++) {
		lanes[i].cpu = i ? (unsigned int)cpu : harness_cpu();
		lanes[i].next = &next;
		assert_int_equal(pthread_create(&lanes[i].thread, NULL, send_lane, &lanes[i]), 0);
	}
	for (i = 0; i < 2; i++)
		assert_int_equal(pthread_join(lanes[i].thread, NULL), 0);
	assert_int_equal(lanes[0].err | lanes[1].err, 0);
	seq = read_seq();
	/* One that was kept waiting for a whole window is unknown, and its number lost. */
	assert_int_equal(seq.distinct + seq.unknown, 2 * EACH);
	assert_int_equal(seq.next - seq.first - seq.distinct, seq.unknown);
	assert_int_equal(seq.run, 1);
	assert_int_equal(seq.duplicates, 0);
	assert_int_equal(sum(t.order->extents, SEQ_EXTENTS), seq.reordered);
	assert_int_equal(sum(t.order->n_reordered, SEQ_N_MAX + 1), seq.reordered);
	assert_int_equal(t.order->late.count, seq.reordered);
	assert_int_equal(t.vary->jitter.timed, 2 * EACH);
	assert_int_equal(sum(t.vary->ipdv.buckets, HIST_BUCKETS) + t.vary->ipdv.above,
			 t.vary->ipdv.count);
	/* Each number but the first has one before it. */
	if (!seq.unknown)
		assert_int_equal(t.vary->ipdv.count, 2 * EACH - 1);
	assert_int_equal(locked_out(), 0);
	print_message("%llu of %u reordered, %llu unknown\n", seq.reordered, 2 * EACH, seq.unknown);
}

/* As if another CPU had made room for a number far ahead, and not added it yet. */
static void make_room_for_a_far_number(void)
{
	uint32_t stream = 0;
	struct seq_slot slot;

	harness_read(t.skel->maps.sink_seqs, 0, &slot);
	slot.state.end = ((slot.state.next - 1) >> 6) + seq_words(t.window) + 1;
	memset(t.ring, 0, SEQ_RING_BYTES(t.window, 1));
	assert_int_equal(bpf_map_update_elem(bpf_map__fd(t.skel->maps.sink_seqs), &stream, &slot, BPF_ANY), 0);
}

static void a_number_whose_word_is_cleared_is_counted_and_marks_no_other(void **state)
{
	struct packet packet = { 0 };
	struct seq_slot slot;
	uint64_t i;

	(void)state;
	forget();
	for (packet.number = 0; packet.number < 71; packet.number++) {
		packet.sent_ns = t.base_ns + packet.number;
		send_one(&packet);
	}
	make_room_for_a_far_number();
	/* The next one, one after a gap, and one that is late, of which nothing is known any more. */
	send_one(&packet);
	packet.number = 75;
	send_one(&packet);
	packet.number = 73;
	send_one(&packet);
	harness_read(t.skel->maps.sink_seqs, 0, &slot);
	assert_int_equal(slot.state.distinct, 73);
	assert_int_equal(slot.state.unknown, 1);
	assert_int_equal(slot.state.next - slot.state.base, 76);
	assert_int_equal(slot.state.duplicates + slot.state.implausible, 0);
	for (i = 0; i < seq_words(t.window); i++)
		assert_int_equal(*seq_word(t.ring, t.window, i), 0);
}

/* A holder that never comes back: the packet is received, in no stream, and the kernel goes on. */
static void a_lock_that_is_held_for_ever_is_given_up(void **state)
{
	struct packet packet = { .number = 7 };
	uint32_t stream = 0;
	struct seq_slot slot;
	uint64_t before = locked_out(), start_ns;

	(void)state;
	/* bpf_spin_lock() of sink_spin waits for ever. */
	if (!(bpf_map__map_flags(t.skel->maps.sink_seqs) & BPF_F_MMAPABLE))
		harness_cannot("cmpxchg");
	forget();
	packet.sent_ns = t.base_ns;
	send_one(&packet);
	harness_read(t.skel->maps.sink_seqs, 0, &slot);
	slot.count++;
	assert_int_equal(bpf_map_update_elem(bpf_map__fd(t.skel->maps.sink_seqs), &stream, &slot, BPF_ANY), 0);
	packet.number++;
	start_ns = harness_mono_ns();
	send_one(&packet);
	print_message("given up after %llu ms\n", (unsigned long long)(harness_mono_ns() - start_ns) / 1000000);
	assert_int_equal(locked_out() - before, 1);
	slot.count++;
	assert_int_equal(bpf_map_update_elem(bpf_map__fd(t.skel->maps.sink_seqs), &stream, &slot, BPF_ANY), 0);
	packet.number++;
	send_one(&packet);
	assert_int_equal(locked_out() - before, 1);
	assert_int_equal(read_seq().distinct, 2);
}

int test_order(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(follows_the_examples_of_rfc_4737),
		cmocka_unit_test(duplicates_change_no_figure_of_order),
		cmocka_unit_test(keeps_as_many_gaps_as_a_window_holds),
		cmocka_unit_test(judges_a_held_number_by_where_the_others_are),
		cmocka_unit_test(a_packet_of_another_sender_before_the_first_is_none_that_is_damaged),
		cmocka_unit_test(a_number_whose_word_is_cleared_is_counted_and_marks_no_other),
		cmocka_unit_test(agrees_with_the_model),
		cmocka_unit_test(agrees_with_the_model_where_most_is_lost),
		cmocka_unit_test(agrees_with_the_model_over_many_windows),
		cmocka_unit_test(counts_a_stream_on_two_cpus_exactly),
		cmocka_unit_test(a_lock_that_is_held_for_ever_is_given_up),
	};

	/* For kernels before 5.12; what follows the lock is the same. */
	const struct CMUnitTest of_spin[] = {
		cmocka_unit_test(agrees_with_the_model),
		cmocka_unit_test(counts_a_stream_on_two_cpus_exactly),
	};

	return cmocka_run_group_tests_name("order", tests, load_narrow, unload) +
	       cmocka_run_group_tests_name("order, wide window", tests, load_wide, unload) +
	       cmocka_run_group_tests_name("order, spin lock", of_spin, load_spin, unload);
}
