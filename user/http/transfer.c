// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * http/transfer.c - HTTP and FTP transfers with libcurl's multi interface and epoll.
 *
 * All transfers of a set are in one multi handle, and libcurl would share its connections among
 * them: so each has a separate cache, through a share handle.
 */
#include "http/transfer.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "http/transfer_parts.h"
#include "lib/loop.h"

#define EVENTS		256
#define BUFFER_BYTES	65536L
#define BUFFER_MIN_BYTES 1024L	/* libcurl's */
#define NSEC_PER_MSEC	1000000u
#define AWAKE_MOST_NS	30000u	/* to wait for an answer without sleeping */
#define AWAKE_LEAST_NS	1000u
#define MAX_HEADER_BYTES (256u << 10)	/* of an answer, trailers included */

int transfer_init(struct err *e)
{
	if (curl_global_init(CURL_GLOBAL_DEFAULT))
		return err_machine(e, -ENOSYS, "cannot use libcurl");
	return 0;
}

void transfer_version(char *buf, size_t size)
{
	const curl_version_info_data *info = curl_version_info(CURLVERSION_NOW);

	snprintf(buf, size, "libcurl %s, %s", info->version,
		 info->ssl_version ? info->ssl_version : "no TLS");
}

bool transfer_is_ftp(const char *url)
{
	return !strncasecmp(url, "ftp://", 6) || !strncasecmp(url, "ftps://", 7);
}

static bool is_known(const char *scheme)
{
	return !strcmp(scheme, "http") || !strcmp(scheme, "https") || !strcmp(scheme, "ftp") ||
	       !strcmp(scheme, "ftps");
}

int transfer_check_url(const char *url, struct err *e)
{
	const char *at = strrchr(url, '@'), *host = at ? at + 1 : url;	/* not what may be a password */
	CURLU *parts = curl_url();
	char *scheme = NULL;
	CURLUcode code;

	if (!parts)
		return err_set(e, -ENOMEM, "cannot parse '%s'", url);
	code = curl_url_set(parts, CURLUPART_URL, url, 0);
	if (!strstr(url, "://"))
		err_usage(e, "'%s' has no scheme: write http://%s", host, host);
	else if (code)
		err_usage(e, "'%s' is not a URL: %s", url, curl_url_strerror(code));
	else if (curl_url_get(parts, CURLUPART_SCHEME, &scheme, 0) || !is_known(scheme))
		err_usage(e, "'%s': the scheme must be http, https, ftp or ftps", url);
	else
		e->no = 0;
	curl_free(scheme);
	curl_url_cleanup(parts);
	return e->no;
}

static bool has_tls(const char *url)
{
	return !strncasecmp(url, "https://", 8) || !strncasecmp(url, "ftps://", 7);
}

bool transfer_may_follow(const char *url, const char *redirect)
{
	struct err e;

	return !transfer_check_url(redirect, &e) && (has_tls(redirect) || !has_tls(url));
}

void transfer_origin(const char *url, char *buf, size_t size)
{
	CURLU *parts = curl_url();
	char *scheme = NULL, *host = NULL, *port = NULL;

	buf[0] = '\0';
	if (parts && !curl_url_set(parts, CURLUPART_URL, url, 0) &&
	    !curl_url_get(parts, CURLUPART_SCHEME, &scheme, 0) &&
	    !curl_url_get(parts, CURLUPART_HOST, &host, 0) &&
	    !curl_url_get(parts, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) &&
	    (size_t)snprintf(buf, size, "%s://%s:%s", scheme, host, port) >= size)
		buf[0] = '\0';
	curl_free(scheme);
	curl_free(host);
	curl_free(port);
	curl_url_cleanup(parts);
}

static bool is_same_origin(const char *url, const char *other)
{
	char origin[1024], its[1024];

	transfer_origin(url, origin, sizeof(origin));
	transfer_origin(other, its, sizeof(its));
	return *origin && !strcasecmp(origin, its);
}

int transfer_check_source(const char *source, struct err *e)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST };
	struct addrinfo *at;
	int fd, err = 0;

	if (getaddrinfo(source, NULL, &hints, &at))
		return err_usage(e, "'%s' is not an IP address", source);
	fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || bind(fd, at->ai_addr, at->ai_addrlen))
		err = -errno;
	if (fd >= 0)
		close(fd);
	freeaddrinfo(at);
	if (!err)
		return 0;
	err_machine(e, err, "cannot send from '%s'", source);
	return err_hint(e, "add the address to this host, or a whole prefix: "
			"ip route add local PREFIX dev lo");
}

/* libcurl asks to watch this socket for these events from now on. */
static int on_socket(CURL *easy, curl_socket_t fd, int what, void *ctx, void *known)
{
	struct transfer_set *set = ctx;
	struct epoll_event event = {
		.events = (what & CURL_POLL_IN ? EPOLLIN : 0) | (what & CURL_POLL_OUT ? EPOLLOUT : 0),
		.data.u64 = (unsigned int)fd,
	};

	(void)easy;
	if (what == CURL_POLL_REMOVE) {
		epoll_ctl(set->epoll, EPOLL_CTL_DEL, fd, NULL);
		return 0;
	}
	/* A closed socket removes itself, and its number may belong to another one now. */
	if (epoll_ctl(set->epoll, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &event))
		epoll_ctl(set->epoll, errno == ENOENT ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd, &event);
	if (!known)
		curl_multi_assign(set->multi, fd, set);
	return 0;
}

/*
 * Once libcurl (7.88) has read where to connect FTP's data connection, it connects only on its next
 * call for this transfer, but asks for neither a timer nor a socket: it would wait for the connect
 * timeout.
 */
static void see_reply(struct transfer *t, const char *line, size_t len)
{
	if (len >= 4 && (!strncmp(line, "227 ", 4) || !strncmp(line, "229 ", 4)))
		t->set->stuck = true;
}

/* No other call reaches a transfer without a socket. */
static void nudge(struct transfer_set *set)
{
	int running;

	while (set->stuck) {
		set->stuck = false;
		curl_multi_socket_all(set->multi, &running);
	}
}

static int on_timer(CURLM *multi, long timeout_ms, void *ctx)
{
	struct transfer_set *set = ctx;

	(void)multi;
	set->timer_mono_ns = timeout_ms < 0 ? UINT64_MAX :
			     timeout_ms == 0 ? 0 :
			     loop_mono_ns() + (uint64_t)timeout_ms * NSEC_PER_MSEC;
	return 0;
}

static void see_answer(struct transfer *t)
{
	if (!t->first_mono_ns)
		t->first_mono_ns = loop_mono_ns();
}

/* For FTP these are the replies to its commands, not yet an answer. */
static size_t take_header(char *data, size_t size, size_t nr, void *ctx)
{
	struct transfer *t = ctx;

	/* libcurl keeps each, also those after the body: without a limit a server fills the memory. */
	t->header_bytes += size * nr;
	if (t->header_bytes > MAX_HEADER_BYTES)
		return 0;
	if (!t->ftp) {
		see_answer(t);
		return size * nr;
	}
	if (!t->greeted)
		transfer_read_connect(t, &t->connect_ns, &t->tls_ns);
	see_reply(t, data, size * nr);
	t->greeted = true;
	return size * nr;
}

static size_t take_body(char *data, size_t size, size_t nr, void *ctx)
{
	struct transfer *t = ctx;

	(void)data;
	see_answer(t);
	t->received_bytes += size * nr;
	t->set->received_bytes += size * nr;
	return size * nr;
}

static size_t give_body(char *buf, size_t size, size_t nr, void *ctx)
{
	struct transfer *t = ctx;
	const struct transfer_cfg *cfg = t->set->cfg;
	uint64_t left = cfg->body_bytes - t->given_bytes;
	size_t len = size * nr < left ? size * nr : (size_t)left;
	ssize_t got;

	if (cfg->body) {
		memcpy(buf, (const char *)cfg->body + t->given_bytes, len);
	} else if (cfg->body_fd < 0) {
		memset(buf, 0, len);
	} else if (len) {
		/* With a mapping, truncating the file during the run would kill the process. */
		got = pread(cfg->body_fd, buf, len, (off_t)t->given_bytes);
		if (got <= 0)
			return CURL_READFUNC_ABORT;
		len = (size_t)got;
	}
	t->given_bytes += len;
	return len;
}

/* A request that must be sent again, because the persistent connection was closed. */
static int seek_body(void *ctx, curl_off_t offset, int origin)
{
	struct transfer *t = ctx;

	if (origin != SEEK_SET || offset < 0 || (uint64_t)offset > t->set->cfg->body_bytes)
		return CURL_SEEKFUNC_CANTSEEK;
	t->given_bytes = (uint64_t)offset;
	return CURL_SEEKFUNC_OK;
}

static int add_header(struct curl_slist **list, const char *header)
{
	struct curl_slist *more = curl_slist_append(*list, header);

	if (!more)
		return -ENOMEM;
	*list = more;
	return 0;
}

static int add_own_header(struct transfer_set *set, const char *header)
{
	int err = add_header(&set->headers, header);

	return err ? err : add_header(&set->own_headers, header);
}

int transfer_set_open(struct transfer_set **ret_set, const struct transfer_cfg *cfg,
		      transfer_done done, struct err *e)
{
	struct transfer_set *set = calloc(1, sizeof(*set));
	unsigned int i;
	int err = 0;

	if (!set)
		return err_set(e, -ENOMEM, "cannot set up transfers");
	*set = (struct transfer_set){
		.cfg = cfg, .done = done, .multi = curl_multi_init(),
		.epoll = epoll_create1(EPOLL_CLOEXEC), .timer_mono_ns = UINT64_MAX,
		.several_cpus = sysconf(_SC_NPROCESSORS_ONLN) > 1,
	};
	if (set->epoll < 0)
		err = -errno;
	else if (!set->multi)
		err = -ENOMEM;
	else
		err = transfer_plain_open(set);
	/* "Expect: 100-continue" would add a round trip. */
	if (!err && (cfg->post || cfg->upload))
		err = add_own_header(set, "Expect:");
	if (!err && cfg->fresh)
		err = add_own_header(set, "Connection: close");
	for (i = 0; !err && i < cfg->nr_headers; i++)
		err = add_header(&set->headers, cfg->headers[i]);
	if (err) {
		transfer_set_close(set);
		return err_set(e, err, "cannot set up transfers");
	}
	curl_multi_setopt(set->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
	curl_multi_setopt(set->multi, CURLMOPT_SOCKETDATA, set);
	curl_multi_setopt(set->multi, CURLMOPT_TIMERFUNCTION, on_timer);
	curl_multi_setopt(set->multi, CURLMOPT_TIMERDATA, set);
	*ret_set = set;
	return 0;
}

void transfer_set_close(struct transfer_set *set)
{
	if (!set)
		return;
	curl_multi_cleanup(set->multi);
	curl_slist_free_all(set->headers);
	curl_slist_free_all(set->own_headers);
	transfer_plain_close(set);
	if (set->epoll >= 0)
		close(set->epoll);
	free(set);
}

uint64_t transfer_set_awake_ns(const struct transfer_set *set)
{
	return __atomic_load_n(&set->awake_total_ns, __ATOMIC_RELAXED);
}

uint64_t transfer_set_received(const struct transfer_set *set)
{
	return __atomic_load_n(&set->received_bytes, __ATOMIC_RELAXED);
}

/* Sets the request up for @method (NULL: the configured one). */
static void set_method(struct transfer *t, const char *method)
{
	const struct transfer_cfg *cfg = t->set->cfg;
	const char *name = method ? method : cfg->method;

	curl_easy_setopt(t->easy, CURLOPT_HTTPGET, 1L);
	curl_easy_setopt(t->easy, CURLOPT_CUSTOMREQUEST, NULL);
	if (!method && cfg->upload) {
		curl_easy_setopt(t->easy, CURLOPT_UPLOAD, 1L);
		curl_easy_setopt(t->easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)cfg->body_bytes);
	} else if (!method && cfg->post) {
		curl_easy_setopt(t->easy, CURLOPT_POST, 1L);
		curl_easy_setopt(t->easy, CURLOPT_POSTFIELDS, cfg->body);
		curl_easy_setopt(t->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)cfg->body_bytes);
	} else if (name && !strcmp(name, "HEAD")) {
		curl_easy_setopt(t->easy, CURLOPT_NOBODY, 1L);
		name = NULL;
	}
	if (name && strcmp(name, "GET"))
		curl_easy_setopt(t->easy, CURLOPT_CUSTOMREQUEST, name);
	t->overridden = method;
}

static long to_ms(uint64_t ns)
{
	return (long)((ns + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC);
}

/* libcurl reads up to 100 buffers before it checks a limit: allow a tenth of a second's worth. */
static long buffer_bytes(uint64_t speed_bytes)
{
	uint64_t bytes = speed_bytes / 1000;

	if (!speed_bytes || bytes > BUFFER_BYTES)
		return BUFFER_BYTES;
	return bytes < BUFFER_MIN_BYTES ? BUFFER_MIN_BYTES : (long)bytes;
}

static void set_options(struct transfer *t, const char *source)
{
	static const long versions[] = {
		[TRANSFER_HTTP_1_1] = CURL_HTTP_VERSION_1_1,
		[TRANSFER_HTTP_1_0] = CURL_HTTP_VERSION_1_0,
		[TRANSFER_HTTP_2] = CURL_HTTP_VERSION_2TLS,
		[TRANSFER_HTTP_2_DIRECT] = CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE,
	};
	const struct transfer_cfg *cfg = t->set->cfg;
	struct curl_blob cacert = { (void *)(uintptr_t)cfg->cacert, cfg->cacert_bytes, CURL_BLOB_NOCOPY };
	char host[96];
	CURL *easy = t->easy;

	curl_easy_setopt(easy, CURLOPT_PRIVATE, t);
	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
#if LIBCURL_VERSION_NUM >= 0x075700
	/* Its end does not wait for name servers. */
	curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#endif
	curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 1L);
	curl_easy_setopt(easy, CURLOPT_PROTOCOLS,
			 CURLPROTO_HTTP | CURLPROTO_HTTPS | CURLPROTO_FTP | CURLPROTO_FTPS);
	/* Ignore proxies from the environment: they would change the path. */
	curl_easy_setopt(easy, CURLOPT_PROXY, "");
	curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, buffer_bytes(cfg->speed_bytes));
	curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, versions[cfg->http]);
	curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header);
	curl_easy_setopt(easy, CURLOPT_HEADERDATA, t);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, t);
	curl_easy_setopt(easy, CURLOPT_READFUNCTION, give_body);
	curl_easy_setopt(easy, CURLOPT_READDATA, t);
	curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, seek_body);
	curl_easy_setopt(easy, CURLOPT_SEEKDATA, t);
	curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, transfer_socket_open);
	curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, cfg->sockets);
	curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, transfer_socket_close);
	curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, cfg->sockets);
	curl_easy_setopt(easy, CURLOPT_HTTPHEADER, t->set->headers);
	curl_easy_setopt(easy, CURLOPT_USERAGENT, "ethgauge/" TOOL_VERSION);
	curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, to_ms(cfg->connect_timeout_ns));
	curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, to_ms(cfg->timeout_ns));
	curl_easy_setopt(easy, CURLOPT_MAX_RECV_SPEED_LARGE, (curl_off_t)cfg->speed_bytes);
	curl_easy_setopt(easy, CURLOPT_MAX_SEND_SPEED_LARGE, (curl_off_t)cfg->speed_bytes);
	if (cfg->fresh) {
		curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
		curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
		curl_easy_setopt(easy, CURLOPT_SSL_SESSIONID_CACHE, 0L);
	} else {
		curl_easy_setopt(easy, CURLOPT_SHARE, t->share);
	}
	if (cfg->cookies)
		curl_easy_setopt(easy, CURLOPT_COOKIEFILE, "");
	if (cfg->insecure) {
		curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
		curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
	}
	if (cfg->cacert)
		curl_easy_setopt(easy, CURLOPT_CAINFO_BLOB, &cacert);
	if (*source) {
		snprintf(host, sizeof(host), "host!%s", source);
		curl_easy_setopt(easy, CURLOPT_INTERFACE, host);
	}
	set_method(t, NULL);
}

int transfer_open(struct transfer **ret_transfer, struct transfer_set *set, const char *source,
		  void *ctx, struct err *e)
{
	struct transfer *t = calloc(1, sizeof(*t));

	if (!t)
		return err_set(e, -ENOMEM, "cannot set up a client");
	*t = (struct transfer){ .set = set, .ctx = ctx, .easy = curl_easy_init(), .fd = -1 };
	if (!set->cfg->fresh) {
		t->share = curl_share_init();
		if (t->share)
			curl_share_setopt(t->share, CURLSHOPT_SHARE, CURL_LOCK_DATA_CONNECT);
	}
	if (!t->easy || (!set->cfg->fresh && !t->share)) {
		transfer_close(t);
		return err_set(e, -ENOMEM, "cannot set up a client");
	}
	set_options(t, source);
	*ret_transfer = t;
	return 0;
}

/* Ends an outstanding transfer without calling done. */
static void abort_transfer(struct transfer *t)
{
	if (t->busy)
		curl_multi_remove_handle(t->set->multi, t->easy);
	t->busy = false;
	transfer_plain_abort(t);
}

void transfer_close(struct transfer *t)
{
	if (!t)
		return;
	abort_transfer(t);
	curl_easy_cleanup(t->easy);
	curl_share_cleanup(t->share);
	http_answer_release(&t->answer);
	free(t->copy);
	free(t);
}

static int start(struct transfer *t, const char *url, const char *method, bool away)
{
	if (method || t->overridden)
		set_method(t, method);
	if (away != t->away)
		curl_easy_setopt(t->easy, CURLOPT_HTTPHEADER,
				 away ? t->set->own_headers : t->set->headers);
	t->away = away;
	if (curl_easy_setopt(t->easy, CURLOPT_URL, url))
		return -ENOMEM;
	t->began_mono_ns = loop_mono_ns();
	if (curl_multi_add_handle(t->set->multi, t->easy))
		return -ENOMEM;
	t->busy = true;
	return 0;
}

int transfer_start_curl(struct transfer *t, const char *url)
{
	transfer_plain_learn(t, url);
	return start(t, url, NULL, false);
}

int transfer_start(struct transfer *t, const char *url, const char *method, const char *home)
{
	t->ftp = transfer_is_ftp(url);
	t->first_mono_ns = 0;
	t->greeted = false;
	t->connect_ns = t->tls_ns = 0;
	t->received_bytes = 0;
	t->header_bytes = 0;
	t->given_bytes = 0;
	t->lost_bytes = 0;
	t->began_mono_ns = loop_mono_ns();
	if (method || home) {
		transfer_plain_learn(t, NULL);
		return start(t, url, method, home && !is_same_origin(url, home));
	}
	return transfer_plain_start(t, url) ? 0 : transfer_start_curl(t, url);
}

static void finish_all(struct transfer_set *set)
{
	struct transfer_result result;
	struct transfer *t;
	CURLMsg *message;
	int left;

	while ((message = curl_multi_info_read(set->multi, &left))) {
		if (message->msg != CURLMSG_DONE)
			continue;
		curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &t);
		transfer_read_result(t, message->data.result, &result);
		transfer_plain_learnt(t, message->data.result == CURLE_OK);
		abort_transfer(t);
		set->done(t->ctx, &result);
	}
}

/*
 * A server on another CPU answers sooner than a CPU wakes up, and waking it costs the server time, too. So
 * this stays awake for as long as answers have lately been worth it.
 */
static int wait_awake(struct transfer_set *set, struct epoll_event *events, uint64_t until_ns)
{
	uint64_t began_ns = loop_mono_ns(), now_ns;
	int nr = epoll_wait(set->epoll, events, EVENTS, 0);

	if (nr)
		return nr;
	if (until_ns > began_ns + set->awake_ns)
		until_ns = began_ns + set->awake_ns;
	do {
		nr = epoll_wait(set->epoll, events, EVENTS, 0);
		now_ns = loop_mono_ns();
	} while (!nr && now_ns < until_ns);
	__atomic_store_n(&set->awake_total_ns, set->awake_total_ns + now_ns - began_ns, __ATOMIC_RELAXED);
	set->awake_ns = nr ? AWAKE_MOST_NS : set->awake_ns - set->awake_ns / 16;
	return nr;
}

static int wait_asleep(struct transfer_set *set, struct epoll_event *events, uint64_t until_ns)
{
	uint64_t now_ns = loop_mono_ns();
	uint64_t wait_ns = until_ns > now_ns ? until_ns - now_ns : 0;
	struct timespec wait = {
		.tv_sec = (time_t)(wait_ns / NSEC_PER_SEC), .tv_nsec = (long)(wait_ns % NSEC_PER_SEC),
	};
	int nr;

	if (wait_ns && !set->no_pwait2) {
		nr = epoll_pwait2(set->epoll, events, EVENTS, &wait, NULL);
		if (nr >= 0 || errno != ENOSYS)
			return nr;
		set->no_pwait2 = true;
	}
	return epoll_wait(set->epoll, events, EVENTS, (int)to_ms(wait_ns));
}

static int wait_events(struct transfer_set *set, struct epoll_event *events, uint64_t until_ns)
{
	bool may = set->oldest && set->several_cpus;
	uint64_t began_ns = loop_mono_ns();
	int nr = may ? wait_awake(set, events, until_ns) : 0;

	if (nr)
		return nr;
	nr = wait_asleep(set, events, until_ns);
	/* Not where the server only ran once this slept. */
	if (may && nr > 0 && loop_mono_ns() - began_ns < AWAKE_MOST_NS / 2)
		set->awake_ns += AWAKE_LEAST_NS;
	return nr;
}

void transfer_set_run(struct transfer_set *set, uint64_t until_mono_ns)
{
	struct epoll_event events[EVENTS];
	int nr, i, running, mask;

	uint64_t expiry_ns = transfer_plain_expire(set, loop_mono_ns());

	if (until_mono_ns > set->timer_mono_ns)
		until_mono_ns = set->timer_mono_ns;
	if (until_mono_ns > expiry_ns)
		until_mono_ns = expiry_ns;
	nr = wait_events(set, events, until_mono_ns);
	for (i = 0; i < nr; i++) {
		if (events[i].data.u64 & TRANSFER_PLAIN_EVENT) {
			transfer_plain_event((struct transfer *)(uintptr_t)(events[i].data.u64 & ~TRANSFER_PLAIN_EVENT),
					     events[i].events);
			continue;
		}
		mask = (events[i].events & EPOLLIN ? CURL_CSELECT_IN : 0) |
		       (events[i].events & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
		       (events[i].events & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);
		curl_multi_socket_action(set->multi, events[i].data.fd, mask, &running);
	}
	if (set->timer_mono_ns <= loop_mono_ns()) {
		set->timer_mono_ns = UINT64_MAX;
		curl_multi_socket_action(set->multi, CURL_SOCKET_TIMEOUT, 0, &running);
	}
	nudge(set);
	finish_all(set);
}
