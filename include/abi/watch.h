/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * abi/watch.h - what watch_tc and watch_xdp count. Written by BPF, read by user space.
 *
 * One record per direction and CPU, index direction x CPUs + CPU: one writer, never cleared; a
 * reader subtracts. A packet is one on the wire: a super-packet (TSO, GSO, GRO, LRO) counts as its
 * segments, each with its frame_bytes: with FCS and at least 64; with watch_cfg.starts_at_l3, the
 * bytes of the packet from L3 on.
 */
#ifndef ABI_WATCH_H
#define ABI_WATCH_H

#include "abi/abi.h"
#include "abi/hist.h"

enum watch_dir { WATCH_RX, WATCH_TX, WATCH_DIRS };

/* RFC 2819's classes (etherStatsPkts64Octets and following), and finer ones above 1518 bytes. */
#define WATCH_SIZES	11

/* The lowest frame_bytes of each class. */
static const __u16 watch_size_from[WATCH_SIZES] = {
	64, 65, 128, 256, 512, 1024, 1519, 2048, 4096, 8192, 16384,
};

static inline __u32 watch_size_class(__u32 frame_bytes)
{
	__u32 bit;

	if (frame_bytes <= 64)
		return 0;
	if (frame_bytes >= 16384)
		return WATCH_SIZES - 1;
	bit = hist_log2(frame_bytes);
	return bit - 5 + (frame_bytes > 1518);
}

/* The payload of an IP packet, added to WATCH_IP4 or WATCH_IP6. */
enum watch_l4 {
	WATCH_TCP, WATCH_UDP, WATCH_ICMP, WATCH_SCTP, WATCH_GRE, WATCH_ESP,
	WATCH_L4_OTHER,
	WATCH_FRAGMENT,		/* including first ones */
	WATCH_L4S
};

/* Each packet belongs to exactly one. */
enum watch_proto {
	WATCH_IP4,
	WATCH_IP6 = WATCH_IP4 + WATCH_L4S,
	WATCH_ARP = WATCH_IP6 + WATCH_L4S,
	WATCH_MPLS, WATCH_PPPOE, WATCH_LLDP, WATCH_PTP,
	WATCH_SLOW,		/* LACP and other slow protocols */
	WATCH_LLC,		/* a length instead of a type: spanning tree and others */
	WATCH_L2_OTHER,
	WATCH_MALFORMED,	/* headers truncated, or contradictory lengths */
	WATCH_PROTOS
};

struct watch_cfg {
	__u32 nr_cpus;
	__u32 nr_queues;
	__u32 starts_at_l3;	/* 1: packets have no Ethernet header (tun, WireGuard, PPP, tunnels of IP) */
};
ABI_ASSERT_SIZE(struct watch_cfg, 12);

struct watch_sum {
	__u64 packets;
	__u64 frame_bytes;
};
ABI_ASSERT_SIZE(struct watch_sum, 16);

struct watch_rec {
	__u64 buffers;		/* packets as the hook sees them: a super-packet is one */
	__u64 packets;
	__u64 frame_bytes;
	__u64 merged;		/* packets merged into super-packets */
	__u64 last_mono_ns;	/* arrival of the newest buffer; 0: none */
	__u64 window;		/* number of the latest one in the ring */
	__u64 window_end_ns;
	__u64 broadcast;
	__u64 multicast;	/* without broadcast */
	__u64 tagged;		/* with a VLAN tag, in the frame or in its metadata */
	__u64 not_taken;	/* buffers that the filter excludes; they are in no other count */
	__u64 reserved[2];
	__u64 sizes[WATCH_SIZES];
	struct watch_sum protos[WATCH_PROTOS];
	__u64 reserved2[6];
};
ABI_ASSERT_SIZE(struct watch_rec, 640);

/*
 * Receive queues, index CPU x (nr_queues + 1) + queue + 1; 0 is for packets without a known queue,
 * or of one beyond the table. The transmit queue is chosen after the hooks.
 */

/*
 * Wire bytes (frame_bytes + 20; from L3 on, frame_bytes) in short windows, for microbursts: a ring
 * per direction and CPU.
 * Window n covers [n, n + 1) x WATCH_WINDOW_NS of CLOCK_MONOTONIC, so the same windows of all CPUs
 * can be added. A slot holds number and bytes in one word, so that it is read atomically.
 */
#define WATCH_WINDOW_NS		20000
#define WATCH_WINDOWS		16384	/* a power of two; 328 ms */
#define WATCH_BYTES_BITS	28	/* limit of the bytes; 2^36 numbers: 15 days */
#define WATCH_BYTES_MAX		((1u << WATCH_BYTES_BITS) - 1)

struct watch_ring {
	__u64 slots[WATCH_WINDOWS];
};
ABI_ASSERT_SIZE(struct watch_ring, 8 * WATCH_WINDOWS);

#endif
