/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * abi/sink.h - what sink_xdp counts. Written by BPF, read by user space.
 *
 * Counters only grow while the program is loaded: a reader subtracts.
 */
#ifndef ABI_SINK_H
#define ABI_SINK_H

#include "abi/abi.h"

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
};
ABI_ASSERT_SIZE(struct sink_cfg, 8);

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

#define SEQ_WINDOW	4096	/* numbers behind the highest in which a duplicate is known as one */
#define SEQ_WORDS	128	/* of 64 bits; twice the window, so that its end need not be exact */

/*
 * Order of one stream. It may arrive on several CPUs, so the record is behind
 * a bpf_spin_lock, at SEQ_STATE_OFFSET of the map's value. `run` counts a
 * sender that starts its numbering anew; the sums go on through all runs.
 */
struct seq_state {
	__u64 next;		/* the next expected: highest seen + 1, widened to 64 bits */
	__u64 first;		/* lowest seen in this run */
	__u64 run;		/* 0: nothing seen yet */
	__u64 newest_sent_ns;	/* the sender's stamp of the highest number that had one */
	__u64 distinct;		/* numbers received, each once */
	__u64 duplicates;
	__u64 reordered;	/* RFC 4737: below next, and not a duplicate */
	__u64 distance_max;	/* next - 1 - number, of reordered packets */
	__u64 unknown;		/* behind the window, or left over from an earlier run */
	__u64 spanned;		/* numbers from first to highest, of earlier runs */
	__u64 unseen;		/* numbers below first, of earlier runs */
	__u64 arrived_ns;	/* with cfg.gaps: the latest arrival on any CPU; 0: none yet */
	__u64 window[SEQ_WORDS];	/* bit n % 8192: number n was seen */
};
ABI_ASSERT_SIZE(struct seq_state, 96 + 8 * SEQ_WORDS);

#define SEQ_STATE_OFFSET 8

#endif
