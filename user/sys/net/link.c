// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/net/link.c - make and wire interfaces.
 */
#include "sys/net/link.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/ethtool.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <netlink/attr.h>
#include <netlink/errno.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/route/addr.h>
#include <netlink/route/link.h>
#include <netlink/route/link/veth.h>
#include <netlink/route/neighbour.h>
#include <netlink/route/route.h>

/* The handle is libnl's socket; its type stays in this file. */
static struct nl_sock *sock_of(struct link_net *net)
{
	return (struct nl_sock *)net;
}

/* libnl folds the kernel's errno into numbers of its own; this is the way back. */
static int to_errno(int nl_error)
{
	switch (-nl_error) {
	case NLE_SUCCESS:
		return 0;
	case NLE_PERM:
	case NLE_NOACCESS:
		return -EPERM;
	case NLE_NOMEM:
		return -ENOMEM;
	case NLE_EXIST:
		return -EEXIST;
	case NLE_INVAL:
		return -EINVAL;
	case NLE_RANGE:
		return -ERANGE;
	case NLE_OPNOTSUPP:
		return -EOPNOTSUPP;
	case NLE_AF_NOSUPPORT:
		return -EAFNOSUPPORT;
	case NLE_NODEV:
	case NLE_OBJ_NOTFOUND:
		return -ENODEV;
	case NLE_NOADDR:
		return -EADDRNOTAVAIL;
	case NLE_BUSY:
		return -EBUSY;
	default:
		return -EIO;
	}
}

int link_open(struct link_net **ret_net, struct err *e)
{
	struct nl_sock *sock = nl_socket_alloc();
	int err;

	if (!sock)
		return err_set(e, -ENOMEM, "cannot open a netlink socket");
	err = nl_connect(sock, NETLINK_ROUTE);
	if (err) {
		nl_socket_free(sock);
		return err_set(e, to_errno(err), "cannot open a netlink socket");
	}
	*ret_net = (struct link_net *)sock;
	return 0;
}

void link_close(struct link_net *net)
{
	if (net)
		nl_socket_free(sock_of(net));
}

static int set_mac(struct rtnl_link *link, const uint8_t *mac)
{
	struct nl_addr *addr = nl_addr_build(AF_LLC, mac, 6);

	if (!addr)
		return -NLE_NOMEM;
	rtnl_link_set_addr(link, addr);
	nl_addr_put(addr);
	return 0;
}

static int fill_end(struct rtnl_link *link, const struct link_end *end, uint32_t queues,
		    uint32_t mtu)
{
	rtnl_link_set_name(link, end->ifname);
	rtnl_link_set_ns_fd(link, end->ns_fd);
	rtnl_link_set_num_rx_queues(link, queues);
	rtnl_link_set_num_tx_queues(link, queues);
	rtnl_link_set_mtu(link, mtu);
	return set_mac(link, end->mac);
}

static int add_error(int nl_error, const char *kind, struct err *e)
{
	if (nl_error == -NLE_OPNOTSUPP) {
		err_machine(e, -EOPNOTSUPP, "cannot make a %s", kind);
		return err_hint(e, "load the kernel's module: modprobe %s", kind);
	}
	return err_set(e, to_errno(nl_error), "cannot make a %s", kind);
}

int link_add_veth(struct link_net *net, const struct link_end ends[2], uint32_t queues,
		  uint32_t mtu, struct err *e)
{
	struct rtnl_link *link = rtnl_link_veth_alloc(), *peer = NULL;
	int err = -NLE_NOMEM;

	if (link)
		peer = rtnl_link_veth_get_peer(link);
	if (peer)
		err = fill_end(link, &ends[0], queues, mtu);
	if (!err)
		err = fill_end(peer, &ends[1], queues, mtu);
	if (!err)
		err = rtnl_link_add(sock_of(net), link, NLM_F_CREATE | NLM_F_EXCL);
	if (err)
		err = add_error(err, "veth", e);
	rtnl_link_put(peer);
	rtnl_link_put(link);
	return err;
}

/* By hand: libnl 3.7 knows nothing of multicast snooping. */
static int fill_bridge(struct nl_msg *msg, const char *ifname, const uint8_t *mac)
{
	struct ifinfomsg info = { .ifi_family = AF_UNSPEC };
	struct nlattr *linkinfo, *data;

	if (nlmsg_append(msg, &info, sizeof(info), NLMSG_ALIGNTO) ||
	    nla_put_string(msg, IFLA_IFNAME, ifname) || nla_put(msg, IFLA_ADDRESS, 6, mac))
		return -NLE_NOMEM;
	linkinfo = nla_nest_start(msg, IFLA_LINKINFO);
	if (!linkinfo || nla_put_string(msg, IFLA_INFO_KIND, "bridge"))
		return -NLE_NOMEM;
	data = nla_nest_start(msg, IFLA_INFO_DATA);
	if (!data || nla_put_u32(msg, IFLA_BR_STP_STATE, 0) ||
	    nla_put_u8(msg, IFLA_BR_MCAST_SNOOPING, 0))
		return -NLE_NOMEM;
	nla_nest_end(msg, data);
	nla_nest_end(msg, linkinfo);
	return 0;
}

int link_add_bridge(struct link_net *net, const char *ifname, const uint8_t *mac, struct err *e)
{
	struct nl_msg *msg;
	int err = -NLE_NOMEM;

	msg = nlmsg_alloc_simple(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL);
	if (msg)
		err = fill_bridge(msg, ifname, mac);
	if (!err) {
		err = nl_send_sync(sock_of(net), msg);
		msg = NULL;		/* freed by it */
	}
	nlmsg_free(msg);
	return err ? add_error(err, "bridge", e) : 0;
}

static int index_of(struct link_net *net, const char *ifname, struct err *e)
{
	struct rtnl_link *link;
	int err, index;

	err = rtnl_link_get_kernel(sock_of(net), 0, ifname, &link);
	if (err)
		return err_set(e, to_errno(err), "cannot find interface '%s'", ifname);
	index = rtnl_link_get_ifindex(link);
	rtnl_link_put(link);
	return index;
}

/* Applies @changes to @ifname and frees them. */
static int change(struct link_net *net, const char *ifname, struct rtnl_link *changes,
		  struct err *e)
{
	struct rtnl_link *link = rtnl_link_alloc();
	int err = -NLE_NOMEM, index;

	index = index_of(net, ifname, e);
	if (index < 0) {
		err = index;
		goto out;
	}
	if (link && changes) {
		rtnl_link_set_ifindex(link, index);
		rtnl_link_set_ifindex(changes, index);
		err = rtnl_link_change(sock_of(net), link, changes, 0);
	}
	if (err)
		err = err_set(e, to_errno(err), "cannot configure interface '%s'", ifname);
out:
	rtnl_link_put(changes);
	rtnl_link_put(link);
	return err;
}

int link_set_up(struct link_net *net, const char *ifname, struct err *e)
{
	struct rtnl_link *changes = rtnl_link_alloc();

	if (changes)
		rtnl_link_set_flags(changes, IFF_UP);
	return change(net, ifname, changes, e);
}

int link_set_alias(struct link_net *net, const char *ifname, const char *alias, struct err *e)
{
	struct rtnl_link *changes = rtnl_link_alloc();

	if (changes)
		rtnl_link_set_ifalias(changes, alias);
	return change(net, ifname, changes, e);
}

int link_set_master(struct link_net *net, const char *ifname, const char *master, struct err *e)
{
	int index, master_index, err;

	index = index_of(net, ifname, e);
	if (index < 0)
		return index;
	master_index = index_of(net, master, e);
	if (master_index < 0)
		return master_index;
	err = rtnl_link_enslave_ifindex(sock_of(net), master_index, index);
	return err ? err_set(e, to_errno(err), "cannot put '%s' into '%s'", ifname, master) : 0;
}

int link_delete(struct link_net *net, const char *ifname, struct err *e)
{
	struct rtnl_link *link = rtnl_link_alloc();
	int err = -NLE_NOMEM, index;

	index = index_of(net, ifname, e);
	if (index < 0) {
		err = index;
		goto out;
	}
	if (link) {
		rtnl_link_set_ifindex(link, index);
		err = rtnl_link_delete(sock_of(net), link);
	}
	if (err)
		err = err_set(e, to_errno(err), "cannot delete interface '%s'", ifname);
out:
	rtnl_link_put(link);
	return err;
}

int link_add_address(struct link_net *net, const char *ifname, const char *cidr, struct err *e)
{
	struct rtnl_addr *addr = rtnl_addr_alloc();
	struct nl_addr *local = NULL;
	int index, err;

	index = index_of(net, ifname, e);
	if (index < 0) {
		err = index;
		goto out;
	}
	err = addr ? nl_addr_parse(cidr, AF_UNSPEC, &local) : -NLE_NOMEM;
	if (!err)
		err = rtnl_addr_set_local(addr, local);
	if (!err) {
		rtnl_addr_set_ifindex(addr, index);
		if (nl_addr_get_family(local) == AF_INET6)
			rtnl_addr_set_flags(addr, IFA_F_NODAD);
		err = rtnl_addr_add(sock_of(net), addr, 0);
	}
	if (err)
		err = err_set(e, to_errno(err), "cannot give '%s' the address '%s'", ifname, cidr);
out:
	nl_addr_put(local);
	rtnl_addr_put(addr);
	return err;
}

int link_add_default_route(struct link_net *net, const char *ifname, const char *gateway,
			   struct err *e)
{
	struct rtnl_nexthop *hop = rtnl_route_nh_alloc();
	struct rtnl_route *route = rtnl_route_alloc();
	struct nl_addr *via = NULL, *dst = NULL;
	int index, err;

	index = index_of(net, ifname, e);
	if (index < 0) {
		err = index;
		goto out;
	}
	err = hop && route ? nl_addr_parse(gateway, AF_UNSPEC, &via) : -NLE_NOMEM;
	if (!err)
		err = nl_addr_parse("default", nl_addr_get_family(via), &dst);
	if (!err)
		err = rtnl_route_set_dst(route, dst);
	if (!err) {
		rtnl_route_nh_set_ifindex(hop, index);
		rtnl_route_nh_set_gateway(hop, via);
		/* The kernel may not have the connected route yet when the carrier has just come. */
		rtnl_route_nh_set_flags(hop, RTNH_F_ONLINK);
		rtnl_route_add_nexthop(route, hop);
		hop = NULL;		/* the route's now */
		err = rtnl_route_add(sock_of(net), route, NLM_F_EXCL);
	}
	if (err)
		err = err_set(e, to_errno(err), "cannot add the default route by '%s'", gateway);
out:
	if (hop)
		rtnl_route_nh_free(hop);
	nl_addr_put(dst);
	nl_addr_put(via);
	rtnl_route_put(route);
	return err;
}

int link_add_neighbour(struct link_net *net, const char *ifname, const char *address,
		       const uint8_t *mac, struct err *e)
{
	struct nl_addr *dst = NULL, *lladdr = nl_addr_build(AF_LLC, mac, 6);
	struct rtnl_neigh *neigh = rtnl_neigh_alloc();
	int index, err;

	index = index_of(net, ifname, e);
	if (index < 0) {
		err = index;
		goto out;
	}
	err = neigh && lladdr ? nl_addr_parse(address, AF_UNSPEC, &dst) : -NLE_NOMEM;
	if (!err) {
		rtnl_neigh_set_ifindex(neigh, index);
		rtnl_neigh_set_lladdr(neigh, lladdr);
		rtnl_neigh_set_state(neigh, NUD_PERMANENT);
		err = rtnl_neigh_set_dst(neigh, dst);
	}
	if (!err)
		err = rtnl_neigh_add(sock_of(net), neigh, NLM_F_CREATE | NLM_F_REPLACE);
	if (err)
		err = err_set(e, to_errno(err), "cannot add the neighbour '%s'", address);
out:
	nl_addr_put(lladdr);
	nl_addr_put(dst);
	rtnl_neigh_put(neigh);
	return err;
}

static int ethtool(const char *ifname, void *data)
{
	struct ifreq req = { .ifr_data = data };
	int fd, err;

	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	snprintf(req.ifr_name, sizeof(req.ifr_name), "%s", ifname);
	/* ETHTOOL_SFEATURES returns flags that tell of bits not granted. */
	err = ioctl(fd, SIOCETHTOOL, &req) < 0 ? -errno : 0;
	close(fd);
	return err;
}

/* The kernel's names of features, by bit. */
static int read_feature_names(const char *ifname, struct ethtool_gstrings **ret_names)
{
	struct {
		struct ethtool_sset_info info;
		uint32_t len;
	} sset = { .info = { .cmd = ETHTOOL_GSSET_INFO, .sset_mask = 1ull << ETH_SS_FEATURES } };
	struct ethtool_gstrings *names;
	int err;

	err = ethtool(ifname, &sset);
	if (err)
		return err;
	names = calloc(1, sizeof(*names) + (size_t)sset.len * ETH_GSTRING_LEN);
	if (!names)
		return -ENOMEM;
	names->cmd = ETHTOOL_GSTRINGS;
	names->string_set = ETH_SS_FEATURES;
	names->len = sset.len;
	err = ethtool(ifname, names);
	if (err)
		free(names);
	else
		*ret_names = names;
	return err;
}

static bool is_listed(const char *const *list, const uint8_t *name)
{
	for (; *list; list++) {
		if (!strncmp(*list, (const char *)name, ETH_GSTRING_LEN))
			return true;
	}
	return false;
}

int link_set_features(const char *ifname, const char *const *off, const char *const *on,
		      struct err *e)
{
	struct ethtool_gstrings *names = NULL;
	struct ethtool_sfeatures *set = NULL;
	uint32_t i, blocks;
	int err;

	err = read_feature_names(ifname, &names);
	if (err)
		goto out;
	blocks = (names->len + 31) / 32;
	set = calloc(1, sizeof(*set) + blocks * sizeof(set->features[0]));
	if (!set) {
		err = -ENOMEM;
		goto out;
	}
	set->cmd = ETHTOOL_SFEATURES;
	set->size = blocks;
	for (i = 0; i < names->len; i++) {
		const uint8_t *name = names->data + (size_t)i * ETH_GSTRING_LEN;
		bool wanted = is_listed(on, name);

		if (!wanted && !is_listed(off, name))
			continue;
		set->features[i / 32].valid |= 1u << i % 32;
		if (wanted)
			set->features[i / 32].requested |= 1u << i % 32;
	}
	err = ethtool(ifname, set);
out:
	if (err)
		err_set(e, err, "cannot switch the offloads of '%s'", ifname);
	free(set);
	free(names);
	return err;
}

static void append_address(char *list, size_t size, struct nl_addr *local)
{
	size_t used = strlen(list);
	char text[64];

	if (used)
		used += (size_t)snprintf(list + used, size - used, ",");
	if (used < size)
		snprintf(list + used, size - used, "%s", nl_addr2str(local, text, sizeof(text)));
}

static int read_addresses(struct link_net *net, struct link_facts *facts)
{
	struct nl_cache *cache;
	struct nl_object *obj;
	int err;

	err = rtnl_addr_alloc_cache(sock_of(net), &cache);
	if (err)
		return to_errno(err);
	for (obj = nl_cache_get_first(cache); obj; obj = nl_cache_get_next(obj)) {
		struct rtnl_addr *addr = (struct rtnl_addr *)obj;

		if (rtnl_addr_get_ifindex(addr) != facts->ifindex ||
		    rtnl_addr_get_scope(addr) >= RT_SCOPE_LINK)
			continue;
		if (rtnl_addr_get_family(addr) == AF_INET)
			append_address(facts->ip4, sizeof(facts->ip4), rtnl_addr_get_local(addr));
		else if (rtnl_addr_get_family(addr) == AF_INET6)
			append_address(facts->ip6, sizeof(facts->ip6), rtnl_addr_get_local(addr));
	}
	nl_cache_free(cache);
	return 0;
}

int link_read(struct link_net *net, const char *ifname, struct link_facts *ret_facts)
{
	struct link_facts facts = { 0 };
	struct rtnl_link *link;
	const char *text;
	int err;

	err = rtnl_link_get_kernel(sock_of(net), 0, ifname, &link);
	if (err)
		return to_errno(err);
	facts.ifindex = rtnl_link_get_ifindex(link);
	facts.running = (rtnl_link_get_flags(link) & (IFF_UP | IFF_RUNNING)) ==
			(IFF_UP | IFF_RUNNING);
	facts.mtu = rtnl_link_get_mtu(link);
	facts.queues = rtnl_link_get_num_rx_queues(link);
	if (rtnl_link_get_addr(link) && nl_addr_get_len(rtnl_link_get_addr(link)) == 6)
		memcpy(facts.mac, nl_addr_get_binary_addr(rtnl_link_get_addr(link)), 6);
	text = rtnl_link_get_type(link);
	snprintf(facts.kind, sizeof(facts.kind), "%s", text ? text : "");
	text = rtnl_link_get_ifalias(link);
	snprintf(facts.alias, sizeof(facts.alias), "%s", text ? text : "");
	rtnl_link_put(link);
	err = read_addresses(net, &facts);
	if (!err)
		*ret_facts = facts;
	return err;
}
