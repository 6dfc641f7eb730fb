/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/clock.bpf.h - the clock of timestamps.
 *
 * Rates, slots and intervals use CLOCK_MONOTONIC, which is never stepped; timestamps that another
 * host compares with its own use CLOCK_TAI.
 */
#ifndef LIB_CLOCK_BPF_H
#define LIB_CLOCK_BPF_H

#include "abi/stamp.h"
#include "lib/core.bpf.h"

/* enum stamp_clock. Kernels before 6.1 lack the helper; the verifier ignores dead branches. */
const volatile __u32 stamp_clock;

static __always_inline __u64 stamp_now_ns(void)
{
	return stamp_clock == STAMP_TAI ? bpf_ktime_get_tai_ns() : bpf_ktime_get_ns();
}

/* The sender's timestamp. @mono_ns is read in any case if it is 0: the rate requires it. */
static __always_inline __u64 stamp_sent_ns(__u64 *mono_ns)
{
	if (!*mono_ns)
		*mono_ns = bpf_ktime_get_ns();
	return stamp_clock == STAMP_TAI ? bpf_ktime_get_tai_ns() : *mono_ns;
}

#endif
