/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/watch_flows_parts.h - shared between watch_flows.c, which reads, and
 * watch_flows_report.c, which tells. Nobody else includes this.
 */
#ifndef ENGINE_WATCH_FLOWS_PARTS_H
#define ENGINE_WATCH_FLOWS_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "abi/flow.h"
#include "engine/watch_flows.h"

/* A flow as it was read, or taken out. */
struct flow_seen {
	struct flow_key key;
	struct flow_rec rec;
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

struct watch_flows {
	struct watch_flows_cfg cfg;
	struct result *res, *part;
	unsigned int nr_cpus;
	struct flow_tc_bpf *bpf;
	struct watch_hook *hook;
	int flows_fd, folds_fd, trips_fd, prog_fds[WATCH_DIRS];
	struct flow_cpu *cpus;
	struct hist_rec *hists;
	size_t cpus_bytes, hists_bytes;

	/* One batch of the table. */
	struct flow_key *keys;
	uint8_t *slots;			/* FLOW_SLOT_BYTES each */
	uint32_t token;			/* where the next batch begins */
	bool going;			/* a walk through the table has begun */

	/* Taken out: the best of them, and the sums of all. */
	struct flow_seen *best;		/* twice cfg.top */
	size_t nr_best;
	uint64_t aged;
	struct flow_folded *folded;	/* a hash table of FLOW_PREFIXES */
	struct watch_sum other[WATCH_DIRS];	/* no room in that one */
	struct flow_tcp_sums tcp;
	struct watch_sum sums[WATCH_DIRS];	/* of all flows and prefixes, at the end */

	struct flow_cpu row;		/* as it was at the row before */
	uint64_t row_elapsed_ns;
};

/* All CPUs together. */
void flows_read(const struct watch_flows *flows, struct flow_cpu *ret_sum);

/*
 * Calls @seen with each flow of the next batch; false once that was the last.
 * Begins anew behind the last.
 */
bool flows_walk(struct watch_flows *flows, void (*seen)(struct watch_flows *flows,
							const struct flow_seen *flow));

/* One more for the list of the best, and for TCP's sums. */
void flows_keep(struct watch_flows *flows, const struct flow_seen *flow);

/* Sorts the list and cuts it to cfg.top. */
void flows_cut(struct watch_flows *flows);

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
