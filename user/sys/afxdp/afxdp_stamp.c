// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/afxdp/afxdp_stamp.c - an AF_XDP socket whose frames carry metadata.
 */
#include "sys/afxdp/afxdp_stamp.h"

#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/if_xdp.h>

/* uapi of 6.8 (the flag: 6.11 and later stable kernels); Debian 12's headers are older. */
#define UMEM_TX_METADATA_LEN	(1 << 2)	/* XDP_UMEM_TX_METADATA_LEN */
#define DESC_TX_METADATA	(1 << 1)	/* XDP_TX_METADATA, in a descriptor */
#define ASK_TIMESTAMP		(1 << 0)	/* XDP_TXMD_FLAGS_TIMESTAMP */

struct umem_reg {
	uint64_t addr, len;
	uint32_t chunk_size, headroom, flags, tx_metadata_len;
};

/* struct xsk_tx_metadata; the driver overwrites the request. */
struct metadata {
	uint64_t flags;
	uint64_t tx_timestamp;
	uint64_t reserved;
};
_Static_assert(sizeof(struct metadata) == 24 && sizeof(struct metadata) <= AFXDP_STAMP_ROOM,
	       "as in linux/if_xdp.h");

enum { RING_TX, RING_FILL, RING_SENT, NR_RINGS };

struct afxdp_stamp_socket {
	int fd;
	void *maps[NR_RINGS];
	size_t map_bytes[NR_RINGS];
};

static int set_option(int fd, int option, const void *value, socklen_t bytes)
{
	return setsockopt(fd, SOL_XDP, option, value, bytes) ? -errno : 0;
}

/* Registers frames with room for the driver's metadata. */
static int register_memory(int fd, void *memory, size_t bytes, uint32_t chunk_bytes)
{
	const struct umem_reg reg = {
		.addr = (uintptr_t)memory, .len = bytes, .chunk_size = chunk_bytes,
		.flags = UMEM_TX_METADATA_LEN, .tx_metadata_len = sizeof(struct metadata),
	};

	return set_option(fd, XDP_UMEM_REG, &reg, sizeof(reg));
}

int afxdp_stamp_try(void)
{
	const size_t bytes = 4096;
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0), err = fd < 0 ? -errno : 0;

	if (memory == MAP_FAILED)
		err = -ENOMEM;
	if (!err)
		err = register_memory(fd, memory, bytes, bytes);
	if (fd >= 0)
		close(fd);
	if (memory != MAP_FAILED)
		munmap(memory, bytes);
	return err;
}

static int set_sizes(int fd, const struct afxdp_stamp_cfg *cfg)
{
	int err = register_memory(fd, cfg->memory, cfg->memory_bytes, cfg->chunk_bytes);

	if (!err)
		err = set_option(fd, XDP_UMEM_FILL_RING, &cfg->fill_size, sizeof(cfg->fill_size));
	if (!err)
		err = set_option(fd, XDP_UMEM_COMPLETION_RING, &cfg->sent_size,
				 sizeof(cfg->sent_size));
	if (!err)
		err = set_option(fd, XDP_TX_RING, &cfg->tx_size, sizeof(cfg->tx_size));
	return err;
}

static int map_ring(struct afxdp_stamp_socket *socket, int ring, off_t page,
		    const struct xdp_ring_offset *at, size_t bytes)
{
	void *map = mmap(NULL, at->desc + bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
			 socket->fd, page);

	if (map == MAP_FAILED)
		return -errno;
	socket->maps[ring] = map;
	socket->map_bytes[ring] = at->desc + bytes;
	return 0;
}

/* Fills in a producer ring of either kind. */
static void fill_prod(struct xsk_ring_prod *ring, void *map, const struct xdp_ring_offset *at,
		      uint32_t size)
{
	*ring = (struct xsk_ring_prod){
		.mask = size - 1, .size = size,
		.producer = map + at->producer, .consumer = map + at->consumer,
		.flags = map + at->flags, .ring = map + at->desc,
		.cached_cons = size,	/* as in libxdp: ahead by the size */
	};
}

static int map_rings(struct afxdp_stamp_socket *socket, const struct afxdp_stamp_cfg *cfg,
		     struct xsk_ring_prod *tx, struct xsk_ring_prod *fill,
		     struct xsk_ring_cons *sent)
{
	struct xdp_mmap_offsets at;
	socklen_t bytes = sizeof(at);
	int err;

	if (getsockopt(socket->fd, SOL_XDP, XDP_MMAP_OFFSETS, &at, &bytes))
		return -errno;
	err = map_ring(socket, RING_TX, XDP_PGOFF_TX_RING, &at.tx,
		       cfg->tx_size * sizeof(struct xdp_desc));
	if (!err)
		err = map_ring(socket, RING_FILL, XDP_UMEM_PGOFF_FILL_RING, &at.fr,
			       cfg->fill_size * sizeof(uint64_t));
	if (!err)
		err = map_ring(socket, RING_SENT, XDP_UMEM_PGOFF_COMPLETION_RING, &at.cr,
			       cfg->sent_size * sizeof(uint64_t));
	if (err)
		return err;
	fill_prod(tx, socket->maps[RING_TX], &at.tx, cfg->tx_size);
	fill_prod(fill, socket->maps[RING_FILL], &at.fr, cfg->fill_size);
	*sent = (struct xsk_ring_cons){
		.mask = cfg->sent_size - 1, .size = cfg->sent_size,
		.producer = socket->maps[RING_SENT] + at.cr.producer,
		.consumer = socket->maps[RING_SENT] + at.cr.consumer,
		.flags = socket->maps[RING_SENT] + at.cr.flags,
		.ring = socket->maps[RING_SENT] + at.cr.desc,
	};
	return 0;
}

static int bind_queue(int fd, const struct afxdp_stamp_cfg *cfg)
{
	const struct sockaddr_xdp to = {
		.sxdp_family = AF_XDP, .sxdp_ifindex = if_nametoindex(cfg->ifname),
		.sxdp_queue_id = cfg->queue, .sxdp_flags = cfg->bind_flags,
	};

	return bind(fd, (const struct sockaddr *)&to, sizeof(to)) ? -errno : 0;
}

int afxdp_stamp_open(struct afxdp_stamp_socket **ret_socket, const struct afxdp_stamp_cfg *cfg,
		     struct xsk_ring_prod *tx, struct xsk_ring_prod *fill,
		     struct xsk_ring_cons *sent)
{
	struct afxdp_stamp_socket *one = calloc(1, sizeof(*one));
	int err;

	if (!one)
		return -ENOMEM;
	one->fd = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);
	err = one->fd < 0 ? -errno : set_sizes(one->fd, cfg);
	if (!err)
		err = map_rings(one, cfg, tx, fill, sent);
	if (!err)
		err = bind_queue(one->fd, cfg);
	if (err) {
		afxdp_stamp_close(one);
		return err;
	}
	*ret_socket = one;
	return 0;
}

void afxdp_stamp_close(struct afxdp_stamp_socket *socket)
{
	int i;

	if (!socket)
		return;
	for (i = 0; i < NR_RINGS; i++) {
		if (socket->maps[i])
			munmap(socket->maps[i], socket->map_bytes[i]);
	}
	if (socket->fd >= 0)
		close(socket->fd);
	free(socket);
}

int afxdp_stamp_fd(const struct afxdp_stamp_socket *socket)
{
	return socket->fd;
}

uint32_t afxdp_stamp_ask(void *frame)
{
	struct metadata *metadata = (struct metadata *)frame - 1;

	*metadata = (struct metadata){ .flags = ASK_TIMESTAMP };
	return DESC_TX_METADATA;
}

uint64_t afxdp_stamp_read(const void *frame)
{
	const struct metadata *metadata = (const struct metadata *)frame - 1;

	return __atomic_load_n(&metadata->tx_timestamp, __ATOMIC_RELAXED);
}
