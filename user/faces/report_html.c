// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faces/report_html.c - a report as one page (faces/page.h): results first, then
 * their conditions.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "faces/figures.h"
#include "faces/flow.h"
#include "faces/headline.h"
#include "faces/page.h"
#include "faces/report_parts.h"
#include "faces/report_tables.h"
#include "faces/text_parts.h"
#include "lib/array.h"
#include "result/metrics.h"
#include "result/part.h"
#include "result/value.h"

#define FOLDED_ROWS 30
#define DEEPEST 6	/* nested parts that get their own heading */

struct page {
	FILE *out;
	const struct report *report;
	bool *used;	/* metrics of the dictionary that the page shows */
	size_t doc;	/* number of the document, from 1 */
	size_t plot;	/* number of its last plot */
};

static void put_tagged(FILE *out, const char *class, const char *tag, const char *text)
{
	fprintf(out, "<li class=\"%s\"><span class=\"tag\">%s</span>", class, tag);
	page_text(out, text);
	fputs("</li>\n", out);
}

static void put_note(FILE *out, const char *text)
{
	static const char irregular[] = "irregular: ";

	if (text && !strncmp(text, irregular, sizeof(irregular) - 1))
		put_tagged(out, "warn", "irregular", text + sizeof(irregular) - 1);
	else
		put_tagged(out, "note", "note", text);
}

/* One stands open, of more there is a line. */
static void put_passed(FILE *out, const json_t *verdicts)
{
	json_t *verdict;
	size_t nr = 0, i;

	json_array_foreach(verdicts, i, verdict)
		nr += json_is_true(json_object_get(verdict, "pass"));
	if (!nr)
		return;
	if (nr > 1)
		fprintf(out, "<details><summary class=\"pass\">%zu of %zu verdicts passed</summary>\n", nr,
			json_array_size(verdicts));
	fputs("<ul class=\"verdicts\">\n", out);
	json_array_foreach(verdicts, i, verdict) {
		if (json_is_true(json_object_get(verdict, "pass")))
			put_tagged(out, "pass", "PASS", value_str(verdict, "what"));
	}
	fputs(nr > 1 ? "</ul></details>\n" : "</ul>\n", out);
}

/* Errors, what failed, and notes; then what passed. */
static void put_verdicts(FILE *out, const json_t *tree)
{
	json_t *errors = json_object_get(tree, "errors"), *verdicts = json_object_get(tree, "verdicts");
	json_t *notes = json_object_get(tree, "notes"), *item;
	bool irregular = report_irregular(tree);
	size_t i;

	fputs("<ul class=\"verdicts\">", out);
	json_array_foreach(errors, i, item)
		put_tagged(out, "fail", "ERROR", value_str(item, "what"));
	json_array_foreach(verdicts, i, item) {
		if (!json_is_true(json_object_get(item, "pass")))
			put_tagged(out, "fail", "FAIL", value_str(item, "what"));
	}
	if (irregular)
		put_tagged(out, "warn", "irregular", "the sender missed the requested rate or stalled: "
			   "loss, rate and delay may not be those of the path");
	json_array_foreach(notes, i, item)
		put_note(out, json_string_value(item));
	fputs("</ul>\n", out);
	put_passed(out, verdicts);
}

/* The main figures, as on a terminal: a person can copy them. */
static bool put_answer(FILE *out, const json_t *tree)
{
	char *text = NULL, *line, *rest;
	bool answered;
	size_t size;
	FILE *answer = open_memstream(&text, &size);

	if (!answer)
		abort();
	answered = text_answer(answer, tree);
	fclose(answer);
	if (answered) {
		fputs("<pre class=\"answer\">", out);
		for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
			page_text(out, line);
			fputc('\n', out);
		}
		fputs("</pre>\n", out);
	}
	free(text);
	return answered;
}

/* Keys and values: options, environment. Empty ones are left out. */
static void put_facts(FILE *out, const json_t *object)
{
	const char *key;
	json_t *value;
	char buf[2048];

	if (!json_object_size(object))
		return;
	fputs("<dl class=\"facts\">\n", out);
	json_object_foreach((json_t *)object, key, value) {
		if (json_is_null(value) || (json_is_string(value) && !*json_string_value(value)))
			continue;
		fputs("<div>", out);
		page_element(out, "dt", NULL, key);
		page_element(out, "dd", NULL, value_with_unit(buf, sizeof(buf), key, value));
		fputs("</div>\n", out);
	}
	fputs("</dl>\n", out);
}

static void open_figure(struct page *page, const char *title)
{
	FILE *out = page->out;
	char id[48];

	snprintf(id, sizeof(id), "d%zup%zu", page->doc, ++page->plot);
	fprintf(out, "<figure id=\"%s\"><h4>", id);
	page_text(out, title);
	fprintf(out, " <a class=\"link\" href=\"#%s\" title=\"link to this plot\">#</a></h4>", id);
}

static void put_plot(struct page *page, const struct plot *plot)
{
	FILE *out = page->out;

	open_figure(page, plot->title);
	plot_legend(out, plot);
	plot_svg(out, plot, NULL);
	if (*plot->note)
		page_element(out, "figcaption", NULL, plot->note);
	fputs("</figure>\n", out);
}

static void put_figures(struct page *page, const struct figures *figures)
{
	FILE *out = page->out;
	bool open = false;
	size_t i;

	for (i = 0; i < figures->nr; i++) {
		if (plot_empty(&figures->list[i]))
			continue;
		fputs(open ? "" : "<div class=\"plots\">\n", out);
		open = true;
		put_plot(page, &figures->list[i]);
	}
	fputs(open ? "</div>\n" : "", out);
	/* A plot of zeros is replaced by a sentence. */
	for (i = 0; i < figures->nr; i++) {
		if (plot_empty(&figures->list[i]) && *figures->list[i].note) {
			fputs("<p class=\"quiet\">", out);
			page_text(out, figures->list[i].title);
			fputs(": ", out);
			page_text(out, figures->list[i].note);
			fputs("</p>\n", out);
		}
	}
}

/* Of a ledger that lost packets. */
static void put_flow(struct page *page, const json_t *tree)
{
	if (part_kind(tree) != PART_LEDGER || !flow_has_losses(tree))
		return;
	open_figure(page, "Where the packets went");
	flow_svg(page->out, tree);
	fputs("</figure>\n", page->out);
}

static void put_heading(FILE *out, int level, const char *text)
{
	char name[16];

	snprintf(name, sizeof(name), "h%d", level > DEEPEST ? DEEPEST : level);
	page_element(out, name, NULL, text);
	fputc('\n', out);
}

/* A long one is folded. */
static void put_table(FILE *out, const json_t *rows, const struct table_look *look)
{
	size_t nr = look->nr ? look->nr : json_array_size(rows);

	if (nr > FOLDED_ROWS)
		fprintf(out, "<details><summary>%zu rows</summary>\n", nr);
	table_html(out, rows, look);
	if (nr > FOLDED_ROWS)
		fputs("</details>\n", out);
}

static void put_tables(struct page *page, const json_t *tree, int level)
{
	static const struct {
		const char *key, *title;
	} lists[] = {
		{ "entries", NULL }, { "streams", "Streams" }, { "features", "Features" },
	};
	struct table_look look = {
		.share = part_kind(tree) == PART_LEDGER ? "packets" : NULL,
		.measured = json_string_value(json_object_get(json_object_get(tree, "config"), "metric")),
	};
	const json_t *list;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lists); i++) {
		list = json_object_get(tree, lists[i].key);
		if (!json_array_size(list))
			continue;
		if (lists[i].title)
			put_heading(page->out, level, lists[i].title);
		look.nr = report_list_rows(&page->report->lists, list);
		put_table(page->out, list, &look);
		table_mark(list, page->used);
	}
	list = json_object_get(json_object_get(tree, "comparison"), "rows");
	if (json_array_size(list))
		table_html(page->out, list, &(struct table_look){ 0 });
}

static void put_lines(FILE *out, const json_t *lines)
{
	json_t *line;
	size_t i;

	if (!json_array_size(lines))
		return;
	fputs("<pre>", out);
	json_array_foreach(lines, i, line) {
		page_text(out, json_string_value(line));
		fputc('\n', out);
	}
	fputs("</pre>\n", out);
}

static void put_folded_facts(FILE *out, const char *title, const json_t *object)
{
	fprintf(out, "<details><summary>%s</summary>\n", title);
	put_facts(out, object);
	fputs("</details>\n", out);
}

/* All figures, folded where the answer has the main ones. */
static void put_all(struct page *page, const json_t *tree, bool folded)
{
	const json_t *figures = json_object_get(tree, "metrics");

	if (!json_object_size(figures))
		return;
	fputs(folded ? "<details><summary>All figures</summary>\n" : "", page->out);
	table_figures_html(page->out, figures, page->used);
	fputs(folded ? "</details>\n" : "", page->out);
}

/* Engine, clock, timestamps, and the measurement overhead. */
static void put_how(struct page *page, const json_t *tree, int level)
{
	const json_t *self = json_object_get(tree, "self"), *value;
	const char *key;

	if (json_object_size(json_object_get(tree, "environment")))
		put_folded_facts(page->out, "Environment", json_object_get(tree, "environment"));
	if (json_object_size(self)) {
		fputs("<details><summary>Measurement overhead</summary>\n", page->out);
		table_figures_html(page->out, self, page->used);
		json_object_foreach((json_t *)self, key, value) {
			if (!json_array_size(value))
				continue;
			put_heading(page->out, level + 1, strcmp(key, "trials") ? key : "All trials");
			put_table(page->out, value, &(struct table_look){ 0 });
		}
		fputs("</details>\n", page->out);
	}
	if (json_object_size(json_object_get(tree, "config")))
		put_folded_facts(page->out, "Options, all", json_object_get(tree, "config"));
}

static void mark_series(struct page *page, const json_t *series)
{
	const struct metric *metric;
	size_t i;

	for (i = 0; (metric = metric_at(i)); i++)
		page->used[i] |= json_object_get(series, metric->key) != NULL;
}

static void put_tree(struct page *page, const json_t *tree, int level)
{
	bool answered = put_answer(page->out, tree);
	struct figures figures = { 0 };
	json_t *part;
	size_t i;

	put_verdicts(page->out, tree);
	put_lines(page->out, json_object_get(tree, "lines"));
	figures_of(&figures, tree);
	put_figures(page, &figures);
	mark_series(page, json_object_get(tree, "series"));
	figures_release(&figures);
	put_flow(page, tree);
	put_tables(page, tree, level);
	put_all(page, tree, answered);
	json_array_foreach(json_object_get(tree, "parts"), i, part) {
		bool aside = report_is_aside(part);

		fputs(aside ? "<details class=\"part\">\n" : "<section class=\"part\">\n", page->out);
		if (aside)
			page_element(page->out, "summary", NULL, value_str(part, "name"));
		else
			put_heading(page->out, level, value_str(part, "name"));
		put_tree(page, part, level + 1);
		fputs(aside ? "</details>\n" : "</section>\n", page->out);
	}
	put_how(page, tree, level);
}

static void put_across(struct page *page)
{
	const struct compare_docs *docs = &page->report->docs;
	const json_t **trees = calloc(docs->nr + 1, sizeof(*trees));
	const char **names = calloc(docs->nr + 1, sizeof(*names));
	struct figures figures = { 0 };
	size_t i;

	if (!trees || !names)
		abort();
	for (i = 0; i < docs->nr; i++) {
		trees[i] = docs->list[i].doc;
		names[i] = report_file_name(page->report, i);
	}
	figures_across(&figures, trees, names, docs->nr);
	put_figures(page, &figures);
	figures_release(&figures);
	free(trees);
	free(names);
}

/* As it was asked for: a line to copy. */
static void put_command(FILE *out, const json_t *doc)
{
	const char *line = value_str(doc, "command_line");

	if (!*line)
		return;
	fputs("<pre class=\"command\">", out);
	page_text(out, line);
	fputs("</pre>\n", out);
}

static void put_doc(struct page *page, size_t index)
{
	const struct compare_doc *doc = &page->report->docs.list[index];
	const json_t *env = json_object_get(doc->doc, "environment");
	char title[400], text[1024];

	page->doc = index + 1;
	page->plot = 0;
	fprintf(page->out, "<section>\n<h2 id=\"d%zu\">", index + 1);
	page_text(page->out, report_title(title, sizeof(title), doc->doc));
	fputs("</h2>\n<p class=\"quiet\">", page->out);
	page_text(page->out, value_str(env, "date"));
	fputs(*value_str(env, "date") ? ", " : "", page->out);
	page_text(page->out, value_str(doc->doc, "tool"));
	if (*value_str(env, "kernel")) {
		fputs(", Linux ", page->out);
		page_text(page->out, value_str(env, "kernel"));
	}
	fputs("; ", page->out);
	page_text(page->out, doc->file);
	fputs("</p>\n", page->out);
	report_outcome_html(page->out, doc->doc);
	if (*headline(text, sizeof(text), doc->doc))
		page_element(page->out, "p", "headline", text);
	put_command(page->out, doc->doc);
	put_tree(page, doc->doc, 3);
	fputs("</section>\n", page->out);
}

/* Only figures that the page shows. */
static void put_glossary(struct page *page)
{
	const struct metric *metric;
	bool open = false;
	size_t i;

	for (i = 0; (metric = metric_at(i)); i++) {
		if (!page->used[i])
			continue;
		if (!open)
			fputs("<details><summary>Definitions of the figures</summary>\n<dl class=\"words\">\n",
			      page->out);
		open = true;
		page_element(page->out, "dt", NULL, metric->key);
		page_element(page->out, "dd", NULL, metric->what);
		fputc('\n', page->out);
	}
	fputs(open ? "</dl></details>\n" : "", page->out);
}

static size_t nr_metrics(void)
{
	size_t nr = 0;

	while (metric_at(nr))
		nr++;
	return nr;
}

static int put_page(FILE *out, const void *ctx, struct err *e)
{
	struct page page = { .out = out, .report = ctx, .used = calloc(nr_metrics() + 1, sizeof(bool)) };
	size_t i;

	(void)e;
	if (!page.used)
		abort();
	page_open(out, "ethgauge report", true);
	if (page.report->docs.nr > 1) {
		report_summary_html(out, page.report);
		report_across_html(out, page.report);
		put_across(&page);
	}
	for (i = 0; i < page.report->docs.nr; i++)
		put_doc(&page, i);
	put_glossary(&page);
	fputs("<p class=\"hint quiet\" hidden>Plots: drag to zoom, double-click or 0 to reset; + and - "
	      "zoom the plot with the focus. Click a table head to sort. Only what is open is printed.</p>\n", out);
	page_close(out, true);
	free(page.used);
	return 0;
}

int report_html(const struct report *report, const char *path, struct err *e)
{
	return report_write(path, put_page, report, e);
}
