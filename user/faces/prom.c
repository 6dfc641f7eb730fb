// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faces/prom.c - output for Prometheus.
 */
#include "faces/prom.h"

#include <ctype.h>
#include <string.h>

#include <jansson.h>

#include "faces/prom_parts.h"
#include "lib/array.h"
#include "lib/utf8.h"
#include "result/metrics.h"
#include "result/part.h"
#include "result/tree.h"

#define MINUTE_NS	60e9

static bool ends_with(const char *text, const char *end)
{
	return strlen(text) >= strlen(end) && !strcmp(text + strlen(text) - strlen(end), end);
}

double prom_family(char *buf, size_t size, const char *key, bool counter)
{
	bool is_ns = ends_with(key, "_ns");
	/* Prometheus has the ending for histograms and summaries. */
	int cut = is_ns ? 3 : !counter && ends_with(key, "_count") ? 6 : 0;
	char *p;

	snprintf(buf, size, "ethgauge_%.*s%s%s", (int)strlen(key) - cut, key,
		 is_ns ? "_seconds" : "", counter ? "_total" : "");
	for (p = buf; *p; p++) {
		if (!isalnum((unsigned char)*p))
			*p = '_';
	}
	return is_ns ? 1e-9 : 1;
}

/* As the format wants it; names of interfaces may hold anything but blanks and '/'. */
static void escaped(FILE *out, const char *text, bool quotes)
{
	const char *end = text + strlen(text);
	size_t bytes;

	for (; text < end; text += bytes) {
		if (!utf8_is_plain(text, (size_t)(end - text), &bytes))
			fputs(*text == '\n' ? "\\n" : "?", out);
		else if (*text == '\\' || (quotes && *text == '"'))
			fprintf(out, "\\%c", *text);
		else
			fwrite(text, 1, bytes, out);
	}
}

void prom_label(FILE *out, const char *comma, const char *name, const char *value)
{
	fprintf(out, "%s%s=\"", comma, name);
	escaped(out, value, true);
	fputc('"', out);
}

void prom_part_labels(FILE *out, const json_t *doc)
{
	static const char *const labels[] = { "iface", "kind", "direction", "end" };
	const char *name = json_string_value(json_object_get(doc, "name")), *comma = "";
	enum part_kind kind = part_kind(doc);
	size_t i;

	if (kind == PART_INTERFACE || kind == PART_TRIPS) {
		for (i = 0; i < ARRAY_SIZE(labels); i++) {
			if (!*part_label(doc, labels[i]))
				continue;
			prom_label(out, comma, labels[i], part_label(doc, labels[i]));
			comma = ",";
		}
	} else if (name) {
		prom_label(out, "", "part", name);
	}
}

void prom_head(FILE *out, const char *name, const char *type, const char *what)
{
	fprintf(out, "# HELP %s ", name);
	escaped(out, what, false);
	fprintf(out, "\n# TYPE %s %s\n", name, type);
}

void prom_number(FILE *out, const json_t *value, double scale)
{
	if (json_is_integer(value) && scale == 1)
		fprintf(out, " %lld\n", (long long)json_integer_value(value));
	else
		fprintf(out, " %.12g\n", json_number_value(value) * scale);
}

const json_t *prom_document(const json_t *tree, size_t i)
{
	return i ? json_array_get(json_object_get(tree, "parts"), i - 1) : tree;
}

/* The row of the last minute where @metric is highest, or the newest. NULL: it is in no row. */
static const json_t *of_rows(const json_t *doc, const struct metric *metric)
{
	const json_t *series = json_object_get(doc, "series"), *row, *value, *found;
	size_t i = json_array_size(series);
	double newest_ns;

	if (!i)
		return NULL;
	row = json_array_get(series, i - 1);
	newest_ns = json_number_value(json_object_get(row, "elapsed_ns"));
	found = json_object_get(row, metric->key);
	while (found && metric->peak && i-- > 0) {
		row = json_array_get(series, i);
		if (newest_ns - json_number_value(json_object_get(row, "elapsed_ns")) >= MINUTE_NS)
			break;
		value = json_object_get(row, metric->key);
		if (json_number_value(value) > json_number_value(found))
			found = value;
	}
	return found;
}

static const json_t *value_of(const json_t *doc, const struct metric *metric)
{
	const json_t *value = metric_adds_up(metric) ? NULL : of_rows(doc, metric);
	bool is_rate = metric->unit == UNIT_PPS || metric->unit == UNIT_BPS;

	/* Next to current rates, means since the start would be mistaken for them. */
	if (!value && is_rate && json_object_get(doc, "series"))
		return NULL;
	if (!value)
		value = json_object_get(json_object_get(doc, "metrics"), metric->key);
	if (!value)
		value = json_object_get(json_object_get(doc, "self"), metric->key);
	return json_is_number(value) ? value : NULL;
}

/* The distribution of which @metric is the count, the mean or a percentile. */
static const json_t *hist_of(const json_t *doc, const struct metric *metric)
{
	char key[64];

	if (!metric->family)
		return NULL;
	snprintf(key, sizeof(key), "%s_ns", metric->family);
	return json_object_get(json_object_get(doc, "histograms"), key);
}

static void figure(FILE *out, const json_t *tree, const struct metric *metric)
{
	const json_t *doc, *value;
	bool counter = metric_adds_up(metric), any = false;
	double scale;
	char name[128];
	size_t i;

	scale = prom_family(name, sizeof(name), metric->key, counter);
	for (i = 0; (doc = prom_document(tree, i)); i++) {
		value = value_of(doc, metric);
		/* A histogram has all but the deviation, which its buckets are too coarse for. */
		if (!value || (hist_of(doc, metric) && metric->stat != DIST_STDDEV))
			continue;
		if (!any)
			prom_head(out, name, counter ? "counter" : "gauge", metric->what);
		any = true;
		fprintf(out, "%s{", name);
		prom_part_labels(out, doc);
		fputc('}', out);
		prom_number(out, value, scale);
	}
}

static void bucket(FILE *out, const json_t *doc, const char *name, const char *le, uint64_t count)
{
	fprintf(out, "%s_bucket{", name);
	prom_part_labels(out, doc);
	fprintf(out, "%sle=\"%s\"} %llu\n", json_object_get(doc, "name") ? "," : "", le,
		(unsigned long long)count);
}

/*
 * Bounds are powers of 4 ns from 256 ns to 69 s, where buckets of the result
 * begin; a time that is a bound to the nanosecond counts as above it.
 */
static void hist_samples(FILE *out, const json_t *doc, const char *name, const json_t *hist,
			 const json_t *mean)
{
	const json_t *buckets = json_object_get(hist, "buckets");
	uint64_t count = 0, bound_ns;
	char text[64];
	size_t i = 0;

	for (bound_ns = 1ull << 8; bound_ns <= 1ull << 36; bound_ns <<= 2) {
		for (; i < json_array_size(buckets); i++) {
			const json_t *at = json_array_get(buckets, i);

			if ((uint64_t)json_integer_value(json_array_get(at, 0)) >= bound_ns)
				break;
			count += (uint64_t)json_integer_value(json_array_get(at, 1));
		}
		snprintf(text, sizeof(text), "%.12g", (double)bound_ns / 1e9);
		bucket(out, doc, name, text, count);
	}
	for (; i < json_array_size(buckets); i++)
		count += (uint64_t)json_integer_value(json_array_get(json_array_get(buckets, i), 1));
	count += (uint64_t)json_integer_value(json_object_get(hist, "above"));
	bucket(out, doc, name, "+Inf", count);
	fprintf(out, "%s_sum{", name);
	prom_part_labels(out, doc);
	fprintf(out, "} %.12g\n%s_count{", json_number_value(mean) * (double)count / 1e9, name);
	prom_part_labels(out, doc);
	fprintf(out, "} %llu\n", (unsigned long long)count);
}

/* The histograms of the distribution that @metric is the mean of. */
static void histogram(FILE *out, const json_t *tree, const struct metric *metric)
{
	char name[128], what[128];
	const json_t *doc, *hist;
	bool any = false;
	size_t i;

	if (!metric->family || metric->stat != DIST_MEAN)
		return;
	snprintf(name, sizeof(name), "ethgauge_%s_seconds", metric->family);
	snprintf(what, sizeof(what), "histogram of the figure whose mean is: %s", metric->what);
	for (i = 0; (doc = prom_document(tree, i)); i++) {
		hist = hist_of(doc, metric);
		if (!hist)
			continue;
		if (!any)
			prom_head(out, name, "histogram", what);
		any = true;
		hist_samples(out, doc, name, hist, json_object_get(json_object_get(doc, "metrics"), metric->key));
	}
}

void prom_result(FILE *out, const struct result *res)
{
	const json_t *tree = result_tree(res);
	const struct metric *metric;
	size_t i;

	prom_head(out, "ethgauge_info", "gauge", "always 1; the version of the tool is its label");
	fputs("ethgauge_info{", out);
	prom_label(out, "", "version", TOOL_VERSION);
	fputs("} 1\n", out);
	for (i = 0; (metric = metric_at(i)); i++) {
		figure(out, tree, metric);
		histogram(out, tree, metric);
	}
	prom_entries(out, tree);
	prom_flows(out, tree);
}
