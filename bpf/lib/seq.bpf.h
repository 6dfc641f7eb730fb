/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/seq.bpf.h - order, loss and duplicates of one stream from its sequence numbers.
 *
 * Reordered means RFC 4737: below the next expected number. Duplicates are recognised by a bitmap
 * of the newest numbers; older arrivals are `unknown`. Timestamps decide nothing: clocks are
 * stepped. The first packet of a run, and a number beyond the window ahead, are held until another
 * packet confirms them. Called under the stream's lock (lib/seq_lock.bpf.h): no helper may be called here.
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

/* Read at each use, as the verifier on older kernels does not know what was kept on the stack. */
const volatile __u32 seq_window = SEQ_WINDOW_MIN;

/* The number, widened next to the one expected, as a place of the run that is followed. */
static __always_inline __u64 seq_place(const struct seq_state *seq, __u32 low)
{
	return seq->next + (__s64)(__s32)(low - (__u32)(seq->next - seq->base));
}

/* Only a packet out of order justifies a clock read; checked before the lock, so only a hint. */
static __always_inline int seq_is_expected(const struct seq_state *seq, __u32 low)
{
	return low == (__u32)(READ_ONCE(seq->next) - READ_ONCE(seq->base));
}

/* Words that seq_add() clears at most: those of a number that seq_is_near(), and some for other CPUs. */
#define SEQ_STEP_NEAR	4

/* As a hint, too: not another run, and at most two words ahead; no other needs seq_make_room(). */
static __always_inline int seq_is_near(const struct seq_state *seq, const struct seq_arrival *arrival)
{
	return arrival->id == READ_ONCE(seq->id) &&
	       (__s32)(arrival->low - (__u32)(READ_ONCE(seq->next) - READ_ONCE(seq->base))) < 2 * 64;
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
 * Clears words for the places before @end, after judging their contents, as long as these may be of
 * numbers that arrived: after those all are clear. At most @most of them; true: more are left.
 */
static __always_inline int seq_clear(struct seq_state *seq, __u64 *ring, __u64 end, __u32 most)
{
	__u64 word = seq->end, *cell;
	__u32 i;

	end = seq_min(end, ((seq->next - 1) >> 6) + seq_words(seq_window) + 1);
	for (i = 0; i < most && word < end; i++) {
		cell = seq_word(ring, seq_window, word);
		seq_judge(seq, word - seq_words(seq_window), *cell);
		*cell = 0;
		word++;
	}
	seq->end = word;
	/* Otherwise clang 19 leaves the loop in two ways. */
	barrier_var(word);
	return word < end;
}

/* Marks @bits in the word of the highest place, if that is not judged yet. No branch: a loop follows. */
static __always_inline void seq_mark_last(const struct seq_state *seq, __u64 *ring, __u64 bits)
{
	__u64 word = (seq->next - 1) >> 6;

	bits &= -seq_is_negative(seq->end - 1 - word - seq_words(seq_window));
	*seq_word(ring, seq_window, word) |= bits;
}

/* A packet that was held is in that word, where others have come near it meanwhile. */
static __always_inline void seq_mark_confirmed(const struct seq_state *seq, __u64 *ring, __u64 place)
{
	__u64 is_there = 1 ^ seq_is_set(place >> 6 ^ (seq->next - 1) >> 6);

	seq_mark_last(seq, ring, is_there << (place & 63));
}

/* Moves on to the highest place; where that is far, seq_make_room() was called before. */
static __always_inline void seq_advance(struct seq_state *seq, __u64 *ring,
					const struct seq_arrival *arrival)
{
	__u64 end = (arrival->highest >> 6) + 1, words = seq_words(seq_window);
	int more;

	seq_mark_confirmed(seq, ring, arrival->confirmed);
	more = seq_clear(seq, ring, end, SEQ_STEP_NEAR);
	/* After that, which judges numbers of the previous run. */
	if (arrival->begins)
		seq->first = arrival->confirmed;
	/* Back where the first run begins, so that there is room for numbers before its first. */
	if (unlikely(!more && (seq->end < end || arrival->begins))) {
		seq_skip(seq, (seq->end - words) << 6, (end - words) << 6, arrival->confirmed);
		seq->end = end;
	}
	seq->next = arrival->highest + 1;
}

/* Where another run begins. */
static __always_inline __u64 seq_next_origin(const struct seq_state *seq)
{
	return ((seq->next - 1) & ~63ull) + 2 * seq_window;
}

/* A run begins with @low: so far ahead that the previous run's window is judged. */
static __always_inline __u64 seq_start(struct seq_state *seq, __u64 *ring, __u16 id, __u32 low)
{
	__u64 place = SEQ_ORIGIN;

	if (seq->run) {
		place = seq_next_origin(seq);
		seq_mark_last(seq, ring, seq_closing_bits(seq));
		seq->spanned += seq->next - seq->first;
		seq->unseen += seq->first - seq->base;
		seq->before_id = seq->id;
	} else {
		seq->first = seq->next = place;
		seq->end = (place >> 6) + seq_words(seq_window);	/* all are clear */
	}
	seq->run++;
	seq->id = id;
	seq->base = place - low;
	return place;
}

static __always_inline int seq_was_seen(__u64 *ring, __u64 place)
{
	return *seq_word(ring, seq_window, place >> 6) >> (place & 63) & 1;
}

/* The ring of words has a place for it. */
static __always_inline int seq_has_word(const struct seq_state *seq, __u64 place)
{
	return seq->end - 1 - (place >> 6) < seq_words(seq_window);
}

/*
 * Unless its word is cleared, for a number a whole window ahead, by another CPU whose arrival is not
 * added yet: the mark would be of that word. No branch, as this is the usual path.
 */
static __always_inline void seq_mark(const struct seq_state *seq, __u64 *ring, __u64 place)
{
	__u64 bit = -seq_is_negative(seq->end - 1 - (place >> 6) - seq_words(seq_window));

	*seq_word(ring, seq_window, place >> 6) |= bit & 1ull << (place & 63);
}

static __always_inline void seq_count(struct seq_state *seq, struct order_rec *order, __u64 place)
{
	order->recent[seq->distinct % SEQ_N_MAX] = place;
	seq->distinct++;
}

static __always_inline void order_add_gap(struct order_rec *order, const struct seq_state *seq,
					  __u64 *ring, __u64 place, __u64 now_ns)
{
	struct seq_gap *gap = seq_gap(ring, seq_window, order->gaps_seen);

	gap->place = place;
	gap->distinct = seq->distinct;
	gap->arrived_ns = now_ns;
	order->gaps_seen++;
}

/*
 * The earliest arrival with a larger number than the missing @place: always one after a gap, and
 * the window holds no more of those than the ring. A branchless bisection, as the verifier would
 * follow each of 2^11 paths, or more.
 */
static __always_inline struct seq_gap *order_find(const struct order_rec *order, __u64 *ring,
						  __u64 place)
{
	__u64 at = order->gaps_seen, below;	/* the oldest; an unused entry has place 0 */
	__u32 step;

	for (step = seq_gaps(seq_window) / 2; step; step >>= 1) {
		below = seq_gap(ring, seq_window, at + step - 1)->place;
		below = (below - place) >> 63;	/* 1: it is further on */
		barrier_var(below);
		at += below * step;
	}
	return seq_gap(ring, seq_window, at);
}

/* Through memory, so that the verifier forgets the values, and merges the paths that led to them. */
static __always_inline void seq_forget(struct order_rec *order, struct seq_arrival *arrival)
{
	order->arrival = *arrival;
	barrier();
	*arrival = order->arrival;
}

/* The number of arrivals right before this one with larger numbers; SEQ_N_MAX: or more. */
static __always_inline __u64 order_count_n(struct order_rec *order, const struct seq_state *seq,
					   __u64 place)
{
	__u64 n;

	for (n = 0; n < SEQ_N_MAX; n++) {
		if (order->recent[(seq->distinct - 1 - n) % SEQ_N_MAX] < place)
			break;
	}
	/* As seq_forget(). */
	order->arrival.next = n;
	barrier();
	return order->arrival.next;
}

/* Called before the number is marked. */
static __always_inline void order_add_late(struct order_rec *order, const struct seq_state *seq,
					   __u64 *ring, const struct seq_arrival *arrival)
{
	const struct seq_gap *gap = order_find(order, ring, arrival->place);
	__u64 extent = seq->distinct - gap->distinct, n;
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
		seq->other_run += 1 + held->copies;
	else if (seq_is_behind(seq, held))
		seq->unknown += 1 + held->copies;
	else
		seq->implausible += 1 + held->copies;
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
	seq->held[1].copies = 0;
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
	__s32 apart = arrival->low - held->low, window = seq_window;
	__u64 between = seq->distinct - held->distinct;

	return held->is && held->id == arrival->id && apart > -window &&
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
static __always_inline void seq_accept_held(struct seq_state *seq, __u64 *ring,
					    struct seq_arrival *arrival)
{
	const struct seq_held *held = &seq->held[0];

	arrival->begins = !seq->run || arrival->id != seq->id;
	if (arrival->begins)
		arrival->confirmed = seq_start(seq, ring, arrival->id, held->low);
	else
		arrival->confirmed = seq_place(seq, held->low);
	arrival->confirmed_sent_ns = held->sent_ns;
	arrival->confirmed_now_ns = held->now_ns;
	arrival->place = arrival->confirmed + (__s32)(arrival->low - held->low);
	seq->duplicates += held->copies;
	seq->held[0].is = 0;
}

/* It arrived before the one that confirmed it, so it is marked first. */
static __always_inline void seq_add_held(struct seq_state *seq, struct order_rec *order, __u64 *ring,
					 const struct seq_arrival *arrival)
{
	order_add_gap(order, seq, ring, arrival->confirmed, arrival->confirmed_now_ns);
	seq_mark(seq, ring, arrival->confirmed);
	seq_count(seq, order, arrival->confirmed);
}

/* After seq_advance(): the window has room for it. */
static __always_inline enum seq_kind seq_classify(const struct seq_state *seq, __u64 *ring,
						  const struct seq_arrival *arrival)
{
	__s64 ahead = arrival->place - arrival->next;

	if ((__s64)(arrival->place - seq->base) < 0)
		return SEQ_IMPLAUSIBLE;
	if (ahead >= 0)
		return ahead ? SEQ_AHEAD : SEQ_NEXT;
	/* The ring may have less where two CPUs made room at once. */
	if (-ahead > seq_window || !seq_has_word(seq, arrival->place))
		return SEQ_UNKNOWN;
	return seq_was_seen(ring, arrival->place) ? SEQ_DUPLICATE : SEQ_LATE;
}

/* Of the run that is followed, and less than SEQ_FAR ahead: accepted without confirmation. */
static __always_inline int seq_is_plausible(const struct seq_state *seq, __u16 id, __u64 place)
{
	return seq->run && id == seq->id && (__s64)(place - seq->next) < SEQ_FAR;
}

/* Left over from the run before the one that is followed. */
static __always_inline int seq_is_left_over(const struct seq_state *seq, __u16 id)
{
	return seq->run > 1 && id == seq->before_id;
}

static __always_inline int seq_is_held(const struct seq_state *seq,
				       const struct seq_arrival *arrival)
{
	return seq_is_copy(&seq->held[0], arrival) || seq_is_copy(&seq->held[1], arrival);
}

/* True if it cannot be placed yet, or is not of this run. */
static __always_inline int seq_is_kept_out(struct seq_state *seq, __u64 *ring,
					   struct seq_arrival *arrival)
{
	if (seq_is_plausible(seq, arrival->id, arrival->place))
		return 0;
	if (seq_is_left_over(seq, arrival->id)) {
		seq->other_run++;
		arrival->kind = SEQ_OTHER_RUN;
		return 1;
	}
	if (seq_is_held(seq, arrival)) {
		/* Of a forged number it is as implausible as that. */
		seq->held[!seq_is_copy(&seq->held[0], arrival)].copies++;
		arrival->kind = SEQ_HELD;
		return 1;
	}
	if (seq_find_held(seq, arrival)) {
		seq_accept_held(seq, ring, arrival);
		return 0;
	}
	seq_hold(seq, arrival);
	arrival->kind = SEQ_HELD;
	return 1;
}

/*
 * Clears part of what seq_add() of @arrival would have to clear if it is not near: at most SEQ_STEP
 * words. True: there is more.
 */
static __always_inline int seq_make_room(struct seq_state *seq, __u64 *ring,
					 const struct seq_arrival *arrival)
{
	const struct seq_held *held = &seq->held[0];
	__u64 place = seq_place(seq, arrival->low);

	if (!seq->run)
		return 0;
	if (!seq_is_plausible(seq, arrival->id, place)) {
		if (seq_is_left_over(seq, arrival->id) || seq_is_held(seq, arrival))
			return 0;
		if (!seq_confirms(seq, held, arrival))
			held = &seq->held[1];
		if (!seq_confirms(seq, held, arrival))
			return 0;
		if (arrival->id != seq->id) {
			seq_mark_last(seq, ring, seq_closing_bits(seq));
			place = seq_next_origin(seq);
		} else {
			seq_mark_confirmed(seq, ring, seq_place(seq, held->low));
			place = seq_max(place, seq_place(seq, held->low));
		}
	}
	return seq_clear(seq, ring, (place >> 6) + 1, SEQ_STEP);
}

static __always_inline void seq_add_late(struct seq_state *seq, struct order_rec *order, __u64 *ring,
					 const struct seq_arrival *arrival)
{
	__u64 distance = seq->next - 1 - arrival->place;

	order_add_late(order, seq, ring, arrival);
	seq->reordered++;
	if (distance > seq->distance_max)
		seq->distance_max = distance;
	if (arrival->place < seq->first)
		seq->first = arrival->place;
}

/* Handles everything except the next number within a word of the window. */
static __always_inline void seq_add_other(struct seq_state *seq, struct order_rec *order, __u64 *ring,
					  struct seq_arrival *arrival)
{
	if (seq_is_kept_out(seq, ring, arrival))
		return;
	arrival->next = arrival->confirmed ? arrival->confirmed + 1 : seq->next;
	arrival->highest = seq_max(arrival->place, arrival->next - 1);
	/* Otherwise it would follow the loop in seq_clear() once for each combination. */
	seq_forget(order, arrival);
	seq_advance(seq, ring, arrival);
	if (arrival->confirmed)
		seq_add_held(seq, order, ring, arrival);
	arrival->kind = seq_classify(seq, ring, arrival);
	switch (arrival->kind) {
	case SEQ_AHEAD:
		order_add_gap(order, seq, ring, arrival->place, arrival->now_ns);
		break;
	case SEQ_LATE:
		seq_add_late(seq, order, ring, arrival);
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
	seq_mark(seq, ring, arrival->place);
	seq_count(seq, order, arrival->place);
}

/*
 * Adds an arrival: @arrival's number, run and times are given, the rest is set here. @ring: of
 * seq_ring_bytes().
 */
static __always_inline void seq_add(struct seq_state *seq, struct order_rec *order, __u64 *ring,
				    struct seq_arrival *arrival)
{
	arrival->place = seq_place(seq, arrival->low);
	/* A word is also opened at the start, when next is 0. */
	if (unlikely(arrival->place != seq->next || !(seq->next & 63) || arrival->id != seq->id)) {
		seq_add_other(seq, order, ring, arrival);
		seq_forget(order, arrival);
		return;
	}
	arrival->kind = SEQ_NEXT;
	seq->next++;
	seq_mark(seq, ring, arrival->place);
	seq_count(seq, order, arrival->place);
}

#endif
