// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/net/nic_parse.c - parse the kernel's answers about an interface.
 */
#include "sys/net/nic_parse.h"

#include <net/if.h>
#include <string.h>

#include <linux/genetlink.h>
#include <linux/if_link.h>
#include <linux/pkt_cls.h>
#include <linux/rtnetlink.h>

/* NETDEV_A_DEV_*, from 6.3 on. */
#define NETDEV_XDP_FEATURES	3
#define NETDEV_XDP_RX_METADATA	5
#define NETDEV_XSK_FEATURES	6

static uint64_t max3(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t max = a > b ? a : b;

	return c > max ? c : max;
}

void nic_take_stats(const struct nlmsghdr *msg, void *ctx)
{
	struct nlattr *attrs[IFLA_CARRIER_DOWN_COUNT + 1];
	struct rtnl_link_stats64 stats = { 0 };
	struct nic_stats *ret = ctx;

	netlink_attrs(msg, sizeof(struct ifinfomsg), attrs, IFLA_CARRIER_DOWN_COUNT);
	ret->found = netlink_copy(attrs[IFLA_STATS64], &stats, sizeof(stats));
	ret->counters = (struct nic_counters){
		.tx_packets = stats.tx_packets, .rx_packets = stats.rx_packets,
		.tx_bytes = stats.tx_bytes, .rx_bytes = stats.rx_bytes,
		.tx_dropped = stats.tx_dropped, .rx_dropped = stats.rx_dropped,
		.tx_errors = stats.tx_errors, .rx_errors = stats.rx_errors,
		/* Drivers count the same loss in one of these or in several. */
		.rx_overruns = max3(stats.rx_missed_errors, stats.rx_over_errors,
				    stats.rx_fifo_errors),
		.carrier_downs = netlink_uint(attrs[IFLA_CARRIER_DOWN_COUNT]),
	};
}

void nic_take_link(const struct nlmsghdr *msg, void *ctx)
{
	struct nlattr *attrs[IFLA_XDP + 1], *xdp[IFLA_XDP_ATTACHED + 1];
	const struct ifinfomsg *info = netlink_head(msg, sizeof(*info));
	struct nic_link *link = ctx;
	uint64_t mode;

	if (!info)
		return;
	netlink_attrs(msg, sizeof(*info), attrs, IFLA_XDP);
	netlink_nested(attrs[IFLA_XDP], xdp, IFLA_XDP_ATTACHED);
	mode = netlink_uint(xdp[IFLA_XDP_ATTACHED]);
	*link = (struct nic_link){
		.up = info->ifi_flags & IFF_UP,
		.loopback = info->ifi_flags & IFF_LOOPBACK,
		.carrier = netlink_uint(attrs[IFLA_CARRIER]),
		.xdp = mode != XDP_ATTACHED_NONE,
		.xdp_native = mode == XDP_ATTACHED_DRV || mode == XDP_ATTACHED_MULTI,
		.master_ifindex = (int)netlink_uint(attrs[IFLA_MASTER]),
		.peer_ifindex = (int)netlink_uint(attrs[IFLA_LINK]),
		.peer_nsid = -1,
	};
	netlink_text(attrs[IFLA_IFNAME], link->ifname, sizeof(link->ifname));
	if (attrs[IFLA_LINK_NETNSID]) {
		link->peer_nsid = (int)netlink_uint(attrs[IFLA_LINK_NETNSID]);
		link->peer_hidden = link->peer_nsid < 0;
	}
}

void nic_take_xdp(const struct nlmsghdr *msg, void *ctx)
{
	struct nlattr *attrs[NETDEV_XSK_FEATURES + 1];

	netlink_attrs(msg, sizeof(struct genlmsghdr), attrs, NETDEV_XSK_FEATURES);
	*(struct nic_xdp *)ctx = (struct nic_xdp){
		.bits = netlink_uint(attrs[NETDEV_XDP_FEATURES]),
		.rx_metadata = netlink_uint(attrs[NETDEV_XDP_RX_METADATA]),
		.tx_metadata = netlink_uint(attrs[NETDEV_XSK_FEATURES]),
		.says_tx_metadata = attrs[NETDEV_XSK_FEATURES],
	};
}

void nic_take_filter(const struct nlmsghdr *msg, void *ctx)
{
	const struct tcmsg *tc = netlink_head(msg, sizeof(*tc));
	struct nlattr *attrs[TCA_OPTIONS + 1], *options[TCA_BPF_ID + 1];
	struct nic_filters *filters = ctx;
	char kind[8];

	/* Handle 0 is the head of a chain, not a filter. */
	if (msg->nlmsg_type != RTM_NEWTFILTER || !tc || !tc->tcm_handle)
		return;
	filters->any = true;
	netlink_attrs(msg, sizeof(*tc), attrs, TCA_OPTIONS);
	netlink_text(attrs[TCA_KIND], kind, sizeof(kind));
	if (strcmp(kind, "bpf") || filters->nr == NIC_BPF_FILTERS)
		return;
	netlink_nested(attrs[TCA_OPTIONS], options, TCA_BPF_ID);
	filters->bpf[filters->nr++] = (struct nic_filter){
		.priority = TC_H_MAJ(tc->tcm_info) >> 16,
		.handle = tc->tcm_handle,
		.prog_id = (uint32_t)netlink_uint(options[TCA_BPF_ID]),
	};
}
