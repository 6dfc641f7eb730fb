/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * abi/record.h - what is written down of one packet. Written by sink_xdp into a
 * BPF ring buffer, read and released by user space.
 */
#ifndef ABI_RECORD_H
#define ABI_RECORD_H

#include "abi/abi.h"

enum record_kind {
	RECORD_IN_ORDER,
	RECORD_LATE,		/* reordered: below the next expected, not seen before */
	RECORD_DUPLICATE,
	RECORD_UNKNOWN,		/* below the window, or left over from an earlier run */
	RECORD_RESTART,		/* the first of a sender that numbers anew */
	RECORD_UNTAGGED,	/* no stream, sequence or time */
	RECORD_OTHER_STREAM,	/* of a stream beyond the table: not checked */
	RECORD_NR_KINDS,
};

struct record {
	__u64 sequence;		/* widened to 64 bits where its stream is checked */
	__u64 sent_ns;		/* the sender's clock (abi/stamp.h); 0: not stamped */
	__u64 received_ns;	/* the receiver's; 0: the NIC gave none */
	__u32 bytes;		/* without FCS */
	__u32 queue;		/* receive queue of the device */
	__u16 stream;
	__u16 cpu;
	__u8 kind;		/* enum record_kind */
	__u8 reserved[3];
};
ABI_ASSERT_SIZE(struct record, 40);

#endif
