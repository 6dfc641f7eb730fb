/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/host/helper.h - a process that keeps rights which this one gives up, and messages with it.
 */
#ifndef SYS_HOST_HELPER_H
#define SYS_HOST_HELPER_H

#include <stddef.h>
#include <sys/types.h>

struct helper {
	pid_t pid;	/* 0: there is none */
	int fd;		/* the end of this process; the helper reads its end when this one ends, however
			 * that is */
};

/*
 * Before threads start. @run is called in the helper with the other end of the socket, and its return ends it. 0 or
 * negative errno.
 */
int helper_start(struct helper *helper, void (*run)(int socket, void *ctx), void *ctx);

/* Waits until it has ended; no-op without one. */
void helper_end(struct helper *helper);

/*
 * A message of @size bytes, and @fd with it unless it is -1. 0 or negative errno: -EAGAIN only where @socket does not
 * block.
 */
int helper_send(int socket, const void *data, size_t size, int fd);

/*
 * @ret_fd: NULL, or the descriptor that came with it, or -1. 0, -EPIPE: the other side has ended, or another negative
 * errno; then *ret_fd is -1.
 */
int helper_receive(int socket, void *data, size_t size, int *ret_fd);

#endif
