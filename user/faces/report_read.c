// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faces/report_read.c - documents of any length: of a series what its plots show is kept,
 * of a table its first rows. The others stay in the file, and can be read again.
 *
 * jansson makes six bytes and more of each byte of such a list. So what may hold one is
 * walked here, and jansson reads the pieces.
 */
#include "faces/report_read.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "faces/figures.h"
#include "faces/plot.h"
#include "lib/loop.h"

#define MAX_DEPTH 100	/* of nested parts; documents of this tool have two */

struct reader {
	struct report_lists *lists;
	FILE *in;
	json_error_t *error;
	size_t given;		/* bytes, to the load under way */
	int last;		/* of these */
	int line;
	int depth;
};

static int peek(struct reader *reader)
{
	int c;

	do {
		c = getc_unlocked(reader->in);
		reader->line += c == '\n';
	} while (c != EOF && isspace(c) && !loop_signal());
	return c == EOF ? EOF : ungetc(c, reader->in);
}

static json_t *bad(struct reader *reader, const char *what)
{
	reader->error->line = reader->line;
	snprintf(reader->error->text, sizeof(reader->error->text), "%s", what);
	return NULL;
}

/* One at a time: what jansson has not looked at stays in the file. */
static size_t feed(void *buffer, size_t size, void *ctx)
{
	struct reader *reader = ctx;

	reader->last = size && !loop_signal() ? getc_unlocked(reader->in) : EOF;
	if (reader->last == EOF)
		return 0;
	*(char *)buffer = (char)reader->last;
	reader->line += reader->last == '\n';
	reader->given++;
	return 1;
}

static json_t *read_value(struct reader *reader)
{
	json_t *value;
	int line;

	peek(reader);
	line = reader->line;
	reader->given = 0;
	value = json_load_callback(feed, reader, JSON_DISABLE_EOF_CHECK | JSON_DECODE_ANY |
				   JSON_REJECT_DUPLICATES, reader->error);
	if (!value) {
		reader->error->line += line - 1;
		return NULL;
	}
	/* The byte that ends a number has been looked at, and is the next one's. */
	if (reader->given > (size_t)reader->error->position) {
		ungetc(reader->last, reader->in);
		reader->line -= reader->last == '\n';
	}
	return value;
}

/*
 * Each item of the array that is next, which @item reads; false: an error, or @item's.
 * Of an object the same, by its keys.
 */
static bool walk(struct reader *reader, char close, bool (*item)(struct reader *reader, void *ctx),
		 void *ctx)
{
	getc_unlocked(reader->in);
	if (peek(reader) == close) {
		getc_unlocked(reader->in);
		return true;
	}
	for (;;) {
		int c;

		if (!item(reader, ctx))
			return false;
		c = peek(reader);
		if (c != EOF)
			getc_unlocked(reader->in);
		if (c == close)
			return true;
		if (c != ',')
			return bad(reader, close == ']' ? "',' or ']' expected" : "',' or '}' expected");
	}
}

static void out_of_memory(void)
{
	abort();	/* out of memory: as for a result, nothing can be reported */
}

static void list_note(struct reader *reader, json_t *kept, off_t at, size_t nr)
{
	struct report_lists *lists = reader->lists;
	struct report_list *list = reallocarray(lists->list, lists->nr + 1, sizeof(*list));
	char *file = strdup(lists->file);

	if (!list || !file)
		out_of_memory();
	lists->list = list;
	list[lists->nr++] = (struct report_list){ json_incref(kept), file, at, nr };
}

struct column {
	char *key;
	double *values;		/* NAN: the row has none */
	size_t nr, room;
};

struct series {
	struct column list[COLUMNS_MAX];
	size_t nr, rows;
};

static struct column *column_of(struct series *series, size_t near, const char *key)
{
	size_t k;

	/* Rows are alike. */
	if (near < series->nr && !strcmp(series->list[near].key, key))
		return &series->list[near];
	for (k = 0; k < series->nr; k++) {
		if (!strcmp(series->list[k].key, key))
			return &series->list[k];
	}
	if (k == COLUMNS_MAX)
		return NULL;
	series->list[k].key = strdup(key);
	if (!series->list[k].key)
		out_of_memory();
	return &series->list[series->nr++];
}

/* Up to row @nr; where there are none yet, none. */
static void column_extend(struct column *column, size_t nr)
{
	if (nr > column->room) {
		column->room = nr + nr / 2 + 64;
		column->values = reallocarray(column->values, column->room, sizeof(*column->values));
		if (!column->values)
			out_of_memory();
	}
	while (column->nr < nr)
		column->values[column->nr++] = NAN;
}

static bool series_row(struct reader *reader, void *ctx)
{
	json_t *row = read_value(reader), *value;
	struct series *series = ctx;
	const char *key;
	size_t near = 0;

	if (!row)
		return false;
	series->rows++;
	json_object_foreach(row, key, value) {
		struct column *column = column_of(series, near++, key);

		if (!column)
			continue;
		column_extend(column, series->rows);
		if (json_is_number(value))
			column->values[series->rows - 1] = json_number_value(value);
	}
	json_decref(row);
	return true;
}

static json_t *real_or_null(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *column_array(const struct series *series, struct column *column,
			    const struct column *times)
{
	struct plot_curve curve = { 0 };
	json_t *array = json_array();
	size_t i;

	column_extend(column, series->rows);
	for (i = 0; times && i < series->rows; i++)
		plot_point(&curve, times->values[i], column->values[i]);
	plot_thin(&curve);
	for (i = 0; i < curve.nr; i++) {
		json_array_append_new(array, real_or_null(curve.x[i]));
		json_array_append_new(array, real_or_null(curve.y[i]));
	}
	free(curve.x);
	free(curve.y);
	return array;
}

static json_t *series_object(struct series *series)
{
	struct column *times = NULL;
	json_t *object = json_object();
	size_t k;

	for (k = 0; k < series->nr; k++) {
		if (!strcmp(series->list[k].key, "elapsed_ns"))
			times = &series->list[k];
	}
	if (times)
		column_extend(times, series->rows);
	for (k = 0; k < series->nr; k++) {
		struct column *column = &series->list[k];

		json_object_set_new(object, column->key, column_array(series, column, times));
	}
	return object;
}

static json_t *read_series(struct reader *reader)
{
	struct series series = { 0 };
	off_t at = ftello(reader->in);
	json_t *object = NULL;
	size_t k;

	if (walk(reader, ']', series_row, &series)) {
		object = series_object(&series);
		list_note(reader, object, at, series.rows);
	}
	for (k = 0; k < series.nr; k++) {
		free(series.list[k].key);
		free(series.list[k].values);
	}
	return object;
}

struct rows {
	json_t *kept;
	size_t nr;
};

static bool table_row(struct reader *reader, void *ctx)
{
	json_t *row = read_value(reader);
	struct rows *rows = ctx;

	if (!row)
		return false;
	if (rows->nr++ < REPORT_KEPT_ROWS)
		json_array_append_new(rows->kept, row);
	else
		json_decref(row);
	return true;
}

static json_t *read_rows(struct reader *reader)
{
	struct rows rows = { .kept = json_array() };
	off_t at = ftello(reader->in);

	if (!walk(reader, ']', table_row, &rows)) {
		json_decref(rows.kept);
		return NULL;
	}
	if (rows.nr > REPORT_KEPT_ROWS)
		list_note(reader, rows.kept, at, rows.nr);
	return rows.kept;
}

static json_t *read_tree(struct reader *reader);

static bool add_part(struct reader *reader, void *ctx)
{
	json_t *part = peek(reader) == '{' ? read_tree(reader) : read_value(reader);

	return part && !json_array_append_new(ctx, part);
}

static json_t *read_parts(struct reader *reader)
{
	json_t *parts = json_array();

	if (walk(reader, ']', add_part, parts))
		return parts;
	json_decref(parts);
	return NULL;
}

static json_t *read_member(struct reader *reader, const char *key)
{
	bool list = peek(reader) == '[';

	if (list && !strcmp(key, "parts"))
		return read_parts(reader);
	if (list && !strcmp(key, "series"))
		return read_series(reader);
	if (list && (!strcmp(key, "entries") || !strcmp(key, "streams")))
		return read_rows(reader);
	return read_value(reader);
}

static bool add_member(struct reader *reader, void *ctx)
{
	json_t *key, *value = NULL;
	bool done = false;

	key = peek(reader) == '"' ? read_value(reader) : bad(reader, "string or '}' expected");
	if (!key)
		return false;
	if (peek(reader) != ':') {
		bad(reader, "':' expected");
	} else {
		getc_unlocked(reader->in);
		value = read_member(reader, json_string_value(key));
	}
	if (value && json_object_get(ctx, json_string_value(key)))
		bad(reader, "duplicate object key");
	else if (value && !strcmp(json_string_value(key), "series") && json_is_object(value) &&
		 !report_list_find(reader->lists, value))
		done = true;	/* what only looks as if it had been read here */
	else if (value)
		done = !json_object_set(ctx, json_string_value(key), value);
	json_decref(value);
	json_decref(key);
	return done;
}

static json_t *read_tree(struct reader *reader)
{
	json_t *tree;

	if (reader->depth == MAX_DEPTH)
		return bad(reader, "parts are nested too deeply");
	tree = json_object();
	reader->depth++;
	if (!walk(reader, '}', add_member, tree)) {
		json_decref(tree);
		tree = NULL;
	}
	reader->depth--;
	return tree;
}

json_t *report_read(struct report_lists *lists, FILE *in, json_error_t *ret_error)
{
	struct reader reader = { .lists = lists, .in = in, .error = ret_error, .line = 1 };

	switch (peek(&reader)) {
	case '{':
		return read_tree(&reader);
	case '[':
		return read_parts(&reader);
	default:
		return bad(&reader, "'[' or '{' expected");
	}
}

const struct report_list *report_list_find(const struct report_lists *lists, const json_t *kept)
{
	size_t i;

	for (i = 0; i < lists->nr; i++) {
		if (lists->list[i].kept == kept)
			return &lists->list[i];
	}
	return NULL;
}

size_t report_list_rows(const struct report_lists *lists, const json_t *kept)
{
	const struct report_list *list = report_list_find(lists, kept);

	return list ? list->nr : json_array_size(kept);
}

struct again {
	void (*each)(void *ctx, size_t index, const json_t *row);
	void *ctx;
	size_t nr;
};

static bool again_row(struct reader *reader, void *ctx)
{
	json_t *row = read_value(reader);
	struct again *again = ctx;

	if (!row)
		return false;
	again->each(again->ctx, again->nr++, row);
	json_decref(row);
	return true;
}

int report_list_each(const struct report_list *list,
		     void (*each)(void *ctx, size_t index, const json_t *row), void *ctx, struct err *e)
{
	struct again again = { .each = each, .ctx = ctx };
	json_error_t error = { .text = "" };
	struct reader reader = { .error = &error, .line = 1 };
	bool same;

	reader.in = list->at < 0 ? NULL : fopen(list->file, "re");
	if (!reader.in || fseeko(reader.in, list->at, SEEK_SET))
		return err_set(e, -errno, "cannot read '%s' again", list->file);
	same = peek(&reader) == '[' && walk(&reader, ']', again_row, &again) && again.nr == list->nr;
	fclose(reader.in);
	if (!same)
		return err_plain(e, -EIO, "'%s' changed while it was read", list->file);
	return 0;
}

void report_lists_release(struct report_lists *lists)
{
	size_t i;

	for (i = 0; i < lists->nr; i++) {
		json_decref(lists->list[i].kept);
		free(lists->list[i].file);
	}
	free(lists->list);
}
