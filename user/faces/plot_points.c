// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faces/plot_points.c - the data of a plot.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "faces/plot.h"

struct plot_curve *plot_curve(struct plot *plot, const char *name)
{
	struct plot_curve *curve;

	if (plot->nr_curves == PLOT_MAX_CURVES)
		return NULL;
	curve = &plot->curves[plot->nr_curves++];
	snprintf(curve->name, sizeof(curve->name), "%s", name);
	return curve;
}

void plot_point(struct plot_curve *curve, double x, double y)
{
	if (curve->nr == curve->room) {
		curve->room = curve->room ? 2 * curve->room : 64;
		curve->x = realloc(curve->x, curve->room * sizeof(*curve->x));
		curve->y = realloc(curve->y, curve->room * sizeof(*curve->y));
		if (!curve->x || !curve->y)
			abort();	/* out of memory: as for a result, nothing can be reported */
	}
	curve->x[curve->nr] = x;
	curve->y[curve->nr++] = isfinite(x) ? y : NAN;
}

struct point {
	double x, y;
};

static int by_x(const void *a, const void *b)
{
	const struct point *p = a, *q = b;

	return (p->x > q->x) - (p->x < q->x);
}

void plot_sort(struct plot_curve *curve)
{
	struct point *points = calloc(curve->nr + 1, sizeof(*points));
	size_t i;

	if (!points)
		abort();
	for (i = 0; i < curve->nr; i++)
		points[i] = (struct point){ curve->x[i], curve->y[i] };
	qsort(points, curve->nr, sizeof(*points), by_x);
	for (i = 0; i < curve->nr; i++) {
		curve->x[i] = points[i].x;
		curve->y[i] = points[i].y;
	}
	free(points);
}

void plot_thin(struct plot_curve *curve)
{
	size_t stretches = PLOT_MAX_POINTS / 2, kept = 0, k, i;

	if (curve->nr <= PLOT_MAX_POINTS)
		return;
	for (k = 0; k < stretches; k++) {
		size_t first = k * curve->nr / stretches, end = (k + 1) * curve->nr / stretches;
		size_t least = first, most = first, one, two;

		for (i = first + 1; i < end; i++) {
			if (curve->y[i] < curve->y[least] || isnan(curve->y[least]))
				least = i;
			if (curve->y[i] > curve->y[most] || isnan(curve->y[most]))
				most = i;
		}
		one = least < most ? least : most;
		two = least < most ? most : least;
		curve->x[kept] = curve->x[one];
		curve->y[kept++] = curve->y[one];
		if (two == one)
			continue;
		curve->x[kept] = curve->x[two];
		curve->y[kept++] = curve->y[two];
	}
	curve->nr = kept;
}

bool plot_empty(const struct plot *plot)
{
	size_t c, i;

	for (c = 0; c < plot->nr_curves; c++) {
		for (i = 0; i < plot->curves[c].nr; i++) {
			if (isfinite(plot->curves[c].y[i]))
				return false;
		}
	}
	return true;
}

void plot_release(struct plot *plot)
{
	size_t i;

	for (i = 0; i < plot->nr_curves; i++) {
		free(plot->curves[i].x);
		free(plot->curves[i].y);
	}
	free(plot->columns);
	free(plot->rows);
	memset(plot, 0, sizeof(*plot));
}
