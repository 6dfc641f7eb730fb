/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lib/outfile.h - files that are whole or not there: written aside and renamed.
 */
#ifndef LIB_OUTFILE_H
#define LIB_OUTFILE_H

#include <stdio.h>

#include "lib/err.h"

struct outfile;

/* Opens a nameless file in @path's directory, so that a path that cannot be written is found early. */
int outfile_open(struct outfile **ret_file, const char *path, struct err *e);

FILE *outfile_stream(struct outfile *file);

/* Flushes to the disk and puts the file in the place of @path. */
int outfile_commit(struct outfile *file, struct err *e);

/* The same without waiting for the disk: of what is written anew all the time. */
int outfile_commit_soon(struct outfile *file, struct err *e);

/* Frees; what was not committed vanishes. Takes NULL. */
void outfile_close(struct outfile *file);

#endif
