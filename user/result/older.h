/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * result/older.h - rows of series that are too many for memory, in an unnamed file until the document is written.
 *
 * A series is a chain of blocks in the one file of its document. A block has rows, each a line of text. What
 * is no longer needed at the start of a chain is given back to the file system.
 */
#ifndef RESULT_OLDER_H
#define RESULT_OLDER_H

#include <stdint.h>
#include <stdio.h>

struct older_file;

/* Of one series; all zero at first. */
struct older {
	uint64_t first_at, last_at;	/* blocks, as offsets; 0: none */
	uint64_t rows;			/* in all blocks */
};

/* In the directory of the file @beside (may be NULL), or where temporary files are. NULL: nowhere. */
struct older_file *older_open(const char *beside);
void older_close(struct older_file *file);

/* Appends @rows rows, the lines of @text. A negative errno, such as -ENOSPC: then the file is as before. */
int older_add(struct older_file *file, struct older *older, const char *text, size_t bytes, uint64_t rows);

/* Gives up whole blocks at the start as long as at least @rows rows remain. */
int older_trim(struct older_file *file, struct older *older, uint64_t rows);

/* Calls @fn with each row, without its newline, but for the first @skip, until it returns other than 0. */
int older_each(const struct older_file *file, const struct older *older, uint64_t skip,
	       int (*fn)(const char *row, size_t bytes, void *ctx), void *ctx);

#endif
