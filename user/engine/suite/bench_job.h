/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/suite/bench_job.h - one frame size of a suite, or one of its goals: shared by bench_*.c.
 */
#ifndef ENGINE_SUITE_BENCH_JOB_H
#define ENGINE_SUITE_BENCH_JOB_H

#include "engine/suite/bench_suite.h"

struct job {
	struct bench *bench;
	const struct bench_plan *plan;
	struct result *res, *part;
	uint32_t frame_bytes;
	double max_pps;			/* requested, or as much of it as the generator reaches */
	bool limited;
	char limit[256];		/* by what, a sentence; "": unknown */
	uint64_t disturbed;		/* decisions by a trial that was disturbed in every
					 * attempt */
};

void job_add_disturbed(struct job *job, const struct bench_trial *trial);

/* System recovery and reset, RFC 2544 26.5 and 26.6. */
int job_find_recovery(struct job *job, double throughput_pps, struct err *e);
int job_find_reset(struct job *job, double throughput_pps, struct err *e);

/* Steps up to the committed rate, above it, and the performance test of Y.1564. */
int job_test_service(struct job *job, struct err *e);

#endif
