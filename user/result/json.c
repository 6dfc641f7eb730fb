// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * result/json.c - output for programs.
 */
#include "result/json.h"

#include <errno.h>
#include <string.h>

#include <jansson.h>

#include "result/tree.h"

/* The stream's error; json_dumpf() and fputc() only report failure. */
static int write_error(void)
{
	return errno ? -errno : -EIO;
}

int json_row(FILE *out, const struct result *part)
{
	json_t *tree = result_tree(part);
	json_t *series = json_object_get(tree, "series"), *line;
	int err;

	if (!series)
		return -ENOMEM;
	line = json_pack("{s:s}", "type", "interval");
	if (json_object_get(tree, "name"))
		json_object_set(line, "part", json_object_get(tree, "name"));
	json_object_update(line, json_array_get(series, json_array_size(series) - 1));
	errno = 0;
	err = json_dumpf(line, out, JSON_FLAGS | JSON_COMPACT) || fputc('\n', out) == EOF ||
	      fflush(out) ? write_error() : 0;
	json_decref(line);
	return err;
}

/* Where the document goes, and how. */
struct writer {
	FILE *out;
	bool compact;
	size_t depth;
	bool first;		/* nothing yet in this object or array */
	bool failed;
};

static void put(struct writer *to, const char *text, size_t bytes)
{
	to->failed |= fwrite(text, 1, bytes, to->out) != bytes;
}

static void put_line(struct writer *to)
{
	put(to, "\n", 1);
	to->failed |= fprintf(to->out, "%*s", (int)(2 * to->depth), "") < 0;
}

/* jansson begins each value at the left. Within strings there is no newline. */
static int put_deeper(const char *text, size_t bytes, void *ctx)
{
	struct writer *to = ctx;
	const char *end = text + bytes, *line;

	while ((line = memchr(text, '\n', (size_t)(end - text)))) {
		put(to, text, (size_t)(line - text));
		put_line(to);
		text = line + 1;
	}
	put(to, text, (size_t)(end - text));
	return 0;
}

static void put_value(struct writer *to, const json_t *value)
{
	size_t how = JSON_FLAGS | JSON_ENCODE_ANY | (to->compact ? JSON_COMPACT : JSON_INDENT(2));

	to->failed |= json_dump_callback(value, put_deeper, to, how) != 0;
}

static void open_list(struct writer *to, const char *bracket)
{
	put(to, bracket, 1);
	to->depth++;
	to->first = true;
}

static void close_list(struct writer *to, const char *bracket)
{
	to->depth--;
	if (!to->first && !to->compact)
		put_line(to);
	put(to, bracket, 1);
	to->first = false;
}

static void begin_member(struct writer *to)
{
	if (!to->first)
		put(to, ",", 1);
	if (!to->compact)
		put_line(to);
	to->first = false;
}

static int put_row(const char *row, size_t bytes, void *ctx)
{
	struct writer *to = ctx;

	begin_member(to);
	put(to, row, bytes);
	return to->failed;
}

/* Those that left memory first; each on one line. */
static int put_series(struct writer *to, const json_t *series, const struct result *part)
{
	const json_t *row;
	size_t i;
	int err;

	open_list(to, "[");
	err = result_older_rows(part, put_row, to);
	json_array_foreach((json_t *)series, i, row) {
		begin_member(to);
		to->failed |= json_dumpf(row, to->out, JSON_FLAGS | JSON_COMPACT) != 0;
	}
	close_list(to, "]");
	return err < 0 ? err : 0;
}

static int put_part(struct writer *to, const struct result *part)
{
	const struct result *child;
	json_t *value, *name;
	const char *key;
	int err = 0;
	size_t i;

	open_list(to, "{");
	json_object_foreach(result_tree(part), key, value) {
		name = json_string(key);
		begin_member(to);
		put_value(to, name);
		json_decref(name);
		put(to, ": ", to->compact ? 1 : 2);
		if (!strcmp(key, "series")) {
			err = put_series(to, value, part);
		} else if (!strcmp(key, "parts") && result_part_at(part, 0)) {
			open_list(to, "[");
			for (i = 0; !err && (child = result_part_at(part, i)); i++) {
				begin_member(to);
				err = put_part(to, child);
			}
			close_list(to, "]");
		} else {
			put_value(to, value);
		}
		if (err)
			break;
	}
	close_list(to, "}");
	return err;
}

int json_document(FILE *out, const struct result *res, int compact)
{
	struct writer to = { .out = out, .compact = compact };
	int err;

	if (!result_tree(res))
		return -ENOMEM;
	errno = 0;
	err = put_part(&to, res);
	if (err)
		return err;
	return to.failed || fputc('\n', out) == EOF || fflush(out) ? write_error() : 0;
}
