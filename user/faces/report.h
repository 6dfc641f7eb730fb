/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * faces/report.h - documents of earlier runs as pages, tables and plots.
 */
#ifndef FACES_REPORT_H
#define FACES_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "lib/err.h"

#define REPORT_MAX_ROWS 500	/* of a table in a page; --csv has all */

struct report;

struct report *report_new(void);
void report_free(struct report *report);

/* All documents of @path, as for compare_load(); a usage error describes the fault. */
int report_load(struct report *report, const char *path, struct err *e);
size_t report_nr_docs(const struct report *report);

/* "-" instead of the name of a file, for the three that follow. */
bool report_is_stdout(const char *path);

/* One self-contained page: no network, no other file, readable without script. */
int report_html(const struct report *report, const char *path, struct err *e);

/* Summary and tables in Markdown. */
int report_md(const struct report *report, const char *path, struct err *e);

/* Every value of every document in a line of its own (RFC 4180). */
int report_csv(const struct report *report, const char *path, struct err *e);

/* Each plot as a file in the directory @path, which is made. @ret_nr: how many. */
int report_svg(const struct report *report, const char *path, size_t *ret_nr, struct err *e);

/* Writes to @png what the whole file @svg shows; 0 or negative errno. */
typedef int report_draw(FILE *svg, FILE *png, struct err *e);

/* The same as PNG, by @draw. */
int report_png(const struct report *report, const char *path, report_draw *draw, size_t *ret_nr,
	       struct err *e);

#endif
