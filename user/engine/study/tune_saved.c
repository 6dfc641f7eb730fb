// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/study/tune_saved.c - what settings were, on disk.
 */
#include "engine/study/tune_saved.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "lib/outfile.h"
#include "lib/statedir.h"
#include "sys/host/sysfs.h"
#include "sys/net/netns.h"

static int damaged(const struct tune_file *file, struct err *e)
{
	err_set(e, -EBADMSG, "cannot parse '%s'", file->path);
	return err_hint(e, "nothing was changed; restore by hand what the file lists, then remove it");
}

static int read_saved(struct tune_file *file, struct err *e)
{
	FILE *stream = fopen(file->path, "re");
	int err;

	if (!stream)
		return errno == ENOENT ? 0 : err_set(e, -errno, "cannot read '%s'", file->path);
	err = tune_list_read(stream, file->boot_id, &file->list);
	fclose(stream);
	return err ? damaged(file, e) : 0;
}

/* Removes the temporary files of runs that were killed right before the rename. */
static void remove_strays(const struct tune_file *file)
{
	char pattern[PATH_MAX + 4];
	glob_t strays;
	size_t i;

	snprintf(pattern, sizeof(pattern), "%s.*", file->path);
	if (glob(pattern, 0, NULL, &strays))
		return;
	for (i = 0; i < strays.gl_pathc; i++)
		unlink(strays.gl_pathv[i]);
	globfree(&strays);
}

static int lock(struct tune_file *file, struct err *e)
{
	char copy[PATH_MAX];

	snprintf(copy, sizeof(copy), "%s", file->path);
	file->lock_fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (file->lock_fd < 0 || flock(file->lock_fd, LOCK_EX))
		return err_set(e, -errno, "cannot lock '%s'", copy);
	remove_strays(file);
	return 0;
}

static int begin(struct tune_file *file, struct err *e)
{
	char name[64];

	memset(file, 0, sizeof(*file));
	file->lock_fd = -1;
	if (sysfs_read("/proc/sys/kernel/random/boot_id", file->boot_id, sizeof(file->boot_id)) <= 0)
		return err_machine(e, -ENODATA, "cannot read the boot ID");
	snprintf(name, sizeof(name), "tune-%llu", (unsigned long long)netns_cookie());
	statedir_path(file->path, sizeof(file->path), name);
	return 0;
}

int tune_file_open(struct tune_file *file, struct err *e)
{
	int err = begin(file, e);

	if (!err)
		err = statedir_make(file->path, e);
	if (!err)
		err = lock(file, e);
	if (!err)
		err = read_saved(file, e);
	if (err)
		tune_file_close(file);
	return err;
}

int tune_file_look(struct tune_file *file, struct err *e)
{
	int err = begin(file, e);

	return err ? err : read_saved(file, e);
}

void tune_file_close(struct tune_file *file)
{
	if (file->lock_fd >= 0)
		close(file->lock_fd);
	file->lock_fd = -1;
}

int tune_file_write(const struct tune_file *file, struct err *e)
{
	struct outfile *out;
	int err;

	if (!file->list.nr) {
		if (unlink(file->path) && errno != ENOENT)
			return err_set(e, -errno, "cannot remove '%s'", file->path);
		return 0;
	}
	err = outfile_open(&out, file->path, e);
	if (err)
		return err;
	tune_list_write(outfile_stream(out), file->boot_id, &file->list);
	err = outfile_commit(out, e);
	outfile_close(out);
	/* Sync the directory entry as well, before anything is changed. */
	if (!err && fsync(file->lock_fd) && errno != EINVAL)
		err = err_set(e, -errno, "cannot write '%s'", file->path);
	return err;
}
