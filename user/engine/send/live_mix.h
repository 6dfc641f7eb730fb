/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/send/live_mix.h - between the two halves of the maker of many streams:
 * live_mix_fill.c finds out what a thread's streams need and writes it into the
 * program's maps, live_mix.c runs the program. Only they include this.
 */
#ifndef ENGINE_SEND_LIVE_MIX_H
#define ENGINE_SEND_LIVE_MIX_H

#include "abi/mix.h"
#include "engine/send/live_parts.h"

/* What one thread needs to know of its streams. */
struct mix_part {
	const struct packet *longest;	/* the page starts as its template */
	uint32_t first, nr;
	uint32_t dirty_bytes;		/* up to here one stream's packets differ from another's */
};

struct many {
	struct mix_xdp_bpf *skel;	/* its header is for live_mix.c alone */
	struct mix_thread *threads;	/* by CPU */
	void *streams;
	__u64 *list;			/* MIX_MAX_LIST values */
	size_t threads_bytes, streams_bytes, list_bytes;
	size_t stream_bytes;		/* struct mix_stream and the template behind it */
	uint32_t nr_list;
	struct mix_part *parts;		/* by thread */
};

static inline struct mix_stream *stream_at(const struct many *many, uint32_t index)
{
	return (void *)((char *)many->streams + index * many->stream_bytes);
}

static inline const struct mix_flow *flow_of(const struct tx_thread *thread, uint32_t k)
{
	return &thread->tx->cfg.mix->flows[thread->index + k * thread->tx->cfg.threads];
}

/* Fills both kinds of parts; *ret_template_bytes is what a stream's template takes in the map. */
int mix_study(struct live *live, const struct tx *tx, uint32_t *ret_template_bytes, struct err *e);

/* Writes all streams and lists, but for their times, into the maps' memory. */
int mix_fill(struct many *many, const struct tx *tx, struct err *e);

#endif
