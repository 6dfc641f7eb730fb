/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * abi/sink.h - what sink_xdp counts. Written by BPF, read by user space.
 *
 * Counters only grow while the program is loaded: a reader subtracts.
 */
#ifndef ABI_SINK_H
#define ABI_SINK_H

#include "abi/abi.h"
#include "abi/seq.h"

/* No path takes longer, and no two clocks that are compared differ by more. */
#define SINK_LATEST_NS 60000000000ull

enum sink_match {
	SINK_MATCH_DEST,	/* UDP to cfg.port, and SINK_MATCH_TAG: the receiver of streams */
	SINK_MATCH_SOURCE,	/* UDP from cfg.port, and sink_peer if set: returning reflections */
	SINK_MATCH_ALL,		/* every packet */
	/*
	 * With check, any packet with an undamaged tag of cfg.run. If that is 0, of any run; then TCP
	 * must be to cfg.port, and UDP and ICMP are left out: ping sends tags as well.
	 */
	SINK_MATCH_TAG,
};

struct sink_cfg {
	__be16 port;
	__u8 match;		/* enum sink_match */
	__u8 pass;		/* pass test packets to the stack instead of dropping them */
	__u8 check;		/* 1: tag, order and delay; 0: count only */
	__u8 gaps;		/* with check: also inter-arrival times */
	__u16 streams;		/* streams below this number are checked */
	__u8 vary;		/* with check: also delay variation */
	__u8 no_verify;		/* 1: no checksum is verified, so none is found damaged */
	__u16 run;		/* with the clock's bit: only packets of this run are test packets; 0: any run */
	__u16 pdv_streams;	/* records of delay variation per CPU: 1 to streams; the last is for all
				 * other streams */
	__u8 reserved2[2];
};
ABI_ASSERT_SIZE(struct sink_cfg, 16);

struct sink_peer {
	__u32 addr[4];		/* network byte order; IPv4 in the first */
	__u8 version;		/* 4, 6; 0: none is set */
	__u8 reserved[3];
};
ABI_ASSERT_SIZE(struct sink_peer, 20);

/*
 * Packets of one stream on one CPU. Index: CPU x (streams + 1) + stream; a CPU's last entry is for
 * packets without a tag, or of a stream beyond the table.
 */
struct sink_rec {
	__u64 packets;
	__u64 bytes;		/* without FCS */
	__u64 first_mono_ns;	/* of packet 1 */
	__u64 last_mono_ns;	/* of packet number last_packets */
	__u64 last_packets;	/* without check, only one in 64 is timed */
	__u64 reserved[3];
};
ABI_ASSERT_SIZE(struct sink_rec, 64);

enum sink_udp { SINK_UDP_NO, SINK_UDP_YES, SINK_UDP_USUAL };

/* The headers of the packet at hand: of the program alone. */
struct sink_heads {
	__u64 udp_sum;		/* with SINK_UDP_USUAL: see udp_head_sum() */
	__u32 bytes;		/* of the frame, without FCS */
	__u32 l3, l4;		/* offsets in the frame */
	__be16 source, dest;	/* with UDP */
	__u16 udp_bytes;
	__u8 is_from_peer;
	__u8 version;
	__u8 udp;		/* enum sink_udp */
	__u8 parsed;		/* enum parse_result */
	__u8 proto;		/* 0: no L4 header */
	__u8 is_to_other_mac;
};
ABI_ASSERT_SIZE(struct sink_heads, 32);

/*
 * Packets of each CPU that are odd in some way. Of __u64 alone: it is summed as an array, and its
 * figures are rows of a table (engine/receive/rx_counts.c).
 */
struct sink_odd {
	__u64 foreign;		/* did not match: passed on */
	__u64 untagged;		/* matched, no tag */
	__u64 other_stream;	/* matched, tag of a stream beyond the table */
	__u64 not_recorded;	/* the ring of records was full (abi/record.h) */
	__u64 other_clock;	/* timestamp of another clock than the sink's: not timed */
	__u64 no_arrival;	/* no hardware timestamp: not timed */
	__u64 other_run;	/* with cfg.run: of another run */
	__u64 implausible_time;	/* timestamp more than a minute from the arrival: not timed */
	__u64 damaged;		/* matched, a checksum is wrong: in no stream */
	__u64 unverified;	/* matched, no L4 checksum that could be verified, or too long a payload */
	__u64 bad_payload;	/* tagged, the payload is not the pattern: in no stream */
	__u64 locked_out;	/* another CPU held the stream's lock for too long: in no stream */
	__u64 other_mac;	/* with own_mac: matched, but to another MAC address: passed on */
};

#define SINK_NR_ODD (sizeof(struct sink_odd) / sizeof(__u64))

struct sink_cpu {
	struct sink_odd odd;
	struct sink_heads heads;
	__u64 reserved[7];
};
ABI_ASSERT_SIZE(struct sink_cpu, 192);

/* A MAC address as a number that is never 0: in memory's order, with bit 48. */
static inline __u64 sink_mac(const __u8 *mac)
{
	__u64 low = mac[0] | mac[1] << 8 | mac[2] << 16 | (__u64)mac[3] << 24;

	return low | (__u64)mac[4] << 32 | (__u64)mac[5] << 40 | 1ull << 48;
}

/* A stream's order. It may arrive on several CPUs: an odd count is the lock of the one that writes. */
struct seq_slot {
	__u32 count;		/* one more before and after each write; a copy is whole if it is even and stays;
				 * of sink_spin: a bpf_spin_lock */
	__u32 reserved;
	struct seq_state state;
};
ABI_ASSERT_SIZE(struct seq_slot, 8 + sizeof(struct seq_state));

#endif
