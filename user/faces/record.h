/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * faces/record.h - a run as lines of JSON, to be shown again.
 *
 * A line is {"type": "state" or "end", "elapsed_ns": N, "result": DOCUMENT}. The
 * document of a state has the newest row of the series and no histograms; that of
 * "end" has all but the series. Each line is self-contained, so a truncated file is
 * valid up to its last full line.
 */
#ifndef FACES_RECORD_H
#define FACES_RECORD_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/err.h"
#include "result/result.h"

/* Returns 0 or negative errno. */
int record_write(FILE *out, const struct result *res, uint64_t elapsed_ns, bool end);

struct record;

int record_open(struct record **ret_record, const char *path, struct err *e);

/*
 * Reads the next line: 1 with its time, 0 at the end of the file. A last line that
 * was cut is the end too. Any other invalid line is an error.
 */
int record_next(struct record *record, uint64_t *ret_elapsed_ns, struct err *e);

/* The file ended within a line: its writer was killed. */
bool record_was_cut(const struct record *record);

/* Put the line's document into @res, with parts and rows, as if it were measured now. */
void record_load(const struct record *record, struct result *res);

/* Accepts NULL. */
void record_close(struct record *record);

#endif
