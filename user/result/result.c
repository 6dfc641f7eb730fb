// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * result/result.c - the result of a command, kept as its JSON tree.
 */
#include "result/result.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/columns.h"
#include "result/metrics.h"
#include "result/older.h"
#include "result/part.h"
#include "result/tree.h"

/* Of a series, in memory: the newest, and those that leave it at once. */
#define MEMORY_ROWS	512
#define LEAVE_ROWS	256

struct result {
	json_t *doc;
	json_t *row;			/* the open one, or NULL */
	json_t *entry;			/* likewise */
	struct result_watcher watcher;
	size_t keep_rows;		/* 0: all */
	struct older older;
	struct older_file *older_file;	/* of the root, as all to the next line */
	char *text;			/* rows on their way there */
	size_t text_bytes;
	bool wants_older;
	struct result *root;		/* keeps out_of_memory for all parts */
	struct result *parts;		/* children, a list through next */
	struct result *next;
	bool out_of_memory;
};

static void check(struct result *res, int err)
{
	if (err)
		res->root->out_of_memory = true;
}

/*
 * Names of devices and files may hold any bytes, and a text may be cut within a
 * character. jansson takes valid UTF-8 only: better a '?' than no document.
 */
static json_t *string(const char *text)
{
	json_t *value = json_string(text);
	char *copy, *p;

	if (value)
		return value;
	copy = strdup(text);
	if (!copy)
		return NULL;
	for (p = copy; *p; p++) {
		if (*p & 0x80)
			*p = '?';
	}
	value = json_string(copy);
	free(copy);
	return value;
}

static json_t *string_or_null(const char *text)
{
	return text ? string(text) : json_null();
}

/* 0 packets in 0 s have no rate: null, as JSON has no NaN. */
static json_t *real(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static struct result *result_alloc(struct result *root)
{
	struct result *res = calloc(1, sizeof(*res));

	if (!res)
		abort();	/* no result without memory */
	res->doc = json_object();
	res->root = root ? root : res;
	return res;
}

struct result *result_new(const char *command)
{
	struct result *res = result_alloc(NULL);

	check(res, json_object_set_new(res->doc, "format", json_integer(RESULT_FORMAT)));
	check(res, json_object_set_new(res->doc, "tool", json_string("ethgauge " TOOL_VERSION)));
	check(res, json_object_set_new(res->doc, "command", json_string(command)));
	return res;
}

void result_free(struct result *res)
{
	struct result *part, *next;

	if (!res)
		return;
	for (part = res->parts; part; part = next) {
		next = part->next;
		result_free(part);
	}
	json_decref(res->row);
	json_decref(res->entry);
	json_decref(res->doc);
	older_close(res->older_file);
	free(res->text);
	free(res);
}

void result_watch(struct result *res, const struct result_watcher *watcher)
{
	res->watcher = *watcher;
}

/* The member @key of @res, created if missing. */
static json_t *section(struct result *res, const char *key, json_t *(*make)(void))
{
	json_t *found = json_object_get(res->doc, key);

	if (found)
		return found;
	found = make();
	check(res, json_object_set_new(res->doc, key, found));
	return found;
}

struct result *result_part(struct result *res, enum part_kind kind, const char *name)
{
	json_t *list = section(res, "parts", json_array);
	struct result *part, **tail = &res->parts;

	for (part = res->parts; part; part = part->next) {
		if (!strcmp(name, json_string_value(json_object_get(part->doc, "name"))))
			return part;
		tail = &part->next;
	}
	part = result_alloc(res->root);
	part->watcher = res->watcher;
	*tail = part;
	check(res, json_object_set_new(part->doc, "name", string(name)));
	check(res, json_object_set_new(part->doc, "kind", json_string(part_kind_names[kind])));
	check(res, json_array_append(list, part->doc));
	return part;
}

static void set(struct result *res, const char *where, const char *key, json_t *value)
{
	check(res, json_object_set_new(section(res, where, json_object), key, value));
}

void result_label(struct result *part, const char *key, const char *value)
{
	set(part, "labels", key, string(value));
}

void result_config_str(struct result *res, const char *key, const char *value)
{
	set(res, "config", key, string(value));
}

void result_config_u64(struct result *res, const char *key, uint64_t value)
{
	set(res, "config", key, json_integer((json_int_t)value));
}

void result_config_none(struct result *res, const char *key)
{
	set(res, "config", key, json_null());
}

void result_command_line(struct result *res, const char *text)
{
	check(res, json_object_set_new(res->doc, "command_line", string(text)));
}

void result_supplied(struct result *res, const char *key, const char *value)
{
	set(res, "supplied", key, string(value));
}

void result_env_str(struct result *res, const char *key, const char *value)
{
	set(res, "environment", key, string(value));
}

void result_env_u64(struct result *res, const char *key, uint64_t value)
{
	set(res, "environment", key, json_integer((json_int_t)value));
}

static void set_figure(struct result *res, const char *where, const char *key, json_t *value)
{
	/* A key that the dictionary does not know has no unit and no definition. */
	assert(metric_find(key));
	set(res, where, key, value);
}

void result_metric_u64(struct result *res, const char *key, uint64_t value)
{
	set_figure(res, "metrics", key, json_integer((json_int_t)value));
}

void result_metric_real(struct result *res, const char *key, double value)
{
	set_figure(res, "metrics", key, real(value));
}

void result_self_u64(struct result *res, const char *key, uint64_t value)
{
	set_figure(res, "self", key, json_integer((json_int_t)value));
}

void result_self_bool(struct result *res, const char *key, bool value)
{
	set_figure(res, "self", key, json_boolean(value));
}

void result_self_real(struct result *res, const char *key, double value)
{
	set_figure(res, "self", key, real(value));
}

void result_self_str(struct result *res, const char *key, const char *value)
{
	set_figure(res, "self", key, string(value));
}

void result_row_open(struct result *res, uint64_t elapsed_ns)
{
	assert(!res->row);
	res->row = json_object();
	result_row_u64(res, "elapsed_ns", elapsed_ns);
}

void result_row_s64(struct result *res, const char *key, int64_t value)
{
	assert(metric_find(key));
	check(res, json_object_set_new(res->row, key, json_integer(value)));
}

void result_row_u64(struct result *res, const char *key, uint64_t value)
{
	result_row_s64(res, key, (int64_t)value);
}

void result_row_real(struct result *res, const char *key, double value)
{
	assert(metric_find(key));
	check(res, json_object_set_new(res->row, key, real(value)));
}

/*
 * Appends a row and '\n' to the text of *@used bytes. The buffer stays: one of this size that comes and goes leaves
 * holes between the rows, so that the heap grows for ever.
 */
static int print_row(struct result *root, const json_t *row, size_t *used)
{
	size_t room, bytes;
	char *text;

	for (;;) {
		room = root->text_bytes - *used;
		bytes = json_dumpb(row, root->text + *used, room, JSON_FLAGS | JSON_COMPACT);
		if (!bytes)
			return -ENOMEM;
		if (bytes < room)
			break;
		text = realloc(root->text, 2 * root->text_bytes + bytes + 1);
		if (!text)
			return -ENOMEM;
		root->text = text;
		root->text_bytes = 2 * root->text_bytes + bytes + 1;
	}
	root->text[*used + bytes] = '\n';
	*used += bytes + 1;
	return 0;
}

static int write_rows(struct result *res, const json_t *series, size_t rows)
{
	struct result *root = res->root;
	size_t bytes = 0, in_memory = json_array_size(series) - rows, i;
	int err = 0;

	for (i = 0; i < rows && !err; i++)
		err = print_row(root, json_array_get(series, i), &bytes);
	if (!err)
		err = older_add(root->older_file, &res->older, root->text, bytes, rows);
	if (!err && res->keep_rows)
		err = older_trim(root->older_file, &res->older,
				 res->keep_rows > in_memory ? res->keep_rows - in_memory : 0);
	return err;
}

/* The oldest rows leave memory. */
static void move_rows(struct result *res, json_t *series, size_t rows)
{
	struct result *root = res->root;
	int err = !root->wants_older ? 0 : root->older_file ? write_rows(res, series, rows) : -ENOENT;

	/* Said once: further ones are dropped, too. */
	if (err) {
		result_note(root, "rows of this run's series are missing here, as there was no room for them in a "
			    "temporary file: %s", strerrordesc_np(-err));
		root->wants_older = false;
	}
	while (rows--)
		json_array_remove(series, 0);
}

void result_row_close_quietly(struct result *res)
{
	json_t *series = section(res, "series", json_array);

	check(res, json_array_append_new(series, res->row));
	res->row = NULL;
	if (json_array_size(series) > MEMORY_ROWS)
		move_rows(res, series, LEAVE_ROWS);
}

void result_keep_older(struct result *res, const char *beside)
{
	res->wants_older = true;
	res->older_file = older_open(beside);
}

int result_older_rows(const struct result *res, int (*fn)(const char *row, size_t bytes, void *ctx), void *ctx)
{
	uint64_t all = res->older.rows + json_array_size(json_object_get(res->doc, "series"));
	uint64_t skip = res->keep_rows && all > res->keep_rows ? all - res->keep_rows : 0;

	return res->older.rows ? older_each(res->root->older_file, &res->older, skip, fn, ctx) : 0;
}

const struct result *result_part_at(const struct result *res, size_t i)
{
	const struct result *part;

	for (part = res->parts; part && i; part = part->next)
		i--;
	return part;
}

void result_row_close(struct result *res)
{
	result_row_close_quietly(res);
	if (res->watcher.on_row)
		res->watcher.on_row(res->watcher.ctx, res);
}

void result_stream_open(struct result *res, uint32_t stream)
{
	assert(!res->row);
	res->row = json_object();
	result_row_u64(res, "stream", stream);
}

void result_stream_close(struct result *res)
{
	check(res, json_array_append_new(section(res, "streams", json_array), res->row));
	res->row = NULL;
}

void result_keep_rows(struct result *res, size_t rows)
{
	res->keep_rows = rows;
}

static json_t *hist_section(struct result *res, const char *key)
{
	return json_object_get(section(res, "histograms", json_object), key);
}

/* The unit is in the key's name, as everywhere. */
static const char *hist_unit(const char *key)
{
	const char *last = strrchr(key, '_');

	return last ? last + 1 : key;
}

void result_hist_open(struct result *res, const char *key, uint64_t negative, uint64_t above)
{
	check(res, json_object_set_new(section(res, "histograms", json_object), key,
				       json_pack("{s:s, s:I, s:I, s:[]}", "unit", hist_unit(key),
						 "negative", (json_int_t)negative,
						 "above", (json_int_t)above, "buckets")));
}

void result_hist_bucket(struct result *res, const char *key, uint64_t low_ns, uint64_t count)
{
	json_t *buckets = json_object_get(hist_section(res, key), "buckets");

	check(res, json_array_append_new(buckets, json_pack("[I, I]", (json_int_t)low_ns,
							    (json_int_t)count)));
}

void result_feature(struct result *res, const char *group, const char *name, const char *state,
		    const char *detail, const char *without, const char *remedy, bool is_command)
{
	json_t *feature = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "group", string_or_null(group),
				    "name", string(name), "state", string_or_null(state),
				    "detail", string_or_null(detail),
				    "without", string_or_null(without),
				    "remedy", string_or_null(remedy),
				    "command", string_or_null(is_command ? remedy : NULL));

	check(res, json_array_append_new(section(res, "features", json_array), feature));
}

void result_entry_open(struct result *res)
{
	assert(!res->entry);
	res->entry = json_object();
}

static void set_column(struct result *res, const char *key, json_t *value)
{
	struct column column;

	/* As for a figure. */
	assert(column_find(key, &column));
	check(res, json_object_set_new(res->entry, key, value));
}

void result_entry_str(struct result *res, const char *key, const char *value)
{
	set_column(res, key, string(value));
}

void result_entry_u64(struct result *res, const char *key, uint64_t value)
{
	set_column(res, key, json_integer((json_int_t)value));
}

void result_entry_real(struct result *res, const char *key, double value)
{
	set_column(res, key, real(value));
}

void result_entry_option(struct result *res, const char *name, const char *value)
{
	check(res, json_object_set_new(res->entry, name, string(value)));
}

void result_entry_close(struct result *res)
{
	check(res, json_array_append_new(section(res, "entries", json_array), res->entry));
	res->entry = NULL;
}

void result_entry_close_self(struct result *res, const char *name)
{
	json_t *self = section(res, "self", json_object), *list = json_object_get(self, name);

	if (!list) {
		list = json_array();
		check(res, json_object_set_new(self, name, list));
	}
	check(res, json_array_append_new(list, res->entry));
	res->entry = NULL;
}

void result_forget_entries(struct result *res)
{
	json_object_del(res->doc, "entries");
}

static json_t *vformat(const char *fmt, va_list args)
{
	char text[1024];

	vsnprintf(text, sizeof(text), fmt, args);
	return string(text);
}

void result_verdict(struct result *res, bool pass, const char *fmt, ...)
{
	json_t *verdict;
	va_list args;

	va_start(args, fmt);
	verdict = json_pack("{s:b, s:o}", "pass", pass, "what", vformat(fmt, args));
	va_end(args);
	check(res, json_array_append_new(section(res, "verdicts", json_array), verdict));
}

void result_came(struct result *res, uint64_t sent, uint64_t came, const char *what)
{
	if (sent && !came)
		result_verdict(res, false, "none of %llu %s", (unsigned long long)sent, what);
}

void result_none(struct result *res, uint64_t bad, uint64_t of, const char *what, const char *if_0)
{
	if (of)
		result_verdict(res, !bad, "%llu of %llu %s", (unsigned long long)bad, (unsigned long long)of, what);
	else
		result_verdict(res, false, "%s", if_0);
}

void result_note(struct result *res, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	check(res, json_array_append_new(section(res, "notes", json_array), vformat(fmt, args)));
	va_end(args);
}

void result_line(struct result *res, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	check(res, json_array_append_new(section(res, "lines", json_array), vformat(fmt, args)));
	va_end(args);
}

void result_error(struct result *res, const struct err *e)
{
	json_t *error = json_pack("{s:i, s:o}", "no", -e->no, "what", string(e->msg));

	if (e->hint[0])
		check(res, json_object_set_new(error, "hint", string(e->hint)));
	check(res, json_array_append_new(section(res, "errors", json_array), error));
}

bool result_passed(const struct result *res)
{
	const struct result *part;
	json_t *verdict;
	size_t i;

	json_array_foreach(json_object_get(res->doc, "verdicts"), i, verdict) {
		if (!json_is_true(json_object_get(verdict, "pass")))
			return false;
	}
	for (part = res->parts; part; part = part->next) {
		if (!result_passed(part))
			return false;
	}
	return true;
}

json_t *result_tree(const struct result *res)
{
	return res->root->out_of_memory ? NULL : res->doc;
}
