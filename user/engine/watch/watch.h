/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/watch/watch.h - watch one interface: what it receives and sends, counted by watch_tc or
 * flow_tc, and watch_xdp.
 */
#ifndef ENGINE_WATCH_WATCH_H
#define ENGINE_WATCH_WATCH_H

#include "engine/watch/watch_flows.h"
#include "engine/watch/watch_hook.h"
#include "lib/err.h"
#include "result/result.h"

struct watch_cfg_iface {
	const char *ifname;
	enum watch_hooks hooks;
	enum xdp_mode xdp_mode;
	bool share;		/* use libxdp's dispatcher even if the hook is free */
	const char *filter;	/* expression that selects the packets to count; NULL: all */
	const struct watch_flows_cfg *flow;	/* NULL: no flows */
};

struct watch;

/* Loads the programs, for which the verifier may need a second. */
int watch_open(struct watch **ret_watch, const struct watch_cfg_iface *cfg, struct err *e);

/* Attaches them. Each direction becomes a part of @res: "eth0 rx" and "eth0 tx"; then the flows. */
int watch_start(struct watch *watch, struct result *res, struct err *e);

/* NULL: not requested, or not started. */
struct watch_flows *watch_flows(const struct watch *watch);

void watch_close(struct watch *watch);	/* takes NULL */

/*
 * Call at least every 100 ms: looks for microbursts, and follows an interface that is removed and
 * recreated.
 */
void watch_poll(struct watch *watch);

/* A row for each direction: what was counted since the previous row. */
void watch_report_row(struct watch *watch, uint64_t elapsed_ns);

/* Detaches: the counters no longer change. */
void watch_stop(struct watch *watch);

/*
 * Writes all current figures to the two parts; may be called repeatedly. With @cost, returns the
 * cores that the programs kept busy; 0: unknown.
 */
double watch_report(struct watch *watch, uint64_t elapsed_ns, bool cost);

/* Notes that go with the figures: once, at the end. */
void watch_report_notes(struct watch *watch);

#endif
