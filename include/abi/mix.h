/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * abi/mix.h - the in-kernel generator of many streams: what a thread passes to mix_xdp and reads
 * back.
 */
#ifndef ABI_MIX_H
#define ABI_MIX_H

#include "abi/abi.h"
#include "abi/field.h"
#include "abi/pace.h"
#include "abi/wheel.h"

#define MIX_MAX_LIST 4096	/* values of all lists of all streams together */

/*
 * One stream. Index: the thread's first + the stream's number in the thread's wheel. Followed by
 * the template's bytes, as many as for the longest stream (the map's value size is set before
 * load).
 */
struct mix_stream {
	/* written by user space before the start */
	struct pace pace;
	__u64 limit;		/* packets; 0: none */
	__u64 start_ns, end_ns;	/* the first slot, and the time from which no slot is used; 0:
				 * none */
	__u32 buf_bytes;	/* of the template */
	__u32 write_bytes;	/* bytes that other streams' packets may have changed */
	__u32 stamp_every;	/* one tag in N carries the time; at least 1 */
	__u16 tag_offset;	/* 0: no tag */
	__u16 stream;		/* in the tag */
	__u16 nr_fields, nr_sums;
	__u16 has_size;		/* 1: a packet's buf_bytes is the value of `size` */
	__u16 pattern_offset;	/* payload pattern: from there to the end; 0: none */
	__u32 number_first, number_step;	/* packet i has number first + i x step for fields and size */
	__u64 reserved1[4];

	/* written by the programs, which are the only writers then */
	__u64 made;		/* packets; also the next sequence number */
	__u64 made_bytes;	/* without FCS */
	__u64 first_mono_ns, last_mono_ns;	/* if paced or timestamped: of the first and the
						 * last packet */
	__u64 late_sum_ns, late_max_ns;		/* paced: departure minus slot */
	struct pace_time due;	/* the next slot; user space writes the first */

	/* written by user space */
	struct field size;	/* buf_bytes by packet number; its window is not used. sums: the
				 * checksums that cover the pattern */
	struct field fields[FIELD_MAX];
	struct field_sum sums[FIELD_MAX_SUMS];
	__u32 sum_base[FIELD_MAX_SUMS];	/* as in struct gen_plan */
	__u8 reserved2[40];
} __attribute__((aligned(64)));
ABI_ASSERT_SIZE(struct mix_stream, 832);

/* One per thread, index: the CPU that it is pinned to. */
struct mix_thread {
	/* written by user space before the start */
	__u32 first;		/* of its streams in the map */
	__u32 nr_streams;	/* at most WHEEL_MAX */
	__u32 nr_max;		/* streams without slots, in ring[]; those with are in the wheel */
	__u32 turn;		/* whose turn it is in ring[] */
	__u64 reserved0[6];

	/* written by the programs, which are the only writers then */
	__u64 made, made_bytes;	/* sums over the streams */
	__u64 refused;		/* frames refused by the driver */
	__u64 first_mono_ns, last_mono_ns;
	__u64 late_sum_ns, late_max_ns;
	__u64 paced;		/* number of packets in late_sum_ns */

	/* streams without slots, in turn; a finished one is replaced by the last */
	__u16 ring[WHEEL_MAX];
	struct wheel wheel;
} __attribute__((aligned(64)));

#endif
