/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/pdv.bpf.h - add a delay to a histogram of delay variation that only this CPU writes.
 *
 * A minimum that falls is rare. What it takes is in global functions, each verified once; Linux 5.10
 * passes them no pointers, so they look the record up.
 */
#ifndef LIB_PDV_BPF_H
#define LIB_PDV_BPF_H

#include "abi/pdv.h"
#include "lib/core.bpf.h"

MAPPED_ARRAY(pdvs, struct pdv_rec);	/* set before load */

__attribute__((noinline)) int pdv_move_one(__u32 index, __u32 level, __u64 number, __u64 min_ns)
{
	struct pdv_rec *pdv = bpf_map_lookup_elem(&pdvs, &index);

	return pdv && pdv_move(pdv, level, number, min_ns);
}

__attribute__((noinline)) int pdv_fold(__u32 index, __u32 level, __u64 min_ns)
{
	struct pdv_rec *pdv = bpf_map_lookup_elem(&pdvs, &index);
	__u64 number, at = level, end = 0;
	__u32 i;

	if (!pdv || !PDV_IS_BELOW(at, PDV_LEVELS))
		return 0;
	number = pdv_first(level, ~pdv->not_min_ns);
	for (i = 0; i < PDV_SLOTS && number < pdv->ends[at]; i++, number++) {
		if (pdv_nr(pdv, level, number) && !pdv_move_one(index, level, number, min_ns))
			end = number + 1;
	}
	WRITE_ONCE(pdv->ends[at], end);
	return 0;
}

__attribute__((noinline)) int pdv_fall(__u32 index, __u64 min_ns)
{
	struct pdv_rec *pdv = bpf_map_lookup_elem(&pdvs, &index);
	__u32 level, i;

	if (!pdv)
		return 0;
	for (i = 0; i < PDV_LEVELS; i++) {
		level = PDV_LEVELS - 1 - i;
		if (pdv_must_fold(pdv, level, min_ns))
			pdv_fold(index, level, min_ns);
	}
	WRITE_ONCE(pdv->not_min_ns, ~min_ns);
	return 0;
}

/* @ns: below 2^HIST_MAX_BITS. */
static __always_inline void pdv_add(__u32 index, __u64 ns)
{
	struct pdv_rec *pdv = bpf_map_lookup_elem(&pdvs, &index);

	if (!pdv)
		return;
	if (unlikely(~ns > pdv->not_min_ns))
		pdv_fall(index, ns);
	pdv_add_above(pdv, ns);
}

#endif
