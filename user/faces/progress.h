/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * faces/progress.h - how far a command is, on one line: totals so far, the rate now and its trend.
 */
#ifndef FACES_PROGRESS_H
#define FACES_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "result/result.h"

struct progress;

/* @duration_ns, else @count of sent packets: what the command has to do; 0: not known. NULL: no memory. */
struct progress *progress_new(uint64_t duration_ns, uint64_t count);
void progress_free(struct progress *progress);	/* accepts NULL */

/* Takes the newest row of @res. */
void progress_take(struct progress *progress, const struct result *res);

/* The line in @columns columns, in memory that the next call reuses. */
const char *progress_line(struct progress *progress, unsigned int columns, bool utf8);

/* Shows it at the foot of the terminal, where there is one (lib/status.h). */
void progress_show(struct progress *progress);

#endif
