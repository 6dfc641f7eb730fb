/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * http/transfer.h - HTTP and FTP transfers, thousands at a time in one thread: the only interface
 * to libcurl.
 *
 * A set belongs to one thread; a transfer is one client's: with its own cookies, source address and
 * connections. It is one request and its answer: a redirection is reported, not followed.
 */
#ifndef HTTP_TRANSFER_H
#define HTTP_TRANSFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "lib/err.h"
#include "lib/peak.h"

/* Choices of --http. */
enum transfer_http { TRANSFER_HTTP_1_1, TRANSFER_HTTP_1_0, TRANSFER_HTTP_2, TRANSFER_HTTP_2_DIRECT };

/* How a transfer ended. From TRANSFER_NO_NAME on there is no complete answer. */
enum transfer_end {
	TRANSFER_OK,
	TRANSFER_4XX,			/* HTTP, and FTP's transient errors */
	TRANSFER_5XX,			/* HTTP, and FTP's permanent errors */
	TRANSFER_NO_NAME,		/* not resolved */
	TRANSFER_NO_CONNECT,
	TRANSFER_NO_TLS,		/* handshake or certificate */
	TRANSFER_CONNECT_TIMEOUT,	/* including the TLS handshake */
	TRANSFER_TIMEOUT,
	TRANSFER_PARTIAL,		/* the answer was truncated */
	TRANSFER_BROKEN,		/* the connection ended before an answer, or during
					 * sending */
	TRANSFER_LOCAL,			/* this host: no free port, source address, descriptor or
					 * memory */
	TRANSFER_OTHER,			/* protocol errors and everything else */
	TRANSFER_ENDS,
};

/* Shared by all threads. */
struct transfer_sockets {
	struct peak peak;
	bool *open;			/* by descriptor */
	size_t nr;
	bool has_first, first_is_set;	/* atomic */
	struct sockaddr_storage first;	/* where the first one connects to */
};

/* Call after the limit of open files was set. 0 or -ENOMEM. */
int transfer_sockets_init(struct transfer_sockets *sockets);
void transfer_sockets_release(struct transfer_sockets *sockets);

/* Where the first of them connects to; NULL: there was none yet. */
const struct sockaddr *transfer_sockets_first(const struct transfer_sockets *sockets);

struct transfer_cfg {
	const char *method;		/* NULL: GET, or RETR */
	bool post, upload;		/* send the body by POST; by PUT or STOR */
	const void *body;
	int body_fd;			/* file to upload, without @body; -1: body_bytes of zeros */
	uint64_t body_bytes;
	const char *const *headers;
	unsigned int nr_headers;
	enum transfer_http http;
	bool fresh;			/* a new connection for each, with a full TLS handshake */
	bool cookies;
	bool insecure;
	const void *cacert;		/* certificates in PEM; NULL: the system's */
	uint64_t cacert_bytes;
	uint64_t connect_timeout_ns, timeout_ns;	/* 0: none */
	uint64_t speed_bytes;		/* per second and transfer; 0: no limit */
	struct transfer_sockets *sockets;
};

struct transfer_result {
	enum transfer_end end;
	unsigned int status;		/* HTTP or FTP status; 0: no answer */
	const char *why;		/* the failure, as described by libcurl; NULL: none */
	const char *url;		/* that was requested; valid until the next start */
	const char *redirect;		/* target of a redirection; valid until the next start */
	uint64_t began_mono_ns, ended_mono_ns;
	uint64_t connect_ns, tls_ns;	/* durations, to 1 us; 0: not reached, or connection
					 * reused */
	uint64_t first_byte_ns;		/* since the start; 0: none received */
	uint32_t connections;		/* new ones, including FTP data connections */
	uint64_t body_received_bytes, body_sent_bytes;
	uint64_t header_received_bytes, header_sent_bytes;
};

struct transfer;
struct transfer_set;

typedef void (*transfer_done)(void *ctx, const struct transfer_result *result);

/* Global setup, before the first thread; @e names a URL that is not HTTP or FTP. */
int transfer_init(struct err *e);
int transfer_check_url(const char *url, struct err *e);

/* "http://host:80": URLs with the same origin share a connection. Writes "" if it does not fit. */
void transfer_origin(const char *url, char *buf, size_t size);
bool transfer_is_ftp(const char *url);

/* Whether a redirection from @url may be followed: to HTTP and FTP only, and from TLS only to TLS. */
bool transfer_may_follow(const char *url, const char *redirect);

/* Whether @source can be bound: is it an address of this host? */
int transfer_check_source(const char *source, struct err *e);

/* "libcurl 7.88.1, OpenSSL 3.0.15" */
void transfer_version(char *buf, size_t size);

/* @cfg must outlive the set; @done is called only from transfer_set_run(). */
int transfer_set_open(struct transfer_set **ret_set, const struct transfer_cfg *cfg,
		      transfer_done done, struct err *e);
void transfer_set_close(struct transfer_set *set);

/* Waits for events, at most until then, and handles them. */
void transfer_set_run(struct transfer_set *set, uint64_t until_mono_ns);

/* Body bytes of all answers so far, including transfers in progress; for any thread. */
uint64_t transfer_set_received(const struct transfer_set *set);

/* CPU time spent on waiting without sleeping; for any thread. */
uint64_t transfer_set_awake_ns(const struct transfer_set *set);

/* Requests that were made as libcurl had made them before, without it; for any thread. */
uint64_t transfer_set_plain(const struct transfer_set *set);

/* @source: an address of this host, or "". */
int transfer_open(struct transfer **ret_transfer, struct transfer_set *set, const char *source,
		  void *ctx, struct err *e);
void transfer_close(struct transfer *transfer);

/*
 * @method: replaces the set's, without its body; NULL: the set's. @home: the URL that the set's headers
 * are for: they are not sent to another scheme, host or port; NULL: @url. 0 or negative errno.
 */
int transfer_start(struct transfer *transfer, const char *url, const char *method, const char *home);

#endif
