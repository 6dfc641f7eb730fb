/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/study/tune_saved.h - settings as they were before a change, on disk.
 *
 * One file per network namespace, named by an identifier that is never reused. After a reboot it is
 * obsolete, as the kernel has its defaults again.
 */
#ifndef ENGINE_STUDY_TUNE_SAVED_H
#define ENGINE_STUDY_TUNE_SAVED_H

#include <limits.h>

#include "engine/study/tune.h"
#include "model/tune_list.h"

struct tune_file {
	char path[PATH_MAX];
	char boot_id[48];
	int lock_fd;
	struct tune_list list;
};

/* Locks out other runs, and reads what is saved here; no file is not an error. */
int tune_file_open(struct tune_file *file, struct err *e);
void tune_file_close(struct tune_file *file);

/* The same without a lock, for reporting only: it may change at any moment; nothing to close. */
int tune_file_look(struct tune_file *file, struct err *e);

/* On disk before it returns; an empty file is removed. */
int tune_file_write(const struct tune_file *file, struct err *e);

#endif
