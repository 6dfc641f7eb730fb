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
/* The address without its port; an IPv4-mapped one as IPv4. */
const char *sock_text(const struct sock_addr *addr, char buf[SOCK_TEXT_BYTES]);
/* Whether it is no host's: all addresses, of a socket that listens. */
bool sock_is_any(const struct sock_addr *addr);
/* Compares addresses as two sockets of one family report them, without their ports. */
bool sock_same_host(const struct sock_addr *a, const struct sock_addr *b);
/* The same, but an IPv6 host counts as its /64, of which one host may use all; not a link-local one. */
bool sock_same_network(const struct sock_addr *a, const struct sock_addr *b);

int sock_local(int fd, struct sock_addr *ret_addr);	/* 0 or negative errno */

/* Options of a socket; 0 and "" leave the system's defaults. */
struct sock_opts {
	uint64_t send_buffer_bytes, receive_buffer_bytes;	/* which the kernel doubles */
	bool nodelay, zerocopy;
	bool udp_joined;		/* sends with sock_send_joined(), receives with
					 * sock_receive_joined() */
	bool timed;		/* received messages have a time: sock_time_utc_ns() */
	uint64_t window_clamp_bytes, mss_bytes, dscp, busy_poll_us, pacing_bps;
	const char *congestion;
};

/* A descriptor with @opts set, or negative errno with @e. @type: SOCK_STREAM or SOCK_DGRAM. */
int sock_open(int family, int type, const struct sock_opts *opts, struct err *e);

/* Bound to @addr and, with SOCK_STREAM, listening. */
int sock_listen(const struct sock_addr *addr, int type, const struct sock_opts *opts, struct err *e);

/* Connects @fd within @timeout_ns or until a signal. */
int sock_connect(int fd, const struct sock_addr *addr, uint64_t timeout_ns, struct err *e);

/* Sets options that are not inherited from the listening socket; on any open one. */
int sock_apply(int fd, const struct sock_opts *opts, struct err *e);

/* Sets the maximum time that a call on @fd waits. */
void sock_set_timeouts(int fd, uint64_t ns);

void sock_set_nonblocking(int fd);

/* Keepalive: an idle connection is closed if the other end is silent for some 15 s. */
void sock_keep_alive(int fd);

/* The socket passed by systemd (sd_listen_fds(3)); -1: none. -errno if there are several. */
int sock_activated(void);

/* The path MTU of the connected @fd, as far as known; 0: unknown. */
size_t sock_mtu_bytes(int fd);

/* Payload bytes that fill one packet on the path of the connected @fd; 0: unknown. */
size_t sock_payload_bytes(int fd);

/*
 * Sets the window clamp again where the kernel has raised it: newer kernels (seen on 6.18) do when
 * the first data show the size of their buffers.
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
/* All that was sent has been acknowledged, the end of it included; or the connection is broken. */
bool sock_is_acked(int fd);
uint64_t sock_buffer_bytes(int fd, bool send);

/* Datagrams that the socket dropped: its buffer was full, or their checksum was wrong. */
uint64_t sock_dropped_packets(int fd);

/*
 * Sends datagrams of @each_bytes that the kernel or the NIC segments (UDP_SEGMENT); receives as
 * many as the kernel joined (UDP_GRO), *@ret_each_bytes each. As sendmsg() and recv(): the bytes,
 * or -1 and errno.
 */
ssize_t sock_send_joined(int fd, struct iovec *iov, size_t nr, size_t each_bytes);
ssize_t sock_receive_joined(int fd, void *buf, size_t size, size_t *ret_each_bytes);

/* Bytes of control data for a message with a time. */
#define SOCK_TIME_BYTES 64

/* When the kernel received the message, before its stack, by CLOCK_REALTIME; 0: unknown. */
uint64_t sock_time_utc_ns(struct msghdr *msg);

/* Completions of MSG_ZEROCOPY so far, and how many of these the kernel copied after all. */
void sock_reap_zerocopy(int fd, uint64_t *done, uint64_t *copied);

/* Identifies this host and boot, so that two ends know whether they share a clock. */
void sock_host_id(char *buf, size_t size);

#endif
