/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/seen.bpf.h - the packets received or dropped last (abi/drops.h).
 */
#ifndef LIB_SEEN_BPF_H
#define LIB_SEEN_BPF_H

#include "abi/drops.h"
#include "lib/core.bpf.h"

/* A socket is read by user space. */
MAPPED_ARRAY(seen_packets, struct seen_packet);	/* SEEN_SLOTS where it is used */

/* By drop_place_id(): drops there that were not the packet's end, as another copy went on. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__type(key, __u64);
	__type(value, __u64);
	__uint(max_entries, 1);		/* DROP_PLACES where it is used */
} drops_taken_back SEC(".maps");

static __always_inline struct seen_packet *seen_find(__u16 stream, __u32 sequence)
{
	__u32 index = seen_slot(stream, sequence);

	return bpf_map_lookup_elem(&seen_packets, &index);
}

static __always_inline void seen_take_back(__u64 place)
{
	__u64 *count = bpf_map_lookup_elem(&drops_taken_back, &place), none = 0;

	if (!count) {
		/* Another CPU may be adding it too: then it exists now. */
		bpf_map_update_elem(&drops_taken_back, &place, &none, BPF_NOEXIST);
		count = bpf_map_lookup_elem(&drops_taken_back, &place);
	}
	if (count)
		__sync_fetch_and_add(count, 1);
}

/*
 * Notes that the packet has @end, a seen_end(), now. Returns 1 if it had that end, or was received, before; with
 * @is_copy, if it had any end. A drop elsewhere is taken back.
 */
static __always_inline int seen_ends(struct seen_packet *seen, __u64 end, int is_copy)
{
	__u64 back;

	if (seen_note(seen, end, is_copy, &back))
		return 1;
	if (back)
		seen_take_back(back);
	return 0;
}

#endif
