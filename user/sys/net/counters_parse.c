// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/net/counters_parse.c - parse the kernel's counters and keep those of losses.
 */
#include "sys/net/counters_parse.h"

#include <net/if.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <linux/gen_stats.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>

#include "lib/array.h"

void counters_free(struct counters *counters)
{
	free(counters->all);
	*counters = (struct counters){ 0 };
}

void counters_add(struct counters *counters, const char *source, const char *name, uint64_t value)
{
	struct counter *all = realloc(counters->all, (counters->nr + 1) * sizeof(*all));

	if (!all)
		return;
	counters->all = all;
	all[counters->nr] = (struct counter){ .source = source, .value = value };
	snprintf(all[counters->nr].name, sizeof(all->name), "%s", name);
	counters->nr++;
}

void counters_add_silent(struct counters *counters, const char *source, const char *name)
{
	size_t nr = counters->nr;

	counters_add(counters, source, name, 0);
	if (counters->nr > nr)
		counters->all[nr].silent = true;
}

uint64_t counters_growth(const struct counters *before, const struct counter *after)
{
	size_t i;

	for (i = 0; i < before->nr; i++) {
		const struct counter *old = &before->all[i];

		if (!strcmp(old->source, after->source) && !strcmp(old->name, after->name))
			return after->value > old->value ? after->value - old->value : 0;
	}
	return 0;
}

/* Drivers choose these names. */
static bool counts_loss(const char *name)
{
	static const char *const words[] = {
		"drop", "discard", "miss", "err", "fail", "no_buf", "nobuf", "overrun", "overflow",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (strcasestr(name, words[i]))
			return true;
	}
	return false;
}

void counters_take_ethtool(struct counters *counters, const char *name, uint64_t value)
{
	if (counts_loss(name))
		counters_add(counters, "ethtool", name, value);
}

/* Only the root qdisc: it includes the drops of its children. */
void counters_take_qdisc(const struct nlmsghdr *msg, void *ctx)
{
	struct nlattr *attrs[TCA_STATS2 + 1], *stats[TCA_STATS_QUEUE + 1];
	const struct tcmsg *tc = netlink_head(msg, sizeof(*tc));
	const struct counters_qdisc *search = ctx;
	struct gnet_stats_queue queue = { 0 };
	char kind[IFNAMSIZ];

	if (!tc || tc->tcm_ifindex != search->ifindex || tc->tcm_parent != TC_H_ROOT)
		return;
	netlink_attrs(msg, sizeof(*tc), attrs, TCA_STATS2);
	netlink_nested(attrs[TCA_STATS2], stats, TCA_STATS_QUEUE);
	netlink_text(attrs[TCA_KIND], kind, sizeof(kind));
	netlink_copy(stats[TCA_STATS_QUEUE], &queue, sizeof(queue));
	counters_add(search->counters, "qdisc", kind, queue.drops);
}

/* Of the stack's many counters, those of losses on a datagram's path. */
static bool is_wanted(const char *name)
{
	static const char *const words[] = {
		"Errors", "NoPorts", "Discards", "NoRoutes", "Fails", "TruncatedPkts",
	};
	size_t i;

	if (!strcmp(name, "TcpExtIPReversePathFilter"))
		return true;
	if (strncmp(name, "Ip", 2) && strncmp(name, "Udp", 3))
		return false;
	if (!strncmp(name, "UdpLite", 7))
		return false;
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (strstr(name, words[i]))
			return true;
	}
	return false;
}

static void add_if_wanted(struct counters *counters, const char *name, const char *value)
{
	if (is_wanted(name))
		counters_add(counters, "snmp", name, strtoull(value, NULL, 10));
}

/* Pairs of lines: /proc/net/snmp. */
void counters_parse_pairs(struct counters *counters, FILE *file)
{
	char heads[4096], values[4096], name[80];
	char *head, *value, *head_at, *value_at, *proto;

	while (fgets(heads, sizeof(heads), file) && fgets(values, sizeof(values), file)) {
		proto = strtok_r(heads, ": \n", &head_at);
		value = strtok_r(values, ": \n", &value_at);
		if (!proto || !value || strcmp(proto, value))
			return;
		while ((head = strtok_r(NULL, " \n", &head_at)) &&
		       (value = strtok_r(NULL, " \n", &value_at))) {
			snprintf(name, sizeof(name), "%s%s", proto, head);
			add_if_wanted(counters, name, value);
		}
	}
}

/* One counter per line: /proc/net/snmp6. */
void counters_parse_lines(struct counters *counters, FILE *file)
{
	char line[256], name[64], value[32];

	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%63s %31s", name, value) == 2)
			add_if_wanted(counters, name, value);
	}
}

/* The second column, summed over all CPUs. */
void counters_parse_softnet(struct counters *counters, FILE *file)
{
	unsigned long long dropped, sum = 0;
	char line[512];

	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%*x %llx", &dropped) == 1)
			sum += dropped;
	}
	counters_add(counters, "softnet", "dropped", sum);
}

/*
 * A line of names, then one of hexadecimal numbers for each CPU. The table was full: "drop"; another packet of the
 * flow came first, and this one is dropped: "insert_failed".
 */
void counters_parse_conntrack(struct counters *counters, FILE *file)
{
	static const char *const wanted[] = { "drop", "insert_failed" };
	int columns[2] = { -1, -1 }, column;
	unsigned long long sums[2] = { 0 };
	char line[1024], *word, *at;
	size_t i;

	if (!fgets(line, sizeof(line), file))
		return;
	for (column = 0, word = strtok_r(line, " \n", &at); word; column++, word = strtok_r(NULL, " \n", &at)) {
		for (i = 0; i < 2; i++)
			columns[i] = strcmp(word, wanted[i]) ? columns[i] : column;
	}
	while (fgets(line, sizeof(line), file)) {
		for (column = 0, word = strtok_r(line, " \n", &at); word; column++, word = strtok_r(NULL, " \n", &at)) {
			for (i = 0; i < 2; i++)
				sums[i] += column == columns[i] ? strtoull(word, NULL, 16) : 0;
		}
	}
	for (i = 0; i < 2; i++) {
		if (columns[i] >= 0)
			counters_add(counters, "conntrack", wanted[i], sums[i]);
	}
}
