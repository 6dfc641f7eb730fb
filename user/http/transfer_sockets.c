// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * http/transfer_sockets.c - the sockets of transfers, and how many are open.
 */
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "http/transfer_parts.h"

int transfer_sockets_init(struct transfer_sockets *sockets)
{
	long most = sysconf(_SC_OPEN_MAX);

	*sockets = (struct transfer_sockets){ .nr = most > 0 ? (size_t)most : 0 };
	sockets->open = calloc(sockets->nr + 1, sizeof(*sockets->open));
	return sockets->open ? 0 : -ENOMEM;
}

void transfer_sockets_release(struct transfer_sockets *sockets)
{
	free(sockets->open);
	sockets->open = NULL;
}

const struct sockaddr *transfer_sockets_first(const struct transfer_sockets *sockets)
{
	return __atomic_load_n(&sockets->first_is_set, __ATOMIC_ACQUIRE) ?
	       (const struct sockaddr *)&sockets->first : NULL;
}

static void keep_first(struct transfer_sockets *sockets, const struct curl_sockaddr *address)
{
	if (address->addrlen > sizeof(sockets->first) ||
	    __atomic_exchange_n(&sockets->has_first, true, __ATOMIC_RELAXED))
		return;
	memcpy(&sockets->first, &address->addr, address->addrlen);
	__atomic_store_n(&sockets->first_is_set, true, __ATOMIC_RELEASE);
}

/*
 * libcurl (seen in 7.88) closes a socket after a connect timeout without a callback. Its number is
 * then soon reused, which must not count as one more.
 */
static void count(struct transfer_sockets *sockets, int fd, bool open)
{
	if ((size_t)fd >= sockets->nr || __atomic_exchange_n(&sockets->open[fd], open, __ATOMIC_RELAXED) == open)
		return;
	open ? peak_up(&sockets->peak) : peak_down(&sockets->peak);
}

curl_socket_t transfer_socket_open(void *ctx, curlsocktype purpose, struct curl_sockaddr *address)
{
	int fd, one = 1;

	(void)purpose;
	fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
	if (fd < 0)
		return CURL_SOCKET_BAD;
	/* Otherwise a source address would reserve the port for all destinations. */
	setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof(one));
	keep_first(ctx, address);
	count(ctx, fd, true);
	return fd;
}

int transfer_socket_close(void *ctx, curl_socket_t fd)
{
	/* While the number still belongs to this socket. */
	count(ctx, fd, false);
	return close(fd);
}
