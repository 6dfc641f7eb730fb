/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/suite/bench_suite.h - run a standard's test suite.
 */
#ifndef ENGINE_SUITE_BENCH_SUITE_H
#define ENGINE_SUITE_BENCH_SUITE_H

#include "engine/suite/bench.h"
#include "model/bench_plan.h"

/* Writes a part per frame size and goal to @res. A signal ends it without an error. */
int bench_suite_run(struct bench *bench, const struct bench_plan *plan, struct result *res,
		    struct err *e);

#endif
