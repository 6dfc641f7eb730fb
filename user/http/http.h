/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * http/http.h - one page for local programs, served by a process without privilege.
 *
 * GET and HEAD of that page; all other requests are refused. The listener is a child process: it has the
 * listening socket and a socket pair, and neither capabilities nor other descriptors. This process
 * makes the page when the listener asks for it.
 */
#ifndef HTTP_HTTP_H
#define HTTP_HTTP_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/err.h"

struct http;

struct http_page {
	const char *path, *type;	/* "/metrics", its Content-Type */
	/* Writes the current page. At most 64 MiB are served. */
	void (*make)(void *ctx, FILE *out);
	void *ctx;
};

/*
 * @where: "ADDRESS:PORT", "[ADDRESS]:PORT", or ":PORT" on 127.0.0.1. Call before threads start and
 * before anything is mapped that the listener must not have. Connections wait until http_poll().
 */
int http_open(struct http **ret_http, const char *where, const struct http_page *page,
	      struct err *e);

/* Answers the listener; call often. False: the listener has ended. */
bool http_poll(struct http *http);

/* Ends the listener. Takes NULL. */
void http_close(struct http *http);

#endif
