// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faces/figures_sweep.c - plots of a sweep: curves or bars, and heat maps.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "faces/figures_parts.h"
#include "result/metrics.h"
#include "result/value.h"

#define MAX_SIDE	40	/* places of a heat map's side, or of bars */
#define MAX_HEAT_MAPS	6
#define FEW		3	/* fewer values are drawn as bars */

const char *swept_metric(const json_t *tree)
{
	const char *metric = value_str(json_object_get(tree, "environment"), "metric");

	return *metric ? metric : value_str(json_object_get(tree, "config"), "metric");
}

bool swept_open(struct swept *ret_swept, const json_t *tree)
{
	struct swept swept = { .cells = json_object_get(tree, "entries"), .metric = swept_metric(tree) };
	const struct metric *metric = metric_find(swept.metric);

	if (!*swept.metric || !json_array_size(swept.cells))
		return false;
	columns_of(&swept.columns, swept.cells);
	while (swept.nr_varied < swept.columns.nr && strcmp(swept.columns.keys[swept.nr_varied], "runs"))
		swept.nr_varied++;
	if (!swept.nr_varied || swept.nr_varied == swept.columns.nr)
		return false;
	swept.unit = metric ? metric->unit : UNIT_NONE;
	*ret_swept = swept;
	return true;
}

static double number(const json_t *cell, const char *key)
{
	const json_t *value = json_object_get(cell, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

/* Varied values are kept as the given text. */
static double number_of_words(const json_t *cell, const char *key)
{
	const char *text = value_str(cell, key);
	uint64_t count;
	double value;
	char *end;

	if (!unit_parse_count(text, &count))
		return (double)count;
	value = strtod(text, &end);
	return *text && !*end ? value : number(cell, key);
}

/* "nodelay yes, test stream": the cell without the first parameter; "" if there is no other. */
static const char *others_of(char *buf, size_t size, const struct swept *swept, const json_t *cell)
{
	size_t used = 0, k;
	char text[64];

	buf[0] = '\0';
	for (k = 1; k < swept->nr_varied && used < size; k++) {
		const char *key = swept->columns.keys[k];

		used += (size_t)snprintf(buf + used, size - used, "%s%.40s %s", used ? ", " : "", key,
					 value_cell(text, sizeof(text), key, json_object_get(cell, key)));
	}
	return buf;
}

/* Index of @text among @names, which grows; MAX_SIDE: no room. */
static size_t index_of(char (*names)[40], size_t *nr, const char *text)
{
	size_t i;

	for (i = 0; i < *nr; i++) {
		if (!strncmp(names[i], text, sizeof(*names) - 1))
			return i;
	}
	if (*nr < MAX_SIDE)
		snprintf(names[(*nr)++], sizeof(*names), "%s", text);
	return i;
}

static size_t column_of(struct plot *plot, const struct swept *swept, const json_t *cell)
{
	const char *key = swept->columns.keys[0];
	char text[64];

	return index_of(plot->columns, &plot->nr_columns,
			value_cell(text, sizeof(text), key, json_object_get(cell, key)));
}

static struct plot_curve *curve_of(struct plot *plot, const char *name)
{
	size_t c;

	for (c = 0; c < plot->nr_curves; c++) {
		if (!strcmp(plot->curves[c].name, name))
			return &plot->curves[c];
	}
	/* One is theory's. */
	return plot->nr_curves < PLOT_MAX_CURVES - 1 ? plot_curve(plot, name) : NULL;
}

/* A curve where the values are numbers, and enough of them; else bars. */
static void shape(struct plot *plot, const struct swept *swept)
{
	double least = INFINITY, most = -INFINITY, value;
	const json_t *cell;
	size_t i;

	json_array_foreach(swept->cells, i, cell) {
		column_of(plot, swept, cell);
		value = number_of_words(cell, swept->columns.keys[0]);
		least = isfinite(value) ? fmin(least, value) : NAN;
		most = isfinite(value) ? fmax(most, value) : NAN;
		if (!isfinite(value))
			break;
	}
	if (!isfinite(least) || plot->nr_columns <= FEW)
		return;
	plot->kind = PLOT_CURVES;
	plot->x.unit = strstr(swept->columns.keys[0], "bytes") || !strcmp(swept->columns.keys[0], "mtu") ?
		       UNIT_BYTES : UNIT_NONE;
	plot->x.scale = least > 0 && most >= 30 * least ? PLOT_LOG : PLOT_LINEAR;
}

/* The limit by the first parameter, if it does not depend on the others. */
static void add_theory(struct plot *plot, const struct swept *swept)
{
	double x[MAX_SIDE], theory[MAX_SIDE];
	struct plot_curve *bound;
	const json_t *cell;
	size_t at, i;

	for (i = 0; i < MAX_SIDE; i++)
		theory[i] = NAN;
	json_array_foreach(swept->cells, i, cell) {
		double here = number(cell, "theory");

		at = column_of(plot, swept, cell);
		if (at == MAX_SIDE || !isfinite(here))
			continue;
		if (fabs(theory[at] - here) > here * 1e-6) {
			snprintf(plot->note, sizeof(plot->note),
				 "Medians. The theoretical limit differs between curves: "
				 "see the table.");
			return;
		}
		theory[at] = here;
		x[at] = plot->kind == PLOT_BARS ? (double)at :
			number_of_words(cell, swept->columns.keys[0]);
	}
	bound = plot_curve(plot, "limit of the link");
	bound->bound = true;
	for (i = 0; i < plot->nr_columns; i++) {
		if (isfinite(theory[i]))
			plot_point(bound, x[i], theory[i]);
	}
}

static void by_first(struct figures *figures, const struct swept *swept)
{
	struct plot_curve *curve;
	char title[160], name[96];
	struct plot *plot;
	const json_t *cell;
	size_t at, i;

	snprintf(title, sizeof(title), "%.60s by %.40s", figures_name(name, sizeof(name), swept->metric),
		 swept->columns.keys[0]);
	plot = figures_new(figures, PLOT_BARS, title);
	plot->columns = calloc(MAX_SIDE, sizeof(*plot->columns));
	if (!plot->columns)
		abort();
	snprintf(plot->x.label, sizeof(plot->x.label), "%.60s", swept->columns.keys[0]);
	plot->y.unit = swept->unit;
	snprintf(plot->note, sizeof(plot->note), "Medians.");
	shape(plot, swept);
	json_array_foreach(swept->cells, i, cell) {
		at = column_of(plot, swept, cell);
		curve = curve_of(plot, *others_of(name, sizeof(name), swept, cell) ? name : "median");
		if (!curve)
			snprintf(plot->note, sizeof(plot->note), "Medians; the first %d combinations of the "
				 "others.", PLOT_MAX_CURVES - 1);
		if (!curve || at == MAX_SIDE)
			continue;
		curve->dots = true;
		plot_point(curve, plot->kind == PLOT_BARS ? (double)at :
			   number_of_words(cell, swept->columns.keys[0]), number(cell, "median"));
	}
	if (isfinite(number(json_array_get(swept->cells, 0), "theory")))
		add_theory(plot, swept);
	for (i = 0; plot->kind == PLOT_CURVES && i < plot->nr_curves; i++)
		plot_sort(&plot->curves[i]);
}

/* True if all that is varied but the first two has the same value in both cells. */
static bool same_map(const struct swept *swept, const json_t *a, const json_t *b)
{
	size_t k;

	for (k = 2; k < swept->nr_varied; k++) {
		const char *key = swept->columns.keys[k];

		if (!json_equal(json_object_get(a, key), json_object_get(b, key)))
			return false;
	}
	return true;
}

/* One map of the first two parameters, where the others are as in @model. */
static void heat_map(struct figures *figures, const struct swept *swept, const json_t *model)
{
	const char *const *keys = swept->columns.keys;
	char title[160], row[64], name[96];
	struct plot_curve *values;
	const json_t *cell;
	struct plot *plot;
	size_t i, k, used;

	used = (size_t)snprintf(title, sizeof(title), "%.60s: %.40s by %.40s",
				figures_name(name, sizeof(name), swept->metric), keys[1], keys[0]);
	for (k = 2; k < swept->nr_varied && used < sizeof(title); k++)
		used += (size_t)snprintf(title + used, sizeof(title) - used, ", %s %s", keys[k],
					 value_cell(row, sizeof(row), keys[k], json_object_get(model, keys[k])));
	plot = figures_new(figures, PLOT_HEAT, title);
	plot->columns = calloc(MAX_SIDE, sizeof(*plot->columns));
	plot->rows = calloc(MAX_SIDE, sizeof(*plot->rows));
	values = plot_curve(plot, swept->metric);
	if (!plot->columns || !plot->rows)
		abort();
	snprintf(plot->x.label, sizeof(plot->x.label), "%s; downwards: %.24s", keys[0], keys[1]);
	plot->y.unit = swept->unit;
	json_array_foreach(swept->cells, i, cell) {
		column_of(plot, swept, cell);
		index_of(plot->rows, &plot->nr_rows,
			 value_cell(row, sizeof(row), keys[1], json_object_get(cell, keys[1])));
	}
	for (i = 0; i < plot->nr_columns * plot->nr_rows; i++)
		plot_point(values, (double)i, NAN);
	json_array_foreach(swept->cells, i, cell) {
		size_t x = column_of(plot, swept, cell);
		size_t y = index_of(plot->rows, &plot->nr_rows,
				    value_cell(row, sizeof(row), keys[1], json_object_get(cell, keys[1])));

		if (same_map(swept, cell, model) && x < plot->nr_columns && y < plot->nr_rows)
			values->y[y * plot->nr_columns + x] = number(cell, "median");
	}
}

/* A map for each combination of the third and further parameters: where the first two are first. */
static void heat_maps(struct figures *figures, const struct swept *swept)
{
	const json_t *first = json_array_get(swept->cells, 0), *cell;
	const char *const *keys = swept->columns.keys;
	size_t maps = 0, i;

	json_array_foreach(swept->cells, i, cell) {
		if (json_equal(json_object_get(cell, keys[0]), json_object_get(first, keys[0])) &&
		    json_equal(json_object_get(cell, keys[1]), json_object_get(first, keys[1])) &&
		    maps++ < MAX_HEAT_MAPS)
			heat_map(figures, swept, cell);
	}
}

void figures_of_sweep(struct figures *figures, const json_t *tree)
{
	struct swept swept;

	if (!swept_open(&swept, tree))
		return;
	by_first(figures, &swept);
	if (swept.nr_varied > 1)
		heat_maps(figures, &swept);
}
