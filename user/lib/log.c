// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lib/log.c - messages on stderr.
 */
#include "lib/log.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>

#include "lib/bars.h"
#include "lib/color.h"
#include "lib/loop.h"
#include "lib/redact.h"
#include "lib/status.h"
#include "lib/utf8.h"

static enum log_level max_level = LOG_INFO;

/* The last step. */
static struct {
	double share, left_ns;
	uint64_t at_ns;		/* when it began */
	char text[1024];
} step;

void log_set_level(enum log_level level)
{
	max_level = level;
}

static void vlog(enum log_level level, const char *prefix, const char *fmt, va_list args)
{
	char text[1024], line[1024];
	enum color color = level == LOG_WARN ? COLOR_WARN : COLOR_NONE;

	if (level > max_level)
		return;
	/* One write per line, so that lines of several threads do not mix. */
	vsnprintf(text, sizeof(text), fmt, args);
	redact(line, sizeof(line), text);
	utf8_plain(line);
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

/* Whether a message is due; then *@ret_left_out were left out before it. */
static bool take_turn(struct log_limit *limit, uint64_t *ret_left_out)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	uint64_t now_ns = loop_mono_ns(), full_ns = LOG_LIMIT_BURST * NSEC_PER_SEC;
	bool due;

	pthread_mutex_lock(&lock);
	/* A second of credit for each message: since_ns is when the credit began. */
	if (now_ns > full_ns && limit->since_ns < now_ns - full_ns)
		limit->since_ns = now_ns - full_ns;
	due = limit->since_ns + NSEC_PER_SEC <= now_ns;
	if (due)
		limit->since_ns += NSEC_PER_SEC;
	else
		limit->left_out++;
	*ret_left_out = limit->left_out;
	if (due)
		limit->left_out = 0;
	pthread_mutex_unlock(&lock);
	return due;
}

void log_limited(struct log_limit *limit, enum log_level level, const char *fmt, ...)
{
	uint64_t left_out;
	va_list args;

	if (!take_turn(limit, &left_out))
		return;
	if (left_out)
		log_info("%llu messages like the next one were left out", (unsigned long long)left_out);
	va_start(args, fmt);
	vlog(level, level == LOG_WARN ? "warning: " : "", fmt, args);
	va_end(args);
}

void log_relay(char *line)
{
	status_clear();
	fprintf(stderr, "%s\n", utf8_plain(line));
}

static void show_step(unsigned int columns)
{
	double took_ns = (double)(loop_mono_ns() - step.at_ns), all_ns = step.left_ns / (1 - step.share);
	struct status status = { step.share, step.left_ns, step.text };
	char line[2048];

	if (step.left_ns > 0) {
		took_ns = fmin(took_ns, step.left_ns);
		status.left_ns -= took_ns;
		status.share += took_ns / all_ns;
	}
	status_show(status_line(line, sizeof(line), columns, bars_utf8(), &status));
}

void log_progress(double share, double left_ns, const char *fmt, ...)
{
	unsigned int columns = max_level == LOG_INFO ? status_columns() : 0;
	char left[32];
	va_list args;

	va_start(args, fmt);
	vsnprintf(step.text, sizeof(step.text), fmt, args);
	va_end(args);
	step.share = share;
	step.left_ns = left_ns;
	step.at_ns = loop_mono_ns();
	if (columns)
		show_step(columns);
	else if (isnan(left_ns))
		log_info("%s", step.text);
	else
		log_info("%s, %s", step.text, status_left(left, sizeof(left), left_ns));
}

void log_progress_tick(void *ctx, uint64_t elapsed_ns)
{
	unsigned int columns = max_level == LOG_INFO ? status_columns() : 0;

	(void)ctx;
	(void)elapsed_ns;
	if (columns)
		show_step(columns);
}
