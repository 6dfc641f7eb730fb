/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * abi/record.h - the record of one packet. Written by sink_xdp to a BPF ring buffer, read and
 * released by user space.
 */
#ifndef ABI_RECORD_H
#define ABI_RECORD_H

#include "abi/abi.h"

enum record_kind {
	RECORD_IN_ORDER,
	RECORD_LATE,		/* reordered: below the next expected, not seen before */
	RECORD_DUPLICATE,
	RECORD_UNKNOWN,		/* too far below the highest: late, or a duplicate */
	RECORD_RESTART,		/* the first packet after a sender restarted its numbering */
	RECORD_UNTAGGED,	/* no stream, sequence or time */
	RECORD_OTHER_STREAM,	/* stream number beyond the table: not checked */
	RECORD_OTHER_RUN,	/* another sender's, or left over from an earlier run: not checked */
	RECORD_UNCONFIRMED,	/* far ahead, or a new run: accepted if one of the next packets confirms it */
	RECORD_DAMAGED,		/* a checksum is wrong: no stream, sequence or time */
	RECORD_BAD_PAYLOAD,	/* the payload is not the pattern: not checked */
	RECORD_NR_KINDS,
};

struct record {
	__u64 sequence;		/* widened to 64 bits if its stream is checked */
	__u64 sent_ns;		/* the sender's clock (abi/stamp.h); 0: no timestamp */
	__u64 received_ns;	/* the receiver's; 0: no hardware timestamp */
	__u32 bytes;		/* without FCS */
	__u32 queue;		/* receive queue of the device */
	__u16 stream;
	__u16 cpu;
	__u8 kind;		/* enum record_kind */
	__u8 reserved[3];
};
ABI_ASSERT_SIZE(struct record, 40);

#endif
