// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/afxdp/afxdp_wire.c - AF_XDP sockets on one or two interfaces that share their frames.
 */
#include "sys/afxdp/afxdp_wire.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <linux/if_xdp.h>
#include <xdp/xsk.h>

#include "sys/afxdp/afxdp_socket.h"
#include "sys/net/nic.h"

#define NR_SEND		2048		/* entries of a sending socket's ring */
#define MOST_RECEIVE	8192		/* receive entries per queue */
#define LEAST_RECEIVE	512
#define MOST_OF_ALL	32768		/* over all queues of an interface with many queues */
#define REFILL		64		/* entries that make a refill worthwhile */
#define SMALL_CHUNK	2048		/* chunk sizes of the kernel: this one, up to a page */
#define LARGE_CHUNK	4096
#define HEADROOM	XDP_PACKET_HEADROOM	/* the kernel's, in front of a received frame */
#define ETH_BYTES	14
#define TAGS_BYTES	8		/* two VLAN tags */
#define NSEC		1000000000ull

/* One queue. Receiving and sending may be done by different threads. */
struct port {
	/* Zeroed before use: libxdp would take stale contents for indexes. */
	struct xsk_ring_cons rx __attribute__((aligned(64)));
	struct xsk_ring_prod fill;
	struct xsk_ring_prod tx __attribute__((aligned(64)));
	struct xsk_ring_cons sent;
	struct xsk_socket *socket;
	int fd;
};

struct side {
	char ifname[IFNAMSIZ];
	uint32_t nr_queues, mtu;
	uint32_t nr_receive;		/* entries per queue */
	struct port *ports;
};

struct afxdp_lane {
	struct afxdp_wire *wire;
	struct side *in, *out;
	struct pollfd *polls;
	int xsks_fd;			/* a duplicate; 0: none */
	uint32_t next_queue;		/* next to receive from: queues take turns */
	/* A stack: the frame sent last is received into next, while it is cached. */
	uint32_t *free;
	uint32_t nr_free;
};

struct afxdp_wire {
	struct side sides[2];
	struct afxdp_lane lanes[2];	/* by the side that they receive from */
	struct xsk_umem *umem;
	struct afxdp_memory memory;
	uint32_t chunk_bytes, nr_frames;
	uint32_t users;
	bool zero_copy, busy_poll;
	bool in_pieces;			/* packets may be longer than a chunk */
	bool alone;			/* one interface and one lane */
};

static int look_at(struct side *side, const char *ifname, uint32_t nr_receive, struct err *e)
{
	struct nic_facts nic;
	int err = nic_read(ifname, &nic);
	uint32_t i;

	if (err)
		return err_machine(e, err, "cannot read interface '%s'", ifname);
	snprintf(side->ifname, sizeof(side->ifname), "%s", ifname);
	side->mtu = nic.mtu;
	side->nr_queues = nic.rx_queues ? nic.rx_queues : 1;
	side->nr_receive = nr_receive ? nr_receive : MOST_RECEIVE;
	while (side->nr_receive > LEAST_RECEIVE &&
	       side->nr_receive * side->nr_queues > MOST_OF_ALL)
		side->nr_receive /= 2;
	side->ports = aligned_alloc(64, side->nr_queues * sizeof(struct port));
	if (!side->ports)
		return err_set(e, -ENOMEM, "cannot open AF_XDP sockets");
	for (i = 0; i < side->nr_queues; i++)
		side->ports[i] = (struct port){ 0 };
	return 0;
}

uint32_t afxdp_pieces(uint32_t mtu)
{
	return (mtu + ETH_BYTES + LARGE_CHUNK - HEADROOM - 1) / (LARGE_CHUNK - HEADROOM);
}

static const struct side *longer_side(const struct afxdp_wire *wire)
{
	return &wire->sides[wire->sides[1].mtu > wire->sides[0].mtu];
}

static void choose_chunk(struct afxdp_wire *wire)
{
	const struct side *side = longer_side(wire);

	wire->chunk_bytes = SMALL_CHUNK;
	if (side->mtu + ETH_BYTES + TAGS_BYTES + HEADROOM > SMALL_CHUNK)
		wire->chunk_bytes = LARGE_CHUNK;
	wire->in_pieces = afxdp_pieces(side->mtu) > 1;
}

static int too_large(const struct afxdp_wire *wire, struct err *e)
{
	const struct side *side = longer_side(wire);

	err_machine(e, -EMSGSIZE, "frames of '%s', with an MTU of %u, are too large for AF_XDP%s",
		    side->ifname, side->mtu, wire->in_pieces ? " of this kernel" : "");
	return err_hint(e, "%sset a smaller one: ip link set dev %s mtu %u",
			wire->in_pieces ? "use kernel 6.6 or later, or " : "", side->ifname,
			LARGE_CHUNK - HEADROOM - ETH_BYTES);
}

static int open_memory(struct afxdp_wire *wire, struct err *e)
{
	struct port *first = &wire->sides[0].ports[0];
	const struct xsk_umem_config config = {
		.fill_size = wire->sides[0].nr_receive, .comp_size = NR_SEND,
		.frame_size = wire->chunk_bytes,
	};
	int err = 0;

	/* Kept after zero-copy failed: clearing the memory takes longest. */
	if (!wire->memory.at)
		err = afxdp_memory_map(&wire->memory, (size_t)wire->nr_frames * wire->chunk_bytes, e);
	if (err)
		return err;
	err = xsk_umem__create(&wire->umem, wire->memory.at, wire->memory.bytes, &first->fill,
			       &first->sent, &config);
	if (!err)
		return 0;
	wire->umem = NULL;
	return afxdp_memory_error(e, err, wire->sides[0].ifname);
}

static int open_port(struct afxdp_wire *wire, struct side *side, uint32_t queue, struct err *e)
{
	const struct xsk_socket_config config = {
		.rx_size = side->nr_receive, .tx_size = NR_SEND,
		.libxdp_flags = XSK_LIBXDP_FLAGS__INHIBIT_PROG_LOAD,
		.bind_flags = XDP_USE_NEED_WAKEUP | (wire->zero_copy ? XDP_ZEROCOPY : XDP_COPY) |
			      (wire->in_pieces ? XDP_USE_SG : 0),
	};
	struct port *port = &side->ports[queue];
	int err;

	if (port->socket)
		return 0;
	err = xsk_socket__create_shared(&port->socket, side->ifname, queue, wire->umem, &port->rx,
					&port->tx, &port->fill, &port->sent, &config);
	if (!err) {
		port->fd = xsk_socket__fd(port->socket);
		afxdp_raise_send_buf(port->fd);
		wire->busy_poll = wire->busy_poll && afxdp_ask_busy_poll(port->fd);
		return 0;
	}
	port->socket = NULL;
	if (err == -EINVAL && wire->in_pieces)		/* before 6.6 no socket takes the flag */
		return too_large(wire, e);
	if (err == -EBUSY) {
		err_machine(e, err, "queue %u of '%s' is held by another AF_XDP socket", queue,
			    side->ifname);
		return err_hint(e, "end that program");
	}
	err_machine(e, err, "cannot bind an AF_XDP socket to queue %u of '%s'%s", queue,
		    side->ifname, wire->zero_copy ? " for zero-copy" : "");
	return err_hint(e, "sharing frames between two interfaces requires kernel 5.10; see: "
			"ethgauge doctor %s", side->ifname);
}

/* Fills the fill ring; in zero-copy mode a queue that only sends also receives, for the stack. */
static void feed(struct afxdp_lane *lane, struct side *side, struct port *port)
{
	uint32_t nr = xsk_prod_nb_free(&port->fill, side->nr_receive), at, i;

	if (nr < REFILL)
		return;
	if (nr > lane->nr_free)
		nr = lane->nr_free;
	if (!nr || xsk_ring_prod__reserve(&port->fill, nr, &at) != nr)
		return;
	for (i = 0; i < nr; i++)
		*xsk_ring_prod__fill_addr(&port->fill, at + i) =
			(uint64_t)lane->free[--lane->nr_free] * lane->wire->chunk_bytes;
	xsk_ring_prod__submit(&port->fill, nr);
	if (xsk_ring_prod__needs_wakeup(&port->fill))
		recvfrom(port->fd, NULL, 0, MSG_DONTWAIT, NULL, NULL);
}

static void close_sockets(struct afxdp_wire *wire)
{
	uint32_t side, i;

	for (side = 0; side < 2; side++) {
		for (i = 0; wire->sides[side].ports && i < wire->sides[side].nr_queues; i++) {
			struct port *port = &wire->sides[side].ports[i];

			if (port->socket)
				xsk_socket__delete(port->socket);
			*port = (struct port){ 0 };
		}
	}
	if (wire->umem)
		xsk_umem__delete(wire->umem);
	wire->umem = NULL;
}

/* Allocates memory and opens the sockets of the first lane. */
static int open_sockets(struct afxdp_wire *wire, bool zero_copy, struct err *e)
{
	uint32_t i;
	int err;

	wire->zero_copy = zero_copy;
	err = open_memory(wire, e);
	for (i = 0; i < wire->sides[0].nr_queues && !err; i++)
		err = open_port(wire, &wire->sides[0], i, e);
	if (!err && !wire->alone)
		err = open_port(wire, &wire->sides[1], 0, e);
	if (err)
		close_sockets(wire);
	return err;
}

static int open_lanes(struct afxdp_wire *wire, struct err *e)
{
	uint32_t i, side;

	for (side = 0; side < (wire->alone ? 1 : 2); side++) {
		struct afxdp_lane *lane = &wire->lanes[side];

		lane->wire = wire;
		lane->in = &wire->sides[side];
		lane->out = &wire->sides[!side && !wire->alone];
		lane->free = calloc(wire->nr_frames, sizeof(*lane->free));
		lane->polls = calloc(lane->in->nr_queues, sizeof(*lane->polls));
		if (!lane->free || !lane->polls)
			return err_set(e, -ENOMEM, "cannot open AF_XDP sockets");
	}
	for (i = wire->nr_frames; i--; )
		wire->lanes[0].free[wire->lanes[0].nr_free++] = i;
	return 0;
}

int afxdp_wire_open(struct afxdp_wire **ret_wire, const struct afxdp_wire_cfg *cfg,
		    struct err *e)
{
	struct afxdp_wire *wire = calloc(1, sizeof(*wire));
	struct side *sides;
	int err;

	if (!wire)
		return err_set(e, -ENOMEM, "cannot open AF_XDP sockets");
	wire->users = 1;
	wire->alone = !strcmp(cfg->in_ifname, cfg->out_ifname);
	wire->busy_poll = cfg->busy_poll;
	sides = wire->sides;
	err = look_at(&sides[0], cfg->in_ifname, cfg->nr_receive, e);
	if (!err && !wire->alone)
		err = look_at(&sides[1], cfg->out_ifname, cfg->nr_receive, e);
	if (err)
		goto fail;
	choose_chunk(wire);
	if (wire->in_pieces && !cfg->in_pieces) {
		wire->in_pieces = false;
		err = too_large(wire, e);
		goto fail;
	}
	wire->nr_frames = cfg->nr_frames + 2 * NR_SEND +
			  sides[0].nr_queues * sides[0].nr_receive +
			  sides[1].nr_queues * sides[1].nr_receive;
	err = open_lanes(wire, e);
	if (err)
		goto fail;
	err = cfg->copy_only ? -EOPNOTSUPP : open_sockets(wire, true, e);
	if (err && err != -EBUSY) {
		*e = (struct err){ 0 };
		err = open_sockets(wire, false, e);
	}
	if (err)
		goto fail;
	if (wire->zero_copy && !wire->alone)
		feed(&wire->lanes[0], &sides[1], &sides[1].ports[0]);
	*ret_wire = wire;
	return 0;
fail:
	afxdp_wire_close(wire);
	return err;
}

struct afxdp_wire *afxdp_wire_share(struct afxdp_wire *wire)
{
	wire->users++;
	return wire;
}

void afxdp_wire_close(struct afxdp_wire *wire)
{
	uint32_t side;

	if (!wire || --wire->users)
		return;
	close_sockets(wire);
	afxdp_memory_unmap(&wire->memory);
	for (side = 0; side < 2; side++) {
		free(wire->sides[side].ports);
		free(wire->lanes[side].free);
		free(wire->lanes[side].polls);
		if (wire->lanes[side].xsks_fd)
			close(wire->lanes[side].xsks_fd);
	}
	free(wire);
}

bool afxdp_wire_zero_copy(const struct afxdp_wire *wire)
{
	return wire->zero_copy;
}

uint32_t afxdp_wire_nr_frames(const struct afxdp_wire *wire)
{
	return wire->nr_frames;
}

uint32_t afxdp_wire_max_buf_bytes(const struct afxdp_wire *wire)
{
	return wire->chunk_bytes - HEADROOM;
}

bool afxdp_wire_in_pieces(const struct afxdp_wire *wire)
{
	return wire->in_pieces;
}

int afxdp_lane_open(struct afxdp_wire *wire, bool reverse, int xsks_fd,
		    struct afxdp_lane **ret_lane, struct err *e)
{
	struct afxdp_lane *lane = &wire->lanes[reverse], *other = &wire->lanes[!reverse];
	uint32_t i, half = other->nr_free / 2;
	int err;

	lane->xsks_fd = fcntl(xsks_fd, F_DUPFD_CLOEXEC, 3);
	if (lane->xsks_fd < 0) {
		lane->xsks_fd = 0;
		return err_set(e, -errno, "cannot open the XSKMAP");
	}
	for (i = 0; i < lane->in->nr_queues; i++) {
		err = open_port(wire, lane->in, i, e);
		if (err)
			return err;
		err = xsk_socket__update_xskmap(lane->in->ports[i].socket, xsks_fd);
		if (err)
			return err_machine(e, err, "cannot redirect queue %u of '%s' to its socket", i,
					   lane->in->ifname);
		lane->polls[i] = (struct pollfd){ .fd = lane->in->ports[i].fd, .events = POLLIN };
	}
	if (reverse) {
		while (lane->nr_free < half)
			lane->free[lane->nr_free++] = other->free[--other->nr_free];
	}
	*ret_lane = lane;
	return 0;
}

void afxdp_lane_detach(struct afxdp_lane *lane)
{
	uint32_t i;

	for (i = 0; i < lane->in->nr_queues; i++)
		bpf_map_delete_elem(lane->xsks_fd, &i);
}

/* Entries at the end of @nr from @at on that begin a packet, but do not end it. */
static uint32_t cut_short(const struct xsk_ring_cons *rx, uint32_t at, uint32_t nr)
{
	uint32_t i = nr;

	while (i && xsk_ring_cons__rx_desc(rx, at + i - 1)->options & XDP_PKT_CONTD)
		i--;
	return nr - i;
}

uint32_t afxdp_lane_receive(struct afxdp_lane *lane, struct afxdp_frame *ret_frames,
			    uint32_t want)
{
	uint32_t queue = lane->next_queue, nr = 0, got, rest, at, i, turn;

	for (turn = 0; turn < lane->in->nr_queues && nr < want; turn++) {
		struct port *port = &lane->in->ports[queue];

		got = xsk_ring_cons__peek(&port->rx, want - nr, &at);
		rest = cut_short(&port->rx, at, got);
		if (rest)
			xsk_ring_cons__cancel(&port->rx, rest);
		got -= rest;
		for (i = 0; i < got; i++) {
			const struct xdp_desc *desc = xsk_ring_cons__rx_desc(&port->rx, at + i);

			ret_frames[nr++] = (struct afxdp_frame){
				.number = (uint32_t)(desc->addr / lane->wire->chunk_bytes),
				.buf_bytes = desc->len,
				.data = lane->wire->memory.at + desc->addr,
				.more = desc->options & XDP_PKT_CONTD,
			};
		}
		if (got)
			xsk_ring_cons__release(&port->rx, got);
		feed(lane, lane->in, port);
		queue = queue + 1 < lane->in->nr_queues ? queue + 1 : 0;
	}
	lane->next_queue = queue;
	return nr;
}

bool afxdp_lane_is_filling(const struct afxdp_lane *lane)
{
	const struct xsk_ring_cons *rx;
	uint32_t i;

	for (i = 0; i < lane->in->nr_queues; i++) {
		rx = &lane->in->ports[i].rx;
		if (__atomic_load_n(rx->producer, __ATOMIC_ACQUIRE) - rx->cached_cons >
		    lane->in->nr_receive / 2)
			return true;
	}
	return false;
}

bool afxdp_lane_take(struct afxdp_lane *lane, struct afxdp_frame *ret_frame)
{
	uint32_t number;

	if (!lane->nr_free)
		return false;
	number = lane->free[--lane->nr_free];
	*ret_frame = (struct afxdp_frame){
		.number = number,
		.data = lane->wire->memory.at + (size_t)number * lane->wire->chunk_bytes + HEADROOM,
	};
	return true;
}

void afxdp_lane_free(struct afxdp_lane *lane, uint32_t number)
{
	lane->free[lane->nr_free++] = number;
}

uint32_t afxdp_lane_nr_free(const struct afxdp_lane *lane)
{
	return lane->nr_free;
}

bool afxdp_lane_send(struct afxdp_lane *lane, const struct afxdp_frame *frame)
{
	return afxdp_lane_send_pieces(lane, frame, 1);
}

bool afxdp_lane_send_pieces(struct afxdp_lane *lane, const struct afxdp_frame *frames, uint32_t nr)
{
	struct xsk_ring_prod *tx = &lane->out->ports[0].tx;
	struct xdp_desc *desc;
	uint32_t at, i;

	if (!xsk_ring_prod__reserve(tx, nr, &at))
		return false;
	for (i = 0; i < nr; i++) {
		desc = xsk_ring_prod__tx_desc(tx, at + i);
		desc->addr = (uint64_t)(frames[i].data - lane->wire->memory.at);
		desc->len = frames[i].buf_bytes;
		desc->options = i + 1 < nr ? XDP_PKT_CONTD : 0;
	}
	xsk_ring_prod__submit(tx, nr);
	return true;
}

int afxdp_lane_kick(struct afxdp_lane *lane)
{
	struct port *port = &lane->out->ports[0];

	if (!lane->wire->busy_poll && !xsk_ring_prod__needs_wakeup(&port->tx))
		return 0;
	return afxdp_tell(port->fd, lane->wire->zero_copy);
}

void afxdp_lane_reap(struct afxdp_lane *lane)
{
	struct xsk_ring_cons *sent = &lane->out->ports[0].sent;
	uint32_t at, nr = xsk_ring_cons__peek(sent, NR_SEND, &at), i;

	for (i = nr; i; i--)
		lane->free[lane->nr_free++] =
			(uint32_t)(*xsk_ring_cons__comp_addr(sent, at + i - 1) /
				   lane->wire->chunk_bytes);
	if (nr)
		xsk_ring_cons__release(sent, nr);
}

uint32_t afxdp_lane_unsent(const struct afxdp_lane *lane)
{
	const struct xsk_ring_prod *tx = &lane->out->ports[0].tx;

	return tx->cached_prod - __atomic_load_n(tx->consumer, __ATOMIC_ACQUIRE);
}

void afxdp_lane_wait(struct afxdp_lane *lane, uint64_t timeout_ns)
{
	struct timespec timeout = {
		.tv_sec = (time_t)(timeout_ns / NSEC), .tv_nsec = (long)(timeout_ns % NSEC),
	};

	ppoll(lane->polls, lane->in->nr_queues, &timeout, NULL);
}

void afxdp_lane_poll(struct afxdp_lane *lane)
{
	uint32_t i;

	for (i = 0; lane->wire->busy_poll && i < lane->in->nr_queues; i++)
		recvfrom(lane->in->ports[i].fd, NULL, 0, MSG_DONTWAIT, NULL, NULL);
}

uint64_t afxdp_lane_drops(const struct afxdp_lane *lane)
{
	uint64_t drops = 0;
	uint32_t i;

	for (i = 0; i < lane->in->nr_queues; i++) {
		struct xdp_statistics stats = { 0 };
		socklen_t len = sizeof(stats);

		if (!getsockopt(lane->in->ports[i].fd, SOL_XDP, XDP_STATISTICS, &stats, &len))
			drops += stats.rx_dropped + stats.rx_ring_full;
	}
	return drops;
}
