/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/hist.bpf.h - add a time to a histogram record that only this CPU writes.
 */
#ifndef LIB_HIST_BPF_H
#define LIB_HIST_BPF_H

#include "abi/hist.h"
#include "lib/core.bpf.h"

/* True if it is in a bucket. For who reports no standard deviation, and would pay for its squares. */
static __always_inline int hist_add_plain(struct hist_rec *hist, __u64 from_ns, __u64 to_ns)
{
	__u64 ns = to_ns - from_ns;
	__u32 index;

	if (unlikely((__s64)ns < 0)) {
		ADD_ONCE(hist->negative, 1);
		return 0;
	}
	ADD_ONCE(hist->count, 1);
	ADD_ONCE(hist->sum_ns, ns);
	if (~ns > hist->not_min_ns)
		WRITE_ONCE(hist->not_min_ns, ~ns);
	if (ns > hist->max_ns)
		WRITE_ONCE(hist->max_ns, ns);
	if (unlikely(ns >> HIST_MAX_BITS)) {
		ADD_ONCE(hist->above, 1);
		return 0;
	}
	index = hist_index(ns);
	/* Never true; the verifier cannot follow the shifts. */
	if (index >= HIST_BUCKETS)
		return 0;
	ADD_ONCE(hist->buckets[index], 1);
	return 1;
}

/* With the sum of squares that a standard deviation needs: 20 instructions more. True: as above. */
static __always_inline int hist_add(struct hist_rec *hist, __u64 from_ns, __u64 to_ns)
{
	if (unlikely(!hist_add_plain(hist, from_ns, to_ns)))
		return 0;
	hist_square_add(&hist->square_low, &hist->square_high, to_ns - from_ns);
	return 1;
}

#endif
