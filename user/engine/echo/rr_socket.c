// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/echo/rr_socket.c - requests and answers through a socket: the same loop, but through this
 * host's own network stack.
 */
#include "engine/echo/rr_parts.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <netinet/ip.h>

#include "engine/self/environ.h"
#include "lib/loop.h"
#include "lib/unit.h"

#define L4_BYTES	8
#define WORST_IP_BYTES	60

struct sock {
	int fd;
	uint32_t payload;		/* offset in rr->frame of what is passed to the socket */
	uint8_t frame[FRAME_MAX_BYTES];
	uint8_t room[L4_BYTES + WORST_IP_BYTES + FRAME_MAX_BYTES];	/* for what is received */
};

static bool is_ip6(const struct rr *rr)
{
	return rr->cfg.frame.dst.family == AF_INET6;
}

/* Other hosts' answers and other ICMP types are not even copied to us. */
static int filter(const struct rr *rr, int fd)
{
	struct icmp_filter only4 = { .data = ~(1u << ICMP_ECHOREPLY) };
	struct icmp6_filter only6;

	if (!rr->cfg.icmp)
		return 0;
	if (!is_ip6(rr))
		return setsockopt(fd, SOL_RAW, ICMP_FILTER, &only4, sizeof(only4));
	memset(&only6, 0xff, sizeof(only6));
	only6.data[ICMPV6_ECHO_REPLY >> 5] &= ~(1u << (ICMPV6_ECHO_REPLY & 31));
	return setsockopt(fd, IPPROTO_ICMPV6, ICMPV6_FILTER, &only6, sizeof(only6));
}

static int set_fields(const struct rr *rr, int fd)
{
	const struct frame_spec *frame = &rr->cfg.frame;
	int ttl = frame->ttl, tos = frame->dscp << 2;

	if (is_ip6(rr))
		return setsockopt(fd, IPPROTO_IPV6, IPV6_UNICAST_HOPS, &ttl, sizeof(ttl)) ||
		       setsockopt(fd, IPPROTO_IPV6, IPV6_TCLASS, &tos, sizeof(tos));
	return setsockopt(fd, IPPROTO_IP, IP_TTL, &ttl, sizeof(ttl)) ||
	       setsockopt(fd, IPPROTO_IP, IP_TOS, &tos, sizeof(tos));
}

static socklen_t to_sockaddr(const struct frame_addr *addr, uint16_t port,
			     struct sockaddr_storage *ret_name)
{
	struct sockaddr_in6 *ip6 = (void *)ret_name;
	struct sockaddr_in *ip4 = (void *)ret_name;

	memset(ret_name, 0, sizeof(*ret_name));
	if (addr->family == AF_INET6) {
		ip6->sin6_family = AF_INET6;
		ip6->sin6_addr = addr->ip6;
		ip6->sin6_port = htons(port);
		return sizeof(*ip6);
	}
	ip4->sin_family = AF_INET;
	ip4->sin_addr = addr->ip4;
	ip4->sin_port = htons(port);
	return sizeof(*ip4);
}

static int join(const struct rr *rr, int fd)
{
	const struct frame_spec *frame = &rr->cfg.frame;
	struct sockaddr_storage name;
	socklen_t len;

	/* Link-local addresses require it, and the others must leave by this interface. */
	if (setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, rr->cfg.ifname,
		       (socklen_t)strlen(rr->cfg.ifname)))
		return -1;
	len = to_sockaddr(&frame->src, rr->cfg.icmp ? 0 : frame->src_port, &name);
	if (bind(fd, (struct sockaddr *)&name, len))
		return -1;
	len = to_sockaddr(&frame->dst, rr->cfg.icmp ? 0 : frame->dst_port, &name);
	return connect(fd, (struct sockaddr *)&name, len);
}

static int socket_open(struct rr *rr, struct result *res, struct err *e)
{
	struct sock *sock = calloc(1, sizeof(*sock));
	int proto = is_ip6(rr) ? IPPROTO_ICMPV6 : IPPROTO_ICMP;

	if (!sock)
		return err_set(e, -ENOMEM, "cannot open a socket");
	rr->state = sock;
	sock->fd = socket(rr->cfg.frame.dst.family,
			  (rr->cfg.icmp ? SOCK_RAW : SOCK_DGRAM) | SOCK_CLOEXEC,
			  rr->cfg.icmp ? proto : 0);
	if (sock->fd < 0)
		return err_machine(e, -errno, "cannot open a socket");
	if (filter(rr, sock->fd) || set_fields(rr, sock->fd) || join(rr, sock->fd))
		return err_set(e, -errno, "cannot send from a socket through '%s'", rr->cfg.ifname);
	/* For UDP the kernel builds the header. */
	sock->payload = rr->tag_offset - (rr->cfg.icmp ? L4_BYTES : 0);
	memcpy(sock->frame, rr->frame, rr->buf_bytes);
	result_env_str(res, "rx_checksums", rr->cfg.icmp && !is_ip6(rr) ? "IPv4 header, L4" :
		       "IPv4 header, L4: by the kernel, which drops damaged packets");
	environ_tx_stamp(res, STAMPED_CALL);
	environ_rx_stamp(res, STAMPED_CALL);
	return 0;
}

static void socket_close(struct rr *rr)
{
	struct sock *sock = rr->state;

	if (sock && sock->fd >= 0)
		close(sock->fd);
	free(sock);
	rr->state = NULL;
}

static bool socket_send(struct rr *rr, uint32_t number, uint64_t sent_ns)
{
	struct sock *sock = rr->state;

	rr_write(rr, sock->frame, 0, number, sent_ns);
	if (send(sock->fd, sock->frame + sock->payload, rr->buf_bytes - sock->payload,
		 MSG_DONTWAIT) >= 0)
		return true;
	if (errno == EAGAIN)
		return false;
	/* An ICMP error for an earlier packet (a closed port), or no room in the stack. */
	RR_PUBLISH(rr->count.refused, rr->count.refused + 1);
	return true;
}

static int socket_flush(struct rr *rr, struct err *e)
{
	(void)rr;
	(void)e;
	return 0;
}

/* The echo header in what a raw socket delivers, or the place where UDP's would be; NULL: none. */
static const uint8_t *find_l4(const struct rr *rr, const uint8_t *at, size_t *bytes)
{
	size_t head = (size_t)(at[0] & 15) * 4;

	if (!rr->cfg.icmp || is_ip6(rr))
		return at;
	if (*bytes < head + L4_BYTES)
		return NULL;
	*bytes -= head;
	return at + head;
}

/* The kernel verifies UDP and ICMPv6, but a raw socket gets ICMP before. */
static bool is_sum_wrong(const struct rr *rr, const uint8_t *l4, size_t bytes)
{
	return rr->cfg.icmp && !is_ip6(rr) && frame_fold(frame_sum(0, l4, bytes));
}

/* True if it is an answer; counts it if it is a damaged one. */
static bool take(struct rr *rr, const uint8_t *l4, size_t bytes, struct rr_answer *ret_answer)
{
	struct rr_count *count = &rr->count;

	if (!rr_is_ours(rr, l4, bytes))
		return false;
	if (is_sum_wrong(rr, l4, bytes)) {
		RR_PUBLISH(count->damaged, count->damaged + 1);
	} else {
		if (!rr_read_answer(rr, l4, bytes, ret_answer))
			return false;
		if (rr_has_payload(rr, l4, bytes))
			return true;
		RR_PUBLISH(count->bad_payload, count->bad_payload + 1);
	}
	RR_PUBLISH(count->answers, count->answers + 1);
	RR_PUBLISH(count->bytes, count->bytes + rr->buf_bytes + UNIT_FCS_BYTES);
	return false;
}

static uint32_t socket_receive(struct rr *rr, struct rr_answer *ret_answers, uint32_t want)
{
	struct sock *sock = rr->state;
	/* Leave room for the UDP header, which the kernel does not deliver. */
	size_t at = rr->cfg.icmp ? 0 : L4_BYTES, bytes;
	const uint8_t *l4;
	uint32_t nr = 0, i;
	ssize_t got;

	for (i = 0; i < want && nr < want; i++) {
		got = recv(sock->fd, sock->room + at, sizeof(sock->room) - at, MSG_DONTWAIT | MSG_TRUNC);
		if (got < 0)
			break;
		ret_answers[nr].came_ns = loop_mono_ns();
		bytes = (size_t)got + at < sizeof(sock->room) ? (size_t)got + at : sizeof(sock->room);
		l4 = find_l4(rr, sock->room, &bytes);
		ret_answers[nr].buf_bytes = rr->buf_bytes;
		if (l4 && take(rr, l4, bytes, &ret_answers[nr]))
			nr++;
	}
	return nr;
}

static void socket_wait(struct rr *rr, uint64_t timeout_ns)
{
	struct sock *sock = rr->state;
	struct pollfd poll_fd = { .fd = sock->fd, .events = POLLIN };
	struct timespec timeout = {
		.tv_sec = (time_t)(timeout_ns / NSEC_PER_SEC),
		.tv_nsec = (long)(timeout_ns % NSEC_PER_SEC),
	};

	ppoll(&poll_fd, 1, &timeout, NULL);
}

const struct rr_ops rr_socket_ops = {
	.open = socket_open,
	.close = socket_close,
	.run = rr_loop,
	.send = socket_send,
	.flush = socket_flush,
	.receive = socket_receive,
	.wait = socket_wait,
};
