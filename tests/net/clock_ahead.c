// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * clock_ahead.c - preloaded, it sets CLOCK_MONOTONIC of user space 300 us ahead of the kernel's.
 *
 * A forwarder that lies: it sends 300 us before the time that it notes.
 */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define AHEAD_NS 300000	/* more than a packet waits on the way on a busy machine */

int clock_gettime(clockid_t clock, struct timespec *now)
{
	int err = (int)syscall(SYS_clock_gettime, clock, now);

	if (err || clock != CLOCK_MONOTONIC)
		return err;
	now->tv_nsec += AHEAD_NS;
	if (now->tv_nsec >= 1000000000) {
		now->tv_nsec -= 1000000000;
		now->tv_sec++;
	}
	return 0;
}
