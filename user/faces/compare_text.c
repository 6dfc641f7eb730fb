// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faces/compare_text.c - a comparison as text, and as KTAP.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare_judge.h"
#include "compare/compare_set.h"
#include "faces/text_parts.h"
#include "lib/color.h"
#include "lib/unit.h"
#include "lib/utf8.h"
#include "result/metrics.h"
#include "result/tree.h"

static const char *str(const json_t *row, const char *key)
{
	const char *text = json_string_value(json_object_get(row, key));

	return text ? text : "";
}

static const struct metric *metric_in(const json_t *row)
{
	return metric_find(str(row, "metric"));
}

const char *compare_show_figure(char *buf, size_t size, const json_t *row, const char *key)
{
	const json_t *value = json_object_get(row, key);
	const struct metric *metric = metric_in(row);
	double number = json_number_value(value);

	if (!json_is_number(value) || !metric)
		snprintf(buf, size, "-");
	else if (metric->unit == UNIT_COUNT && number >= 0 && number < 1e15 && floor(number) == number)
		unit_format_u64(buf, size, UNIT_COUNT, (uint64_t)number);
	else
		unit_format(buf, size, metric->unit, number);
	return buf;
}

static bool by_ratio(const json_t *row)
{
	return json_object_get(row, "ratio");
}

/* Two decimals for small values: instruction counts differ by 0.1 %. */
static const char *percent(char *buf, size_t size, const json_t *factor, const char *fmt)
{
	if (json_is_number(factor))
		snprintf(buf, size, fmt, 100 * (json_number_value(factor) - 1));
	else
		snprintf(buf, size, "?");
	return buf;
}

const char *compare_show_change(char *buf, size_t size, const json_t *row, const char *which)
{
	char key[32], text[64];
	double number;

	snprintf(key, sizeof(key), "%s%s", by_ratio(row) ? "ratio" : "difference", which);
	if (by_ratio(row))
		return percent(buf, size, json_object_get(row, key), "%+.2f %%");
	if (!json_is_number(json_object_get(row, key)))
		return percent(buf, size, NULL, "");
	number = json_number_value(json_object_get(row, key));
	compare_show_figure(text, sizeof(text), row, key);
	snprintf(buf, size, "%s%s", number >= 0 ? "+" : "", text);
	return buf;
}

const char *compare_show_size(char *buf, size_t size, const json_t *row, const char *which)
{
	char key[32];

	snprintf(key, sizeof(key), "%s_%s", which, by_ratio(row) ? "ratio" : "difference");
	if (by_ratio(row))
		return percent(buf, size, json_object_get(row, key), "%.2f %%");
	if (!json_is_number(json_object_get(row, key)))
		return percent(buf, size, NULL, "");
	return compare_show_figure(buf, size, row, key);
}

const char *compare_show_place(char *buf, size_t size, const json_t *row)
{
	const char *setup = str(row, "setup"), *part = str(row, "part");

	snprintf(buf, size, "%s%s%s", setup, *setup && *part ? ": " : "", part);
	return utf8_plain(buf);
}

static void print_side(FILE *out, const json_t *side)
{
	const json_t *kernels = json_object_get(side, "kernels"), *kernel;
	char kernel_names[256] = "";
	size_t used = 0, i;

	json_array_foreach(kernels, i, kernel) {
		if (used < sizeof(kernel_names))
			used += (size_t)snprintf(kernel_names + used, sizeof(kernel_names) - used, "%s%s",
						 i ? ", " : "", json_is_string(kernel) ?
						 json_string_value(kernel) : "?");
	}
	utf8_plain(kernel_names);
	fprintf(out, "%-6s%lld run%s of %zu file%s%s%s\n", str(side, "side"),
		(long long)json_integer_value(json_object_get(side, "runs")),
		json_integer_value(json_object_get(side, "runs")) == 1 ? "" : "s",
		json_array_size(json_object_get(side, "files")),
		json_array_size(json_object_get(side, "files")) == 1 ? "" : "s",
		*kernel_names ? ", kernel " : "", kernel_names);
}

static size_t print_verdict(FILE *out, const char *verdict)
{
	return color_put(out, !strcmp(verdict, "better") ? COLOR_GOOD : !strcmp(verdict, "worse") ? COLOR_BAD :
			 COLOR_NONE, verdict);
}

/* The reason of an inconclusive verdict is printed once, by print_counts(). */
static void print_row(FILE *out, const json_t *row)
{
	char base[64], new[64], change[64], size[64], smallest[80] = "";
	size_t column = (size_t)fprintf(out, "  %-19s %12s %12s %9s ", str(row, "metric"),
					compare_show_figure(base, sizeof(base), row, "base_median"),
					compare_show_figure(new, sizeof(new), row, "new_median"),
					compare_show_change(change, sizeof(change), row, ""));

	column += print_verdict(out, str(row, "verdict"));
	if (!strcmp(str(row, "why"), COMPARE_WHY_SPREAD))
		snprintf(smallest, sizeof(smallest), " <%s", compare_show_size(size, sizeof(size), row, "smallest"));
	fprintf(out, "%s\n", column + strlen(smallest) <= PAGE_WIDTH ? smallest : "");
}

/* With its interval, probability and noise. */
static void print_whole_row(FILE *out, const json_t *row)
{
	char base[64], new[64], change[64], low[64], high[64], interval[140], p[16], noise[64];
	const json_t *value = json_object_get(row, "p");

	snprintf(interval, sizeof(interval), "%s to %s",
		 compare_show_change(low, sizeof(low), row, "_low"),
		 compare_show_change(high, sizeof(high), row, "_high"));
	snprintf(p, sizeof(p), json_is_number(value) ? "%.4f" : "-", json_number_value(value));
	fprintf(out, "  %-24s %12s %12s %10s  %-22s %6s %8s  ", str(row, "metric"),
		compare_show_figure(base, sizeof(base), row, "base_median"),
		compare_show_figure(new, sizeof(new), row, "new_median"),
		compare_show_change(change, sizeof(change), row, ""), interval, p,
		compare_show_size(noise, sizeof(noise), row, "noise"));
	print_verdict(out, str(row, "verdict"));
	if (!strcmp(str(row, "why"), COMPARE_WHY_SPREAD))
		fprintf(out, " (below %s)", compare_show_size(noise, sizeof(noise), row, "smallest"));
	else if (*str(row, "why"))
		fprintf(out, " (%s)", str(row, "why"));
	fputc('\n', out);
}

static bool leads(const json_t *row)
{
	return json_is_true(json_object_get(row, "leads"));
}

/* A change is always shown, and what one side lacks. */
static bool is_told(const json_t *row)
{
	const char *verdict = str(row, "verdict");

	return (strcmp(verdict, "same") && strcmp(verdict, "inconclusive")) ||
	       json_is_null(json_object_get(row, "base_median")) ||
	       json_is_null(json_object_get(row, "new_median"));
}

static void print_head(FILE *out, const char *place, bool all)
{
	fprintf(out, "\n%s%s", place, *place ? "\n" : "");
	if (all)
		fprintf(out, "  %-24s %12s %12s %10s  %-22s %6s %8s  %s\n", "median of", "base", "new", "change",
			"95 % interval", "p", "noise", "verdict");
	else
		fprintf(out, "  %-19s %12s %12s %9s %s\n", "median of", "base", "new", "change", "verdict");
}

static void print_rows(FILE *out, const json_t *rows, bool whole)
{
	size_t same = 0, inconclusive = 0, i;
	char place[256], last[256] = "";
	bool any = false, all = true;
	json_t *row;

	/* Documents without a main figure are shown whole. */
	json_array_foreach(rows, i, row)
		all = all && !leads(row);
	json_array_foreach(rows, i, row) {
		if (!all && !leads(row) && !is_told(row)) {
			*(strcmp(str(row, "verdict"), "same") ? &inconclusive : &same) += 1;
			continue;
		}
		compare_show_place(place, sizeof(place), row);
		if (!any || strcmp(place, last))
			print_head(out, place, whole);
		strcpy(last, place);
		any = true;
		(whole ? print_whole_row : print_row)(out, row);
	}
	if (same + inconclusive)
		fprintf(out, "\n  %zu more figure%s: %zu same, %zu inconclusive (shown with --all)\n",
			same + inconclusive, same + inconclusive == 1 ? "" : "s", same, inconclusive);
}

/* Whether an earlier row than @at has the same reason. */
static bool is_told_before(const json_t *rows, size_t at)
{
	const json_t *row;
	size_t i;

	json_array_foreach(rows, i, row) {
		if (i == at)
			break;
		if (!strcmp(str(row, "why"), str(json_array_get(rows, at), "why")))
			return true;
	}
	return false;
}

/* "2 same, 5 inconclusive (fewer than 5 runs on a side)" */
static void print_counts(FILE *out, const json_t *comparison)
{
	const json_t *rows = json_object_get(comparison, "rows"), *row;
	const char *name, *blank = "", *why;
	char *text = NULL;
	size_t size, i;
	FILE *line = open_memstream(&text, &size);
	json_t *count;

	if (!line)
		return;
	json_object_foreach(json_object_get(comparison, "counts"), name, count) {
		if (!json_integer_value(count))
			continue;
		fprintf(line, "%s%lld %s", blank, (long long)json_integer_value(count), name);
		blank = ", ";
	}
	blank = " (";
	json_array_foreach(rows, i, row) {
		why = str(row, "why");
		if (!*why || !strcmp(why, COMPARE_WHY_SPREAD) || is_told_before(rows, i))
			continue;
		fprintf(line, "%s%s", blank, why);
		blank = "; ";
	}
	fputs(strcmp(blank, "; ") ? "" : ")", line);
	fclose(line);
	text_wrapped(out, 0, text);
	free(text);
}

void text_comparison(FILE *out, const json_t *comparison, bool all)
{
	json_t *side;
	size_t i;

	json_array_foreach(json_object_get(comparison, "sides"), i, side)
		print_side(out, side);
	print_rows(out, json_object_get(comparison, "rows"), all);
	fputc('\n', out);
	print_counts(out, comparison);
}

/* A '#' would start a directive. */
static void ktap_name(char *buf, size_t size, const json_t *row)
{
	char place[256], *p;

	compare_show_place(place, sizeof(place), row);
	snprintf(buf, size, "%s%s%s", place, *place ? ": " : "", str(row, "metric"));
	for (p = buf; *p; p++) {
		if (*p == '#' || *p == '\\')
			*p = '?';
	}
}

static void ktap_row(json_t *lines, size_t number, const json_t *row)
{
	bool untold = !strcmp(str(row, "verdict"), "inconclusive");
	bool failed = !strcmp(str(row, "verdict"), "worse") &&
		      json_is_true(json_object_get(row, "beyond_threshold"));
	char name[320], base[64], new[64], change[64], low[64], high[64], noise[64], smallest[64];

	ktap_name(name, sizeof(name), row);
	json_array_append_new(lines, json_sprintf(
		"# %s: %s to %s, %s (95 %%: %s to %s), noise %s: %s", name,
		compare_show_figure(base, sizeof(base), row, "base_median"),
		compare_show_figure(new, sizeof(new), row, "new_median"),
		compare_show_change(change, sizeof(change), row, ""),
		compare_show_change(low, sizeof(low), row, "_low"),
		compare_show_change(high, sizeof(high), row, "_high"),
		compare_show_size(noise, sizeof(noise), row, "noise"), str(row, "verdict")));
	compare_show_size(smallest, sizeof(smallest), row, "smallest");
	json_array_append_new(lines, !untold ?
		json_sprintf("%s %zu %s", failed ? "not ok" : "ok", number, name) :
		json_sprintf("ok %zu %s # SKIP inconclusive: %s; smallest detectable change %s",
			     number, name, str(row, "why"), smallest));
}

void compare_ktap(struct result *res)
{
	json_t *tree = result_tree(res), *lines = json_array(), *row;
	json_t *rows = json_object_get(json_object_get(tree, "comparison"), "rows");
	size_t i;

	if (!rows) {
		json_decref(lines);
		return;
	}
	json_array_append_new(lines, json_string("KTAP version 1"));
	json_array_append_new(lines, json_sprintf("1..%zu", json_array_size(rows)));
	json_array_foreach(rows, i, row)
		ktap_row(lines, i + 1, row);
	json_object_set_new(tree, "ktap", lines);
}
