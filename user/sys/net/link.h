/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/net/link.h - create and configure interfaces, by netlink and ethtool in the calling thread's
 * network namespace.
 *
 * A struct link_net refers to the namespace in which it was opened.
 */
#ifndef SYS_NET_LINK_H
#define SYS_NET_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include <net/if.h>

#include "lib/err.h"

struct link_net;

int link_open(struct link_net **ret_net, struct err *e);
void link_close(struct link_net *net);		/* takes NULL */

struct link_end {
	const char *ifname;
	const uint8_t *mac;
	int ns_fd;
};

/*
 * Creates a veth pair with @queues receive and transmit queues at both ends, each in its namespace.
 */
int link_add_veth(struct link_net *net, const struct link_end ends[2], uint32_t queues,
		  uint32_t mtu, struct err *e);

/* Creates a bridge that sends nothing itself: no spanning tree, no multicast snooping. */
int link_add_bridge(struct link_net *net, const char *ifname, const uint8_t *mac, struct err *e);
int link_set_master(struct link_net *net, const char *ifname, const char *master, struct err *e);
int link_set_up(struct link_net *net, const char *ifname, struct err *e);
int link_set_alias(struct link_net *net, const char *ifname, const char *alias, struct err *e);
int link_delete(struct link_net *net, const char *ifname, struct err *e);

/*
 * @cidr: "198.18.0.1/24"; an IPv6 address is usable immediately, without duplicate address
 * detection.
 */
int link_add_address(struct link_net *net, const char *ifname, const char *cidr, struct err *e);

/* Adds a default route; @ifname must be up. */
int link_add_default_route(struct link_net *net, const char *ifname, const char *gateway,
			   struct err *e);

/* Adds a permanent neighbour entry; @ifname must be up. */
int link_add_neighbour(struct link_net *net, const char *ifname, const char *address,
		       const uint8_t *mac, struct err *e);

/*
 * Changes features by the kernel's names ("rx-gro"; most are in ethtool -k); the lists end in NULL.
 * Features unknown to the kernel or fixed in the driver are left as they are.
 */
int link_set_features(const char *ifname, const char *const *off, const char *const *on,
		      struct err *e);

struct link_facts {
	int ifindex;
	bool running;		/* both ends are up */
	uint8_t mac[6];
	uint32_t mtu, queues;	/* receive queues */
	char kind[IFNAMSIZ];	/* "veth", "bridge"; "" for a physical interface */
	char alias[64];
	char ip4[128], ip6[160];	/* addresses with prefix length, joined by ','; without
					 * link-local ones */
};

/* 0, or negative errno: -ENODEV. */
int link_read(struct link_net *net, const char *ifname, struct link_facts *ret_facts);

#endif
