// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ticks.c - preloaded, a signal that does nothing arrives every millisecond.
 */
#include <signal.h>
#include <stddef.h>
#include <time.h>

static void on_tick(int signal)
{
	(void)signal;
}

__attribute__((constructor)) static void start(void)
{
	struct sigaction action = { .sa_handler = on_tick, .sa_flags = SA_RESTART };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGURG };
	struct itimerspec each = { .it_interval.tv_nsec = 1000000, .it_value.tv_nsec = 1000000 };
	timer_t timer;

	sigaction(SIGURG, &action, NULL);
	if (!timer_create(CLOCK_MONOTONIC, &event, &timer))
		timer_settime(timer, 0, &each, NULL);
}
