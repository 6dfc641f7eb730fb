/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * faces/report_read.h - documents of any length, without their long lists.
 */
#ifndef FACES_REPORT_READ_H
#define FACES_REPORT_READ_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include <jansson.h>

#include "lib/err.h"

#define REPORT_KEPT_ROWS 50000	/* of a table; further ones are only counted */

/* A list of which the document holds less than the file. */
struct report_list {
	json_t *kept;		/* its replacement in the document */
	char *file;
	off_t at;		/* of its '[' */
	size_t nr;		/* of its rows */
};

struct report_lists {
	struct report_list *list;
	size_t nr;
	const char *file;	/* that is read now */
};

/*
 * The next document of @in, or an array of these, like json_loadf(); NULL: @ret_error has
 * the reason. "series" is replaced by an object of its columns, each an array of x and y in
 * turn, as many as a plot shows; of tables the first REPORT_KEPT_ROWS rows.
 */
json_t *report_read(struct report_lists *lists, FILE *in, json_error_t *ret_error);

/* The list that @kept replaces; NULL: it is complete. */
const struct report_list *report_list_find(const struct report_lists *lists, const json_t *kept);

/* Rows of the list there are, kept or not. */
size_t report_list_rows(const struct report_lists *lists, const json_t *kept);

/* Reads them all again, one at a time. */
int report_list_each(const struct report_list *list,
		     void (*each)(void *ctx, size_t index, const json_t *row), void *ctx, struct err *e);

void report_lists_release(struct report_lists *lists);

#endif
