/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/net/nic_parse.h - parse the kernel's answers about an interface. No system calls.
 */
#ifndef SYS_NET_NIC_PARSE_H
#define SYS_NET_NIC_PARSE_H

#include "sys/net/netlink_parse.h"
#include "sys/net/nic.h"

/* linux/netdev.h came with 6.3; Debian 12's headers are older. */
#define NIC_NETDEV_DEV_GET	1	/* NETDEV_CMD_DEV_GET */
#define NIC_NETDEV_IFINDEX	1	/* NETDEV_A_DEV_IFINDEX */

struct nic_stats {
	bool found;
	struct nic_counters counters;
};

/* For netlink_ask(); @ctx is a struct nic_stats, nic_link, nic_xdp, nic_filters. */
netlink_fn nic_take_stats, nic_take_link, nic_take_xdp, nic_take_filter;

#endif
