/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/clock.bpf.h - the clock that packets are stamped by.
 *
 * Rates, slots and gaps go by CLOCK_MONOTONIC, which is never stepped; a timestamp that
 * another host is to compare with its own goes by CLOCK_TAI.
 */
#ifndef LIB_CLOCK_BPF_H
#define LIB_CLOCK_BPF_H

#include "abi/stamp.h"
#include "lib/core.bpf.h"

/* enum stamp_clock. Kernels before 6.1 lack the helper; the verifier does not look at a dead branch. */
const volatile __u32 stamp_clock;

static __always_inline __u64 stamp_now_ns(void)
{
	return stamp_clock == STAMP_TAI ? bpf_ktime_get_tai_ns() : bpf_ktime_get_ns();
}

/* A sender's stamp. @mono_ns, 0 if it was not read yet, is read in any case: for the rate. */
static __always_inline __u64 stamp_sent_ns(__u64 *mono_ns)
{
	if (!*mono_ns)
		*mono_ns = bpf_ktime_get_ns();
	return stamp_clock == STAMP_TAI ? bpf_ktime_get_tai_ns() : *mono_ns;
}

#endif
