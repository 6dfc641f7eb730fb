/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/receive/rx_socket.h - receive a test as an application does: by a UDP socket,
 * behind the whole network stack of this host.
 *
 * Counts what rx counts (engine/receive/rx.h), in a thread that only reads. The time of
 * a packet is that at which it was read.
 */
#ifndef ENGINE_RECEIVE_RX_SOCKET_H
#define ENGINE_RECEIVE_RX_SOCKET_H

#include <stdint.h>

#include "engine/receive/receiver.h"
#include "lib/err.h"
#include "result/result.h"

struct rx_socket_cfg {
	const char *ifname;	/* packets that came in by another interface are not read */
	uint16_t port;		/* host order */
	uint16_t streams;	/* that are checked: 0 .. streams - 1 */
	uint32_t rcvbuf_bytes;	/* as setsockopt takes it, which the kernel doubles; 0: its default */
};

/* Binds in the network namespace of this thread, and reads from here on. */
int rx_socket_open(struct receiver **ret_receiver, const struct rx_socket_cfg *cfg,
		   struct result *res, struct err *e);

#endif
