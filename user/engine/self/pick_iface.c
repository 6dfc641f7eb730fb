// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/self/pick_iface.c - the interface that is meant where its name is not given.
 */
#include "engine/self/pick_iface.h"

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "sys/net/nic.h"
#include "sys/net/route.h"

static const int families[] = { AF_INET, AF_INET6 };

#define MAX_LEVELS 8		/* of stacked interfaces, as in the kernel */

/* True if @ifindex is @upper, or a port of it: of a bridge, a bond, or one that is a port itself. */
static bool is_port_of(int ifindex, int upper)
{
	struct nic_link link;
	int level;

	for (level = 0; level < MAX_LEVELS && ifindex; level++, ifindex = link.master_ifindex) {
		if (ifindex == upper)
			return true;
		if (nic_read_link(ifindex, -1, &link))
			break;
	}
	return false;
}

/* What a VLAN or the like is on; 0: none, as of a veth, whose other end is the peer of its peer. */
static int lower_of(int ifindex)
{
	struct nic_link link, lower;

	if (nic_read_link(ifindex, -1, &link) || link.peer_nsid >= 0 || link.peer_hidden || !link.peer_ifindex ||
	    nic_read_link(link.peer_ifindex, -1, &lower))
		return 0;
	return lower.peer_nsid < 0 && lower.peer_ifindex == ifindex ? 0 : link.peer_ifindex;
}

bool pick_iface_is_default(const char *ifname)
{
	int ifindex = (int)if_nametoindex(ifname), at, level;
	char name[IF_NAMESIZE];
	size_t i;

	for (i = 0; i < 2; i++) {
		at = route_find_default(families[i], name) ? (int)if_nametoindex(name) : 0;
		for (level = 0; level < MAX_LEVELS && at; level++, at = lower_of(at)) {
			if (is_port_of(ifindex, at))
				return true;
		}
	}
	return false;
}

/* The number of interfaces that are up beside loopback; *@ret_ifname: the last one. */
static unsigned int count_up(char ret_ifname[IF_NAMESIZE])
{
	struct if_nameindex *all = if_nameindex(), *one;
	unsigned int nr = 0;

	for (one = all; one && one->if_name; one++) {
		if (!strcmp(one->if_name, "lo") || !nic_is_up(one->if_name))
			continue;
		nr++;
		snprintf(ret_ifname, IF_NAMESIZE, "%s", one->if_name);
	}
	if (all)
		if_freenameindex(all);
	return nr;
}

static int find_default(char ret_ifname[IF_NAMESIZE], struct err *e)
{
	unsigned int nr;

	if (route_find_default(AF_INET, ret_ifname) || route_find_default(AF_INET6, ret_ifname))
		return 0;
	nr = count_up(ret_ifname);
	if (nr == 1)
		return 0;
	err_usage(e, nr ? "INTERFACE is missing: there is no default route, and several interfaces are up" :
			  "INTERFACE is missing: no interface is up");
	return err_hint(e, "to list the interfaces: ip -brief link");
}

int pick_iface_to(const struct sock_addr *to, char ret_ifname[16], struct err *e)
{
	const struct sockaddr_in6 *ip6 = (const struct sockaddr_in6 *)&to->sa;
	const struct sockaddr_in *ip4 = (const struct sockaddr_in *)&to->sa;

	if (to->sa.sa_family == AF_INET)
		return route_find_iface(AF_INET, &ip4->sin_addr, ret_ifname, e);
	if (ip6->sin6_scope_id && if_indextoname(ip6->sin6_scope_id, ret_ifname))
		return 0;
	return route_find_iface(AF_INET6, &ip6->sin6_addr, ret_ifname, e);
}

int pick_iface(const char **word, char buf[16], struct result *res, struct err *e)
{
	struct sock_addr addr;
	struct nic_facts nic;
	int err;

	if (*word && nic_read(*word, &nic) == 0)
		return 0;
	if (!*word)
		err = find_default(buf, e);
	else if (!strpbrk(*word, ".:"))
		err = nic_unknown(*word, e);
	else if (sock_resolve(*word, 0, AF_UNSPEC, &addr, e))
		err = err_hint(e, "nor is there an interface '%s' here", *word);
	else
		err = pick_iface_to(&addr, buf, e);
	if (err)
		return err;
	*word = buf;
	result_env_str(res, "interface", buf);
	return 0;
}
