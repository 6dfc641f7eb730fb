/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/socket/sock.h - sockets of the transport tests: addresses, options, TCP's state.
 */
#ifndef SYS_SOCKET_SOCK_H
#define SYS_SOCKET_SOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "lib/err.h"

struct sock_addr {
	union {
		struct sockaddr sa;
		struct sockaddr_storage storage;
	};
	socklen_t len;
};

#define SOCK_TEXT_BYTES 64

/* @family: AF_UNSPEC, AF_INET or AF_INET6; @host: NULL is any address, to listen on. */
int sock_resolve(const char *host, uint16_t port, int family, struct sock_addr *ret_addr,
		 struct err *e);
void sock_set_port(struct sock_addr *addr, uint16_t port);
uint16_t sock_port(const struct sock_addr *addr);
/* The address, an IPv4 one of an IPv6 socket as IPv4; without its port. */
const char *sock_text(const struct sock_addr *addr, char buf[SOCK_TEXT_BYTES]);
/* Addresses as two sockets of one family report them, without their ports. */
bool sock_same_host(const struct sock_addr *a, const struct sock_addr *b);

int sock_local(int fd, struct sock_addr *ret_addr);	/* 0 or negative errno */

/* What is asked of a socket; 0 and "" leave the system's own. */
struct sock_opts {
	uint64_t send_buffer_bytes, receive_buffer_bytes;	/* which the kernel doubles */
	bool nodelay, zerocopy;
	bool udp_joined;		/* may send by sock_send_joined(), receives by sock_receive_joined() */
	uint64_t window_clamp_bytes, mss_bytes, dscp, busy_poll_us, pacing_bps;
	const char *congestion;
};

/* A descriptor with @opts on it, or negative errno in @e. @type: SOCK_STREAM or SOCK_DGRAM. */
int sock_open(int family, int type, const struct sock_opts *opts, struct err *e);

/* Bound to @addr and, with SOCK_STREAM, listening. */
int sock_listen(const struct sock_addr *addr, int type, const struct sock_opts *opts, struct err *e);

/* Connects @fd within @timeout_ns or until a signal. */
int sock_connect(int fd, const struct sock_addr *addr, uint64_t timeout_ns, struct err *e);

/* Options that a socket does not get from the one that listens; on any that is open. */
int sock_apply(int fd, const struct sock_opts *opts, struct err *e);

/* Waits at most so long in a call on @fd. */
void sock_set_timeouts(int fd, uint64_t ns);

void sock_set_nonblocking(int fd);

/* The other end is looked after while nothing is said, and is given up after some 15 s. */
void sock_keep_alive(int fd);

/* The socket that systemd handed over (sd_listen_fds(3)); -1: none. -errno of more than one. */
int sock_activated(void);

/* The MTU of the connected @fd's path, as far as it is known; 0: not. */
size_t sock_mtu_bytes(int fd);

/* Bytes of a message that fill one packet of the connected @fd's path; 0: not known. */
size_t sock_payload_bytes(int fd);

/*
 * Sets the window clamp again where the kernel has raised it: newer ones (seen with 6.18) do, when
 * the first data say how large their buffers are.
 */
void sock_keep_clamp(int fd, uint64_t bytes);

/* struct tcp_info, as far as this kernel fills it. */
struct sock_tcp {
	uint64_t acked_bytes, retransmits, retransmitted_bytes;
	uint64_t rtt_us, rtt_var_us, min_rtt_us, cwnd_packets, mss_bytes;
	uint64_t delivery_bps, pacing_bps;
	uint64_t busy_us, rwnd_limited_us, sndbuf_limited_us;
	uint64_t delivered_ce_packets, reordering_seen;
	char congestion[16];
};

int sock_read_tcp(int fd, struct sock_tcp *ret_tcp);
uint64_t sock_buffer_bytes(int fd, bool send);
uint64_t sock_dropped_packets(int fd);

/*
 * Datagrams of @each_bytes that the kernel or the NIC takes apart (UDP_SEGMENT); and one call
 * that takes as many as the kernel joined (UDP_GRO), in *@ret_each_bytes each. As sendmsg()
 * and recv() do: the bytes, or -1 and errno.
 */
ssize_t sock_send_joined(int fd, struct iovec *iov, size_t nr, size_t each_bytes);
ssize_t sock_receive_joined(int fd, void *buf, size_t size, size_t *ret_each_bytes);

/* Completions of MSG_ZEROCOPY so far, and of these what the kernel copied after all. */
void sock_reap_zerocopy(int fd, uint64_t *done, uint64_t *copied);

/* Names this host and its boot, so that two ends know whether they share a clock. */
void sock_host_id(char *buf, size_t size);

#endif
