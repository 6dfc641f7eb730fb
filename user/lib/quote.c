// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lib/quote.c - words for a shell.
 */
#include "lib/quote.h"

#include <stdbool.h>
#include <string.h>

static size_t put(char *buf, size_t size, size_t used, const char *text, size_t len)
{
	size_t room = used + 1 < size ? size - 1 - used : 0;

	len = len < room ? len : room;
	memcpy(buf + used, text, len);
	buf[used + len] = '\0';
	return used + len;
}

size_t quote_word(char *buf, size_t size, size_t used, const char *before, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%_+=:,./-{}";
	bool quote;
	size_t len;

	used = put(buf, size, used, before, strlen(before));
	if (!word)
		return used;
	/* A shell leaves {x} alone, but not {x,y} and {1..9}. */
	quote = !*word || word[strspn(word, plain)] ||
		(strchr(word, '{') && (strchr(word, ',') || strstr(word, "..")));
	used = put(buf, size, used, "'", quote);
	for (; *word; word += len) {
		len = *word == '\'' ? 1 : strcspn(word, "'");
		/* Nothing within single quotes stands for one of them. */
		used = *word == '\'' ? put(buf, size, used, "'\\''", 4) : put(buf, size, used, word, len);
	}
	return put(buf, size, used, "'", quote);
}
