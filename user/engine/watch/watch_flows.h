/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/watch/watch_flows.h - the flows of one interface and the round trips passing it, by
 * flow_tc.
 */
#ifndef ENGINE_WATCH_WATCH_FLOWS_H
#define ENGINE_WATCH_WATCH_FLOWS_H

#include <stdint.h>

#include "engine/watch/watch_programs.h"
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
	uint32_t max_flows;	/* size of the table, up to WATCH_FLOWS_MOST */
	uint32_t top;		/* flows listed in the result */
	enum watch_sort sort;
	uint64_t idle_ns;	/* idle time after which a flow may be removed to make room */
	uint32_t sample;	/* looks up the flow of one buffer in this many, at random; 1: of each */
	/* Set by watch_open(): */
	const char *ifname;
	const struct filter *filter;	/* selects the packets to count; NULL: all */
	bool rx_beside;		/* XDP counts what is received, which flow_tc sees for its flows only */
};

struct watch_flows;

/*
 * *ret_programs are flow_tc's, which the caller loads and attaches: they count the packets as well.
 */
int watch_flows_open(struct watch_flows **ret_flows, const struct watch_flows_cfg *cfg,
		     struct watch_programs *ret_programs, struct err *e);

/*
 * After that load. Creates parts of @res: "eth0 flows", prefixes, and kinds of round trips. @hook: the
 * hook's name in the result.
 */
int watch_flows_start(struct watch_flows *flows, struct result *res, const char *hook, struct err *e);
void watch_flows_close(struct watch_flows *flows);	/* takes NULL */

/* Call often: removes idle flows from a table that is nearly full. */
void watch_flows_poll(struct watch_flows *flows);

/* A row: flows that were active, started and ended since the previous row. */
void watch_flows_row(struct watch_flows *flows, uint64_t elapsed_ns);

/* Changes the order from the next view on. */
void watch_flows_sort(struct watch_flows *flows, enum watch_sort sort);

/*
 * The current flows, may be called repeatedly; for a large table as of the last complete read,
 * which the result reports. Without prefixes and notes.
 */
void watch_flows_report_live(struct watch_flows *flows);

/*
 * Everything, once, after the programs were detached. Returns the cores that the one beside XDP kept busy;
 * 0: none, or unknown.
 */
double watch_flows_report(struct watch_flows *flows, uint64_t elapsed_ns);

#endif
