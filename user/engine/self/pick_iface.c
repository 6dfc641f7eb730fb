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
#include "sys/socket/sock.h"

static const int families[] = { AF_INET, AF_INET6 };

bool pick_iface_is_default(const char *ifname)
{
	char name[IF_NAMESIZE];
	size_t i;

	for (i = 0; i < 2; i++) {
		if (route_find_default(families[i], name) && !strcmp(name, ifname))
			return true;
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

static int find_route(const char *host, char ret_ifname[IF_NAMESIZE], struct err *e)
{
	struct sock_addr addr;
	const void *dst;

	if (sock_resolve(host, 0, AF_UNSPEC, &addr, e))
		return err_hint(e, "nor is there an interface '%s' here", host);
	dst = addr.sa.sa_family == AF_INET6 ?
	      (const void *)&((const struct sockaddr_in6 *)&addr.sa)->sin6_addr :
	      (const void *)&((const struct sockaddr_in *)&addr.sa)->sin_addr;
	return route_find_iface(addr.sa.sa_family, dst, ret_ifname, e);
}

int pick_iface(const char *word, char ret_ifname[16], struct result *res, struct err *e)
{
	struct nic_facts nic;
	int err;

	if (word && nic_read(word, &nic) == 0) {
		snprintf(ret_ifname, IF_NAMESIZE, "%s", word);
		return 0;
	}
	if (word && !strpbrk(word, ".:"))
		return nic_unknown(word, e);
	err = word ? find_route(word, ret_ifname, e) : find_default(ret_ifname, e);
	if (!err)
		result_env_str(res, "interface", ret_ifname);
	return err;
}
