/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lib/bars.h - bars and trends of text: block characters of UTF-8, or ASCII.
 */
#ifndef LIB_BARS_H
#define LIB_BARS_H

#include <stdbool.h>

#define BARS_BYTES 3		/* of one column, at the most */

/* True if the user's locale is UTF-8. Sets LC_CTYPE only: number formats stay. */
bool bars_utf8(void);

/* Fills @buf with @columns columns, of which @share (0..1) is a bar; in UTF-8 in eighths of a column. */
void bars_share(char *buf, bool utf8, double share, unsigned int columns);

/* Fills @buf with a column for each of @points, whose height is its share of @top. */
void bars_trend(char *buf, bool utf8, const double *points, unsigned int columns, double top);

/* The same @rows high: fills @buf with line @row of them, of which 0 is the uppermost. */
void bars_chart(char *buf, bool utf8, const double *points, unsigned int columns, double top, unsigned int row,
		unsigned int rows);

/* Cuts @text to @width columns: every character but UTF-8's followers takes one. Returns the columns it has then. */
unsigned int bars_cut(char *text, unsigned int width);

#endif
