// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faces/figures_entries.c - plots of tables: rates by frame size, loss by load.
 *
 * Columns are recognised by their keys: "frame_bytes" or "frame-bytes", a packet rate or
 * sweep's "median" of one, "theory" or the limit of the document's link, and a loss.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "faces/figures_parts.h"
#include "result/columns.h"
#include "result/metrics.h"
#include "result/value.h"

#define MAX_SIZES	40

/* Names of the columns that matter, or NULL. */
struct table {
	const json_t *entries;
	struct columns columns;
	const char *frame_bytes, *rate, *theory, *load, *loss, *irregular;
	double link_bps;		/* NAN: not known */
	enum unit rate_unit;
};

static double number(const json_t *entry, const char *key)
{
	json_t *value = key ? json_object_get(entry, key) : NULL;
	const char *text = json_string_value(value);
	char *end;
	double read;

	if (json_is_number(value))
		return json_number_value(value);
	if (!text || !*text)
		return NAN;
	read = strtod(text, &end);	/* sweep keeps values as the given text */
	return *end ? NAN : read;
}

static enum unit unit_of(const char *key)
{
	struct column column = { .unit = UNIT_RATIO };

	column_find(key, &column);
	return column.unit;
}

static bool is_any(const char *key, const char *const *names)
{
	for (; *names; names++) {
		if (!strcmp(key, *names))
			return true;
	}
	return false;
}

static void read_columns(struct table *table, const json_t *tree)
{
	static const char *const sizes[] = { "frame_bytes", "frame-bytes", NULL };
	static const char *const rates[] = { "throughput_pps", "received_pps", "sent_pps", "frame_pps",
					     "rate_pps", NULL };
	static const char *const loads[] = { "offered_pps", "load_pps", "intended_pps", "offered_ratio",
					     "load_ratio", NULL };
	static const char *const losses[] = { "lost_ratio", "loss_ratio", "datagrams_lost_ratio", NULL };
	const struct metric *swept = metric_find(swept_metric(tree));
	json_t *env = json_object_get(tree, "environment");
	size_t i;

	table->link_bps = number(env, "link_bps");
	table->rate_unit = UNIT_PPS;
	for (i = 0; i < table->columns.nr; i++) {
		const char *key = table->columns.keys[i];

		if (is_any(key, sizes))
			table->frame_bytes = key;
		else if (is_any(key, loads))
			table->load = key;
		else if (!table->rate && is_any(key, rates))
			table->rate = key;
		else if (!strcmp(key, "theory") || !strcmp(key, "theory_pps"))
			table->theory = key;
		else if (is_any(key, losses))
			table->loss = key;
		else if (!strcmp(key, "irregular"))
			table->irregular = key;
		else if (!table->rate && !strcmp(key, "median") && swept &&
			 (swept->unit == UNIT_PPS || swept->unit == UNIT_BPS)) {
			table->rate = key;
			table->rate_unit = swept->unit;
		}
	}
}

static bool is_true(const json_t *entry, const char *key)
{
	const json_t *value = key ? json_object_get(entry, key) : NULL;

	return json_is_true(value) || (json_is_integer(value) && json_integer_value(value)) ||
	       (json_is_string(value) && !strcmp(json_string_value(value), "yes"));
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static size_t sizes_of(const struct table *table, double ret_sizes[MAX_SIZES])
{
	size_t nr = 0, i, k;
	json_t *entry;

	json_array_foreach(table->entries, i, entry) {
		double size = number(entry, table->frame_bytes);

		for (k = 0; k < nr && ret_sizes[k] != size; k++)
			;
		if (isfinite(size) && k == nr && nr < MAX_SIZES)
			ret_sizes[nr++] = size;
	}
	qsort(ret_sizes, nr, sizeof(*ret_sizes), by_value);
	return nr;
}

/* If trials have losses, the highest rate without loss counts (RFC 2544). */
static void best_of(const struct table *table, double size, double *ret_rate, double *ret_theory)
{
	json_t *entry;
	size_t i;

	*ret_rate = NAN;
	*ret_theory = NAN;
	json_array_foreach(table->entries, i, entry) {
		if (number(entry, table->frame_bytes) != size)
			continue;
		*ret_theory = fmax(*ret_theory, number(entry, table->theory));
		if ((table->loss && number(entry, table->loss) != 0) || is_true(entry, table->irregular))
			continue;
		*ret_rate = fmax(*ret_rate, number(entry, table->rate));
	}
	/* Highest frame rate: link / bits of frame, preamble, delimiter and gap (RFC 2544 appendix B). */
	if (!isfinite(*ret_theory) && table->rate_unit == UNIT_PPS)
		*ret_theory = table->link_bps / (8 * (size + UNIT_GAP_BYTES));
}

static void rates_by_size(struct figures *figures, const struct table *table)
{
	double sizes[MAX_SIZES], rate, theory;
	struct plot_curve *measured, *bound;
	struct plot *plot;
	char name[96];
	size_t i;

	if (!table->frame_bytes || !table->rate)
		return;
	plot = figures_new(figures, PLOT_BARS, "Rate and theoretical limit by frame size");
	plot->nr_columns = sizes_of(table, sizes);
	plot->columns = calloc(plot->nr_columns + 1, sizeof(*plot->columns));
	if (!plot->columns)
		abort();
	snprintf(plot->x.label, sizeof(plot->x.label), "frame, bytes");
	plot->y.unit = table->rate_unit;
	measured = plot_curve(plot, strcmp(table->rate, "median") ? figures_name(name, sizeof(name), table->rate) :
			      "measured, median");
	bound = plot_curve(plot, "limit of the link");
	bound->bound = true;
	for (i = 0; i < plot->nr_columns; i++) {
		best_of(table, sizes[i], &rate, &theory);
		snprintf(plot->columns[i], sizeof(*plot->columns), "%.0f", sizes[i]);
		plot_point(measured, (double)i, rate);
		plot_point(bound, (double)i, theory);
	}
	snprintf(plot->note, sizeof(plot->note), "%s", table->loss ?
		 "Highest rate without loss, without irregular trials." : "Highest rate of each size.");
}

/* Loss by load, one curve per frame size; irregular trials do not count (RFC 9971). */
static void loss_by_load(struct figures *figures, const struct table *table)
{
	double sizes[MAX_SIZES] = { NAN };
	struct plot_curve *curve;
	size_t nr = 1, s, i;
	struct plot *plot;
	char name[64];
	json_t *entry;

	if (!table->load || !table->loss)
		return;
	plot = figures_new(figures, PLOT_CURVES, "Loss by load");
	plot->x = (struct plot_axis){ "offered load", unit_of(table->load),
				      PLOT_LINEAR };
	plot->y.unit = UNIT_RATIO;
	if (table->frame_bytes)
		nr = sizes_of(table, sizes);
	for (s = 0; s < nr; s++) {
		snprintf(name, sizeof(name), table->frame_bytes ? "%.0f bytes" : "loss", sizes[s]);
		curve = plot_curve(plot, name);
		if (!curve) {
			snprintf(plot->note, sizeof(plot->note), "Only the first %d sizes.", PLOT_MAX_CURVES);
			break;
		}
		curve->dots = true;
		json_array_foreach(table->entries, i, entry) {
			if ((!table->frame_bytes || number(entry, table->frame_bytes) == sizes[s]) &&
			    !is_true(entry, table->irregular))
				plot_point(curve, number(entry, table->load), number(entry, table->loss));
		}
		plot_sort(curve);
		plot_thin(curve);
	}
}

void figures_of_entries(struct figures *figures, const json_t *tree)
{
	struct table table = { .entries = json_object_get(tree, "entries") };

	if (!json_array_size(table.entries))
		return;
	columns_of(&table.columns, table.entries);
	read_columns(&table, tree);
	rates_by_size(figures, &table);
	/* A suite shows its sizes in one plot. */
	if (!json_object_get(json_object_get(tree, "metrics"), "frame_bytes") || table.frame_bytes)
		loss_by_load(figures, &table);
	figures_of_sweep(figures, tree);
}
