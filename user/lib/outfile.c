// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lib/outfile.c - output files that are complete or absent.
 */
#include "lib/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct outfile {
	char path[PATH_MAX];
	char aside[PATH_MAX];	/* temporary name until the rename; empty while unnamed */
	FILE *stream;
	int place;		/* at the namer; -1: this process gives the name */
};

static const struct outfile_namer *namer;

void outfile_name_by(const struct outfile_namer *other)
{
	namer = other;
}

static int open_aside(struct outfile *file)
{
	char copy[PATH_MAX];
	int fd;

	snprintf(copy, sizeof(copy), "%s", file->path);
	/* Unnamed: even kill -9 leaves nothing. Not all file systems support it. */
	fd = open(dirname(copy), O_TMPFILE | O_RDWR | O_CLOEXEC, 0644);
	if (fd >= 0)
		return fd;
	if (snprintf(file->aside, sizeof(file->aside), "%s.XXXXXX", file->path) >=
	    (int)sizeof(file->aside))
		return -ENAMETOOLONG;
	fd = mkostemp(file->aside, O_CLOEXEC);
	if (fd < 0) {
		file->aside[0] = '\0';
		return -errno;
	}
	fchmod(fd, 0644);
	return fd;
}

int outfile_open(struct outfile **ret_file, const char *path, struct err *e)
{
	struct outfile *file;
	struct stat st;
	int fd;

	if (strlen(path) >= PATH_MAX - 8)
		return err_set(e, -ENAMETOOLONG, "cannot write '%s'", path);
	if (!strcmp(path, "-"))
		return err_usage(e, "cannot write '-': a file is required, not stdout");
	if (!*path || path[strlen(path) - 1] == '/')
		return err_usage(e, "cannot write '%s': not a file name", path);
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return err_usage(e, "cannot write '%s': not a regular file",
				 path);
	file = calloc(1, sizeof(*file));
	if (!file)
		return err_set(e, -ENOMEM, "cannot write '%s'", path);
	strcpy(file->path, path);
	file->place = -1;
	fd = open_aside(file);
	if (fd < 0) {
		free(file);
		return err_set(e, fd, "cannot write '%s'", path);
	}
	file->stream = fdopen(fd, "w");
	if (!file->stream) {
		close(fd);
		outfile_close(file);
		return err_set(e, -ENOMEM, "cannot write '%s'", path);
	}
	if (namer)
		file->place = namer->adopt(path, file->aside, fd);
	*ret_file = file;
	return 0;
}

int outfile_adopt(struct outfile **ret_file, const char *path, const char *aside, int fd)
{
	struct outfile *file = calloc(1, sizeof(*file));

	if (!file || !(file->stream = fdopen(fd, "w"))) {
		free(file);
		return -ENOMEM;
	}
	snprintf(file->path, sizeof(file->path), "%s", path);
	snprintf(file->aside, sizeof(file->aside), "%s", aside);
	file->place = -1;
	*ret_file = file;
	return 0;
}

int outfile_fd(const struct outfile *file)
{
	return fileno(file->stream);
}

void outfile_keep_private(struct outfile *file)
{
	fchmod(fileno(file->stream), 0600);
}

FILE *outfile_stream(struct outfile *file)
{
	return file->stream;
}

/* An unnamed file cannot replace an existing one: link it to a temporary name, then rename. */
static int give_name(struct outfile *file, int fd)
{
	char proc[64];
	int i;

	snprintf(proc, sizeof(proc), "/proc/self/fd/%d", fd);
	for (i = 0; i < 100; i++) {
		if (snprintf(file->aside, sizeof(file->aside), "%s.%d.%d", file->path,
			     (int)getpid(), i) >= (int)sizeof(file->aside))
			break;
		if (!linkat(AT_FDCWD, proc, AT_FDCWD, file->aside, AT_SYMLINK_FOLLOW))
			return 0;
		if (errno != EEXIST)
			break;
	}
	file->aside[0] = '\0';
	return -errno;
}

static int rename_aside(struct outfile *file, int fd)
{
	int err = file->aside[0] ? 0 : give_name(file, fd);

	return !err && rename(file->aside, file->path) ? -errno : err;
}

static int commit(struct outfile *file, bool on_disk, struct err *e)
{
	int fd = fileno(file->stream), err = 0;

	if (fflush(file->stream) || ferror(file->stream) || (on_disk && fsync(fd)))
		err = errno ? -errno : -EIO;
	if (!err && file->place >= 0)
		err = namer->commit(file->place);
	else if (!err)
		err = rename_aside(file, fd);
	if (err)
		return err_set(e, err, "cannot write '%s'", file->path);
	file->aside[0] = '\0';
	return 0;
}

int outfile_commit(struct outfile *file, struct err *e)
{
	return commit(file, true, e);
}

int outfile_commit_soon(struct outfile *file, struct err *e)
{
	return commit(file, false, e);
}

int outfile_renew(struct outfile *file, struct err *e)
{
	FILE *stream = NULL;
	int fd;

	if (file->place < 0 && file->aside[0]) {
		unlink(file->aside);
		file->aside[0] = '\0';
	}
	fd = file->place < 0 ? open_aside(file) : namer->renew(file->place);
	if (fd >= 0)
		stream = fdopen(fd, "w");
	if (!stream) {
		if (fd >= 0)
			close(fd);
		return err_set(e, fd < 0 ? fd : -ENOMEM, "cannot write '%s'", file->path);
	}
	fclose(file->stream);
	file->stream = stream;
	return 0;
}

void outfile_close(struct outfile *file)
{
	if (!file)
		return;
	if (file->place >= 0)
		namer->discard(file->place);
	else if (file->aside[0])
		unlink(file->aside);
	if (file->stream)
		fclose(file->stream);
	free(file);
}
