/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * http/transfer_parts.h - declarations shared by the files of transfer.h.
 */
#ifndef HTTP_TRANSFER_PARTS_H
#define HTTP_TRANSFER_PARTS_H

/* For curl_multi_socket_all(), see nudge(). */
#define CURL_DISABLE_DEPRECATION
#include <curl/curl.h>

#include "http/transfer.h"
#include "proto/http_answer.h"

#define TRANSFER_PLAIN_MOST	64	/* URLs of a set that are requested without libcurl */

/* In an event's data, with the address of the transfer; libcurl's have a descriptor. */
#define TRANSFER_PLAIN_EVENT	(1ull << 63)

/* What libcurl sends for a URL. */
struct transfer_plain {
	char *url, *origin;
	char *bytes;
	size_t len;
};

struct transfer_set {
	const struct transfer_cfg *cfg;
	transfer_done done;
	CURLM *multi;
	struct curl_slist *headers;	/* the configured ones after its own */
	struct curl_slist *own_headers;
	int epoll;
	bool no_pwait2;			/* epoll_pwait2() requires kernel 5.11 */
	uint64_t received_bytes;	/* of all bodies; read by other threads */
	bool several_cpus;
	uint64_t awake_ns;		/* to wait for an event without sleeping */
	uint64_t awake_total_ns;	/* spent so; read by other threads */
	bool stuck;			/* an FTP transfer is stuck: see nudge() */
	uint64_t timer_mono_ns;		/* when libcurl wants to be called; UINT64_MAX: never */
	struct transfer_plain plain[TRANSFER_PLAIN_MOST];
	unsigned int nr_plain;
	uint64_t plain_requests;	/* answered without libcurl; read by other threads */
	char *buffer;			/* what arrives without libcurl */
	struct transfer *oldest, *newest;	/* outstanding without libcurl */
};

struct transfer {
	struct transfer_set *set;
	CURL *easy;
	CURLSH *share;
	void *ctx;
	bool busy, overridden;		/* overridden: by the method of a redirection */
	bool away;			/* at another host than the headers are for */
	uint64_t began_mono_ns, first_mono_ns;
	bool ftp, greeted;
	uint64_t connect_ns, tls_ns;	/* of FTP's control connection; 0: reused */
	uint64_t received_bytes, given_bytes;	/* of the bodies */
	uint64_t header_bytes;

	/* Without libcurl: */
	int fd;				/* libcurl's idle connection; -1: none */
	const char *origin;		/* that it leads to */
	bool watched, outstanding;
	struct transfer_plain *plain;	/* that libcurl is busy with; NULL: none */
	struct transfer_plain *last_plain;
	size_t sent;
	uint64_t lost_bytes;		/* sent on a kept connection that then ended */
	struct http_answer answer;
	struct transfer *older, *newer;
	bool learns;			/* libcurl's request is copied to these: */
	char *copy;
	size_t copy_len;
};

/*
 * Connect times; returns the number of connections made. For FTP at its first reply: later libcurl
 * adds the time of the data connection, measured from the start of the transfer.
 */
uint32_t transfer_read_connect(struct transfer *t, uint64_t *ret_connect_ns, uint64_t *ret_tls_ns);

/* Result of a transfer that ended with @code. */
void transfer_read_result(struct transfer *t, CURLcode code, struct transfer_result *ret_result);

/* How a transfer with a whole answer of that status ended. */
enum transfer_end transfer_status_end(unsigned int status);

/*
 * A GET that libcurl has made is made again as it was, on libcurl's connection while that is idle. All
 * else is libcurl's: the first request, names, connections, TLS, and whatever goes wrong with a
 * connection before an answer comes.
 */
int transfer_plain_open(struct transfer_set *set);
void transfer_plain_close(struct transfer_set *set);

/* Before each request by libcurl; @url: its request may be learnt; NULL: it may not. */
void transfer_plain_learn(struct transfer *t, const char *url);

/* libcurl is done; call before the handle is removed. */
void transfer_plain_learnt(struct transfer *t, bool ok);

/* False: libcurl must do it. */
bool transfer_plain_start(struct transfer *t, const char *url);

/* Forgets what is outstanding. */
void transfer_plain_abort(struct transfer *t);

void transfer_plain_event(struct transfer *t, uint32_t events);

/* Ends those that take too long; call often. Returns when the next one would: UINT64_MAX: none. */
uint64_t transfer_plain_expire(struct transfer_set *set, uint64_t now_ns);

/* Requests the URL by libcurl, as the set is configured. */
int transfer_start_curl(struct transfer *t, const char *url);

/* libcurl's callbacks, with a struct transfer_sockets as context. */
curl_socket_t transfer_socket_open(void *ctx, curlsocktype purpose, struct curl_sockaddr *address);
int transfer_socket_close(void *ctx, curl_socket_t fd);

#endif
