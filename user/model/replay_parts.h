/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/replay_parts.h - what the files of a replay share. Only these include it.
 */
#ifndef MODEL_REPLAY_PARTS_H
#define MODEL_REPLAY_PARTS_H

#include "model/replay.h"
#include "proto/capture.h"

#define REPLAY_HEAD_BYTES (256ull << 20)	/* of memory, for what is read before the start */

/* A packet as it is sent, in the head or in scratch. */
struct replay_record {
	uint64_t time_ns;		/* since the file's first packet */
	uint16_t buf_bytes;
	uint16_t tag_offset;		/* 0: no tag */
	uint32_t skipped_before;
	uint8_t bytes[];
} __attribute__((aligned(8)));

#define REPLAY_RECORD_MAX_BYTES (sizeof(struct replay_record) + REPLAY_MAX_BYTES + REWRITE_ROOM_BYTES)

struct replay {
	struct source source;
	struct capture *capture;
	struct replay_cfg cfg;

	uint8_t *head;			/* the file's first records */
	size_t head_bytes, head_at;
	uint64_t head_packets;
	uint32_t head_max_bytes;
	bool whole;			/* the head is all there is, but for end_error */
	struct replay_record *scratch;		/* the record read last, behind the head */

	const struct replay_record *now;	/* looked at, not yet sent */
	uint64_t pass, pass_packets;
	uint64_t offset_ns;		/* of this pass */
	uint64_t last_ns;		/* time of the pass's last packet */
	uint32_t skipped;		/* before the record being read, or the end */
	bool ended;
	struct err end_error;

	uint64_t nr_cut, nr_long, nr_short, nr_fallen;	/* of the first pass */
	uint64_t nr_untagged;		/* of the first pass: they cannot carry the tag */
	uint64_t nr_tagged;		/* sent */
	uint64_t nr_made, made_bytes, nr_skipped;	/* of all; made_bytes with FCS */
	uint64_t first_slot_ns, last_slot_ns;
};

/* 1: a record; 0: the end of the file; both with skipped set. */
int replay_read(struct replay *replay, struct replay_record *record, struct err *e);

/* The file's first records, as far as there is memory for them. */
int replay_read_head(struct replay *replay, struct err *e);

size_t replay_record_size(const struct replay_record *record);

#endif
