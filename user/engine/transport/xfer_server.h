/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/transport/xfer_server.h - the far end of transport tests: a thread for each client.
 */
#ifndef ENGINE_TRANSPORT_XFER_SERVER_H
#define ENGINE_TRANSPORT_XFER_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/transport/xfer_link.h"
#include "lib/err.h"
#include "result/result.h"

#define XFER_LISTEN_FDS 2

struct xfer_server_cfg {
	int listen_fds[XFER_LISTEN_FDS];	/* owned by who opened them */
	unsigned int nr_listen_fds;
	struct control_range data_ports;	/* not given: near the control port */
	uint64_t max_clients, max_per_address, max_streams;
	uint64_t max_duration_ns;	/* of a test; 0: any */
	double max_bps;			/* of a test's payload; 0: any */
	uint64_t max_memory_bytes;	/* of all tests; one may take half of it */
	bool open;			/* to all addresses, without a key */
	uint64_t tests;			/* it is done after so many; 0: goes on */
	struct secret key;
};

struct xfer_server;

int xfer_server_start(struct xfer_server **ret_server, const struct xfer_server_cfg *cfg,
		      struct err *e);
bool xfer_server_is_done(struct xfer_server *server);
/* Ends what runs, and tells @res what there was. Takes NULL. */
void xfer_server_end(struct xfer_server *server, struct result *res);

#endif
