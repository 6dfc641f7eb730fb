// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/host/keeper.c - a process that keeps root's right to name output files.
 */
#include "sys/host/keeper.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/outfile.h"
#include "sys/host/caps.h"
#include "sys/host/child.h"

#define FILES	16

enum what { TAKE, COMMIT, DISCARD, SEAL };

/* Each but SEAL is answered by an int: the place of the file (TAKE), 0, or negative errno. */
struct request {
	enum what what;
	int place;
	char path[PATH_MAX], aside[PATH_MAX];	/* of TAKE, which has a descriptor, too */
};

static struct {
	pid_t pid;	/* 0: there is none */
	int fd;
} keeper;

static int take(struct outfile *files[FILES], const struct request *request, int fd)
{
	int place, err;

	for (place = 0; place < FILES && files[place]; place++)
		;
	if (place == FILES || fd < 0)
		return -ENOSPC;
	err = outfile_adopt(&files[place], request->path, request->aside, fd);
	return err ? err : place;
}

static int serve_one(struct outfile *files[FILES], const struct request *request, int fd, bool sealed)
{
	struct outfile **file;
	struct err e = { 0 };
	int err = 0;

	if (request->what == TAKE)
		return sealed ? -EPERM : take(files, request, fd);
	if (request->place < 0 || request->place >= FILES || !files[request->place])
		return -EBADF;
	file = &files[request->place];
	if (request->what == COMMIT)
		err = outfile_commit_soon(*file, &e);	/* the other side wrote it to the disk */
	else
		outfile_close(*file), *file = NULL;
	return err;
}

/* With the descriptor sent, or -1; false: there is no more. */
static bool next_request(int socket, struct request *request, int *ret_fd)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec iov = { request, sizeof(*request) };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg;
	ssize_t got;

	while ((got = recvmsg(socket, &msg, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
		;
	cmsg = got > 0 ? CMSG_FIRSTHDR(&msg) : NULL;
	*ret_fd = -1;
	if (cmsg && cmsg->cmsg_type == SCM_RIGHTS)
		memcpy(ret_fd, CMSG_DATA(cmsg), sizeof(*ret_fd));
	if (got != sizeof(*request))
		return false;
	request->path[PATH_MAX - 1] = request->aside[PATH_MAX - 1] = '\0';
	return true;
}

static void __attribute__((noreturn)) keep(int socket)
{
	struct outfile *files[FILES] = { NULL };
	static struct request request;
	bool sealed = false;
	int fd, answer, i;

	prctl(PR_SET_NAME, "ethgauge-files");
	caps_limit(CAPS_FILES);
	if (child_isolate(&socket, 1))
		_exit(1);
	while (next_request(CHILD_FIRST_FD, &request, &fd)) {
		if (request.what == SEAL) {
			sealed = true;
			continue;
		}
		answer = serve_one(files, &request, fd, sealed);
		if (fd >= 0 && (request.what != TAKE || answer < 0))
			close(fd);
		if (send(CHILD_FIRST_FD, &answer, sizeof(answer), MSG_NOSIGNAL) != sizeof(answer))
			break;
	}
	for (i = 0; i < FILES; i++)
		outfile_close(files[i]);
	_exit(0);
}

/* @fd: to send, or -1. */
static int ask(const struct request *request, int fd)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { { 0 } };
	struct iovec iov = { (void *)request, sizeof(*request) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr *cmsg;
	ssize_t done;
	int answer;

	if (fd >= 0) {
		msg.msg_control = &control;
		msg.msg_controllen = sizeof(control);
		cmsg = CMSG_FIRSTHDR(&msg);
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(sizeof(fd));
		memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
	}
	while ((done = sendmsg(keeper.fd, &msg, MSG_NOSIGNAL)) < 0 && errno == EINTR)
		;
	if (done != sizeof(*request))
		return done < 0 ? -errno : -EIO;
	if (request->what == SEAL)
		return 0;
	while ((done = recv(keeper.fd, &answer, sizeof(answer), 0)) < 0 && errno == EINTR)
		;
	return done == sizeof(answer) ? answer : done < 0 ? -errno : -EPIPE;
}

static int adopt(const char *path, const char *aside, int fd)
{
	struct request request = { .what = TAKE };

	strcpy(request.path, path);
	strcpy(request.aside, aside);
	return ask(&request, fd);
}

static int commit(int place)
{
	return ask(&(struct request){ .what = COMMIT, .place = place }, -1);
}

static void discard(int place)
{
	ask(&(struct request){ .what = DISCARD, .place = place }, -1);
}

int keeper_start(struct err *e)
{
	static const struct outfile_namer namer = { .adopt = adopt, .commit = commit, .discard = discard };
	int pair[2];

	if (geteuid() || keeper.pid)
		return 0;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return err_set(e, -errno, "cannot start the process that keeps the output file");
	keeper.pid = fork();
	if (!keeper.pid)
		keep(pair[1]);
	close(pair[1]);
	if (keeper.pid < 0) {
		keeper.pid = 0;
		close(pair[0]);
		return err_set(e, -errno, "cannot start the process that keeps the output file");
	}
	keeper.fd = pair[0];
	outfile_name_by(&namer);
	return 0;
}

void keeper_seal(void)
{
	if (keeper.pid)
		ask(&(struct request){ .what = SEAL }, -1);
}

void keeper_end(void)
{
	if (!keeper.pid)
		return;
	outfile_name_by(NULL);
	close(keeper.fd);
	while (waitpid(keeper.pid, NULL, 0) < 0 && errno == EINTR)
		;
	keeper.pid = 0;
}
