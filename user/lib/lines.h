/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lib/lines.h - the lines of a text that arrives in pieces.
 */
#ifndef LIB_LINES_H
#define LIB_LINES_H

#include <stddef.h>

/* Zeroed but for @most at first. */
struct lines {
	size_t most;			/* bytes of the longest line, without its newline */
	char *text;			/* what has not been taken begins at @taken */
	size_t taken, used, room;
};

/* Where the next piece is to be written, at most *@ret_bytes of it; NULL: a line is too long, or no memory. */
char *lines_room(struct lines *lines, size_t *ret_bytes);

/* So much has been written there. */
void lines_add(struct lines *lines, size_t bytes);

/* The next line, whose newline is replaced by 0; NULL: it is not whole yet. Valid until lines_room(). */
char *lines_next(struct lines *lines);

/* What there is of a line that is not whole, ended by 0; NULL: nothing. */
char *lines_rest(struct lines *lines);

void lines_free(struct lines *lines);

#endif
