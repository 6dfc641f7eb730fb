/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * http/transfer.h - HTTP and FTP transfers, thousands at once in one thread: the
 * only place that knows libcurl.
 *
 * A set belongs to one thread; a transfer is what one client has: its cookies, its
 * source address and connections that no other client uses. A transfer is one request
 * and its answer: a redirection is reported, not followed.
 */
#ifndef HTTP_TRANSFER_H
#define HTTP_TRANSFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/peak.h"

/* Choices of --http. */
enum transfer_http { TRANSFER_HTTP_1_1, TRANSFER_HTTP_1_0, TRANSFER_HTTP_2, TRANSFER_HTTP_2_DIRECT };

/* How a transfer ended. From TRANSFER_NO_NAME on there is no whole answer. */
enum transfer_end {
	TRANSFER_OK,
	TRANSFER_4XX,			/* HTTP, and FTP's transient refusals */
	TRANSFER_5XX,			/* HTTP, and FTP's refusals for good */
	TRANSFER_NO_NAME,		/* not resolved */
	TRANSFER_NO_CONNECT,
	TRANSFER_NO_TLS,		/* handshake or certificate */
	TRANSFER_CONNECT_TIMEOUT,	/* TLS's handshake included */
	TRANSFER_TIMEOUT,
	TRANSFER_PARTIAL,		/* the answer was cut short */
	TRANSFER_BROKEN,		/* the connection ended before an answer, or while sending */
	TRANSFER_LOCAL,			/* this host: no free port, no such source, descriptors, memory */
	TRANSFER_OTHER,			/* not of the protocol, and what else there is */
	TRANSFER_ENDS,
};

/* Shared by all threads. */
struct transfer_sockets {
	struct peak peak;
	bool *open;			/* by descriptor */
	size_t nr;
};

/* After the limit of open files was set. 0 or -ENOMEM. */
int transfer_sockets_init(struct transfer_sockets *sockets);
void transfer_sockets_release(struct transfer_sockets *sockets);

struct transfer_cfg {
	const char *method;		/* NULL: GET, or RETR */
	bool post, upload;		/* the body is sent by POST; by PUT or STOR */
	const void *body;
	int body_fd;			/* of an upload, without @body; -1: body_bytes of zeroes */
	uint64_t body_bytes;
	const char *const *headers;
	unsigned int nr_headers;
	enum transfer_http http;
	bool fresh;			/* a connection each, and TLS's whole handshake */
	bool cookies;
	bool insecure;
	const char *cacert;
	uint64_t connect_timeout_ns, timeout_ns;	/* 0: none */
	uint64_t speed_bytes;		/* a second, of each transfer; 0: no limit */
	struct transfer_sockets *sockets;
};

struct transfer_result {
	enum transfer_end end;
	unsigned int status;		/* of HTTP or FTP; 0: no answer */
	const char *why;		/* what failed, in libcurl's words; NULL: nothing */
	const char *redirect;		/* where to, if the answer says so; until the next start */
	uint64_t began_mono_ns, ended_mono_ns;
	uint64_t connect_ns, tls_ns;	/* that these took, to 1 us; 0: not reached, or not new */
	uint64_t first_byte_ns;		/* since it began; 0: none came */
	uint32_t connections;		/* new ones; FTP's for data, too */
	uint64_t body_received_bytes, body_sent_bytes;
	uint64_t header_received_bytes, header_sent_bytes;
};

struct transfer;
struct transfer_set;

typedef void (*transfer_done)(void *ctx, const struct transfer_result *result);

/* The same for all threads, before the first of them; @e names what is no URL of HTTP or FTP. */
int transfer_init(struct err *e);
int transfer_check_url(const char *url, struct err *e);

/* "http://host:80": URLs of the same need one connection. Writes "" if it does not fit. */
void transfer_origin(const char *url, char *buf, size_t size);
bool transfer_is_ftp(const char *url);

/* Whether @source can be bound: it is an address of this host. */
int transfer_check_source(const char *source, struct err *e);

/* "libcurl 7.88.1, OpenSSL 3.0.15" */
void transfer_version(char *buf, size_t size);

/* @cfg must live as long as the set; @done is called from transfer_set_run() alone. */
int transfer_set_open(struct transfer_set **ret_set, const struct transfer_cfg *cfg,
		      transfer_done done, struct err *e);
void transfer_set_close(struct transfer_set *set);

/* Waits for something to happen, at most until then, and deals with it. */
void transfer_set_run(struct transfer_set *set, uint64_t until_mono_ns);

/* Bytes of all answers so far without their headers, those under way included; for any thread. */
uint64_t transfer_set_received(const struct transfer_set *set);

/* @source: an address of this host, or "". */
int transfer_open(struct transfer **ret_transfer, struct transfer_set *set, const char *source,
		  void *ctx, struct err *e);
void transfer_close(struct transfer *transfer);

/* @method: instead of the set's, without its body; NULL: the set's. 0 or negative errno. */
int transfer_start(struct transfer *transfer, const char *url, const char *method);

#endif
