/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lib/log.h - messages on stderr: what the tool does, falls back to, or notices.
 *
 * Results are never printed here, and a function logs or returns an error, never both.
 */
#ifndef LIB_LOG_H
#define LIB_LOG_H

#include <stdarg.h>
#include <stdint.h>

enum log_level { LOG_WARN, LOG_INFO, LOG_DEBUG };

/* Drops messages above @level; LOG_INFO at start. */
void log_set_level(enum log_level level);

void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * For messages that a peer can cause: LOG_LIMIT_BURST at once, then one a second; the next one says how
 * many were left out. Zeroed at first; threads may share it.
 */
#define LOG_LIMIT_BURST 50u
struct log_limit {
	uint64_t since_ns;	/* its credit is the time since then: a second a message */
	uint64_t left_out;
};

void log_limited(struct log_limit *limit, enum log_level level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* A line that another program wrote to stderr, in plain characters, whatever the level. Changes @line. */
void log_relay(char *line);

/*
 * A step of many, at level LOG_INFO: on a terminal a line that the next one replaces, with a bar if @share
 * (0..1) is not NAN, and the time left if @left_ns is not; elsewhere a line that stays, without the bar.
 */
void log_progress(double share, double left_ns, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* On a terminal, the line of the last step as it is now, with less time left. As a loop's tick. */
void log_progress_tick(void *ctx, uint64_t elapsed_ns);

#endif
