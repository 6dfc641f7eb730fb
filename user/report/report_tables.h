/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report/report_tables.h - lists of rows, and figures, as tables of a page.
 */
#ifndef REPORT_REPORT_TABLES_H
#define REPORT_REPORT_TABLES_H

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

/*
 * At most REPORT_MAX_ROWS rows, and a note that there are @nr. @share: a column whose part
 * of the whole is drawn beside it; may be NULL.
 */
void table_html(FILE *out, const json_t *rows, const char *share, size_t nr);

/* Marks in @used, by index of the dictionary, what the columns of @rows are. */
void table_mark(const json_t *rows, bool *used);

/*
 * Figures in the dictionary's order: percentiles of one kind in one row, the others in
 * rows of their own. Marks those shown in @used.
 */
void table_figures_html(FILE *out, const json_t *figures, bool *used);

#endif
