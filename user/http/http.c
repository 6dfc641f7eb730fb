// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * http/http.c - one page for local programs: the socket, the listener's process, the page.
 */
#include "http/http.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "http/http_parts.h"
#include "lib/loop.h"
#include "sys/host/caps.h"
#include "sys/host/child.h"
#include "sys/host/helper.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8u
#endif

#define END_NS		NSEC_PER_SEC	/* the listener ends within */
#define START_SECONDS	10

/* The listener's descriptors, after the standard ones. */
enum { LISTEN_FD = CHILD_FIRST_FD, PAIR_FD };

struct http {
	struct http_page page;
	struct helper helper;
	bool ready;
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
	if (!bind(fd, at->ai_addr, at->ai_addrlen) && !listen(fd, HTTP_CLIENTS))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

/* No core, no file, no process of its own. */
static void limit(void)
{
	static const struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
	setrlimit(RLIMIT_FSIZE, &none);
	setrlimit(RLIMIT_NPROC, &none);
}

/* What the listener's process is started with. */
struct listener {
	const struct http_page *page;
	pid_t parent;
	int fd;
};

static void listener(int pair_fd, void *ctx)
{
	const struct listener *listener = ctx;
	struct err e = { 0 };
	char ready;
	int err;

	prctl(PR_SET_NAME, "ethgauge-http");
	/* A warning of this has stderr still. */
	err = caps_become_nobody(&e);
	if (!err) {
		err = child_isolate((const int[]){ listener->fd, pair_fd }, 2);
		if (err)
			err_set(&e, err, "cannot start the listener");
		else
			pair_fd = PAIR_FD;
	}
	limit();
	/*
	 * Only a help: a change of the user clears it, and without CAP_KILL the kernel does not signal a
	 * process of another user. The end of the socket pair is the sure sign.
	 */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != listener->parent || helper_send(pair_fd, &e, sizeof(e), -1) || err ||
	    helper_receive(pair_fd, &ready, 1, NULL))
		return;
	fcntl(pair_fd, F_SETFL, O_NONBLOCK);
	http_serve(LISTEN_FD, pair_fd, listener->page->path, listener->page->type);
}

/* The listener's report of its start. */
static int wait_for_start(int pair_fd, struct err *e)
{
	struct timeval limit = { .tv_sec = START_SECONDS };
	struct err said;
	int err;

	setsockopt(pair_fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	err = helper_receive(pair_fd, &said, sizeof(said), NULL);
	if (err)
		return err_set(e, err, "the listener does not start");
	fcntl(pair_fd, F_SETFL, O_NONBLOCK);
	if (said.no)
		*e = said;
	return said.no;
}

static int start(struct http *http, int listen_fd, struct err *e)
{
	struct listener how = { .page = &http->page, .parent = getpid(), .fd = listen_fd };
	int err = helper_start(&http->helper, listener, &how);

	return err ? err_set(e, err, "cannot start the listener") : wait_for_start(http->helper.fd, e);
}

int http_open(struct http **ret_http, const char *where, const struct http_page *page,
	      struct err *e)
{
	struct addrinfo *list = NULL;
	struct http *http;
	int fd, err;

	if (parse_where(where, &list))
		return err_usage(e, "'%s' is not an address and port, such as :9105 or [::1]:9105",
				 where);
	fd = listen_on(list);
	freeaddrinfo(list);
	if (fd < 0)
		return err_set(e, fd, "cannot listen at '%s'", where);
	http = calloc(1, sizeof(*http));
	if (!http) {
		close(fd);
		return err_set(e, -ENOMEM, "cannot serve '%s'", where);
	}
	http->page = *page;
	err = start(http, fd, e);
	close(fd);
	if (err)
		http_close(http);
	else
		*ret_http = http;
	return err;
}

/* An empty memory file; negative errno. */
static int memory_file(void)
{
	int fd = memfd_create("page", MFD_CLOEXEC | MFD_NOEXEC_SEAL);

	/* Linux before 6.3 */
	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("page", MFD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* The page in a memory file; NULL: there is none. */
static FILE *make_page(struct http *http)
{
	int fd = memory_file();
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

	if (!out) {
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	http->page.make(http->page.ctx, out);
	if (!fflush(out) && !ferror(out) && ftell(out) > 0 && ftell(out) <= HTTP_PAGE_MOST)
		return out;
	fclose(out);
	return NULL;
}

/* With @fd unless it is -1. False: the listener takes none. */
static bool send_page(const struct http *http, int fd)
{
	return !helper_send(http->helper.fd, "", 1, fd);
}

bool http_poll(struct http *http)
{
	FILE *page;
	char asked;
	bool sent;
	int err;

	if (!http->ready) {
		http->ready = true;
		return send_page(http, -1);
	}
	/* However often it asks. */
	if (loop_mono_ns() - http->made_mono_ns < HTTP_FRESH_NS)
		return true;
	err = helper_receive(http->helper.fd, &asked, 1, NULL);
	if (err)
		return err == -EAGAIN;
	page = make_page(http);
	http->made_mono_ns = loop_mono_ns();
	sent = send_page(http, page ? fileno(page) : -1);
	if (page)
		fclose(page);
	return sent;
}

void http_close(struct http *http)
{
	uint64_t limit_ns = loop_mono_ns() + END_NS;

	if (!http)
		return;
	/* A signal may not be allowed: it is of another user. */
	if (http->helper.pid)
		close(http->helper.fd);
	while (http->helper.pid && !waitpid(http->helper.pid, NULL, WNOHANG)) {
		if (loop_mono_ns() > limit_ns) {
			kill(http->helper.pid, SIGKILL);
			break;
		}
		loop_sleep_until(loop_mono_ns() + 1000000);
	}
	free(http);
}
