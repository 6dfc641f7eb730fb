// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report/compare_html.c - a comparison as one page that needs nothing else: no
 * script, no font, no network. Every word of a document goes through put_text().
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "lib/outfile.h"
#include "report/compare_parts.h"
#include "report/metrics.h"
#include "report/tree.h"

#define CHART_WIDTH	160
#define CHART_MIDDLE	(CHART_WIDTH / 2)
#define CHART_PERCENT	20.	/* from the middle to either end */

static const char head[] =
	"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
	"'unsafe-inline'\">\n"
	"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	"<title>ethgauge compare</title>\n<style>\n"
	"body { font: 15px/1.4 sans-serif; margin: 2em auto; max-width: 80em; padding: 0 1em; }\n"
	"table { border-collapse: collapse; margin: 1em 0; width: 100%; }\n"
	"caption { font-weight: bold; text-align: left; padding: .5em 0; }\n"
	"th, td { padding: .2em .6em; border-bottom: 1px solid #ddd; text-align: right; }\n"
	"th { font-weight: normal; color: #555; }\n"
	"th:first-child, td:first-child, td:last-child, th:last-child { text-align: left; }\n"
	"tr.worse td:last-child { color: #b00020; font-weight: bold; }\n"
	"tr.better td:last-child { color: #00702a; font-weight: bold; }\n"
	"tr.cannot td:last-child { color: #777; }\n"
	"svg { display: block; }\n.fail { color: #b00020; }\n"
	"@media (prefers-color-scheme: dark) { body { background: #181818; color: #ddd; }\n"
	"th { color: #aaa; } th, td { border-color: #444; }\n"
	"tr.worse td:last-child, .fail { color: #ff7a85; }\n"
	"tr.better td:last-child { color: #67d68c; } }\n"
	"</style>\n</head>\n<body>\n<h1>ethgauge compare</h1>\n";

static void put_text(FILE *out, const char *text)
{
	for (; text && *text; text++) {
		switch (*text) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		case '\'':
			fputs("&#39;", out);
			break;
		default:
			fputc((unsigned char)*text < ' ' ? '?' : *text, out);
		}
	}
}

static void put_element(FILE *out, const char *name, const char *text)
{
	fprintf(out, "<%s>", name);
	put_text(out, text);
	fprintf(out, "</%s>", name);
}

static const char *str(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

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
				"fill=\"#8884\"/>", CHART_MIDDLE - noise, 2 * noise);
		fprintf(out, "<path d=\"M%d 0v14\" stroke=\"#888\"/>"
			"<path d=\"M%.1f 7h%.1f\" stroke=\"#36c\" stroke-width=\"4\"/>"
			"<path d=\"M%.1f 2v10\" stroke=\"currentColor\" stroke-width=\"2\"/></svg>",
			CHART_MIDDLE, low, fmax(high - low, 1), at(row, "ratio"));
	}
	fputs("</td>", out);
}

static void put_row(FILE *out, const json_t *row)
{
	const struct metric *metric = metric_find(str(row, "metric"));
	const json_t *p = json_object_get(row, "p");
	const char *verdict = str(row, "verdict");
	char text[160], low[64], high[64];

	fprintf(out, "<tr class=\"%.*s\"><td title=\"", (int)strcspn(verdict, " "), verdict);
	put_text(out, metric ? metric->what : "");
	fputs("\">", out);
	put_text(out, str(row, "metric"));
	fputs("</td>", out);
	put_element(out, "td", compare_show_figure(text, sizeof(text), row, "base_median"));
	put_element(out, "td", compare_show_figure(text, sizeof(text), row, "new_median"));
	put_element(out, "td", compare_show_change(text, sizeof(text), row, ""));
	snprintf(text, sizeof(text), "%s to %s",
		 compare_show_change(low, sizeof(low), row, "_low"),
		 compare_show_change(high, sizeof(high), row, "_high"));
	put_element(out, "td", text);
	put_chart(out, row);
	snprintf(text, sizeof(text), json_is_number(p) ? "%.4f" : "-", json_number_value(p));
	put_element(out, "td", text);
	put_element(out, "td", compare_show_size(text, sizeof(text), row, "noise"));
	put_element(out, "td", compare_show_size(text, sizeof(text), row, "smallest"));
	fputs("<td", out);
	if (*str(row, "why")) {
		fputs(" title=\"", out);
		put_text(out, str(row, "why"));
		fputc('"', out);
	}
	fputc('>', out);
	put_text(out, verdict);
	fputs("</td></tr>\n", out);
}

static void put_table_head(FILE *out, const char *place)
{
	static const char *const columns[] = {
		"median of", "base", "new", "change", "95 % interval", "-20 % to +20 %", "p",
		"noise floor", "could be seen from", "verdict",
	};
	size_t i;

	fputs("<table>", out);
	put_element(out, "caption", place);
	fputs("\n<thead><tr>", out);
	for (i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		put_element(out, "th", columns[i]);
	fputs("</tr></thead>\n<tbody>\n", out);
}

static void put_sides(FILE *out, const json_t *sides)
{
	const json_t *side, *word;
	size_t i, k;

	fputs("<ul>\n", out);
	json_array_foreach(sides, i, side) {
		fprintf(out, "<li>%s: %lld runs", str(side, "side"),
			(long long)json_integer_value(json_object_get(side, "runs")));
		json_array_foreach(json_object_get(side, "kernels"), k, word) {
			fputs(k ? ", " : ", kernel ", out);
			put_text(out, json_string_value(word));
		}
		json_array_foreach(json_object_get(side, "files"), k, word) {
			fputs(k ? ", " : "; ", out);
			put_element(out, "code", json_string_value(word));
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

	fputs(head, out);
	put_sides(out, json_object_get(comparison, "sides"));
	json_array_foreach(json_object_get(tree, "verdicts"), i, verdict) {
		bool pass = json_is_true(json_object_get(verdict, "pass"));

		fprintf(out, "<p class=\"%s\"><b>%s</b> ", pass ? "pass" : "fail",
			pass ? "PASS" : "FAIL");
		put_text(out, str(verdict, "what"));
		fputs("</p>\n", out);
	}
	json_array_foreach(json_object_get(comparison, "rows"), i, row) {
		compare_show_place(place, sizeof(place), row);
		if (!i || strcmp(place, last)) {
			fputs(i ? "</tbody></table>\n" : "", out);
			put_table_head(out, place);
		}
		strcpy(last, place);
		put_row(out, row);
	}
	fputs("</tbody></table>\n", out);
	json_array_foreach(json_object_get(tree, "notes"), i, note) {
		put_element(out, "p", json_string_value(note));
		fputc('\n', out);
	}
	fputs("</body>\n</html>\n", out);
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
