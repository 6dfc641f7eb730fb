// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/packet_scan.c - the words of a packet's text.
 */
#include "proto/packet_scan.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

uint32_t packet_scan_column(const struct packet_scan *scan, const char *at)
{
	return scan->placed ? (uint32_t)(at - scan->text) + 1 : 0;
}

int packet_scan_fail(const struct packet_scan *scan, const char *at, const char *fmt, ...)
{
	char what[sizeof(scan->e->msg)];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	if (!scan->placed)
		return err_usage(scan->e, "%s", what);
	return err_usage(scan->e, "packet:%u: %s", packet_scan_column(scan, at), what);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Not <ctype.h>: the same in every locale, also for bytes beyond ASCII. */
static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

void packet_scan_blanks(struct packet_scan *scan)
{
	while (is_blank(*scan->at))
		scan->at++;
}

bool packet_scan_take(struct packet_scan *scan, char c)
{
	packet_scan_blanks(scan);
	if (*scan->at != c)
		return false;
	scan->at++;
	return true;
}

size_t packet_scan_name(const char *at)
{
	size_t len = 0;

	if (!is_letter(*at))
		return 0;
	while (is_letter(at[len]) || is_digit(at[len]) || at[len] == '_' || at[len] == '-')
		len++;
	return len;
}

bool packet_scan_is(const char *at, size_t len, const char *name)
{
	return strlen(name) == len && !memcmp(at, name, len);
}

struct packet_shown packet_scan_show_name(const char *at, size_t len)
{
	struct packet_shown shown = { "" };
	size_t i, max = sizeof(shown.text) - 1;
	bool cut = len > max;

	for (i = 0; i < (cut ? max - 3 : len); i++)
		shown.text[i] = at[i] >= ' ' && at[i] <= '~' ? at[i] : '?';
	if (cut)
		memcpy(shown.text + i, "...", 3);
	return shown;
}

struct packet_shown packet_scan_show(const char *at)
{
	size_t len = strcspn(at, "/(),=@*[] \t\r\n");

	return packet_scan_show_name(at, len || !*at ? len : 1);
}

int packet_scan_number(struct packet_scan *scan, uint64_t *ret_value)
{
	const char *p = scan->at;
	uint64_t value = 0;
	int base = 10, digit, digits = 0, err = 0;

	if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
		base = 16;
		p += 2;
	}
	for (;; p++, digits++) {
		if (is_digit(*p))
			digit = *p - '0';
		else if (base == 16 && (*p | 32) >= 'a' && (*p | 32) <= 'f')
			digit = (*p | 32) - 'a' + 10;
		else
			break;
		if (__builtin_mul_overflow(value, (uint64_t)base, &value) ||
		    __builtin_add_overflow(value, (uint64_t)digit, &value))
			err = -ERANGE;
	}
	/* "10abc" and "0x" are not numbers. */
	if (!digits || is_letter(*p) || *p == '_' || *p == '.')
		return -EINVAL;
	if (err)
		return err;
	scan->at = p;
	*ret_value = value;
	return 0;
}

void packet_names_add(struct packet_names *names, const char *name)
{
	size_t used = strlen(names->text);

	snprintf(names->text + used, sizeof(names->text) - used, "%s%s", used ? " " : "", name);
}
