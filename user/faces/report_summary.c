// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faces/report_summary.c - the head of a page: each run, its outcome and main figures.
 */
#include <stdbool.h>
#include <string.h>

#include "faces/page.h"
#include "faces/report_parts.h"
#include "faces/report_tables.h"
#include "result/metrics.h"
#include "result/value.h"

#define MAX_FIGURES 4	/* of a run */

/* How many verdicts hold, and what failed. */
static void put_outcome(FILE *out, const json_t *doc)
{
	struct report_counts counts = { 0 };

	report_count(doc, &counts);
	if (counts.errors)
		fputs("<span class=\"badge fail\">failed while running</span>", out);
	else if (counts.failed)
		fprintf(out, "<span class=\"badge fail\">%zu of %zu verdicts failed</span>", counts.failed,
			counts.failed + counts.passed);
	else if (counts.passed)
		fprintf(out, "<span class=\"badge pass\">%zu verdict%s passed</span>", counts.passed,
			counts.passed == 1 ? "" : "s");
	else
		fputs("<span class=\"quiet\">no criteria</span>", out);
	if (json_is_true(json_object_get(json_object_get(doc, "self"), "irregular")))
		fputs(" <span class=\"badge warn\">irregular</span>", out);
}

static void put_figure(FILE *out, const char *before, const struct metric *metric, const json_t *value,
		       size_t nr)
{
	char buf[64];

	fputs(nr ? " <span class=\"quiet\">" : "<span class=\"quiet\">", out);
	page_text(out, before);
	fputs(*before ? ": " : "", out);
	page_text(out, metric->label + strspn(metric->label, " "));
	fputs("</span> <b>", out);
	page_text(out, value_show(buf, sizeof(buf), metric, value));
	fputs("</b>", out);
}

/* The purpose of a transfer, ahead of its other figures. */
static const json_t *answer_of(const json_t *part)
{
	return json_object_get(json_object_get(part, "metrics"), "transfer_time_factor");
}

/* A minimum says less than a median. */
static bool is_least(const char *key)
{
	return !strcmp(key, "delay_min_ns") || !strcmp(key, "rtt_min_ns");
}

/*
 * Main figures that are better high or low, as the others say how the run was made; the first
 * of each unit: a rate, a count, a time.
 */
static size_t put_figures(FILE *out, const char *before, const json_t *tree, size_t nr, size_t max)
{
	bool seen[UNIT_TEXT + 1] = { false };
	const struct metric *metric;
	size_t i;

	for (i = 0; nr < max && (metric = metric_at(i)); i++) {
		json_t *value = json_object_get(json_object_get(tree, "metrics"), metric->key);

		if (!report_is_main(metric) || metric->better == METRIC_NEITHER || !json_is_number(value) ||
		    seen[metric->unit] || is_least(metric->key))
			continue;
		seen[metric->unit] = true;
		put_figure(out, before, metric, value, nr++);
	}
	return nr;
}

static void put_main(FILE *out, const struct report *report, const json_t *doc)
{
	size_t nr = put_figures(out, "", doc, 0, MAX_FIGURES), rows, i;
	bool answered = false;
	json_t *part;

	json_array_foreach(json_object_get(doc, "parts"), i, part)
		answered |= answer_of(part) != NULL;
	/* Of a suite the first of each part. */
	json_array_foreach(json_object_get(doc, "parts"), i, part) {
		if (nr == MAX_FIGURES || report_is_aside(part))
			continue;
		if (!answered)
			nr = put_figures(out, value_str(part, "name"), part, nr, nr + 1);
		else if (json_is_number(answer_of(part)))
			put_figure(out, value_str(part, "name"), metric_find("transfer_time_factor"),
				   answer_of(part), nr++);
	}
	rows = report_list_rows(&report->lists, json_object_get(doc, "entries"));
	if (!nr && rows)
		fprintf(out, "%zu row%s", rows, rows == 1 ? "" : "s");
}

/* "2026-11-22T02:07:10Z" in readable form. */
static void put_date(FILE *out, const char *date)
{
	char text[32];

	snprintf(text, sizeof(text), "%.16s", date);
	if (strlen(text) == 16 && text[10] == 'T')
		text[10] = ' ';
	page_text(out, text);
}

static void put_row(FILE *out, const struct report *report, size_t i)
{
	const json_t *doc = report->docs.list[i].doc;
	char title[400];

	fprintf(out, "<tr><td class=\"n\">%zu</td><td class=\"t\"><a href=\"#d%zu\">", i + 1, i + 1);
	page_text(out, report_title(title, sizeof(title), doc));
	fputs("</a></td><td>", out);
	put_outcome(out, doc);
	fputs("</td><td class=\"main\">", out);
	put_main(out, report, doc);
	fputs("</td><td class=\"w quiet\">", out);
	put_date(out, value_str(json_object_get(doc, "environment"), "date"));
	fputs("</td></tr>\n", out);
}

void report_summary_html(FILE *out, const struct report *report)
{
	size_t i;

	fputs("<nav class=\"wide\"><table class=\"summary\">\n<thead><tr><th></th><th>run</th><th>outcome</th>"
	      "<th>main figures</th><th>date, UTC</th></tr></thead>\n<tbody>\n", out);
	for (i = 0; i < report->docs.nr; i++)
		put_row(out, report, i);
	fputs("</tbody></table></nav>\n", out);
}
