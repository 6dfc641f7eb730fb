// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faces/text_sweep.c - the cells of a sweep as bars: minimum, maximum and median of
 * the runs, and the theoretical limit.
 */
#include "faces/text_parts.h"

#include <math.h>
#include <string.h>

#include "faces/figures_parts.h"
#include "result/value.h"

#define MIN_BAR		20
#define FIGURE_WIDTH	28	/* after a bar: the median, and its share of the limit */

static double number(const json_t *cell, const char *key)
{
	const json_t *value = json_object_get(cell, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

/* Where the bars end; 0: there is nothing to show. */
static double scale_of(const struct swept *swept)
{
	const json_t *cell;
	double most = 0;
	size_t i;

	json_array_foreach(swept->cells, i, cell)
		most = fmax(most, fmax(number(cell, "max"), number(cell, "theory")));
	return most;
}

static size_t label(char *buf, size_t size, const struct swept *swept, const json_t *cell,
		    const size_t *widths)
{
	size_t used = 0, k;
	char text[64];

	buf[0] = '\0';
	for (k = 0; k < swept->nr_varied && used < size; k++) {
		const char *key = swept->columns.keys[k];

		used += (size_t)snprintf(buf + used, size - used, "%-*s  ", (int)widths[k],
					 cell ? value_cell(text, sizeof(text), key, json_object_get(cell, key)) :
					 key);
	}
	return used;
}

static void draw(char *bar, size_t width, const json_t *cell, double scale)
{
	const char *const keys[] = { "min", "max", "median", "theory" };
	size_t at[4], i;

	for (i = 0; i < 4; i++) {
		double value = number(cell, keys[i]);

		at[i] = value >= 0 ? (size_t)lround(value / scale * (double)(width - 1)) : width;
	}
	for (i = 0; i < width; i++)
		bar[i] = at[1] == width ? ' ' : i < at[0] ? '=' : i <= at[1] ? '-' : ' ';
	if (at[3] < width)
		bar[at[3]] = '|';
	if (at[2] < width)
		bar[at[2]] = 'o';
	bar[width] = '\0';
	while (width && bar[width - 1] == ' ')
		bar[--width] = '\0';
}

static void print_cell(FILE *out, const struct swept *swept, const json_t *cell, const size_t *widths,
		       size_t width, double scale)
{
	char text[512], bar[PAGE_WIDTH + 1], figure[64];
	double median = number(cell, "median"), theory = number(cell, "theory");

	label(text, sizeof(text), swept, cell, widths);
	draw(bar, width, cell, scale);
	fprintf(out, "%s%-*s  %s", text, (int)width, bar,
		isfinite(median) ? unit_format(figure, sizeof(figure), swept->unit, median) : "-");
	if (median >= 0 && theory > 0)
		fprintf(out, "  %s", unit_format(figure, sizeof(figure), UNIT_RATIO, median / theory));
	fputc('\n', out);
}

bool text_sweep(FILE *out, const json_t *tree)
{
	size_t widths[COLUMNS_MAX], width, i, k;
	char text[512], most[64];
	struct swept swept;
	const json_t *cell;
	double scale;

	if (!swept_open(&swept, tree) || !((scale = scale_of(&swept)) > 0))
		return false;
	for (k = 0; k < swept.nr_varied; k++) {
		const char *key = swept.columns.keys[k];

		widths[k] = strlen(key);
		json_array_foreach(swept.cells, i, cell) {
			size_t len = strlen(value_cell(text, sizeof(text), key, json_object_get(cell, key)));

			widths[k] = len > widths[k] ? len : widths[k];
		}
	}
	width = label(text, sizeof(text), &swept, NULL, widths) + FIGURE_WIDTH;
	width = width + MIN_BAR < PAGE_WIDTH ? PAGE_WIDTH - width : MIN_BAR;
	fprintf(out, "\n%s0 to %s: = minimum, - maximum, o median%s\n", text,
		unit_format(most, sizeof(most), swept.unit, scale),
		isfinite(number(json_array_get(swept.cells, 0), "theory")) ? ", | theory" : "");
	json_array_foreach(swept.cells, i, cell)
		print_cell(out, &swept, cell, widths, width, scale);
	fputc('\n', out);
	return true;
}
