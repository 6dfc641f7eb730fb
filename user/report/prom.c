// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report/prom.c - the face for Prometheus.
 */
#include "report/prom.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "report/metrics.h"
#include "report/tree.h"

#define MINUTE_NS	60e9
#define MAX_COLUMNS	64	/* of entries, all kinds together */
#define MAX_ENTRIES	512	/* of a part and kind: each is a time series for the server */

static bool ends_with(const char *text, const char *end)
{
	return strlen(text) >= strlen(end) && !strcmp(text + strlen(text) - strlen(end), end);
}

/*
 * Writes the family's name of @key; returns what its values are to be multiplied
 * with: Prometheus wants seconds, and the unit in the name.
 */
static double family(char *buf, size_t size, const char *key, bool counter)
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
	for (; *text; text++) {
		if (*text == '\n')
			fputs("\\n", out);
		else if (*text == '\\' || (quotes && *text == '"'))
			fprintf(out, "\\%c", *text);
		else
			fputc(*text, out);
	}
}

static void label(FILE *out, const char *comma, const char *name, const char *value)
{
	fprintf(out, "%s%s=\"", comma, name);
	escaped(out, value, true);
	fputc('"', out);
}

/*
 * "eth0 rx" is an interface and a direction, "eth0 dns far" a kind of round trips to an end;
 * any other part has its name, so that nobody adds up what is counted twice.
 */
static void part_labels(FILE *out, const json_t *doc)
{
	static const struct {
		const char *end, *name;
	} known[] = {
		{ " rx", "direction" }, { " tx", "direction" }, { " far", "end" }, { " near", "end" },
	};
	const char *name = json_string_value(json_object_get(doc, "name")), *kind;
	char iface[96];
	size_t i, len;

	if (!name)
		return;
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (!ends_with(name, known[i].end) || strlen(name) >= sizeof(iface))
			continue;
		len = strlen(name) - strlen(known[i].end);
		snprintf(iface, sizeof(iface), "%.*s", (int)len, name);
		kind = strcmp(known[i].name, "end") ? NULL : strchr(iface, ' ');
		if (kind)
			iface[kind - iface] = '\0';
		label(out, "", "iface", iface);
		if (kind)
			label(out, ",", "kind", kind + 1);
		label(out, ",", known[i].name, name + len + 1);
		return;
	}
	label(out, "", "part", name);
}

static void head(FILE *out, const char *name, const char *type, const char *what)
{
	fprintf(out, "# HELP %s ", name);
	escaped(out, what, false);
	fprintf(out, "\n# TYPE %s %s\n", name, type);
}

static void number(FILE *out, const json_t *value, double scale)
{
	if (json_is_integer(value) && scale == 1)
		fprintf(out, " %lld\n", (long long)json_integer_value(value));
	else
		fprintf(out, " %.12g\n", json_number_value(value) * scale);
}

/* Document @i of the result: itself, then its parts. NULL behind the last. */
static const json_t *document(const json_t *tree, size_t i)
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

static bool is_counter(const struct metric *metric)
{
	return (metric->unit == UNIT_COUNT || metric->unit == UNIT_BYTES) && !metric->level;
}

static const json_t *value_of(const json_t *doc, const struct metric *metric)
{
	const json_t *value = is_counter(metric) ? NULL : of_rows(doc, metric);
	bool is_rate = metric->unit == UNIT_PPS || metric->unit == UNIT_BPS;

	/* Beside rates of now, means since the start would be taken for such. */
	if (!value && is_rate && json_object_get(doc, "series"))
		return NULL;
	if (!value)
		value = json_object_get(json_object_get(doc, "metrics"), metric->key);
	if (!value)
		value = json_object_get(json_object_get(doc, "self"), metric->key);
	return json_is_number(value) ? value : NULL;
}

/* Count, mean and percentiles of @key are told by a histogram. */
static bool told_by_hist(const json_t *doc, const char *key)
{
	const char *hist;
	json_t *value;

	json_object_foreach(json_object_get(doc, "histograms"), hist, value) {
		if (ends_with(hist, "_ns") && !strncmp(key, hist, strlen(hist) - 2))
			return true;
	}
	return false;
}

static void figure(FILE *out, const json_t *tree, const struct metric *metric)
{
	const json_t *doc, *value;
	bool counter = is_counter(metric), any = false;
	double scale;
	char name[128];
	size_t i;

	scale = family(name, sizeof(name), metric->key, counter);
	for (i = 0; (doc = document(tree, i)); i++) {
		value = value_of(doc, metric);
		if (!value || told_by_hist(doc, metric->key))
			continue;
		if (!any)
			head(out, name, counter ? "counter" : "gauge", metric->what);
		any = true;
		fprintf(out, "%s{", name);
		part_labels(out, doc);
		fputc('}', out);
		number(out, value, scale);
	}
}

static void bucket(FILE *out, const json_t *doc, const char *name, const char *le, uint64_t count)
{
	fprintf(out, "%s_bucket{", name);
	part_labels(out, doc);
	fprintf(out, "%sle=\"%s\"} %llu\n", json_object_get(doc, "name") ? "," : "", le,
		(unsigned long long)count);
}

/*
 * Bounds are powers of 4 ns from 256 ns to 69 s, where buckets of the result
 * begin; a time that is a bound to the nanosecond counts as above it.
 */
static void hist_samples(FILE *out, const json_t *doc, const char *name, const char *key,
			 const json_t *hist)
{
	const json_t *buckets = json_object_get(hist, "buckets"), *mean;
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
	snprintf(text, sizeof(text), "%.*smean_ns", (int)strlen(key) - 2, key);
	mean = json_object_get(json_object_get(doc, "metrics"), text);
	fprintf(out, "%s_sum{", name);
	part_labels(out, doc);
	fprintf(out, "} %.12g\n%s_count{", json_number_value(mean) * (double)count / 1e9, name);
	part_labels(out, doc);
	fprintf(out, "} %llu\n", (unsigned long long)count);
}

/* The histograms that begin with the mean @metric: "gap_mean_ns" is the mean of "gap_ns". */
static void histogram(FILE *out, const json_t *tree, const struct metric *metric)
{
	const json_t *doc, *hist;
	bool any = false;
	char key[64], name[128], what[128];
	size_t i;

	if (!ends_with(metric->key, "_mean_ns") || strlen(metric->key) >= sizeof(key))
		return;
	snprintf(key, sizeof(key), "%.*sns", (int)(strlen(metric->key) - strlen("mean_ns")),
		 metric->key);
	snprintf(what, sizeof(what), "distribution of the figure whose mean is: %s", metric->what);
	family(name, sizeof(name), key, false);
	for (i = 0; (doc = document(tree, i)); i++) {
		hist = json_object_get(json_object_get(doc, "histograms"), key);
		if (!hist)
			continue;
		if (!any)
			head(out, name, "histogram", what);
		any = true;
		hist_samples(out, doc, name, key, hist);
	}
}

/* Of flows there may be millions, and each would be a time series for ever. */
static bool is_bounded(const char *by)
{
	return strncmp(by, "flow", 4) && strncmp(by, "prefix", 6);
}

/* Figures of a flow, the two of a family behind each other. */
static const struct {
	const char *key, *name, *type, *label, *value, *what;
} flow_figures[] = {
	{ "tx_packets", "flow_packets_total", "counter", "direction", "tx",
	  "packets of one of the flows that --top names" },
	{ "rx_packets", "flow_packets_total", NULL, "direction", "rx" },
	{ "tx_bytes", "flow_bytes_total", "counter", "direction", "tx",
	  "bytes of its frames, with FCS" },
	{ "rx_bytes", "flow_bytes_total", NULL, "direction", "rx" },
	{ "tx_retransmitted", "flow_retransmitted_packets_total", "counter", "direction", "tx",
	  "packets that TCP sent again" },
	{ "rx_retransmitted", "flow_retransmitted_packets_total", NULL, "direction", "rx" },
	{ "tx_zero_windows", "flow_zero_window_packets_total", "counter", "direction", "tx",
	  "packets that closed TCP's window" },
	{ "rx_zero_windows", "flow_zero_window_packets_total", NULL, "direction", "rx" },
	{ "rtt_far_mean_ns", "flow_rtt_seconds", "summary", "end", "far",
	  "round trips from the interface to one end and back" },
	{ "rtt_near_mean_ns", "flow_rtt_seconds", NULL, "end", "near" },
};

#define FIRST_OF_TCP	4

static void flow_labels(FILE *out, const json_t *doc, const json_t *entry, size_t figure)
{
	static const char *const names[] = { "near", "far", "proto" };
	const char *part = json_string_value(json_object_get(doc, "name")) ?: "";
	char iface[96];
	size_t i;

	/* Behind the interface is " flows". */
	snprintf(iface, sizeof(iface), "%.*s", (int)strcspn(part, " "), part);
	fputc('{', out);
	label(out, "", "iface", iface);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		label(out, ",", names[i], json_string_value(json_object_get(entry, names[i])) ?: "");
	label(out, ",", flow_figures[figure].label, flow_figures[figure].value);
	fputc('}', out);
}

/* A mean and a count are told as Prometheus' sum and count. */
static void flow_sample(FILE *out, const json_t *doc, const json_t *entry, size_t i)
{
	const char *end = flow_figures[i].value;
	char key[64];
	double count, mean_ns;

	if (strcmp(flow_figures[i].label, "end")) {
		fprintf(out, "ethgauge_%s", flow_figures[i].name);
		flow_labels(out, doc, entry, i);
		number(out, json_object_get(entry, flow_figures[i].key), 1);
		return;
	}
	mean_ns = json_number_value(json_object_get(entry, flow_figures[i].key));
	snprintf(key, sizeof(key), "rtt_%s_count", end);
	count = json_number_value(json_object_get(entry, key));
	fprintf(out, "ethgauge_%s_sum", flow_figures[i].name);
	flow_labels(out, doc, entry, i);
	fprintf(out, " %.12g\nethgauge_%s_count", mean_ns * count / 1e9, flow_figures[i].name);
	flow_labels(out, doc, entry, i);
	fprintf(out, " %.12g\n", count);
}

static bool is_same_flow(const json_t *a, const json_t *b)
{
	return json_equal(json_object_get(a, "near"), json_object_get(b, "near")) &&
	       json_equal(json_object_get(a, "far"), json_object_get(b, "far")) &&
	       json_equal(json_object_get(a, "proto"), json_object_get(b, "proto"));
}

/* Entry @at of @entries is a flow that has this figure, and was not told before. */
static bool has_figure(const json_t *entries, size_t at, size_t figure)
{
	const json_t *entry = json_array_get(entries, at);
	const char *proto = json_string_value(json_object_get(entry, "proto")), *key;
	size_t i;

	if (!proto || !json_is_string(json_object_get(entry, "near")))
		return false;
	key = flow_figures[figure].key;
	if (!json_number_value(json_object_get(entry, key)) && strcmp(proto, "tcp") &&
	    figure >= FIRST_OF_TCP)
		return false;
	/* One that made room and came back is there twice. */
	for (i = 0; i < at; i++) {
		if (is_same_flow(json_array_get(entries, i), entry))
			return false;
	}
	return json_is_number(json_object_get(entry, key));
}

/* Those that the result names, MAX_ENTRIES an interface at most. */
static void flows(FILE *out, const json_t *tree)
{
	const json_t *doc, *entries;
	char name[96];
	bool any = false;
	size_t i, k, at;

	for (i = 0; i < sizeof(flow_figures) / sizeof(flow_figures[0]); i++) {
		any &= !flow_figures[i].type;
		for (k = 0; (doc = document(tree, k)); k++) {
			entries = json_object_get(doc, "entries");
			for (at = 0; at < json_array_size(entries) && at < MAX_ENTRIES; at++) {
				if (!has_figure(entries, at, i))
					continue;
				snprintf(name, sizeof(name), "ethgauge_%s", flow_figures[i].name);
				if (!any)
					head(out, name, flow_figures[i & ~1u].type,
					     flow_figures[i & ~1u].what);
				any = true;
				flow_sample(out, doc, json_array_get(entries, at), i);
			}
		}
	}
}

/* Told before: the format allows a series once. */
static bool is_repeated(const json_t *entries, size_t index, const json_t *entry)
{
	const json_t *other;
	size_t i;

	json_array_foreach(entries, i, other) {
		if (i == index)
			break;
		if (json_equal(json_object_get(other, "by"), json_object_get(entry, "by")) &&
		    json_equal(json_object_get(other, "value"), json_object_get(entry, "value")))
			return true;
	}
	return false;
}

static void column_samples(FILE *out, const json_t *doc, const char *by, const char *column,
			   const char *name, double scale)
{
	const json_t *entries = json_object_get(doc, "entries"), *entry, *value;
	const char *which;
	size_t i, nr = 0;
	char label_name[64], *p;

	snprintf(label_name, sizeof(label_name), "%s", by);
	for (p = label_name; *p; p++) {
		if (!isalnum((unsigned char)*p))
			*p = '_';
	}
	json_array_foreach(entries, i, entry) {
		which = json_string_value(json_object_get(entry, "value"));
		value = json_object_get(entry, column);
		if (!which || !json_is_number(value) || nr == MAX_ENTRIES ||
		    strcmp(by, json_string_value(json_object_get(entry, "by")) ?: "") ||
		    is_repeated(entries, i, entry))
			continue;
		fprintf(out, "%s{", name);
		part_labels(out, doc);
		label(out, json_object_get(doc, "name") ? "," : "", label_name, which);
		fputc('}', out);
		number(out, value, scale);
		nr++;
	}
}

struct column {
	const char *by, *key;
};

/* @all becomes the kinds of entries with their columns of numbers; returns how many. */
static size_t collect_columns(const json_t *tree, struct column all[MAX_COLUMNS])
{
	const json_t *doc, *entry;
	size_t nr = 0, i, k, at;
	const char *by, *key;
	json_t *value;

	for (i = 0; (doc = document(tree, i)); i++) {
		json_array_foreach(json_object_get(doc, "entries"), k, entry) {
			by = json_string_value(json_object_get(entry, "by"));
			if (!by || !is_bounded(by))
				continue;
			json_object_foreach((json_t *)entry, key, value) {
				for (at = 0; at < nr; at++) {
					if (!strcmp(all[at].by, by) && !strcmp(all[at].key, key))
						break;
				}
				if (at == nr && nr < MAX_COLUMNS && json_is_number(value))
					all[nr++] = (struct column){ by, key };
			}
		}
	}
	return nr;
}

static void entries(FILE *out, const json_t *tree)
{
	struct column all[MAX_COLUMNS];
	size_t nr = collect_columns(tree, all), i, k;
	const struct metric *metric;
	const json_t *doc;
	char key[96], name[160], what[160];
	bool counter;
	double scale;

	for (i = 0; i < nr; i++) {
		metric = metric_find(all[i].key);
		counter = metric ? is_counter(metric) :
			  !strcmp(all[i].key, "packets") || !strcmp(all[i].key, "bytes");
		snprintf(key, sizeof(key), "%s_%s", all[i].by, all[i].key);
		scale = family(name, sizeof(name), key, counter);
		snprintf(what, sizeof(what), "%s, for each %s", metric ? metric->label : all[i].key,
			 all[i].by);
		head(out, name, counter ? "counter" : "gauge", what);
		for (k = 0; (doc = document(tree, k)); k++)
			column_samples(out, doc, all[i].by, all[i].key, name, scale);
	}
}

void prom_result(FILE *out, const struct result *res)
{
	const json_t *tree = result_tree(res);
	const struct metric *metric;
	size_t i;

	head(out, "ethgauge_info", "gauge", "always 1; the version of the tool is its label");
	fputs("ethgauge_info{", out);
	label(out, "", "version", TOOL_VERSION);
	fputs("} 1\n", out);
	for (i = 0; (metric = metric_at(i)); i++) {
		figure(out, tree, metric);
		histogram(out, tree, metric);
	}
	entries(out, tree);
	flows(out, tree);
}
