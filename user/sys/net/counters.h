/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/net/counters.h - the kernel's own loss counters: of an interface (rtnetlink, ethtool, qdisc)
 * and of a namespace's stack, with the rules of nftables.
 *
 * All from the calling thread's network namespace. What cannot be read is not in the list.
 */
#ifndef SYS_NET_COUNTERS_H
#define SYS_NET_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct counter {
	const char *source;	/* "rtnl", "ethtool", "qdisc", "softnet", "snmp", "conntrack", "nftables" */
	char name[96];
	uint64_t value;
	bool silent;		/* it drops packets without counting them: value is 0 */
};

/* Zeroed: empty. */
struct counters {
	struct counter *all;
	size_t nr;
};

void counters_free(struct counters *counters);

void counters_read_iface(struct counters *counters, const char *ifname);
/* Rules of nftables only with CAP_NET_ADMIN. */
void counters_read_stack(struct counters *counters);

/*
 * UDP datagrams that this namespace's sockets dropped because a receive buffer was full. A socket's
 * own counter has wrong checksums in it, too.
 */
uint64_t counters_udp_full(void);

/* Growth of @name of @source from @before to @after; 0: none, or no such counter. */
uint64_t counters_growth(const struct counters *before, const struct counter *after);

#endif
