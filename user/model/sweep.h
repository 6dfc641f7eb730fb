/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/sweep.h - all combinations of parameters, and the results so far.
 */
#ifndef MODEL_SWEEP_H
#define MODEL_SWEEP_H

#include <stdio.h>

#include "lib/err.h"
#include "result/outcome.h"
#include "model/tune_items.h"

#define SWEEP_MAX_VARIED	8
#define SWEEP_MAX_VALUES	64
#define SWEEP_MAX_RUNS		100000

struct sweep_varied {
	char name[48];
	const struct tune_item *item;		/* a setting; NULL: an option of the verb */
	char *values[SWEEP_MAX_VALUES];
	size_t nr;
	char *text;				/* memory of the values */
};

/* Run i is cell i % nr_cells: all cells once, then again. */
struct sweep {
	struct sweep_varied varied[SWEEP_MAX_VARIED];
	size_t nr_varied, nr_cells, nr_runs;
};

/* "NAME=V1,V2": a setting of tune, otherwise an option --NAME; "--NAME=..." is always an option. */
int sweep_vary(struct sweep *sweep, const char *text, struct err *e);
int sweep_finish(struct sweep *sweep, size_t repeats, struct err *e);
void sweep_release(struct sweep *sweep);

/* The value of parameter @i in @cell; the last parameter changes fastest. */
const char *sweep_value(const struct sweep *sweep, size_t cell, size_t i);

/* The value of the parameter @name; NULL: not varied. */
const char *sweep_value_of(const struct sweep *sweep, size_t cell, const char *name);

/* "NAME=VALUE,..." of the parameters that are settings; "" if there are none. */
void sweep_settings(const struct sweep *sweep, size_t cell, char *ret_list, size_t size);

/*
 * The words of a run: @self, the verb, "--json -q", an option for each parameter that is neither a
 * setting nor used as {NAME} in the words, and the other words with {NAME} replaced. NULL: no
 * memory.
 */
char **sweep_run_words(const struct sweep *sweep, size_t cell, char *const *words, int nr);
void sweep_run_words_free(char **words);

/* What calc computes for a cell: sweep_theory.c. Choices in the order of the names. */
enum sweep_bound {
	SWEEP_BOUND_NONE, SWEEP_BOUND_TCP, SWEEP_BOUND_TCP6, SWEEP_BOUND_UDP, SWEEP_BOUND_UDP6,
	SWEEP_BOUND_FRAMES,
};

extern const char *const sweep_bounds[];

/*
 * NAN: no theory. MTU and TCP options are the cell's, or else those of @run, one of its runs; NULL:
 * none is known. The link is half-duplex if either says so.
 */
double sweep_bound_of(const struct sweep *sweep, size_t cell, enum sweep_bound bound,
		      double link_bps, bool half_duplex, const struct outcome_run *run);

/*
 * The state file of a sweep: @words on its first lines, then one figure per run. A file with other
 * words is refused, and so is one in use by another sweep. @ret_runs gets the first *ret_done
 * runs.
 */
int sweep_file_open(const char *path, const char *words, size_t nr_runs, FILE **ret_file,
		    struct outcome_run *ret_runs, size_t *ret_done, struct err *e);

/* On disk before it returns. */
int sweep_file_add(FILE *file, const struct outcome_run *run);

#endif
