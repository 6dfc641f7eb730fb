/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lib/status.h - a line at the foot of the terminal that is rewritten: what runs, and how far it is.
 */
#ifndef LIB_STATUS_H
#define LIB_STATUS_H

#include <stdbool.h>
#include <stddef.h>

struct status {
	double share;		/* 0..1 is done; NAN: not known */
	double left_ns;		/* NAN: not known */
	const char *text;
};

/* From now on there may be a line. */
void status_allow(void);

/*
 * The width of the line in columns; 0: none is shown, as it was not allowed, stderr is no terminal that
 * can rewrite a line, or this process is not in the terminal's foreground.
 */
unsigned int status_columns(void);

/* "7 s left", "3 min left": rounded up; returns @buf. */
char *status_left(char *buf, size_t size, double ns);

/* How many of @columns are for the text. */
unsigned int status_text_columns(unsigned int columns, const struct status *status);

/*
 * Writes "[####    ]  50 % sent 1,000  1.00 kpps        5 s left" to @buf, @columns wide: a text that is
 * longer is cut. Returns @buf.
 */
char *status_line(char *buf, size_t size, unsigned int columns, bool utf8, const struct status *status);

/* Shows @line, which fits status_columns(), in place of the last one. */
void status_show(const char *line);

/* Removes the line, before something else is printed on the terminal. */
void status_clear(void);

#endif
