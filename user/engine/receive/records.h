/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/receive/records.h - write a record of each packet to a file, in a separate thread.
 */
#ifndef ENGINE_RECEIVE_RECORDS_H
#define ENGINE_RECEIVE_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

struct records;

/*
 * Opens @path, which must stay valid, compressed if it ends in ".gz", and the ring of map @map_fd,
 * @ring_bytes long. @clock and @delay name its times: "mono" or "tai", "delay" or "rtt".
 */
int records_open(struct records **ret_records, const char *path, int map_fd, size_t ring_bytes,
		 const char *clock, const char *delay, struct err *e);

/* Starts the thread; after capabilities are dropped. */
int records_start(struct records *records, struct err *e);

/* The error that stopped the writing (a full disk), so that it can end the run. */
int records_check(const struct records *records, struct err *e);

/*
 * After the last write to the ring: empties it, ends the thread, and renames the file into place.
 */
int records_finish(struct records *records, struct err *e);

/* After records_finish(). */
uint64_t records_written(const struct records *records);
double records_fill_ratio(const struct records *records);	/* highest fill level of the ring */

/* Without records_finish() the file is removed. Accepts NULL. */
void records_close(struct records *records);

#endif
