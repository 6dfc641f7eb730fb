/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/host/calls.h - the system calls that a running verb may make.
 */
#ifndef SYS_HOST_CALLS_H
#define SYS_HOST_CALLS_H

enum {
	CALLS_NETNS = 1 << 0,	/* entering network namespaces */
};

/*
 * By seccomp, permanently, for all threads of this process: what measures, reads and writes works; what starts,
 * traces or becomes another process, loads a program, mounts or changes the host's settings fails with ENOSYS.
 * @also: CALLS_* that work as well. Returns 0 or negative errno: the kernel has no filters, or permits none.
 */
int calls_limit(unsigned int also);

#endif
