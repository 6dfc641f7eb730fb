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

#include "engine/receive/rx.h"
#include "lib/err.h"
#include "result/result.h"

struct rx_socket_cfg {
	const char *ifname;	/* packets that came in by another interface are not read */
	uint16_t port;		/* host order */
	uint16_t streams;	/* that are checked: 0 .. streams - 1 */
	uint32_t rcvbuf_bytes;	/* as setsockopt takes it, which the kernel doubles; 0: its default */
};

struct rx_socket;

/* Binds in the network namespace of this thread, and reads from here on. */
int rx_socket_open(struct rx_socket **ret_rx, const struct rx_socket_cfg *cfg,
		   struct result *res, struct err *e);
void rx_socket_close(struct rx_socket *rx);		/* takes NULL */

/* Reads no more: from here on the counters stand still. */
void rx_socket_stop(struct rx_socket *rx);

void rx_socket_read(struct rx_socket *rx, struct rx_count *ret_count);

/* Totals and delays into @res; @sent: packets that were sent, 0 where that is not known. */
void rx_socket_report(struct rx_socket *rx, struct result *res, uint64_t sent);

/* A row of the series: what came since the row before. */
void rx_socket_report_row(struct rx_socket *rx, struct result *res, uint64_t elapsed_ns);

#endif
