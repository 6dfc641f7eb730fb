/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/net/route.h - how packets reach an address: route, source, neighbour.
 */
#ifndef SYS_NET_ROUTE_H
#define SYS_NET_ROUTE_H

#include <stdbool.h>
#include <stdint.h>

#include <netinet/in.h>

#include "lib/err.h"

struct route_path {
	int family;
	union {
		struct in_addr ip4;
		struct in6_addr ip6;
	} src;			/* the source address that the kernel would use */
	uint8_t dst_mac[6];	/* of the destination, or of the gateway to it */
};

/*
 * Asks the kernel for the route to @dst (in_addr or in6_addr by @family) through @ifname, and
 * resolves the next hop's MAC address, waiting for the answer at most a second. -ENETUNREACH: no
 * route through that interface; -EHOSTUNREACH: no answer. On loopback the MAC addresses are zero.
 */
int route_find(const char *ifname, int family, const void *dst, struct route_path *ret_path,
	       struct err *e);

/*
 * Only the source address, if the MAC address is known: sends no request, and @dst may be an
 * address of this host.
 */
int route_find_source(const char *ifname, int family, const void *dst,
		      struct route_path *ret_path, struct err *e);

/*
 * The interface through which packets to @address leave, and the path MTU known so far; sends
 * nothing.
 */
int route_find_path_mtu(const char *address, char ret_ifname[16], uint32_t *ret_mtu, struct err *e);

/* Whether @dst is a neighbour on @ifname, by the route: no gateway leads to it. It may be an address of this host. */
bool route_is_direct(const char *ifname, int family, const void *dst);

/* The interface through which the kernel would reach @dst, another host. */
int route_find_iface(int family, const void *dst, char ret_ifname[16], struct err *e);

/*
 * Whether this namespace waits for a neighbour's address: it keeps some packets to it until then, and drops them when
 * no answer comes, by default 3 s after the first.
 */
bool route_waits_for_neighbour(void);

/*
 * The interface of the default route by @family: packets to the Internet leave through it. Sends
 * nothing. False if there is none.
 */
bool route_find_default(int family, char ret_ifname[16]);

#endif
