// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/net/counters.c - the kernel's own loss counters.
 */
#include "sys/net/counters.h"

#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/ethtool.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/rtnetlink.h>

#include "sys/net/counters_parse.h"
#include "sys/net/ethtool.h"
#include "sys/net/netlink.h"
#include "sys/net/nft_parse.h"
#include "sys/net/nic.h"

static void read_rtnl(struct counters *counters, const char *ifname)
{
	struct nic_counters nic;

	if (nic_read_counters(ifname, &nic))
		return;
	counters_add(counters, "rtnl", "rx_dropped", nic.rx_dropped);
	counters_add(counters, "rtnl", "tx_dropped", nic.tx_dropped);
	counters_add(counters, "rtnl", "rx_errors", nic.rx_errors);
	counters_add(counters, "rtnl", "tx_errors", nic.tx_errors);
	counters_add(counters, "rtnl", "rx_missed_errors", nic.rx_overruns);
}

static void read_ethtool(struct counters *counters, const char *ifname)
{
	struct ethtool_gstrings *names = NULL;
	struct ethtool_stats *stats;
	char name[ETHTOOL_NAME_SIZE];
	size_t bytes;
	uint32_t i;

	if (ethtool_read_names(ifname, ETH_SS_STATS, &names))
		return;
	bytes = sizeof(*stats) + names->len * sizeof(stats->data[0]);
	stats = calloc(1, bytes);
	if (!stats)
		goto out;
	*stats = (struct ethtool_stats){ .cmd = ETHTOOL_GSTATS, .n_stats = names->len };
	/* If queues came or went since the names were read, these are names of others. */
	if (ethtool_bounded(ifname, stats, bytes) || stats->n_stats != names->len)
		goto out;
	for (i = 0; i < names->len; i++) {
		ethtool_name(names, i, name);
		counters_take_ethtool(counters, name, stats->data[i]);
	}
out:
	free(names);
	free(stats);
}

static void read_qdisc(struct counters *counters, const char *ifname)
{
	struct counters_qdisc search = {
		.counters = counters, .ifindex = (int)if_nametoindex(ifname),
	};
	const struct tcmsg head = { 0 };

	netlink_ask_once(NETLINK_ROUTE,
			 netlink_request(RTM_GETQDISC, NLM_F_DUMP, &head, sizeof(head)),
			 counters_take_qdisc, &search);
}

void counters_read_iface(struct counters *counters, const char *ifname)
{
	read_rtnl(counters, ifname);
	read_ethtool(counters, ifname);
	read_qdisc(counters, ifname);
}

static void parse_file(struct counters *counters, const char *path, counters_parse_fn *parse)
{
	FILE *file = fopen(path, "re");

	if (!file)
		return;
	parse(counters, file);
	fclose(file);
}

static void read_nft_map(struct nft_drops *drops, const struct nft_map *map)
{
	const struct nfgenmsg head = { .nfgen_family = map->chain.family, .version = NFNETLINK_V0 };
	struct nft_elements elements = { 0 };
	struct nl_msg *msg = netlink_request(NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_GETSETELEM, NLM_F_DUMP, &head,
					     sizeof(head));

	netlink_put_text(msg, NFTA_SET_ELEM_LIST_TABLE, map->chain.table);
	netlink_put_text(msg, NFTA_SET_ELEM_LIST_SET, map->set);
	netlink_ask_once(NETLINK_NETFILTER, msg, nft_take_element, &elements);
	nft_add_map(drops, map, &elements);
}

static void read_nft(struct counters *counters)
{
	const struct nfgenmsg head = { .version = NFNETLINK_V0 };
	struct nft_drops drops = { .counters = counters };
	size_t i;

	netlink_ask_once(NETLINK_NETFILTER,
			 netlink_request(NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_GETCHAIN, NLM_F_DUMP, &head, sizeof(head)),
			 nft_take_chain, &drops);
	netlink_ask_once(NETLINK_NETFILTER,
			 netlink_request(NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_GETRULE, NLM_F_DUMP, &head, sizeof(head)),
			 nft_take_rule, &drops);
	for (i = 0; i < drops.nr_maps; i++)
		read_nft_map(&drops, &drops.maps[i]);
	nft_drops_free(&drops);
}

void counters_read_stack(struct counters *counters)
{
	read_nft(counters);
	parse_file(counters, "/proc/thread-self/net/stat/nf_conntrack", counters_parse_conntrack);
	parse_file(counters, "/proc/thread-self/net/softnet_stat", counters_parse_softnet);
	parse_file(counters, "/proc/thread-self/net/snmp", counters_parse_pairs);
	parse_file(counters, "/proc/thread-self/net/netstat", counters_parse_pairs);
	parse_file(counters, "/proc/thread-self/net/snmp6", counters_parse_lines);
}

uint64_t counters_udp_full(void)
{
	struct counters counters = { 0 };
	uint64_t sum = 0;
	size_t i;

	parse_file(&counters, "/proc/thread-self/net/snmp", counters_parse_pairs);
	parse_file(&counters, "/proc/thread-self/net/snmp6", counters_parse_lines);
	for (i = 0; i < counters.nr; i++) {
		if (!strcmp(counters.all[i].name, "UdpRcvbufErrors") ||
		    !strcmp(counters.all[i].name, "Udp6RcvbufErrors"))
			sum += counters.all[i].value;
	}
	counters_free(&counters);
	return sum;
}
