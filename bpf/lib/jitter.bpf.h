/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/jitter.bpf.h - interarrival jitter (RFC 3550 A.8), in the order of arrival.
 */
#ifndef LIB_JITTER_BPF_H
#define LIB_JITTER_BPF_H

#include "abi/jitter.h"
#include "lib/core.bpf.h"

static __always_inline void jitter_add(struct jitter_rec *jitter, __s64 delay_ns)
{
	__s64 change_ns = delay_ns - jitter->transit_ns;

	if (change_ns < 0)
		change_ns = -change_ns;
	if (likely(jitter->timed))
		jitter->x16_ns += change_ns - ((jitter->x16_ns + 8) >> 4);
	jitter->transit_ns = delay_ns;
	jitter->timed++;
}

#endif
