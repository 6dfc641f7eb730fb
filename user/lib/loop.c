// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lib/loop.c - waiting, intervals and signals.
 */
#include "lib/loop.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#define POLL_NS 20000000ull

#define REQUEST_NS NSEC_PER_SEC

static volatile sig_atomic_t stop_signal;

static void on_signal(int signal);

static void handle(void (*handler)(int signal), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags }, old;

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	/* nohup(1) has it ignored. */
	if (sigaction(SIGHUP, NULL, &old) || old.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
}

static void on_signal(int signal)
{
	static atomic_flag handling = ATOMIC_FLAG_INIT;
	static uint64_t request_ns;
	static unsigned int requests;
	uint64_t now_ns = loop_mono_ns();
	struct sigaction end = { .sa_handler = SIG_DFL };

	/* Another thread may handle one at this moment: it belongs to the same request. */
	if (atomic_flag_test_and_set(&handling))
		return;
	if (!requests || now_ns - request_ns >= REQUEST_NS) {
		request_ns = now_ns;
		requests++;
		if (requests == 1) {
			stop_signal = signal;
			loop_restart_calls();
		} else if (requests == 3) {
			sigaction(signal, &end, NULL);
			raise(signal);
		}
	}
	atomic_flag_clear(&handling);
}

void loop_catch_signals(void)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	/* No RESTART: what waits for input must end. */
	handle(on_signal, 0);
	sigaction(SIGPIPE, &ignore, NULL);
}

void loop_restart_calls(void)
{
	handle(on_signal, SA_RESTART);
}

void loop_release_signals(void)
{
	struct sigaction action = { .sa_handler = SIG_DFL };

	handle(SIG_DFL, 0);
	sigaction(SIGPIPE, &action, NULL);
}

void loop_stop(void)
{
	stop_signal = SIGPIPE;
}

int loop_signal(void)
{
	return stop_signal;
}

uint64_t loop_mono_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec;
}

void loop_sleep_until(uint64_t mono_ns)
{
	struct timespec until = {
		.tv_sec = (time_t)(mono_ns / NSEC_PER_SEC),
		.tv_nsec = (long)(mono_ns % NSEC_PER_SEC),
	};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

static void start(struct loop *loop, uint64_t now_ns)
{
	if (loop->start_mono_ns)
		return;
	loop->start_mono_ns = now_ns;
	loop->tick_mono_ns = loop->interval_ns ? now_ns + loop->interval_ns : UINT64_MAX;
}

/* When the next tick is done. */
static uint64_t tick_due(const struct loop *loop)
{
	uint64_t end_ns = loop->start_mono_ns + loop->expected_ns, near_ns = loop->interval_ns / 10;

	if (!loop->expected_ns || loop->tick_mono_ns + near_ns < end_ns || loop->tick_mono_ns > end_ns + near_ns)
		return loop->tick_mono_ns;
	return end_ns + near_ns;
}

uint64_t loop_run(struct loop *loop)
{
	uint64_t now_ns = loop_mono_ns(), wake_ns;
	uint64_t end_ns = loop->duration_ns ? now_ns + loop->duration_ns : UINT64_MAX;

	start(loop, now_ns);
	while (!loop_signal() && now_ns < end_ns && !(loop->done && loop->done(loop->ctx))) {
		/* A tick that is due at the end is the closing one. */
		if (now_ns >= tick_due(loop)) {
			if (loop->tick)
				loop->tick(loop->ctx, now_ns - loop->start_mono_ns);
			/* A very late tick is not followed by a burst of ticks to catch up. */
			while (loop->tick_mono_ns <= now_ns)
				loop->tick_mono_ns += loop->interval_ns;
		}
		wake_ns = now_ns + POLL_NS;
		if (wake_ns > tick_due(loop))
			wake_ns = tick_due(loop);
		if (wake_ns > end_ns)
			wake_ns = end_ns;
		loop_sleep_until(wake_ns);
		now_ns = loop_mono_ns();
	}
	return loop_mono_ns() - loop->start_mono_ns;
}

uint64_t loop_close(struct loop *loop)
{
	uint64_t now_ns = loop_mono_ns();

	start(loop, now_ns);
	if (loop->interval_ns && loop->tick)
		loop->tick(loop->ctx, now_ns - loop->start_mono_ns);
	return now_ns - loop->start_mono_ns;
}
