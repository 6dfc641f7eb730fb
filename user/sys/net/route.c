// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/net/route.c - route, source address and next hop of a destination, by netlink.
 */
#include "sys/net/route.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/neighbour.h>
#include <linux/rtnetlink.h>

#include "lib/loop.h"
#include "sys/net/netlink.h"

#define ANSWER_NS	NSEC_PER_SEC		/* wait for the next hop's answer */
#define CONFIRM_NS	(NSEC_PER_SEC / 4)	/* wait for a next hop that has answered before */
#define AGAIN_NS	(NSEC_PER_SEC / 4)	/* the kernel itself repeats a request after 1 s */
#define POLL_NS		1000000

#define NUD_USABLE	(NUD_REACHABLE | NUD_PERMANENT | NUD_NOARP)
#define NUD_OLD		(NUD_STALE | NUD_DELAY | NUD_PROBE)

/* A destination and the socket for its queries. */
struct query {
	struct netlink *netlink;
	const char *ifname;
	int ifindex;
	int family;
	size_t addr_bytes;
	const void *dst;
	char dst_text[INET6_ADDRSTRLEN];
};

struct hop {
	int type;			/* RTN_UNICAST and so on */
	int family;			/* of addr: IPv4 may have an IPv6 gateway, RFC 5549 */
	uint8_t addr[16];		/* of the gateway, or the destination itself */
	uint8_t src[16];
	bool has_src;
	int ifindex;
};

struct neigh {
	int state;			/* 0: no entry */
	uint8_t mac[6];
};

/* IPv4 may have an IPv6 gateway, RFC 5549: then the attribute starts with its family. */
static void take_gateway(struct nlattr *const attrs[RTA_VIA + 1], struct hop *hop)
{
	struct {
		uint16_t family;
		uint8_t addr[16];
	} via;

	if (netlink_copy(attrs[RTA_VIA], &via, sizeof(via))) {
		hop->family = via.family;
		memcpy(hop->addr, via.addr, sizeof(hop->addr));
	}
	netlink_copy(attrs[RTA_GATEWAY], hop->addr, sizeof(hop->addr));
}

static void take_route(const struct nlmsghdr *msg, void *ctx)
{
	const struct rtmsg *route = netlink_head(msg, sizeof(*route));
	struct nlattr *attrs[RTA_VIA + 1];
	struct hop *hop = ctx;

	if (!route)
		return;
	netlink_attrs(msg, sizeof(*route), attrs, RTA_VIA);
	hop->type = route->rtm_type;
	hop->has_src = netlink_copy(attrs[RTA_PREFSRC], hop->src, sizeof(hop->src));
	hop->ifindex = (int)netlink_uint(attrs[RTA_OIF]);
	take_gateway(attrs, hop);
}

static int ask_route(const struct query *query, unsigned int flags, struct hop *hop)
{
	const struct rtmsg head = {
		.rtm_family = (unsigned char)query->family,
		.rtm_dst_len = (unsigned char)(query->addr_bytes * 8), .rtm_flags = flags,
	};
	struct nl_msg *msg = netlink_request(RTM_GETROUTE, 0, &head, sizeof(head));

	netlink_put(msg, RTA_DST, query->dst, query->addr_bytes);
	netlink_put_u32(msg, RTA_OIF, (uint32_t)query->ifindex);
	return netlink_ask(query->netlink, msg, take_route, hop);
}

static int no_route(const struct query *query, int no, struct err *e)
{
	bool ip6 = query->family == AF_INET6;

	if (!*query->ifname) {
		netlink_error(query->netlink, e, no, "cannot find a route to '%s'", query->dst_text);
		return err_hint(e, "see: ip %sroute get %s", ip6 ? "-6 " : "", query->dst_text);
	}
	if (no != -ENETUNREACH && no != -EHOSTUNREACH && no != -ENOENT)
		return netlink_error(query->netlink, e, no,
				     "cannot query the route to '%s' through '%s'",
				     query->dst_text, query->ifname);
	err_set(e, -ENETUNREACH, "no route to '%s' through '%s'", query->dst_text, query->ifname);
	return err_hint(e, "see: ip %sroute get %s oif %s; a test network: ip address add %s dev %s",
			ip6 ? "-6 " : "", query->dst_text, query->ifname,
			ip6 ? "2001:2::1/64" : "198.18.0.1/24", query->ifname);
}

static int find_hop(const struct query *query, struct hop *ret_hop, struct err *e)
{
	struct hop hop = { .family = query->family }, ignored = { 0 };
	int err;

	memcpy(hop.addr, query->dst, query->addr_bytes);
	/*
	 * If an interface is given, the IPv4 lookup treats a destination without a route as a
	 * neighbour on that link. A request for the matching entry does not.
	 */
	if (query->family == AF_INET && !IN_MULTICAST(ntohl(*(const in_addr_t *)query->dst))) {
		err = ask_route(query, RTM_F_FIB_MATCH, &ignored);
		if (err)
			return no_route(query, err, e);
	}
	err = ask_route(query, 0, &hop);
	if (err)
		return no_route(query, err, e);
	if (!hop.has_src) {
		err_set(e, -EADDRNOTAVAIL, "'%s' has no %s source address", query->ifname,
			query->family == AF_INET6 ? "IPv6" : "IPv4");
		return err_hint(e, "add one; or: " OPTION("src-ip") " ADDRESS "
				OPTION("dst-mac") " MAC");
	}
	*ret_hop = hop;
	return 0;
}

static void take_neigh(const struct nlmsghdr *msg, void *ctx)
{
	const struct ndmsg *entry = netlink_head(msg, sizeof(*entry));
	struct nlattr *attrs[NDA_LLADDR + 1];
	struct neigh *neigh = ctx;

	if (!entry)
		return;
	netlink_attrs(msg, sizeof(*entry), attrs, NDA_LLADDR);
	neigh->state = entry->ndm_state;
	netlink_copy(attrs[NDA_LLADDR], neigh->mac, sizeof(neigh->mac));
}

static void take_incomplete(const struct nlmsghdr *msg, void *ctx)
{
	const struct ndmsg *entry = netlink_head(msg, sizeof(*entry));
	bool *waits = ctx;

	*waits |= entry && entry->ndm_state & NUD_INCOMPLETE;
}

bool route_waits_for_neighbour(void)
{
	const struct ndmsg head = { .ndm_family = AF_UNSPEC };
	bool waits = false;

	netlink_ask_once(NETLINK_ROUTE, netlink_request(RTM_GETNEIGH, NLM_F_DUMP, &head, sizeof(head)), take_incomplete,
			 &waits);
	return waits;
}

static struct nl_msg *neigh_msg(const struct query *query, const struct hop *hop, int type,
				int flags, struct ndmsg head)
{
	struct nl_msg *msg;

	head.ndm_family = (uint8_t)hop->family;
	head.ndm_ifindex = query->ifindex;
	msg = netlink_request(type, flags, &head, sizeof(head));
	netlink_put(msg, NDA_DST, hop->addr, hop->family == AF_INET6 ? 16 : 4);
	return msg;
}

static struct neigh read_neigh(const struct query *query, const struct hop *hop)
{
	/* A request for one entry must not give a state; kernel 5.0 */
	struct nl_msg *msg = neigh_msg(query, hop, RTM_GETNEIGH, 0, (struct ndmsg){ 0 });
	struct neigh neigh = { 0 };

	netlink_ask(query->netlink, msg, take_neigh, &neigh);
	return neigh;
}

/* Makes the kernel send one ARP request or neighbour solicitation, and nothing else. */
static int change_neigh(const struct query *query, const struct hop *hop, int state, int flags)
{
	struct ndmsg head = { .ndm_state = (uint16_t)state, .ndm_flags = (uint8_t)flags };

	return netlink_ask(query->netlink,
			   neigh_msg(query, hop, RTM_NEWNEIGH, NLM_F_CREATE | NLM_F_REPLACE, head),
			   NULL, NULL);
}

static bool wait_usable(const struct query *query, const struct hop *hop, uint64_t wait_ns,
			struct neigh *ret_neigh)
{
	uint64_t until_ns = loop_mono_ns() + wait_ns;

	do {
		*ret_neigh = read_neigh(query, hop);
		if (ret_neigh->state & NUD_USABLE)
			return true;
		loop_sleep_until(loop_mono_ns() + POLL_NS);
	} while (loop_mono_ns() < until_ns && !loop_signal());
	return false;
}

/* Sends the request to all on the link, and repeats it, as one may be lost. */
static int ask_all(const struct query *query, const struct hop *hop, struct neigh *ret_neigh)
{
	uint64_t until_ns = loop_mono_ns() + ANSWER_NS;
	int err;

	do {
		err = change_neigh(query, hop, NUD_NONE, NTF_USE);
		if (err)
			return err;
		if (wait_usable(query, hop, AGAIN_NS, ret_neigh))
			return 0;
		change_neigh(query, hop, NUD_FAILED, 0);
	} while (loop_mono_ns() < until_ns && !loop_signal());
	return -EHOSTUNREACH;
}

static int no_answer(const struct query *query, const struct hop *hop, struct err *e)
{
	char text[INET6_ADDRSTRLEN] = "";

	inet_ntop(hop->family, hop->addr, text, sizeof(text));
	if (strcmp(text, query->dst_text))
		err_set(e, -EHOSTUNREACH, "the gateway '%s' to '%s' does not answer on '%s'", text,
			query->dst_text, query->ifname);
	else
		err_set(e, -EHOSTUNREACH, "'%s' does not answer on '%s'", text, query->ifname);
	return err_hint(e, "see: ip neighbour show dev %s; if no host is to answer there, give "
			OPTION("dst-mac"), query->ifname);
}

static int find_mac(const struct query *query, const struct hop *hop, uint8_t ret_mac[6],
		    struct err *e)
{
	struct neigh neigh = read_neigh(query, hop);
	bool usable = neigh.state & NUD_USABLE;
	int err;

	/* Ask the host that answered last, and all if its address has moved. */
	if (neigh.state & NUD_OLD) {
		if (!(neigh.state & NUD_PROBE))
			change_neigh(query, hop, NUD_PROBE, 0);
		usable = wait_usable(query, hop, CONFIRM_NS, &neigh);
		if (!usable)
			change_neigh(query, hop, NUD_FAILED, 0);
	}
	err = usable ? 0 : ask_all(query, hop, &neigh);
	if (err == -EHOSTUNREACH)
		return no_answer(query, hop, e);
	if (err)
		return netlink_error(query->netlink, e, err,
				     "cannot query the MAC address of '%s'", query->ifname);
	memcpy(ret_mac, neigh.mac, sizeof(neigh.mac));
	return 0;
}

/* RFC 1112 6.4 and RFC 2464 7: these are computed, not resolved. */
static void group_mac(const struct query *query, int type, uint8_t ret_mac[6])
{
	const uint8_t *dst = query->dst;

	if (type == RTN_BROADCAST) {
		memset(ret_mac, 0xff, 6);
	} else if (query->family == AF_INET) {
		memcpy(ret_mac, (uint8_t[]){ 0x01, 0x00, 0x5e, dst[1] & 0x7f, dst[2], dst[3] }, 6);
	} else {
		memcpy(ret_mac, (uint8_t[]){ 0x33, 0x33 }, 2);
		memcpy(ret_mac + 2, dst + 12, 4);
	}
}

static int local(const struct query *query, struct err *e)
{
	err_set(e, -ENETUNREACH, "'%s' is an address of this host: it is not reached through "
		"'%s'", query->dst_text, query->ifname);
	return err_hint(e, "to send it out anyway, give " OPTION("dst-mac"));
}

static int find(struct query *query, bool want_mac, struct route_path *ret_path, struct err *e)
{
	struct route_path path = { .family = query->family };
	struct hop hop;
	int err;

	err = find_hop(query, &hop, e);
	if (err)
		return err;
	memcpy(&path.src, hop.src, query->addr_bytes);
	if (want_mac) {
		if (hop.type == RTN_LOCAL && strcmp(query->ifname, "lo"))
			return local(query, e);
		if (hop.type == RTN_MULTICAST || hop.type == RTN_BROADCAST)
			group_mac(query, hop.type, path.dst_mac);
		else if (hop.type != RTN_LOCAL)
			err = find_mac(query, &hop, path.dst_mac, e);
	}
	if (!err)
		*ret_path = path;
	return err;
}

typedef int (*find_fn)(struct query *query, void *ret, struct err *e);

static int open_and_find(const char *ifname, int family, const void *dst, find_fn find,
			 void *ret, struct err *e)
{
	struct query query = {
		.ifname = ifname, .ifindex = (int)if_nametoindex(ifname), .family = family,
		.addr_bytes = family == AF_INET6 ? 16 : 4, .dst = dst,
	};
	int err;

	inet_ntop(family, dst, query.dst_text, sizeof(query.dst_text));
	if (*ifname && !query.ifindex)
		return err_set(e, -ENODEV, "cannot look up a route through '%s'", ifname);
	err = netlink_open(&query.netlink, NETLINK_ROUTE);
	if (err)
		return err_set(e, err, "cannot query a route to '%s'", query.dst_text);
	err = find(&query, ret, e);
	netlink_close(query.netlink);
	return err;
}

static int find_path(struct query *query, void *ret, struct err *e)
{
	return find(query, true, ret, e);
}

static int find_source(struct query *query, void *ret, struct err *e)
{
	return find(query, false, ret, e);
}

static int find_iface(struct query *query, void *ret, struct err *e)
{
	struct hop hop = { 0 };
	int err = ask_route(query, 0, &hop);

	if (!err && hop.type == RTN_LOCAL)
		return err_usage(e, "'%s' is an address of this host: the path to it includes no driver",
				 query->dst_text);
	if (!err && !(hop.ifindex && if_indextoname((unsigned int)hop.ifindex, ret)))
		err = -ENETUNREACH;
	return err ? no_route(query, err, e) : 0;
}

static int find_direct(struct query *query, void *ret, struct err *e)
{
	struct hop hop;
	int err = find_hop(query, &hop, e);

	*(bool *)ret = !err && hop.type == RTN_UNICAST && hop.family == query->family &&
		       !memcmp(hop.addr, query->dst, query->addr_bytes);
	return err;
}

bool route_is_direct(const char *ifname, int family, const void *dst)
{
	bool direct = false;
	struct err ignored;

	open_and_find(ifname, family, dst, find_direct, &direct, &ignored);
	return direct;
}

int route_find(const char *ifname, int family, const void *dst, struct route_path *ret_path,
	       struct err *e)
{
	return open_and_find(ifname, family, dst, find_path, ret_path, e);
}

int route_find_source(const char *ifname, int family, const void *dst,
		      struct route_path *ret_path, struct err *e)
{
	return open_and_find(ifname, family, dst, find_source, ret_path, e);
}

int route_find_iface(int family, const void *dst, char ret_ifname[16], struct err *e)
{
	return open_and_find("", family, dst, find_iface, ret_ifname, e);
}

/* A route may be in several tables, or in halves: an address that is public and in no special range. */
bool route_find_default(int family, char ret_ifname[16])
{
	static const char *const addresses[] = { "64.0.0.1", "2600::1" };
	uint8_t dst[16];
	struct err e;

	return inet_pton(family, addresses[family == AF_INET6], dst) == 1 &&
	       route_find_iface(family, dst, ret_ifname, &e) == 0;
}

/* The local address of a connected socket shows the route, without sending anything. */
int route_find_path_mtu(const char *address, char ret_ifname[16], uint32_t *ret_mtu, struct err *e)
{
	struct addrinfo hints = { .ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_DGRAM };
	struct addrinfo *to = NULL;
	struct ifaddrs *all = NULL, *one;
	struct sockaddr_storage own = { 0 };
	socklen_t len = sizeof(own), mtu_len = sizeof(int);
	int fd = -1, mtu = 0, err = 0;
	bool ip6;

	if (getaddrinfo(address, "9", &hints, &to))
		return err_usage(e, "'%s' is neither an interface here nor an IP address", address);
	ip6 = to->ai_family == AF_INET6;
	fd = socket(to->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, to->ai_addr, to->ai_addrlen) ||
	    getsockname(fd, (struct sockaddr *)&own, &len) || getifaddrs(&all)) {
		err = err_set(e, -errno, "cannot find a route to '%s'", address);
		goto out;
	}
	getsockopt(fd, ip6 ? IPPROTO_IPV6 : IPPROTO_IP, ip6 ? IPV6_MTU : IP_MTU, &mtu, &mtu_len);
	for (one = all; one; one = one->ifa_next) {
		if (!one->ifa_addr || one->ifa_addr->sa_family != to->ai_family)
			continue;
		if (ip6 ? !memcmp(&((struct sockaddr_in6 *)one->ifa_addr)->sin6_addr,
				  &((struct sockaddr_in6 *)&own)->sin6_addr, 16) :
			  ((struct sockaddr_in *)one->ifa_addr)->sin_addr.s_addr ==
			  ((struct sockaddr_in *)&own)->sin_addr.s_addr)
			break;
	}
	if (!one) {
		err = err_set(e, -ENODEV, "cannot determine the interface to '%s'", address);
		goto out;
	}
	snprintf(ret_ifname, 16, "%.15s", one->ifa_name);
	*ret_mtu = (uint32_t)mtu;
out:
	freeifaddrs(all);
	freeaddrinfo(to);
	if (fd >= 0)
		close(fd);
	return err;
}
