/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/watch/watch.h - watch one interface: what it receives and sends, counted by
 * watch_tc and watch_xdp.
 */
#ifndef ENGINE_WATCH_WATCH_H
#define ENGINE_WATCH_WATCH_H

#include "engine/watch/watch_hook.h"
#include "lib/err.h"
#include "result/result.h"

struct filter;

struct watch_cfg_iface {
	const char *ifname;
	enum watch_hooks hooks;
	enum xdp_mode xdp_mode;
	bool share;		/* XDP by libxdp's dispatcher, also where the hook is free */
	const struct filter *filter;	/* takes the packets that are counted; NULL: all */
};

struct watch;

/* Each direction becomes a part of @res: "eth0 rx" and "eth0 tx". */
int watch_open(struct watch **ret_watch, const struct watch_cfg_iface *cfg, struct result *res,
	       struct err *e);
void watch_close(struct watch *watch);	/* takes NULL */

/*
 * To be called at least every 100 ms: looks for microbursts, and follows an
 * interface that goes and comes back.
 */
void watch_poll(struct watch *watch);

/* A row for each direction: what came since the row before. */
void watch_report_row(struct watch *watch, uint64_t elapsed_ns);

/* Detaches: the counters stay as they are. */
void watch_stop(struct watch *watch);

/*
 * Every figure as it is now, into the two parts; again and again, if wanted.
 * With @cost, returns the cores that the programs kept busy; 0: not known.
 */
double watch_report(struct watch *watch, uint64_t elapsed_ns, bool cost);

/* What a reader must know besides the figures: once, at the end. */
void watch_report_notes(struct watch *watch);

#endif
