// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/socket/udp.c - UDP sockets of test sessions.
 */
#include "sys/socket/udp.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_BYTES (1 << 20)	/* holds packets while this process does not run */

static int set(int fd, int level, int option, int value)
{
	return setsockopt(fd, level, option, &value, sizeof(value));
}

/* An unsupported option costs a figure, not the session. */
static void ask_for_stamps(int fd, int family)
{
	set(fd, SOL_SOCKET, SO_TIMESTAMPNS, 1);
	set(fd, SOL_SOCKET, SO_RCVBUF, BUFFER_BYTES);
	if (family == AF_INET)
		set(fd, IPPROTO_IP, IP_RECVTTL, 1);
	else
		set(fd, IPPROTO_IPV6, IPV6_RECVHOPLIMIT, 1);
}

static int set_header(int fd, int family, const struct udp_opts *opts, struct err *e)
{
	bool ip4 = family == AF_INET;
	int level = ip4 ? IPPROTO_IP : IPPROTO_IPV6;

	if (opts->dscp && set(fd, level, ip4 ? IP_TOS : IPV6_TCLASS, opts->dscp << 2))
		return err_set(e, -errno, "cannot set DSCP %u", opts->dscp);
	if (opts->ttl && set(fd, level, ip4 ? IP_TTL : IPV6_UNICAST_HOPS, opts->ttl))
		return err_set(e, -errno, "cannot set TTL %u", opts->ttl);
	return 0;
}

static int bind_source(int fd, int family, const struct udp_opts *opts, struct err *e)
{
	struct sock_addr from = { .storage.ss_family = (sa_family_t)family };

	if (!opts->from && !opts->src_port)
		return 0;
	if (opts->from)
		from = *opts->from;
	else
		from.len = family == AF_INET ? sizeof(struct sockaddr_in) :
					       sizeof(struct sockaddr_in6);
	sock_set_port(&from, opts->src_port);
	if (bind(fd, (struct sockaddr *)&from.storage, from.len))
		return err_set(e, -errno, "cannot bind to source port %u", opts->src_port);
	return 0;
}

int udp_open(const struct sock_addr *to, const struct udp_opts *opts, struct err *e)
{
	int family = to->storage.ss_family, fd, err;

	fd = socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return err_set(e, -errno, "cannot open a UDP socket");
	err = set_header(fd, family, opts, e);
	if (!err)
		err = bind_source(fd, family, opts, e);
	if (!err && connect(fd, (const struct sockaddr *)&to->storage, to->len))
		err = err_set(e, -errno, "cannot connect a UDP socket");
	if (err) {
		close(fd);
		return err;
	}
	ask_for_stamps(fd, family);
	return fd;
}

static void read_control(struct msghdr *msg, struct udp_arrival *arrival)
{
	struct cmsghdr *cmsg;

	arrival->utc_ns = sock_time_utc_ns(msg);
	for (cmsg = CMSG_FIRSTHDR(msg); cmsg; cmsg = CMSG_NXTHDR(msg, cmsg)) {
		if ((cmsg->cmsg_level == IPPROTO_IP && cmsg->cmsg_type == IP_TTL) ||
		    (cmsg->cmsg_level == IPPROTO_IPV6 && cmsg->cmsg_type == IPV6_HOPLIMIT))
			memcpy(&arrival->ttl, CMSG_DATA(cmsg), sizeof(arrival->ttl));
	}
}

int udp_receive(int fd, void *buf, size_t size, struct udp_arrival *ret_arrival)
{
	char control[256] __attribute__((aligned(8)));
	struct iovec iov = { .iov_base = buf, .iov_len = size };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct udp_arrival arrival = { 0 };
	ssize_t len = recvmsg(fd, &msg, 0);

	if (len < 0)
		return -errno;
	arrival.len = (size_t)len;
	read_control(&msg, &arrival);
	*ret_arrival = arrival;
	return 0;
}
