/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * faces/report_parts.h - shared by the outputs of a report.
 */
#ifndef FACES_REPORT_PARTS_H
#define FACES_REPORT_PARTS_H

#include "compare/compare_set.h"
#include "faces/report.h"
#include "faces/report_read.h"
#include "result/metrics.h"

struct report {
	struct compare_docs docs;
	struct report_lists lists;
	size_t nr_loads;	/* of report_load() */
	size_t second;		/* index of the first document of the second of two loads; 0: there are not two */
};

/* "probe eg0 198.18.0.2": the verb and its arguments. */
const char *report_title(char *buf, size_t size, const json_t *doc);

/* Of the document with its parts. */
struct report_counts {
	size_t passed, failed, errors;
};
void report_count(const json_t *tree, struct report_counts *counts);

/* True if the sender missed its rate, and no note reports it. */
bool report_irregular(const json_t *tree);

/* That it failed, or how many verdicts did; nothing if none. */
void report_outcome_html(FILE *out, const json_t *doc);

/* A line for each document: command, outcome, headline. */
void report_summary_html(FILE *out, const struct report *report);

/* The documents' figures side by side, those of two loads of like runs with compare's verdicts. */
void report_across_html(FILE *out, const struct report *report);

/* The name of @doc's file without its directory. */
const char *report_file_name(const struct report *report, size_t doc);

/* True for preparatory parts: details of a first trial, search of a bottleneck. */
bool report_is_aside(const json_t *part);

/* Write @path by @put, completely or not at all. */
int report_write(const char *path, int (*put)(FILE *out, const void *ctx, struct err *e),
		 const void *ctx, struct err *e);

#endif
