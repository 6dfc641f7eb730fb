/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/host/child.h - run another program, to its end or in parallel.
 */
#ifndef SYS_HOST_CHILD_H
#define SYS_HOST_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Runs @argv[0], found by PATH unless it has a slash, with its stdout in @out_fd; it is killed if
 * this process is. A signal that asks this process to stop is forwarded, once. Returns 0 with the
 * exit status as in a shell (128 + n: ended by signal n; 127: not found), or negative errno.
 */
int child_run(char *const argv[], int out_fd, int *ret_status);

/* The same; -ETIMEDOUT: it was killed after @limit_ns. */
int child_run_within(char *const argv[], int out_fd, uint64_t limit_ns, int *ret_status);

struct child {
	pid_t pid;	/* 0: it has ended */
	int status;	/* then */
	int in_fd;	/* its stdin; -1: closed */
	int out_fd, err_fd;	/* its stdout and stderr, non-blocking */
};

/*
 * Starts @argv[0] in the network namespace @netns_fd. It gets no signals from the terminal; the end
 * of its stdin shows that this process has ended. 0 or negative errno.
 */
int child_open(struct child *ret_child, char *const argv[], int netns_fd);

/* Closes its stdin. */
void child_end(struct child *child);

/* True once it has ended, with the status as above. */
bool child_has_ended(struct child *child, int *ret_status);

#define CHILD_FIRST_FD	3

/* Those that ask to end: for a child that ends with its parent. */
void child_ignore_signals(void);

/*
 * In a child that only serves its parent, after fork(): of what is open it keeps the @nr of @fds (at most 4), as
 * CHILD_FIRST_FD and so on; stdin, stdout and stderr are /dev/null. It ignores signals:
 * the end of the parent's end of a socket is its end. Returns 0 or negative errno.
 */
int child_isolate(const int *fds, unsigned int nr);

/* Kills it if it has not ended, including its own children. */
void child_close(struct child *child);

#endif
