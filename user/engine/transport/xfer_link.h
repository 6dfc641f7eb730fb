/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/transport/xfer_link.h - the control connection of transport tests: lines sent and
 * received, who the other end is, and the key's challenge.
 */
#ifndef ENGINE_TRANSPORT_XFER_LINK_H
#define ENGINE_TRANSPORT_XFER_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/secret.h"
#include "proto/control.h"

#define XFER_KEY_VARIABLE	"ETHGAUGE_KEY"
#define XFER_ANSWER_NS 10000000000ull	/* an answer that takes longer is none */

struct xfer_link {
	int fd;				/* owned by who opened it */
	size_t len;
	char buf[CONTROL_LINE_BYTES];
};

int xfer_link_send(struct xfer_link *link, enum control_type type, const void *body, struct err *e);

/*
 * The next line within @timeout_ns: 0; -EAGAIN without it, and @e unchanged; else an
 * error, and with -EINVAL one that is the sender's fault. What the other end sends as an
 * error is one.
 */
int xfer_link_receive(struct xfer_link *link, uint64_t timeout_ns, enum control_type *ret_type,
		      union control_body *ret_body, struct err *e);
/* A line of that type, or an error. */
int xfer_link_expect(struct xfer_link *link, enum control_type type, union control_body *ret_body,
		     struct err *e);

/* Who the other end is; -EACCES if it has not our key. */
int xfer_link_meet_client(struct xfer_link *link, const struct secret *key,
			  struct control_hello *ret_peer, struct err *e);
int xfer_link_meet_server(struct xfer_link *link, const struct secret *key,
			  struct control_hello *ret_peer, struct control_welcome *ret_welcome,
			  struct err *e);

#endif
