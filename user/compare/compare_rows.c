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
#include "result/metrics.h"

/* Percentiles are rounded to buckets of at most this width (abi/hist.h). */
#define BUCKET_RATIO (1. / 64)

/* Copied from the calibration: the same figure in each result. */
#define CITED "calibrated_"

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
		compare_clean(inner);
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

static bool is_bucketed(const char *key)
{
	const char *p = strstr(key, "_p");

	return p && p[2] >= '0' && p[2] <= '9';
}

static json_t *judge(const struct compare *cmp, const struct compare_group *group,
		     const char *path, const struct metric *metric, const json_t *sides)
{
	static const char *const better[] = {
		[METRIC_LOWER] = "lower", [METRIC_HIGHER] = "higher",
	};
	const struct compare_rule rule = {
		.better = metric->better, .threshold_ratio = cmp->cfg->threshold_ratio,
		.resolution_ratio = is_bucketed(metric->key) ? BUCKET_RATIO : 0,
		.seed = cmp->cfg->seed,
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
	if (full || compare_judge(&rule, &samples[COMPARE_BASE], &samples[COMPARE_NEW],
				  &samples[COMPARE_NOISE], &j))
		goto out;
	row = json_pack("{s:s, s:s, s:s, s:s?, s:I, s:I}", "setup", group->label, "part", path,
			"metric", metric->key, "better", better[metric->better],
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

static json_t *gather_group(const struct compare *cmp, size_t group, json_t *unknown)
{
	struct gather g = { .cfg = cmp->cfg, .parts = json_object(), .unknown = unknown };
	size_t i;

	for (g.side = 0; g.side < COMPARE_NR_SIDES; g.side++) {
		const struct compare_docs *docs = &cmp->sides[g.side];

		for (i = 0; i < docs->nr; i++) {
			if (docs->list[i].group == group)
				gather_doc(&g, docs->list[i].doc, "");
		}
	}
	return g.parts;
}

json_t *compare_rows(const struct compare *cmp, size_t *ret_unknown)
{
	json_t *rows = json_array(), *unknown = json_object(), *parts, *part, *sides, *row;
	const struct metric *metric;
	const char *path;
	size_t group, i;

	for (group = 0; group < cmp->nr_groups && rows; group++) {
		parts = gather_group(cmp, group, unknown);
		json_object_foreach(parts, path, part) {
			/* In the dictionary's order, as everywhere. */
			for (i = 0; rows && (metric = metric_at(i)); i++) {
				sides = json_object_get(part, metric->key);
				if (!sides)
					continue;
				row = judge(cmp, &cmp->groups[group], path, metric, sides);
				if (json_array_append_new(rows, row)) {
					json_decref(rows);
					rows = NULL;
				}
			}
		}
		json_decref(parts);
	}
	*ret_unknown = json_object_size(unknown);
	json_decref(unknown);
	return rows;
}
