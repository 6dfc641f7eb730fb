/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/seen.bpf.h - the packets received or dropped last (abi/drops.h).
 */
#ifndef LIB_SEEN_BPF_H
#define LIB_SEEN_BPF_H

#include "abi/drops.h"
#include "lib/core.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__type(key, __u32);
	__type(value, __u64);
	__uint(max_entries, 1);		/* SEEN_SLOTS where it is used */
} seen_packets SEC(".maps");

/* Notes the packet; true if it was noted before. */
static __always_inline int seen_before(__u16 stream, __u32 sequence)
{
	__u32 index = seen_slot(stream, sequence);
	__u64 *slot = bpf_map_lookup_elem(&seen_packets, &index), name;

	if (!slot)
		return 0;
	name = seen_name(stream, sequence);
	if (READ_ONCE(*slot) == name)
		return 1;
	WRITE_ONCE(*slot, name);
	return 0;
}

#endif
