// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faces/report_summary.c - the head of a page: each run, its outcome and headline.
 */
#include <stdbool.h>
#include <string.h>

#include "faces/headline.h"
#include "faces/page.h"
#include "faces/report_parts.h"
#include "result/value.h"

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

void report_outcome_html(FILE *out, const json_t *doc)
{
	struct report_counts counts = { 0 };

	report_count(doc, &counts);
	if (!counts.errors && !counts.failed)
		return;
	fputs("<p>", out);
	put_outcome(out, doc);
	fputs("</p>\n", out);
}

static void put_main(FILE *out, const struct report *report, const json_t *doc)
{
	size_t rows = report_list_rows(&report->lists, json_object_get(doc, "entries"));
	char text[1024];

	page_text(out, headline(text, sizeof(text), doc));
	if (!*text && rows)
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
	      "<th>result</th><th>date, UTC</th></tr></thead>\n<tbody>\n", out);
	for (i = 0; i < report->docs.nr; i++)
		put_row(out, report, i);
	fputs("</tbody></table></nav>\n", out);
}
