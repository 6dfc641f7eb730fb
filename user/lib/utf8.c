// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lib/utf8.c - characters of UTF-8.
 */
#include "lib/utf8.h"

size_t utf8_bytes(const char *text, size_t bytes)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t length = *p < 0x80 ? 1 : *p >= 0xf0 ? 4 : *p >= 0xe0 ? 3 : 2, i;

	if (length == 1)
		return 1;
	if (*p < 0xc2 || *p > 0xf4 || length > bytes)
		return 0;
	for (i = 1; i < length; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	}
	/* Overlong, a surrogate, or beyond the last code point. */
	if ((*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] > 0x9f) || (*p == 0xf0 && p[1] < 0x90) ||
	    (*p == 0xf4 && p[1] > 0x8f))
		return 0;
	return length;
}
