/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lib/quote.h - words of a command line, to be copied into a shell.
 */
#ifndef LIB_QUOTE_H
#define LIB_QUOTE_H

#include <stddef.h>

/*
 * Appends @before as it is, and then @word (NULL: none), in single quotes where a shell would change it, to
 * the @used bytes of @buf.
 * Returns the bytes used then, without the NUL; what is beyond @size, at least 1, is cut.
 */
size_t quote_word(char *buf, size_t size, size_t used, const char *before, const char *word);

#endif
