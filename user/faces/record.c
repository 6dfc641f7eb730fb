// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faces/record.c - a run as lines of JSON.
 */
#include "faces/record.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "result/columns.h"
#include "result/metrics.h"
#include "result/part.h"
#include "result/tree.h"

#define MAX_LINE_BYTES	(64u << 20)

/* A copy of @doc, as flat as can be: values are shared. */
static json_t *reduce(const json_t *doc, bool end)
{
	json_t *copy = json_copy((json_t *)doc), *series = json_object_get(doc, "series"), *row;
	json_t *parts = json_object_get(doc, "parts"), *part, *reduced;
	size_t i;

	json_object_del(copy, "series");
	if (!end) {
		json_object_del(copy, "histograms");
		row = json_array_get(series, json_array_size(series) - 1);
		if (row)
			json_object_set_new(copy, "series", json_pack("[O]", row));
	}
	if (parts) {
		reduced = json_array();
		json_array_foreach(parts, i, part)
			json_array_append_new(reduced, reduce(part, end));
		json_object_set_new(copy, "parts", reduced);
	}
	return copy;
}

int record_write(FILE *out, const struct result *res, uint64_t elapsed_ns, bool end)
{
	const json_t *tree = result_tree(res);
	json_t *line;
	int err = 0;

	if (!tree)
		return -ENOMEM;
	line = json_pack("{s:s, s:I, s:o}", "type", end ? "end" : "state", "elapsed_ns",
			 (json_int_t)elapsed_ns, "result", reduce(tree, end));
	if (!line)
		return -ENOMEM;
	errno = 0;
	if (json_dumpf(line, out, JSON_REAL_PRECISION(17) | JSON_PRESERVE_ORDER | JSON_COMPACT) ||
	    fputc('\n', out) == EOF || fflush(out))
		err = errno ? -errno : -EIO;
	json_decref(line);
	return err;
}

struct record {
	FILE *in;
	char *path, *line;
	size_t size;
	unsigned long number;
	json_t *at;
	bool cut;
};

int record_open(struct record **ret_record, const char *path, struct err *e)
{
	struct record *record = calloc(1, sizeof(*record));

	if (!record)
		return err_set(e, -ENOMEM, "cannot read '%s'", path);
	record->path = strdup(path);
	record->in = fopen(path, "re");
	if (!record->path || !record->in) {
		err_set(e, errno ? -errno : -ENOMEM, "cannot read '%s'", path);
		record_close(record);
		return e->no;
	}
	*ret_record = record;
	return 0;
}

void record_close(struct record *record)
{
	if (!record)
		return;
	json_decref(record->at);
	if (record->in)
		fclose(record->in);
	free(record->line);
	free(record->path);
	free(record);
}

bool record_was_cut(const struct record *record)
{
	return record->cut;
}

/* Not getline(): an endless line, as of /dev/zero, must not take all memory. 0: the file's end. */
static ssize_t next_line(struct record *record)
{
	size_t len = 0, size;
	char *grown;
	int c = 0;

	while (c != '\n' && len < MAX_LINE_BYTES && (c = getc_unlocked(record->in)) != EOF) {
		if (len == record->size) {
			size = len ? 2 * len : 4096;
			grown = realloc(record->line, size);
			if (!grown)
				return -ENOMEM;
			record->line = grown;
			record->size = size;
		}
		record->line[len++] = (char)c;
	}
	return (ssize_t)len;
}

int record_next(struct record *record, uint64_t *ret_elapsed_ns, struct err *e)
{
	const json_t *elapsed;
	json_t *line;
	ssize_t len;

	errno = 0;
	len = next_line(record);
	if (len < 0 || ferror(record->in))
		return err_set(e, len < 0 ? (int)len : errno ? -errno : -EIO, "cannot read '%s'", record->path);
	if (!len)
		return 0;
	record->number++;
	if (record->line[len - 1] != '\n' && len < MAX_LINE_BYTES) {
		record->cut = true;
		return 0;
	}
	line = (size_t)len < MAX_LINE_BYTES ? json_loadb(record->line, (size_t)len, 0, NULL) : NULL;
	elapsed = json_object_get(line, "elapsed_ns");
	if (!json_is_integer(elapsed) || json_integer_value(elapsed) < 0 ||
	    !json_is_object(json_object_get(line, "result"))) {
		json_decref(line);
		return err_usage(e, "'%s' is not a recording of watch: line %lu", record->path,
				 record->number);
	}
	json_decref(record->at);
	record->at = line;
	part_adopt(json_object_get(line, "result"));
	*ret_elapsed_ns = (uint64_t)json_integer_value(elapsed);
	return 1;
}

/* The file is untrusted: only what the result's setters accept passes. */
static void load_figures(const json_t *figures, struct result *res,
			 void (*set_u64)(struct result *, const char *, uint64_t),
			 void (*set_real)(struct result *, const char *, double))
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)figures, key, value) {
		if (!metric_find(key))
			continue;
		if (json_is_integer(value))
			set_u64(res, key, (uint64_t)json_integer_value(value));
		else if (json_is_real(value) || json_is_null(value))
			set_real(res, key, json_is_real(value) ? json_real_value(value) : (double)NAN);
	}
}

static void load_row(const json_t *row, uint64_t elapsed_ns, struct result *res)
{
	if (!json_is_object(row))
		return;
	result_row_open(res, elapsed_ns);
	load_figures(row, res, result_row_u64, result_row_real);
	result_row_close(res);
}

static void load_environment(const json_t *environment, struct result *res)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)environment, key, value) {
		if (json_is_string(value))
			result_env_str(res, key, json_string_value(value));
		else if (json_is_integer(value))
			result_env_u64(res, key, (uint64_t)json_integer_value(value));
	}
}

static void load_entries(const json_t *entries, struct result *res)
{
	struct column column;
	const char *key;
	json_t *entry, *value;
	size_t i;

	result_forget_entries(res);
	json_array_foreach(entries, i, entry) {
		if (!json_object_size(entry))
			continue;
		result_entry_open(res);
		json_object_foreach(entry, key, value) {
			if (!column_find(key, &column))
				continue;
			if (json_is_string(value))
				result_entry_str(res, key, json_string_value(value));
			else if (json_is_integer(value))
				result_entry_u64(res, key, (uint64_t)json_integer_value(value));
			else
				result_entry_real(res, key, json_is_real(value) ?
						  json_real_value(value) : (double)NAN);
		}
		result_entry_close(res);
	}
}

static void load_histograms(const json_t *histograms, struct result *res)
{
	json_t *hist, *bucket;
	const char *key;
	size_t i;

	json_object_foreach((json_t *)histograms, key, hist) {
		result_hist_open(res, key,
				 (uint64_t)json_integer_value(json_object_get(hist, "negative")),
				 (uint64_t)json_integer_value(json_object_get(hist, "above")));
		json_array_foreach(json_object_get(hist, "buckets"), i, bucket)
			result_hist_bucket(res, key,
					   (uint64_t)json_integer_value(json_array_get(bucket, 0)),
					   (uint64_t)json_integer_value(json_array_get(bucket, 1)));
	}
}

static void load(const json_t *doc, uint64_t elapsed_ns, bool end, struct result *res)
{
	const json_t *note;
	size_t i;

	load_environment(json_object_get(doc, "environment"), res);
	load_figures(json_object_get(doc, "metrics"), res, result_metric_u64, result_metric_real);
	load_figures(json_object_get(doc, "self"), res, result_self_u64, result_self_real);
	load_entries(json_object_get(doc, "entries"), res);
	load_histograms(json_object_get(doc, "histograms"), res);
	/* Later lines repeat a state's notes. */
	json_array_foreach(end ? json_object_get(doc, "notes") : NULL, i, note) {
		if (json_is_string(note))
			result_note(res, "%s", json_string_value(note));
	}
	load_row(json_array_get(json_object_get(doc, "series"), 0), elapsed_ns, res);
}

static void load_part(const json_t *part, const char *name, uint64_t elapsed_ns, bool end,
		      struct result *res)
{
	struct result *own = result_part(res, part_kind(part), name);
	const char *key;
	json_t *label;

	json_object_foreach(json_object_get(part, "labels"), key, label)
		result_label(own, key, json_string_value(label) ?: "");
	load(part, elapsed_ns, end, own);
}

void record_load(const struct record *record, struct result *res)
{
	const json_t *doc = json_object_get(record->at, "result"), *part;
	uint64_t elapsed_ns =
		(uint64_t)json_integer_value(json_object_get(record->at, "elapsed_ns"));
	const json_t *type = json_object_get(record->at, "type");
	bool end = json_is_string(type) && !strcmp(json_string_value(type), "end");
	const char *name;
	size_t i;

	load(doc, elapsed_ns, end, res);
	json_array_foreach(json_object_get(doc, "parts"), i, part) {
		name = json_string_value(json_object_get(part, "name"));
		if (name)
			load_part(part, name, elapsed_ns, end, res);
	}
}
