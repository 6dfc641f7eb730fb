// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/host/helper.c - a process that keeps rights which this one gives up.
 */
#include "sys/host/helper.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

union control {
	char bytes[CMSG_SPACE(sizeof(int))];
	struct cmsghdr align;
};

int helper_start(struct helper *helper, void (*run)(int socket, void *ctx), void *ctx)
{
	int pair[2], err = 0;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	pid = fork();
	if (!pid) {
		close(pair[0]);
		run(pair[1], ctx);
		_exit(0);
	}
	if (pid < 0) {
		err = -errno;
		close(pair[0]);
	}
	close(pair[1]);
	if (!err)
		*helper = (struct helper){ .pid = pid, .fd = pair[0] };
	return err;
}

void helper_end(struct helper *helper)
{
	if (!helper->pid)
		return;
	close(helper->fd);
	while (waitpid(helper->pid, NULL, 0) < 0 && errno == EINTR)
		;
	helper->pid = 0;
}

int helper_send(int socket, const void *data, size_t size, int fd)
{
	union control control = { { 0 } };
	struct iovec iov = { (void *)data, size };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr *cmsg;
	ssize_t done;

	if (fd >= 0) {
		msg.msg_control = &control;
		msg.msg_controllen = sizeof(control);
		cmsg = CMSG_FIRSTHDR(&msg);
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(sizeof(fd));
		memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
	}
	while ((done = sendmsg(socket, &msg, MSG_NOSIGNAL)) < 0 && errno == EINTR)
		;
	return done < 0 ? -errno : done == (ssize_t)size ? 0 : -EIO;
}

int helper_receive(int socket, void *data, size_t size, int *ret_fd)
{
	union control control;
	struct iovec iov = { data, size };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg;
	ssize_t got;
	int fd = -1;

	while ((got = recvmsg(socket, &msg, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
		;
	cmsg = got > 0 ? CMSG_FIRSTHDR(&msg) : NULL;
	if (cmsg && cmsg->cmsg_type == SCM_RIGHTS && cmsg->cmsg_len == CMSG_LEN(sizeof(fd)))
		memcpy(&fd, CMSG_DATA(cmsg), sizeof(fd));
	if (fd >= 0 && (!ret_fd || got != (ssize_t)size)) {
		close(fd);
		fd = -1;
	}
	if (ret_fd)
		*ret_fd = fd;
	return got < 0 ? -errno : got == (ssize_t)size ? 0 : -EPIPE;
}
