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

/* The places from @from to before @to were never in the window; of them @confirmed was received. */
static __always_inline void seq_skip(struct seq_state *seq, __u64 from, __u64 to, __u64 confirmed)
{
	from = seq_max(from, seq->first);
	if (confirmed >= from && confirmed < to) {
		seq_lose_row(seq, confirmed - from);
		seq->loss_run = 0;
		from = confirmed + 1;
	}
	if (from < to)
		seq_lose_row(seq, to - from);
}

/*
 * Clears the words for the places up to the highest, after judging their contents. The only loop:
 * the verifier follows it once for each way to it.
 */
static __always_inline void seq_advance(struct seq_state *seq, const struct seq_arrival *arrival)
{
	__u64 word = (seq->next - 1) >> 6, from = (word + 1) << 6;
	__u64 last = arrival->highest >> 6, words = last - word;
	__u32 i;

	/* Where others have come near it meanwhile, it is in the word that is judged now. */
	seq->window[word % SEQ_WORDS] |= (__u64)!seq_is_set(arrival->confirmed >> 6 ^ word) <<
					 (arrival->confirmed & 63);
	for (i = 0; i < SEQ_WORDS && i < words; i++) {
		word++;
		seq_judge(seq, word - SEQ_WORDS);
		seq->window[word % SEQ_WORDS] = 0;
	}
	/* After the loop, which judges numbers of the previous run. */
	if (arrival->begins)
		seq->first = arrival->confirmed;
	if (unlikely(words > SEQ_WORDS))
		seq_skip(seq, from, (last - SEQ_WORDS + 1) << 6, arrival->confirmed);
	seq->next = arrival->highest + 1;
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
	} else {
		seq->first = seq->next = place;
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

static __always_inline void seq_mark(struct seq_state *seq, __u64 place)
{
	seq->window[(place >> 6) % SEQ_WORDS] |= 1ull << (place & 63);
}

static __always_inline void seq_count(struct seq_state *seq, struct order_rec *order, __u64 place)
{
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

/* Others have gone so far on since it came that it is not ahead of them any more. */
static __always_inline int seq_is_behind(const struct seq_state *seq, const struct seq_held *held)
{
	return seq->run && held->id == seq->id &&
	       (__s32)(held->low - (__u32)(seq->next - seq->base)) < 0;
}

/* It will not be confirmed any more, now that a packet of the run @id came. */
static __always_inline void seq_give_up(struct seq_state *seq, const struct seq_held *held, __u16 id)
{
	if (!held->is)
		return;
	if (seq->run ? held->id != seq->id : held->id != id)
		seq->other_run++;
	else if (seq_is_behind(seq, held))
		seq->unknown++;
	else
		seq->implausible++;
}

static __always_inline void seq_hold(struct seq_state *seq, const struct seq_arrival *arrival)
{
	seq_give_up(seq, &seq->held[0], arrival->id);
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
	       !seq_is_behind(seq, held) &&
	       between <= (arrival->id == seq->id ? SEQ_HELD_MAX : 0);
}

/* The one that @arrival confirms comes to held[0]; 0: there is none. */
static __always_inline int seq_find_held(struct seq_state *seq, const struct seq_arrival *arrival)
{
	if (seq_confirms(seq, &seq->held[0], arrival))
		return 1;
	if (!seq_confirms(seq, &seq->held[1], arrival))
		return 0;
	seq_give_up(seq, &seq->held[0], arrival->id);
	seq->held[0] = seq->held[1];
	seq->held[1].is = 0;
	return 1;
}

/* The held packet has a place now, and with it the one that confirms it. */
static __always_inline void seq_accept_held(struct seq_state *seq, struct seq_arrival *arrival)
{
	const struct seq_held *held = &seq->held[0];

	arrival->begins = !seq->run || arrival->id != seq->id;
	if (arrival->begins)
		arrival->confirmed = seq_start(seq, arrival->id, held->low);
	else
		arrival->confirmed = seq->next + (__s32)(held->low - (__u32)(seq->next - seq->base));
	arrival->confirmed_sent_ns = held->sent_ns;
	arrival->confirmed_now_ns = held->now_ns;
	arrival->place = arrival->confirmed + (__s32)(arrival->low - held->low);
	seq->held[0].is = 0;
}

/* It arrived before the one that confirmed it, so it is marked first. */
static __always_inline void seq_add_held(struct seq_state *seq, struct order_rec *order,
					 const struct seq_arrival *arrival)
{
	order_add_gap(order, seq, arrival->confirmed, arrival->confirmed_now_ns);
	if ((arrival->highest >> 6) - (arrival->confirmed >> 6) < SEQ_WORDS)
		seq_mark(seq, arrival->confirmed);
	seq_count(seq, order, arrival->confirmed);
}

/* After seq_advance(): the window has room for it. */
static __always_inline enum seq_kind seq_classify(const struct seq_state *seq,
						  const struct seq_arrival *arrival)
{
	__s64 ahead = arrival->place - arrival->next;

	if (ahead >= 0)
		return ahead ? SEQ_AHEAD : SEQ_NEXT;
	if ((__s64)(arrival->place - seq->base) < 0)
		return SEQ_IMPLAUSIBLE;
	if (-ahead > SEQ_WINDOW)
		return SEQ_UNKNOWN;
	return seq_was_seen(seq, arrival->place) ? SEQ_DUPLICATE : SEQ_LATE;
}

/* True if it cannot be placed yet, or is not of this run. */
static __always_inline int seq_is_kept_out(struct seq_state *seq, struct seq_arrival *arrival)
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
		seq_accept_held(seq, arrival);
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
	if (seq_is_kept_out(seq, arrival))
		return;
	arrival->next = arrival->confirmed ? arrival->confirmed + 1 : seq->next;
	arrival->highest = seq_max(arrival->place, arrival->next - 1);
	/*
	 * Through memory, so that the verifier forgets the values: otherwise it would follow the
	 * loop in seq_advance() once for each combination.
	 */
	order->arrival = *arrival;
	asm volatile("" : : : "memory");
	*arrival = order->arrival;
	seq_advance(seq, arrival);
	if (arrival->confirmed)
		seq_add_held(seq, order, arrival);
	arrival->kind = seq_classify(seq, arrival);
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
	seq_mark(seq, arrival->place);
	seq_count(seq, order, arrival->place);
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
	seq_mark(seq, arrival->place);
	seq_count(seq, order, arrival->place);
}

#endif
