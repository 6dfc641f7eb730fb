/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/watch/watch_flows_parts.h - declarations shared by watch_flows.c, which reads, and
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

/* A flow as read, or as removed. */
struct flow_seen {
	struct flow_key key;
	struct flow_rec rec;
	double error;			/* of the counts' estimate, a share of it; see lib/sample.h */
	double now_pps, now_bps;	/* since the previous view; NAN: unknown */
	bool is_gone;			/* with its percentiles; otherwise they are still in the
					 * table */
	uint64_t shares_ns[WATCH_DIRS][FLOW_SHARES];	/* 0: unknown */
};

/* A prefix, and the flows folded into it. */
struct flow_folded {
	struct flow_prefix prefix;
	struct flow_fold fold;
};

/* Round trips to a prefix. */
struct flow_trips {
	struct flow_prefix prefix;
	struct hist_rec hist;
};

/* TCP counts over all flows, by direction. */
struct flow_tcp_sums {
	uint64_t retransmitted[WATCH_DIRS], out_of_order[WATCH_DIRS];
	uint64_t zero_windows[WATCH_DIRS], dup_acks[WATCH_DIRS];
};

/* The result of reading many flows: their sums, and the top flows. */
struct flow_tally {
	struct flow_seen *best;		/* room for twice cfg.top */
	size_t nr_best;
	uint64_t nr;
	struct flow_tcp_sums tcp;
	struct watch_sum sums[WATCH_DIRS];
};

/* The counts of each flow at the previous view, by a hash of its key. */
struct flow_past {
	uint64_t id;			/* 0: free */
	uint64_t packets, frame_bytes;
};

struct flow_pasts {
	struct flow_past *slots;	/* NULL: none */
	size_t room;			/* size, a power of two */
	uint64_t taken_mono_ns;
};

struct watch_flows {
	struct watch_flows_cfg cfg;
	struct result *res, *part;
	unsigned int nr_cpus;
	struct flow_tc_bpf *bpf;
	int flows_fd, folds_fd, trips_fd, spreads_fd, in_fd;
	struct flow_cpu *cpus;
	struct hist_rec *hists;
	struct flow_cached *caches;	/* FLOW_CACHE of each CPU */
	size_t cpus_bytes, hists_bytes, caches_bytes;

	/* One batch of the table. */
	struct flow_key *keys;
	uint8_t *slots;			/* FLOW_SLOT_BYTES each */
	uint32_t token;			/* where the next batch starts */
	bool going;			/* a walk through the table has started */

	bool aging;			/* this walk removes idle flows */

	/* The flows seen by this walk, and by the last complete one. */
	struct flow_tally walked, view;
	struct flow_pasts pasts, next_pasts;
	uint64_t view_mono_ns;		/* when that started; 0: none yet */
	bool wants_view;

	/* Taken out. */
	struct flow_tally gone;
	uint64_t aged;
	struct flow_folded *folded;	/* a hash table of FLOW_PREFIXES */
	struct watch_sum other[WATCH_DIRS];	/* no room in that table */

	struct flow_cpu row;		/* at the previous row */
	uint64_t row_elapsed_ns;
};

/* Summed over all CPUs; what is counted of samples only is estimated of all. */
void flows_read(const struct watch_flows *flows, struct flow_cpu *ret_sum);

/*
 * Calls @seen with each flow of the next batch, with what the CPUs' caches have of it; false if that was
 * the last, or reading failed.
 */
bool flows_batch(struct watch_flows *flows, void (*seen)(struct watch_flows *flows,
							 struct flow_seen *flow));

/* Adds a flow. */
void tally_add(struct watch_flows *flows, struct flow_tally *tally, const struct flow_seen *flow);

/* Sorts the list of top flows and cuts it to cfg.top. */
void tally_cut(struct watch_flows *flows, struct flow_tally *tally);

/* Adds the top flows and TCP sums of @other; its packets are in the prefixes. */
void tally_join(struct watch_flows *flows, struct flow_tally *tally, const struct flow_tally *other);

/*
 * Starts or continues a walk through the table, until @until_mono_ns or its end, when it becomes
 * the view. True: it has.
 */
bool view_walk(struct watch_flows *flows, uint64_t until_mono_ns);

/* Removes the flow from the table if it is idle; false: it stays. */
bool flows_age(struct watch_flows *flows, const struct flow_seen *old);

/*
 * The percentiles of @flow, to the middle of a bucket and within the exact extremes; none if a
 * round trip is in no bucket. With @take its buckets are removed from the table.
 */
void flows_spread(struct watch_flows *flows, struct flow_seen *flow, bool take);

/* False: no memory. */
bool view_init(struct watch_flows *flows);
void view_release(struct watch_flows *flows);

/* Into @flows->folded. */
void flows_fold(struct watch_flows *flows, const struct flow_prefix *prefix,
		const struct watch_sum *counts);

/* Adds what flow_tc folded, and, once it is detached, what its caches have of flows that are in no table. */
void flows_join_folds(struct watch_flows *flows);

/* Up to FLOW_TRIPS; returns the number. */
size_t flows_read_trips(const struct watch_flows *flows, struct flow_trips *ret_trips);

static inline bool flows_are_sampled(const struct watch_flows *flows)
{
	return flows->cfg.sample > 1;
}

double flows_rate_bps(const struct flow_rec *rec);
double flows_rtt_ns(const struct flow_rtt *rtt);

#endif
