// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lib/log.c - messages on stderr.
 */
#include "lib/log.h"

#include <stdio.h>

#include "lib/color.h"

static enum log_level max_level = LOG_INFO;

void log_set_level(enum log_level level)
{
	max_level = level;
}

static void vlog(enum log_level level, const char *prefix, const char *fmt, va_list args)
{
	char line[1024];
	enum color color = level == LOG_WARN ? COLOR_WARN : COLOR_NONE;

	if (level > max_level)
		return;
	/* One write per line, so that lines of several threads do not mix. */
	vsnprintf(line, sizeof(line), fmt, args);
	fprintf(stderr, "ethgauge: %s%s%s%s\n", color_begin(stderr, color), prefix, color_end(stderr, color), line);
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
