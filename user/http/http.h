/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * http/http.h - one page for local programs, using libmicrohttpd without a thread.
 *
 * GET and HEAD of that page; all other requests are refused. At most 16 clients, each for 10 s and
 * with 32 KB of memory.
 */
#ifndef HTTP_HTTP_H
#define HTTP_HTTP_H

#include <stddef.h>

#include "lib/err.h"

struct http;

struct http_page {
	const char *path, *type;	/* "/metrics", its Content-Type */
	/* The current page, to be freed with free(); NULL: no memory. */
	char *(*make)(void *ctx, size_t *ret_bytes);
	void *ctx;
};

/* @where: "ADDRESS:PORT", "[ADDRESS]:PORT", or ":PORT" on 127.0.0.1. */
int http_open(struct http **ret_http, const char *where, const struct http_page *page,
	      struct err *e);

/* Answers pending requests; call often. */
void http_poll(struct http *http);

/* Takes NULL. */
void http_close(struct http *http);

#endif
