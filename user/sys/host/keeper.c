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
#include <unistd.h>

#include "lib/outfile.h"
#include "sys/host/caps.h"
#include "sys/host/child.h"
#include "sys/host/helper.h"

#define FILES	16

enum what { TAKE, COMMIT, RENEW, DISCARD, SEAL };

/*
 * Each but SEAL is answered by an int: the place of the file (TAKE), 0, or negative errno; RENEW, unless
 * it failed, with a descriptor.
 */
struct request {
	enum what what;
	int place;
	char path[PATH_MAX], aside[PATH_MAX];	/* of TAKE, which has a descriptor, too */
};

static struct helper keeper;

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

/* @ret_fd: to be sent, the file's own. */
static int serve_one(struct outfile *files[FILES], const struct request *request, int fd, bool sealed, int *ret_fd)
{
	struct outfile **file;
	struct err e = { 0 };
	int err;

	if (request->what == TAKE)
		return sealed ? -EPERM : take(files, request, fd);
	if (request->place < 0 || request->place >= FILES || !files[request->place])
		return -EBADF;
	file = &files[request->place];
	if (request->what == COMMIT)
		return outfile_commit_soon(*file, &e);	/* the other side wrote it to the disk */
	if (request->what == RENEW) {
		err = outfile_renew(*file, &e);
		*ret_fd = err ? -1 : outfile_fd(*file);
		return err;
	}
	outfile_close(*file);
	*file = NULL;
	return 0;
}

static void keep(int socket, void *ctx)
{
	struct outfile *files[FILES] = { NULL };
	static struct request request;
	bool sealed = false;
	int fd, new_fd, answer, i;

	(void)ctx;
	prctl(PR_SET_NAME, "ethgauge-files");
	caps_limit(CAPS_FILES);
	if (child_isolate(&socket, 1))
		return;
	while (!helper_receive(CHILD_FIRST_FD, &request, sizeof(request), &fd)) {
		request.path[PATH_MAX - 1] = request.aside[PATH_MAX - 1] = '\0';
		if (request.what == SEAL) {
			sealed = true;
			continue;
		}
		new_fd = -1;
		answer = serve_one(files, &request, fd, sealed, &new_fd);
		if (fd >= 0 && (request.what != TAKE || answer < 0))
			close(fd);
		if (helper_send(CHILD_FIRST_FD, &answer, sizeof(answer), new_fd))
			break;
	}
	for (i = 0; i < FILES; i++)
		outfile_close(files[i]);
}

/* @fd: to be sent along, or -1; @ret_fd: as helper_receive(). */
static int ask(const struct request *request, int fd, int *ret_fd)
{
	int err = helper_send(keeper.fd, request, sizeof(*request), fd), answer;

	if (err || request->what == SEAL)
		return err;
	err = helper_receive(keeper.fd, &answer, sizeof(answer), ret_fd);
	return err ? err : answer;
}

static int adopt(const char *path, const char *aside, int fd)
{
	struct request request = { .what = TAKE };

	strcpy(request.path, path);
	strcpy(request.aside, aside);
	return ask(&request, fd, NULL);
}

static int commit(int place)
{
	return ask(&(struct request){ .what = COMMIT, .place = place }, -1, NULL);
}

static int renew(int place)
{
	int fd = -1, err = ask(&(struct request){ .what = RENEW, .place = place }, -1, &fd);

	return err ? err : fd < 0 ? -EIO : fd;
}

static void discard(int place)
{
	ask(&(struct request){ .what = DISCARD, .place = place }, -1, NULL);
}

int keeper_start(struct err *e)
{
	static const struct outfile_namer namer = { .adopt = adopt, .commit = commit, .renew = renew,
						     .discard = discard };
	int err;

	if (geteuid() || keeper.pid)
		return 0;
	err = helper_start(&keeper, keep, NULL);
	if (err)
		return err_set(e, err, "cannot start the process that keeps the output file");
	outfile_name_by(&namer);
	return 0;
}

void keeper_seal(void)
{
	if (keeper.pid)
		ask(&(struct request){ .what = SEAL }, -1, NULL);
}

void keeper_end(void)
{
	if (!keeper.pid)
		return;
	outfile_name_by(NULL);
	helper_end(&keeper);
}
