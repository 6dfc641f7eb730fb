/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/child.h - another program, run to its end.
 */
#ifndef SYS_CHILD_H
#define SYS_CHILD_H

/*
 * Runs @argv[0] with its stdout in @out_fd; it is killed if this process is. A
 * signal that asks this process to stop is handed on, once. Returns 0 with the exit
 * status as a shell has it (128 + n: ended by signal n), or negative errno.
 */
int child_run(char *const argv[], int out_fd, int *ret_status);

#endif
