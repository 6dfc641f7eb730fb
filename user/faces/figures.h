/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * faces/figures.h - the plots of a document or of a part.
 */
#ifndef FACES_FIGURES_H
#define FACES_FIGURES_H

#include <jansson.h>

#include "faces/plot.h"

#define COLUMNS_MAX 64

/* Keys of a list of rows in the order of their first appearance; borrowed from the rows. */
struct columns {
	const char *keys[COLUMNS_MAX];
	size_t nr;
	bool more;	/* there are others */
};

void columns_of(struct columns *ret_columns, const json_t *rows);

struct figures {
	struct plot *list;
	size_t nr;
};

/*
 * Time series, percentiles of each histogram, rates against theory by frame size, loss
 * by load, and heat maps of two parameters that were varied; not of its parts.
 */
void figures_of(struct figures *figures, const json_t *tree);

/* What people call a figure, or the histogram or family @key: "round trip" of rtt_ns; else @key. */
const char *figures_name(char *buf, size_t size, const char *key);

/* The same figure of several documents in one plot; @names is by document. */
void figures_across(struct figures *figures, const json_t *const *docs, const char *const *names,
		    size_t nr);

void figures_release(struct figures *figures);

#endif
