// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/transfer.c - HTTP and FTP transfers by libcurl's multi interface and epoll.
 *
 * All transfers of a set are in one multi handle, whose connections libcurl would share
 * among them: so each has a cache of its own, by a share handle.
 */
#include "sys/transfer.h"

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

#include <curl/curl.h>

#include "lib/loop.h"

#define EVENTS		256
#define BUFFER_BYTES	65536L
#define BUFFER_MIN_BYTES 1024L	/* libcurl's */
#define NSEC_PER_USEC	1000u
#define NSEC_PER_MSEC	1000000u

struct transfer_set {
	const struct transfer_cfg *cfg;
	transfer_done done;
	CURLM *multi;
	struct curl_slist *headers;
	int epoll;
	bool no_pwait2;			/* epoll_pwait2 is of kernel 5.11 */
	uint64_t received_bytes;	/* of all bodies; others may read it meanwhile */
	uint64_t timer_mono_ns;		/* when libcurl wants to be called; UINT64_MAX: not */
};

struct transfer {
	struct transfer_set *set;
	CURL *easy;
	CURLSH *share;
	void *ctx;
	bool busy, overridden;		/* the method, by a redirection */
	uint64_t began_mono_ns, first_mono_ns;
	bool ftp;
	uint64_t received_bytes, given_bytes;	/* of the bodies */
};

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

int transfer_check_url(const char *url, struct err *e)
{
	CURLU *parts = curl_url();
	char *scheme = NULL;
	CURLUcode code;

	if (!parts)
		return err_set(e, -ENOMEM, "cannot look at '%s'", url);
	code = curl_url_set(parts, CURLUPART_URL, url, 0);
	if (code == CURLUE_BAD_SCHEME)
		err_usage(e, "'%s' has no scheme: write http://%s", url, url);
	else if (code)
		err_usage(e, "'%s' is no URL: %s", url, curl_url_strerror(code));
	else if (curl_url_get(parts, CURLUPART_SCHEME, &scheme, 0) ||
		 (strcmp(scheme, "http") && strcmp(scheme, "https") && strcmp(scheme, "ftp") &&
		  strcmp(scheme, "ftps")))
		err_usage(e, "'%s' is not of http, https, ftp or ftps", url);
	else
		e->no = 0;
	curl_free(scheme);
	curl_url_cleanup(parts);
	return e->no;
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

int transfer_check_source(const char *source, struct err *e)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST };
	struct addrinfo *at;
	int fd, err = 0;

	if (getaddrinfo(source, NULL, &hints, &at))
		return err_usage(e, "'%s' is no address", source);
	fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || bind(fd, at->ai_addr, at->ai_addrlen))
		err = -errno;
	if (fd >= 0)
		close(fd);
	freeaddrinfo(at);
	if (!err)
		return 0;
	err_machine(e, err, "cannot send from '%s'", source);
	return err_hint(e, "give this host the address, or a whole prefix at once: "
			"ip route add local PREFIX dev lo");
}

/* libcurl: this socket is to be watched so from now on. */
static int on_socket(CURL *easy, curl_socket_t fd, int what, void *ctx, void *known)
{
	struct transfer_set *set = ctx;
	struct epoll_event event = {
		.events = (what & CURL_POLL_IN ? EPOLLIN : 0) | (what & CURL_POLL_OUT ? EPOLLOUT : 0),
		.data.fd = fd,
	};

	(void)easy;
	if (what == CURL_POLL_REMOVE) {
		epoll_ctl(set->epoll, EPOLL_CTL_DEL, fd, NULL);
		return 0;
	}
	/* A socket that was closed left by itself, and its number may be another's now. */
	if (epoll_ctl(set->epoll, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &event))
		epoll_ctl(set->epoll, errno == ENOENT ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd, &event);
	if (!known)
		curl_multi_assign(set->multi, fd, set);
	return 0;
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

static curl_socket_t open_socket(void *ctx, curlsocktype purpose, struct curl_sockaddr *address)
{
	struct transfer_set *set = ctx;
	int fd, one = 1;

	(void)purpose;
	fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
	if (fd < 0)
		return CURL_SOCKET_BAD;
	/* Else a source address would take a port for itself, of all destinations. */
	setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof(one));
	peak_up(set->cfg->sockets);
	return fd;
}

static int close_socket(void *ctx, curl_socket_t fd)
{
	struct transfer_set *set = ctx;

	peak_down(set->cfg->sockets);
	return close(fd);
}

static void see_answer(struct transfer *t)
{
	if (!t->first_mono_ns)
		t->first_mono_ns = loop_mono_ns();
}

/* Of FTP these are the replies to its commands, which are no answer yet. */
static size_t take_header(char *data, size_t size, size_t nr, void *ctx)
{
	struct transfer *t = ctx;

	(void)data;
	if (!t->ftp)
		see_answer(t);
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

	if (cfg->body)
		memcpy(buf, (const char *)cfg->body + t->given_bytes, len);
	else
		memset(buf, 0, len);
	t->given_bytes += len;
	return len;
}

/* A request that has to be sent again, because the kept connection was gone. */
static int seek_body(void *ctx, curl_off_t offset, int origin)
{
	struct transfer *t = ctx;

	if (origin != SEEK_SET || offset < 0 || (uint64_t)offset > t->set->cfg->body_bytes)
		return CURL_SEEKFUNC_CANTSEEK;
	t->given_bytes = (uint64_t)offset;
	return CURL_SEEKFUNC_OK;
}

static int add_header(struct transfer_set *set, const char *header)
{
	struct curl_slist *more = curl_slist_append(set->headers, header);

	if (!more)
		return -ENOMEM;
	set->headers = more;
	return 0;
}

int transfer_set_open(struct transfer_set **ret_set, const struct transfer_cfg *cfg,
		      transfer_done done, struct err *e)
{
	struct transfer_set *set = calloc(1, sizeof(*set));
	unsigned int i;
	int err = 0;

	if (!set)
		return err_set(e, -ENOMEM, "cannot prepare transfers");
	*set = (struct transfer_set){
		.cfg = cfg, .done = done, .multi = curl_multi_init(),
		.epoll = epoll_create1(EPOLL_CLOEXEC), .timer_mono_ns = UINT64_MAX,
	};
	if (set->epoll < 0)
		err = -errno;
	else if (!set->multi)
		err = -ENOMEM;
	/* An answer to "Expect: 100-continue" would be a round trip more. */
	if (!err && (cfg->post || cfg->upload))
		err = add_header(set, "Expect:");
	if (!err && cfg->fresh)
		err = add_header(set, "Connection: close");
	for (i = 0; !err && i < cfg->nr_headers; i++)
		err = add_header(set, cfg->headers[i]);
	if (err) {
		transfer_set_close(set);
		return err_set(e, err, "cannot prepare transfers");
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
	if (set->epoll >= 0)
		close(set->epoll);
	free(set);
}

uint64_t transfer_set_received(const struct transfer_set *set)
{
	return __atomic_load_n(&set->received_bytes, __ATOMIC_RELAXED);
}

/* What @method (NULL: the configured one) means for the request. */
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

/* libcurl empties up to 100 buffers before it looks at a limit: a tenth of a second's worth. */
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
	char host[96];
	CURL *easy = t->easy;

	curl_easy_setopt(easy, CURLOPT_PRIVATE, t);
	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 1L);
	/* What the environment says of proxies would make another path of it. */
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
	curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
	curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, t->set);
	curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, close_socket);
	curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, t->set);
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
		curl_easy_setopt(easy, CURLOPT_CAINFO, cfg->cacert);
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
		return err_set(e, -ENOMEM, "cannot prepare a client");
	*t = (struct transfer){ .set = set, .ctx = ctx, .easy = curl_easy_init() };
	if (!set->cfg->fresh) {
		t->share = curl_share_init();
		if (t->share)
			curl_share_setopt(t->share, CURLSHOPT_SHARE, CURL_LOCK_DATA_CONNECT);
	}
	if (!t->easy || (!set->cfg->fresh && !t->share)) {
		transfer_close(t);
		return err_set(e, -ENOMEM, "cannot prepare a client");
	}
	set_options(t, source);
	*ret_transfer = t;
	return 0;
}

void transfer_close(struct transfer *t)
{
	if (!t)
		return;
	transfer_abort(t);
	curl_easy_cleanup(t->easy);
	curl_share_cleanup(t->share);
	free(t);
}

int transfer_start(struct transfer *t, const char *url, const char *method)
{
	if (method || t->overridden)
		set_method(t, method);
	t->ftp = transfer_is_ftp(url);
	t->first_mono_ns = 0;
	t->received_bytes = 0;
	t->given_bytes = 0;
	if (curl_easy_setopt(t->easy, CURLOPT_URL, url))
		return -ENOMEM;
	t->began_mono_ns = loop_mono_ns();
	if (curl_multi_add_handle(t->set->multi, t->easy))
		return -ENOMEM;
	t->busy = true;
	return 0;
}

void transfer_abort(struct transfer *t)
{
	if (t->busy)
		curl_multi_remove_handle(t->set->multi, t->easy);
	t->busy = false;
}

static uint64_t info_ns(CURL *easy, CURLINFO which)
{
	curl_off_t us = 0;

	curl_easy_getinfo(easy, which, &us);
	return us > 0 ? (uint64_t)us * NSEC_PER_USEC : 0;
}

static uint64_t info_bytes(CURL *easy, CURLINFO which)
{
	long bytes = 0;

	curl_easy_getinfo(easy, which, &bytes);
	return bytes > 0 ? (uint64_t)bytes : 0;
}

/* Whether this host could not, and not the path or the far end. */
static bool is_local(CURL *easy)
{
	long no = 0;

	curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &no);
	return no == EADDRNOTAVAIL || no == EADDRINUSE || no == EMFILE || no == ENFILE ||
	       no == ENOBUFS || no == ENOMEM;
}

static enum transfer_end classify(CURLcode code, CURL *easy, const struct transfer_result *r)
{
	bool connected = info_ns(easy, CURLINFO_PRETRANSFER_TIME_T);

	switch (code) {
	case CURLE_OK:
		return r->status >= 500 ? TRANSFER_5XX : r->status >= 400 ? TRANSFER_4XX : TRANSFER_OK;
	case CURLE_COULDNT_RESOLVE_HOST:
		return TRANSFER_NO_NAME;
	case CURLE_COULDNT_CONNECT:
		return is_local(easy) ? TRANSFER_LOCAL : TRANSFER_NO_CONNECT;
	case CURLE_INTERFACE_FAILED:
	case CURLE_OUT_OF_MEMORY:
		return TRANSFER_LOCAL;
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CERTPROBLEM:
	case CURLE_SSL_CIPHER:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_ISSUER_ERROR:
	case CURLE_USE_SSL_FAILED:
		return TRANSFER_NO_TLS;
	case CURLE_OPERATION_TIMEDOUT:
		if (!info_ns(easy, CURLINFO_NAMELOOKUP_TIME_T))
			return TRANSFER_NO_NAME;
		return connected ? TRANSFER_TIMEOUT : TRANSFER_CONNECT_TIMEOUT;
	case CURLE_PARTIAL_FILE:
		return TRANSFER_PARTIAL;
	case CURLE_GOT_NOTHING:
	case CURLE_SEND_ERROR:
	case CURLE_RECV_ERROR:
	case CURLE_HTTP2:
	case CURLE_HTTP2_STREAM:
		return r->first_byte_ns ? TRANSFER_PARTIAL : TRANSFER_BROKEN;
	default:
		break;
	}
	/* FTP refuses by a code of its own for each command. */
	if (r->status >= 400 && r->status < 600)
		return r->status >= 500 ? TRANSFER_5XX : TRANSFER_4XX;
	return TRANSFER_OTHER;
}

static void read_result(struct transfer *t, CURLcode code, struct transfer_result *r)
{
	uint64_t name_ns = info_ns(t->easy, CURLINFO_NAMELOOKUP_TIME_T);
	uint64_t connect_ns = info_ns(t->easy, CURLINFO_CONNECT_TIME_T);
	uint64_t tls_ns = info_ns(t->easy, CURLINFO_APPCONNECT_TIME_T);
	curl_off_t sent = 0;
	long number = 0;

	*r = (struct transfer_result){
		.began_mono_ns = t->began_mono_ns,
		.ended_mono_ns = loop_mono_ns(),
		.first_byte_ns = t->first_mono_ns ? t->first_mono_ns - t->began_mono_ns : 0,
		.body_received_bytes = t->received_bytes,
		.header_received_bytes = info_bytes(t->easy, CURLINFO_HEADER_SIZE),
		.header_sent_bytes = info_bytes(t->easy, CURLINFO_REQUEST_SIZE),
		.why = code ? curl_easy_strerror(code) : NULL,
	};
	curl_easy_getinfo(t->easy, CURLINFO_SIZE_UPLOAD_T, &sent);
	r->body_sent_bytes = sent > 0 ? (uint64_t)sent : 0;
	curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &number);
	r->status = (unsigned int)number;
	curl_easy_getinfo(t->easy, CURLINFO_NUM_CONNECTS, &number);
	/* libcurl counts attempts, and gives one that is reused times of nearly nothing. */
	if (number > 0 && connect_ns) {
		r->connections = (uint32_t)number;
		r->connect_ns = connect_ns > name_ns ? connect_ns - name_ns : NSEC_PER_USEC;
		r->tls_ns = tls_ns > connect_ns ? tls_ns - connect_ns : 0;
	}
	if (!code)
		curl_easy_getinfo(t->easy, CURLINFO_REDIRECT_URL, &r->redirect);
	r->end = classify(code, t->easy, r);
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
		read_result(t, message->data.result, &result);
		transfer_abort(t);
		set->done(t->ctx, &result);
	}
}

static int wait_events(struct transfer_set *set, struct epoll_event *events, uint64_t until_ns)
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

void transfer_set_run(struct transfer_set *set, uint64_t until_mono_ns)
{
	struct epoll_event events[EVENTS];
	int nr, i, running, mask;

	if (until_mono_ns > set->timer_mono_ns)
		until_mono_ns = set->timer_mono_ns;
	nr = wait_events(set, events, until_mono_ns);
	for (i = 0; i < nr; i++) {
		mask = (events[i].events & EPOLLIN ? CURL_CSELECT_IN : 0) |
		       (events[i].events & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
		       (events[i].events & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);
		curl_multi_socket_action(set->multi, events[i].data.fd, mask, &running);
	}
	if (set->timer_mono_ns <= loop_mono_ns()) {
		set->timer_mono_ns = UINT64_MAX;
		curl_multi_socket_action(set->multi, CURL_SOCKET_TIMEOUT, 0, &running);
	}
	finish_all(set);
}
