/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * abi/replay.h - packets of a capture file, sent from inside the kernel: what user space passes to
 * replay_xdp and reads back.
 */
#ifndef ABI_REPLAY_H
#define ABI_REPLAY_H

#include "abi/abi.h"
#include "abi/pace.h"

#define REPLAY_MAX_BYTES 4096	/* of one packet; a live page holds less */

/*
 * The packets of one pass are consecutive in one value of a map, so that a packet of 60 bytes needs
 * no more room than that. Each starts at a multiple of 8.
 */
struct replay_rec {
	__u64 slot_ns;		/* since the start of the pass; 0 if not paced */
	__u16 buf_bytes;
	__u16 tag_offset;	/* 0: no tag */
	__u32 skipped_before;	/* packets of the file that cannot be sent */
	__u8 bytes[];
};
ABI_ASSERT_SIZE(struct replay_rec, 16);

static inline __u64 replay_rec_size(__u32 buf_bytes)
{
	return (sizeof(struct replay_rec) + buf_bytes + 7) & ~7ull;
}

/*
 * Only one, as one thread sends. User space writes the first part before the start; then the
 * programs, all on that thread's CPU, are the only writers.
 */
struct replay_run {
	/* written by user space */
	__u64 limit;		/* packets to generate; 0: no limit */
	__u64 end_ns;		/* paced: do not send slots from here on; CLOCK_MONOTONIC, 0:
				 * none */
	__u64 pass_bytes;	/* of the records of a pass */
	struct pace_time pass;	/* paced: from pass to pass */
	struct pace_time start;	/* of this pass, CLOCK_MONOTONIC; then moved on by the program */
	__u32 skipped_behind;	/* after the last packet of a pass */
	__u32 stamp_every;	/* one tag in N carries the time; the others 0 */
	__u32 cpu;		/* whose drops are counted */
	__u16 stream;		/* in the tags */
	__u8 paced;
	__u8 reserved0;

	/* written by the programs */
	__u64 at;		/* of the next record; starts as 0 */
	__u64 made;
	__u64 made_bytes;	/* without FCS */
	__u64 tagged;		/* also the next sequence number */
	__u64 skipped;
	__u64 last_slot_ns;	/* CLOCK_MONOTONIC */
	__u64 first_mono_ns;	/* paced: of the first packet */
	__u64 last_mono_ns;
	__u64 late_sum_ns;	/* paced: departure minus slot, summed over all packets */
	__u64 late_max_ns;
	__u64 refused;		/* generated, but refused by the driver */
	__u32 ended;		/* end_ns was reached */
	__u32 reserved1[7];
} __attribute__((aligned(64)));
ABI_ASSERT_SIZE(struct replay_run, 192);

#endif
