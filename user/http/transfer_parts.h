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

struct transfer_set {
	const struct transfer_cfg *cfg;
	transfer_done done;
	CURLM *multi;
	struct curl_slist *headers;	/* the configured ones after its own */
	struct curl_slist *own_headers;
	int epoll;
	bool no_pwait2;			/* epoll_pwait2() requires kernel 5.11 */
	uint64_t received_bytes;	/* of all bodies; read by other threads */
	bool stuck;			/* an FTP transfer is stuck: see nudge() */
	uint64_t timer_mono_ns;		/* when libcurl wants to be called; UINT64_MAX: never */
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
};

/*
 * Connect times; returns the number of connections made. For FTP at its first reply: later libcurl
 * adds the time of the data connection, measured from the start of the transfer.
 */
uint32_t transfer_read_connect(struct transfer *t, uint64_t *ret_connect_ns, uint64_t *ret_tls_ns);

/* Result of a transfer that ended with @code. */
void transfer_read_result(struct transfer *t, CURLcode code, struct transfer_result *ret_result);

/* libcurl's callbacks, with a struct transfer_sockets as context. */
curl_socket_t transfer_socket_open(void *ctx, curlsocktype purpose, struct curl_sockaddr *address);
int transfer_socket_close(void *ctx, curl_socket_t fd);

#endif
