// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faces/compare_html.c - a comparison as a self-contained page (faces/page.h).
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "compare/compare_set.h"
#include "faces/page.h"
#include "lib/array.h"
#include "lib/outfile.h"
#include "result/metrics.h"
#include "result/tree.h"
#include "result/value.h"

#define CHART_WIDTH	120
#define CHART_MIDDLE	(CHART_WIDTH / 2)
#define CHART_PERCENT	20.	/* from the middle to either end */

static double at(const json_t *row, const char *key)
{
	double change = 100 * (json_number_value(json_object_get(row, key)) - 1);

	return CHART_MIDDLE + CHART_MIDDLE * fmax(-1, fmin(1, change / CHART_PERCENT));
}

/* The interval as a bar, the median as a tick, on the noise floor's grey. */
static void put_chart(FILE *out, const json_t *row)
{
	double low = at(row, "ratio_low"), high = at(row, "ratio_high");
	double noise = at(row, "noise_ratio") - CHART_MIDDLE;

	fputs("<td>", out);
	if (json_is_number(json_object_get(row, "ratio"))) {
		fprintf(out, "<svg width=\"%d\" height=\"14\" role=\"img\">", CHART_WIDTH);
		if (json_is_number(json_object_get(row, "noise_ratio")))
			fprintf(out, "<rect x=\"%.1f\" y=\"0\" width=\"%.1f\" height=\"14\" "
				"class=\"noise\"/>", CHART_MIDDLE - noise, 2 * noise);
		fprintf(out, "<path d=\"M%d 0v14\" class=\"middle\"/>"
			"<path d=\"M%.1f 7h%.1f\" class=\"range\"/>"
			"<path d=\"M%.1f 2v10\" class=\"tick\"/></svg>",
			CHART_MIDDLE, low, fmax(high - low, 1), at(row, "ratio"));
	}
	fputs("</td>", out);
}

static void put_row(FILE *out, const json_t *row)
{
	const struct metric *metric = metric_find(value_str(row, "metric"));
	const json_t *p = json_object_get(row, "p");
	const char *verdict = value_str(row, "verdict");
	char text[160], low[64], high[64];

	fprintf(out, "<tr class=\"%.*s\"><td title=\"", (int)strcspn(verdict, " "), verdict);
	page_text(out, metric ? metric->what : "");
	fputs("\">", out);
	page_text(out, value_str(row, "metric"));
	fputs("</td>", out);
	page_element(out, "td", "w", compare_show_figure(text, sizeof(text), row, "base_median"));
	page_element(out, "td", "w", compare_show_figure(text, sizeof(text), row, "new_median"));
	page_element(out, "td", "w", compare_show_change(text, sizeof(text), row, ""));
	snprintf(text, sizeof(text), "%s to %s",
		 compare_show_change(low, sizeof(low), row, "_low"),
		 compare_show_change(high, sizeof(high), row, "_high"));
	page_element(out, "td", "w", text);
	put_chart(out, row);
	snprintf(text, sizeof(text), json_is_number(p) ? "%.4f" : "-", json_number_value(p));
	page_element(out, "td", "w", text);
	page_element(out, "td", "w", compare_show_size(text, sizeof(text), row, "noise"));
	page_element(out, "td", "w", compare_show_size(text, sizeof(text), row, "smallest"));
	fputs("<td", out);
	if (*value_str(row, "why")) {
		fputs(" title=\"", out);
		page_text(out, value_str(row, "why"));
		fputc('"', out);
	}
	fputc('>', out);
	page_text(out, verdict);
	fputs("</td></tr>\n", out);
}

static void put_table_head(FILE *out, const char *place)
{
	static const char *const columns[] = {
		"median of", "base", "new", "change", "95 % interval", "-20 % to +20 %", "p",
		"noise floor", "smallest detectable", "verdict",
	};
	size_t i;

	fputs("<div class=\"wide\"><table>", out);
	page_element(out, "caption", NULL, place);
	fputs("\n<thead><tr>", out);
	for (i = 0; i < ARRAY_SIZE(columns); i++)
		page_element(out, "th", NULL, columns[i]);
	fputs("</tr></thead>\n<tbody>\n", out);
}

static void put_sides(FILE *out, const json_t *sides)
{
	const json_t *side, *word;
	size_t i, k;

	fputs("<ul>\n", out);
	json_array_foreach(sides, i, side) {
		fprintf(out, "<li>%s: %lld runs", value_str(side, "side"),
			(long long)json_integer_value(json_object_get(side, "runs")));
		json_array_foreach(json_object_get(side, "kernels"), k, word) {
			fputs(k ? ", " : ", kernel ", out);
			page_text(out, json_string_value(word));
		}
		json_array_foreach(json_object_get(side, "files"), k, word) {
			fputs(k ? ", " : "; ", out);
			page_element(out, "code", NULL, json_string_value(word));
		}
		fputs("</li>\n", out);
	}
	fputs("</ul>\n", out);
}

static void put_page(FILE *out, const json_t *tree)
{
	const json_t *comparison = json_object_get(tree, "comparison"), *row, *verdict, *note;
	char place[256], last[256] = "";
	size_t i;

	page_open(out, "ethgauge compare", false);
	put_sides(out, json_object_get(comparison, "sides"));
	json_array_foreach(json_object_get(tree, "verdicts"), i, verdict) {
		bool pass = json_is_true(json_object_get(verdict, "pass"));

		fprintf(out, "<p class=\"%s\"><b>%s</b> ", pass ? "pass" : "fail",
			pass ? "PASS" : "FAIL");
		page_text(out, value_str(verdict, "what"));
		fputs("</p>\n", out);
	}
	json_array_foreach(json_object_get(comparison, "rows"), i, row) {
		compare_show_place(place, sizeof(place), row);
		if (!i || strcmp(place, last)) {
			fputs(i ? "</tbody></table></div>\n" : "", out);
			put_table_head(out, place);
		}
		strcpy(last, place);
		put_row(out, row);
	}
	fputs("</tbody></table></div>\n", out);
	json_array_foreach(json_object_get(tree, "notes"), i, note) {
		page_element(out, "p", NULL, json_string_value(note));
		fputc('\n', out);
	}
	page_close(out, false);
}

int compare_html(const struct result *res, const char *path, struct err *e)
{
	struct outfile *file;
	int err;

	if (!result_tree(res))
		return err_set(e, -ENOMEM, "cannot write '%s'", path);
	err = outfile_open(&file, path, e);
	if (err)
		return err;
	put_page(outfile_stream(file), result_tree(res));
	err = outfile_commit(file, e);
	outfile_close(file);
	return err;
}
