/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/hist.bpf.h - add a time to a histogram record that only this CPU writes.
 */
#ifndef LIB_HIST_BPF_H
#define LIB_HIST_BPF_H

#include "abi/hist.h"
#include "lib/core.bpf.h"

static __always_inline void hist_add(struct hist_rec *hist, __u64 from_ns, __u64 to_ns)
{
	__u64 ns = to_ns - from_ns;
	__u32 index;

	if (unlikely((__s64)ns < 0)) {
		ADD_ONCE(hist->negative, 1);
		return;
	}
	ADD_ONCE(hist->count, 1);
	ADD_ONCE(hist->sum_ns, ns);
	if (~ns > hist->not_min_ns)
		WRITE_ONCE(hist->not_min_ns, ~ns);
	if (ns > hist->max_ns)
		WRITE_ONCE(hist->max_ns, ns);
	if (unlikely(ns >> HIST_MAX_BITS)) {
		ADD_ONCE(hist->above, 1);
		return;
	}
	index = hist_index(ns);
	/* Always true; the verifier cannot follow the shifts. */
	if (index < HIST_BUCKETS)
		ADD_ONCE(hist->buckets[index], 1);
}

/* The same, with the sum of squares that a standard deviation needs: 20 instructions more. */
static __always_inline void hist_add_square(struct hist_rec *hist, __u64 from_ns, __u64 to_ns)
{
	__u64 ns = to_ns - from_ns;

	hist_add(hist, from_ns, to_ns);
	/* False of times below 0, too. */
	if (likely(!(ns >> HIST_MAX_BITS)))
		hist_square_add(&hist->square_low, &hist->square_high, ns);
}

#endif
