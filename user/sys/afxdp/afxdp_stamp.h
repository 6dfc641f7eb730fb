/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/afxdp/afxdp_stamp.h - an AF_XDP socket whose frames carry metadata, in which the driver
 * reports when each was sent. Only afxdp.c includes this.
 *
 * libxdp before 1.5 cannot register memory with metadata, so the socket is created here; its rings
 * are then used as libxdp's.
 */
#ifndef SYS_AFXDP_AFXDP_STAMP_H
#define SYS_AFXDP_AFXDP_STAMP_H

#include <stddef.h>
#include <stdint.h>

#include <xdp/xsk.h>

#define AFXDP_STAMP_ROOM 64	/* in front of a frame; a cache line, to keep its alignment */

struct afxdp_stamp_cfg {
	const char *ifname;
	uint32_t queue;
	void *memory;
	size_t memory_bytes;
	uint32_t chunk_bytes;
	uint32_t tx_size, sent_size, fill_size;	/* sizes of the rings, powers of two */
	uint16_t bind_flags;
};

struct afxdp_stamp_socket;

/*
 * Opens, fills in the rings and binds. -EINVAL or -EOPNOTSUPP: no metadata in this kernel (before
 * 6.8) or driver.
 */
int afxdp_stamp_open(struct afxdp_stamp_socket **ret_socket, const struct afxdp_stamp_cfg *cfg,
		     struct xsk_ring_prod *tx, struct xsk_ring_prod *fill,
		     struct xsk_ring_cons *sent);
/* Whether this kernel supports memory with metadata: 0 or negative errno. */
int afxdp_stamp_try(void);

void afxdp_stamp_close(struct afxdp_stamp_socket *socket);
int afxdp_stamp_fd(const struct afxdp_stamp_socket *socket);

/* Requests a timestamp for the frame at @frame; returns the descriptor options to set. */
uint32_t afxdp_stamp_ask(void *frame);

/* When the frame at @frame was sent, by the NIC's clock; 0: not reported. */
uint64_t afxdp_stamp_read(const void *frame);

#endif
