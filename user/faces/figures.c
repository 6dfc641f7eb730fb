// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faces/figures.c - plots of series and of histograms.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "faces/figures_parts.h"
#include "lib/array.h"
#include "result/metrics.h"

#define SAME_TIME_S 600	/* documents taken at most this far apart share one axis of time */
#define LEAST_STEP 0.01	/* of a value or of 1 - percentile: at most half a pixel on an axis of four decades */

struct plot *figures_new(struct figures *figures, enum plot_kind kind, const char *title)
{
	struct plot *list = realloc(figures->list, (figures->nr + 1) * sizeof(*list)), *plot;

	if (!list)
		abort();	/* out of memory: as for a result, nothing can be reported */
	figures->list = list;
	plot = &list[figures->nr++];
	memset(plot, 0, sizeof(*plot));
	plot->kind = kind;
	snprintf(plot->title, sizeof(plot->title), "%s", title);
	return plot;
}

void figures_release(struct figures *figures)
{
	size_t i;

	for (i = 0; i < figures->nr; i++)
		plot_release(&figures->list[i]);
	free(figures->list);
	memset(figures, 0, sizeof(*figures));
}

void columns_of(struct columns *ret_columns, const json_t *rows)
{
	struct columns columns = { 0 };
	const char *key;
	json_t *row, *value;
	size_t i, at, k;

	json_array_foreach(rows, i, row) {
		at = 0;
		json_object_foreach(row, key, value) {
			/* Rows are alike: try the key's position in the last row first. */
			if (at < columns.nr && !strcmp(columns.keys[at], key)) {
				at++;
				continue;
			}
			for (k = 0; k < columns.nr && strcmp(columns.keys[k], key); k++)
				;
			if (k == columns.nr && k < COLUMNS_MAX)
				columns.keys[columns.nr++] = key;
			else if (k == columns.nr)
				columns.more = true;
			at = k + 1;
		}
	}
	*ret_columns = columns;
}

const char *figures_name(char *buf, size_t size, const char *key)
{
	const struct metric *metric = metric_find(key);
	size_t len = strlen(key);
	enum dist_stat stat;
	char end[16] = "";

	snprintf(buf, size, "%.*s", (int)(len > 3 && !strcmp(key + len - 3, "_ns") ? len - 3 : len), key);
	/* A family: by a label of one of its statistics, but for the statistic's word. */
	for (stat = DIST_NR; stat-- && !metric;) {
		metric = metric_of(buf, stat);
		snprintf(end, sizeof(end), " %s", dist_label(stat));
	}
	if (!metric) {
		snprintf(buf, size, "%s", key);
		return buf;
	}
	snprintf(buf, size, "%s", metric->label + strspn(metric->label, " "));
	len = strlen(buf);
	if (*end && len > strlen(end) && !strcmp(buf + len - strlen(end), end))
		len -= strlen(end);
	while (len && buf[len - 1] == ',')
		len--;
	buf[len] = '\0';
	return buf;
}

static double value_of(const json_t *value)
{
	return json_is_number(value) ? json_number_value(value) : NAN;
}

/*
 * Curves of one plot: percentiles and extremes of one time ("rtt"), or else what has the
 * same unit.
 */
static void group_of(char *buf, size_t size, const struct metric *metric)
{
	if (metric->family && metric->stat != DIST_COUNT)
		snprintf(buf, size, "%s", metric->family);
	else
		snprintf(buf, size, "%d", (int)metric->unit);
}

static const char *unit_title(enum unit unit)
{
	static const char *const titles[] = {
		[UNIT_NONE] = "numbers", [UNIT_COUNT] = "counts", [UNIT_BYTES] = "bytes", [UNIT_NS] = "times",
		[UNIT_PPS] = "packets per second", [UNIT_BPS] = "bits per second", [UNIT_RATIO] = "shares",
		[UNIT_CPUS] = "cores busy",
	};

	return titles[unit];
}

static void title_of(char *buf, size_t size, const struct metric *metric, const char *group)
{
	char name[64];

	if (!strncmp(metric->key, group, strlen(group)))
		snprintf(buf, size, "Over time: %s", figures_name(name, sizeof(name), group));
	else
		snprintf(buf, size, "Over time: %s", unit_title(metric->unit));
}

/* False if all its values are 0 or missing. */
static bool fill_curve(struct plot_curve *curve, const json_t *points)
{
	bool nonzero = false;
	size_t i;

	for (i = 0; i + 1 < json_array_size(points); i += 2) {
		double y = value_of(json_array_get(points, i + 1));

		nonzero |= isfinite(y) && y != 0;
		plot_point(curve, value_of(json_array_get(points, i)), y);
	}
	curve->dots = curve->nr < 3;
	return nonzero;
}

static void drop_curve(struct plot *plot)
{
	struct plot_curve *curve = &plot->curves[--plot->nr_curves];

	free(curve->x);
	free(curve->y);
	memset(curve, 0, sizeof(*curve));
}

static void add_note(struct plot *plot, const char *before, const char *name)
{
	size_t used = strlen(plot->note);

	snprintf(plot->note + used, sizeof(plot->note) - used, "%s%s", used ? ", " : before, name);
}

/* Logarithmic if the largest value is far above the smallest. */
static enum plot_scale scale_for(const struct plot *plot)
{
	double least = INFINITY, most = 0;
	size_t c, i;

	for (c = 0; c < plot->nr_curves; c++) {
		for (i = 0; i < plot->curves[c].nr; i++) {
			double y = plot->curves[c].y[i];

			if (!isfinite(y))
				continue;
			if (y <= 0)
				return PLOT_LINEAR;
			least = fmin(least, y);
			most = fmax(most, y);
		}
	}
	return most > 30 * least ? PLOT_LOG : PLOT_LINEAR;
}

static void series_group(struct figures *figures, const json_t *series, const struct columns *columns,
			 size_t first, const char *group, bool *done)
{
	const struct metric *metric = metric_find(columns->keys[first]);
	struct plot *plot;
	char title[160], other[64];
	size_t k;

	title_of(title, sizeof(title), metric, group);
	plot = figures_new(figures, PLOT_CURVES, title);
	plot->x = (struct plot_axis){ "since the start of the run", UNIT_NS, PLOT_LINEAR };
	plot->y.unit = metric->unit;
	for (k = first; k < columns->nr; k++) {
		const struct metric *at = metric_find(columns->keys[k]);
		struct plot_curve *curve;

		if (!at || done[k] || !strcmp(at->key, "elapsed_ns"))
			continue;
		group_of(other, sizeof(other), at);
		curve = strcmp(group, other) ? NULL : plot_curve(plot, at->label);
		if (!curve)
			continue;
		done[k] = true;
		if (!fill_curve(curve, json_object_get(series, at->key))) {
			drop_curve(plot);
			add_note(plot, "0 throughout: ", at->label);
		}
	}
	if (plot->y.unit == UNIT_NS)
		plot->y.scale = scale_for(plot);
}

/* @series: as report_read() leaves it. */
static void of_series(struct figures *figures, const json_t *series)
{
	bool done[COLUMNS_MAX] = { false };
	struct columns columns = { .nr = 0 };
	const char *key;
	json_t *points;
	char group[64];
	size_t k;

	json_object_foreach((json_t *)series, key, points) {
		if (columns.nr < COLUMNS_MAX)
			columns.keys[columns.nr++] = key;
	}
	for (k = 0; k < columns.nr; k++) {
		const struct metric *metric = metric_find(columns.keys[k]);

		if (done[k] || !metric || metric->unit == UNIT_TEXT || !strcmp(metric->key, "elapsed_ns"))
			continue;
		group_of(group, sizeof(group), metric);
		series_group(figures, series, &columns, k, group, done);
	}
}

/*
 * Like HdrHistogram's plots: x is 1 / (1 - percentile), so that each further 9 of a percentile
 * has the same width. A value is that of all percentiles from the share of lower ones to the
 * share of those up to it: a step. The last would reach 100 %, which is infinitely far: it ends
 * half a value before.
 */
static void fill_percentiles(struct plot_curve *curve, const json_t *hist)
{
	double negative = json_number_value(json_object_get(hist, "negative")), sum = negative, seen_x = 0, seen_y = 0;
	double total = negative + json_number_value(json_object_get(hist, "above"));
	json_t *buckets = json_object_get(hist, "buckets"), *bucket;
	size_t nr = json_array_size(buckets), i;

	curve->steps = true;
	json_array_foreach(buckets, i, bucket)
		total += json_number_value(json_array_get(bucket, 1));
	json_array_foreach(buckets, i, bucket) {
		double low = json_number_value(json_array_get(bucket, 0));
		double from = total / fmax(total - sum, 0.5), to;

		sum += json_number_value(json_array_get(bucket, 1));
		to = total / fmax(total - sum, 0.5);
		/* A step too small to see is part of the next. */
		if (i && i + 1 < nr && to < seen_x * (1 + LEAST_STEP) && low < seen_y * (1 + LEAST_STEP))
			continue;
		plot_point(curve, from, low);
		if (i + 1 == nr)
			plot_point(curve, to, low);
		seen_x = to;
		seen_y = low;
	}
	plot_thin(curve);
}

static struct plot *percentile_plot(struct figures *figures, const char *title, enum unit unit)
{
	struct plot *plot = figures_new(figures, PLOT_CURVES, title);

	plot->x = (struct plot_axis){ "percentile", UNIT_NONE, PLOT_PERCENTILES };
	plot->y.unit = unit;
	return plot;
}

static enum unit hist_unit(const json_t *hist)
{
	const char *unit = json_string_value(json_object_get(hist, "unit"));

	return unit && !strcmp(unit, "ns") ? UNIT_NS : UNIT_COUNT;
}

/* Times, how they vary, and counts: each has its own axis. */
static const struct hist_group {
	const char *title;
	enum unit unit;
	bool variation;
} hist_groups[] = {
	{ "Times by percentile", UNIT_NS, false },
	{ "Variation of times by percentile", UNIT_NS, true },
	{ "Counts by percentile", UNIT_COUNT, false },
};

static bool is_in(const struct hist_group *group, const char *key, const json_t *hist)
{
	return hist_unit(hist) == group->unit && group->variation == (strstr(key, "pdv") != NULL) &&
	       json_array_size(json_object_get(hist, "buckets"));
}

static void of_histograms(struct figures *figures, const json_t *histograms)
{
	const char *key;
	char name[96];
	json_t *hist;
	size_t g;

	for (g = 0; g < ARRAY_SIZE(hist_groups); g++) {
		struct plot *plot = NULL;

		json_object_foreach((json_t *)histograms, key, hist) {
			struct plot_curve *curve;

			if (!is_in(&hist_groups[g], key, hist))
				continue;
			plot = plot ? plot : percentile_plot(figures, hist_groups[g].title, hist_groups[g].unit);
			curve = plot_curve(plot, figures_name(name, sizeof(name), key));
			if (curve)
				fill_percentiles(curve, hist);
		}
		if (plot)
			plot->y.scale = hist_groups[g].unit == UNIT_NS ? PLOT_LOG : scale_for(plot);
	}
}

void figures_of(struct figures *figures, const json_t *tree)
{
	figures_of_suite(figures, tree);
	figures_of_entries(figures, tree);
	of_histograms(figures, json_object_get(tree, "histograms"));
	of_series(figures, json_object_get(tree, "series"));
}

/* When a document was taken, in seconds; NAN: not known. */
static double taken_s(const json_t *doc)
{
	const char *date = json_string_value(json_object_get(json_object_get(doc, "environment"), "date"));
	struct tm tm = { 0 };

	return date && strptime(date, "%Y-%m-%dT%H:%M:%SZ", &tm) ? (double)timegm(&tm) : NAN;
}

/* When the first began; NAN: they are not of one time, and each begins at 0. */
static double first_s(const json_t *const *docs, size_t nr)
{
	double first = INFINITY, last = -INFINITY;
	size_t i;

	for (i = 0; i < nr; i++) {
		double at = taken_s(docs[i]);

		if (isnan(at))
			return NAN;
		first = fmin(first, at);
		last = fmax(last, at);
	}
	return last - first <= SAME_TIME_S ? first : NAN;
}

/* Rates of both ends, or of several runs. */
static void rates_across(struct figures *figures, const json_t *const *docs, const char *const *names, size_t nr)
{
	static const char *const keys[] = { "sent_pps", "received_pps", "answered_pps", "seen_pps" };
	struct plot *plot = figures_new(figures, PLOT_CURVES, "Rates of all documents over time");
	double first = first_s(docs, nr);
	size_t had = 0, i, k, p;

	snprintf(plot->x.label, sizeof(plot->x.label), "since the start of %s",
		 isnan(first) ? "each run" : "the first run");
	plot->x.unit = UNIT_NS;
	plot->y.unit = UNIT_PPS;
	if (!isnan(first))
		snprintf(plot->note, sizeof(plot->note),
			 "The runs are placed by their dates, which are whole seconds.");
	for (i = 0; i < nr; i++) {
		double from_ns = isnan(first) ? 0 : (taken_s(docs[i]) - first) * 1e9;
		size_t before = plot->nr_curves;

		for (k = 0; k < ARRAY_SIZE(keys); k++) {
			const json_t *points = json_object_get(json_object_get(docs[i], "series"), keys[k]);
			char name[96], label[64];
			struct plot_curve *curve;

			if (!json_array_size(points))
				continue;
			snprintf(name, sizeof(name), "%.50s: %.40s", names[i],
				 figures_name(label, sizeof(label), keys[k]));
			curve = plot_curve(plot, name);
			if (!curve)
				break;
			fill_curve(curve, points);
			for (p = 0; p < curve->nr; p++)
				curve->x[p] += from_ns;
		}
		had += plot->nr_curves > before;
	}
	if (had < 2) {
		plot_release(plot);
		figures->nr--;
	}
}

void figures_across(struct figures *figures, const json_t *const *docs, const char *const *names, size_t nr)
{
	static const char *const keys[] = { "delay_ns", "rtt_ns" };
	size_t k, i;

	rates_across(figures, docs, names, nr);
	for (k = 0; k < ARRAY_SIZE(keys); k++) {
		struct plot *plot = NULL;

		for (i = 0; i < nr; i++) {
			json_t *hist = json_object_get(json_object_get(docs[i], "histograms"), keys[k]);
			struct plot_curve *curve;

			if (!json_array_size(json_object_get(hist, "buckets")))
				continue;
			plot = plot ? plot : percentile_plot(figures, k ? "Round-trip time, all documents" :
							     "One-way delay, all documents", UNIT_NS);
			curve = plot_curve(plot, names[i]);
			if (curve)
				fill_percentiles(curve, hist);
			else
				snprintf(plot->note, sizeof(plot->note),
					 "Only the first %d documents with these figures.", PLOT_MAX_CURVES);
		}
		if (plot && plot->nr_curves < 2) {
			plot_release(plot);
			figures->nr--;
		} else if (plot) {
			plot->y.scale = PLOT_LOG;
		}
	}
}
