// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faces/prom_tables.c - tables for Prometheus: entries, and flows, whose number is bounded.
 */
#include <ctype.h>
#include <string.h>

#include "faces/prom_parts.h"
#include "lib/array.h"
#include "result/metrics.h"
#include "result/part.h"

#define MAX_COLUMNS	64	/* of entries, all kinds together */
#define MAX_ENTRIES	512	/* of a part and kind: each is a time series for the server */

/* There may be millions of flows, and each would remain a time series forever. */
static bool is_bounded(const char *by)
{
	return strncmp(by, "flow", 4) && strncmp(by, "prefix", 6);
}

/* Figures of a flow, the two of a family in sequence. */
static const struct {
	const char *key, *name, *type, *label, *value, *what;
} flow_figures[] = {
	{ "tx_packets", "flow_packets_total", "counter", "direction", "tx",
	  "packets of a flow in the --top list" },
	{ "rx_packets", "flow_packets_total", NULL, "direction", "rx" },
	{ "tx_bytes", "flow_bytes_total", "counter", "direction", "tx",
	  "bytes of its frames, with FCS" },
	{ "rx_bytes", "flow_bytes_total", NULL, "direction", "rx" },
	{ "tx_retransmitted", "flow_retransmitted_packets_total", "counter", "direction", "tx",
	  "TCP segments retransmitted" },
	{ "rx_retransmitted", "flow_retransmitted_packets_total", NULL, "direction", "rx" },
	{ "tx_zero_windows", "flow_zero_window_packets_total", "counter", "direction", "tx",
	  "TCP packets with a zero window" },
	{ "rx_zero_windows", "flow_zero_window_packets_total", NULL, "direction", "rx" },
	{ "rtt_far_mean_ns", "flow_rtt_seconds", "summary", "end", "far",
	  "round trips from the interface to one end and back" },
	{ "rtt_near_mean_ns", "flow_rtt_seconds", NULL, "end", "near" },
};

#define FIRST_OF_TCP	4

static void flow_labels(FILE *out, const json_t *doc, const json_t *entry, size_t figure)
{
	static const char *const names[] = { "near", "far", "proto" };
	size_t i;

	fputc('{', out);
	prom_label(out, "", "iface", part_label(doc, "iface"));
	for (i = 0; i < ARRAY_SIZE(names); i++)
		prom_label(out, ",", names[i], json_string_value(json_object_get(entry, names[i])) ?: "");
	prom_label(out, ",", flow_figures[figure].label, flow_figures[figure].value);
	fputc('}', out);
}

/* Mean and count become Prometheus' sum and count. */
static void flow_sample(FILE *out, const json_t *doc, const json_t *entry, size_t i)
{
	const char *end = flow_figures[i].value;
	char key[64];
	double count, mean_ns;

	if (strcmp(flow_figures[i].label, "end")) {
		fprintf(out, "ethgauge_%s", flow_figures[i].name);
		flow_labels(out, doc, entry, i);
		prom_number(out, json_object_get(entry, flow_figures[i].key), 1);
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

/* Entry @at of @entries is a flow that has this figure, and was not written before. */
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
	/* A flow that was evicted and came back is listed twice. */
	for (i = 0; i < at; i++) {
		if (is_same_flow(json_array_get(entries, i), entry))
			return false;
	}
	return json_is_number(json_object_get(entry, key));
}

/* The flows that the result names, at most MAX_ENTRIES per interface. */
void prom_flows(FILE *out, const json_t *tree)
{
	const json_t *doc, *entries;
	char name[96];
	bool any = false;
	size_t i, k, at;

	for (i = 0; i < ARRAY_SIZE(flow_figures); i++) {
		any &= !flow_figures[i].type;
		for (k = 0; (doc = prom_document(tree, k)); k++) {
			entries = json_object_get(doc, "entries");
			for (at = 0; at < json_array_size(entries) && at < MAX_ENTRIES; at++) {
				if (!has_figure(entries, at, i))
					continue;
				snprintf(name, sizeof(name), "ethgauge_%s", flow_figures[i].name);
				if (!any)
					prom_head(out, name, flow_figures[i & ~1u].type,
					     flow_figures[i & ~1u].what);
				any = true;
				flow_sample(out, doc, json_array_get(entries, at), i);
			}
		}
	}
}

/* Already written: the format allows a series once. */
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
		prom_part_labels(out, doc);
		prom_label(out, json_object_get(doc, "name") ? "," : "", label_name, which);
		fputc('}', out);
		prom_number(out, value, scale);
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

	for (i = 0; (doc = prom_document(tree, i)); i++) {
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

void prom_entries(FILE *out, const json_t *tree)
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
		counter = metric ? metric_adds_up(metric) :
			  !strcmp(all[i].key, "packets") || !strcmp(all[i].key, "bytes");
		snprintf(key, sizeof(key), "%s_%s", all[i].by, all[i].key);
		scale = prom_family(name, sizeof(name), key, counter);
		snprintf(what, sizeof(what), "%s, for each %s", metric ? metric->label : all[i].key,
			 all[i].by);
		prom_head(out, name, counter ? "counter" : "gauge", what);
		for (k = 0; (doc = prom_document(tree, k)); k++)
			column_samples(out, doc, all[i].by, all[i].key, name, scale);
	}
}
