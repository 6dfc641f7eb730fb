// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * compare/compare_rows.c - collect the figures of the documents and judge them.
 */
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare_judge.h"
#include "compare/compare_set.h"
#include "lib/array.h"
#include "lib/utf8.h"
#include "result/metrics.h"

/* Percentiles are rounded to buckets of at most this width (abi/hist.h). */
#define BUCKET_RATIO (1. / 64)

/* Copied from the calibration: the same figure in each result. */
#define CITED "calibrated_"

/* The figures that text shows also if they did not change: of each fact one, of a delay two. */
static const char *const leading[] = {
	"received_pps", "answered_pps", "throughput_pps", "payload_received_bps", "transactions_per_s",
	"load_transactions_per_s", "load_connections_per_s",
	"lost_ratio", "datagrams_lost_ratio", "tcp_retransmits", "load_failed",
	"delay_p50_ns", "delay_p99_ns", "rtt_p50_ns", "rtt_p99_ns",
	"load_response_p50_ns", "load_response_p99_ns",
	"sender_packet_cpu_ns", "client_service_kib_ns", "client_service_transaction_ns",
};

static bool leads(const struct compare_cfg *cfg, const struct metric *metric)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(leading); i++) {
		if (!strcmp(leading[i], metric->key))
			return true;
	}
	return cfg->all || cfg->nr_metrics;
}

static bool is_asked(const struct compare_cfg *cfg, const struct metric *metric, bool own)
{
	unsigned int i;

	if (!strncmp(metric->key, CITED, strlen(CITED)))
		return false;
	for (i = 0; i < cfg->nr_metrics; i++) {
		if (!fnmatch(cfg->metrics[i], metric->key, 0))
			return true;
	}
	return !cfg->nr_metrics && (cfg->all || (!own && metric->better != METRIC_NEITHER));
}

/* The list of a figure's values of @side: parts by path, figures by key, three lists each. */
static json_t *values_of(json_t *parts, const char *path, const char *key, enum compare_side side)
{
	/* If memory ran out here, the lookup fails, too. */
	if (!json_object_get(parts, path))
		json_object_set_new(parts, path, json_object());
	parts = json_object_get(parts, path);
	if (!json_object_get(parts, key))
		json_object_set_new(parts, key, json_pack("[[], [], []]"));
	return json_array_get(json_object_get(parts, key), side);
}

struct gather {
	const struct compare_cfg *cfg;
	enum compare_side side;
	json_t *parts;
	json_t *unknown;
};

static void gather_section(const struct gather *g, const json_t *doc, const char *section,
			   const char *path)
{
	bool own = !strcmp(section, "self");
	const char *key;
	json_t *value;

	json_object_foreach(json_object_get(doc, section), key, value) {
		const struct metric *metric = metric_find(key);
		double number = json_is_true(value) ? 1 : json_number_value(value);

		if (!(json_is_number(value) || json_is_boolean(value)) || !isfinite(number))
			continue;
		if (!metric)
			json_object_set_new(g->unknown, key, json_true());
		else if (is_asked(g->cfg, metric, own))
			json_array_append_new(values_of(g->parts, path, key, g->side),
					      json_real(number));
	}
}

static void gather_doc(const struct gather *g, const json_t *doc, const char *path)
{
	json_t *part;
	size_t i;

	gather_section(g, doc, "metrics", path);
	gather_section(g, doc, "self", path);
	json_array_foreach(json_object_get(doc, "parts"), i, part) {
		const char *name = json_string_value(json_object_get(part, "name"));
		char inner[1024];

		snprintf(inner, sizeof(inner), "%s%s%s", path, *path ? " / " : "", name ? name : "?");
		utf8_plain(inner);
		gather_doc(g, part, inner);
	}
}

/* The caller frees the values; NULL: no memory. */
static struct stat_sample sample_of(const json_t *sides, enum compare_side side)
{
	const json_t *list = json_array_get(sides, side);
	double *values = malloc((json_array_size(list) + 1) * sizeof(*values));
	struct stat_sample sample = { .values = values, .nr = json_array_size(list) };
	size_t i;

	for (i = 0; values && i < sample.nr; i++)
		values[i] = json_real_value(json_array_get(list, i));
	return sample;
}

static void set_real(json_t *row, const char *kind, const char *what, double value)
{
	char key[64];

	snprintf(key, sizeof(key), "%s%s", kind, what);
	json_object_set_new(row, key, isfinite(value) ? json_real(value) : json_null());
}

/* A change as a factor, or as a difference. */
static void set_changes(json_t *row, const struct compare_judgement *j)
{
	double one = j->by_ratio ? 1 : 0;
	const char *kind = j->by_ratio ? "ratio" : "difference";

	set_real(row, kind, "", one + j->change);
	set_real(row, kind, "_low", one + j->low);
	set_real(row, kind, "_high", one + j->high);
	set_real(row, "noise_", kind, one + j->noise);
	set_real(row, "smallest_", kind, one + j->smallest);
}

/* All figures of a group: parts by path, figures by key, a list of values for each side. */
struct figures {
	const struct compare_group *group;
	json_t *parts;
	size_t pairs;		/* runs a side that were taken in turn; 0: they were not */
};

static bool is_bucketed(const char *key)
{
	const char *p = strstr(key, "_p");

	return p && p[2] >= '0' && p[2] <= '9';
}

static json_t *judge(const struct compare *cmp, const struct figures *all, const char *path,
		     const struct metric *metric, const json_t *sides)
{
	static const char *const better[] = {
		[METRIC_LOWER] = "lower", [METRIC_HIGHER] = "higher",
	};
	struct compare_rule rule = {
		.better = metric->better, .threshold_ratio = cmp->cfg->threshold_ratio,
		.resolution_ratio = is_bucketed(metric->key) ? BUCKET_RATIO : 0,
	};
	struct stat_sample samples[COMPARE_NR_SIDES];
	struct compare_judgement j;
	json_t *row = NULL;
	bool full = false;
	int i;

	for (i = 0; i < COMPARE_NR_SIDES; i++) {
		samples[i] = sample_of(sides, i);
		full |= !samples[i].values;
	}
	/* Only if each run has the figure is value i of run i. */
	rule.in_pairs = all->pairs && samples[COMPARE_BASE].nr == all->pairs &&
			samples[COMPARE_NEW].nr == all->pairs;
	if (full || compare_judge(&rule, &samples[COMPARE_BASE], &samples[COMPARE_NEW],
				  &samples[COMPARE_NOISE], &j))
		goto out;
	row = json_pack("{s:s, s:s, s:s, s:s?, s:b, s:b, s:I, s:I}", "setup", all->group->label,
			"part", path, "metric", metric->key, "better", better[metric->better],
			"leads", (int)leads(cmp->cfg, metric), "paired", (int)j.paired,
			"base_runs", (json_int_t)samples[COMPARE_BASE].nr,
			"new_runs", (json_int_t)samples[COMPARE_NEW].nr);
	set_real(row, "base_median", "", j.base_median);
	set_real(row, "new_median", "", j.new_median);
	set_changes(row, &j);
	set_real(row, "p", "", j.p);
	json_object_set_new(row, "verdict", json_string(compare_verdict_name(j.verdict)));
	json_object_set_new(row, "beyond_threshold", json_boolean(j.beyond));
	json_object_set_new(row, "why", j.why ? json_string(j.why) : json_null());
out:
	for (i = 0; i < COMPARE_NR_SIDES; i++)
		free((double *)samples[i].values);
	return row;
}

static int compare_dates(const void *a, const void *b)
{
	const struct compare_doc *x = *(const struct compare_doc *const *)a;
	const struct compare_doc *y = *(const struct compare_doc *const *)b;
	const char *date_x = compare_date(x), *date_y = compare_date(y);
	int order = strcmp(date_x ? date_x : "", date_y ? date_y : "");

	return order ? order : (x > y) - (x < y);
}

/* The runs of a group on one side by date; the caller frees them; NULL: no memory. */
static const struct compare_doc **runs_by_date(const struct compare *cmp, size_t group,
					       enum compare_side side)
{
	const struct compare_docs *docs = &cmp->sides[side];
	const struct compare_doc **runs = malloc((docs->nr + 1) * sizeof(*runs));
	size_t nr = 0, i;

	for (i = 0; runs && i < docs->nr; i++) {
		if (docs->list[i].group == group)
			runs[nr++] = &docs->list[i];
	}
	if (runs)
		qsort(runs, nr, sizeof(*runs), compare_dates);
	return runs;
}

/* True if one run of each side was taken, in either order, before the next of either side. */
static bool in_turn(const struct compare_doc **base, const struct compare_doc **new, size_t nr)
{
	const char *a, *b, *next_a, *next_b;
	size_t i;

	for (i = 0; i < nr; i++) {
		a = compare_date(base[i]);
		b = compare_date(new[i]);
		if (!a || !b)
			return false;
		if (i + 1 == nr)
			return true;
		next_a = compare_date(base[i + 1]);
		next_b = compare_date(new[i + 1]);
		if (!next_a || !next_b || strcmp(strcmp(a, b) > 0 ? a : b,
						 strcmp(next_a, next_b) < 0 ? next_a : next_b) >= 0)
			return false;
	}
	return false;
}

/* False: no memory. */
static bool gather_group(const struct compare *cmp, size_t group, json_t *unknown,
			 struct figures *ret_all)
{
	struct gather g = { .cfg = cmp->cfg, .parts = json_object(), .unknown = unknown };
	const struct compare_doc **runs[COMPARE_NR_SIDES];
	const size_t *nr = cmp->groups[group].nr;
	bool whole = g.parts;
	size_t i;

	for (g.side = 0; g.side < COMPARE_NR_SIDES; g.side++) {
		runs[g.side] = runs_by_date(cmp, group, g.side);
		whole = whole && runs[g.side];
		for (i = 0; whole && i < nr[g.side]; i++)
			gather_doc(&g, runs[g.side][i]->doc, "");
	}
	*ret_all = (struct figures){ .group = &cmp->groups[group], .parts = g.parts };
	if (whole && nr[COMPARE_BASE] == nr[COMPARE_NEW] &&
	    in_turn(runs[COMPARE_BASE], runs[COMPARE_NEW], nr[COMPARE_BASE]))
		ret_all->pairs = nr[COMPARE_BASE];
	for (i = 0; i < COMPARE_NR_SIDES; i++)
		free(runs[i]);
	return whole;
}

json_t *compare_rows(const struct compare *cmp, size_t *ret_unknown)
{
	json_t *rows = json_array(), *unknown = json_object(), *part, *sides, *row;
	const struct metric *metric;
	struct figures all;
	const char *path;
	size_t group, i;

	for (group = 0; group < cmp->nr_groups && rows; group++) {
		if (!gather_group(cmp, group, unknown, &all)) {
			json_decref(rows);
			rows = NULL;
		}
		json_object_foreach(all.parts, path, part) {
			/* In the dictionary's order, as everywhere. */
			for (i = 0; rows && (metric = metric_at(i)); i++) {
				sides = json_object_get(part, metric->key);
				if (!sides)
					continue;
				row = judge(cmp, &all, path, metric, sides);
				if (json_array_append_new(rows, row)) {
					json_decref(rows);
					rows = NULL;
				}
			}
		}
		json_decref(all.parts);
	}
	*ret_unknown = json_object_size(unknown);
	json_decref(unknown);
	return rows;
}
