/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lib/outfile.h - output files that are complete or absent: written to a temporary file and
 * renamed.
 */
#ifndef LIB_OUTFILE_H
#define LIB_OUTFILE_H

#include <stdio.h>

#include "lib/err.h"

struct outfile;

/* Opens an unnamed file in @path's directory, so that an unwritable path is detected early. */
int outfile_open(struct outfile **ret_file, const char *path, struct err *e);

/* Only the owner may read it: call before anything is written. */
void outfile_keep_private(struct outfile *file);

FILE *outfile_stream(struct outfile *file);

/* Flushes to disk and renames the file to @path. */
int outfile_commit(struct outfile *file, struct err *e);

/* The same without waiting for the disk: for files that are rewritten often. */
int outfile_commit_soon(struct outfile *file, struct err *e);

/* After a commit, whether or not it succeeded: an empty file for the same @path, to be written and committed. */
int outfile_renew(struct outfile *file, struct err *e);

/* Frees; discards what was not committed. Accepts NULL. */
void outfile_close(struct outfile *file);

/* Who names files where this process is no longer permitted to. Functions return negative errno. */
struct outfile_namer {
	/* @aside: "" while unnamed; its place, from 0 */
	int (*adopt)(const char *path, const char *aside, int fd);
	int (*commit)(int place);
	int (*renew)(int place);	/* the descriptor of an empty file */
	void (*discard)(int place);	/* also after commit() */
};

/* Of the files opened from now on; NULL: none. It stays until they are closed. */
void outfile_name_by(const struct outfile_namer *namer);

/* The namer's side: a file opened elsewhere. Takes @fd if it returns 0; else -ENOMEM. */
int outfile_adopt(struct outfile **ret_file, const char *path, const char *aside, int fd);
int outfile_fd(const struct outfile *file);

#endif
