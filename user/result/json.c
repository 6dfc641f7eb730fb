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
	bool first;		/* nothing yet in the series */
	bool failed;
};

static int write_tree(struct writer *to, const json_t *tree, const struct result *res);

static void put(struct writer *to, const char *text)
{
	to->failed |= fputs(text, to->out) == EOF;
}

static void put_scalar(struct writer *to, const json_t *value)
{
	to->failed |= json_dumpf(value, to->out, JSON_FLAGS | JSON_COMPACT | JSON_ENCODE_ANY) != 0;
}

static void put_break(struct writer *to)
{
	to->failed |= !to->compact && fprintf(to->out, "\n%*s", (int)(2 * to->depth), "") < 0;
}

/* Between the members of an object or array, and before the first. */
static void put_next(struct writer *to, bool first)
{
	if (!first)
		put(to, ",");
	put_break(to);
}

static int put_row(const char *row, size_t bytes, void *ctx)
{
	struct writer *to = ctx;

	put_next(to, to->first);
	to->first = false;
	to->failed |= fwrite(row, 1, bytes, to->out) != bytes;
	return to->failed;
}

/* Those that left memory first; each on one line. */
static int write_series(struct writer *to, const json_t *series, const struct result *res)
{
	const json_t *row;
	size_t i;
	int err;

	to->first = true;
	put(to, "[");
	to->depth++;
	err = result_older_rows(res, put_row, to);
	json_array_foreach((json_t *)series, i, row) {
		put_next(to, to->first);
		to->first = false;
		put_scalar(to, row);
	}
	to->depth--;
	put_break(to);
	put(to, "]");
	return err < 0 ? err : 0;
}

static int write_array(struct writer *to, const json_t *array, const struct result *parts_of)
{
	const json_t *value;
	int err = 0;
	size_t i;

	put(to, "[");
	to->depth++;
	json_array_foreach((json_t *)array, i, value) {
		put_next(to, !i);
		err = write_tree(to, value, parts_of ? result_part_at(parts_of, i) : NULL);
		if (err)
			break;
	}
	to->depth--;
	if (i)
		put_break(to);
	put(to, "]");
	return err;
}

static int write_object(struct writer *to, const json_t *object, const struct result *res)
{
	const json_t *value;
	const char *key;
	bool first = true;
	int err = 0;

	put(to, "{");
	to->depth++;
	json_object_foreach((json_t *)object, key, value) {
		json_t *name = json_string(key);

		put_next(to, first);
		first = false;
		put_scalar(to, name);
		json_decref(name);
		put(to, to->compact ? ":" : ": ");
		if (res && !strcmp(key, "series") && json_is_array(value))
			err = write_series(to, value, res);
		else if (res && !strcmp(key, "parts") && json_is_array(value))
			err = write_array(to, value, res);
		else
			err = write_tree(to, value, NULL);
		if (err)
			break;
	}
	to->depth--;
	if (!first)
		put_break(to);
	put(to, "}");
	return err;
}

/* @res: whose tree it is; NULL: only a value of one. */
static int write_tree(struct writer *to, const json_t *tree, const struct result *res)
{
	if (json_is_object(tree))
		return write_object(to, tree, res);
	if (json_is_array(tree))
		return write_array(to, tree, NULL);
	put_scalar(to, tree);
	return 0;
}

int json_document(FILE *out, const struct result *res, int compact)
{
	struct writer to = { .out = out, .compact = compact };
	json_t *tree = result_tree(res);
	int err;

	if (!tree)
		return -ENOMEM;
	errno = 0;
	err = write_tree(&to, tree, res);
	if (err)
		return err;
	return to.failed || fputc('\n', out) == EOF || fflush(out) ? write_error() : 0;
}
