/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report/figures_parts.h - what the files that make plots share.
 */
#ifndef REPORT_FIGURES_PARTS_H
#define REPORT_FIGURES_PARTS_H

#include "report/figures.h"

/* A new one, to be filled. */
struct plot *figures_new(struct figures *figures, enum plot_kind kind, const char *title);

/* Of a table of entries: rates by frame size, loss by load, heat maps. */
void figures_of_entries(struct figures *figures, const json_t *tree);

#endif
