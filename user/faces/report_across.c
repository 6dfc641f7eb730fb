// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faces/report_across.c - several documents side by side.
 *
 * Two FILEs of like runs are the two sides of a comparison, judged as `compare` does. Others are
 * columns of one table, without a judgement.
 */
#include <stdlib.h>
#include <string.h>

#include "compare/compare_set.h"
#include "faces/figures.h"
#include "faces/page.h"
#include "faces/report_parts.h"
#include "result/result.h"
#include "result/tree.h"
#include "result/value.h"

#define MAX_COLUMNS	6
#define THRESHOLD	0.05	/* as compare's */

/* Which everyone asks for; the others are folded. */
static bool is_main(const struct metric *metric)
{
	return metric->better != METRIC_NEITHER &&
	       (metric->brief || metric->stat == DIST_P50 || metric->stat == DIST_P99);
}

const char *report_file_name(const struct report *report, size_t doc)
{
	const char *file = report->docs.list[doc].file, *slash = strrchr(file, '/');

	return slash ? slash + 1 : file;
}

static void put_name(FILE *out, const struct metric *metric, const char *place)
{
	char name[96];

	fputs("<th title=\"", out);
	page_text(out, metric->what);
	fputs("\">", out);
	page_text(out, place);
	fputs(*place ? ": " : "", out);
	page_text(out, figures_name(name, sizeof(name), metric->key));
	fputs("</th>", out);
}

static void open_table(FILE *out)
{
	fputs("<div class=\"wide\"><table class=\"sort\">\n<thead><tr><th>figure</th>", out);
}

static void put_judged_head(FILE *out, const char *const names[2])
{
	open_table(out);
	page_element(out, "th", "n", names[0]);
	page_element(out, "th", "n", names[1]);
	fputs("<th class=\"n\">change</th><th>verdict</th></tr></thead>\n<tbody>\n", out);
}

static void put_judged(FILE *out, const json_t *row, const struct metric *metric)
{
	const char *verdict = value_str(row, "verdict"), *why = value_str(row, "why");
	char text[256];

	fprintf(out, "<tr class=\"%.*s\">", (int)strcspn(verdict, " "), verdict);
	put_name(out, metric, compare_show_place(text, sizeof(text), row));
	page_element(out, "td", "n", compare_show_figure(text, sizeof(text), row, "base_median"));
	page_element(out, "td", "n", compare_show_figure(text, sizeof(text), row, "new_median"));
	page_element(out, "td", "n", compare_show_change(text, sizeof(text), row, ""));
	fputs("<td title=\"", out);
	page_text(out, why);
	fputs("\">", out);
	page_text(out, verdict);
	fputs("</td></tr>\n", out);
}

/* Main figures, or all others. */
static void put_judgements(FILE *out, const json_t *rows, const char *const names[2], bool main)
{
	const struct metric *metric;
	json_t *row;
	size_t nr = 0, i;

	json_array_foreach(rows, i, row) {
		metric = metric_find(value_str(row, "metric"));
		if (!metric || is_main(metric) != main)
			continue;
		if (!nr++) {
			fputs(main ? "" : "<details><summary>All other figures</summary>\n", out);
			put_judged_head(out, names);
		}
		put_judged(out, row, metric);
	}
	if (nr)
		fputs(main ? "</tbody></table></div>\n" : "</tbody></table></div>\n</details>\n", out);
}

static void put_notes(FILE *out, const json_t *tree)
{
	json_t *note;
	size_t i;

	json_array_foreach(json_object_get(tree, "notes"), i, note)
		page_element(out, "p", "quiet", json_string_value(note));
}

/* The documents @from to before @to as a side; they stay the report's. */
static void take_side(struct compare *cmp, enum compare_side side, const struct report *report, size_t from,
		      size_t to)
{
	struct compare_docs *docs = &cmp->sides[side];
	size_t i;

	docs->list = calloc(to - from, sizeof(*docs->list));
	if (!docs->list)
		abort();
	for (i = from; i < to; i++) {
		struct compare_doc *doc = &docs->list[docs->nr++];

		doc->doc = json_incref(report->docs.list[i].doc);
		doc->file = strdup(report->docs.list[i].file);
		if (!doc->file)
			abort();
	}
}

static void side_name(char *buf, size_t size, const struct report *report, size_t from, size_t to)
{
	if (to - from == 1)
		snprintf(buf, size, "%.80s", report_file_name(report, from));
	else
		snprintf(buf, size, "%.80s and %zu more, median", report_file_name(report, from), to - from - 1);
}

/* False: they cannot be compared; @e has why. */
static bool put_comparison(FILE *out, const struct report *report, struct err *e)
{
	size_t split = report->second, nr = report->docs.nr;
	struct compare_cfg cfg = { .threshold_ratio = THRESHOLD };
	struct compare *cmp = compare_new(&cfg);
	struct result *res = result_new("compare");
	char base[120], new[120];
	const char *const names[2] = { base, new };
	const json_t *rows;
	int err;

	take_side(cmp, COMPARE_BASE, report, 0, split);
	take_side(cmp, COMPARE_NEW, report, split, nr);
	side_name(base, sizeof(base), report, 0, split);
	side_name(new, sizeof(new), report, split, nr);
	err = compare_run(cmp, res, e);
	if (!err) {
		rows = json_object_get(json_object_get(result_tree(res), "comparison"), "rows");
		put_judgements(out, rows, names, true);
		put_judgements(out, rows, names, false);
		put_notes(out, result_tree(res));
	}
	result_free(res);
	compare_free(cmp);
	return !err;
}

static const json_t *figure(const struct report *report, size_t doc, const char *key)
{
	return json_object_get(json_object_get(report->docs.list[doc].doc, "metrics"), key);
}

/* How many of the first @nr documents have it. */
static size_t how_many(const struct report *report, size_t nr, const char *key)
{
	size_t have = 0, i;

	for (i = 0; i < nr; i++)
		have += json_is_number(figure(report, i, key));
	return have;
}

static void put_columns_head(FILE *out, const struct report *report, size_t nr)
{
	size_t i;

	open_table(out);
	for (i = 0; i < nr; i++)
		page_element(out, "th", "n", report_file_name(report, i));
	fputs("</tr></thead>\n<tbody>\n", out);
}

static void put_column_row(FILE *out, const struct report *report, size_t nr, const struct metric *metric)
{
	char text[64];
	size_t i;

	fputs("<tr>", out);
	put_name(out, metric, "");
	for (i = 0; i < nr; i++) {
		const json_t *value = figure(report, i, metric->key);

		fprintf(out, "<td class=\"n\" data-v=\"%.17g\">", json_number_value(value));
		page_text(out, json_is_number(value) ? value_show(text, sizeof(text), metric, value) : "-");
		fputs("</td>", out);
	}
	fputs("</tr>\n", out);
}

/* Main figures that at least two of the documents have. */
static void put_columns(FILE *out, const struct report *report)
{
	size_t nr = report->docs.nr < MAX_COLUMNS ? report->docs.nr : MAX_COLUMNS, k;
	const struct metric *metric;
	bool open = false;

	for (k = 0; (metric = metric_at(k)); k++) {
		if (!is_main(metric) || how_many(report, nr, metric->key) < 2)
			continue;
		if (!open)
			put_columns_head(out, report, nr);
		open = true;
		put_column_row(out, report, nr, metric);
	}
	fputs(open ? "</tbody></table></div>\n" :
		     "<p class=\"quiet\">The documents have no main figure in common.</p>\n",
	      out);
	if (open && report->docs.nr > nr)
		fprintf(out, "<p class=\"quiet\">The first %zu of %zu documents.</p>\n", nr, report->docs.nr);
}

/* Two loads of the same verb. */
static bool has_sides(const struct report *report)
{
	return report->second && !strcmp(value_str(report->docs.list[0].doc, "command"),
					 value_str(report->docs.list[report->second].doc, "command"));
}

void report_across_html(FILE *out, const struct report *report)
{
	struct err e = { 0 };

	fputs("<section><h2 id=\"across\">Side by side</h2>\n", out);
	if (!has_sides(report) || !put_comparison(out, report, &e))
		put_columns(out, report);
	if (e.no) {
		fputs("<p class=\"quiet\">Not judged: ", out);
		page_text(out, e.msg);
		fputs("</p>\n", out);
	}
	fputs("</section>\n", out);
}
