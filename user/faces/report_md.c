// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faces/report_md.c - a report in Markdown, for issues, mails and wikis.
 */
#include <string.h>

#include "faces/figures.h"
#include "faces/headline.h"
#include "faces/report_parts.h"
#include "lib/utf8.h"
#include "result/metrics.h"
#include "result/value.h"

/* Markdown is escaped, and HTML, which it passes through. In code, neither is read. */
static void put_text(FILE *out, const char *text, bool code)
{
	const char *end = text + strlen(text);
	size_t bytes;

	for (; text < end; text += bytes) {
		if (!utf8_is_plain(text, (size_t)(end - text), &bytes))
			fputc('?', out);
		else if (bytes > 1 || code)
			fwrite(text, 1, bytes, out);
		else if (*text == '<')
			fputs("&lt;", out);
		else if (*text == '&')
			fputs("&amp;", out);
		else
			fprintf(out, strchr("\\`*_{}[]()#+!|>~$", *text) ? "\\%c" : "%c", *text);
	}
}

static void put_word(FILE *out, const char *text)
{
	put_text(out, text, false);
}

static void put_pairs(FILE *out, const char *title, const json_t *object)
{
	const char *key, *comma = "";
	char buf[2048];
	json_t *value;

	if (!json_object_size(object))
		return;
	fprintf(out, "\n%s: ", title);
	json_object_foreach((json_t *)object, key, value) {
		if (json_is_null(value) || (json_is_string(value) && !*json_string_value(value)))
			continue;
		fputs(comma, out);
		put_word(out, key);
		fputc(' ', out);
		put_word(out, value_any(buf, sizeof(buf), value));
		comma = ", ";
	}
	fputc('\n', out);
}

/* What was asked for, to be copied. Older documents have its options only. */
static void put_command(FILE *out, const json_t *doc)
{
	const char *line = value_str(doc, "command_line");

	if (!*line) {
		put_pairs(out, "Asked for", json_object_get(doc, "supplied"));
		return;
	}
	fputs("\n    ", out);
	put_text(out, line, true);
	fputc('\n', out);
}

static void put_items(FILE *out, const json_t *tree)
{
	json_t *item;
	size_t i;

	json_array_foreach(json_object_get(tree, "errors"), i, item) {
		fputs("- **ERROR** ", out);
		put_word(out, value_str(item, "what"));
		fputc('\n', out);
	}
	json_array_foreach(json_object_get(tree, "verdicts"), i, item) {
		fprintf(out, "- **%s** ", json_is_true(json_object_get(item, "pass")) ? "PASS" : "FAIL");
		put_word(out, value_str(item, "what"));
		fputc('\n', out);
	}
	if (report_irregular(tree))
		fputs("- **irregular** the sender missed the requested rate or stalled\n", out);
	json_array_foreach(json_object_get(tree, "notes"), i, item) {
		fputs("- note: ", out);
		put_word(out, json_string_value(item) ? json_string_value(item) : "");
		fputc('\n', out);
	}
}

static void put_table(FILE *out, const struct report *report, const json_t *rows)
{
	struct columns columns;
	char buf[2048];
	json_t *row;
	size_t i, k;

	columns_of(&columns, rows);
	if (!columns.nr)
		return;
	fputs("\n|", out);
	for (k = 0; k < columns.nr; k++) {
		fputc(' ', out);
		put_word(out, columns.keys[k]);
		fputs(" |", out);
	}
	fputs("\n|", out);
	for (k = 0; k < columns.nr; k++)
		fputs(json_is_number(json_object_get(json_array_get(rows, 0), columns.keys[k])) ? " ---: |" :
		      " --- |", out);
	fputc('\n', out);
	json_array_foreach(rows, i, row) {
		if (i == REPORT_MAX_ROWS)
			break;
		fputc('|', out);
		for (k = 0; k < columns.nr; k++) {
			fputc(' ', out);
			put_word(out, value_cell(buf, sizeof(buf), columns.keys[k],
						 json_object_get(row, columns.keys[k])));
			fputs(" |", out);
		}
		fputc('\n', out);
	}
	if (json_array_size(rows) > REPORT_MAX_ROWS)
		fprintf(out, "\nThe first %d of %zu rows.\n", REPORT_MAX_ROWS,
			report_list_rows(&report->lists, rows));
}

static void put_figures(FILE *out, const json_t *figures)
{
	const struct metric *metric;
	bool open = false;
	char buf[64];
	size_t i;

	for (i = 0; (metric = metric_at(i)); i++) {
		json_t *value = json_object_get(figures, metric->key);

		if (!value || json_is_null(value) || json_is_array(value))
			continue;
		fputs(open ? "" : "\n| figure | value | key |\n| --- | ---: | --- |\n", out);
		open = true;
		fputs("| ", out);
		put_word(out, metric->label + strspn(metric->label, " "));
		fputs(" | ", out);
		put_word(out, value_show(buf, sizeof(buf), metric, value));
		fputs(" | ", out);
		put_word(out, metric->key);
		fputs(" |\n", out);
	}
}

static void put_tree(FILE *out, const struct report *report, const json_t *tree, int level)
{
	json_t *part;
	size_t i;

	put_items(out, tree);
	put_table(out, report, json_object_get(tree, "entries"));
	put_table(out, report, json_object_get(tree, "streams"));
	put_table(out, report, json_object_get(tree, "features"));
	put_figures(out, json_object_get(tree, "metrics"));
	json_array_foreach(json_object_get(tree, "parts"), i, part) {
		fprintf(out, "\n%.*s ", level < 6 ? level : 6, "######");
		put_word(out, value_str(part, "name"));
		fputs("\n\n", out);
		put_tree(out, report, part, level + 1);
	}
	put_pairs(out, "Measured at", json_object_get(tree, "environment"));
	if (json_object_size(json_object_get(tree, "self"))) {
		fputs("\nMeasurement overhead:\n", out);
		put_figures(out, json_object_get(tree, "self"));
	}
}

static int put_all(FILE *out, const void *ctx, struct err *e)
{
	const struct report *report = ctx;
	char title[400], text[1024];
	size_t i;

	(void)e;
	fputs("# ethgauge report\n", out);
	for (i = 0; i < report->docs.nr; i++) {
		fputs("\n## ", out);
		put_word(out, report_title(title, sizeof(title), report->docs.list[i].doc));
		fputs("\n\n", out);
		if (*headline(text, sizeof(text), report->docs.list[i].doc)) {
			fputs("**", out);
			put_word(out, text);
			fputs("**\n", out);
		}
		put_command(out, report->docs.list[i].doc);
		fputc('\n', out);
		put_tree(out, report, report->docs.list[i].doc, 3);
	}
	return 0;
}

int report_md(const struct report *report, const char *path, struct err *e)
{
	return report_write(path, put_all, report, e);
}
