// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stall.c - preloaded, it lets a thread that waits by STALL_IN, ppoll() or clock_nanosleep(), stand still
 * once, for STALL_S seconds, in its call number STALL_CALL: the first that comes so far after STALL_AFTER other
 * threads have begun. The main thread neither counts nor stands still: when it waits is a chance.
 *
 * A forwarder that got no CPU while packets were on their way, or a sender while they were due.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void stall_once(const char *name)
{
	static atomic_int threads, stalls;
	static __thread int calls, number;
	struct timespec still = { .tv_sec = atoi(getenv("STALL_S")) };

	if (strcmp(name, getenv("STALL_IN")) || syscall(SYS_gettid) == getpid())
		return;
	if (++calls == 1)
		number = threads++;
	if (calls == atoi(getenv("STALL_CALL")) && number >= atoi(getenv("STALL_AFTER")) && !stalls++)
		syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &still, NULL);
}

int ppoll(struct pollfd *fds, nfds_t nr, const struct timespec *timeout, const sigset_t *mask)
{
	struct timespec rest = { 0 };

	stall_once("ppoll");
	if (timeout)
		rest = *timeout;	/* the kernel changes it */
	return (int)syscall(SYS_ppoll, fds, nr, timeout ? &rest : NULL, mask, 8);
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *rest)
{
	stall_once("clock_nanosleep");
	return (int)syscall(SYS_clock_nanosleep, clock, flags, time, rest);
}
