/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/seq.bpf.h - order, loss and duplicates of one stream from its sequence numbers.
 *
 * Reordered means RFC 4737: below the next expected number. A duplicate is
 * known by a bitmap of the newest numbers; what is older is `unknown`, never
 * loss repaired. Called under a spin lock: no helper may be called here.
 */
#ifndef LIB_SEQ_BPF_H
#define LIB_SEQ_BPF_H

#include "abi/sink.h"
#include "lib/core.bpf.h"

/* The bits of @number's word and of those between it and the highest seen are stale: clear them. */
static __always_inline void seq_advance(struct seq_state *seq, __u64 number)
{
	__u64 word = (seq->next - 1) >> 6, last = number >> 6;
	int i;

	for (i = 0; i < SEQ_WORDS && word < last; i++) {
		word++;
		seq->window[word % SEQ_WORDS] = 0;
	}
	seq->next = number + 1;
}

/* A sender numbers anew: its window starts empty, the sums go on. */
static __always_inline void seq_start(struct seq_state *seq, __u64 number)
{
	int i;

	for (i = 0; i < SEQ_WORDS; i++)
		seq->window[i] = 0;
	if (seq->run) {
		seq->spanned += seq->next - seq->first;
		seq->unseen += seq->first;
	}
	seq->run++;
	seq->first = number;
	seq->next = number;
}

static __always_inline void seq_mark(struct seq_state *seq, __u64 number)
{
	seq->window[(number >> 6) % SEQ_WORDS] |= 1ull << (number & 63);
	seq->distinct++;
}

/* @number is below next. */
static __always_inline void seq_late(struct seq_state *seq, __u64 number)
{
	__u64 behind = seq->next - number;

	if (behind > SEQ_WINDOW) {
		seq->unknown++;
		return;
	}
	if (seq->window[(number >> 6) % SEQ_WORDS] >> (number & 63) & 1) {
		seq->duplicates++;
		return;
	}
	seq_mark(seq, number);
	seq->reordered++;
	if (behind - 1 > seq->distance_max)
		seq->distance_max = behind - 1;
	if (number < seq->first)
		seq->first = number;
}

/*
 * One arrival: @low, the low 32 bits of its number, and the sender's stamp, 0
 * if it had none. A lower number that was sent later than the highest one is
 * a new run; a higher number that was sent earlier is left over from the last.
 */
static __always_inline void seq_add(struct seq_state *seq, __u32 low, __u64 sent_ns)
{
	__s64 ahead = (__s32)(low - (__u32)seq->next);
	__u64 number = seq->next + ahead;

	if (unlikely(!seq->run || (ahead < 0 && sent_ns > seq->newest_sent_ns))) {
		number = low;
		ahead = 0;
		seq_start(seq, number);
	} else if (unlikely(ahead < 0 && number > seq->next)) {
		seq->unknown++;		/* before number 0 */
		return;
	}
	if (unlikely(ahead < 0)) {
		seq_late(seq, number);
		return;
	}
	if (unlikely(sent_ns && sent_ns < seq->newest_sent_ns)) {
		seq->unknown++;
		return;
	}
	if (sent_ns)
		seq->newest_sent_ns = sent_ns;
	seq_advance(seq, number);
	seq_mark(seq, number);
}

#endif
