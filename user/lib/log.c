// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lib/log.c - messages on stderr.
 */
#include "lib/log.h"

#include <math.h>
#include <stdio.h>

#include "lib/bars.h"
#include "lib/color.h"
#include "lib/status.h"

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
	status_clear();
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

void log_progress(double share, double left_ns, const char *fmt, ...)
{
	unsigned int columns = max_level == LOG_INFO ? status_columns() : 0;
	char text[1024], line[2048], left[32];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (columns)
		status_show(status_line(line, sizeof(line), columns, bars_utf8(),
					&(struct status){ share, left_ns, text }));
	else if (isnan(left_ns))
		log_info("%s", text);
	else
		log_info("%s, %s", text, status_left(left, sizeof(left), left_ns));
}
