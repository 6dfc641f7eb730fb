/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * faces/text_parts.h - parts of the text output in separate files.
 */
#ifndef FACES_TEXT_PARTS_H
#define FACES_TEXT_PARTS_H

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

#include "result/metrics.h"

#define PAGE_WIDTH	80

/* What was measured: verb, arguments, interface, engine, length; one line. */
void text_head(FILE *out, const json_t *tree);

/* The main figures of a result or a part, a row each; false: it has none of them. */
bool text_answer(FILE *out, const json_t *tree);

/* The same for a row of a series, on a line of which @column columns are printed, and which is not ended. */
bool text_answer_row(FILE *out, const json_t *row, size_t column);

/* The first rate among a row's main figures; NAN: it has none. */
double text_answer_rate(const json_t *row);

/* Parts that are runs, trials or interfaces as a table, a row each; false: there are too few. */
bool text_parts(FILE *out, const json_t *parts);

/* Whether that table would have a row for @part. */
bool text_parts_has(const json_t *part);

/* The answer of a whole result. */
void text_short(FILE *out, const json_t *tree);

/* A part's main figures in a line or two. */
void text_brief(FILE *out, const json_t *figures);

/*
 * A line each. @cited: prefix of keys copied from another document, shown in JSON only; may be NULL.
 * @all: distributions, too.
 */
void text_figures(FILE *out, const json_t *figures, const char *cited, bool all);

/* Present features take a line; absent ones also show impact and fix. */
void text_features(FILE *out, const json_t *features);

/* A line each, for scripts. */
void text_verdicts(FILE *out, const json_t *verdicts);

/* "PASS" or "FAIL", and two blanks; returns the columns. */
size_t text_outcome(FILE *out, bool pass);

/* "(3 more rows: -v)"; nothing if @nr is 0. */
void text_hidden(FILE *out, const char *indent, size_t nr, const char *what);

void text_lines(FILE *out, const char *prefix, const json_t *lines);

/* @text after @column columns that are already printed, wrapped at blanks. */
void text_wrapped(FILE *out, size_t column, const char *text);

/* A table with a column for each key of the first entry. @all: also what does not fit a screen. */
void text_entries(FILE *out, const json_t *entries, const char *indent, bool all);

/* A bar for each cell of a sweep's table; false: @tree has none. */
bool text_sweep(FILE *out, const json_t *tree);

/* The "comparison" of a result as text. @all: intervals, noise and probabilities, too. */
void text_comparison(FILE *out, const json_t *comparison, bool all);

#endif
