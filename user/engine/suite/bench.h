/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/suite/bench.h - trials through a device between two ports: each is saved, and those in the
 * state file of an earlier call are reused.
 */
#ifndef ENGINE_SUITE_BENCH_H
#define ENGINE_SUITE_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/send/stream.h"
#include "engine/suite/bench_trial.h"
#include "lib/err.h"
#include "result/result.h"

struct bench_cfg {
	struct stream_opts stream;	/* its ifname is in tx_netns; without dest: the
					 * receiver's address */
	const char *tx_netns;		/* NULL: the thread's */
	struct bench_end end;		/* its namespaces are filled in; a receiver on another
					 * host requires dest */
	const char *state;		/* state file; NULL: none */
	const char *words;		/* the options that two calls must share, for the state
					 * file */
	uint64_t settle_ns;		/* between trials */
	uint64_t planned_ns;		/* estimated duration of all trials, for the time left */
};

struct bench;

/*
 * Moves this thread to tx_netns. Writes environment, addresses and the first trial's details to
 * @res.
 */
int bench_open(struct bench **ret_bench, const struct bench_cfg *cfg, struct result *res,
	       struct err *e);
void bench_close(struct bench *bench);		/* takes NULL */

/* The link speed reported by the driver; 0: unknown. */
uint64_t bench_link_bps(const struct bench *bench);

/* The frame of this size, for rates by layer; -EINVAL: too small, or beyond the MTU. */
int bench_frame(const struct bench *bench, uint32_t frame_bytes, struct frame_spec *ret_frame,
		struct err *e);

/*
 * Runs the trial, or takes it from the state file. If the generator fell behind or stalled, the
 * trial is repeated: at least twice, and for 10 s or 20 times unless the generator turns out to be
 * at its limit; then the best one is returned. -EINTR: a signal arrived, and the trial was not
 * saved.
 */
int bench_run(struct bench *bench, const struct bench_ask *ask, struct bench_trial *ret_trial,
	      struct err *e);

/* The network namespace that --reset-command runs in: that in which bench_open() was called. */
int bench_home_ns(const struct bench *bench);

/* All trials in the order of their runs, as the list "trials" of self, and their number. */
void bench_report(const struct bench *bench, struct result *res);

#endif
