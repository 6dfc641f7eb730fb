// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/afxdp/afxdp.c - the transmit ring of an AF_XDP socket, using libxdp.
 */
#include "sys/afxdp/afxdp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/if_xdp.h>
#include <linux/sock_diag.h>
#include <xdp/xsk.h>

#include "sys/afxdp/afxdp_socket.h"
#include "sys/afxdp/afxdp_stamp.h"

#define CHUNK_BYTES	AFXDP_CHUNK_BYTES
#define NR_RX_FRAMES	512	/* zero-copy takes over the queue's receive side as well */
#define NR_FILL		512
#define LOOK_EVERY	256	/* kicks between two checks of the send buffer */

struct afxdp {
	/* Zeroed before use: libxdp would take stale contents for indexes. */
	struct xsk_ring_prod tx, fill;
	struct xsk_ring_cons sent;
	struct xsk_socket *socket;
	struct xsk_umem *umem;
	struct afxdp_stamp_socket *stamped;	/* used instead of these two, or NULL */
	struct afxdp_cfg cfg;
	uint32_t room;				/* in front of each frame, if stamped */
	int fd;
	bool zero_copy, busy_poll;
	struct afxdp_memory memory;
	uint32_t chunks;			/* per frame, contiguous */
	size_t stride;				/* from one frame to the next */
	uint32_t buf_bytes;
	struct afxdp_use use;
	/* A stack: the frame sent last is reused first, while it is cached. */
	uint32_t nr_free;
	uint64_t free[AFXDP_NR_FRAMES];		/* offsets in memory */
	uint8_t pieces[AFXDP_NR_FRAMES];	/* descriptors of a frame in flight that are not
						 * yet returned */
};

/* Descriptors for all frames at the same time: rings have a power of two. */
static uint32_t ring_size(const struct afxdp *ring)
{
	return AFXDP_NR_FRAMES * (ring->chunks == 3 ? 4 : ring->chunks);
}

static int map_frames(struct afxdp *ring, struct err *e)
{
	return afxdp_memory_map(&ring->memory, AFXDP_NR_FRAMES * ring->stride +
				(size_t)(NR_RX_FRAMES * ring->zero_copy) * CHUNK_BYTES, e);
}

static int open_umem(struct afxdp *ring, const char *ifname, struct err *e)
{
	const struct xsk_umem_config config = {
		.fill_size = NR_FILL, .comp_size = ring_size(ring), .frame_size = CHUNK_BYTES,
	};
	int err;

	err = xsk_umem__create(&ring->umem, ring->memory.at, ring->memory.bytes, &ring->fill,
			       &ring->sent, &config);
	if (!err)
		return 0;
	ring->umem = NULL;
	return afxdp_memory_error(e, err, ifname);
}

static uint16_t bind_flags(const struct afxdp *ring)
{
	return XDP_USE_NEED_WAKEUP | (ring->zero_copy ? XDP_ZEROCOPY : XDP_COPY) |
	       (ring->chunks > 1 ? XDP_USE_SG : 0);
}

static int open_stamped(struct afxdp *ring, const struct afxdp_cfg *cfg, struct err *e)
{
	const struct afxdp_stamp_cfg stamp = {
		.ifname = cfg->ifname, .queue = cfg->queue,
		.memory = ring->memory.at, .memory_bytes = ring->memory.bytes,
		.chunk_bytes = CHUNK_BYTES, .tx_size = ring_size(ring),
		.sent_size = ring_size(ring), .fill_size = NR_FILL, .bind_flags = bind_flags(ring),
	};
	int err;

	if (cfg->buf_bytes > AFXDP_MAX_STAMPED_BYTES)
		return err_usage(e, "frames above %u bytes have no room for the NIC's timestamp",
				 AFXDP_MAX_STAMPED_BYTES);
	err = afxdp_stamp_open(&ring->stamped, &stamp, &ring->tx, &ring->fill, &ring->sent);
	if (!err)
		return 0;
	err_machine(e, err, "queue %u of '%s' cannot report when it sent a frame%s", cfg->queue,
		    cfg->ifname, ring->zero_copy ? ", with zero-copy" : "");
	return err_hint(e, "use software timestamps: " OPTION("tx-stamp") " tag; see: ethgauge doctor %s "
			"--has af-xdp-tx-stamp", cfg->ifname);
}

static int open_socket(struct afxdp *ring, const struct afxdp_cfg *cfg, struct err *e)
{
	const struct xsk_socket_config config = {
		.tx_size = ring_size(ring),
		.libxdp_flags = XSK_LIBXDP_FLAGS__INHIBIT_PROG_LOAD,
		.bind_flags = bind_flags(ring),
	};
	const char *ifname = cfg->ifname;
	uint32_t queue = cfg->queue;
	int err;

	err = xsk_socket__create(&ring->socket, ifname, queue, ring->umem, NULL, &ring->tx,
				 &config);
	if (!err)
		return 0;
	ring->socket = NULL;
	if (err == -EBUSY) {
		err_machine(e, err, "queue %u of '%s' is held by another AF_XDP socket", queue,
			    ifname);
		return err_hint(e, "end that program, or use another queue: " OPTION("queue") " N");
	}
	err_machine(e, err, "cannot bind an AF_XDP socket to queue %u of '%s'%s", queue, ifname,
		    ring->zero_copy ? " for zero-copy" : "");
	if (err == -EINVAL && ring->chunks > 1)
		return err_hint(e, "frames above %u bytes require multi-buffer AF_XDP (kernel 6.6 "
				"and driver support); or the queue does not exist: ethtool "
				"--show-channels %s",
				CHUNK_BYTES + 4, ifname);
	if (err == -EINVAL && !ring->zero_copy)
		return err_hint(e, "does queue %u exist? see: ethtool --show-channels %s", queue,
				ifname);
	return err_hint(e, "see: ethgauge doctor %s", ifname);
}

/* Without frames in its fill ring, the queue would drop what arrives for the stack. */
static void feed_receive(struct afxdp *ring)
{
	uint32_t at, i;

	if (xsk_ring_prod__reserve(&ring->fill, NR_RX_FRAMES, &at) != NR_RX_FRAMES)
		return;
	for (i = 0; i < NR_RX_FRAMES; i++)
		*xsk_ring_prod__fill_addr(&ring->fill, at + i) =
			AFXDP_NR_FRAMES * ring->stride + (uint64_t)i * CHUNK_BYTES;
	xsk_ring_prod__submit(&ring->fill, NR_RX_FRAMES);
}

int afxdp_open(struct afxdp **ret_ring, const struct afxdp_cfg *cfg, struct err *e)
{
	struct afxdp *ring = calloc(1, sizeof(*ring));
	int err;

	if (!ring)
		return err_set(e, -ENOMEM, "cannot open an AF_XDP ring");
	ring->cfg = *cfg;
	ring->zero_copy = cfg->zero_copy;
	ring->chunks = (cfg->buf_bytes + CHUNK_BYTES - 1) / CHUNK_BYTES;
	if (!ring->chunks)
		ring->chunks = 1;
	ring->stride = (size_t)ring->chunks * CHUNK_BYTES;
	ring->room = cfg->on_sent ? AFXDP_STAMP_ROOM : 0;
	err = map_frames(ring, e);
	if (!err)
		err = cfg->on_sent ? open_stamped(ring, cfg, e) : open_umem(ring, cfg->ifname, e);
	if (err)
		goto fail;
	if (ring->zero_copy)
		feed_receive(ring);
	err = ring->stamped ? 0 : open_socket(ring, cfg, e);
	if (err)
		goto fail;
	ring->fd = ring->stamped ? afxdp_stamp_fd(ring->stamped) : xsk_socket__fd(ring->socket);
	if (cfg->busy_poll)
		ring->busy_poll = afxdp_ask_busy_poll(ring->fd);
	afxdp_raise_send_buf(ring->fd);
	*ret_ring = ring;
	return 0;
fail:
	afxdp_close(ring);
	return err;
}

void afxdp_close(struct afxdp *ring)
{
	if (!ring)
		return;
	if (ring->socket)
		xsk_socket__delete(ring->socket);
	if (ring->umem)
		xsk_umem__delete(ring->umem);
	afxdp_stamp_close(ring->stamped);
	afxdp_memory_unmap(&ring->memory);
	free(ring);
}

const char *afxdp_memory_name(const struct afxdp *ring)
{
	return ring->memory.name;
}

void afxdp_fill(struct afxdp *ring, const void *data, uint32_t buf_bytes)
{
	uint32_t i;

	for (i = 0; i < AFXDP_NR_FRAMES; i++) {
		ring->free[i] = (AFXDP_NR_FRAMES - 1 - i) * ring->stride + ring->room;
		memcpy(ring->memory.at + ring->free[i], data, buf_bytes);
	}
	ring->nr_free = AFXDP_NR_FRAMES;
	ring->buf_bytes = buf_bytes;
}

uint32_t afxdp_take(struct afxdp *ring, uint32_t want, uint8_t **ret_frames)
{
	uint32_t nr = want < ring->nr_free ? want : ring->nr_free, i;

	ring->use.takes++;
	ring->use.full += want && !nr;
	for (i = 0; i < nr; i++)
		ret_frames[i] = ring->memory.at + ring->free[ring->nr_free - 1 - i];
	return nr;
}

/* Writes a frame's descriptors from ring position @at on; returns their number. */
static uint32_t describe(struct afxdp *ring, uint32_t at, uint64_t addr, uint32_t buf_bytes)
{
	struct xdp_desc *desc;
	uint32_t nr = 0, len;

	do {
		len = buf_bytes < CHUNK_BYTES ? buf_bytes : CHUNK_BYTES;
		buf_bytes -= len;
		desc = xsk_ring_prod__tx_desc(&ring->tx, at + nr);
		desc->addr = addr + (uint64_t)nr++ * CHUNK_BYTES;
		desc->len = len;
		desc->options = buf_bytes ? XDP_PKT_CONTD :
				ring->room ? afxdp_stamp_ask(ring->memory.at + addr) : 0;
	} while (buf_bytes);
	return nr;
}

/* Lengths NULL: all as given to afxdp_fill(). */
static void put(struct afxdp *ring, uint32_t nr, const uint32_t *buf_bytes)
{
	uint32_t at, i, bytes, nr_descs = 0, used = 0;

	for (i = 0; i < nr; i++) {
		bytes = buf_bytes ? buf_bytes[i] : ring->buf_bytes;
		nr_descs += bytes > CHUNK_BYTES ? (bytes + CHUNK_BYTES - 1) / CHUNK_BYTES : 1;
	}
	/* The ring is as large as the pool, so it always has room. */
	if (!nr || xsk_ring_prod__reserve(&ring->tx, nr_descs, &at) != nr_descs)
		return;
	for (i = 0; i < nr; i++) {
		uint64_t addr = ring->free[ring->nr_free - 1 - i];

		bytes = describe(ring, at + used, addr, buf_bytes ? buf_bytes[i] : ring->buf_bytes);
		ring->pieces[addr / ring->stride] = (uint8_t)bytes;
		used += bytes;
	}
	ring->nr_free -= nr;
	xsk_ring_prod__submit(&ring->tx, nr_descs);
}

void afxdp_put(struct afxdp *ring, uint32_t nr)
{
	put(ring, nr, NULL);
}

void afxdp_put_each(struct afxdp *ring, uint32_t nr, const uint32_t *buf_bytes)
{
	put(ring, nr, buf_bytes);
}

static void look_at_socket(struct afxdp *ring)
{
	uint32_t info[SK_MEMINFO_VARS] = { 0 };
	socklen_t len = sizeof(info);

	if (getsockopt(ring->fd, SOL_SOCKET, SO_MEMINFO, info, &len))
		return;
	ring->use.socket_limit_bytes = info[SK_MEMINFO_SNDBUF];
	if (info[SK_MEMINFO_WMEM_ALLOC] > ring->use.socket_max_bytes)
		ring->use.socket_max_bytes = info[SK_MEMINFO_WMEM_ALLOC];
}

static void note_fill(struct afxdp *ring)
{
	uint32_t frames = afxdp_in_flight(ring);
	struct afxdp_use *use = &ring->use;

	if (!use->kicks || frames < use->fill_min_frames)
		use->fill_min_frames = frames;
	if (frames > use->fill_max_frames)
		use->fill_max_frames = frames;
	use->fill_sum_frames += frames;
	if (!ring->zero_copy && use->kicks % LOOK_EVERY == 0)
		look_at_socket(ring);
	use->kicks++;
}

void afxdp_read_use(const struct afxdp *ring, struct afxdp_use *ret_use)
{
	*ret_use = ring->use;
}

int afxdp_kick(struct afxdp *ring)
{
	note_fill(ring);
	if (!ring->busy_poll && !xsk_ring_prod__needs_wakeup(&ring->tx))
		return 0;
	return afxdp_tell(ring->fd, ring->zero_copy);
}

static void report_sent(const struct afxdp *ring, const uint8_t *frame)
{
	ring->cfg.on_sent(ring->cfg.ctx, frame, afxdp_stamp_read(frame));
}

uint32_t afxdp_reap(struct afxdp *ring)
{
	uint32_t at, nr, i, before = ring->nr_free;

	nr = xsk_ring_cons__peek(&ring->sent, ring_size(ring), &at);
	if (!nr)
		return 0;
	for (i = nr; i; i--) {
		uint64_t frame = *xsk_ring_cons__comp_addr(&ring->sent, at + i - 1) / ring->stride;

		if (--ring->pieces[frame])
			continue;
		frame = frame * ring->stride + ring->room;
		if (ring->room)
			report_sent(ring, ring->memory.at + frame);
		ring->free[ring->nr_free++] = frame;
	}
	xsk_ring_cons__release(&ring->sent, nr);
	return ring->nr_free - before;
}

uint32_t afxdp_in_flight(const struct afxdp *ring)
{
	return AFXDP_NR_FRAMES - ring->nr_free;
}
