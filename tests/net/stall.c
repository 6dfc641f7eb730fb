// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stall.c - preloaded, it lets a thread that waits for packets by ppoll() stand still once, for STALL_S
 * seconds, in its 100th call: the first that comes so far after STALL_AFTER other threads have begun.
 *
 * A forwarder that got no CPU while packets were on their way.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int ppoll(struct pollfd *fds, nfds_t nr, const struct timespec *timeout, const sigset_t *mask)
{
	static atomic_int threads, stalls;
	static __thread int calls, number;
	struct timespec rest = { 0 }, still = { .tv_sec = atoi(getenv("STALL_S")) };

	if (++calls == 1)
		number = threads++;
	if (calls == 100 && number >= atoi(getenv("STALL_AFTER")) && !stalls++)
		clock_nanosleep(CLOCK_MONOTONIC, 0, &still, NULL);
	if (timeout)
		rest = *timeout;	/* the kernel changes it */
	return (int)syscall(SYS_ppoll, fds, nr, timeout ? &rest : NULL, mask, 8);
}
