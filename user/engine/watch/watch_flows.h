/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/watch/watch_flows.h - the flows of one interface and the round trips that
 * pass it, by flow_tc.
 */
#ifndef ENGINE_WATCH_WATCH_FLOWS_H
#define ENGINE_WATCH_WATCH_FLOWS_H

#include <stdint.h>

#include "engine/watch/watch_hook.h"
#include "lib/err.h"
#include "result/result.h"

enum watch_sort {
	WATCH_SORT_BYTES, WATCH_SORT_PACKETS, WATCH_SORT_RATE, WATCH_SORT_RTT,
	WATCH_SORT_RETRANSMISSIONS, WATCH_SORTS
};

/* Choices of --sort, in the order of enum watch_sort. */
extern const char *const watch_sort_names[];

#define WATCH_FLOWS_MOST	(1u << 24)

struct filter;

struct watch_flows_cfg {
	const char *ifname;
	enum watch_hooks hooks;	/* flows are always seen at tc */
	uint32_t max_flows;	/* room, up to WATCH_FLOWS_MOST */
	uint32_t top;		/* flows that the result names */
	enum watch_sort sort;
	const struct filter *filter;	/* takes the packets that are counted; NULL: all */
	uint64_t idle_ns;	/* how long before a flow makes room for others */
};

struct watch_flows;

/* Loads, which takes a while. */
int watch_flows_open(struct watch_flows **ret_flows, const struct watch_flows_cfg *cfg,
		     struct err *e);

/* Attaches. Becomes parts of @res: "eth0 flows", prefixes, and kinds of round trips. */
int watch_flows_start(struct watch_flows *flows, struct result *res, struct err *e);
void watch_flows_close(struct watch_flows *flows);	/* takes NULL */

/* To be called often: follows the interface, and takes idle flows out of a table that gets full. */
void watch_flows_poll(struct watch_flows *flows);

/* A row: flows that were active, began and ended since the row before. */
void watch_flows_row(struct watch_flows *flows, uint64_t elapsed_ns);

/* Another order from the next view on. */
void watch_flows_sort(struct watch_flows *flows, enum watch_sort sort);

/*
 * The flows as they are now, again and again: of a large table as they were when it was last
 * read to its end, which the result says. Neither prefixes nor sentences.
 */
void watch_flows_report_live(struct watch_flows *flows);

/* Detaches: the counters stay as they are. */
void watch_flows_stop(struct watch_flows *flows);

/* Everything, once. Returns the cores that the programs kept busy; 0: not known. */
double watch_flows_report(struct watch_flows *flows, uint64_t elapsed_ns);

#endif
