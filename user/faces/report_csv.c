// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faces/report_csv.c - every value of the documents, one line each, so that any
 * spreadsheet can filter and pivot them.
 */
#include <stdbool.h>
#include <string.h>

#include "faces/report_parts.h"
#include "lib/array.h"
#include "lib/utf8.h"
#include "result/value.h"

struct sheet {
	const struct report_lists *lists;
	struct err *e;
	int err;
};

struct place {
	struct sheet *sheet;
	const char *file;
	size_t document;
	char part[400];
};

/* A spreadsheet treats a text with such a first character as a formula, also of full width (U+FF1D ...). */
static bool is_formula(const char *text)
{
	static const char *const first[] = {
		"=", "+", "-", "@", " ", "\t", "\r", "\n",
		"\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d", "\xef\xbc\xa0"
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(first); i++) {
		if (!strncmp(text, first[i], strlen(first[i])))
			return true;
	}
	return false;
}

static void put_word(FILE *out, const char *text)
{
	bool is_quoted = is_formula(text) || strpbrk(text, ",\"\r\n");
	const char *end = text + strlen(text);
	size_t bytes;

	if (is_quoted)
		fputs(is_formula(text) ? "\"'" : "\"", out);
	for (; text < end; text += bytes) {
		if (!utf8_is_plain(text, (size_t)(end - text), &bytes))
			fputc('?', out);
		else if (*text == '"')
			fputs("\"\"", out);
		else
			fwrite(text, 1, bytes, out);
	}
	if (is_quoted)
		fputc('"', out);
}

static void put_line(FILE *out, const struct place *place, const char *section, size_t row, const char *key,
		     const json_t *value)
{
	put_word(out, place->file);
	fprintf(out, ",%zu,", place->document);
	put_word(out, place->part);
	fputc(',', out);
	put_word(out, section);
	fprintf(out, ",%zu,", row);
	put_word(out, key);
	fputc(',', out);
	if (json_is_integer(value))
		fprintf(out, "%lld", (long long)json_integer_value(value));
	else if (json_is_real(value))
		fprintf(out, "%.17g", json_real_value(value));
	else if (json_is_boolean(value))
		fputs(json_is_true(value) ? "true" : "false", out);
	else if (json_is_string(value))
		put_word(out, json_string_value(value));
	fputs("\r\n", out);
}

static void put_object(FILE *out, const struct place *place, const char *section, size_t row,
		       const json_t *object);

struct listing {
	FILE *out;
	const struct place *place;
	const char *section;
};

static void put_item(void *ctx, size_t index, const json_t *item)
{
	const struct listing *at = ctx;

	if (json_is_object(item))
		put_object(at->out, at->place, at->section, index + 1, item);
	else if (!json_is_array(item))
		put_line(at->out, at->place, at->section, index + 1, "", item);
}

static void put_list(FILE *out, const struct place *place, const char *section, const json_t *list)
{
	const struct report_list *longer = report_list_find(place->sheet->lists, list);
	struct listing listing = { out, place, section };
	struct sheet *sheet = place->sheet;
	json_t *item;
	size_t i;

	if (longer && !sheet->err)
		sheet->err = report_list_each(longer, put_item, &listing, sheet->e);
	if (longer)
		return;
	json_array_foreach(list, i, item)
		put_item(&listing, i, item);
}

static void put_object(FILE *out, const struct place *place, const char *section, size_t row,
		       const json_t *object)
{
	char inner[200];
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)object, key, value) {
		snprintf(inner, sizeof(inner), "%.90s.%.90s", section, key);
		if (json_is_array(value))
			put_list(out, place, inner, value);
		else if (json_is_object(value))
			put_object(out, place, inner, row, value);
		else
			put_line(out, place, section, row, key, value);
	}
}

static void put_histograms(FILE *out, const struct place *place, const json_t *histograms)
{
	char section[200];
	json_t *hist, *bucket;
	const char *key;
	size_t i;

	json_object_foreach((json_t *)histograms, key, hist) {
		snprintf(section, sizeof(section), "histograms.%.150s", key);
		json_array_foreach(json_object_get(hist, "buckets"), i, bucket) {
			put_line(out, place, section, i + 1, "low", json_array_get(bucket, 0));
			put_line(out, place, section, i + 1, "count", json_array_get(bucket, 1));
		}
	}
	put_object(out, place, "histograms", 0, histograms);
}

static void put_tree(FILE *out, const struct place *place, const json_t *tree)
{
	struct place inner = *place;
	const char *key;
	json_t *value, *part;
	size_t i;

	json_object_foreach((json_t *)tree, key, value) {
		/* A part's name is in each line; its kind and labels are for programs that read JSON. */
		if (!strcmp(key, "parts") || !strcmp(key, "name") || !strcmp(key, "kind") ||
		    !strcmp(key, "labels"))
			continue;
		if (!strcmp(key, "histograms"))
			put_histograms(out, place, value);
		else if (json_is_array(value) || !strcmp(key, "series"))
			put_list(out, place, key, value);
		else if (json_is_object(value))
			put_object(out, place, key, 0, value);
		else
			put_line(out, place, "", 0, key, value);
	}
	json_array_foreach(json_object_get(tree, "parts"), i, part) {
		snprintf(inner.part, sizeof(inner.part), "%.190s%s%.190s", place->part, *place->part ? "/" : "",
			 value_str(part, "name"));
		put_tree(out, &inner, part);
	}
}

static int put_all(FILE *out, const void *ctx, struct err *e)
{
	const struct report *report = ctx;
	struct sheet sheet = { .lists = &report->lists, .e = e };
	size_t i;

	fputs("file,document,part,section,row,key,value\r\n", out);
	for (i = 0; i < report->docs.nr; i++) {
		struct place place = { .sheet = &sheet, .file = report->docs.list[i].file, .document = i + 1 };

		put_tree(out, &place, report->docs.list[i].doc);
	}
	return sheet.err;
}

int report_csv(const struct report *report, const char *path, struct err *e)
{
	return report_write(path, put_all, report, e);
}
