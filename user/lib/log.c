// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lib/log.c - messages on stderr.
 */
#include "lib/log.h"

#include <stdio.h>

static enum log_level max_level = LOG_INFO;

void log_set_level(enum log_level level)
{
	max_level = level;
}

static void vlog(enum log_level level, const char *prefix, const char *fmt, va_list args)
{
	char line[1024];

	if (level > max_level)
		return;
	/* One write per line, so that lines of several threads do not mix. */
	vsnprintf(line, sizeof(line), fmt, args);
	fprintf(stderr, "ethgauge: %s%s\n", prefix, line);
}

void log_warn(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vlog(LOG_WARN, "warning: ", fmt, args);
	va_end(args);
}

void log_info(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vlog(LOG_INFO, "", fmt, args);
	va_end(args);
}

void log_debug(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vlog(LOG_DEBUG, "debug: ", fmt, args);
	va_end(args);
}
