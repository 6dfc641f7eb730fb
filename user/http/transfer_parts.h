/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * http/transfer_parts.h - what the files of transfer.h share.
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
	struct curl_slist *headers;
	int epoll;
	bool no_pwait2;			/* epoll_pwait2 is of kernel 5.11 */
	uint64_t received_bytes;	/* of all bodies; others may read it meanwhile */
	bool stuck;			/* some FTP transfer: see nudge() */
	uint64_t timer_mono_ns;		/* when libcurl wants to be called; UINT64_MAX: not */
};

struct transfer {
	struct transfer_set *set;
	CURL *easy;
	CURLSH *share;
	void *ctx;
	bool busy, overridden;		/* the method, by a redirection */
	uint64_t began_mono_ns, first_mono_ns;
	bool ftp, greeted;
	uint64_t connect_ns, tls_ns;	/* of FTP's control connection; 0: it was kept */
	uint64_t received_bytes, given_bytes;	/* of the bodies */
};

/*
 * What the connection took; how many were made. Of FTP at its first reply: later libcurl adds
 * the time of the data connection, from the transfer's begin on.
 */
uint32_t transfer_read_connect(struct transfer *t, uint64_t *ret_connect_ns, uint64_t *ret_tls_ns);

/* Of one that ended so. */
void transfer_read_result(struct transfer *t, CURLcode code, struct transfer_result *ret_result);

/* libcurl's callbacks, whose context is a struct transfer_sockets. */
curl_socket_t transfer_socket_open(void *ctx, curlsocktype purpose, struct curl_sockaddr *address);
int transfer_socket_close(void *ctx, curl_socket_t fd);

#endif
