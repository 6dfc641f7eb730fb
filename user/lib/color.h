/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lib/color.h - colours of words, on terminals only.
 */
#ifndef LIB_COLOR_H
#define LIB_COLOR_H

#include <stdbool.h>
#include <stdio.h>

enum color { COLOR_NONE, COLOR_GOOD, COLOR_BAD, COLOR_WARN };

/*
 * True if @out is a terminal that shows colours, and the user did not refuse them: NO_COLOR, set to
 * anything, does (no-color.org).
 */
bool color_wanted(FILE *out);

/* What begins that colour on @out, and what ends it; "" where colours are not wanted. */
const char *color_begin(FILE *out, enum color color);
const char *color_end(FILE *out, enum color color);

/* Prints @word in that colour, where colours are wanted. Returns the columns that it takes. */
size_t color_put(FILE *out, enum color color, const char *word);

#endif
