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

enum sink_match {
	SINK_MATCH_DEST,	/* UDP to cfg.port: the receiver of a stream */
	SINK_MATCH_SOURCE,	/* UDP from cfg.port: reflections that come back */
	SINK_MATCH_ALL,		/* every packet */
};

struct sink_cfg {
	__be16 port;
	__u8 match;		/* enum sink_match */
	__u8 pass;		/* test packets go on to the stack instead of being dropped */
	__u8 check;		/* 1: tag, order and delay; 0: count only */
	__u8 gaps;		/* with check: the times between a stream's packets too */
	__u16 streams;		/* checked are the streams below this number */
	__u8 vary;		/* with check: the variation of the delay too */
	__u8 reserved[7];
};
ABI_ASSERT_SIZE(struct sink_cfg, 16);

/*
 * Packets of one stream on one CPU. Index: CPU x (streams + 1) + stream; the
 * last of a CPU is for what carries no tag, or one of a stream beyond the table.
 */
struct sink_rec {
	__u64 packets;
	__u64 bytes;		/* without FCS */
	__u64 first_mono_ns;	/* of packet 1 */
	__u64 last_mono_ns;	/* of packet number last_packets */
	__u64 last_packets;	/* without check, only one in 64 is stamped */
	__u64 reserved[3];
};
ABI_ASSERT_SIZE(struct sink_rec, 64);

/* What is no stream's, per CPU. */
struct sink_cpu {
	__u64 foreign;		/* did not match: passed on */
	__u64 untagged;		/* matched, no tag */
	__u64 other_stream;	/* matched, tag of a stream beyond the table */
	__u64 not_recorded;	/* found no room in the ring of records (abi/record.h) */
	__u64 other_clock;	/* stamped by a clock that is not the sink's: not timed */
	__u64 no_arrival;	/* the NIC gave no stamp: not timed */
	__u64 reserved[2];
};
ABI_ASSERT_SIZE(struct sink_cpu, 64);

/*
 * A stream may arrive on several CPUs, so its struct seq_state is protected by a
 * bpf_spin_lock, at this offset of the map's value.
 */
#define SEQ_STATE_OFFSET 8

#endif
