// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lib/bars.c - bars and trends of text.
 */
#include "lib/bars.h"

#include <langinfo.h>
#include <locale.h>
#include <string.h>

bool bars_utf8(void)
{
	setlocale(LC_CTYPE, "");
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

void bars_share(char *buf, bool utf8, double share, unsigned int columns)
{
	static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	unsigned int whole, rest, i;

	if (!(share > 0))
		share = 0;
	if (share > 1)
		share = 1;
	rest = (unsigned int)(share * columns * 8);
	whole = rest / 8;
	rest %= 8;
	*buf = '\0';
	for (i = 0; i < whole; i++)
		buf = stpcpy(buf, utf8 ? "█" : "#");
	if (utf8)
		buf = stpcpy(buf, eighths[rest]);
	for (i = whole + (utf8 && rest); i < columns; i++)
		buf = stpcpy(buf, " ");
}

void bars_trend(char *buf, bool utf8, const double *points, unsigned int columns, double top)
{
	bars_chart(buf, utf8, points, columns, top, 0, 1);
}

void bars_chart(char *buf, bool utf8, const double *points, unsigned int columns, double top, unsigned int row,
		unsigned int rows)
{
	static const char *const blocks[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	static const char *const marks[] = { " ", ".", ".", ":", ":", "+", "+", "#", "#" };
	unsigned int below = 8 * (rows - 1 - row), i, height;
	double eighths = 8 * rows - 0.01;

	*buf = '\0';
	for (i = 0; i < columns; i++) {
		height = top > 0 && points[i] > 0 ? (unsigned int)(points[i] / top * eighths) + 1 : 0;
		height = height < below ? 0 : height > below + 8 ? 8 : height - below;
		buf = stpcpy(buf, utf8 ? blocks[height] : marks[height]);
	}
}

unsigned int bars_cut(char *text, unsigned int width)
{
	unsigned int columns = 0;

	for (; *text; text++) {
		if ((*text & 0xc0) != 0x80 && columns++ == width) {
			*text = '\0';
			return width;
		}
	}
	return columns;
}
