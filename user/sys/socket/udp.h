/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/socket/udp.h - UDP sockets of test sessions, with kernel receive timestamps.
 */
#ifndef SYS_SOCKET_UDP_H
#define SYS_SOCKET_UDP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "lib/err.h"
#include "sys/socket/sock.h"

struct udp_opts {
	const struct sock_addr *from;	/* NULL: chosen by the route */
	uint16_t src_port;		/* 0: any free one */
	uint8_t dscp, ttl;		/* ttl: TTL or hop limit; 0: system default */
};

/* Connected to @to and non-blocking: a descriptor, or negative errno in @e. */
int udp_open(const struct sock_addr *to, const struct udp_opts *opts, struct err *e);

struct udp_arrival {
	size_t len;
	uint64_t utc_ns;	/* by the kernel, before the stack; 0: none */
	int ttl;		/* TTL or hop limit; 0: unknown */
};

/* 0 or negative errno: -EAGAIN: none is waiting; -ECONNREFUSED: ICMP port unreachable. */
int udp_receive(int fd, void *buf, size_t size, struct udp_arrival *ret_arrival);

#endif
