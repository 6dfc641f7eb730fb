// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/socket/sock.c - sockets of the transport tests.
 */
#include "sys/socket/sock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <linux/errqueue.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <linux/udp.h>

#include "lib/loop.h"
#include "sys/host/sysctl.h"
#include "sys/host/sysfs.h"

#ifndef SOL_UDP
#define SOL_UDP		17
#endif
#define TCP_CLOSED	7		/* TCP_CLOSE of net/tcp_states.h, which is the kernel's own */
#define BACKLOG		1024
#define SIGNAL_MS	50		/* how long a signal may go unseen */
#define FIRST_FD	3		/* SD_LISTEN_FDS_START */
#define MAX_MTU		9000		/* loopback's MTU would not be a packet of any real link */

/* A name's addresses, asked for in a thread: the resolver waits for seconds, whatever signal comes. */
struct lookup {
	pthread_t thread;
	struct addrinfo hints, *list;
	char *host, service[8];
	int err;
};

static void *lookup_main(void *arg)
{
	struct lookup *lookup = arg;

	lookup->err = getaddrinfo(lookup->host, lookup->service, &lookup->hints, &lookup->list);
	return NULL;
}

/* As getaddrinfo(), or EAI_INTR: a signal came. The thread then ends with the process. */
static int look_up(const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **ret_list)
{
	struct lookup *lookup = calloc(1, sizeof(*lookup));
	struct timespec until;
	int err = 0;

	if (!lookup)
		return EAI_MEMORY;
	lookup->hints = *hints;
	lookup->host = strdup(host);
	memcpy(lookup->service, service, sizeof(lookup->service));
	if (!lookup->host || pthread_create(&lookup->thread, NULL, lookup_main, lookup)) {
		free(lookup->host);
		free(lookup);
		return EAI_MEMORY;
	}
	do {
		if (loop_signal())
			return EAI_INTR;
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += SIGNAL_MS * 1000000l;
		until.tv_sec += until.tv_nsec / (long)NSEC_PER_SEC;
		until.tv_nsec %= (long)NSEC_PER_SEC;
	} while (pthread_timedjoin_np(lookup->thread, NULL, &until) == ETIMEDOUT);
	err = lookup->err;
	*ret_list = lookup->list;
	free(lookup->host);
	free(lookup);
	return err;
}

int sock_resolve(const char *host, uint16_t port, int family, struct sock_addr *ret_addr,
		 struct err *e)
{
	struct addrinfo hints = {
		.ai_family = family, .ai_socktype = SOCK_STREAM, .ai_flags = host ? AI_NUMERICHOST : AI_PASSIVE,
	};
	struct addrinfo *list;
	char service[8];
	int err;

	snprintf(service, sizeof(service), "%u", port);
	err = getaddrinfo(host, service, &hints, &list);
	if (err == EAI_NONAME && host) {
		hints.ai_flags = 0;
		err = look_up(host, service, &hints, &list);
	}
	if (err == EAI_INTR)
		return err_set(e, -EINTR, "cannot resolve '%s'", host);
	if (err)
		return err_usage(e, "cannot resolve '%s': %s", host ? host : "any",
				 gai_strerror(err));
	memcpy(&ret_addr->storage, list->ai_addr, list->ai_addrlen);
	ret_addr->len = list->ai_addrlen;
	freeaddrinfo(list);
	return 0;
}

void sock_set_port(struct sock_addr *addr, uint16_t port)
{
	if (addr->sa.sa_family == AF_INET6)
		((struct sockaddr_in6 *)&addr->storage)->sin6_port = htons(port);
	else
		((struct sockaddr_in *)&addr->storage)->sin_port = htons(port);
}

uint16_t sock_port(const struct sock_addr *addr)
{
	if (addr->sa.sa_family == AF_INET6)
		return ntohs(((const struct sockaddr_in6 *)&addr->storage)->sin6_port);
	return ntohs(((const struct sockaddr_in *)&addr->storage)->sin_port);
}

const char *sock_text(const struct sock_addr *addr, char buf[SOCK_TEXT_BYTES])
{
	static const char mapped[] = "::ffff:";

	if (getnameinfo(&addr->sa, addr->len, buf, SOCK_TEXT_BYTES, NULL, 0, NI_NUMERICHOST))
		snprintf(buf, SOCK_TEXT_BYTES, "?");
	if (!strncmp(buf, mapped, sizeof(mapped) - 1) && strchr(buf, '.'))
		memmove(buf, buf + sizeof(mapped) - 1, strlen(buf) - sizeof(mapped) + 2);
	return buf;
}

bool sock_is_any(const struct sock_addr *addr)
{
	const struct in6_addr *ip6 = &((const struct sockaddr_in6 *)&addr->storage)->sin6_addr;

	if (addr->sa.sa_family == AF_INET6)
		return IN6_IS_ADDR_UNSPECIFIED(ip6) || (IN6_IS_ADDR_V4MAPPED(ip6) && !ip6->s6_addr32[3]);
	return !((const struct sockaddr_in *)&addr->storage)->sin_addr.s_addr;
}

bool sock_same_host(const struct sock_addr *a, const struct sock_addr *b)
{
	if (a->sa.sa_family != b->sa.sa_family)
		return false;
	if (a->sa.sa_family == AF_INET6)
		return !memcmp(&((const struct sockaddr_in6 *)&a->storage)->sin6_addr,
			       &((const struct sockaddr_in6 *)&b->storage)->sin6_addr,
			       sizeof(struct in6_addr));
	return ((const struct sockaddr_in *)&a->storage)->sin_addr.s_addr ==
	       ((const struct sockaddr_in *)&b->storage)->sin_addr.s_addr;
}

bool sock_same_network(const struct sock_addr *a, const struct sock_addr *b)
{
	const struct in6_addr *left = &((const struct sockaddr_in6 *)&a->storage)->sin6_addr;
	const struct in6_addr *right = &((const struct sockaddr_in6 *)&b->storage)->sin6_addr;

	/* ::1 and the IPv4 hosts of an IPv6 socket have the same first half. */
	if (a->sa.sa_family != AF_INET6 || b->sa.sa_family != AF_INET6 || IN6_IS_ADDR_LINKLOCAL(left) ||
	    IN6_IS_ADDR_V4MAPPED(left) != IN6_IS_ADDR_V4MAPPED(right) || IN6_IS_ADDR_V4MAPPED(left))
		return sock_same_host(a, b);
	return !memcmp(left, right, sizeof(struct in6_addr) / 2);
}

static int read_peer(int fd, struct sock_addr *ret_addr)
{
	ret_addr->len = sizeof(ret_addr->storage);
	return getpeername(fd, &ret_addr->sa, &ret_addr->len) ? -errno : 0;
}

int sock_local(int fd, struct sock_addr *ret_addr)
{
	ret_addr->len = sizeof(ret_addr->storage);
	return getsockname(fd, &ret_addr->sa, &ret_addr->len) ? -errno : 0;
}

static int set(int fd, int level, int name, uint64_t value, const char *what, struct err *e)
{
	int number = (int)value;

	if (!setsockopt(fd, level, name, &number, sizeof(number)))
		return 0;
	return err_set(e, -errno, "cannot set %s to %d", what, number);
}

/* Above the system's limit with CAP_NET_ADMIN, otherwise as the kernel limits it. */
static int set_buffer(int fd, bool send, uint64_t bytes, struct err *e)
{
	int value = (int)bytes;

	if (!bytes || !setsockopt(fd, SOL_SOCKET, send ? SO_SNDBUFFORCE : SO_RCVBUFFORCE, &value,
				  sizeof(value)))
		return 0;
	return set(fd, SOL_SOCKET, send ? SO_SNDBUF : SO_RCVBUF, bytes,
		   send ? "the send buffer" : "the receive buffer", e);
}

static int set_dscp(int fd, uint64_t dscp, struct err *e)
{
	struct sock_addr local;
	int err = 0;

	if (!dscp)
		return 0;
	/* An IPv6 socket may carry IPv4: set both. */
	if (!sock_local(fd, &local) && local.sa.sa_family == AF_INET6)
		err = set(fd, IPPROTO_IPV6, IPV6_TCLASS, dscp << 2, "the traffic class", e);
	return err ? err : set(fd, IPPROTO_IP, IP_TOS, dscp << 2, "the DSCP", e);
}

/* Without UDP_GRO (before Linux 5.0) each is received separately. */
static int set_joined(int fd, struct err *e)
{
	int one = 1, none = 0;

	setsockopt(fd, SOL_UDP, UDP_GRO, &one, sizeof(one));
	if (!setsockopt(fd, SOL_UDP, UDP_SEGMENT, &none, sizeof(none)))
		return 0;
	return err_set(e, -errno, "cannot send joined datagrams (UDP_SEGMENT, Linux 4.18)");
}

static int set_congestion(int fd, const char *name, struct err *e)
{
	char allowed[128];

	if (!setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, (socklen_t)strlen(name)))
		return 0;
	err_set(e, -errno, "cannot use the congestion control '%s'", name);
	if (e->no == -EPERM && sysctl_read("net.ipv4.tcp_allowed_congestion_control", allowed,
					   sizeof(allowed)) == 0)
		return err_hint(e, "without CAP_NET_ADMIN that end may use: %s; to allow more: "
				"sysctl -w net.ipv4.tcp_allowed_congestion_control='%s %s'", allowed, allowed,
				name);
	return err_hint(e, "list them: sysctl net.ipv4.tcp_available_congestion_control");
}

/* A listening socket passes these on, except SO_MAX_PACING_RATE and IP_TOS of IPv6. */
int sock_apply(int fd, const struct sock_opts *opts, struct err *e)
{
	uint64_t pacing_bytes = opts->pacing_bps / 8;
	int err = 0;

	err = set_buffer(fd, true, opts->send_buffer_bytes, e);
	if (!err)
		err = set_buffer(fd, false, opts->receive_buffer_bytes, e);
	if (!err)
		err = set_dscp(fd, opts->dscp, e);
	if (!err && opts->busy_poll_us)
		err = set(fd, SOL_SOCKET, SO_BUSY_POLL, opts->busy_poll_us, "SO_BUSY_POLL", e);
	if (!err && opts->nodelay)
		err = set(fd, IPPROTO_TCP, TCP_NODELAY, 1, "TCP_NODELAY", e);
	if (!err && opts->udp_joined)
		err = set_joined(fd, e);
	if (!err && opts->timed)
		err = set(fd, SOL_SOCKET, SO_TIMESTAMPNS, 1, "SO_TIMESTAMPNS", e);
	if (!err && opts->zerocopy)
		err = set(fd, SOL_SOCKET, SO_ZEROCOPY, 1, "SO_ZEROCOPY", e);
	if (!err && opts->window_clamp_bytes)
		err = set(fd, IPPROTO_TCP, TCP_WINDOW_CLAMP, opts->window_clamp_bytes,
			  "the window clamp", e);
	if (!err && opts->mss_bytes)
		err = set(fd, IPPROTO_TCP, TCP_MAXSEG, opts->mss_bytes, "the segment size", e);
	if (!err && opts->congestion && *opts->congestion)
		err = set_congestion(fd, opts->congestion, e);
	/* 64 bits from Linux 4.20 on. */
	if (!err && pacing_bytes && setsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &pacing_bytes,
					       sizeof(pacing_bytes)))
		err = err_set(e, -errno, "cannot set SO_MAX_PACING_RATE");
	return err;
}

int sock_open(int family, int type, const struct sock_opts *opts, struct err *e)
{
	int fd = socket(family, type | SOCK_CLOEXEC, 0), one = 1;

	if (fd < 0)
		return err_set(e, -errno, "cannot open a socket");
	/* With it, two UDP sockets could share a port. */
	if (type == SOCK_STREAM)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (opts && sock_apply(fd, opts, e)) {
		close(fd);
		return e->no;
	}
	return fd;
}

int sock_listen(const struct sock_addr *addr, int type, const struct sock_opts *opts, struct err *e)
{
	int fd = sock_open(addr->sa.sa_family, type, opts, e), off = 0;
	char text[SOCK_TEXT_BYTES];

	if (fd < 0)
		return fd;
	if (addr->sa.sa_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	if (!bind(fd, &addr->sa, addr->len) && (type != SOCK_STREAM || !listen(fd, BACKLOG)))
		return fd;
	err_set(e, -errno, "cannot listen on port %u of '%s'", sock_port(addr),
		sock_text(addr, text));
	if (e->no == -EADDRINUSE)
		err_hint(e, "see which process uses it: ss -lnp sport = %u", sock_port(addr));
	close(fd);
	return e->no;
}

/* 0 or errno. A signal that comes right before a poll() does not end it, so that none is longer than SIGNAL_MS. */
static int wait_connected(int fd, uint64_t timeout_ns)
{
	struct pollfd wait = { .fd = fd, .events = POLLOUT };
	uint64_t end_ns = loop_mono_ns() + timeout_ns;
	int ready, err = 0;
	socklen_t len = sizeof(err);

	do {
		ready = poll(&wait, 1, SIGNAL_MS);
		if (ready > 0)
			return getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len) ? errno : err;
		if (ready < 0 || loop_signal())
			return EINTR;
	} while (loop_mono_ns() < end_ns);
	return ETIMEDOUT;
}

int sock_connect(int fd, const struct sock_addr *addr, uint64_t timeout_ns, struct err *e)
{
	int flags = fcntl(fd, F_GETFL), err = 0;
	char text[SOCK_TEXT_BYTES];

	fcntl(fd, F_SETFL, flags | O_NONBLOCK);
	if (connect(fd, &addr->sa, addr->len))
		err = errno == EINPROGRESS ? wait_connected(fd, timeout_ns) : errno;
	fcntl(fd, F_SETFL, flags);
	if (!err)
		return 0;
	return err_set(e, -err, "cannot connect to port %u of '%s'", sock_port(addr),
		       sock_text(addr, text));
}

void sock_set_timeouts(int fd, uint64_t ns)
{
	struct timeval tv = {
		.tv_sec = (time_t)(ns / NSEC_PER_SEC),
		.tv_usec = (suseconds_t)(ns % NSEC_PER_SEC / 1000),
	};

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv));
}

void sock_set_nonblocking(int fd)
{
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

void sock_keep_alive(int fd)
{
	int one = 1, idle_s = 5, every_s = 3, count = 3;
	unsigned int user_ms = 15000;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof(one));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof(idle_s));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &every_s, sizeof(every_s));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof(count));
	setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &user_ms, sizeof(user_ms));
}

int sock_activated(void)
{
	const char *pid = getenv("LISTEN_PID"), *fds = getenv("LISTEN_FDS");

	if (!pid || !fds || strtol(pid, NULL, 10) != getpid())
		return -1;
	if (strcmp(fds, "1"))
		return -EINVAL;
	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	fcntl(FIRST_FD, F_SETFD, FD_CLOEXEC);
	return FIRST_FD;
}

size_t sock_mtu_bytes(int fd)
{
	socklen_t len = sizeof(int);
	struct sock_addr peer;
	int mtu = 0;

	if (read_peer(fd, &peer))
		return 0;
	if (peer.sa.sa_family == AF_INET6)
		getsockopt(fd, IPPROTO_IPV6, IPV6_MTU, &mtu, &len);
	else
		getsockopt(fd, IPPROTO_IP, IP_MTU, &mtu, &len);
	return mtu > 0 ? (size_t)mtu : 0;
}

size_t sock_payload_bytes(int fd)
{
	size_t mtu = sock_mtu_bytes(fd), headers;
	struct sock_addr peer;

	if (read_peer(fd, &peer))
		return 0;
	headers = peer.sa.sa_family == AF_INET6 ? 48 : 28;
	mtu = mtu < MAX_MTU ? mtu : MAX_MTU;
	return mtu > headers ? mtu - headers : 0;
}

void sock_keep_clamp(int fd, uint64_t bytes)
{
	socklen_t len = sizeof(int);
	int now = 0, clamp = (int)bytes;

	if (!getsockopt(fd, IPPROTO_TCP, TCP_WINDOW_CLAMP, &now, &len) && now > clamp)
		setsockopt(fd, IPPROTO_TCP, TCP_WINDOW_CLAMP, &clamp, sizeof(clamp));
}

int sock_read_tcp(int fd, struct sock_tcp *ret_tcp)
{
	struct tcp_info info = { 0 };
	socklen_t len = sizeof(info);
	char congestion[16] = "";

	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len))
		return -errno;
	*ret_tcp = (struct sock_tcp){
		.acked_bytes = info.tcpi_bytes_acked, .retransmits = info.tcpi_total_retrans,
		.retransmitted_bytes = info.tcpi_bytes_retrans, .rtt_us = info.tcpi_rtt,
		.rtt_var_us = info.tcpi_rttvar,
		.min_rtt_us = info.tcpi_min_rtt == UINT32_MAX ? 0 : info.tcpi_min_rtt,
		.cwnd_packets = info.tcpi_snd_cwnd, .mss_bytes = info.tcpi_snd_mss,
		.delivery_bps = info.tcpi_delivery_rate * 8,
		.pacing_bps = info.tcpi_pacing_rate == UINT64_MAX ? 0 : info.tcpi_pacing_rate * 8,
		.busy_us = info.tcpi_busy_time, .rwnd_limited_us = info.tcpi_rwnd_limited,
		.sndbuf_limited_us = info.tcpi_sndbuf_limited,
		.delivered_ce_packets = info.tcpi_delivered_ce, .reordering_seen = info.tcpi_reord_seen,
	};
	len = sizeof(congestion);
	if (!getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, congestion, &len))
		snprintf(ret_tcp->congestion, sizeof(ret_tcp->congestion), "%.15s", congestion);
	return 0;
}

bool sock_is_acked(int fd)
{
	struct tcp_info info = { 0 };
	socklen_t len = sizeof(info);

	return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) || info.tcpi_state == TCP_CLOSED ||
	       (!info.tcpi_unacked && !info.tcpi_notsent_bytes);
}

uint64_t sock_buffer_bytes(int fd, bool send)
{
	socklen_t len = sizeof(int);
	int bytes = 0;

	getsockopt(fd, SOL_SOCKET, send ? SO_SNDBUF : SO_RCVBUF, &bytes, &len);
	return (uint64_t)bytes;
}

uint64_t sock_dropped_packets(int fd)
{
	uint32_t memory[SK_MEMINFO_VARS] = { 0 };
	socklen_t len = sizeof(memory);

	return getsockopt(fd, SOL_SOCKET, SO_MEMINFO, memory, &len) ? 0 : memory[SK_MEMINFO_DROPS];
}

ssize_t sock_send_joined(int fd, struct iovec *iov, size_t nr, size_t each_bytes)
{
	char control[CMSG_SPACE(sizeof(uint16_t))] __attribute__((aligned(8))) = { 0 };
	struct msghdr msg = {
		.msg_iov = iov, .msg_iovlen = nr, .msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);
	uint16_t each = (uint16_t)each_bytes;

	cmsg->cmsg_level = SOL_UDP;
	cmsg->cmsg_type = UDP_SEGMENT;
	cmsg->cmsg_len = CMSG_LEN(sizeof(each));
	memcpy(CMSG_DATA(cmsg), &each, sizeof(each));
	return sendmsg(fd, &msg, MSG_NOSIGNAL);
}

ssize_t sock_receive_joined(int fd, void *buf, size_t size, size_t *ret_each_bytes)
{
	char control[CMSG_SPACE(sizeof(int))] __attribute__((aligned(8)));
	struct iovec iov = { buf, size };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
		.msg_controllen = sizeof(control),
	};
	ssize_t got = recvmsg(fd, &msg, 0);
	struct cmsghdr *cmsg;
	int each;

	if (got < 0)
		return got;
	*ret_each_bytes = (size_t)got;
	for (cmsg = CMSG_FIRSTHDR(&msg); cmsg; cmsg = CMSG_NXTHDR(&msg, cmsg)) {
		if (cmsg->cmsg_level != SOL_UDP || cmsg->cmsg_type != UDP_GRO)
			continue;
		memcpy(&each, CMSG_DATA(cmsg), sizeof(each));
		if (each > 0)
			*ret_each_bytes = (size_t)each;
	}
	return got;
}

uint64_t sock_time_utc_ns(struct msghdr *msg)
{
	struct cmsghdr *cmsg;
	struct timespec at;

	for (cmsg = CMSG_FIRSTHDR(msg); cmsg; cmsg = CMSG_NXTHDR(msg, cmsg)) {
		if (cmsg->cmsg_level != SOL_SOCKET || cmsg->cmsg_type != SCM_TIMESTAMPNS)
			continue;
		memcpy(&at, CMSG_DATA(cmsg), sizeof(at));
		return (uint64_t)at.tv_sec * NSEC_PER_SEC + (uint64_t)at.tv_nsec;
	}
	return 0;
}

void sock_reap_zerocopy(int fd, uint64_t *done, uint64_t *copied)
{
	const struct sock_extended_err *report;
	struct cmsghdr *cmsg;
	char control[128];
	struct msghdr msg;
	uint64_t range;

	for (;;) {
		msg = (struct msghdr){ .msg_control = control, .msg_controllen = sizeof(control) };
		if (recvmsg(fd, &msg, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
			return;
		for (cmsg = CMSG_FIRSTHDR(&msg); cmsg; cmsg = CMSG_NXTHDR(&msg, cmsg)) {
			report = (const struct sock_extended_err *)CMSG_DATA(cmsg);
			if (report->ee_errno || report->ee_origin != SO_EE_ORIGIN_ZEROCOPY)
				continue;
			range = (uint64_t)(report->ee_data - report->ee_info) + 1;
			*done += range;
			if (report->ee_code & SO_EE_CODE_ZEROCOPY_COPIED)
				*copied += range;
		}
	}
}

void sock_host_id(char *buf, size_t size)
{
	if (sysfs_read("/proc/sys/kernel/random/boot_id", buf, size) <= 0)
		*buf = '\0';
}
