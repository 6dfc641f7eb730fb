/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/flow_sample.bpf.h - the buffers whose flows are looked up, if not of all: after random gaps, which
 * user/lib/sample.h
 * makes.
 */
#ifndef LIB_FLOW_SAMPLE_BPF_H
#define LIB_FLOW_SAMPLE_BPF_H

#include "abi/flow.h"
#include "lib/core.bpf.h"

/* 0: of all. */
const volatile __u8 is_sampled;
const volatile __u32 flow_gaps[FLOW_GAPS];

static __always_inline int flow_is_taken(struct flow_cpu *cpu)
{
	__u32 left = cpu->gap_left;

	if (!left)
		left = flow_gaps[bpf_get_prandom_u32() & (FLOW_GAPS - 1)];
	cpu->gap_left = left - 1;
	return left == 1;
}

#endif
