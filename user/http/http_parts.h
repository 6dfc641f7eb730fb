/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * http/http_parts.h - shared by the two processes that serve a page.
 *
 * Messages of the socket pair: the listener first sends the struct err of its start, then a byte for each
 * page that it wants. The other process sends a byte once it is ready, then one for each page, with
 * the page as a descriptor of a memory file; without a descriptor there is no page.
 */
#ifndef HTTP_HTTP_PARTS_H
#define HTTP_HTTP_PARTS_H

#include "http/http.h"

#define HTTP_CLIENTS	64		/* connections */
#define HTTP_FRESH_NS	100000000ull	/* a page is made at most this often */
#define HTTP_PAGE_MOST	(64l << 20)	/* bytes */

/* The listener, in its process: serves until the other end of @pair_fd is closed. */
void http_serve(int listen_fd, int pair_fd, const char *path, const char *type);

#endif
