// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lib/color.c - colours of words, on terminals only (ECMA-48, SGR).
 */
#include "lib/color.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool color_wanted(FILE *out)
{
	const char *refused = getenv("NO_COLOR"), *term = getenv("TERM");

	return !(refused && *refused) && term && *term && strcmp(term, "dumb") && isatty(fileno(out));
}

const char *color_begin(FILE *out, enum color color)
{
	static const char *const begin[] = {
		[COLOR_NONE] = "", [COLOR_GOOD] = "\033[32m", [COLOR_BAD] = "\033[1;31m", [COLOR_WARN] = "\033[33m",
	};

	return color_wanted(out) ? begin[color] : "";
}

const char *color_end(FILE *out, enum color color)
{
	return *color_begin(out, color) ? "\033[0m" : "";
}

size_t color_put(FILE *out, enum color color, const char *word)
{
	fprintf(out, "%s%s%s", color_begin(out, color), word, color_end(out, color));
	return strlen(word);
}
