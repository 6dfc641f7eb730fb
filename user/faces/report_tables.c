// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faces/report_tables.c - lists of rows, and figures, as tables of a page.
 */
#include "faces/report_tables.h"

#include <math.h>
#include <string.h>

#include "faces/figures.h"
#include "faces/page.h"
#include "faces/report_parts.h"
#include "lib/array.h"
#include "result/columns.h"
#include "result/metrics.h"
#include "result/value.h"

/* Columns that mark, as 0 or 1, rows that are not comparable with the others. */
static bool is_mark(const char *key)
{
	return !strcmp(key, "irregular") || !strcmp(key, "unsteady");
}

static bool is_marked(const json_t *row)
{
	return json_integer_value(json_object_get(row, "irregular")) ||
	       json_is_true(json_object_get(row, "irregular")) ||
	       !strcmp(value_str(row, "generator"), "irregular");
}

/* data-v is what sorts. */
static void put_cell(FILE *out, const char *key, const json_t *value)
{
	char buf[2048];

	if (json_is_number(value)) {
		fprintf(out, "<td class=\"n\" data-v=\"%.17g\">", json_number_value(value));
		page_text(out, is_mark(key) ? (json_number_value(value) ? "yes" : "") :
			  value_with_unit(buf, sizeof(buf), key, value));
		fputs("</td>", out);
	} else if (json_is_null(value)) {
		page_element(out, "td", "n", "-");
	} else if (json_is_string(value)) {
		page_element(out, "td", strlen(json_string_value(value)) > 24 ? "t" : NULL,
			     json_string_value(value));
	} else {
		page_element(out, "td", NULL, value_any(buf, sizeof(buf), value));
	}
}

static double sum_of(const json_t *rows, const char *key)
{
	double sum = 0;
	json_t *row;
	size_t i;

	json_array_foreach(rows, i, row)
		sum += json_number_value(json_object_get(row, key));
	return sum;
}

static void put_share(FILE *out, double value, double whole)
{
	double share = whole > 0 ? value / whole : 0, wide = fmin(100, fmax(0, 100 * share));

	fprintf(out,
		"<td class=\"n\" data-v=\"%.9g\"><svg width=\"100\" height=\"10\" role=\"img\" aria-label=\"share\">"
		"<path class=\"share\" d=\"M0 1h%.2fv8h-%.2fz\"/></svg> %.4g %%</td>",
		value, wide, wide, 100 * share);
}

/* Figures of a sweep have the unit of the measured figure. */
static const char *key_of(const char *column, const char *measured)
{
	static const char *const figures[] = { "median", "min", "max", "mean", "theory" };
	size_t i;

	for (i = 0; measured && i < ARRAY_SIZE(figures); i++) {
		if (!strcmp(column, figures[i]))
			return measured;
	}
	return column;
}

/* "offered_pps" as "offered pps": a head can break, and is what JSON and CSV call it. */
static void put_column_head(FILE *out, const char *key, bool number)
{
	struct column column = { .label = key };
	bool known = column_find(key, &column);
	char name[128];
	size_t i;

	snprintf(name, sizeof(name), "%s", key);
	for (i = 0; known && name[i]; i++) {
		if (name[i] == '_')
			name[i] = ' ';
	}
	fputs(number ? "<th class=\"n\" title=\"" : "<th title=\"", out);
	page_text(out, column.label);
	fputs("\">", out);
	page_text(out, name);
	fputs("</th>", out);
}

/* A column of numbers, though the first rows may have none. */
static bool is_number_column(const json_t *rows, const char *key)
{
	json_t *row, *value;
	size_t i;

	json_array_foreach(rows, i, row) {
		value = json_object_get(row, key);
		if (value && !json_is_null(value))
			return json_is_number(value);
	}
	return false;
}

static void put_head(FILE *out, const struct columns *columns, const json_t *rows, const char *share)
{
	size_t k;

	fputs("<div class=\"wide\"><table class=\"sort\">\n<thead><tr>", out);
	for (k = 0; k < columns->nr; k++) {
		put_column_head(out, columns->keys[k], is_number_column(rows, columns->keys[k]));
		if (share && !strcmp(share, columns->keys[k]))
			page_element(out, "th", "n", "share");
	}
	fputs("</tr></thead>\n<tbody>\n", out);
}

void table_mark(const json_t *rows, bool *used)
{
	const struct metric *metric;
	struct columns columns;
	size_t i, k;

	columns_of(&columns, rows);
	for (i = 0; columns.nr && (metric = metric_at(i)); i++) {
		for (k = 0; k < columns.nr && strcmp(metric->key, columns.keys[k]); k++)
			;
		used[i] |= k < columns.nr;
	}
}

void table_html(FILE *out, const json_t *rows, const struct table_look *look)
{
	size_t nr = look->nr ? look->nr : json_array_size(rows), i, k;
	double whole = look->share ? sum_of(rows, look->share) : 0;
	struct columns columns;
	json_t *row;

	columns_of(&columns, rows);
	if (!columns.nr)
		return;
	put_head(out, &columns, rows, look->share);
	json_array_foreach(rows, i, row) {
		if (i == REPORT_MAX_ROWS)
			break;
		fputs(is_marked(row) ? "<tr class=\"odd\">" : "<tr>", out);
		for (k = 0; k < columns.nr; k++) {
			const json_t *value = json_object_get(row, columns.keys[k]);

			put_cell(out, key_of(columns.keys[k], look->measured), value);
			if (look->share && !strcmp(look->share, columns.keys[k]))
				put_share(out, json_number_value(value), whole);
		}
		fputs("</tr>\n", out);
	}
	fputs("</tbody></table></div>\n", out);
	if (nr > REPORT_MAX_ROWS)
		fprintf(out, "<p class=\"quiet\">The first %d of %zu rows; report --csv has all.</p>\n",
			REPORT_MAX_ROWS, nr);
	if (nr > json_array_size(rows))
		fprintf(out, "<p class=\"quiet\">Plots show the first %zu.</p>\n", json_array_size(rows));
	if (columns.more)
		fprintf(out, "<p class=\"quiet\">The first %d columns; report --csv has all.</p>\n", COLUMNS_MAX);
}

/* One of several times of one distribution, which are in one row. */
static bool is_point(const struct metric *metric)
{
	return metric->family && metric->stat != DIST_COUNT;
}

/* The row of @metric's family, at the first of it that is there. */
static void put_points(FILE *out, const json_t *figures, const struct metric *metric, bool *open)
{
	enum dist_stat i;
	json_t *value;
	char buf[64];

	for (i = 0; i < metric->stat; i++) {
		if (value_point(figures, metric->family, i))
			return;
	}
	if (!*open) {
		fputs("<div class=\"wide\"><table>\n<thead><tr><th>times</th>", out);
		for (i = 0; i < DIST_NR; i++)
			page_element(out, "th", "n", dist_label(i));
		fputs("</tr></thead>\n<tbody>\n", out);
		*open = true;
	}
	fputs("<tr>", out);
	page_element(out, "th", NULL, figures_name(buf, sizeof(buf), metric->family));
	for (i = 0; i < DIST_NR; i++) {
		value = value_point(figures, metric->family, i);
		page_element(out, "td", "n", value ? value_show(buf, sizeof(buf), metric, value) : "");
	}
	fputs("</tr>\n", out);
}

static void put_figure(FILE *out, const struct metric *metric, const json_t *value, bool *open)
{
	const char *label = metric->label + strspn(metric->label, " ");
	char buf[64];

	fputs(*open ? "" : "<dl class=\"pairs\">\n", out);
	*open = true;
	fputs("<div title=\"", out);
	page_text(out, metric->what);
	fputs("\"><dt>", out);
	if (metric->line) {
		page_text(out, metric->line);
		fputs(": ", out);
	}
	page_text(out, label);
	fputs("</dt>", out);
	page_element(out, "dd", NULL, value_show(buf, sizeof(buf), metric, value));
	page_element(out, "dd", "quiet", metric->key);
	fputs("</div>\n", out);
}

void table_figures_html(FILE *out, const json_t *figures, bool *used)
{
	const struct metric *metric;
	bool open = false;
	json_t *value;
	size_t i;

	for (i = 0; (metric = metric_at(i)); i++) {
		if (!json_object_get(figures, metric->key))
			continue;
		used[i] = true;
		if (is_point(metric))
			put_points(out, figures, metric, &open);
	}
	fputs(open ? "</tbody></table></div>\n" : "", out);
	open = false;
	for (i = 0; (metric = metric_at(i)); i++) {
		value = json_object_get(figures, metric->key);
		/* Not measured here, or already shown. */
		if (value && !json_is_null(value) && !json_is_array(value) && !json_is_object(value) &&
		    !is_point(metric))
			put_figure(out, metric, value, &open);
	}
	fputs(open ? "</dl>\n" : "", out);
}
