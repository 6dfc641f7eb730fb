/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/watch/watch_cost.h - the cost of the watching programs, by the kernel's own timing of
 * their runs.
 *
 * Timing itself costs two clock reads per run, for every BPF program on the machine, so only a
 * sample is timed: the first 200 ms of every 5 s.
 */
#ifndef ENGINE_WATCH_WATCH_COST_H
#define ENGINE_WATCH_WATCH_COST_H

#include <stdint.h>

#include "result/result.h"

struct watch_cost {
	int stats_fd;		/* -1: timing is off */
	int err;		/* why runs cannot be timed; 0: they can */
	uint64_t next_mono_ns;	/* when timing starts or ends next */
};

/* Timing starts with the first watch_cost_poll(). */
void watch_cost_open(struct watch_cost *cost);
void watch_cost_poll(struct watch_cost *cost);

/* Restores the machine's setting. */
void watch_cost_close(struct watch_cost *cost);

/*
 * Into @res: the mean duration of a run of @prog_fd, and the cores that @runs in @elapsed_ns kept
 * busy. Returns the cores, 0 if nothing was timed.
 */
double watch_cost_report(int prog_fd, uint64_t runs, uint64_t elapsed_ns, struct result *res);

#endif
