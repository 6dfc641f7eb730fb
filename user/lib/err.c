// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lib/err.c - errors as values.
 */
#include "lib/err.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/redact.h"

static void fill(struct err *e, enum err_kind kind, int no, const char *fmt, va_list args)
{
	char text[sizeof(e->msg)];

	assert(no < 0);
	e->no = no;
	e->kind = kind;
	e->hint[0] = '\0';
	vsnprintf(text, sizeof(text), fmt, args);
	redact(e->msg, sizeof(e->msg), text);
}

static void append_meaning(struct err *e)
{
	size_t used = strlen(e->msg);

	snprintf(e->msg + used, sizeof(e->msg) - used, ": %s", strerror(-e->no));
}

int err_set(struct err *e, int no, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fill(e, ERR_RUN, no, fmt, args);
	append_meaning(e);
	va_end(args);
	return no;
}

int err_plain(struct err *e, int no, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fill(e, ERR_RUN, no, fmt, args);
	va_end(args);
	return no;
}

int err_usage(struct err *e, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fill(e, ERR_USAGE, -EINVAL, fmt, args);
	va_end(args);
	return -EINVAL;
}

int err_machine(struct err *e, int no, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fill(e, ERR_MACHINE, no, fmt, args);
	append_meaning(e);
	va_end(args);
	return no;
}

int err_command(struct err *e, int no, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fill(e, ERR_COMMAND, no, fmt, args);
	append_meaning(e);
	va_end(args);
	return no;
}

int err_hint(struct err *e, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(e->hint, sizeof(e->hint), fmt, args);
	va_end(args);
	return e->no;
}
