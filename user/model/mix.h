/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/mix.h - many streams, each with its own packets, rate and limit.
 *
 * Thread i of n sends streams i, i + n, i + 2n, ... in the order of their slots.
 */
#ifndef MODEL_MIX_H
#define MODEL_MIX_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/pace.h"
#include "abi/wheel.h"
#include "lib/err.h"
#include "model/source.h"
#include "proto/packet.h"
#include "result/result.h"

struct mix_flow {
	char name[32];
	struct packet *packet;		/* owned by the mix; NULL: they are those of a capture, */
	struct replay *replay;		/* owned likewise, and alone in its mix (model/replay.h) */
	struct pace pace;
	double offered_pps;		/* mean; 0: as fast as possible, or a ramp */
	uint64_t limit;			/* packets; 0: none */
	uint64_t start_ns, duration_ns;	/* since the start of the run; duration 0: no limit */
	uint32_t stamp_every;		/* at least 1 */
	uint16_t stream;		/* stream number in the tag */
	bool tagged;			/* at packet->tag_offset */
	/* Packet i has the fields and the size of number first + i x step; a step of 0 means 1. */
	uint32_t number_first, number_step;
};

struct mix {
	struct mix_flow *flows;
	uint32_t nr_flows;
	bool shared;			/* one stream, of which each thread sends a part:
					 * mix_share() */
};

struct mix_count {
	uint64_t packets, bytes;	/* bytes with FCS */
	uint64_t first_mono_ns, last_mono_ns;
	uint64_t late_sum_ns, late_max_ns;
};

/* The number that determines fields and size of the flow's packet @i. */
static inline uint64_t mix_number(const struct mix_flow *flow, uint64_t i)
{
	return flow->number_first + i * (flow->number_step ? flow->number_step : 1);
}

/*
 * Turns @flow, a whole stream, into its part @i of @n, to be sent by a separate thread: sets limit,
 * slots, and interleaved numbers. Its pace is the part's already.
 */
void mix_share(struct mix_flow *flow, uint32_t i, uint32_t n);

enum mix_kind {
	/*
	 * One stream of one size, as fast as it goes or at an even rate, to the end of the run or
	 * a number of packets: what engines send by their shortest path.
	 */
	MIX_PLAIN,
	MIX_MANY,
	MIX_CAPTURE,
};

enum mix_kind mix_kind(const struct mix *mix, uint32_t threads);

/* True if a stream carries the tag. */
bool mix_is_tagged(const struct mix *mix);

/* Of the longest packet, with FCS; of a capture that is not known. */
uint32_t mix_max_bytes(const struct mix *mix);

/* Number of streams of thread @i of @threads. */
static inline uint32_t mix_nr_of(const struct mix *mix, uint32_t i, uint32_t threads)
{
	return mix->nr_flows > i ? (mix->nr_flows - i + threads - 1) / threads : 0;
}

/*
 * Mean interval between packets of all streams of a thread that have slots; input of
 * wheel_shift_for().
 */
uint64_t mix_mean_gap_ns(const struct mix *mix, uint32_t i, uint32_t threads);

/* Slots of an evenly paced @flow in the first @duration_ns of a run; at least 1. */
uint64_t mix_slots_before(const struct mix_flow *flow, uint64_t duration_ns);

/* Of @nr flows, all zero; NULL and an error if there is no memory. */
struct mix *mix_new(uint32_t nr, struct err *e);

/* Takes NULL. */
void mix_free(struct mix *mix);

/*
 * The packets of thread @i's streams, made in user space or read from a capture: for the afxdp
 * engine and for files. Ends when all streams have. take() counts.
 */
int mix_source_open(struct source **ret_source, const struct mix *mix, uint32_t i,
		    uint32_t threads, struct err *e);
/* Takes NULL. */
void mix_source_close(struct source *source);

/* A table of the streams into @res: name, packets, rates, lateness. @counts by flow. */
void mix_report(const struct mix *mix, const struct mix_count *counts, struct result *res);

#endif
