/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/watch/watch_drops.h - what the kernel drops at watched interfaces: where and why, by its
 * tracepoints; and its own drop counters.
 */
#ifndef ENGINE_WATCH_WATCH_DROPS_H
#define ENGINE_WATCH_WATCH_DROPS_H

#include <stdint.h>

#include "lib/err.h"
#include "result/result.h"

struct watch_drops;

/*
 * From here on all drops on this host are counted. @ifnames must stay valid; they are looked up in
 * this thread's namespace.
 */
int watch_drops_open(struct watch_drops **ret_drops, const char *const *ifnames, unsigned int nr,
		     struct result *res, struct err *e);
void watch_drops_close(struct watch_drops *drops);	/* takes NULL */

/* A row of part "drops": packets that this host dropped since the previous row. */
void watch_drops_row(struct watch_drops *drops, uint64_t elapsed_ns);

/* Each location and reason, and the counters that grew, so far; may be called repeatedly. */
void watch_drops_report_live(struct watch_drops *drops);

/* Once, at the end: the same, with notes. */
void watch_drops_report(struct watch_drops *drops);

#endif
