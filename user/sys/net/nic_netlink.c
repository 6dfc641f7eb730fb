// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/net/nic_netlink.c - what rtnetlink and the netdev family say of an interface.
 */
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/genetlink.h>
#include <linux/if_link.h>
#include <linux/net_namespace.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>

#include "sys/net/nic.h"

#ifndef IFLA_TARGET_NETNSID
#define IFLA_TARGET_NETNSID IFLA_IF_NETNSID
#endif

/* linux/netdev.h came with 6.3; Debian 12's headers are older. */
#define NETDEV_FAMILY			"netdev"
#define NETDEV_DEV_GET			1	/* NETDEV_CMD_DEV_GET */
#define NETDEV_DEV_IFINDEX		1	/* NETDEV_A_DEV_* */
#define NETDEV_DEV_XDP_FEATURES		3
#define NETDEV_DEV_XDP_ZC_MAX_SEGS	4
#define NETDEV_DEV_XDP_RX_METADATA	5
#define NETDEV_DEV_XSK_FEATURES		6

/* One question and its one answer. */
struct talk {
	union {
		struct nlmsghdr head;
		char bytes[256];
	} ask;
	union {
		struct nlmsghdr head;
		char bytes[32768];
	} answer;
};

static void *talk_begin(struct talk *talk, uint16_t type, size_t fixed_bytes)
{
	memset(&talk->ask, 0, sizeof(talk->ask));
	talk->ask.head.nlmsg_type = type;
	talk->ask.head.nlmsg_flags = NLM_F_REQUEST;
	talk->ask.head.nlmsg_len = NLMSG_LENGTH(fixed_bytes);
	return NLMSG_DATA(&talk->ask.head);
}

static void talk_attr(struct talk *talk, uint16_t type, const void *data, size_t bytes)
{
	struct rtattr *attr = (struct rtattr *)(talk->ask.bytes +
						NLMSG_ALIGN(talk->ask.head.nlmsg_len));

	attr->rta_type = type;
	attr->rta_len = (unsigned short)RTA_LENGTH(bytes);
	memcpy(RTA_DATA(attr), data, bytes);
	talk->ask.head.nlmsg_len = NLMSG_ALIGN(talk->ask.head.nlmsg_len) + RTA_ALIGN(attr->rta_len);
}

/* Asks; the answer's attributes stand behind @fixed_bytes of its payload. */
static int talk_run(struct talk *talk, int protocol, size_t fixed_bytes,
		    const struct rtattr **ret_attr, int *ret_len)
{
	const struct nlmsghdr *msg = &talk->answer.head;
	int fd, err = -EIO;
	ssize_t len;

	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);
	if (fd < 0)
		return -errno;
	len = send(fd, &talk->ask, talk->ask.head.nlmsg_len, 0);
	if (len == (ssize_t)talk->ask.head.nlmsg_len)
		len = recv(fd, &talk->answer, sizeof(talk->answer), 0);
	if (len < 0 || !NLMSG_OK(msg, (unsigned int)len))
		goto out;
	if (msg->nlmsg_type == NLMSG_ERROR) {
		err = ((const struct nlmsgerr *)NLMSG_DATA(msg))->error;
		err = err ? err : -EIO;
		goto out;
	}
	if (msg->nlmsg_len < NLMSG_SPACE(fixed_bytes))
		goto out;
	*ret_attr = (const struct rtattr *)((const char *)NLMSG_DATA(msg) +
					    NLMSG_ALIGN(fixed_bytes));
	*ret_len = (int)(msg->nlmsg_len - NLMSG_SPACE(fixed_bytes));
	err = 0;
out:
	close(fd);
	return err;
}

static uint32_t attr_u32(const struct rtattr *attr)
{
	uint32_t value = 0;

	memcpy(&value, RTA_DATA(attr), RTA_PAYLOAD(attr) < 4 ? RTA_PAYLOAD(attr) : 4);
	return value;
}

static uint64_t attr_u64(const struct rtattr *attr)
{
	uint64_t value = 0;

	memcpy(&value, RTA_DATA(attr), RTA_PAYLOAD(attr) < 8 ? RTA_PAYLOAD(attr) : 8);
	return value;
}

static int get_link(struct talk *talk, int ifindex, int nsid, const struct rtattr **ret_attr,
		    int *ret_len)
{
	struct ifinfomsg *link = talk_begin(talk, RTM_GETLINK, sizeof(*link));

	link->ifi_index = ifindex;
	if (nsid >= 0)
		talk_attr(talk, IFLA_TARGET_NETNSID, &nsid, sizeof(nsid));
	return talk_run(talk, NETLINK_ROUTE, sizeof(*link), ret_attr, ret_len);
}

static uint64_t max3(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t max = a > b ? a : b;

	return c > max ? c : max;
}

int nic_read_counters(const char *ifname, struct nic_counters *ret_counters)
{
	struct rtnl_link_stats64 stats = { 0 };
	const struct rtattr *attr;
	bool found = false;
	struct talk talk;
	int len, err;

	err = (int)if_nametoindex(ifname);
	if (!err)
		return -ENODEV;
	err = get_link(&talk, err, -1, &attr, &len);
	if (err)
		return err;
	for (; RTA_OK(attr, len); attr = RTA_NEXT(attr, len)) {
		if (attr->rta_type != IFLA_STATS64)
			continue;
		/* The attribute is aligned to 4 only, and newer kernels append fields. */
		memcpy(&stats, RTA_DATA(attr),
		       RTA_PAYLOAD(attr) < sizeof(stats) ? RTA_PAYLOAD(attr) : sizeof(stats));
		found = true;
	}
	if (!found)
		return -ENODATA;
	*ret_counters = (struct nic_counters){
		.tx_packets = stats.tx_packets, .rx_packets = stats.rx_packets,
		.tx_bytes = stats.tx_bytes, .rx_bytes = stats.rx_bytes,
		.tx_dropped = stats.tx_dropped, .rx_dropped = stats.rx_dropped,
		.tx_errors = stats.tx_errors, .rx_errors = stats.rx_errors,
		/* Drivers tell one loss as one of these, or as several. */
		.rx_overruns = max3(stats.rx_missed_errors, stats.rx_over_errors,
				    stats.rx_fifo_errors),
	};
	return 0;
}

static bool xdp_attached(const struct rtattr *nest)
{
	const struct rtattr *attr = RTA_DATA(nest);
	int len = (int)RTA_PAYLOAD(nest);

	for (; RTA_OK(attr, len); attr = RTA_NEXT(attr, len)) {
		if (attr->rta_type == IFLA_XDP_ATTACHED)
			return *(const uint8_t *)RTA_DATA(attr) != XDP_ATTACHED_NONE;
	}
	return false;
}

int nic_read_link(int ifindex, int nsid, struct nic_link *ret_link)
{
	struct nic_link link = { .peer_nsid = -1 };
	const struct rtattr *attr;
	const struct ifinfomsg *info;
	struct talk talk;
	int len, err;

	err = get_link(&talk, ifindex, nsid, &attr, &len);
	if (err)
		return err;
	info = NLMSG_DATA(&talk.answer.head);
	link.up = info->ifi_flags & IFF_UP;
	link.loopback = info->ifi_flags & IFF_LOOPBACK;
	for (; RTA_OK(attr, len); attr = RTA_NEXT(attr, len)) {
		switch (attr->rta_type & NLA_TYPE_MASK) {
		case IFLA_IFNAME:
			snprintf(link.ifname, sizeof(link.ifname), "%s", (char *)RTA_DATA(attr));
			break;
		case IFLA_CARRIER:
			link.carrier = *(const uint8_t *)RTA_DATA(attr);
			break;
		case IFLA_LINK:
			link.peer_ifindex = (int)attr_u32(attr);
			break;
		case IFLA_LINK_NETNSID:
			link.peer_nsid = (int)attr_u32(attr);
			link.peer_hidden = link.peer_nsid < 0;
			break;
		case IFLA_XDP:
			link.xdp = xdp_attached(attr);
			break;
		}
	}
	*ret_link = link;
	return 0;
}

/* Looks for a filter in one part of a dump; true behind its last message. */
static bool scan_filters(const struct nlmsghdr *msg, ssize_t len, bool *ret_any, int *ret_err)
{
	for (; NLMSG_OK(msg, (unsigned int)len); msg = NLMSG_NEXT(msg, len)) {
		if (msg->nlmsg_type == NLMSG_ERROR)
			*ret_err = ((const struct nlmsgerr *)NLMSG_DATA(msg))->error;
		if (msg->nlmsg_type == NLMSG_ERROR || msg->nlmsg_type == NLMSG_DONE)
			return true;
		/* Handle 0 is the head of a chain, which is no filter itself. */
		if (msg->nlmsg_type == RTM_NEWTFILTER &&
		    ((const struct tcmsg *)NLMSG_DATA(msg))->tcm_handle)
			*ret_any = true;
	}
	return false;
}

int nic_read_filters(int ifindex, bool egress, bool *ret_any)
{
	struct tcmsg *tc;
	struct talk talk;
	bool any = false;
	int fd, err = 0;
	ssize_t len;

	tc = talk_begin(&talk, RTM_GETTFILTER, sizeof(*tc));
	talk.ask.head.nlmsg_flags |= NLM_F_DUMP;
	tc->tcm_ifindex = ifindex;
	tc->tcm_parent = TC_H_MAKE(TC_H_CLSACT, egress ? TC_H_MIN_EGRESS : TC_H_MIN_INGRESS);
	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	if (fd < 0)
		return -errno;
	if (send(fd, &talk.ask, talk.ask.head.nlmsg_len, 0) < 0)
		err = -errno;
	while (!err) {
		len = recv(fd, &talk.answer, sizeof(talk.answer), 0);
		if (len <= 0)
			err = -EIO;
		else if (scan_filters(&talk.answer.head, len, &any, &err))
			break;
	}
	close(fd);
	if (!err)
		*ret_any = any;
	return err;
}

static int find_netdev_family(struct talk *talk, uint16_t *ret_family)
{
	struct genlmsghdr *head = talk_begin(talk, GENL_ID_CTRL, sizeof(*head));
	const struct rtattr *attr;
	int len, err;

	*head = (struct genlmsghdr){ .cmd = CTRL_CMD_GETFAMILY, .version = 1 };
	talk_attr(talk, CTRL_ATTR_FAMILY_NAME, NETDEV_FAMILY, sizeof(NETDEV_FAMILY));
	err = talk_run(talk, NETLINK_GENERIC, sizeof(*head), &attr, &len);
	if (err)
		return err == -ENOENT ? -EOPNOTSUPP : err;
	for (; RTA_OK(attr, len); attr = RTA_NEXT(attr, len)) {
		if ((attr->rta_type & NLA_TYPE_MASK) != CTRL_ATTR_FAMILY_ID)
			continue;
		*ret_family = (uint16_t)attr_u32(attr);
		return 0;
	}
	return -EOPNOTSUPP;
}

int nic_read_xdp(int ifindex, struct nic_xdp *ret_xdp)
{
	struct nic_xdp xdp = { 0 };
	struct genlmsghdr *head;
	const struct rtattr *attr;
	uint16_t family;
	struct talk talk;
	int len, err;

	err = find_netdev_family(&talk, &family);
	if (err)
		return err;
	head = talk_begin(&talk, family, sizeof(*head));
	*head = (struct genlmsghdr){ .cmd = NETDEV_DEV_GET, .version = 1 };
	talk_attr(&talk, NETDEV_DEV_IFINDEX, &ifindex, sizeof(ifindex));
	err = talk_run(&talk, NETLINK_GENERIC, sizeof(*head), &attr, &len);
	if (err)
		return err;
	for (; RTA_OK(attr, len); attr = RTA_NEXT(attr, len)) {
		switch (attr->rta_type & NLA_TYPE_MASK) {
		case NETDEV_DEV_XDP_FEATURES:
			xdp.bits = attr_u64(attr);
			break;
		case NETDEV_DEV_XDP_ZC_MAX_SEGS:
			xdp.zerocopy_frags = attr_u32(attr);
			break;
		case NETDEV_DEV_XDP_RX_METADATA:
			xdp.rx_metadata = attr_u64(attr);
			break;
		case NETDEV_DEV_XSK_FEATURES:
			xdp.says_tx_metadata = true;
			xdp.tx_metadata = attr_u64(attr);
			break;
		}
	}
	*ret_xdp = xdp;
	return 0;
}

int nic_netns_id(int ns_fd, int *ret_nsid)
{
	const struct rtattr *attr;
	struct rtgenmsg *msg;
	struct talk talk;
	uint32_t fd = (uint32_t)ns_fd;
	int err, len;

	msg = talk_begin(&talk, RTM_GETNSID, sizeof(*msg));
	msg->rtgen_family = AF_UNSPEC;
	talk_attr(&talk, NETNSA_FD, &fd, sizeof(fd));
	err = talk_run(&talk, NETLINK_ROUTE, sizeof(*msg), &attr, &len);
	if (err)
		return err;
	for (; RTA_OK(attr, len); attr = RTA_NEXT(attr, len)) {
		if (attr->rta_type == NETNSA_NSID) {
			*ret_nsid = (int)attr_u32(attr);
			return 0;
		}
	}
	return -ENODATA;
}
