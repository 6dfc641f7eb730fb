/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/source.h - packets in the order in which they are sent, one after the
 * other: what a ring is fed from, and what a capture file is written from.
 *
 * One thread takes them.
 */
#ifndef MODEL_SOURCE_H
#define MODEL_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"

/* The next packet; the same, and valid, until it is taken. */
struct source_packet {
	const uint8_t *bytes;		/* the tag in it, if any, is still to be written */
	uint32_t buf_bytes;
	uint64_t slot_ns;		/* since the start of the run; 0: at once */
	uint16_t tag_offset;		/* 0: no tag */
	uint16_t stream;		/* in the tag */
	uint32_t sequence;
	bool stamped;			/* the tag carries the time */
	bool paced;			/* slot_ns is one */
};

struct source;
struct mix_count;

struct source_ops {
	/*
	 * At @now_ns since the start. 1: a packet, which may have its slot later;
	 * 0: the end; negative errno: no more can be read.
	 */
	int (*peek)(struct source *source, uint64_t now_ns, struct source_packet *ret_packet,
		    struct err *e);
	/* The packet is sent, at @sent_mono_ns, @late_ns behind its slot. */
	void (*take)(struct source *source, uint64_t sent_mono_ns, uint64_t late_ns);
	/* Of its @k-th stream so far; may be called from another thread. */
	void (*count)(const struct source *source, uint32_t k, struct mix_count *ret_count);
	void (*close)(struct source *source);
};

/* The first member of whatever is one. */
struct source {
	const struct source_ops *ops;
};

#endif
