// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faces/text.c - text output.
 */
#include "faces/text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "compare/compare_set.h"
#include "faces/text_parts.h"
#include "lib/color.h"
#include "lib/unit.h"
#include "lib/utf8.h"
#include "result/metrics.h"
#include "result/tree.h"
#include "result/value.h"

#define HEAD_COLUMN	12
#define LABEL_WIDTH	22
#define FEATURE_COLUMN	30	/* of a feature's detail: indent, name, state */

/* All figures of a row, as far as they fit before column @end. */
static void print_row(FILE *out, const json_t *row, size_t column, size_t end)
{
	char buf[64], item[128];
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)row, key, value) {
		const struct metric *metric = metric_find(key);

		if (!strcmp(key, "elapsed_ns") || metric->row == METRIC_ROW_LEFT_OUT ||
		    (metric->row == METRIC_ROW_UNLESS_0 && !json_integer_value(value)))
			continue;
		snprintf(item, sizeof(item), "  %s %s", metric->label, value_show(buf, sizeof(buf), metric, value));
		column += strlen(item);
		if (column > end)
			break;
		fputs(item, out);
	}
}

/* A copy of @tree in which all texts are plain, for a terminal. */
static json_t *plain(json_t *tree)
{
	json_t *copy, *value;
	const char *key;
	char *text;
	size_t i;

	if (json_is_string(tree)) {
		text = strdup(json_string_value(tree));
		copy = text ? json_string(utf8_plain(text)) : NULL;
		free(text);
	} else if (json_is_array(tree)) {
		copy = json_array();
		json_array_foreach(tree, i, value)
			json_array_append_new(copy, plain(value));
	} else if (json_is_object(tree)) {
		copy = json_object();
		json_object_foreach(tree, key, value) {
			text = strdup(key);
			json_object_set_new(copy, text ? utf8_plain(text) : "?", plain(value));
			free(text);
		}
	} else {
		copy = json_incref(tree);
	}
	return copy ? copy : json_null();
}

static bool is_plain(const char *text)
{
	const char *end = text + strlen(text);
	size_t bytes;

	while (text < end && utf8_is_plain(text, (size_t)(end - text), &bytes))
		text += bytes;
	return text == end;
}

/* Foreign names in it, of interfaces, processes, hosts or of a document, may hold what a terminal obeys. */
static bool all_plain(const json_t *tree)
{
	const char *key;
	json_t *value;
	size_t i;

	if (json_is_string(tree))
		return is_plain(json_string_value(tree));
	json_array_foreach(tree, i, value) {
		if (!all_plain(value))
			return false;
	}
	json_object_foreach((json_t *)tree, key, value) {
		if (!is_plain(key) || !all_plain(value))
			return false;
	}
	return true;
}

void text_row(FILE *out, const struct result *part, bool verbose)
{
	const json_t *tree = result_tree(part), *series = json_object_get(tree, "series");
	const json_t *row = json_array_get(series, json_array_size(series) - 1);
	char name[256];
	size_t column;

	snprintf(name, sizeof(name), "%s", value_str(tree, "name"));
	utf8_plain(name);
	column = (size_t)fprintf(out, "%s%s%7.1f s", name, *name ? ": " : "",
				 json_number_value(json_object_get(row, "elapsed_ns")) / 1e9);
	if (verbose || !text_answer_row(out, row, column))
		print_row(out, row, column, verbose ? SIZE_MAX : PAGE_WIDTH);
	fputc('\n', out);
	fflush(out);
}

static void print_pairs(FILE *out, const char *title, const json_t *object)
{
	const char *key, *blank = "";
	json_t *value;
	size_t column = HEAD_COLUMN;
	char item[512];

	if (!json_object_size(object))
		return;
	fprintf(out, "%-*s", HEAD_COLUMN, title);
	json_object_foreach((json_t *)object, key, value) {
		if (json_is_null(value))
			continue;
		if (json_is_string(value)) {
			if (!*json_string_value(value))
				continue;
			snprintf(item, sizeof(item), "%s=%s", key, json_string_value(value));
		} else {
			snprintf(item, sizeof(item), "%s=%lld", key,
				 (long long)json_integer_value(value));
		}
		if (*blank && column + 1 + strlen(item) > PAGE_WIDTH) {
			fprintf(out, "\n%-*s", HEAD_COLUMN, "");
			column = HEAD_COLUMN;
			blank = "";
		}
		column += (size_t)fprintf(out, "%s%s", blank, item);
		blank = " ";
	}
	fputc('\n', out);
}

static void print_points(FILE *out, const json_t *figures, const struct metric *metric)
{
	enum dist_stat i, end = DIST_NR;
	char buf[64];

	while (end && !value_point(figures, metric->family, end - 1))
		end--;
	fprintf(out, "  %-*s", LABEL_WIDTH, metric->title);
	for (i = 0; i < end; i++)
		fprintf(out, "%10s", dist_label(i));
	fprintf(out, "\n  %-*s", LABEL_WIDTH, "");
	for (i = 0; i < end; i++)
		fprintf(out, "%10s", value_show(buf, sizeof(buf), metric,
						value_point(figures, metric->family, i)));
	fputc('\n', out);
}

/*
 * The statistics of one distribution are on one line, for comparison: printed
 * in the place of the first that is there. False if @metric is none of these.
 */
static bool print_percentiles(FILE *out, const json_t *figures, const struct metric *metric)
{
	enum dist_stat i;

	if (!metric->title)
		return false;
	for (i = 0; i < metric->stat; i++) {
		if (value_point(figures, metric->family, i))
			return true;
	}
	print_points(out, figures, metric);
	return true;
}

void text_brief(FILE *out, const json_t *figures)
{
	const struct metric *metric;
	size_t column = 0, i;
	char value[64], item[128];

	for (i = 0; (metric = metric_at(i)); i++) {
		json_t *figure = json_object_get(figures, metric->key);

		if (!figure || !metric->brief ||
		    (metric->family && metric->stat == DIST_MIN))
			continue;
		snprintf(item, sizeof(item), "%s %s", metric->label,
			 value_show(value, sizeof(value), metric, figure));
		if (column && column + strlen(item) + 3 > PAGE_WIDTH) {
			fputc('\n', out);
			column = 0;
		}
		column += (size_t)fprintf(out, "%s%s", column ? "   " : "  ", item);
	}
	if (column)
		fputc('\n', out);
	for (i = 0; (metric = metric_at(i)); i++) {
		if (metric->brief && json_object_get(figures, metric->key))
			print_percentiles(out, figures, metric);
	}
}

/* On a new line from column @first on, where this one is full. */
static void print_item(FILE *out, const char *item, size_t first, size_t *column)
{
	if (*column > first && *column + 2 + strlen(item) > PAGE_WIDTH) {
		fprintf(out, "\n%*s", (int)first, "");
		*column = first;
	}
	*column += (size_t)fprintf(out, "%s%s", *column > first ? "  " : "", item);
}

/* Left out of a line: null, 0, and values that two digits show as 0. */
static bool is_nothing(const struct metric *metric, const json_t *value)
{
	return !json_is_number(value) ||
	       json_number_value(value) < (metric->unit == UNIT_CPUS ? 0.005 : 1e-9);
}

/*
 * Figures of one line stand together, in the place of the first that is there; what
 * is 0 is left out. False if @metric has no line.
 */
static bool print_line(FILE *out, const json_t *figures, const struct metric *metric)
{
	const size_t first = LABEL_WIDTH + 2;
	size_t column = 0, i;
	const struct metric *other;
	char buf[64], item[128];

	if (!metric->line)
		return false;
	for (i = 0; (other = metric_at(i)); i++) {
		json_t *value = json_object_get(figures, other->key);

		if (!value || !other->line || strcmp(other->line, metric->line))
			continue;
		if (!column && other != metric)
			return true;
		if (!column)
			column = (size_t)fprintf(out, "  %-*s", LABEL_WIDTH, metric->line);
		if (is_nothing(other, value))
			continue;
		snprintf(item, sizeof(item), "%s %s", other->label,
			 value_show(buf, sizeof(buf), other, value));
		print_item(out, item, first, &column);
	}
	fputs(column > first ? "\n" : "-\n", out);
	return true;
}

void text_figures(FILE *out, const json_t *figures, const char *cited, bool all)
{
	const struct metric *metric;
	char buf[64];
	size_t i;

	/* In the dictionary's order, so that all runs look alike. */
	for (i = 0; (metric = metric_at(i)); i++) {
		json_t *value = json_object_get(figures, metric->key);

		if (!value || (!all && metric->title) || print_percentiles(out, figures, metric) ||
		    print_line(out, figures, metric) ||
		    (cited && !strncmp(metric->key, cited, strlen(cited))))
			continue;
		fprintf(out, "  %-*s %s\n", LABEL_WIDTH - 1, metric->label,
			value_show(buf, sizeof(buf), metric, value));
	}
}

static void print_remark(FILE *out, const char *title, const json_t *text)
{
	if (json_is_string(text))
		text_wrapped(out, (size_t)fprintf(out, "%*s%s: ", FEATURE_COLUMN, "", title),
			      json_string_value(text));
}

/* A command stays on one line, as it is to be copied. */
static void print_remedy(FILE *out, const json_t *feature)
{
	const char *command = value_str(feature, "command");

	if (*command)
		fprintf(out, "%*srun: %s\n", FEATURE_COLUMN, "", command);
	else
		print_remark(out, "fix", json_object_get(feature, "remedy"));
}

void text_features(FILE *out, const json_t *features)
{
	const json_t *feature;
	const char *group = "";
	size_t i;

	json_array_foreach(features, i, feature) {
		const char *detail = json_string_value(json_object_get(feature, "detail"));
		const char *state = json_string_value(json_object_get(feature, "state"));
		const char *of = json_string_value(json_object_get(feature, "group"));

		state = state ? state : "";
		if (of && strcmp(group, of)) {
			fprintf(out, "\n%s\n", of);
			group = of;
		}
		fprintf(out, "  %-17s  %-7s  ", json_string_value(json_object_get(feature, "name")),
			state);
		text_wrapped(out, FEATURE_COLUMN, detail ? detail : "");
		if (!strcmp(state, "present"))
			continue;
		if (!strcmp(state, "absent"))
			print_remark(out, "impact", json_object_get(feature, "without"));
		print_remedy(out, feature);
	}
	if (json_array_size(features))
		fputc('\n', out);
}

/* Lines and verdicts only are an answer to a script: no header. */
static bool wants_head(const json_t *tree)
{
	return json_object_get(tree, "metrics") || json_object_get(tree, "features") ||
	       json_object_get(tree, "entries") || json_object_get(tree, "parts") || json_object_get(tree, "series") ||
	       !(json_object_get(tree, "lines") || json_object_get(tree, "verdicts") ||
		 json_object_get(tree, "comparison"));
}

void text_lines(FILE *out, const char *prefix, const json_t *lines)
{
	const json_t *line;
	size_t i;

	json_array_foreach(lines, i, line)
		fprintf(out, "%s%s\n", prefix, json_string_value(line));
}

size_t text_outcome(FILE *out, bool pass)
{
	return color_put(out, pass ? COLOR_GOOD : COLOR_BAD, pass ? "PASS" : "FAIL") + (size_t)fprintf(out, "  ");
}

/* Whole, in lines of any length. */
static void print_notes(FILE *out, const char *indent, const json_t *notes)
{
	const json_t *note;
	size_t i;

	json_array_foreach(notes, i, note) {
		fputs(indent, out);
		color_put(out, COLOR_WARN, "note: ");
		fprintf(out, "%s\n", json_string_value(note));
	}
}

void text_verdicts(FILE *out, const json_t *verdicts)
{
	const json_t *verdict;
	size_t i;

	json_array_foreach(verdicts, i, verdict) {
		text_outcome(out, json_is_true(json_object_get(verdict, "pass")));
		fprintf(out, "%s\n", json_string_value(json_object_get(verdict, "what")));
	}
}

static void print_part(FILE *out, const json_t *part)
{
	fprintf(out, "\n%s\n", json_string_value(json_object_get(part, "name")));
	text_brief(out, json_object_get(part, "metrics"));
	text_brief(out, json_object_get(part, "self"));
	text_entries(out, json_object_get(part, "entries"), "  ", true);
	print_notes(out, "  ", json_object_get(part, "notes"));
	text_verdicts(out, json_object_get(part, "verdicts"));
}

static void print_tree(FILE *out, const json_t *tree)
{
	const json_t *part, *parts = json_object_get(tree, "parts");
	size_t i;

	if (json_object_get(tree, "comparison"))
		text_comparison(out, json_object_get(tree, "comparison"), true);
	if (wants_head(tree)) {
		print_pairs(out, "options", json_object_get(tree, "config"));
		print_pairs(out, "measured at", json_object_get(tree, "environment"));
	}
	text_features(out, json_object_get(tree, "features"));
	text_entries(out, json_object_get(tree, "entries"), "", true);
	text_sweep(out, tree);
	text_figures(out, json_object_get(tree, "metrics"), NULL, true);
	if (json_object_size(json_object_get(tree, "self")))
		fprintf(out, "  measurement overhead\n");
	text_figures(out, json_object_get(tree, "self"), "calibrated_", true);
	text_lines(out, "", json_object_get(tree, "lines"));
	print_notes(out, "", json_object_get(tree, "notes"));
	json_array_foreach(parts, i, part)
		print_part(out, part);
	if (json_array_size(parts))
		fputc('\n', out);
	text_verdicts(out, json_object_get(tree, "verdicts"));
}

void text_result(FILE *out, const struct result *res, bool verbose)
{
	json_t *tree = result_tree(res), *shown = all_plain(tree) ? json_incref(tree) : plain(tree);

	if (json_object_get(shown, "ktap"))
		text_lines(out, "", json_object_get(shown, "ktap"));
	else if (verbose)
		print_tree(out, shown);
	else
		text_short(out, shown);
	fflush(out);
	json_decref(shown);
}
