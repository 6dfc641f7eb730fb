/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/seq.bpf.h - order, loss and duplicates of one stream from its sequence numbers.
 *
 * Reordered means RFC 4737: below the next expected number. Duplicates are recognised by a bitmap
 * of the newest numbers; older arrivals are `unknown`. Timestamps decide nothing: clocks are
 * stepped. The first packet of a run, and a number beyond the window ahead, are held until another
 * packet confirms them. Called under a spin lock: no helper may be called here.
 */
#ifndef LIB_SEQ_BPF_H
#define LIB_SEQ_BPF_H

#include "abi/seq.h"
#include "lib/core.bpf.h"
#include "lib/hist.bpf.h"

enum seq_kind {
	SEQ_NEXT,		/* just the one expected */
	SEQ_AHEAD,		/* after a gap */
	SEQ_LATE,		/* reordered */
	SEQ_DUPLICATE,
	SEQ_UNKNOWN,
	SEQ_HELD,		/* counted nowhere yet */
	SEQ_IMPLAUSIBLE,	/* a number below 0 */
	SEQ_OTHER_RUN,		/* left over from the previous run */
};

/* Packets that may come between one that is held and the one that confirms it. */
#define SEQ_HELD_MAX	4

/* Only a packet out of order justifies a clock read; checked before the lock, so only a hint. */
static __always_inline int seq_is_expected(const struct seq_state *seq, __u32 low)
{
	return low == (__u32)(READ_ONCE(seq->next) - READ_ONCE(seq->base));
}

/* Clears the words for the places up to @place, after judging their contents. */
static __always_inline void seq_advance(struct seq_state *seq, __u64 place)
{
	__u64 word = (seq->next - 1) >> 6;
	__s64 words = (place >> 6) - word;	/* negative at the start, when next is 0 */
	int i;

	for (i = 0; i < SEQ_WORDS && i < words; i++) {
		word++;
		seq_judge(seq, word - SEQ_WORDS);
		seq->window[word % SEQ_WORDS] = 0;
	}
	if (unlikely(words > SEQ_WORDS)) {	/* places that were never in the window */
		seq->loss_runs += !seq->loss_run;
		seq->loss_run += (words - SEQ_WORDS) << 6;
		if (seq->loss_run > seq->loss_run_max)
			seq->loss_run_max = seq->loss_run;
	}
	seq->next = place + 1;
}

/* A run begins with @low: so far ahead that the previous run's window is judged. */
static __always_inline __u64 seq_start(struct seq_state *seq, __u16 id, __u32 low)
{
	__u64 place = SEQ_ORIGIN;

	if (seq->run) {
		place = ((seq->next - 1) & ~63ull) + 2 * SEQ_WINDOW;
		seq_close(seq);
		seq->spanned += seq->next - seq->first;
		seq->unseen += seq->first - seq->base;
		seq->before_id = seq->id;
	}
	seq->run++;
	seq->id = id;
	seq->base = place - low;
	return place;
}

static __always_inline int seq_was_seen(const struct seq_state *seq, __u64 place)
{
	return seq->window[(place >> 6) % SEQ_WORDS] >> (place & 63) & 1;
}

static __always_inline void seq_mark(struct seq_state *seq, struct order_rec *order, __u64 place)
{
	seq->window[(place >> 6) % SEQ_WORDS] |= 1ull << (place & 63);
	order->recent[seq->distinct % SEQ_N_MAX] = place;
	seq->distinct++;
}

static __always_inline void order_add_gap(struct order_rec *order, const struct seq_state *seq,
					  __u64 place, __u64 now_ns)
{
	struct seq_gap *gap = &order->gaps[order->gaps_seen % SEQ_GAPS];

	gap->place = place << 16 | (seq->distinct & 0xffff);
	gap->arrived_ns = now_ns;
	order->gaps_seen++;
}

/*
 * The earliest arrival with a larger number than the missing @place: always one after a gap, and
 * the window holds no more of those than the ring. A branchless bisection, as the verifier would
 * follow each of 2^11 paths.
 */
static __always_inline struct seq_gap *order_find(struct order_rec *order, __u64 place)
{
	__u64 at = order->gaps_seen, below;	/* the oldest; an unused entry has place 0 */
	__u32 step;

	for (step = SEQ_GAPS / 2; step; step >>= 1) {
		below = order->gaps[(at + step - 1) % SEQ_GAPS].place >> 16;
		below = (below - place) >> 63;	/* 1: it is further on */
		asm volatile("" : "+r"(below));
		at += below * step;
	}
	return &order->gaps[at % SEQ_GAPS];
}

/* The number of arrivals right before this one with larger numbers; SEQ_N_MAX: or more. */
static __always_inline __u64 order_count_n(const struct order_rec *order,
					   const struct seq_state *seq, __u64 place)
{
	__u64 n;

	for (n = 0; n < SEQ_N_MAX; n++) {
		if (order->recent[(seq->distinct - 1 - n) % SEQ_N_MAX] < place)
			break;
	}
	return n;
}

/* Called before the number is marked. */
static __always_inline void order_add_late(struct order_rec *order, const struct seq_state *seq,
					   const struct seq_arrival *arrival)
{
	struct seq_gap *gap = order_find(order, arrival->place);
	__u64 extent = (seq->distinct - gap->place) & 0xffff, n;
	__u32 index = hist_index(extent);

	order->extent_sum += extent;
	if (extent > order->extent_max)
		order->extent_max = extent;
	/* Both always true; the verifier cannot know. */
	if (index < SEQ_EXTENTS)
		order->extents[index]++;
	n = order_count_n(order, seq, arrival->place);
	if (n <= SEQ_N_MAX)
		order->n_reordered[n]++;
	/* Of two CPUs, the one that read its clock later may have got the lock first. */
	if (gap->arrived_ns && arrival->now_ns)
		hist_add(&order->late, gap->arrived_ns, arrival->now_ns > gap->arrived_ns ?
			 arrival->now_ns : gap->arrived_ns);
}

/* It will not be confirmed any more. */
static __always_inline void seq_give_up(struct seq_state *seq, const struct seq_held *held)
{
	if (held->is && (held->id == seq->id || !seq->run))
		seq->implausible++;
	else if (held->is)
		seq->other_run++;
}

static __always_inline void seq_hold(struct seq_state *seq, const struct seq_arrival *arrival)
{
	seq_give_up(seq, &seq->held[0]);
	seq->held[0] = seq->held[1];
	seq->held[1].low = arrival->low;
	seq->held[1].id = arrival->id;
	seq->held[1].is = 1;
	seq->held[1].distinct = seq->distinct;
	seq->held[1].sent_ns = arrival->sent_ns;
	seq->held[1].now_ns = arrival->now_ns;
}

static __always_inline int seq_is_copy(const struct seq_held *held,
				       const struct seq_arrival *arrival)
{
	return held->is && held->id == arrival->id && held->low == arrival->low;
}

/*
 * Does it follow the one held, or come from its window? Numbers that go on rising are plausible
 * however far apart, as where most are lost; a damaged one is followed by a lower one. For another
 * run, no packet of the present one may come in between: two senders at once are never taken for a
 * restart.
 */
static __always_inline int seq_confirms(const struct seq_state *seq, const struct seq_held *held,
					const struct seq_arrival *arrival)
{
	__s32 apart = arrival->low - held->low;
	__u64 between = seq->distinct - held->distinct;

	return held->is && held->id == arrival->id && apart > -SEQ_WINDOW &&
	       between <= (arrival->id == seq->id ? SEQ_HELD_MAX : 0);
}

/* The one that @arrival confirms comes to held[0]; 0: there is none. */
static __always_inline int seq_find_held(struct seq_state *seq, const struct seq_arrival *arrival)
{
	if (seq_confirms(seq, &seq->held[0], arrival))
		return 1;
	if (!seq_confirms(seq, &seq->held[1], arrival))
		return 0;
	seq_give_up(seq, &seq->held[0]);
	seq->held[0] = seq->held[1];
	seq->held[1].is = 0;
	return 1;
}

/* The held packet is accepted, before the one that confirms it. */
static __always_inline void seq_take_held(struct seq_state *seq, struct order_rec *order,
					  struct seq_arrival *arrival)
{
	int begins = !seq->run || arrival->id != seq->id;
	__u64 place;

	if (begins)
		place = seq_start(seq, arrival->id, seq->held[0].low);
	else
		place = seq->next + (__s32)(seq->held[0].low - (__u32)(seq->next - seq->base));
	/* As in seq_add_other(): what the verifier knows of both would multiply the loop. */
	order->arrival.place = place;
	order->arrival.kind = begins;
	asm volatile("" : : : "memory");
	place = order->arrival.place;
	seq_advance(seq, place);
	if (order->arrival.kind)
		seq->first = place;
	order_add_gap(order, seq, place, seq->held[0].now_ns);
	seq_mark(seq, order, place);
	arrival->confirmed = place;
	arrival->confirmed_sent_ns = seq->held[0].sent_ns;
	arrival->confirmed_now_ns = seq->held[0].now_ns;
	seq->held[0].is = 0;
	arrival->place = seq->next + (__s32)(arrival->low - (__u32)(seq->next - seq->base));
}

static __always_inline enum seq_kind seq_classify(const struct seq_state *seq,
						  const struct seq_arrival *arrival)
{
	__s64 ahead = arrival->place - seq->next;

	if (ahead >= 0)
		return ahead ? SEQ_AHEAD : SEQ_NEXT;
	if ((__s64)(arrival->place - seq->base) < 0)
		return SEQ_IMPLAUSIBLE;
	if (-ahead > SEQ_WINDOW)
		return SEQ_UNKNOWN;
	return seq_was_seen(seq, arrival->place) ? SEQ_DUPLICATE : SEQ_LATE;
}

/* True if it cannot be placed yet, or is not of this run. */
static __always_inline int seq_is_kept_out(struct seq_state *seq, struct order_rec *order,
					   struct seq_arrival *arrival)
{
	if (seq->run && arrival->id == seq->id &&
	    (__s64)(arrival->place - seq->next) < SEQ_WINDOW)
		return 0;
	if (seq->run > 1 && arrival->id == seq->before_id) {
		seq->other_run++;
		arrival->kind = SEQ_OTHER_RUN;
		return 1;
	}
	if (seq_is_copy(&seq->held[0], arrival) || seq_is_copy(&seq->held[1], arrival)) {
		seq->duplicates++;
		arrival->kind = SEQ_DUPLICATE;
		return 1;
	}
	if (seq_find_held(seq, arrival)) {
		seq_take_held(seq, order, arrival);
		return 0;
	}
	seq_hold(seq, arrival);
	arrival->kind = SEQ_HELD;
	return 1;
}

static __always_inline void seq_add_late(struct seq_state *seq, struct order_rec *order,
					 const struct seq_arrival *arrival)
{
	__u64 distance = seq->next - 1 - arrival->place;

	order_add_late(order, seq, arrival);
	seq->reordered++;
	if (distance > seq->distance_max)
		seq->distance_max = distance;
	if (arrival->place < seq->first)
		seq->first = arrival->place;
}

/* Handles everything except the next number within a word of the window. */
static __always_inline void seq_add_other(struct seq_state *seq, struct order_rec *order,
					  struct seq_arrival *arrival)
{
	if (seq_is_kept_out(seq, order, arrival))
		return;
	arrival->kind = seq_classify(seq, arrival);
	arrival->highest = arrival->kind <= SEQ_AHEAD ? arrival->place : seq->next - 1;
	/*
	 * Through memory, so that the verifier forgets the values: otherwise it would follow the
	 * loop in seq_advance() once for each combination.
	 */
	order->arrival = *arrival;
	asm volatile("" : : : "memory");
	*arrival = order->arrival;
	seq_advance(seq, arrival->highest);
	switch (arrival->kind) {
	case SEQ_AHEAD:
		order_add_gap(order, seq, arrival->place, arrival->now_ns);
		break;
	case SEQ_LATE:
		seq_add_late(seq, order, arrival);
		break;
	case SEQ_DUPLICATE:
		seq->duplicates++;
		return;
	case SEQ_UNKNOWN:
		seq->unknown++;
		return;
	case SEQ_IMPLAUSIBLE:
		seq->implausible++;
		return;
	}
	seq_mark(seq, order, arrival->place);
}

/* Adds an arrival: @arrival's number, run and times are given, the rest is set here. */
static __always_inline void seq_add(struct seq_state *seq, struct order_rec *order,
				    struct seq_arrival *arrival)
{
	__s64 ahead = (__s32)(arrival->low - (__u32)(seq->next - seq->base));

	arrival->place = seq->next + ahead;
	/* A word is also opened at the start, when next is 0. */
	if (unlikely(ahead || !(seq->next & 63) || arrival->id != seq->id)) {
		seq_add_other(seq, order, arrival);
		return;
	}
	arrival->kind = SEQ_NEXT;
	seq->next++;
	seq_mark(seq, order, arrival->place);
}

#endif
