/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/watch/watch_flows_parts.h - shared between watch_flows.c, which reads, and
 * watch_flows_report.c, which reports. Only these include it.
 */
#ifndef ENGINE_WATCH_WATCH_FLOWS_PARTS_H
#define ENGINE_WATCH_WATCH_FLOWS_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "abi/flow.h"
#include "engine/watch/watch_flows.h"

/* Percentiles of a flow's round trips. */
enum flow_share { FLOW_P50, FLOW_P90, FLOW_P99, FLOW_SHARES };

/* A flow as it was read, or taken out. */
struct flow_seen {
	struct flow_key key;
	struct flow_rec rec;
	double now_pps, now_bps;	/* since the view before; NAN: not known */
	bool is_gone;			/* with its percentiles; else they are still in the table */
	uint64_t shares_ns[WATCH_DIRS][FLOW_SHARES];	/* 0: not known */
};

/* A prefix, and what was folded into it. */
struct flow_folded {
	struct flow_prefix prefix;
	struct flow_fold fold;
};

/* Round trips to a prefix. */
struct flow_trips {
	struct flow_prefix prefix;
	struct hist_rec hist;
};

/* TCP's counts of all flows; by direction. */
struct flow_tcp_sums {
	uint64_t retransmitted[WATCH_DIRS], out_of_order[WATCH_DIRS];
	uint64_t zero_windows[WATCH_DIRS], dup_acks[WATCH_DIRS];
};

/* What was found in many flows: sums of all, and the best of them. */
struct flow_tally {
	struct flow_seen *best;		/* room for twice cfg.top */
	size_t nr_best;
	uint64_t nr;
	struct flow_tcp_sums tcp;
	struct watch_sum sums[WATCH_DIRS];
};

/* Counts of each flow at the view before, by a hash of its key. */
struct flow_past {
	uint64_t id;			/* 0: free */
	uint64_t packets, frame_bytes;
};

struct flow_pasts {
	struct flow_past *slots;	/* NULL: none */
	size_t room;			/* a power of two */
	uint64_t taken_mono_ns;
};

struct watch_flows {
	struct watch_flows_cfg cfg;
	struct result *res, *part;
	unsigned int nr_cpus;
	struct flow_tc_bpf *bpf;
	struct watch_hook *hook;
	int flows_fd, folds_fd, trips_fd, spreads_fd, prog_fds[WATCH_DIRS];
	struct flow_cpu *cpus;
	struct hist_rec *hists;
	size_t cpus_bytes, hists_bytes;

	/* One batch of the table. */
	struct flow_key *keys;
	uint8_t *slots;			/* FLOW_SLOT_BYTES each */
	uint32_t token;			/* where the next batch begins */
	bool going;			/* a walk through the table has begun */

	bool aging;			/* this walk takes idle flows out */

	/* The flows that this walk has seen, and those that the last whole one saw. */
	struct flow_tally walked, view;
	struct flow_pasts pasts, next_pasts;
	uint64_t view_mono_ns;		/* when that began; 0: none yet */
	bool wants_view;

	/* Taken out. */
	struct flow_tally gone;
	uint64_t aged;
	struct flow_folded *folded;	/* a hash table of FLOW_PREFIXES */
	struct watch_sum other[WATCH_DIRS];	/* no room in that one */

	struct flow_cpu row;		/* as it was at the row before */
	uint64_t row_elapsed_ns;
};

/* All CPUs together. */
void flows_read(const struct watch_flows *flows, struct flow_cpu *ret_sum);

/* Calls @seen with each flow of the next batch; false once that was the last, or none can be read. */
bool flows_batch(struct watch_flows *flows, void (*seen)(struct watch_flows *flows,
							 struct flow_seen *flow));

/* One more of them. */
void tally_add(struct watch_flows *flows, struct flow_tally *tally, const struct flow_seen *flow);

/* Sorts the list of the best and cuts it to cfg.top. */
void tally_cut(struct watch_flows *flows, struct flow_tally *tally);

/* The best and TCP's sums of @other, too; its packets are in prefixes. */
void tally_join(struct watch_flows *flows, struct flow_tally *tally, const struct flow_tally *other);

/*
 * Goes on with the walk through the table, or begins one, until @until_mono_ns or its end,
 * where what it saw becomes the view. True: that is so.
 */
bool view_walk(struct watch_flows *flows, uint64_t until_mono_ns);

/* Takes the flow out of the table, where it is idle; false: it stays. */
bool flows_age(struct watch_flows *flows, const struct flow_seen *old);

/*
 * The percentiles of @flow, to the middle of a bucket and within the exact extremes; not where
 * a round trip is in no bucket. With @take its buckets leave the table.
 */
void flows_spread(struct watch_flows *flows, struct flow_seen *flow, bool take);

/* False: no memory. */
bool view_init(struct watch_flows *flows);
void view_release(struct watch_flows *flows);

/* Into @flows->folded. */
void flows_fold(struct watch_flows *flows, const struct flow_prefix *prefix,
		const struct watch_sum *counts);

/* What flow_tc folded, into the same. */
void flows_join_folds(struct watch_flows *flows);

/* Up to FLOW_TRIPS; returns how many. */
size_t flows_read_trips(const struct watch_flows *flows, struct flow_trips *ret_trips);

double flows_rate_bps(const struct flow_rec *rec);
double flows_rtt_ns(const struct flow_rtt *rtt);

#endif
