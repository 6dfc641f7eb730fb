/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/receive/exports.h - the files that a receiver writes in addition to its result: a record
 * of each packet, and the delay histogram in HdrHistogram's formats.
 *
 * They are opened before the run, and complete or absent afterwards.
 */
#ifndef ENGINE_RECEIVE_EXPORTS_H
#define ENGINE_RECEIVE_EXPORTS_H

#include <stdint.h>

#include "engine/receive/rx.h"
#include "lib/err.h"
#include "lib/opt_rule.h"
#include "result/result.h"

struct exports_opts {
	const char *records, *hgrm, *hlog;	/* file names; NULL: not requested */
	uint64_t records_every;
	uint64_t records_ring_bytes;
};

#define EXPORTS_DEFAULTS	{ .records_every = 1, .records_ring_bytes = 64000000 }

/* Values: a struct exports_opts. */
extern const struct opt exports_options[];

#define EXPORTS_RULES { OPT_REQUIRES, "records-every records-ring", "records" }

/* Sets in @rx what @opts requires of the receiver, before that is opened. Returns 0 or e->no. */
int exports_prepare(const struct exports_opts *opts, struct rx_cfg *rx, struct err *e);

struct exports;

/* @opts and @cfg, with which @rx was opened, are copied; the strings must stay valid. */
int exports_open(struct exports **ret_exports, const struct exports_opts *opts,
		 const struct rx_cfg *cfg, struct rx *rx, struct err *e);

/* All others accept NULL: nothing to write. */

/* Starts the run; capabilities have been dropped. */
int exports_start(struct exports *exports, struct err *e);

/* Ends an interval. */
void exports_tick(struct exports *exports);

/* The first error so far, so that it can end the run. */
int exports_check(const struct exports *exports, struct err *e);

/* After rx_stop(): writes the rest, renames the files into place and adds them to @res. */
int exports_finish(struct exports *exports, struct result *res, struct err *e);

/* Removes files that were not finished. */
void exports_close(struct exports *exports);

#endif
