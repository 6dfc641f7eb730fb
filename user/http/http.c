// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * http/http.c - one page for local programs.
 */
#include "http/http.h"

#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <microhttpd.h>

#include "lib/loop.h"

#define MAX_CLIENTS	16
#define CLIENT_BYTES	32768
#define CLIENT_SECONDS	10u
#define FRESH_NS	100000000ull	/* a page is made at most this often */
#define POLL_STEPS	4		/* accept, read, answer, write */

struct http {
	struct MHD_Daemon *daemon;
	struct http_page page;
	struct MHD_Response *newest;
	uint64_t made_mono_ns;
};

/* -EINVAL, with *ret_list untouched, if @where is not an address and port. */
static int parse_where(const char *where, struct addrinfo **ret_list)
{
	struct addrinfo hints = {
		.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
	};
	const char *colon = strrchr(where, ':'), *host = where;
	char address[64];
	size_t len;

	if (!colon || !colon[1])
		return -EINVAL;
	len = (size_t)(colon - where);
	if (len > 1 && host[0] == '[' && host[len - 1] == ']') {
		host++;
		len -= 2;
	} else if (memchr(host, ':', len)) {
		return -EINVAL;		/* IPv6 requires brackets */
	}
	if (len >= sizeof(address))
		return -EINVAL;
	memcpy(address, host, len);
	address[len] = '\0';
	/* The resolver would accept any number modulo 65536. */
	if (strlen(colon + 1) > 5 || strspn(colon + 1, "0123456789") != strlen(colon + 1) ||
	    atoi(colon + 1) < 1 || atoi(colon + 1) > 65535)
		return -EINVAL;
	return getaddrinfo(len ? address : "127.0.0.1", colon + 1, &hints, ret_list) ? -EINVAL : 0;
}

static int listen_on(const struct addrinfo *at)
{
	int one = 1, err, fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (!bind(fd, at->ai_addr, at->ai_addrlen) && !listen(fd, MAX_CLIENTS))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

static enum MHD_Result refuse(struct MHD_Connection *client, unsigned int status,
			      const char *why)
{
	struct MHD_Response *response =
		MHD_create_response_from_buffer(strlen(why), (void *)(uintptr_t)why,
						MHD_RESPMEM_PERSISTENT);
	enum MHD_Result queued;

	if (!response)
		return MHD_NO;
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, "text/plain");
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	queued = MHD_queue_response(client, status, response);
	MHD_destroy_response(response);
	return queued;
}

/* The page, rebuilt unless it is fresh: frequent requests cost no more than rare ones. */
static struct MHD_Response *fresh_page(struct http *http)
{
	uint64_t now_ns = loop_mono_ns();
	struct MHD_Response *made;
	size_t bytes;
	char *text;

	if (http->newest && now_ns - http->made_mono_ns < FRESH_NS)
		return http->newest;
	text = http->page.make(http->page.ctx, &bytes);
	if (!text)
		return NULL;
	made = MHD_create_response_from_buffer(bytes, text, MHD_RESPMEM_MUST_FREE);
	if (!made) {
		free(text);
		return NULL;
	}
	MHD_add_response_header(made, MHD_HTTP_HEADER_CONTENT_TYPE, http->page.type);
	/* A persistent connection would occupy a slot that another client needs. */
	MHD_add_response_header(made, MHD_HTTP_HEADER_CONNECTION, "close");
	if (http->newest)
		MHD_destroy_response(http->newest);
	http->newest = made;
	http->made_mono_ns = now_ns;
	return made;
}

static enum MHD_Result answer(void *ctx, struct MHD_Connection *client, const char *url,
			      const char *method, const char *version, const char *upload,
			      size_t *upload_bytes, void **state)
{
	struct http *http = ctx;
	struct MHD_Response *page;

	(void)version, (void)upload, (void)state;
	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD)) {
		*upload_bytes = 0;
		return refuse(client, MHD_HTTP_METHOD_NOT_ALLOWED, "read-only: use GET or HEAD\n");
	}
	if (strcmp(url, http->page.path))
		return refuse(client, MHD_HTTP_NOT_FOUND, "not found: the only page is /metrics\n");
	page = fresh_page(http);
	if (!page)
		return MHD_NO;
	return MHD_queue_response(client, MHD_HTTP_OK, page);
}

/* Messages caused by a client do not belong on this program's stderr. */
static void say_nothing(void *ctx, const char *fmt, va_list args)
{
	(void)ctx, (void)fmt, (void)args;
}

int http_open(struct http **ret_http, const char *where, const struct http_page *page,
	      struct err *e)
{
	struct addrinfo *list = NULL;
	struct http *http;
	int fd;

	if (parse_where(where, &list))
		return err_usage(e, "'%s' is not an address and port, such as :9105 or [::1]:9105",
				 where);
	fd = listen_on(list);
	freeaddrinfo(list);
	if (fd < 0)
		return err_set(e, fd, "cannot listen at '%s'", where);
	http = calloc(1, sizeof(*http));
	if (http) {
		http->page = *page;
		http->daemon = MHD_start_daemon(MHD_USE_ERROR_LOG, 0, NULL, NULL, answer, http,
			MHD_OPTION_EXTERNAL_LOGGER, say_nothing, NULL,
			MHD_OPTION_LISTEN_SOCKET, fd,
			MHD_OPTION_CONNECTION_LIMIT, (unsigned int)MAX_CLIENTS,
			MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CLIENT_BYTES,
			MHD_OPTION_CONNECTION_TIMEOUT, CLIENT_SECONDS, MHD_OPTION_END);
	}
	if (!http || !http->daemon) {
		free(http);
		close(fd);
		return err_set(e, -ENOMEM, "cannot serve '%s'", where);
	}
	*ret_http = http;
	return 0;
}

void http_poll(struct http *http)
{
	int i;

	for (i = 0; i < POLL_STEPS; i++)
		MHD_run(http->daemon);
}

void http_close(struct http *http)
{
	if (!http)
		return;
	MHD_stop_daemon(http->daemon);
	if (http->newest)
		MHD_destroy_response(http->newest);
	free(http);
}
