/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/transport/xfer_session.h - one client of a server of transport tests.
 */
#ifndef ENGINE_TRANSPORT_XFER_SESSION_H
#define ENGINE_TRANSPORT_XFER_SESSION_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "engine/transport/xfer_link.h"
#include "lib/log.h"
#include "sys/socket/sock.h"

struct link_downs;
struct xfer_server_cfg;

/* Of all clients; under the lock. */
struct xfer_served {
	uint64_t tests, refused, malformed, bad_keys, sent_bytes, received_bytes;
	uint64_t memory_bytes, memory_max_bytes;	/* of the tests that run; the most of it so far */
};

struct xfer_session {
	const struct xfer_server_cfg *cfg;
	struct xfer_link link;
	struct sock_addr peer;
	atomic_bool *stop;		/* the server ends */
	pthread_mutex_t *lock;
	struct xfer_served *served;
	struct log_limit *log;
	struct link_downs *links;	/* of all clients; NULL: not followed */
	/* Whether a client that has said who it is is served. */
	int (*admit)(void *ctx, struct err *e);
	void *ctx;
};

/* Until the client goes, does something wrong, or the server ends. */
void xfer_session_run(struct xfer_session *session);

#endif
