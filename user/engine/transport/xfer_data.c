// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/transport/xfer_data.c - the data connections of a transport test.
 *
 * TCP streams come to one port, in their order. A UDP stream has a port of its own,
 * where a first datagram, a punch, tells the server the client's end, through a
 * firewall and NAT as well; it is sent until one comes back.
 */
#include "engine/transport/xfer_data.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "engine/transport/xfer_parts.h"
#include "lib/loop.h"

#define PUNCH_MS 50

struct doors {
	struct xfer *xfer;
	const struct control_test *test;
	const struct xfer_server_cfg *cfg;
	struct xfer_link *link;
	const struct sock_addr *peer;
	struct pollfd polls[CONTROL_MAX_STREAMS + 1];	/* [0]: the control connection */
	struct control_range range;
	unsigned int next;		/* of the range: where to look first */
	unsigned int nr;		/* ports that are open */
	unsigned int met;		/* streams whose client is there */
	bool is_met[CONTROL_MAX_STREAMS];
};

void xfer_data_opts(const struct control_test *test, struct sock_opts *ret_opts)
{
	*ret_opts = (struct sock_opts){
		.send_buffer_bytes = test->send_buffer_bytes,
		.receive_buffer_bytes = test->receive_buffer_bytes, .nodelay = test->nodelay,
		.zerocopy = test->zerocopy, .udp_joined = test->gso,
		.timed = test->arrivals && !test->gso, .window_clamp_bytes = test->window_clamp_bytes,
		.mss_bytes = test->mss_bytes, .dscp = test->dscp,
		.busy_poll_us = test->busy_poll_us, .congestion = test->congestion,
	};
	/* A tenth more than asked for, as the kernel counts headers too: it smooths, the schedule limits. */
	if (test->protocol == CONTROL_TCP && test->kind == CONTROL_STREAM)
		ret_opts->pacing_bps = test->rate_bps / test->streams * 11 / 10;
}

/*
 * A given range is used from its first port on. Otherwise each test begins at a random one, so that late
 * packets and connections in TIME-WAIT of the test before are not taken for its own.
 */
static void choose_range(struct doors *doors, const struct sock_addr *local)
{
	uint16_t chance = 0;

	doors->range = doors->cfg->data_ports;
	if (doors->range.first)
		return;
	doors->range = control_range_of(sock_port(local));
	if (getrandom(&chance, sizeof(chance), 0) == sizeof(chance))
		doors->next = chance % CONTROL_DATA_PORTS;
}

/* One port more of the range. */
static int open_door(struct doors *doors, const struct sock_addr *local,
		     const struct sock_opts *opts, struct err *e)
{
	int type = doors->test->protocol == CONTROL_UDP ? SOCK_DGRAM : SOCK_STREAM, fd, wait_s = 1;
	unsigned int nr = doors->range.last - doors->range.first + 1u, tried = 0;
	struct sock_addr at = *local;

	do {
		sock_set_port(&at, (uint16_t)(doors->range.first + doors->next));
		fd = sock_listen(&at, type, opts, e);
		doors->next = (doors->next + 1) % nr;
	} while (fd == -EADDRINUSE && ++tried < nr);
	if (fd < 0)
		return fd;
	/* Accepts a connection when its request is there: one wake-up instead of two. */
	if (doors->test->kind == CONTROL_CRR)
		setsockopt(fd, IPPROTO_TCP, TCP_DEFER_ACCEPT, &wait_s, sizeof(wait_s));
	doors->polls[++doors->nr] = (struct pollfd){ .fd = fd, .events = POLLIN };
	return 0;
}

static int open_doors(struct doors *doors, char *ports, size_t size, struct err *e)
{
	unsigned int nr = doors->test->protocol == CONTROL_UDP ? xfer_streams(doors->test) : 1, i;
	struct sock_addr local, bound;
	struct sock_opts opts;
	size_t len = 0;

	xfer_data_opts(doors->test, &opts);
	if (sock_local(doors->link->fd, &local))
		return err_set(e, -EIO, "cannot tell the address of the control connection");
	choose_range(doors, &local);
	for (i = 0; i < nr; i++) {
		if (open_door(doors, &local, &opts, e))
			return e->no;
		sock_local(doors->polls[i + 1].fd, &bound);
		len += (size_t)snprintf(ports + len, size - len, "%s%u", i ? "," : "",
					sock_port(&bound));
	}
	return 0;
}

static int take_connection(struct doors *doors, struct err *e)
{
	struct sock_addr from = { .len = sizeof(from.storage) };
	struct sock_opts opts;
	int fd = accept4(doors->polls[1].fd, &from.sa, &from.len, SOCK_CLOEXEC);

	if (fd < 0)
		return 0;
	if (!sock_same_host(&from, doors->peer) || doors->met == xfer_streams(doors->test)) {
		close(fd);
		return 0;
	}
	xfer_add(doors->xfer, doors->met++, fd);
	xfer_data_opts(doors->test, &opts);
	return sock_apply(fd, &opts, e);
}

/* Whoever sends the first punch from the client's address is the client. */
static void take_punch(struct doors *doors, unsigned int i)
{
	int fd = doors->polls[i + 1].fd;
	struct sock_addr from = { .len = sizeof(from.storage) };
	struct tag_fields fields;
	struct tag tag = { 0 };
	ssize_t got = recvfrom(fd, &tag, sizeof(tag), MSG_DONTWAIT, &from.sa, &from.len);

	if (got != sizeof(tag) || !tag_read(tag.high, tag.low, tag.complement, &fields) ||
	    fields.run != XFER_PUNCH_RUN ||
	    !sock_same_host(&from, doors->peer))
		return;
	if (!doors->is_met[i]) {
		if (connect(fd, &from.sa, from.len))
			return;
		doors->is_met[i] = true;
		doors->met++;
	}
	send(fd, &tag, sizeof(tag), MSG_DONTWAIT);
}

/*
 * The client has all its connections, but the last ACK of a handshake may be lost: then this kernel sends
 * its SYN-ACK again, at first after 1 s. Whatever the client does now, it no longer waits.
 */
static int await_late(struct doors *doors, uint64_t end_ns, struct err *e)
{
	while (doors->met < xfer_streams(doors->test) && loop_mono_ns() < end_ns && !loop_signal()) {
		if (poll(doors->polls, 2, PUNCH_MS) <= 0)
			continue;
		if (doors->polls[0].revents)
			break;
		if (take_connection(doors, e))
			return e->no;
	}
	return 0;
}

static int wait_for_go(struct doors *doors, struct err *e)
{
	bool udp = doors->test->protocol == CONTROL_UDP, crr = doors->test->kind == CONTROL_CRR;
	uint64_t end_ns = loop_mono_ns() + XFER_ANSWER_NS;
	union control_body body;
	enum control_type type;
	unsigned int i;
	int err;

	while (loop_mono_ns() < end_ns && !loop_signal()) {
		if (poll(doors->polls, crr ? 1 : doors->nr + 1, PUNCH_MS) <= 0)
			continue;
		for (i = 0; i < doors->nr; i++) {
			if (!doors->polls[i + 1].revents || crr)
				continue;
			if (udp)
				take_punch(doors, i);
			else if (take_connection(doors, e))
				return e->no;
		}
		err = xfer_link_receive(doors->link, 0, &type, &body, e);
		if (err == -EAGAIN)
			continue;
		if (err)
			return err;
		if (type != CONTROL_GO)
			return err_plain(e, -EINVAL, "'%s' where 'go' was due", control_name(type));
		if (!udp && !crr && await_late(doors, end_ns, e))
			return e->no;
		if (!crr && doors->met < xfer_streams(doors->test))
			return err_plain(e, -EINVAL, "'go' with %u of %u connections", doors->met,
					 xfer_streams(doors->test));
		return 0;
	}
	return err_plain(e, -ETIMEDOUT, "the client does not come to the data port");
}

/* A socket that is the stream itself is the test's; one that listened is closed. */
static int hand_over(struct doors *doors, bool ok, struct err *e)
{
	bool udp = doors->test->protocol == CONTROL_UDP;
	unsigned int i;
	int err = ok ? 0 : e->no;

	if (ok && doors->test->kind == CONTROL_CRR) {
		xfer_set_peer(doors->xfer, doors->peer);
		err = xfer_add_listener(doors->xfer, doors->polls[1].fd, e);
	}
	for (i = 0; i < doors->nr; i++) {
		if (ok && udp)
			xfer_add(doors->xfer, i, doors->polls[i + 1].fd);
		else
			close(doors->polls[i + 1].fd);
	}
	return err;
}

int xfer_data_accept(struct xfer *xfer, const struct control_test *test,
		     const struct xfer_server_cfg *cfg, struct xfer_link *link,
		     const struct sock_addr *peer, struct err *e)
{
	struct doors doors = { .xfer = xfer, .test = test, .cfg = cfg, .link = link, .peer = peer };
	struct control_ready ready = { .ports = "" };
	int err;

	doors.polls[0] = (struct pollfd){ .fd = link->fd, .events = POLLIN };
	err = open_doors(&doors, ready.ports, sizeof(ready.ports), e);
	if (!err)
		err = xfer_link_send(link, CONTROL_READY, &ready, e);
	if (!err)
		err = wait_for_go(&doors, e);
	return hand_over(&doors, !err, e);
}

/* Until one comes back: then the server knows this end. */
static int punch(int fd, struct err *e)
{
	uint64_t end_ns = loop_mono_ns() + XFER_ANSWER_NS / 2;
	struct tag tag, back;
	struct pollfd wait = { .fd = fd, .events = POLLIN };

	tag_write(&tag, XFER_PUNCH_RUN, 0, 0, 0);
	while (loop_mono_ns() < end_ns && !loop_signal()) {
		if (send(fd, &tag, sizeof(tag), MSG_NOSIGNAL) < 0 && errno != ECONNREFUSED)
			return err_set(e, -errno, "cannot send a datagram");
		if (poll(&wait, 1, PUNCH_MS) > 0 &&
		    recv(fd, &back, sizeof(back), MSG_DONTWAIT) == sizeof(back) &&
		    !memcmp(&back, &tag, sizeof(tag)))
			return 0;
	}
	if (loop_signal())
		return err_set(e, -EINTR, "stopped while waiting for the server's data port");
	return err_plain(e, -ETIMEDOUT, "no datagram comes back from the server's data port");
}

int xfer_data_connect(struct xfer *xfer, const struct control_test *test, const char *ports,
		      const struct control_range *range, const struct sock_addr *server,
		      const struct sock_addr *from, struct err *e)
{
	bool udp = test->protocol == CONTROL_UDP;
	struct sock_addr at = *server;
	struct sock_opts opts;
	unsigned int i;
	uint16_t port;
	int fd;

	xfer_data_opts(test, &opts);
	for (i = 0; i < xfer_streams(test); i++) {
		port = control_port(ports, udp ? i : 0);
		if (!port)
			return err_plain(e, -EPROTO, "the server names no port for stream %u", i);
		if (control_check_port(port, sock_port(server), range, e))
			return e->no;
		sock_set_port(&at, port);
		if (test->kind == CONTROL_CRR) {
			xfer_set_peer(xfer, &at);
			return 0;
		}
		fd = sock_open(at.sa.sa_family, udp ? SOCK_DGRAM : SOCK_STREAM, &opts, e);
		if (fd < 0)
			return fd;
		xfer_add(xfer, i, fd);
		if (from && bind(fd, &from->sa, from->len))
			return err_set(e, -errno, "cannot send from that address");
		if (sock_connect(fd, &at, XFER_ANSWER_NS / 2, e) || (udp && punch(fd, e)))
			return e->no;
	}
	return 0;
}
