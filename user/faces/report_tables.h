/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * faces/report_tables.h - lists of rows, and figures, as tables of a page.
 */
#ifndef FACES_REPORT_TABLES_H
#define FACES_REPORT_TABLES_H

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

/* How a list is shown. */
struct table_look {
	size_t nr;		/* of its rows, if it is longer than what is held of it */
	const char *share;	/* a column whose part of the whole is drawn beside it */
	const char *measured;	/* what "median" and its like are of: a key of the dictionary */
};

/* At most REPORT_MAX_ROWS rows, and a note of how many there are. */
void table_html(FILE *out, const json_t *rows, const struct table_look *look);

/* Marks in @used, by index of the dictionary, what the columns of @rows are. */
void table_mark(const json_t *rows, bool *used);

/*
 * Figures in the dictionary's order: percentiles of one kind in one row, the others in
 * rows of their own. Marks those shown in @used.
 */
void table_figures_html(FILE *out, const json_t *figures, bool *used);

#endif
