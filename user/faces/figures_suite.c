// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faces/figures_suite.c - plots of a suite, whose parts are frame sizes, goals or steps of
 * these, or the ways of TCP.
 *
 * A part belongs to a size if it has the figure "frame_bytes"; its name is the curve's.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "faces/figures_parts.h"
#include "lib/array.h"
#include "result/metrics.h"
#include "result/part.h"
#include "result/value.h"

#define MAX_SIZES	40
#define FAR_ABOVE	20	/* from this factor on, the limit would flatten all other values */

struct suite {
	const json_t *parts;
	double link_bps;
	double sizes[MAX_SIZES];
	size_t nr_sizes;
};

static double figure(const json_t *part, const char *key)
{
	json_t *value = json_object_get(json_object_get(part, "metrics"), key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

static bool read_suite(struct suite *suite, const json_t *tree)
{
	json_t *link = json_object_get(json_object_get(tree, "environment"), "link_bps"), *part;
	size_t i, k;

	memset(suite, 0, sizeof(*suite));
	suite->parts = json_object_get(tree, "parts");
	suite->link_bps = json_is_number(link) ? json_number_value(link) : NAN;
	json_array_foreach(suite->parts, i, part) {
		double size = figure(part, "frame_bytes");

		for (k = 0; k < suite->nr_sizes && suite->sizes[k] < size; k++)
			;
		if (!isfinite(size) || suite->nr_sizes == MAX_SIZES ||
		    (k < suite->nr_sizes && suite->sizes[k] == size))
			continue;
		memmove(&suite->sizes[k + 1], &suite->sizes[k], (suite->nr_sizes++ - k) * sizeof(size));
		suite->sizes[k] = size;
	}
	return suite->nr_sizes;
}

/* The columns are then to be named. */
static struct plot *bars(struct figures *figures, size_t nr_columns, const char *title, const char *label,
			 enum unit unit)
{
	struct plot *plot = figures_new(figures, PLOT_BARS, title);

	plot->nr_columns = nr_columns;
	plot->columns = calloc(nr_columns, sizeof(*plot->columns));
	if (!plot->columns)
		abort();
	snprintf(plot->x.label, sizeof(plot->x.label), "%s", label);
	plot->y.unit = unit;
	return plot;
}

static struct plot *bars_by_size(struct figures *figures, const struct suite *suite, const char *title,
				 enum unit unit)
{
	struct plot *plot = bars(figures, suite->nr_sizes, title, "frame, bytes", unit);
	size_t k;

	for (k = 0; k < suite->nr_sizes; k++)
		snprintf(plot->columns[k], sizeof(*plot->columns), "%.0f", suite->sizes[k]);
	return plot;
}

static double column_of(const struct suite *suite, const json_t *part)
{
	double size = figure(part, "frame_bytes");
	size_t k;

	for (k = 0; k < suite->nr_sizes; k++) {
		if (suite->sizes[k] == size)
			return (double)k;
	}
	return NAN;
}

/* Of several goals of each size: "goal ndr". */
static const char *goal_of(char *buf, size_t size, const json_t *part)
{
	const char *goal = part_label(part, "goal");

	snprintf(buf, size, *goal ? "goal %s" : "throughput", goal);
	return buf;
}

static struct plot_curve *curve_named(struct plot *plot, const char *name)
{
	size_t c;

	for (c = 0; c < plot->nr_curves; c++) {
		if (!strncmp(plot->curves[c].name, name, sizeof(plot->curves[c].name) - 1))
			return &plot->curves[c];
	}
	return plot_curve(plot, name);
}

/* The limit of the link, or the highest offered load if the limit is far above it. */
static void throughput_bound(struct plot *plot, const struct suite *suite, double most)
{
	double link = suite->link_bps / (8 * (suite->sizes[0] + UNIT_GAP_BYTES));
	bool of_link = isfinite(link) && link <= FAR_ABOVE * most;
	struct plot_curve *bound = plot_curve(plot, of_link ? "limit of the link" :
							      "highest offered load");
	double seen[MAX_SIZES];
	json_t *part;
	size_t i, k;

	if (!bound)
		return;
	bound->bound = true;
	for (k = 0; k < suite->nr_sizes; k++)
		seen[k] = of_link ? suite->link_bps / (8 * (suite->sizes[k] + UNIT_GAP_BYTES)) : NAN;
	json_array_foreach(suite->parts, i, part) {
		double column = column_of(suite, part);

		if (!of_link && isfinite(column))
			seen[(size_t)column] = fmax(seen[(size_t)column], figure(part, "load_max_pps"));
	}
	for (k = 0; k < suite->nr_sizes; k++)
		plot_point(bound, (double)k, seen[k]);
	if (!of_link && isfinite(link))
		snprintf(plot->note, sizeof(plot->note), "The limit of the link is more than %d times higher.",
			 FAR_ABOVE);
}

static void throughput(struct figures *figures, const struct suite *suite)
{
	struct plot *plot = bars_by_size(figures, suite, "Throughput by frame size", UNIT_PPS);
	double most = 0;
	json_t *part;
	size_t i;

	json_array_foreach(suite->parts, i, part) {
		double rate = figure(part, "throughput_pps"), column = column_of(suite, part);
		struct plot_curve *curve;
		char goal[64];

		if (!isfinite(rate) || !isfinite(column) || plot->nr_curves == PLOT_MAX_CURVES - 1)
			continue;
		curve = curve_named(plot, goal_of(goal, sizeof(goal), part));
		if (curve)
			plot_point(curve, column, rate);
		most = fmax(most, rate);
	}
	if (plot->nr_curves)
		throughput_bound(plot, suite, most);
}

static void latency(struct figures *figures, const struct suite *suite)
{
	static const char *const keys[] = {
		"latency_min_ns", "latency_mean_ns", "latency_typical_ns", "latency_worst_ns", "latency_max_ns",
	};
	struct plot *plot = bars_by_size(figures, suite, "Latency by frame size", UNIT_NS);
	json_t *part;
	size_t i, k;

	for (k = 0; k < ARRAY_SIZE(keys); k++) {
		const struct metric *metric = metric_find(keys[k]);
		struct plot_curve *curve = NULL;

		json_array_foreach(suite->parts, i, part) {
			double value = figure(part, keys[k]), column = column_of(suite, part);

			if (!isfinite(value) || !isfinite(column))
				continue;
			curve = curve ? curve : plot_curve(plot, metric->label + strspn(metric->label, " "));
			if (curve)
				plot_point(curve, column, value);
		}
	}
}

/* Irregular trials have no loss here: it may be the generator's. */
static void loss(struct figures *figures, const struct suite *suite)
{
	struct plot *plot = figures_new(figures, PLOT_CURVES, "Loss by load and frame size");
	json_t *part, *entry;
	size_t i, k;

	plot->x = (struct plot_axis){ "share of the highest load", UNIT_RATIO, PLOT_LINEAR };
	plot->y.unit = UNIT_RATIO;
	json_array_foreach(suite->parts, i, part) {
		struct plot_curve *curve = NULL;

		json_array_foreach(json_object_get(part, "entries"), k, entry) {
			json_t *load = json_object_get(entry, "load_ratio");
			json_t *lost = json_object_get(entry, "lost_ratio");

			if (!json_is_number(load) || !json_is_number(lost))
				continue;
			curve = curve ? curve : plot_curve(plot, value_str(part, "name"));
			if (curve)
				plot_point(curve, json_number_value(load), json_number_value(lost));
		}
		if (curve) {
			curve->dots = true;
			plot_sort(curve);
		}
	}
}

/* A column of a table of steps (Y.1564) in SI units; steps that could not be tested are left out. */
static void steps_curve(struct plot *plot, const json_t *steps, const char *name, const char *key, double si,
			bool bound)
{
	struct plot_curve *curve = plot_curve(plot, name);
	json_t *step;
	size_t k;

	if (!curve)
		return;
	curve->bound = bound;
	json_array_foreach(steps, k, step) {
		json_t *value = json_object_get(step, key);

		if (k < plot->nr_columns && json_is_number(value) &&
		    (bound || !strcmp(value_str(step, "generator"), "regular")))
			plot_point(curve, (double)k, json_number_value(value) * si);
	}
}

/* All sizes have the same steps. */
static void steps_by(struct figures *figures, const json_t *parts, const char *title, const char *key,
		     double si, enum unit unit, const char *bound)
{
	json_t *part, *steps, *step, *first = NULL;
	struct plot *plot = NULL;
	size_t i, k;

	json_array_foreach(parts, i, part) {
		steps = json_object_get(part, "entries");
		if (!json_object_get(json_array_get(steps, 0), "step"))
			continue;
		if (!first) {
			first = steps;
			plot = bars(figures, json_array_size(steps), title, "step", unit);
			json_array_foreach(steps, k, step)
				snprintf(plot->columns[k], sizeof(*plot->columns), "%s",
					 value_str(step, "step"));
		}
		if (plot->nr_curves < PLOT_MAX_CURVES - 1)
			steps_curve(plot, steps, value_str(part, "name"), key, si, false);
	}
	if (first && bound)
		steps_curve(plot, first, "offered", bound, si, true);
}

/* A figure of each direction, or of the whole document if it has the figure itself. */
static struct plot_curve *way_curve(struct plot *plot, const json_t *tree, const json_t *const *ways,
				    const char *name, const char *key)
{
	struct plot_curve *curve = plot_curve(plot, name);
	double all = figure(tree, key);
	size_t k;

	for (k = 0; k < plot->nr_columns; k++)
		plot_point(curve, (double)k, isfinite(all) ? all : figure(ways[k], key));
	return curve;
}

static struct plot *bars_by_way(struct figures *figures, const json_t *const *ways, size_t nr,
				const char *title, enum unit unit)
{
	struct plot *plot = bars(figures, nr, title, "direction", unit);
	size_t k;

	for (k = 0; k < nr; k++)
		snprintf(plot->columns[k], sizeof(*plot->columns), "%s", value_str(ways[k], "name"));
	return plot;
}

/* TCP in each direction against the limit of the path (RFC 6349). */
static void transfers(struct figures *figures, const json_t *tree)
{
	const json_t *ways[MAX_SIZES];
	struct plot *plot;
	size_t nr = 0, i;
	json_t *part;

	json_array_foreach(json_object_get(tree, "parts"), i, part) {
		if (nr < MAX_SIZES && isfinite(figure(part, "tcp_ideal_bps")))
			ways[nr++] = part;
	}
	if (!nr)
		return;
	plot = bars_by_way(figures, ways, nr, "TCP goodput and the path's limit", UNIT_BPS);
	way_curve(plot, tree, ways, "received payload", "payload_received_bps");
	way_curve(plot, tree, ways, "ideal", "tcp_ideal_bps")->bound = true;
	plot = bars_by_way(figures, ways, nr, "Round-trip time, idle and under load", UNIT_NS);
	way_curve(plot, tree, ways, "idle", "baseline_rtt_ns");
	way_curve(plot, tree, ways, "under load", "tcp_rtt_mean_ns");
}

void figures_of_suite(struct figures *figures, const json_t *tree)
{
	struct suite suite;

	transfers(figures, tree);
	if (!read_suite(&suite, tree))
		return;
	throughput(figures, &suite);
	loss(figures, &suite);
	latency(figures, &suite);
	steps_by(figures, suite.parts, "Received rate by step", "received_mbps", 1e6, UNIT_BPS, "offered_mbps");
	steps_by(figures, suite.parts, "Transfer delay by step", "ftd_us", 1e3, UNIT_NS, NULL);
}
