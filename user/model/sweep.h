/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/sweep.h - a cross product of parameters, and what was measured of it so far.
 */
#ifndef MODEL_SWEEP_H
#define MODEL_SWEEP_H

#include <stdio.h>

#include "lib/err.h"
#include "model/tune_items.h"

#define SWEEP_MAX_VARIED	8
#define SWEEP_MAX_VALUES	64
#define SWEEP_MAX_RUNS		100000

struct sweep_varied {
	char name[48];
	const struct tune_item *item;		/* a setting; NULL: an option of the verb */
	char *values[SWEEP_MAX_VALUES];
	size_t nr;
	char *text;				/* what the values point into */
};

/* Run i is cell i % nr_cells: all cells once, then all of them again. */
struct sweep {
	struct sweep_varied varied[SWEEP_MAX_VARIED];
	size_t nr_varied, nr_cells, nr_runs;
};

/* "NAME=V1,V2": a setting of tune, or else an option --NAME; "--NAME=..." is always one. */
int sweep_vary(struct sweep *sweep, const char *text, struct err *e);
int sweep_finish(struct sweep *sweep, size_t repeats, struct err *e);
void sweep_release(struct sweep *sweep);

/* The value that the parameter @i has in @cell; the last parameter changes fastest. */
const char *sweep_value(const struct sweep *sweep, size_t cell, size_t i);

/* The value of the parameter @name; NULL: it is not varied. */
const char *sweep_value_of(const struct sweep *sweep, size_t cell, const char *name);

/* "NAME=VALUE,..." of the settings among the parameters; "" if there are none. */
void sweep_settings(const struct sweep *sweep, size_t cell, char *ret_list, size_t size);

/*
 * The words of a run: @self, the verb, "--json -q", an option for each parameter that is
 * neither a setting nor anywhere among the words as {NAME}, and the other words with such
 * places filled in. NULL: no memory.
 */
char **sweep_run_words(const struct sweep *sweep, size_t cell, char *const *words, int nr);
void sweep_run_words_free(char **words);

/* What calc says of a cell: sweep_theory.c. Choices in the order of the names. */
enum sweep_bound {
	SWEEP_BOUND_NONE, SWEEP_BOUND_TCP, SWEEP_BOUND_TCP6, SWEEP_BOUND_UDP, SWEEP_BOUND_UDP6,
	SWEEP_BOUND_FRAMES,
};

extern const char *const sweep_bounds[];

/* NAN: it says nothing. */
double sweep_bound_of(const struct sweep *sweep, size_t cell, enum sweep_bound bound,
		      double link_bps);

/*
 * The file of a sweep: @words on its first lines, then a figure a run. A file of other
 * words is refused, and so is one that another sweep writes. @ret_values takes what was measured, the first *ret_done runs.
 */
int sweep_file_open(const char *path, const char *words, size_t nr_runs, FILE **ret_file,
		    double *ret_values, size_t *ret_done, struct err *e);

/* On the disk before it returns. */
int sweep_file_add(FILE *file, double value);

#endif
