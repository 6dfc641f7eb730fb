/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/study/tune_saved.h - what settings were before they were changed, on disk.
 *
 * A file for each network namespace, by a number that none after it gets. After
 * a reboot it says nothing any more, as the kernel began anew.
 */
#ifndef ENGINE_STUDY_TUNE_SAVED_H
#define ENGINE_STUDY_TUNE_SAVED_H

#include <limits.h>

#include "engine/study/tune.h"

#define TUNE_MAX_SAVED 64

struct tune_saved {
	const struct tune_item *item;
	char ifname[16];	/* "": of none */
	int ifindex;
	char was[TUNE_TEXT];
};

struct tune_file {
	char path[PATH_MAX];
	char boot_id[48];
	int lock_fd;
	size_t nr;
	struct tune_saved saved[TUNE_MAX_SAVED];	/* in the order they were changed */
};

/* Keeps other runs out, and reads what is saved here: none is no error. */
int tune_file_open(struct tune_file *file, struct err *e);
void tune_file_close(struct tune_file *file);

/* The same of what may change at any moment, to report it; nothing to close. */
int tune_file_look(struct tune_file *file, struct err *e);

/* On the disk before it returns; a file of nothing is taken away. */
int tune_file_write(const struct tune_file *file, struct err *e);

#endif
