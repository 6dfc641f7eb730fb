// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lib/lines.c - the lines of a text that arrives in pieces.
 */
#include "lib/lines.h"

#include <stdlib.h>
#include <string.h>

#define PIECE_BYTES 4096u	/* at least, where there is memory for it */

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

char *lines_room(struct lines *lines, size_t *ret_bytes)
{
	/* A newline, and the 0 after a line that is not whole. */
	const size_t limit = lines->most + 2;
	size_t room = lines->room;
	char *grown;

	if (lines->taken) {
		lines->used -= lines->taken;
		memmove(lines->text, lines->text + lines->taken, lines->used);
		lines->taken = 0;
	}
	if (room - lines->used < PIECE_BYTES + 1 && room < limit) {
		room = least(limit, 2 * room + PIECE_BYTES + 1);
		grown = realloc(lines->text, room);
		if (!grown)
			return NULL;
		lines->text = grown;
		lines->room = room;
	}
	*ret_bytes = lines->room - lines->used - 1;
	return *ret_bytes ? lines->text + lines->used : NULL;
}

void lines_add(struct lines *lines, size_t bytes)
{
	lines->used += bytes;
}

char *lines_next(struct lines *lines)
{
	char *line, *end;

	if (lines->used == lines->taken)
		return NULL;
	line = lines->text + lines->taken;
	end = memchr(line, '\n', lines->used - lines->taken);
	if (!end)
		return NULL;
	*end = '\0';
	lines->taken = (size_t)(end + 1 - lines->text);
	return line;
}

char *lines_rest(struct lines *lines)
{
	char *line;

	if (lines->used == lines->taken)
		return NULL;
	line = lines->text + lines->taken;
	lines->text[lines->used] = '\0';
	lines->taken = lines->used;
	return line;
}

void lines_free(struct lines *lines)
{
	free(lines->text);
}
