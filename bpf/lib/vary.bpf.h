/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/vary.bpf.h - delay variation of one stream: between consecutive numbers (RFC 5481's IPDV),
 * and smoothed in order of arrival (RFC 3550's jitter).
 *
 * Called under the stream's lock, after seq_add(): no helper may be called.
 */
#ifndef LIB_VARY_BPF_H
#define LIB_VARY_BPF_H

#include "lib/jitter.bpf.h"
#include "lib/seq.bpf.h"

static __always_inline void vary_add_pair(struct vary_rec *vary, __s64 before_ns, __s64 delay_ns)
{
	__s64 ipdv_ns = delay_ns - before_ns;

	if (before_ns == VARY_UNTIMED || delay_ns == VARY_UNTIMED)
		return;
	if (unlikely(!vary->ipdv.count))
		vary->ipdv_min_ns = vary->ipdv_max_ns = ipdv_ns;
	if (ipdv_ns < vary->ipdv_min_ns)
		vary->ipdv_min_ns = ipdv_ns;
	if (ipdv_ns > vary->ipdv_max_ns)
		vary->ipdv_max_ns = ipdv_ns;
	vary->ipdv_sum_ns += ipdv_ns;
	hist_add(&vary->ipdv, 0, ipdv_ns < 0 ? -ipdv_ns : ipdv_ns);
}

static __always_inline __s64 *vary_delay_ns(__u64 *ring, __u64 place)
{
	return seq_delay_ns(ring, seq_window, place);
}

/* The delay of the highest number before this one, which was @place. */
static __always_inline __s64 vary_newest(const struct vary_rec *vary, __u64 place)
{
	return vary->newest_place == place ? vary->newest_ns : VARY_UNTIMED;
}

/* A late packet lies between two that may have arrived: both must be in the window. */
static __always_inline void vary_add_late(struct vary_rec *vary, const struct seq_state *seq,
					  __u64 *ring, __u64 place, __s64 delay_ns)
{
	if (seq->next - place < seq_window && seq_was_seen(ring, place - 1))
		vary_add_pair(vary, *vary_delay_ns(ring, place - 1), delay_ns);
	if (seq_was_seen(ring, place + 1))
		vary_add_pair(vary, delay_ns, *vary_delay_ns(ring, place + 1));
	*vary_delay_ns(ring, place) = delay_ns;
}

/* The one that this arrival confirmed: the first of its run, or the highest until now. */
static __always_inline void vary_add_confirmed(struct vary_rec *vary, __u64 *ring,
					       const struct seq_arrival *arrival, __u64 next)
{
	__s64 delay_ns = VARY_UNTIMED;

	*vary_delay_ns(ring, next - 1) = vary_newest(vary, next - 1);
	if (arrival->confirmed_sent_ns) {
		delay_ns = arrival->confirmed_now_ns - arrival->confirmed_sent_ns;
		jitter_add(&vary->jitter, delay_ns);
		if (arrival->confirmed == next)
			vary_add_pair(vary, vary_newest(vary, next - 1), delay_ns);
		vary->newest_place = arrival->confirmed;
		vary->newest_ns = delay_ns;
	}
	*vary_delay_ns(ring, arrival->confirmed) = delay_ns;
}

/* @next: the next expected place before this arrival. */
static __always_inline void vary_add(struct vary_rec *vary, const struct seq_state *seq, __u64 *ring,
				     const struct seq_arrival *arrival, __u64 next)
{
	__s64 delay_ns = VARY_UNTIMED;

	if (unlikely(arrival->confirmed)) {
		vary_add_confirmed(vary, ring, arrival, next);
		next = arrival->confirmed + 1;
	}
	if (arrival->kind >= SEQ_HELD)
		return;
	if (arrival->sent_ns) {
		delay_ns = arrival->now_ns - arrival->sent_ns;
		jitter_add(&vary->jitter, delay_ns);
	}
	if (arrival->kind == SEQ_LATE) {
		vary_add_late(vary, seq, ring, arrival->place, delay_ns);
	} else if (arrival->kind == SEQ_NEXT) {
		vary_add_pair(vary, vary_newest(vary, next - 1), delay_ns);
	} else if (arrival->kind <= SEQ_AHEAD) {
		/* Late packets may be next to these two; elsewhere none is missing. */
		*vary_delay_ns(ring, next - 1) = vary_newest(vary, next - 1);
		*vary_delay_ns(ring, arrival->place) = delay_ns;
	}
	if (arrival->sent_ns && arrival->kind <= SEQ_AHEAD) {
		vary->newest_place = arrival->place;
		vary->newest_ns = delay_ns;
	}
}

#endif
