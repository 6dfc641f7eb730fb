// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * http/transfer_plain.c - plain GETs on kept connections, without libcurl.
 *
 * For each request libcurl sets up a transfer, builds the same text again and asks the socket for its
 * state: three times the CPU time of what the request needs. So the bytes that libcurl sent for a URL are
 * sent again on the connection that it keeps, and the answer is read here. While libcurl has no transfer of
 * this client, it does not touch the connection; before it has one again, the connection is left to it, shut
 * down where it may carry nothing more.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "http/transfer_parts.h"
#include "lib/loop.h"

#define BUFFER_BYTES	65536u
#define READS_MOST	16	/* buffers of one transfer before others have their turn */
#define ORIGIN_BYTES	1024
#define ENDED		(EPOLLRDHUP | EPOLLHUP | EPOLLERR)

int transfer_plain_open(struct transfer_set *set)
{
	set->buffer = malloc(BUFFER_BYTES);
	return set->buffer ? 0 : -ENOMEM;
}

void transfer_plain_close(struct transfer_set *set)
{
	unsigned int i;

	for (i = 0; i < set->nr_plain; i++) {
		free(set->plain[i].url);
		free(set->plain[i].origin);
		free(set->plain[i].bytes);
	}
	free(set->buffer);
}

uint64_t transfer_set_plain(const struct transfer_set *set)
{
	return __atomic_load_n(&set->plain_requests, __ATOMIC_RELAXED);
}

/* Whether all of the configuration is in the bytes of the request. */
static bool is_plain(const struct transfer_cfg *cfg, const char *url)
{
	return (!cfg->method || !strcmp(cfg->method, "GET")) && !cfg->post && !cfg->upload && !cfg->fresh &&
	       !cfg->cookies && !cfg->speed_bytes && cfg->http == TRANSFER_HTTP_1_1 &&
	       !strncasecmp(url, "http://", 7);
}

static struct transfer_plain *find(struct transfer *t, const char *url)
{
	struct transfer_set *set = t->set;
	unsigned int i;

	if (t->last_plain && !strcmp(t->last_plain->url, url))
		return t->last_plain;
	for (i = 0; i < set->nr_plain; i++) {
		if (!strcmp(set->plain[i].url, url))
			return t->last_plain = &set->plain[i];
	}
	return NULL;
}

static struct transfer_plain *add(struct transfer_set *set, const char *url)
{
	struct transfer_plain *plain = &set->plain[set->nr_plain];
	char origin[ORIGIN_BYTES];

	if (set->nr_plain == TRANSFER_PLAIN_MOST)
		return NULL;
	transfer_origin(url, origin, sizeof(origin));
	if (!*origin)
		return NULL;
	*plain = (struct transfer_plain){ .url = strdup(url), .origin = strdup(origin) };
	if (!plain->url || !plain->origin) {
		free(plain->url);
		free(plain->origin);
		return NULL;
	}
	set->nr_plain++;
	return plain;
}

/* Leaves the connection to libcurl; @dead: it carries no other request. */
static void leave(struct transfer *t, bool dead)
{
	if (t->watched)
		epoll_ctl(t->set->epoll, EPOLL_CTL_DEL, t->fd, NULL);
	if (t->fd >= 0 && dead)
		shutdown(t->fd, SHUT_RDWR);
	t->watched = false;
	t->fd = -1;
}

/* libcurl's: what it sends, among other things. */
static int copy_request(CURL *easy, curl_infotype type, char *data, size_t len, void *ctx)
{
	struct transfer *t = ctx;
	char *copy;

	(void)easy;
	if (type != CURLINFO_HEADER_OUT)
		return 0;
	copy = realloc(t->copy, t->copy_len + len);
	if (copy) {
		memcpy(copy + t->copy_len, data, len);
		t->copy = copy;
		t->copy_len += len;
	}
	return 0;
}

void transfer_plain_learn(struct transfer *t, const char *url)
{
	leave(t, false);
	t->plain = NULL;
	if (url && is_plain(t->set->cfg, url)) {
		t->plain = find(t, url);
		if (!t->plain)
			t->plain = add(t->set, url);
	}
	t->learns = t->plain && !t->plain->bytes;
	t->copy_len = 0;
	if (!t->learns)
		return;
	curl_easy_setopt(t->easy, CURLOPT_DEBUGFUNCTION, copy_request);
	curl_easy_setopt(t->easy, CURLOPT_DEBUGDATA, t);
	curl_easy_setopt(t->easy, CURLOPT_VERBOSE, 1L);
}

/* One request and no second, as after a connection that had to be made anew. */
static bool is_one_get(const char *text, size_t len)
{
	const char *end = len ? memmem(text, len, "\r\n\r\n", 4) : NULL;

	return end && end + 4 == text + len && !strncmp(text, "GET ", 4);
}

void transfer_plain_learnt(struct transfer *t, bool ok)
{
	struct transfer_plain *plain = t->plain;
	curl_socket_t fd = CURL_SOCKET_BAD;

	t->plain = NULL;
	if (t->learns) {
		curl_easy_setopt(t->easy, CURLOPT_VERBOSE, 0L);
		if (ok && !plain->bytes && is_one_get(t->copy, t->copy_len)) {
			plain->bytes = t->copy;
			plain->len = t->copy_len;
			t->copy = NULL;
		}
		free(t->copy);
		t->copy = NULL;
		t->learns = false;
	}
	if (!ok || !plain || !plain->bytes ||
	    curl_easy_getinfo(t->easy, CURLINFO_ACTIVESOCKET, &fd) || fd == CURL_SOCKET_BAD)
		return;
	t->fd = fd;
	t->origin = plain->origin;
}

/* They have the same time limit, and so end in the order of their start. */
static void push(struct transfer *t)
{
	struct transfer_set *set = t->set;

	t->older = set->newest;
	t->newer = NULL;
	*(set->newest ? &set->newest->newer : &set->oldest) = t;
	set->newest = t;
}

static void pull(struct transfer *t)
{
	struct transfer_set *set = t->set;

	*(t->older ? &t->older->newer : &set->oldest) = t->newer;
	*(t->newer ? &t->newer->older : &set->newest) = t->older;
	t->outstanding = false;
}

void transfer_plain_abort(struct transfer *t)
{
	if (!t->outstanding)
		return;
	pull(t);
	leave(t, true);
}

/* False: the connection takes nothing more. */
static bool send_rest(struct transfer *t)
{
	ssize_t sent;

	while (t->sent < t->last_plain->len) {
		sent = send(t->fd, t->last_plain->bytes + t->sent, t->last_plain->len - t->sent, MSG_NOSIGNAL);
		if (sent < 0 && errno != EINTR)
			return errno == EAGAIN;
		t->sent += sent > 0 ? (size_t)sent : 0;
	}
	return true;
}

static bool watch(struct transfer *t, int how)
{
	struct epoll_event event = {
		.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,
		.data.u64 = (uint64_t)(uintptr_t)t | TRANSFER_PLAIN_EVENT,
	};

	return !epoll_ctl(t->set->epoll, how, t->fd, &event);
}

/* Open, and nothing has come that was not asked for. */
static bool is_idle(int fd)
{
	char byte;

	return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

bool transfer_plain_start(struct transfer *t, const char *url)
{
	struct transfer_plain *plain = t->fd < 0 ? NULL : find(t, url);

	if (!plain || !plain->bytes || strcasecmp(plain->origin, t->origin))
		return false;
	if (!t->watched)
		t->watched = is_idle(t->fd) && watch(t, EPOLL_CTL_ADD);
	http_answer_reset(&t->answer);
	t->sent = 0;
	if (!t->watched || !send_rest(t))
		return false;
	t->outstanding = true;
	push(t);
	return true;
}

/* What libcurl would take for the target: relative to the URL that was requested. NULL: none. */
static char *read_redirect(const struct transfer *t)
{
	CURLU *parts;
	char *target = NULL;

	if (t->answer.status / 100 != 3 || !t->answer.location)
		return NULL;
	parts = curl_url();
	if (!parts || curl_url_set(parts, CURLUPART_URL, t->last_plain->url, 0) ||
	    curl_url_set(parts, CURLUPART_URL, t->answer.location, CURLU_NON_SUPPORT_SCHEME) ||
	    curl_url_get(parts, CURLUPART_URL, &target, 0))
		target = NULL;
	curl_url_cleanup(parts);
	return target;
}

/* @keeps: the connection carries another request. The transfer may be closed when this returns. */
static void finish(struct transfer *t, CURLcode code, enum transfer_end end, bool keeps)
{
	struct transfer_set *set = t->set;
	char *redirect = code ? NULL : read_redirect(t);
	const struct transfer_result result = {
		.end = end,
		.status = t->answer.status,
		.why = code ? curl_easy_strerror(code) : NULL,
		.url = t->last_plain->url,
		.redirect = redirect,
		.began_mono_ns = t->began_mono_ns,
		.ended_mono_ns = loop_mono_ns(),
		.first_byte_ns = t->first_mono_ns ? t->first_mono_ns - t->began_mono_ns : 0,
		.body_received_bytes = t->received_bytes,
		.header_received_bytes = t->answer.header_bytes,
		.header_sent_bytes = t->sent,
	};

	pull(t);
	if (!keeps)
		leave(t, true);
	__atomic_store_n(&set->plain_requests, set->plain_requests + 1, __ATOMIC_RELAXED);
	set->done(t->ctx, &result);
	curl_free(redirect);
}

/* As libcurl does when a kept connection ends before an answer: once more, on another. */
static void start_again(struct transfer *t)
{
	uint64_t began_ns = t->began_mono_ns;

	t->lost_bytes = t->sent;
	pull(t);
	leave(t, true);
	if (transfer_start_curl(t, t->last_plain->url)) {
		push(t);
		finish(t, CURLE_OUT_OF_MEMORY, TRANSFER_LOCAL, false);
		return;
	}
	t->began_mono_ns = began_ns;
}

static void see_end(struct transfer *t, bool broken)
{
	if (!t->first_mono_ns)
		start_again(t);
	else if (!broken && http_answer_end(&t->answer))
		finish(t, CURLE_OK, transfer_status_end(t->answer.status), false);
	else
		finish(t, broken ? CURLE_RECV_ERROR : CURLE_PARTIAL_FILE, TRANSFER_PARTIAL, false);
}

/* True: the answer, or the transfer, has ended. */
static bool take(struct transfer *t, size_t len)
{
	struct http_answer *answer = &t->answer;
	uint64_t before = answer->body_bytes;
	size_t used;

	if (!t->first_mono_ns)
		t->first_mono_ns = loop_mono_ns();
	used = http_answer_take(answer, t->set->buffer, len);
	t->received_bytes = answer->body_bytes;
	__atomic_store_n(&t->set->received_bytes, t->set->received_bytes + answer->body_bytes - before,
			 __ATOMIC_RELAXED);
	if (answer->state < HTTP_ANSWER_WHOLE)
		return false;
	if (answer->state == HTTP_ANSWER_BAD)
		finish(t, CURLE_WEIRD_SERVER_REPLY, TRANSFER_OTHER, false);
	else
		finish(t, CURLE_OK, transfer_status_end(answer->status),
		       !answer->closes && used == len && t->sent == t->last_plain->len);
	return true;
}

static void receive(struct transfer *t, uint32_t events)
{
	unsigned int i;
	ssize_t got;

	for (i = 0; i < READS_MOST; i++) {
		got = recv(t->fd, t->set->buffer, BUFFER_BYTES, 0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno == EAGAIN)
			return;
		if (got <= 0) {
			see_end(t, got < 0);
			return;
		}
		if (take(t, (size_t)got))
			return;
		/* Less than there was room for is all of it; what comes later is another event. */
		if ((size_t)got < BUFFER_BYTES && !(events & ENDED))
			return;
	}
	watch(t, EPOLL_CTL_MOD);
}

void transfer_plain_event(struct transfer *t, uint32_t events)
{
	if (!t->outstanding) {
		if (events & (EPOLLIN | ENDED))
			leave(t, true);
		return;
	}
	if (!send_rest(t))
		see_end(t, true);
	else if (events & (EPOLLIN | ENDED))
		receive(t, events);
}

uint64_t transfer_plain_expire(struct transfer_set *set, uint64_t now_ns)
{
	uint64_t limit_ns = set->cfg->timeout_ns;

	if (!limit_ns)
		return UINT64_MAX;
	while (set->oldest && set->oldest->began_mono_ns + limit_ns <= now_ns)
		finish(set->oldest, CURLE_OPERATION_TIMEDOUT, TRANSFER_TIMEOUT, false);
	return set->oldest ? set->oldest->began_mono_ns + limit_ns : UINT64_MAX;
}
