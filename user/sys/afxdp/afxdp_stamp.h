/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/afxdp/afxdp_stamp.h - an AF_XDP socket whose frames carry metadata, by which the
 * driver reports when each was sent. Only afxdp.c includes this.
 *
 * libxdp registers no memory with metadata before 1.5, so the socket is made
 * here; its rings are then worked with as libxdp's.
 */
#ifndef SYS_AFXDP_AFXDP_STAMP_H
#define SYS_AFXDP_AFXDP_STAMP_H

#include <stddef.h>
#include <stdint.h>

#include <xdp/xsk.h>

#define AFXDP_STAMP_ROOM 64	/* in front of a frame; a cache line, so that it stays aligned */

struct afxdp_stamp_cfg {
	const char *ifname;
	uint32_t queue;
	void *memory;
	size_t memory_bytes;
	uint32_t chunk_bytes;
	uint32_t tx_size, sent_size, fill_size;	/* of the rings, powers of two */
	uint16_t bind_flags;
};

struct afxdp_stamp_socket;

/*
 * Opens, fills in the rings and binds. -EINVAL or -EOPNOTSUPP: the kernel (before
 * 6.8) or the driver has no metadata.
 */
int afxdp_stamp_open(struct afxdp_stamp_socket **ret_socket, const struct afxdp_stamp_cfg *cfg,
		     struct xsk_ring_prod *tx, struct xsk_ring_prod *fill,
		     struct xsk_ring_cons *sent);
/* Whether this kernel takes memory with metadata at all: 0 or negative errno. */
int afxdp_stamp_try(void);

void afxdp_stamp_close(struct afxdp_stamp_socket *socket);
int afxdp_stamp_fd(const struct afxdp_stamp_socket *socket);

/* Of the frame at @frame: have the driver stamp it; the descriptor's options for that. */
uint32_t afxdp_stamp_ask(void *frame);

/* When the frame at @frame was sent, by the NIC's clock; 0: the driver did not say. */
uint64_t afxdp_stamp_read(const void *frame);

#endif
