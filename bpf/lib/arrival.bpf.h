/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/arrival.bpf.h - when a packet arrived: now, or by the NIC's timestamp.
 */
#ifndef LIB_ARRIVAL_BPF_H
#define LIB_ARRIVAL_BPF_H

#include "lib/clock.bpf.h"

#ifdef ARRIVAL_HW

extern int bpf_xdp_metadata_rx_timestamp(const struct xdp_md *ctx, __u64 *timestamp) __ksym;

/* From the NIC's clock to stamp_clock. */
MAPPED_ARRAY(phc_lines, struct stamp_lines);

/* 0: no hardware timestamp for this packet; some drivers return success and 0. */
static __always_inline __u64 arrived_ns(struct xdp_md *ctx)
{
	const struct stamp_lines *lines;
	__u32 zero = 0;
	__u64 phc_ns;

	if (bpf_xdp_metadata_rx_timestamp(ctx, &phc_ns) || !phc_ns)
		return 0;
	lines = bpf_map_lookup_elem(&phc_lines, &zero);
	if (!lines || !READ_ONCE(lines->valid))
		return 0;
	return stamp_convert(&lines->line[READ_ONCE(lines->now) & 1], phc_ns);
}

/* The same in CLOCK_MONOTONIC, for the rate; 0: none. */
static __always_inline __u64 arrival_mono_ns(__u64 arrived_ns)
{
	return 0;
}

#else

static __always_inline __u64 arrived_ns(struct xdp_md *ctx)
{
	return stamp_now_ns();
}

static __always_inline __u64 arrival_mono_ns(__u64 arrived_ns)
{
	return stamp_clock == STAMP_MONOTONIC ? arrived_ns : 0;
}

#endif
#endif
