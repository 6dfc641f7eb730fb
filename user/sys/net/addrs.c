// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/net/addrs.c - the addresses of an interface, and when they change.
 *
 * An event only says that the addresses must be read again: events can get lost.
 */
#include "sys/net/addrs.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <linux/if_addr.h>
#include <linux/rtnetlink.h>

#include "sys/net/netlink.h"

struct addrs {
	int ifindex;
	struct netlink *netlink, *events;
};

int addrs_open(struct addrs **ret_addrs, int ifindex)
{
	struct addrs *addrs = calloc(1, sizeof(*addrs));
	int err;

	if (!addrs)
		return -ENOMEM;
	addrs->ifindex = ifindex;
	err = netlink_open(&addrs->netlink, NETLINK_ROUTE);
	if (!err)
		err = netlink_open(&addrs->events, NETLINK_ROUTE);
	if (!err)
		err = netlink_listen(addrs->events, RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR);
	if (err)
		addrs_close(addrs);
	else
		*ret_addrs = addrs;
	return err;
}

void addrs_close(struct addrs *addrs)
{
	if (!addrs)
		return;
	netlink_close(addrs->netlink);
	netlink_close(addrs->events);
	free(addrs);
}

struct change {
	int ifindex;
	bool seen;
};

static void take_event(const struct nlmsghdr *msg, void *ctx)
{
	const struct ifaddrmsg *info = netlink_head(msg, sizeof(*info));
	struct change *change = ctx;

	if (info && (int)info->ifa_index == change->ifindex)
		change->seen = true;
}

bool addrs_changed(struct addrs *addrs)
{
	struct change change = { .ifindex = addrs->ifindex };

	return netlink_events(addrs->events, take_event, &change) || change.seen;
}

struct reader {
	int ifindex;
	addrs_fn *fn;
	void *ctx;
};

/* IFA_ADDRESS is the peer's if there is an IFA_LOCAL; IPv6 mostly has only this one. */
static void take_address(const struct nlmsghdr *msg, void *ctx)
{
	const struct ifaddrmsg *info = netlink_head(msg, sizeof(*info));
	struct nlattr *attrs[IFA_LOCAL + 1];
	struct reader *reader = ctx;
	uint8_t addr[16] = { 0 };

	if (!info || (int)info->ifa_index != reader->ifindex ||
	    info->ifa_flags & (IFA_F_TENTATIVE | IFA_F_DADFAILED))
		return;
	netlink_attrs(msg, sizeof(*info), attrs, IFA_LOCAL);
	netlink_copy(attrs[IFA_LOCAL] ? attrs[IFA_LOCAL] : attrs[IFA_ADDRESS], addr, sizeof(addr));
	if (info->ifa_family == AF_INET)
		reader->fn(4, addr, reader->ctx);
	else if (info->ifa_family == AF_INET6)
		reader->fn(6, addr, reader->ctx);
}

int addrs_read(struct addrs *addrs, addrs_fn *fn, void *ctx)
{
	const struct ifaddrmsg head = { .ifa_family = AF_UNSPEC };
	struct reader reader = { .ifindex = addrs->ifindex, .fn = fn, .ctx = ctx };

	return netlink_ask(addrs->netlink,
			   netlink_request(RTM_GETADDR, NLM_F_DUMP, &head, sizeof(head)),
			   take_address, &reader);
}
