/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * faces/plot.h - curves, bars and heat maps as SVG.
 *
 * The same plot is in a page, whose script can zoom it, and in separate files. It is
 * complete without the script.
 */
#ifndef FACES_PLOT_H
#define FACES_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "lib/unit.h"

#define PLOT_MAX_CURVES	8	/* as many as there are colours */
#define PLOT_MAX_POINTS	1200	/* of a curve; more are thinned, extremes stay */

enum plot_kind { PLOT_CURVES, PLOT_BARS, PLOT_HEAT };

enum plot_scale { PLOT_LINEAR, PLOT_LOG, PLOT_PERCENTILES };	/* the last: 1 / (1 - share), log */

struct plot_axis {
	char label[64];
	enum unit unit;
	enum plot_scale scale;
};

struct plot_curve {
	char name[96];
	double *x, *y;		/* y not finite: a gap */
	size_t nr, room;
	bool bound;		/* a limit: with bars, a line above them */
	bool dots;		/* few points: draw each */
	bool steps;		/* a y holds up to the next x */
};

struct plot {
	enum plot_kind kind;
	char title[160];
	char note[400];		/* below; may be empty */
	struct plot_axis x, y;
	struct plot_curve curves[PLOT_MAX_CURVES];
	size_t nr_curves;
	/*
	 * Bars: names of the places that x counts from 0. A heat map has them as columns,
	 * and rows, and its first curve is the values, row by row.
	 */
	char (*columns)[40], (*rows)[40];
	size_t nr_columns, nr_rows;
};

/* A new curve, or NULL if there are PLOT_MAX_CURVES. */
struct plot_curve *plot_curve(struct plot *plot, const char *name);
void plot_point(struct plot_curve *curve, double x, double y);

/* By x. */
void plot_sort(struct plot_curve *curve);

/* Leaves at most PLOT_MAX_POINTS: of each stretch the least and the greatest y, in their order. */
void plot_thin(struct plot_curve *curve);

/* True if there is nothing to show. */
bool plot_empty(const struct plot *plot);

/* @of: what it is of, as a file of its own with title, legend and colours; NULL: in a page. */
void plot_svg(FILE *out, const struct plot *plot, const char *of);

/* Names and colours of the curves for a page. */
void plot_legend(FILE *out, const struct plot *plot);

void plot_release(struct plot *plot);

#endif
