/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lib/redact.h - texts that people see, without the passwords in them.
 */
#ifndef LIB_REDACT_H
#define LIB_REDACT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Copies @text with "***" in place of
 *   the password of a URL, and of a user name without one ("user:***@host", "***@host"),
 *   the value of a parameter whose name says so ("?token=***", "&key=***", "\"password\": \"***\""),
 *   the value of such a header, of Authorization and of Cookie, to the end of @text or of its quotes.
 * Returns whether there was any. @buf is terminated, and cut at @size, at least 1.
 */
bool redact(char *buf, size_t size, const char *text);

#endif
