/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/net/route.h - how packets get to an address: route, source, neighbour.
 */
#ifndef SYS_NET_ROUTE_H
#define SYS_NET_ROUTE_H

#include <stdint.h>

#include <netinet/in.h>

#include "lib/err.h"

struct route_path {
	int family;
	union {
		struct in_addr ip4;
		struct in6_addr ip6;
	} src;			/* the source address that the kernel would take */
	uint8_t dst_mac[6];	/* of the destination, or of the gateway to it */
};

/*
 * Asks the kernel how it would reach @dst (in_addr or in6_addr by @family)
 * through @ifname, and resolves the next hop's MAC address, waiting for its
 * answer at most a second. -ENETUNREACH: no route through that interface;
 * -EHOSTUNREACH: nobody answers. On loopback the MAC addresses are zero.
 */
int route_find(const char *ifname, int family, const void *dst, struct route_path *ret_path,
	       struct err *e);

/*
 * The source address alone, for those who know the MAC address: nobody on the
 * link is asked, and @dst may be an address of this host.
 */
int route_find_source(const char *ifname, int family, const void *dst,
		      struct route_path *ret_path, struct err *e);

/* The interface by which packets to @address leave, and its path MTU so far; nothing is sent. */
int route_find_path_mtu(const char *address, char ret_ifname[16], uint32_t *ret_mtu, struct err *e);

/* The interface that the kernel would reach @dst through, another host. */
int route_find_iface(int family, const void *dst, char ret_ifname[16], struct err *e);

#endif
