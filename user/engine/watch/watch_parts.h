/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/watch/watch_parts.h - declarations shared by watch.c, which reads, and watch_report.c,
 * which reports. Only these include it.
 */
#ifndef ENGINE_WATCH_WATCH_PARTS_H
#define ENGINE_WATCH_WATCH_PARTS_H

#include "abi/hist.h"
#include "abi/watch.h"
#include "engine/watch/watch.h"
#include "lib/burst.h"

/* One direction of the interface. */
struct watch_side {
	struct result *part;
	int prog_fd;
	struct watch_rec row;			/* at the previous row */
	struct hist_rec row_gaps;		/* likewise */
	struct burst burst;			/* peaks since that row */
	uint64_t peaks[BURST_SPANS];		/* peaks of all previous rows */
};

struct watch {
	struct watch_cfg_iface cfg;
	unsigned int nr_cpus, nr_queues;
	struct nic_facts nic;
	enum watch_hooks hooks;			/* chosen */
	const char *why;			/* these, or NULL */
	struct filter *filter;			/* NULL: every packet */
	struct watch_programs programs;		/* at tc: of tc, or of flows */
	struct watch_tc_bpf *tc;		/* NULL: with flows */
	struct watch_flows *flows;		/* NULL: not requested */
	struct watch_xdp_bpf *xdp;		/* NULL: tc only */
	struct xdp_share *share;		/* loads xdp; NULL: no */
	struct watch_hook *hook;
	struct watch_rec *recs;
	struct watch_sum *queues;
	struct hist_rec *gaps;
	struct watch_ring *rings;
	size_t recs_bytes, queues_bytes, gaps_bytes, rings_bytes;
	struct watch_side sides[WATCH_DIRS];
	uint64_t next_window;			/* first window not yet searched for bursts */
	uint64_t missed_windows;
	uint64_t row_elapsed_ns;
	struct nic_counters nic_before, nic_newest, nic_sum;	/* at open; latest; sum over
								 * earlier instances */
	unsigned int nic_life;			/* the hook's reattachments at nic_newest */
	unsigned int returns;			/* the hook's, at close */
	char *preceding;			/* likewise; NULL: none */
};

/* The records of one direction, summed over the CPUs. */
void watch_read(const struct watch *watch, enum watch_dir dir, struct watch_rec *ret_sum);

/* The interface's own counters since watch_open(), including its earlier instances. */
void watch_read_nic(struct watch *watch, struct nic_counters *ret_counters);

#endif
