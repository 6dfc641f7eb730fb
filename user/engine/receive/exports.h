/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/receive/exports.h - the files that a receiver writes beside its result: a record
 * of each packet, and its histogram of delays in HdrHistogram's forms.
 *
 * They are opened before the run and are whole or not there.
 */
#ifndef ENGINE_RECEIVE_EXPORTS_H
#define ENGINE_RECEIVE_EXPORTS_H

#include <stdint.h>

#include "engine/receive/rx.h"
#include "lib/err.h"
#include "lib/opt_rule.h"
#include "result/result.h"

struct exports_opts {
	const char *records, *hgrm, *hlog;	/* files; NULL: not asked for */
	uint64_t records_every;
	uint64_t records_ring_bytes;
};

#define EXPORTS_DEFAULTS	{ .records_every = 1, .records_ring_bytes = 64000000 }

#define EXPORTS_OPTIONS(type, at) \
	{ 0, "records", OPT_STR, offsetof(type, at.records), "FILE", \
	  "a line for each packet: sequence, times, CPU; FILE.gz: compressed" }, \
	{ 0, "records-every", OPT_COUNT, offsetof(type, at.records_every), "N", \
	  "records of one in N sequence numbers only", .min = 1, .max = UINT32_MAX }, \
	{ 0, "records-ring", OPT_COUNT, offsetof(type, at.records_ring_bytes), "BYTES", \
	  "ring between driver and file, grown to a power of two; 48 bytes a record", \
	  .min = 4096, .max = 1 << 30 }, \
	{ 0, "hgrm", OPT_STR, offsetof(type, at.hgrm), "FILE", \
	  "percentiles of the delay as HdrHistogram prints them" }, \
	{ 0, "hlog", OPT_STR, offsetof(type, at.hlog), "FILE", \
	  "HdrHistogram's log: a histogram for each interval" }

#define EXPORTS_RULES { OPT_REQUIRES, "records-every records-ring", "records" }

/* How the receiver must be made for what @opts asks. */
void exports_prepare(const struct exports_opts *opts, struct rx_cfg *rx);

struct exports;

/* @opts and @cfg, with which @rx was opened, are copied; their texts must stay. */
int exports_open(struct exports **ret_exports, const struct exports_opts *opts,
		 const struct rx_cfg *cfg, struct rx *rx, struct err *e);

/* All others take NULL: there is nothing to write. */

/* The run begins; capabilities are given up already. */
int exports_start(struct exports *exports, struct err *e);

/* The end of an interval. */
void exports_tick(struct exports *exports);

/* What has failed so far, so that a run can end with it. */
int exports_check(const struct exports *exports, struct err *e);

/* After rx_stop(): writes what is left, puts the files in place, and tells @res of them. */
int exports_finish(struct exports *exports, struct result *res, struct err *e);

/* Files that were not finished vanish. */
void exports_close(struct exports *exports);

#endif
