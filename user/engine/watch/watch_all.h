/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/watch/watch_all.h - watch several interfaces at the same time, with flows, drops and the
 * cost of it.
 */
#ifndef ENGINE_WATCH_WATCH_ALL_H
#define ENGINE_WATCH_WATCH_ALL_H

#include <stdbool.h>

#include "engine/watch/watch.h"
#include "engine/watch/watch_flows.h"
#include "lib/opt.h"

struct watch_all_cfg {
	const struct opt_ifaces *ifaces;
	struct watch_cfg_iface iface;	/* of each interface, except its name */
	struct watch_flows_cfg flow;	/* likewise */
	bool flows, drops, cost;	/* wanted */
};

struct watch_all;

int watch_all_open(struct watch_all **ret_all, const struct watch_all_cfg *cfg,
		   struct result *res, struct err *e);
void watch_all_close(struct watch_all *all);	/* takes NULL */

/* Often. */
void watch_all_poll(struct watch_all *all);

/* Adds a row to each part. */
void watch_all_row(struct watch_all *all, uint64_t elapsed_ns);

/* Writes the current figures to the result; and flows and drops, which cost more. */
void watch_all_report(struct watch_all *all, uint64_t elapsed_ns);
void watch_all_report_tables(struct watch_all *all);

void watch_all_sort(struct watch_all *all, enum watch_sort sort);

/* Detaches. */
void watch_all_stop(struct watch_all *all);

/* Once, at the end: everything, with notes. */
void watch_all_report_end(struct watch_all *all, uint64_t elapsed_ns);

#endif
