/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/send/tx_mix.h - between the two halves of the live engine of many streams:
 * tx_mix_fill.c finds out what a thread's streams need and writes it into the
 * program's maps, tx_mix.c runs the program. Only they include this.
 */
#ifndef ENGINE_SEND_TX_MIX_H
#define ENGINE_SEND_TX_MIX_H

#include "abi/mix.h"
#include "engine/send/tx_engine.h"
#include "model/mix.h"

/* What one thread needs to know of its streams. */
struct mix_part {
	const struct packet *longest;	/* the page starts as its template */
	uint32_t first, nr;
	uint32_t dirty_bytes;		/* up to here one stream's packets differ from another's */
	uint64_t limit;			/* packets of all streams; 0: none, or not known */
	bool endless;			/* one has neither limit nor end */
	bool has_max, has_slots;
	bool unclocked;			/* one sends without that anybody reads the clock */
	bool sleeps;
	double pps;			/* of all together; 0: as fast as it goes */
	uint32_t batch;
};

struct mix_live {
	struct mix_xdp_bpf *skel;	/* its header is for tx_mix.c alone */
	struct mix_thread *threads;	/* by CPU */
	void *streams;
	__u64 *list;			/* MIX_MAX_LIST values */
	size_t threads_bytes, streams_bytes, list_bytes;
	size_t stream_bytes;		/* struct mix_stream and the template behind it */
	uint32_t nr_list;
	struct mix_part *parts;		/* by thread */
	struct dispatcher *spinning, *sleeping;
	_Atomic uint64_t start_ns;	/* of the run; set by the first thread that gets there */
};

static inline struct mix_part *part_of(const struct tx_thread *thread)
{
	const struct mix_live *live = thread->tx->state;

	return &live->parts[thread->index];
}

static inline struct mix_thread *record_of(const struct tx_thread *thread)
{
	const struct mix_live *live = thread->tx->state;

	return &live->threads[thread->cpu];
}

static inline struct mix_stream *stream_at(const struct mix_live *live, uint32_t index)
{
	return (void *)((char *)live->streams + index * live->stream_bytes);
}

static inline const struct mix_flow *flow_of(const struct tx_thread *thread, uint32_t k)
{
	return &thread->tx->cfg.mix->flows[thread->index + k * thread->tx->cfg.threads];
}

/* Fills parts[]; *ret_template_bytes is what a stream's template takes in the map. */
int mix_study(struct mix_live *live, const struct tx *tx, uint32_t *ret_template_bytes,
	      struct err *e);

/* Writes all streams and lists, but for their times, into the maps' memory. */
int mix_fill(struct mix_live *live, const struct tx *tx, struct err *e);

#endif
