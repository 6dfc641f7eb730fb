// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/net/link.c - create and configure interfaces.
 */
#include "sys/net/link.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/ethtool.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>

#include "sys/net/ethtool.h"
#include "sys/net/netlink.h"

#define MAC_BYTES 6

/* The handle is a netlink socket; its type stays in this file. */
static struct netlink *netlink_of(struct link_net *net)
{
	return (struct netlink *)net;
}

int link_open(struct link_net **ret_net, struct err *e)
{
	struct netlink *netlink;
	int err = netlink_open(&netlink, NETLINK_ROUTE);

	if (err)
		return err_set(e, err, "cannot open a netlink socket");
	*ret_net = (struct link_net *)netlink;
	return 0;
}

void link_close(struct link_net *net)
{
	netlink_close(netlink_of(net));
}

/* Sends a request that is answered only by an acknowledgement. */
static int apply(struct link_net *net, struct nl_msg *msg)
{
	return netlink_ask(netlink_of(net), msg, NULL, NULL);
}

static int add_error(struct link_net *net, int err, const char *kind, struct err *e)
{
	if (err == -EOPNOTSUPP) {
		err_machine(e, err, "cannot create a %s", kind);
		return err_hint(e, "load the kernel's module: modprobe %s", kind);
	}
	return netlink_error(netlink_of(net), e, err, "cannot create a %s", kind);
}

static void put_end(struct nl_msg *msg, const struct link_end *end, uint32_t queues, uint32_t mtu)
{
	netlink_put_text(msg, IFLA_IFNAME, end->ifname);
	netlink_put(msg, IFLA_ADDRESS, end->mac, MAC_BYTES);
	netlink_put_u32(msg, IFLA_NET_NS_FD, (uint32_t)end->ns_fd);
	netlink_put_u32(msg, IFLA_NUM_RX_QUEUES, queues);
	netlink_put_u32(msg, IFLA_NUM_TX_QUEUES, queues);
	netlink_put_u32(msg, IFLA_MTU, mtu);
}

int link_add_veth(struct link_net *net, const struct link_end ends[2], uint32_t queues,
		  uint32_t mtu, struct err *e)
{
	const struct ifinfomsg head = { 0 };
	struct nl_msg *msg = netlink_request(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, &head,
					     sizeof(head));
	struct nlattr *info, *data, *peer;
	int err;

	put_end(msg, &ends[0], queues, mtu);
	info = netlink_nest(msg, IFLA_LINKINFO);
	netlink_put_text(msg, IFLA_INFO_KIND, "veth");
	data = netlink_nest(msg, IFLA_INFO_DATA);
	peer = netlink_nest(msg, VETH_INFO_PEER);
	netlink_append(msg, &head, sizeof(head));
	put_end(msg, &ends[1], queues, mtu);
	netlink_nest_end(msg, peer);
	netlink_nest_end(msg, data);
	netlink_nest_end(msg, info);
	err = apply(net, msg);
	return err ? add_error(net, err, "veth", e) : 0;
}

int link_add_bridge(struct link_net *net, const char *ifname, const uint8_t *mac, struct err *e)
{
	const struct ifinfomsg head = { 0 };
	struct nl_msg *msg = netlink_request(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, &head,
					     sizeof(head));
	struct nlattr *info, *data;
	int err;

	netlink_put_text(msg, IFLA_IFNAME, ifname);
	netlink_put(msg, IFLA_ADDRESS, mac, MAC_BYTES);
	info = netlink_nest(msg, IFLA_LINKINFO);
	netlink_put_text(msg, IFLA_INFO_KIND, "bridge");
	data = netlink_nest(msg, IFLA_INFO_DATA);
	netlink_put_u32(msg, IFLA_BR_STP_STATE, 0);
	netlink_put(msg, IFLA_BR_MCAST_SNOOPING, &(uint8_t){ 0 }, 1);
	netlink_nest_end(msg, data);
	netlink_nest_end(msg, info);
	err = apply(net, msg);
	return err ? add_error(net, err, "bridge", e) : 0;
}

static int ask_link(struct link_net *net, const char *ifname, netlink_fn *fn, void *ctx)
{
	const struct ifinfomsg head = { 0 };
	struct nl_msg *msg = netlink_request(RTM_GETLINK, 0, &head, sizeof(head));

	netlink_put_text(msg, IFLA_IFNAME, ifname);
	return netlink_ask(netlink_of(net), msg, fn, ctx);
}

static void take_index(const struct nlmsghdr *msg, void *ctx)
{
	const struct ifinfomsg *info = netlink_head(msg, sizeof(*info));

	*(int *)ctx = info ? info->ifi_index : 0;
}

static int index_of(struct link_net *net, const char *ifname, struct err *e)
{
	int index = 0, err = ask_link(net, ifname, take_index, &index);

	if (err)
		return netlink_error(netlink_of(net), e, err, "cannot find interface '%s'", ifname);
	return index;
}

static int configure_error(struct link_net *net, int err, const char *ifname, struct err *e)
{
	return netlink_error(netlink_of(net), e, err, "cannot configure interface '%s'", ifname);
}

int link_set_up(struct link_net *net, const char *ifname, struct err *e)
{
	struct ifinfomsg head = { .ifi_flags = IFF_UP, .ifi_change = IFF_UP };
	int err;

	head.ifi_index = index_of(net, ifname, e);
	if (head.ifi_index < 0)
		return head.ifi_index;
	err = apply(net, netlink_request(RTM_SETLINK, 0, &head, sizeof(head)));
	return err ? configure_error(net, err, ifname, e) : 0;
}

int link_set_alias(struct link_net *net, const char *ifname, const char *alias, struct err *e)
{
	struct ifinfomsg head = { .ifi_index = index_of(net, ifname, e) };
	struct nl_msg *msg;
	int err;

	if (head.ifi_index < 0)
		return head.ifi_index;
	msg = netlink_request(RTM_SETLINK, 0, &head, sizeof(head));
	netlink_put_text(msg, IFLA_IFALIAS, alias);
	err = apply(net, msg);
	return err ? configure_error(net, err, ifname, e) : 0;
}

int link_set_master(struct link_net *net, const char *ifname, const char *master, struct err *e)
{
	struct ifinfomsg head = { .ifi_index = index_of(net, ifname, e) };
	struct nl_msg *msg;
	int err, master_index;

	if (head.ifi_index < 0)
		return head.ifi_index;
	master_index = index_of(net, master, e);
	if (master_index < 0)
		return master_index;
	msg = netlink_request(RTM_SETLINK, 0, &head, sizeof(head));
	netlink_put_u32(msg, IFLA_MASTER, (uint32_t)master_index);
	err = apply(net, msg);
	if (err)
		netlink_error(netlink_of(net), e, err, "cannot add '%s' to bridge '%s'", ifname, master);
	return err;
}

int link_delete(struct link_net *net, const char *ifname, struct err *e)
{
	struct ifinfomsg head = { .ifi_index = index_of(net, ifname, e) };
	int err;

	if (head.ifi_index < 0)
		return head.ifi_index;
	err = apply(net, netlink_request(RTM_DELLINK, 0, &head, sizeof(head)));
	if (err)
		netlink_error(netlink_of(net), e, err, "cannot delete interface '%s'", ifname);
	return err;
}

struct address {
	uint8_t family, bytes[16];
	size_t nr_bytes;
};

/* @text: an address from this tool, with or without a prefix length. */
static int parse_address(const char *text, struct address *ret_address)
{
	struct address address = { .family = strchr(text, ':') ? AF_INET6 : AF_INET };
	char host[INET6_ADDRSTRLEN];

	snprintf(host, sizeof(host), "%.*s", (int)strcspn(text, "/"), text);
	if (inet_pton(address.family, host, address.bytes) != 1)
		return -EINVAL;
	address.nr_bytes = address.family == AF_INET6 ? 16 : 4;
	*ret_address = address;
	return 0;
}

/* An IPv6 address is usable immediately. */
static struct nl_msg *address_msg(int index, const struct address *address, const char *cidr)
{
	const char *slash = strchr(cidr, '/');
	const struct ifaddrmsg head = {
		.ifa_family = address->family,
		.ifa_index = (uint32_t)index,
		.ifa_prefixlen = slash ? (uint8_t)atoi(slash + 1) : (uint8_t)(address->nr_bytes * 8),
		.ifa_flags = address->family == AF_INET6 ? IFA_F_NODAD : 0,
	};
	struct nl_msg *msg = netlink_request(RTM_NEWADDR, NLM_F_CREATE, &head, sizeof(head));

	netlink_put(msg, IFA_LOCAL, address->bytes, address->nr_bytes);
	netlink_put(msg, IFA_ADDRESS, address->bytes, address->nr_bytes);
	return msg;
}

int link_add_address(struct link_net *net, const char *ifname, const char *cidr, struct err *e)
{
	struct address address;
	int err, index = index_of(net, ifname, e);

	if (index < 0)
		return index;
	err = parse_address(cidr, &address);
	if (err)
		return err_set(e, err, "cannot configure '%s' with address '%s'", ifname, cidr);
	err = apply(net, address_msg(index, &address, cidr));
	if (err)
		netlink_error(netlink_of(net), e, err, "cannot configure '%s' with address '%s'", ifname,
			      cidr);
	return err;
}

static struct nl_msg *default_route_msg(int index, const struct address *via)
{
	const struct rtmsg head = {
		.rtm_family = via->family,
		.rtm_table = RT_TABLE_MAIN,
		.rtm_protocol = RTPROT_STATIC,
		.rtm_scope = RT_SCOPE_UNIVERSE,
		.rtm_type = RTN_UNICAST,
		/* Right after carrier-up the kernel may not have the connected route yet. */
		.rtm_flags = RTNH_F_ONLINK,
	};
	struct nl_msg *msg = netlink_request(RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, &head,
					     sizeof(head));

	netlink_put(msg, RTA_GATEWAY, via->bytes, via->nr_bytes);
	netlink_put_u32(msg, RTA_OIF, (uint32_t)index);
	return msg;
}

int link_add_default_route(struct link_net *net, const char *ifname, const char *gateway,
			   struct err *e)
{
	struct address via;
	int err, index = index_of(net, ifname, e);

	if (index < 0)
		return index;
	err = parse_address(gateway, &via);
	if (err)
		return err_set(e, err, "cannot add the default route by '%s'", gateway);
	err = apply(net, default_route_msg(index, &via));
	if (err)
		netlink_error(netlink_of(net), e, err, "cannot add the default route by '%s'", gateway);
	return err;
}

int link_add_neighbour(struct link_net *net, const char *ifname, const char *address,
		       const uint8_t *mac, struct err *e)
{
	struct ndmsg head = { .ndm_state = NUD_PERMANENT };
	struct address dst;
	struct nl_msg *msg;
	int err;

	head.ndm_ifindex = index_of(net, ifname, e);
	if (head.ndm_ifindex < 0)
		return head.ndm_ifindex;
	err = parse_address(address, &dst);
	if (err)
		return err_set(e, err, "cannot add the neighbour '%s'", address);
	head.ndm_family = dst.family;
	msg = netlink_request(RTM_NEWNEIGH, NLM_F_CREATE | NLM_F_REPLACE, &head, sizeof(head));
	netlink_put(msg, NDA_DST, dst.bytes, dst.nr_bytes);
	netlink_put(msg, NDA_LLADDR, mac, MAC_BYTES);
	err = apply(net, msg);
	if (err)
		netlink_error(netlink_of(net), e, err, "cannot add the neighbour '%s'", address);
	return err;
}

static bool is_listed(const char *const *list, const char *name)
{
	for (; *list; list++) {
		if (!strcmp(*list, name))
			return true;
	}
	return false;
}

int link_set_features(const char *ifname, const char *const *off, const char *const *on,
		      struct err *e)
{
	struct ethtool_gstrings *names = NULL;
	struct ethtool_sfeatures *set = NULL;
	char name[ETHTOOL_NAME_SIZE];
	uint32_t i, blocks;
	bool wanted;
	int err;

	err = ethtool_read_names(ifname, ETH_SS_FEATURES, &names);
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
		ethtool_name(names, i, name);
		wanted = is_listed(on, name);
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

static void take_facts(const struct nlmsghdr *msg, void *ctx)
{
	struct nlattr *attrs[IFLA_NUM_RX_QUEUES + 1], *kind[IFLA_INFO_KIND + 1];
	const struct ifinfomsg *info = netlink_head(msg, sizeof(*info));
	struct link_facts *facts = ctx;

	if (!info)
		return;
	netlink_attrs(msg, sizeof(*info), attrs, IFLA_NUM_RX_QUEUES);
	netlink_nested(attrs[IFLA_LINKINFO], kind, IFLA_INFO_KIND);
	facts->ifindex = info->ifi_index;
	facts->running = (info->ifi_flags & (IFF_UP | IFF_RUNNING)) == (IFF_UP | IFF_RUNNING);
	facts->mtu = (uint32_t)netlink_uint(attrs[IFLA_MTU]);
	facts->queues = (uint32_t)netlink_uint(attrs[IFLA_NUM_RX_QUEUES]);
	netlink_copy(attrs[IFLA_ADDRESS], facts->mac, sizeof(facts->mac));
	netlink_text(kind[IFLA_INFO_KIND], facts->kind, sizeof(facts->kind));
	netlink_text(attrs[IFLA_IFALIAS], facts->alias, sizeof(facts->alias));
}

/* Without the prefix length if it covers the whole address. */
static void append_address(char *list, size_t size, const struct ifaddrmsg *info,
			   const void *address)
{
	size_t used = strlen(list);
	char text[INET6_ADDRSTRLEN] = "", prefix[8] = "";

	inet_ntop(info->ifa_family, address, text, sizeof(text));
	if (info->ifa_prefixlen != (info->ifa_family == AF_INET6 ? 128 : 32))
		snprintf(prefix, sizeof(prefix), "/%u", info->ifa_prefixlen);
	snprintf(list + used, size - used, "%s%s%s", used ? "," : "", text, prefix);
}

/* IFA_ADDRESS is the peer's if there is an IFA_LOCAL; IPv6 has only this one. */
static void take_address(const struct nlmsghdr *msg, void *ctx)
{
	const struct ifaddrmsg *info = netlink_head(msg, sizeof(*info));
	struct nlattr *attrs[IFA_LOCAL + 1];
	struct link_facts *facts = ctx;
	uint8_t address[16] = { 0 };

	if (!info || (int)info->ifa_index != facts->ifindex || info->ifa_scope >= RT_SCOPE_LINK)
		return;
	netlink_attrs(msg, sizeof(*info), attrs, IFA_LOCAL);
	netlink_copy(attrs[IFA_LOCAL] ? attrs[IFA_LOCAL] : attrs[IFA_ADDRESS], address,
		     sizeof(address));
	if (info->ifa_family == AF_INET)
		append_address(facts->ip4, sizeof(facts->ip4), info, address);
	else if (info->ifa_family == AF_INET6)
		append_address(facts->ip6, sizeof(facts->ip6), info, address);
}

int link_read(struct link_net *net, const char *ifname, struct link_facts *ret_facts)
{
	const struct ifaddrmsg head = { .ifa_family = AF_UNSPEC };
	struct link_facts facts = { 0 };
	int err;

	err = ask_link(net, ifname, take_facts, &facts);
	if (err)
		return err;
	do {
		facts.ip4[0] = facts.ip6[0] = '\0';
		err = netlink_ask(netlink_of(net),
				  netlink_request(RTM_GETADDR, NLM_F_DUMP, &head, sizeof(head)),
				  take_address, &facts);
	} while (err == -EINTR);
	if (!err)
		*ret_facts = facts;
	return err;
}
