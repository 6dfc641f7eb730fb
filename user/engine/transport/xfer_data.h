/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/transport/xfer_data.h - the data connections of a transport test: the server opens
 * ports and tells them, the client comes to them.
 */
#ifndef ENGINE_TRANSPORT_XFER_DATA_H
#define ENGINE_TRANSPORT_XFER_DATA_H

#include "engine/transport/xfer.h"
#include "engine/transport/xfer_link.h"
#include "engine/transport/xfer_server.h"

/* What @test asks of the sockets of this end. */
void xfer_data_opts(const struct control_test *test, struct sock_opts *ret_opts);

/* At the server: tells the ports, and returns when the client says "go". */
int xfer_data_accept(struct xfer *xfer, const struct control_test *test,
		     const struct xfer_server_cfg *cfg, struct xfer_link *link,
		     const struct sock_addr *peer, struct err *e);

/*
 * At the client: goes to the @ports of @server, if they are in @range or, where that is not given, near the
 * control port; from @from unless that is NULL.
 */
int xfer_data_connect(struct xfer *xfer, const struct control_test *test, const char *ports,
		      const struct control_range *range, const struct sock_addr *server,
		      const struct sock_addr *from, struct err *e);

#endif
