/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/source.h - packets in the order in which they are sent: the input of a ring or a capture
 * file.
 *
 * Used by one thread.
 */
#ifndef MODEL_SOURCE_H
#define MODEL_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"

/* The next packet; valid and unchanged until it is taken. */
struct source_packet {
	const uint8_t *bytes;		/* its tag, if any, is not written yet */
	uint32_t buf_bytes;
	uint64_t slot_ns;		/* since the start of the run; 0: immediately */
	uint16_t tag_offset;		/* 0: no tag */
	uint16_t stream;		/* stream number in the tag */
	uint32_t sequence;
	bool stamped;			/* the tag carries a timestamp */
	bool paced;			/* slot_ns is valid */
};

struct source;
struct mix_count;

struct source_ops {
	/*
	 * At @now_ns since the start. 1: a packet, whose slot may be later; 0: the end; negative
	 * errno: reading failed.
	 */
	int (*peek)(struct source *source, uint64_t now_ns, struct source_packet *ret_packet,
		    struct err *e);
	/* The packet was sent at @sent_mono_ns, @late_ns after its slot. */
	void (*take)(struct source *source, uint64_t sent_mono_ns, uint64_t late_ns);
	/* Of its @k-th stream so far; may be called from another thread. */
	void (*count)(const struct source *source, uint32_t k, struct mix_count *ret_count);
	void (*close)(struct source *source);
};

/* First member of every kind of source. */
struct source {
	const struct source_ops *ops;
};

#endif
