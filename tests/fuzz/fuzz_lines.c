// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * However a text arrives, in pieces of any size: its lines are those between its newlines, up to the first that is
 * too long.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/lines.h"

#define must(condition) do { if (!(condition)) abort(); } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The line that begins at @at, and nothing else; the beginning of the next one. */
static size_t check_line(const uint8_t *data, size_t size, size_t at, const char *line, size_t most)
{
	const uint8_t *end = memchr(data + at, '\n', size - at);
	size_t bytes;

	must(end);
	bytes = (size_t)(end - (data + at));
	must(bytes <= most && !memcmp(line, data + at, bytes) && !line[bytes]);
	return at + bytes + 1;
}

/* In the first two bytes: the longest line, and the size of the pieces. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lines lines = { 0 };
	size_t put = 0, taken = 0, step, room;
	char *piece, *line;

	if (size < 2)
		return 0;
	lines.most = 1 + data[0];
	step = 1 + data[1];
	data += 2;
	size -= 2;
	while (put < size) {
		piece = lines_room(&lines, &room);
		if (!piece) {
			must(put - taken == lines.most + 1 && !memchr(data + taken, '\n', put - taken));
			break;
		}
		room = room < step ? room : step;
		room = room < size - put ? room : size - put;
		memcpy(piece, data + put, room);
		lines_add(&lines, room);
		put += room;
		while ((line = lines_next(&lines)))
			taken = check_line(data, size, taken, line, lines.most);
		must(!memchr(data + taken, '\n', put - taken));
	}
	line = lines_rest(&lines);
	must(line ? !memcmp(line, data + taken, put - taken) && !line[put - taken] : put == taken);
	lines_free(&lines);
	return 0;
}
