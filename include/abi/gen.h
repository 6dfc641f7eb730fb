/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * abi/gen.h - the in-kernel generator: what a thread passes to blast_xdp and reads back.
 */
#ifndef ABI_GEN_H
#define ABI_GEN_H

#include "abi/abi.h"
#include "abi/field.h"
#include "abi/pace.h"

#define GEN_HEADER_BYTES 128	/* maximum length of L2 to L4 headers */

/*
 * One record per thread, index: the CPU that it is pinned to. User space writes the first part
 * before the thread starts; then the programs, all on that CPU, are the only writers.
 */
struct gen_rec {
	/* written by user space */
	struct pace pace;	/* none, or even */
	struct pace_time due;	/* the first slot, CLOCK_MONOTONIC; then moved on by the program */
	__u64 limit;		/* packets to make; 0: no limit */
	__u32 stamp_every;	/* the time in one tag of N; the others carry 0 */
	__u32 number_first;	/* fields: packet i of this thread has number first + i x step */
	__u32 number_step;
	__u16 header_bytes;	/* of header[], at least 56 and at most the frame */
	__u16 tag_offset;	/* of the tag in the frame; 0: no tag */
	__u16 stream;
	__u16 reserved0;
	__u32 reserved1[5];

	/* written by the programs */
	__u64 made;		/* frames generated; also the next sequence number */
	__u64 first_mono_ns;	/* if paced or timestamped: of the first frame */
	__u64 last_mono_ns;
	__u64 refused;		/* frames refused by the driver */
	__u64 reserved2[4];

	/*
	 * The frame's start. Pages are recycled with whatever the receiver wrote
	 * (swapped addresses, a smaller TTL), so it is written into every frame.
	 */
	__u8 header[GEN_HEADER_BYTES];
} __attribute__((aligned(64)));
ABI_ASSERT_SIZE(struct gen_rec, 320);

/*
 * What varies in the frames of all threads; read-only data of the programs, so that the verifier
 * drops code that a stream does not use.
 */
struct gen_plan {
	struct field fields[FIELD_MAX];
	__u64 list[FIELD_MAX_LIST];
	struct field_sum sums[FIELD_MAX_SUMS];
	/*
	 * One's complement sum of what checksum i covers, without the fields' bits
	 * and without the inner checksums that it covers.
	 */
	__u32 sum_base[FIELD_MAX_SUMS];
	__u32 nr_fields;
	__u32 nr_sums;
};
ABI_ASSERT_SIZE(struct gen_plan, 56 * FIELD_MAX + 8 * FIELD_MAX_LIST + 8 * FIELD_MAX_SUMS + 8);

#endif
