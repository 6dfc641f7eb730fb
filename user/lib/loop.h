/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lib/loop.h - waiting, intervals and signals, in one place.
 */
#ifndef LIB_LOOP_H
#define LIB_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#define NSEC_PER_SEC 1000000000ull

/*
 * From now on SIGINT, SIGTERM and SIGHUP request the stop. Signals within one second are one request:
 * timeout(1) signals its child and then its process group. The first request sets the stop flag, the
 * second changes nothing, the third ends the process by the signal's default action. A SIGHUP that was
 * ignored stays so. SIGPIPE is ignored.
 */
void loop_catch_signals(void);

/*
 * From now on signals do not interrupt system calls that can be restarted, such as write(). The
 * first signal does this by itself: what follows it is cleanup and output.
 */
void loop_restart_calls(void);

/* Restores the default actions of signals, before executing another program. */
void loop_release_signals(void);

/* Requests the stop as a signal does, SIGPIPE: no one reads what is printed. */
void loop_stop(void);

/* The signal that requested the stop; 0: none. */
int loop_signal(void);

/* CLOCK_MONOTONIC, the same as bpf_ktime_get_ns(). */
uint64_t loop_mono_ns(void);

/* Sleeps until @mono_ns or a signal. */
void loop_sleep_until(uint64_t mono_ns);

struct loop {
	uint64_t duration_ns;	/* of the next loop_run(); 0: no limit */
	uint64_t interval_ns;	/* between calls of tick; 0: never */
	/*
	 * When done() is expected to end it all, since the start; 0: not known. A tick that is due within a
	 * tenth of an interval of it waits until that is over: else a very short interval would follow.
	 */
	uint64_t expected_ns;
	/* Called every 20 ms; true ends the loop. May be NULL. */
	bool (*done)(void *ctx);
	/* Called at each interval with the time since the start. May be NULL. */
	void (*tick)(void *ctx, uint64_t elapsed_ns);
	void *ctx;
	/* Set by the first loop_run(). */
	uint64_t start_mono_ns, tick_mono_ns;
};

/*
 * Runs until the duration is over, done() returns true, or a signal arrives. May be called again, to
 * wait for something else: the ticks continue. Returns the time since the start of the first call.
 */
uint64_t loop_run(struct loop *loop);

/*
 * Calls tick once more, for the time since the last tick, unless there is no interval. For use when
 * the counts no longer change: the sum of what the ticks report is then the total. Returns the time
 * since the start.
 */
uint64_t loop_close(struct loop *loop);

#endif
