/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lib/utf8.h - characters of UTF-8.
 */
#ifndef LIB_UTF8_H
#define LIB_UTF8_H

#include <stddef.h>

/* Bytes of the character at @text, of which @bytes are there, at least 1; 0: it is not valid (RFC 3629). */
size_t utf8_bytes(const char *text, size_t bytes);

#endif
