/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/wire.bpf.h - a buffer's form on the wire.
 */
#ifndef LIB_WIRE_BPF_H
#define LIB_WIRE_BPF_H

#include "lib/core.bpf.h"

/* A buffer as the packets that it is on the wire. */
struct watch_wire {
	__u32 packets;
	__u32 full_bytes;	/* frame_bytes of each except the last */
	__u32 last_bytes;	/* of the last, or the only one */
	__u32 queue;		/* WATCH_RX: 0 if unknown, otherwise its number + 1 */
	__u32 tagged;		/* 1: with a VLAN tag */
	__u32 place;		/* at tc: the offset of L3 << 16, and that of L4 */
};

static __always_inline __u32 watch_frame_bytes(__u32 buf_bytes)
{
	return buf_bytes < 60 ? 64 : buf_bytes + 4;
}

#endif
