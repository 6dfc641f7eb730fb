/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lib/loop.h - wait, tick, and stop: one place for signals and intervals.
 */
#ifndef LIB_LOOP_H
#define LIB_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#define NSEC_PER_SEC 1000000000ull

/*
 * SIGINT, SIGTERM and SIGHUP set the stop flag from now on; a second one ends
 * the process at once. SIGPIPE is ignored.
 */
void loop_catch_signals(void);

/* Signals do again what they do by themselves: for a program started in our place. */
void loop_release_signals(void);

/* The signal that asked for the stop; 0: none. */
int loop_signal(void);

/* CLOCK_MONOTONIC, as bpf_ktime_get_ns() reads it. */
uint64_t loop_mono_ns(void);

/* Sleeps until @mono_ns or a signal. */
void loop_sleep_until(uint64_t mono_ns);

struct loop {
	uint64_t duration_ns;	/* 0: no bound */
	uint64_t interval_ns;	/* between calls of tick; 0: never */
	/* Asked every 20 ms; true ends the loop. May be NULL. */
	bool (*done)(void *ctx);
	/* Called at each interval with the time since the start. May be NULL. */
	void (*tick)(void *ctx, uint64_t elapsed_ns);
	void *ctx;
};

/* Runs until the duration is over, done() says so, or a signal came. Returns the time it took. */
uint64_t loop_run(const struct loop *loop);

#endif
