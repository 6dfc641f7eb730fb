// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/net/nic_netlink.c - facts about an interface from rtnetlink and the netdev family.
 */
#include <errno.h>
#include <sys/socket.h>

#include <linux/genetlink.h>
#include <linux/if_link.h>
#include <linux/net_namespace.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>

#include "sys/net/netlink.h"
#include "sys/net/nic.h"
#include "sys/net/nic_parse.h"

#ifndef IFLA_TARGET_NETNSID
#define IFLA_TARGET_NETNSID IFLA_IF_NETNSID
#endif

#define NETDEV_FAMILY	"netdev"	/* from 6.3 on */

int nic_read_counters(const char *ifname, struct nic_counters *ret_counters)
{
	const struct ifinfomsg head = { 0 };
	struct nl_msg *msg = netlink_request(RTM_GETLINK, 0, &head, sizeof(head));
	struct nic_stats stats = { 0 };
	int err;

	netlink_put_text(msg, IFLA_IFNAME, ifname);
	err = netlink_ask_once(NETLINK_ROUTE, msg, nic_take_stats, &stats);
	if (!err && !stats.found)
		err = -ENODATA;
	if (!err)
		*ret_counters = stats.counters;
	return err;
}

int nic_read_link(int ifindex, int nsid, struct nic_link *ret_link)
{
	const struct ifinfomsg head = { .ifi_index = ifindex };
	struct nl_msg *msg = netlink_request(RTM_GETLINK, 0, &head, sizeof(head));
	struct nic_link link = { 0 };
	int err;

	/* Some drivers take long to read their counters. */
	netlink_put_u32(msg, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);
	if (nsid >= 0)
		netlink_put_u32(msg, IFLA_TARGET_NETNSID, (uint32_t)nsid);
	err = netlink_ask_once(NETLINK_ROUTE, msg, nic_take_link, &link);
	if (!err)
		*ret_link = link;
	return err;
}

int nic_read_filters(int ifindex, bool egress, struct nic_filters *ret_filters)
{
	const struct tcmsg head = {
		.tcm_ifindex = ifindex,
		.tcm_parent = TC_H_MAKE(TC_H_CLSACT, egress ? TC_H_MIN_EGRESS : TC_H_MIN_INGRESS),
	};
	int err;

	*ret_filters = (struct nic_filters){ 0 };
	err = netlink_ask_once(NETLINK_ROUTE,
			       netlink_request(RTM_GETTFILTER, NLM_F_DUMP, &head, sizeof(head)),
			       nic_take_filter, ret_filters);
	if (err)
		*ret_filters = (struct nic_filters){ 0 };
	return err;
}

int nic_read_xdp(int ifindex, struct nic_xdp *ret_xdp)
{
	const struct genlmsghdr head = { .cmd = NIC_NETDEV_DEV_GET, .version = 1 };
	struct netlink *netlink;
	struct nic_xdp xdp = { 0 };
	struct nl_msg *msg;
	uint16_t family;
	int err;

	err = netlink_open(&netlink, NETLINK_GENERIC);
	if (err)
		return err;
	err = netlink_family(netlink, NETDEV_FAMILY, &family);
	if (!err) {
		msg = netlink_request(family, 0, &head, sizeof(head));
		netlink_put_u32(msg, NIC_NETDEV_IFINDEX, (uint32_t)ifindex);
		err = netlink_ask(netlink, msg, nic_take_xdp, &xdp);
	}
	netlink_close(netlink);
	if (!err)
		*ret_xdp = xdp;
	return err;
}

static void take_nsid(const struct nlmsghdr *msg, void *ctx)
{
	struct nlattr *attrs[NETNSA_NSID + 1];

	netlink_attrs(msg, sizeof(struct rtgenmsg), attrs, NETNSA_NSID);
	if (attrs[NETNSA_NSID])
		*(int *)ctx = (int)netlink_uint(attrs[NETNSA_NSID]);
}

int nic_netns_id(int ns_fd, int *ret_nsid)
{
	const struct rtgenmsg head = { .rtgen_family = AF_UNSPEC };
	struct nl_msg *msg = netlink_request(RTM_GETNSID, 0, &head, sizeof(head));
	int err, nsid = NETNSA_NSID_NOT_ASSIGNED;

	netlink_put_u32(msg, NETNSA_FD, (uint32_t)ns_fd);
	err = netlink_ask_once(NETLINK_ROUTE, msg, take_nsid, &nsid);
	if (!err)
		*ret_nsid = nsid;
	return err;
}
