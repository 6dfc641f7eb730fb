/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * abi/seq.h - order, loss and delay variation of one stream, derived from the sequence numbers of
 * arriving packets.
 *
 * Written by sink_xdp under the stream's lock (struct seq_slot), read by user space. Sums only grow while the
 * program is loaded. A number's *place* is the number widened to 64 bits and shifted so that a
 * run's places lie after all that the window still holds of the previous run.
 */
#ifndef ABI_SEQ_H
#define ABI_SEQ_H

#include "abi/abi.h"
#include "abi/hist.h"
#include "abi/jitter.h"

/*
 * The window: numbers below the highest in which late packets are distinguished from duplicates.
 * A power of two, the same for all streams of a program.
 */
#define SEQ_WINDOW_MIN	4096
#define SEQ_WINDOW_MAX	(1u << 17)	/* a map's value must not be above 4 MB */
#define SEQ_FAR	4096	/* a number further ahead than this is held, whatever the window */
#define SEQ_STEP	64	/* words of the window that are judged under one lock */
#define SEQ_ORIGIN	(1ull << 32)	/* the first place, so that numbers up to 2^31 before it
					 * have one, too */
#define SEQ_EXTENTS	832	/* hist_index() of 2 * SEQ_WINDOW_MAX, above any extent */
#define SEQ_NR_HELD	2	/* packets that wait to be confirmed */
#define SEQ_HELD_MAX	4	/* packets that may come between one that is held and the one that confirms it */
#define SEQ_N_MAX	128	/* how far back n-reordering looks; more is counted as this */

/*
 * A packet whose number or run is not plausible by itself moves nothing: it is held
 * until one of the next packets confirms it, and counted apart if none does. Two are
 * held, so that one that is damaged does not hide the one after it. Runs are followed
 * one after another: the sums go on through all of them.
 */
struct seq_held {
	__u32 low;		/* its number, as in the tag */
	__u16 id;		/* its run; with `is` */
	__u16 is;		/* 1: one is held */
	__u64 distinct;		/* of the stream, when it came */
	__u64 sent_ns, now_ns;	/* 0: it had no time */
	__u64 copies;		/* more packets of this number: they are what it turns out to be */
};

struct seq_state {
	__u64 next;		/* place of the next expected: highest seen + 1 */
	__u64 base;		/* place of this run's number 0 */
	__u64 first;		/* lowest place seen in this run */
	__u32 run;		/* how many were followed; 0: nothing seen yet */
	__u16 id, before_id;	/* the run that is followed, and the one before it, as in the tag */
	struct seq_held held[SEQ_NR_HELD];	/* the older one first */
	__u64 other_run;	/* packets of a run that is not followed */
	__u64 implausible;	/* numbers that no other packet confirmed */
	__u64 distinct;		/* numbers received, each once */
	__u64 duplicates;
	__u64 reordered;	/* RFC 4737: below next, and not a duplicate */
	__u64 distance_max;	/* next - 1 - number, of reordered packets */
	__u64 unknown;		/* too far below the highest for the window: late, or a duplicate */
	__u64 spanned;		/* numbers from first to highest, of earlier runs */
	__u64 unseen;		/* numbers below first, of earlier runs */
	__u64 arrived_ns;	/* with cfg.gaps: the latest arrival on any CPU; 0: none yet */
	__u64 loss_runs;	/* loss periods (RFC 3357) that have left the window */
	__u64 loss_run_max;
	__u64 loss_run;		/* numbers lost in a row at the window's end: a run still open */
	__u64 end;		/* the word of places after the last that the ring of words has */
};
ABI_ASSERT_SIZE(struct seq_state, 224);

/* An arrival during its checks. */
struct seq_arrival {
	__u32 low;		/* the low 32 bits of its number */
	__u16 kind;		/* enum seq_kind of the program */
	__u16 id;		/* its run, as in the tag */
	__u64 sent_ns;		/* the sender's stamp; 0: its delay is not known */
	__u64 now_ns;		/* when it arrived; 0: not known */
	__u64 place;
	__u64 next;		/* place expected before it */
	__u64 highest;		/* place, after it */
	__u64 confirmed;	/* place of the one held, which it confirmed; 0: none */
	__u64 confirmed_sent_ns, confirmed_now_ns;	/* as of struct seq_held */
	__u64 begins;		/* 1: the one confirmed is the first of a run */
};

/*
 * A packet that arrived early: the earliest with a larger number than those missing right below it.
 */
struct seq_gap {
	__u64 place;
	__u64 distinct;		/* how many came before it */
	__u64 arrived_ns;	/* 0: unknown */
};

/*
 * What depends on the window's size lies in one map value per stream, as rings one after another:
 * bits of places that were seen, in words, of twice the window so that its end need not be exact;
 * gaps, as many as a window can hold, each of which takes two places; and delays by place.
 */
ABI_INLINE __u64 seq_words(__u64 window)
{
	return window / 32;
}

ABI_INLINE __u64 *seq_word(__u64 *ring, __u64 window, __u64 word)
{
	return ring + (word & (seq_words(window) - 1));
}

ABI_INLINE __u64 seq_gaps(__u64 window)
{
	return window / 2;
}

ABI_INLINE struct seq_gap *seq_gap(__u64 *ring, __u64 window, __u64 index)
{
	return (struct seq_gap *)(ring + seq_words(window)) + (index & (seq_gaps(window) - 1));
}

/* Of the place, if it is next to a missing or late one; only with cfg.vary. */
ABI_INLINE __s64 *seq_delay_ns(__u64 *ring, __u64 window, __u64 place)
{
	return (__s64 *)((struct seq_gap *)(ring + seq_words(window)) + seq_gaps(window)) +
	       (place & (window - 1));
}

#define SEQ_RING_BYTES(window, vary) \
	(8 * ((window) / 32) + sizeof(struct seq_gap) * ((window) / 2) + ((vary) ? 8 * (window) : 0))

/* Figures of a stream's reordered packets (RFC 4737), without duplicates. */
struct order_rec {
	__u64 extent_sum;	/* 4.2: arrivals since the earliest with a larger number */
	__u64 extent_max;
	__u64 gaps_seen;	/* since load; the last ones are in the ring */
	struct seq_arrival arrival;	/* the program's scratch */
	__u64 extents[SEQ_EXTENTS];	/* by hist_index() */
	__u64 n_reordered[SEQ_N_MAX + 1];	/* 5: by the largest n; 0: one before it is lower */
	struct hist_rec late;	/* 4.3: time since that earliest arrival, if both have one */
	__u64 recent[SEQ_N_MAX];	/* places of the last arrivals; index: distinct % SEQ_N_MAX */
};
ABI_ASSERT_SIZE(struct order_rec, 104 + 8 * (SEQ_EXTENTS + 2 * SEQ_N_MAX + 1) +
		sizeof(struct hist_rec));

/* Delay variation of a stream; the two ends' clocks may differ. All times in ns. */
struct vary_rec {
	__u64 newest_place;	/* the highest place that had a time, and its delay */
	__s64 newest_ns;
	struct jitter_rec jitter;	/* of the arrivals that had a time */
	__s64 ipdv_sum_ns;
	__s64 ipdv_min_ns;	/* valid if ipdv.count */
	__s64 ipdv_max_ns;
	struct hist_rec ipdv;	/* |delay(i) - delay(i - 1)|, RFC 5481, if both arrived */
};
ABI_ASSERT_SIZE(struct vary_rec, 64 + sizeof(struct hist_rec));

#define VARY_UNTIMED	(-0x7fffffffffffffffll - 1)	/* in the ring: arrived without a time */

/*
 * The following runs for each word that leaves the window, in one loop, so it must have few
 * branches: the verifier follows every path through all iterations.
 */

/* Number of bits set; not __builtin_popcountll(), which clang 14 cannot compile for BPF. */
ABI_INLINE __u64 seq_count_bits(__u64 v)
{
	v -= v >> 1 & 0x5555555555555555ull;
	v = (v & 0x3333333333333333ull) + (v >> 2 & 0x3333333333333333ull);
	v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0full;
	return v * 0x0101010101010101ull >> 56;
}

/* 1 if @v is negative, otherwise 0; the barriers keep the compiler from making it a branch. */
ABI_INLINE __u64 seq_is_negative(__u64 v)
{
	__asm__ volatile("" : "+r"(v));
	v >>= 63;
	__asm__ volatile("" : "+r"(v));
	return v;
}

/* 1 unless @v is 0. */
ABI_INLINE __u64 seq_is_set(__u64 v)
{
	__u64 negative = -v;

	__asm__ volatile("" : "+r"(negative));
	return seq_is_negative(v | negative);
}

/* The larger of two below 2^63. */
ABI_INLINE __u64 seq_max(__u64 a, __u64 b)
{
	return a ^ ((a ^ b) & -seq_is_negative(a - b));
}

/* The smaller of two below 2^63. */
ABI_INLINE __u64 seq_min(__u64 a, __u64 b)
{
	return a ^ b ^ seq_max(a, b);
}

/* The length of the longest run of bits set, 0 to 63; 64 of them also count as 63. */
ABI_INLINE __u64 seq_longest_row(__u64 v)
{
	__u64 rows[6], start = ~0ull, length = 0, longer, found;
	int i;

	/* Bit b of rows[i]: a run of 2^i starts at b. */
	rows[0] = v;
	for (i = 0; i < 5; i++)
		rows[i + 1] = rows[i] & rows[i] >> (1 << i);
	for (i = 5; i >= 0; i--) {
		longer = start & rows[i] >> length;
		found = seq_is_set(longer);
		start ^= (start ^ longer) & -found;
		length += found << i;
	}
	return length;
}

/* Judges a row of numbers that were never in the window. */
ABI_INLINE void seq_lose_row(struct seq_state *seq, __u64 numbers)
{
	seq->loss_runs += numbers && !seq->loss_run;
	seq->loss_run += numbers;
	seq->loss_run_max = seq_max(seq->loss_run_max, seq->loss_run);
}

/* Judges the next 64 numbers: bit i of @lost is set if number i never arrived. */
ABI_INLINE void seq_lose(struct seq_state *seq, __u64 lost)
{
	__u64 kept = ~lost, open = seq->loss_run, head, tail = kept;
	int i;

	head = seq_count_bits((kept & -kept) - 1);	/* 64 if none was received */
	for (i = 1; i < 64; i *= 2)
		tail |= tail >> i;
	tail = 64 - seq_count_bits(tail);
	/* Otherwise clang 19 makes a branch of tail >> 6. */
	__asm__ volatile("" : "+r"(tail));
	seq->loss_runs += seq_count_bits(lost & ~(lost << 1 | seq_is_set(open)));
	seq->loss_run = tail + (open & -(tail >> 6));
	seq->loss_run_max = seq_max(seq->loss_run_max, seq_max(open + head, seq_longest_row(lost)));
}

/*
 * Judges the places in @word, of which the bits in @seen were seen: none of them can arrive any more, so
 * the others are lost.
 */
ABI_INLINE void seq_judge(struct seq_state *seq, __u64 word, __u64 seen)
{
	__u64 lost = ~seen, before;

	/* How many of them are before the first arrival: 0 to 64. */
	before = seq_max(seq->first, word << 6) - (word << 6);
	before = 64 - (seq_max(64, before) - before);
	seq_lose(seq, lost & ~0ull << (before & 63) & ((before >> 6) - 1));
}

/* For a reader's copy: the only packet that came is held, and is taken as it is. */
ABI_INLINE void seq_take_only(struct seq_state *seq)
{
	struct seq_held *held = &seq->held[SEQ_NR_HELD - 1];

	if (seq->run || !held->is)
		return;
	seq->run = 1;
	seq->id = held->id;
	seq->first = SEQ_ORIGIN;
	seq->next = SEQ_ORIGIN + 1;
	seq->base = SEQ_ORIGIN - held->low;
	seq->distinct = 1;
	seq->duplicates = held->copies;
	held->is = 0;
}

/* The highest number, and the rest of its word, which is not lost: it was never due. */
ABI_INLINE __u64 seq_closing_bits(const struct seq_state *seq)
{
	return ~0ull << ((seq->next - 1) & 63);
}

/* For a reader's copy: judges what is still in the window. */
static inline void seq_judge_rest(struct seq_state *seq, __u64 *ring, __u64 window)
{
	__u64 last = (seq->next - 1) >> 6, seen;
	__u64 word = seq_max(seq->first >> 6, last - (seq_words(window) - 1));

	for (; word <= last; word++) {
		seen = *seq_word(ring, window, word);
		seq_judge(seq, word, word == last ? seen | seq_closing_bits(seq) : seen);
	}
}

/* The number of one that is held. */
ABI_INLINE __u64 seq_held_number(const struct seq_state *seq, const struct seq_held *held)
{
	__u64 highest = seq->next - seq->base;

	return highest + (__u64)(__s64)(__s32)(held->low - (__u32)highest);
}

/* The next number that is held, from @from on and below @end; @end: none is. */
ABI_INLINE __u64 seq_next_held(const struct seq_state *seq, __u64 from, __u64 end)
{
	__u64 number;
	int i;

	for (i = 0; i < SEQ_NR_HELD; i++) {
		number = seq_held_number(seq, &seq->held[i]);
		if (seq->held[i].is && seq->held[i].id == seq->id && number >= from && number < end)
			end = number;
	}
	return end;
}

/* How many of the places from @from on are in the window, and were seen. */
static inline __u64 seq_count_seen(const struct seq_state *seq, __u64 *ring, __u64 window, __u64 from)
{
	__u64 last = (seq->next - 1) >> 6, seen = 0, bits;
	__u64 word = seq_max(from >> 6, seq->end - seq_words(window));

	for (; word <= last; word++) {
		bits = *seq_word(ring, window, word);
		seen += seq_count_bits(word == from >> 6 ? bits & ~0ull << (from & 63) : bits);
	}
	return seen;
}

/*
 * For a reader's copy, before its window is judged: only the numbers 0 to @end - 1 were sent, so what was
 * accepted from there on is forged. It is taken out of the distinct ones, as far as it can be counted: in
 * the window, and among the last SEQ_N_MAX arrivals. True: there was such a one, and runs of loss are not
 * known.
 */
static inline int seq_drop_forged(struct seq_state *seq, const struct order_rec *order, __u64 *ring,
				  __u64 window, __u64 end)
{
	__u64 from = seq->base + end, recent = 0, forged, i;
	/* All that the ring is sure to have, wherever in a word the highest is. */
	__u64 oldest = seq->next - 64 * (seq_words(window) - 1);

	if (seq->run != 1 || seq->next <= from)
		return 0;
	for (i = 0; i < SEQ_N_MAX; i++)
		recent += order->recent[i] >= from;
	/* The highest of them did arrive. */
	forged = seq->end ? seq_count_seen(seq, ring, window, seq_max(from, oldest)) : 0;
	forged = seq_max(1, seq_max(recent, forged));
	forged = seq_min(forged, seq->distinct);
	seq->distinct -= forged;
	seq->implausible += forged;
	if (!seq->distinct) {
		seq->implausible += seq->duplicates;
		seq->duplicates = 0;
	}
	seq->next = from;
	seq->first = seq_min(seq->first, from);
	return 1;
}

/*
 * For a reader's copy: only the numbers 0 to @end - 1 were sent, so one that is held is distinct below
 * @end, and forged from there on.
 */
static inline void seq_settle_held(struct seq_state *seq, __u64 end)
{
	struct seq_held *held;
	int i;

	for (i = 0; i < SEQ_NR_HELD; i++) {
		held = &seq->held[i];
		if (!held->is || held->id != seq->id)
			continue;
		if (seq_held_number(seq, held) < end) {
			seq->distinct++;
			seq->duplicates += held->copies;
		} else {
			seq->implausible += 1 + held->copies;
		}
		held->is = 0;
	}
}

/*
 * For a reader's copy, when all in its window is judged: the numbers 0 to @end - 1 were sent. What is
 * missing below the first and above the highest is lost, too, in runs that begin and end the stream:
 * the first and the highest were received. Returns how many these are.
 */
ABI_INLINE __u64 seq_lose_ends(struct seq_state *seq, __u64 end)
{
	__u64 from = seq->next - seq->base, lost = seq->first - seq->base, held;

	/* Of several runs it is not known what each of them had. */
	if (seq->run > 1 || !end)
		return 0;
	seq->loss_run = 0;
	seq_lose_row(seq, lost);
	seq->loss_run = 0;
	for (; from < end; from = held + 1) {
		held = seq_next_held(seq, from, end);
		seq_lose_row(seq, held - from);
		lost += held - from;
		/* It was received: the run does not go on after it. */
		if (held < end)
			seq->loss_run = 0;
	}
	return lost;
}

#endif
