/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lib/redact.h - texts that people see, without the passwords in them.
 */
#ifndef LIB_REDACT_H
#define LIB_REDACT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Copies @message with "***" in place of
 *   the password of a URL, and of a user name without one ("user:***@host", "***@host"),
 *   the value of a parameter whose name says so ("?token=***", "&key=***", "\"password\": \"***\""),
 *   the value of such a header, of Authorization and of Cookie, to the end of @message or of its quotes.
 * Returns whether there was any. @buf is terminated, and cut at @size, at least 1.
 */
bool redact(char *buf, size_t size, const char *message);

/* The same for a word of a command line: blanks and quotes in it are its own, and end no password. */
bool redact_word(char *buf, size_t size, const char *word);

#endif
