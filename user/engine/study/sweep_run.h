/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/study/sweep_run.h - a verb over a cross product of parameters, each cell several times.
 */
#ifndef ENGINE_STUDY_SWEEP_RUN_H
#define ENGINE_STUDY_SWEEP_RUN_H

#include <stdio.h>

#include "lib/opt.h"
#include "model/sweep.h"
#include "result/result.h"

#define SWEEP_MAX_REPEATS 1000

struct sweep_cfg {
	struct opt_rest command;	/* a verb and its words */
	struct opt_strs vary, ifnames;
	const char *metric;
	const char *state;		/* NULL: nothing is kept */
	uint32_t repeat;
	bool skip_failed;		/* continue after a failed run */
	enum sweep_bound bound;
	double link_bps;
	/* The figure @key of a run's document. */
	int (*read)(FILE *in, const char *key, double *ret_value, struct err *e);
};

/* What was measured is in @res also where it fails, or is ended by a signal. */
int sweep_run(const struct sweep_cfg *cfg, struct result *res, struct err *e);

/*
 * The metric, what is varied, and of which verb, as one would give it, after @used bytes of
 * @text. The length that it would have.
 */
size_t sweep_show(const struct sweep_cfg *cfg, char *text, size_t used, size_t size);

#endif
