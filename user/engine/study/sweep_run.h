/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/study/sweep_run.h - run a verb over all combinations of parameters, each several times.
 */
#ifndef ENGINE_STUDY_SWEEP_RUN_H
#define ENGINE_STUDY_SWEEP_RUN_H

#include <stdio.h>

#include "lib/opt.h"
#include "model/sweep.h"
#include "result/result.h"

#define SWEEP_MAX_REPEATS 1000

struct sweep_cfg {
	struct opt_rest command;	/* a verb and its arguments */
	struct opt_strs vary, ifnames;
	const char *metric;
	const char *state;		/* NULL: no state file */
	uint32_t repeat;
	bool skip_failed;		/* continue after a failed run */
	enum sweep_bound bound;
	double link_bps;
	bool half_duplex;
	/* Checks a verb and its arguments without running it. */
	int (*try)(int argc, char **argv, struct err *e);
	/* Reads the figure @key from a run's document. */
	int (*read)(FILE *in, const char *key, struct outcome_run *ret_run, struct err *e);
};

/* @res has what was measured, also on failure or after a signal. */
int sweep_run(const struct sweep_cfg *cfg, struct result *res, struct err *e);

/*
 * Appends the metric, the varied parameters and the verb as on a command line, after @used bytes of
 * @text. Returns the bytes used then; what is beyond @size is cut.
 */
size_t sweep_show(const struct sweep_cfg *cfg, char *text, size_t used, size_t size);

#endif
