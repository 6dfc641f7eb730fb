/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lib/utf8.h - characters of UTF-8.
 */
#ifndef LIB_UTF8_H
#define LIB_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the character at @text, of which @bytes are there, at least 1; 0: it is not valid (RFC 3629). */
size_t utf8_bytes(const char *text, size_t bytes);

/*
 * Whether the character at @text, of which @bytes are there, at least 1, may be shown: it is valid, no
 * control character (C0, DEL, C1), and no invisible one that changes how others are displayed (marks and
 * overrides of direction, joiners, separators). *@ret_bytes: what it takes, at least 1.
 */
bool utf8_is_plain(const char *text, size_t bytes, size_t *ret_bytes);

/* Puts '?' in place of each character that is not plain: @text does not become longer. Returns @text. */
char *utf8_plain(char *text);

#endif
