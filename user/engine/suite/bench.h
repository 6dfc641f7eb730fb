/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/suite/bench.h - trials through a device between two ports: each is
 * kept, and those of an earlier call are taken from its file instead of run again.
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
	struct stream_opts stream;	/* its ifname in tx_netns; without dest: to the receiver's address */
	const char *tx_netns;		/* NULL: the thread's own */
	struct bench_end end;		/* its namespaces are filled in; of a far one dest must be given */
	const char *state;		/* NULL: not kept */
	const char *words;		/* what makes two calls the same; of the file */
	uint64_t settle_ns;		/* between trials */
	uint64_t planned_ns;		/* about how long all of them are, for the time left */
};

struct bench;

/* This thread goes into tx_netns. Environment, addresses and the first trial's details into @res. */
int bench_open(struct bench **ret_bench, const struct bench_cfg *cfg, struct result *res,
	       struct err *e);
void bench_close(struct bench *bench);		/* takes NULL */

/* The link's speed as its driver tells it; 0: unknown. */
uint64_t bench_link_bps(const struct bench *bench);

/* The frame of this size, for rates by layer; -EINVAL: too small, or beyond the MTU. */
int bench_frame(const struct bench *bench, uint32_t frame_bytes, struct frame_spec *ret_frame,
		struct err *e);

/*
 * Runs it, or takes it from the file. One at which the generator fell behind or stalled is
 * run again: at least twice, and for 10 s or 20 times unless it shows that the generator
 * reaches no more; then the best is returned. -EINTR: a signal came, and it was not kept.
 */
int bench_run(struct bench *bench, const struct bench_ask *ask, struct bench_trial *ret_trial,
	      struct err *e);

/* What --reset-command runs in: the network namespace that bench_open() was called in. */
int bench_home_ns(const struct bench *bench);

/* All trials in the order they were run, as the list "trials" of self, and their number. */
void bench_report(const struct bench *bench, struct result *res);

#endif
