/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/receive/rx_socket.h - receive a test as an application does: through a UDP socket, after
 * this host's whole network stack.
 *
 * Counts what rx counts (engine/receive/rx.h), in a dedicated reading thread. A packet's time is
 * that at which it was read.
 */
#ifndef ENGINE_RECEIVE_RX_SOCKET_H
#define ENGINE_RECEIVE_RX_SOCKET_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/receive/receiver.h"
#include "lib/err.h"
#include "result/result.h"
#include "sys/hook/drops.h"

struct rx_socket_cfg {
	const char *ifname;	/* ignore packets that arrive on another interface */
	uint16_t port;		/* host order */
	uint16_t streams;	/* streams to check: 0 .. streams - 1 */
	uint16_t run;		/* of the sender, with the clock's bit; 0: any */
	struct drops *drops;	/* notes there what was received; NULL: nowhere */
	bool verify_payload;	/* it is the payload pattern (abi/payload.h) */
	uint32_t rcvbuf_bytes;	/* as for setsockopt(), which doubles it; 0: default */
};

/* Binds in the network namespace of this thread, and receives from then on. */
int rx_socket_open(struct receiver **ret_receiver, const struct rx_socket_cfg *cfg,
		   struct result *res, struct err *e);

#endif
