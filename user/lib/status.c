// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lib/status.c - a line at the foot of the terminal.
 */
#include "lib/status.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lib/bars.h"

#define LEAST_COLUMNS	40
#define WIDE_FROM	120		/* columns of the terminal: with a bar */
#define BAR		20
#define SHARE_COLUMNS	6		/* " 42 % " */
#define LEFT_COLUMNS	13		/* "  59 min left" */
#define LINE_BYTES	1024

#define CLEAR		"\r\033[K"	/* ECMA-48: carriage return, erase in line */

static bool is_allowed;
static atomic_bool is_shown;

void status_allow(void)
{
	is_allowed = true;
}

unsigned int status_columns(void)
{
	const char *term = getenv("TERM");
	struct winsize size;

	if (!is_allowed || !term || !*term || !strcmp(term, "dumb") || ioctl(STDERR_FILENO, TIOCGWINSZ, &size) ||
	    tcgetpgrp(STDERR_FILENO) != getpgrp() || size.ws_col <= LEAST_COLUMNS)
		return 0;
	/* Some terminals wrap as soon as the last column is written. */
	return size.ws_col - 1u;
}

static unsigned int bar_columns(unsigned int columns)
{
	return columns + 1 >= WIDE_FROM ? BAR : 0;
}

unsigned int status_text_columns(unsigned int columns, const struct status *status)
{
	unsigned int bar = bar_columns(columns);

	if (!isnan(status->share))
		columns -= SHARE_COLUMNS + (bar ? bar + 2 : 0);
	return isnan(status->left_ns) ? columns : columns - LEFT_COLUMNS;
}

char *status_left(char *buf, size_t size, double ns)
{
	double s = ceil(ns / 1e9);

	if (s < 100)
		snprintf(buf, size, "%.0f s left", s);
	else if (s < 100 * 60)
		snprintf(buf, size, "%.0f min left", ceil(s / 60));
	else
		snprintf(buf, size, "%.0f h left", ceil(s / 3600));
	return buf;
}

char *status_line(char *buf, size_t size, unsigned int columns, bool utf8, const struct status *status)
{
	unsigned int width = status_text_columns(columns, status), bar = bar_columns(columns);
	char blocks[BAR * BARS_BYTES + 1], text[LINE_BYTES], left[32];
	size_t len = 0;

	snprintf(text, sizeof(text), "%s", status->text);
	width -= bars_cut(text, width);
	if (!isnan(status->share) && bar) {
		bars_share(blocks, utf8, status->share, bar);
		len += (size_t)snprintf(buf, size, "[%s]", blocks);
	}
	if (!isnan(status->share))
		len += (size_t)snprintf(buf + len, size - len, "%3.0f %% ", floor(100 * status->share));
	len += (size_t)snprintf(buf + len, size - len, "%s", text);
	if (!isnan(status->left_ns)) {
		snprintf(buf + len, size - len, "%*s", (int)width + LEFT_COLUMNS,
			 status_left(left, sizeof(left), status->left_ns));
	}
	return buf;
}

void status_show(const char *line)
{
	atomic_store(&is_shown, true);
	/* What the terminal echoes, as ^C, comes over its beginning and not on another line. */
	fprintf(stderr, CLEAR "%s\r", line);
}

void status_clear(void)
{
	if (atomic_exchange(&is_shown, false))
		fputs(CLEAR, stderr);
}
