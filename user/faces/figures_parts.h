/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * faces/figures_parts.h - shared by the files that make plots.
 */
#ifndef FACES_FIGURES_PARTS_H
#define FACES_FIGURES_PARTS_H

#include "faces/figures.h"

/* A new, empty plot. */
struct plot *figures_new(struct figures *figures, enum plot_kind kind, const char *title);

/* Of a table of entries: rates by frame size, loss by load, what a sweep found. */
void figures_of_entries(struct figures *figures, const json_t *tree);

/* The table of a sweep: a row a cell, what was varied before "runs", "median", "min", "max". */
struct swept {
	const json_t *cells;
	struct columns columns;
	size_t nr_varied;
	const char *metric;		/* the figure's key */
	enum unit unit;
};

/* False if @tree has no such table. */
bool swept_open(struct swept *ret_swept, const json_t *tree);

/* The key of the figure that a sweep measured; "" if @tree is none. */
const char *swept_metric(const json_t *tree);

/* Curves or bars by what was varied first, beside theory, and heat maps of the first two. */
void figures_of_sweep(struct figures *figures, const json_t *tree);

/* Of a suite whose parts are frame sizes: throughput, loss and latency of all of them. */
void figures_of_suite(struct figures *figures, const json_t *tree);

#endif
