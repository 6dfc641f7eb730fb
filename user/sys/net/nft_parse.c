// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/net/nft_parse.c - rules of nftables that drop packets, from the kernel's answers.
 */
#include "sys/net/nft_parse.h"

#include <endian.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nf_tables_compat.h>
#include <linux/netfilter/nfnetlink.h>
#include <netlink/attr.h>

#include "sys/net/counters_parse.h"

#define SOURCE "nftables"

/* Big-endian, as all numbers of nf_tables. */
static uint64_t number(const struct nlattr *attr)
{
	uint64_t wide = 0;
	uint32_t value = 0;

	if (attr && nla_len(attr) >= 8)
		return netlink_copy(attr, &wide, sizeof(wide)) ? be64toh(wide) : 0;
	return netlink_copy(attr, &value, sizeof(value)) ? be32toh(value) : 0;
}

static const char *family_name(uint8_t family)
{
	return family == NFPROTO_IPV4 ? "ip" : family == NFPROTO_IPV6 ? "ip6" : family == NFPROTO_INET ? "inet" :
	       family == NFPROTO_BRIDGE ? "bridge" : family == NFPROTO_NETDEV ? "netdev" :
	       family == NFPROTO_ARP ? "arp" : "?";
}

static const char *hook_name(uint8_t family, uint64_t hook)
{
	static const char *const ip[] = { "prerouting", "input", "forward", "output", "postrouting", "ingress" };
	static const char *const netdev[] = { "ingress", "egress" };
	static const char *const arp[] = { "input", "output", "forward" };

	if (family == NFPROTO_NETDEV)
		return hook < 2 ? netdev[hook] : "?";
	if (family == NFPROTO_ARP)
		return hook < 3 ? arp[hook] : "?";
	return hook < 6 ? ip[hook] : "?";
}

static void add_named(struct nft_drops *drops, const struct nft_chain *chain, const char *what, bool counted,
		      uint64_t packets)
{
	char name[sizeof(drops->counters->all->name)], hook[20] = "";

	if (*chain->hook)
		snprintf(hook, sizeof(hook), " (%s)", chain->hook);
	snprintf(name, sizeof(name), "%s %.24s %.24s %s%s", family_name(chain->family), chain->table, chain->name, what,
		 hook);
	if (counted)
		counters_add(drops->counters, SOURCE, name, packets);
	else
		counters_add_silent(drops->counters, SOURCE, name);
}

void nft_take_chain(const struct nlmsghdr *msg, void *ctx)
{
	struct nlattr *attrs[NFTA_CHAIN_COUNTERS + 1], *hook[NFTA_HOOK_HOOKNUM + 1], *counts[NFTA_COUNTER_PACKETS + 1];
	const struct nfgenmsg *head = netlink_head(msg, sizeof(*head));
	struct nft_drops *drops = ctx;
	struct nft_chain chain = { .hook = "" }, *all;

	if (!head || (msg->nlmsg_type & 0xff) != NFT_MSG_NEWCHAIN)
		return;
	netlink_attrs(msg, sizeof(*head), attrs, NFTA_CHAIN_COUNTERS);
	netlink_nested(attrs[NFTA_CHAIN_HOOK], hook, NFTA_HOOK_HOOKNUM);
	netlink_nested(attrs[NFTA_CHAIN_COUNTERS], counts, NFTA_COUNTER_PACKETS);
	chain.family = head->nfgen_family;
	netlink_text(attrs[NFTA_CHAIN_TABLE], chain.table, sizeof(chain.table));
	netlink_text(attrs[NFTA_CHAIN_NAME], chain.name, sizeof(chain.name));
	if (hook[NFTA_HOOK_HOOKNUM])
		chain.hook = hook_name(chain.family, number(hook[NFTA_HOOK_HOOKNUM]));
	all = realloc(drops->chains, (drops->nr_chains + 1) * sizeof(*all));
	if (!all)
		return;
	drops->chains = all;
	drops->chains[drops->nr_chains++] = chain;
	if (attrs[NFTA_CHAIN_POLICY] && number(attrs[NFTA_CHAIN_POLICY]) == NF_DROP)
		add_named(drops, &chain, "policy", counts[NFTA_COUNTER_PACKETS], number(counts[NFTA_COUNTER_PACKETS]));
}

static bool is_drop_verdict(struct nlattr *data)
{
	struct nlattr *value[NFTA_DATA_VERDICT + 1], *verdict[NFTA_VERDICT_CODE + 1];

	netlink_nested(data, value, NFTA_DATA_VERDICT);
	netlink_nested(value[NFTA_DATA_VERDICT], verdict, NFTA_VERDICT_CODE);
	return verdict[NFTA_VERDICT_CODE] && number(verdict[NFTA_VERDICT_CODE]) == NF_DROP;
}

static bool is_drop(const char *name, struct nlattr *data)
{
	struct nlattr *attrs[NFTA_IMMEDIATE_DATA + 1];
	char target[16];

	if (!strcmp(name, "reject"))
		return true;
	if (!strcmp(name, "target")) {		/* of iptables */
		netlink_nested(data, attrs, NFTA_TARGET_NAME);
		netlink_text(attrs[NFTA_TARGET_NAME], target, sizeof(target));
		return !strcmp(target, "DROP") || !strcmp(target, "REJECT");
	}
	if (strcmp(name, "immediate"))
		return false;
	netlink_nested(data, attrs, NFTA_IMMEDIATE_DATA);
	return is_drop_verdict(attrs[NFTA_IMMEDIATE_DATA]);
}

/* Sets @set to the map that has the verdict, if the expression looks it up in one. */
static void find_map(const char *name, struct nlattr *data, char *set, size_t size)
{
	struct nlattr *attrs[NFTA_LOOKUP_DREG + 1];

	if (strcmp(name, "lookup"))
		return;
	netlink_nested(data, attrs, NFTA_LOOKUP_DREG);
	if (attrs[NFTA_LOOKUP_DREG] && number(attrs[NFTA_LOOKUP_DREG]) == NFT_REG_VERDICT)
		netlink_text(attrs[NFTA_LOOKUP_SET], set, size);
}

/* False: it drops nothing, but for what ret_map->set has, if not "". *ret_counted: its packets are *ret_packets. */
static bool read_rule(struct nlattr *list, struct nft_map *ret_map, bool *ret_counted, uint64_t *ret_packets)
{
	struct nlattr *at, *expr[NFTA_EXPR_DATA + 1], *count[NFTA_COUNTER_PACKETS + 1];
	char name[16];
	int left;

	*ret_counted = false;
	ret_map->set[0] = '\0';
	nla_for_each_nested(at, list, left) {
		netlink_nested(at, expr, NFTA_EXPR_DATA);
		netlink_text(expr[NFTA_EXPR_NAME], name, sizeof(name));
		if (is_drop(name, expr[NFTA_EXPR_DATA]))
			return true;
		find_map(name, expr[NFTA_EXPR_DATA], ret_map->set, sizeof(ret_map->set));
		if (!strcmp(name, "counter")) {
			netlink_nested(expr[NFTA_EXPR_DATA], count, NFTA_COUNTER_PACKETS);
			*ret_packets = number(count[NFTA_COUNTER_PACKETS]);
			*ret_counted = count[NFTA_COUNTER_PACKETS];
		} else if (strcmp(name, "log")) {
			*ret_counted = false;	/* fewer than it counted may come so far */
		}
	}
	return false;
}

static void add_rule(struct nft_drops *drops, const struct nft_map *rule, bool counted, uint64_t packets)
{
	char what[32];

	snprintf(what, sizeof(what), "handle %llu", (unsigned long long)rule->handle);
	add_named(drops, &rule->chain, what, counted, packets);
}

static void keep_map(struct nft_drops *drops, const struct nft_map *map)
{
	struct nft_map *all = realloc(drops->maps, (drops->nr_maps + 1) * sizeof(*all));

	if (!all)
		return;
	drops->maps = all;
	drops->maps[drops->nr_maps++] = *map;
}

void nft_take_rule(const struct nlmsghdr *msg, void *ctx)
{
	struct nlattr *attrs[NFTA_RULE_EXPRESSIONS + 1];
	const struct nfgenmsg *head = netlink_head(msg, sizeof(*head));
	struct nft_map map = { .chain.hook = "" };
	struct nft_chain *chain = &map.chain;
	struct nft_drops *drops = ctx;
	uint64_t packets = 0;
	bool counted, drop;
	size_t i;

	if (!head || (msg->nlmsg_type & 0xff) != NFT_MSG_NEWRULE)
		return;
	netlink_attrs(msg, sizeof(*head), attrs, NFTA_RULE_EXPRESSIONS);
	if (!attrs[NFTA_RULE_EXPRESSIONS])
		return;
	drop = read_rule(attrs[NFTA_RULE_EXPRESSIONS], &map, &counted, &packets);
	if (!drop && !*map.set)
		return;
	chain->family = head->nfgen_family;
	netlink_text(attrs[NFTA_RULE_TABLE], chain->table, sizeof(chain->table));
	netlink_text(attrs[NFTA_RULE_CHAIN], chain->name, sizeof(chain->name));
	map.handle = number(attrs[NFTA_RULE_HANDLE]);
	for (i = 0; i < drops->nr_chains; i++) {
		const struct nft_chain *one = &drops->chains[i];

		if (one->family == chain->family && !strcmp(one->table, chain->table) &&
		    !strcmp(one->name, chain->name))
			chain->hook = one->hook;
	}
	if (drop)
		add_rule(drops, &map, counted, packets);
	else
		keep_map(drops, &map);
}

/* Whether the element counts, by its own counter or, from kernel 5.11 on, one of its expressions. */
static bool read_count(struct nlattr **element, uint64_t *ret_packets)
{
	struct nlattr *expr[NFTA_EXPR_DATA + 1], *count[NFTA_COUNTER_PACKETS + 1], *at = element[NFTA_SET_ELEM_EXPR];
	struct nlattr *list = element[NFTA_SET_ELEM_EXPRESSIONS];
	char name[16];

	if (!at && list && nla_ok(nla_data(list), nla_len(list)))
		at = nla_data(list);
	netlink_nested(at, expr, NFTA_EXPR_DATA);
	netlink_text(expr[NFTA_EXPR_NAME], name, sizeof(name));
	if (strcmp(name, "counter"))
		return false;
	netlink_nested(expr[NFTA_EXPR_DATA], count, NFTA_COUNTER_PACKETS);
	*ret_packets = number(count[NFTA_COUNTER_PACKETS]);
	return count[NFTA_COUNTER_PACKETS];
}

void nft_take_element(const struct nlmsghdr *msg, void *ctx)
{
	struct nlattr *attrs[NFTA_SET_ELEM_LIST_ELEMENTS + 1], *element[NFTA_SET_ELEM_EXPRESSIONS + 1], *at;
	const struct nfgenmsg *head = netlink_head(msg, sizeof(*head));
	struct nft_elements *elements = ctx;
	uint64_t packets = 0;
	int left;

	if (!head || (msg->nlmsg_type & 0xff) != NFT_MSG_NEWSETELEM)
		return;
	netlink_attrs(msg, sizeof(*head), attrs, NFTA_SET_ELEM_LIST_ELEMENTS);
	if (!attrs[NFTA_SET_ELEM_LIST_ELEMENTS])
		return;
	nla_for_each_nested(at, attrs[NFTA_SET_ELEM_LIST_ELEMENTS], left) {
		netlink_nested(at, element, NFTA_SET_ELEM_EXPRESSIONS);
		if (!is_drop_verdict(element[NFTA_SET_ELEM_DATA]))
			continue;
		elements->drop = true;
		if (read_count(element, &packets))
			elements->packets += packets;
		else
			elements->silent = true;
	}
}

void nft_add_map(struct nft_drops *drops, const struct nft_map *map, const struct nft_elements *elements)
{
	if (elements->drop)
		add_rule(drops, map, !elements->silent, elements->packets);
}

void nft_drops_free(struct nft_drops *drops)
{
	free(drops->chains);
	free(drops->maps);
	drops->chains = NULL;
	drops->maps = NULL;
	drops->nr_chains = drops->nr_maps = 0;
}
