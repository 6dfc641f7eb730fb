/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * faces/record.h - a run as lines of JSON, to be shown again.
 *
 * A line is {"type": "state" or "end", "elapsed_ns": N, "result": DOCUMENT}. Of
 * a state the document has the newest row of the series and no histograms;
 * "end" has all but the series. Each line is whole by itself, so a file that
 * ends early is good up to its last full line.
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
 * was cut is the end too. Anything else that is no record is an error.
 */
int record_next(struct record *record, uint64_t *ret_elapsed_ns, struct err *e);

/* The file ended within a line: who wrote it was killed. */
bool record_was_cut(const struct record *record);

/* Puts what the line holds into @res, its parts and their rows, as if it were measured now. */
void record_load(const struct record *record, struct result *res);

/* Takes NULL. */
void record_close(struct record *record);

#endif
