// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lib/utf8.c - characters of UTF-8.
 */
#include "lib/utf8.h"

#include <string.h>

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

/* U+200B to 200F, 2028 to 202E, 2060 to 206F, U+061C, U+FEFF, and the controls of C1. */
static bool is_unseen(const unsigned char *p)
{
	if (p[0] == 0xc2)
		return p[1] < 0xa0;
	if (p[0] == 0xd8)
		return p[1] == 0x9c;
	if (p[0] == 0xef)
		return p[1] == 0xbb && p[2] == 0xbf;
	if (p[0] != 0xe2)
		return false;
	if (p[1] == 0x80)
		return (p[2] >= 0x8b && p[2] <= 0x8f) || (p[2] >= 0xa8 && p[2] <= 0xae);
	return p[1] == 0x81 && p[2] >= 0xa0 && p[2] <= 0xaf;
}

bool utf8_is_plain(const char *text, size_t bytes, size_t *ret_bytes)
{
	size_t nr = utf8_bytes(text, bytes);

	*ret_bytes = nr ? nr : 1;
	if (nr == 1)
		return (unsigned char)*text >= ' ' && *text != 0x7f;
	return nr && !is_unseen((const unsigned char *)text);
}

char *utf8_plain(char *text)
{
	const char *from = text, *end = text + strlen(text);
	char *to = text;
	size_t bytes;

	for (; from < end; from += bytes) {
		if (utf8_is_plain(from, (size_t)(end - from), &bytes)) {
			memmove(to, from, bytes);
			to += bytes;
		} else {
			*to++ = '?';
		}
	}
	*to = '\0';
	return text;
}
