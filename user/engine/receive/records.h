/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/receive/records.h - write a record of each packet into a file, by a thread of its own.
 */
#ifndef ENGINE_RECEIVE_RECORDS_H
#define ENGINE_RECEIVE_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

struct records;

/*
 * Opens @path, which must stay there, compressed if it ends in ".gz", and the ring
 * behind @map_fd, @ring_bytes long. @clock and @delay name its times: "mono" or
 * "tai", "delay" or "rtt".
 */
int records_open(struct records **ret_records, const char *path, int map_fd, size_t ring_bytes,
		 const char *clock, const char *delay, struct err *e);

/* Starts the thread: once capabilities are given up. */
int records_start(struct records *records, struct err *e);

/* The error that stopped the writing (a full disk), so that a run can end with it. */
int records_check(const struct records *records, struct err *e);

/*
 * Once nothing is written into the ring any more: empties it, ends the thread,
 * and puts the file in its place.
 */
int records_finish(struct records *records, struct err *e);

/* After records_finish(). */
uint64_t records_written(const struct records *records);
double records_fill_ratio(const struct records *records);	/* the most that the ring held */

/* Without records_finish() nothing is left. Takes NULL. */
void records_close(struct records *records);

#endif
