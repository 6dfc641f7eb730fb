/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/suite/bench_suite.h - run a standard's suite.
 */
#ifndef ENGINE_SUITE_BENCH_SUITE_H
#define ENGINE_SUITE_BENCH_SUITE_H

#include "engine/suite/bench.h"
#include "model/bench_plan.h"

/* A part for each frame size and goal in @res. A signal ends it without an error. */
int bench_suite_run(struct bench *bench, const struct bench_plan *plan, struct result *res,
		    struct err *e);

#endif
