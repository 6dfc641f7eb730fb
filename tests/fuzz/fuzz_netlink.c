// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whatever bytes a netlink socket gives: each message of the request is read within its bounds, by
 * all that read such messages, and texts end within their buffers.
 */
#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#include <linux/netlink.h>

#include "sys/net/counters_parse.h"
#include "sys/net/nft_parse.h"
#include "sys/net/nic_parse.h"

#define must(condition) do { if (!(condition)) abort(); } while (0)

/* The seeds' request. */
#define SEQ	7
#define IFINDEX	3

struct readers {
	size_t nr;
	struct counters counters, rules;
	struct nft_drops drops;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_by_all(const struct nlmsghdr *msg, void *ctx)
{
	struct readers *readers = ctx;
	struct counters_qdisc qdisc = { &readers->counters, IFINDEX };
	struct nic_stats stats = { 0 };
	struct nic_link link = { 0 };
	struct nic_filters filters = { 0 };
	struct nft_elements elements = { 0 };
	struct nic_xdp xdp;

	must(msg->nlmsg_seq == SEQ);
	nic_take_stats(msg, &stats);
	nic_take_link(msg, &link);
	must(memchr(link.ifname, 0, sizeof(link.ifname)));
	must(!link.peer_hidden || link.peer_nsid < 0);
	nic_take_xdp(msg, &xdp);
	nic_take_filter(msg, &filters);
	must(filters.nr <= 1 && filters.any >= filters.nr);
	counters_take_qdisc(msg, &qdisc);
	readers->nr++;
	must(readers->counters.nr <= readers->nr);
	readers->drops.counters = &readers->rules;
	nft_take_chain(msg, &readers->drops);
	nft_take_rule(msg, &readers->drops);
	nft_take_element(msg, &elements);
	must(readers->rules.nr <= readers->nr && readers->drops.nr_chains <= readers->nr &&
	     readers->drops.nr_maps <= readers->nr);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct readers readers = { 0 };
	struct netlink_answer answer = { .seq = SEQ, .fn = read_by_all, .ctx = &readers };
	void *part = malloc(size);	/* of exact size, so that a read after the end is detected */
	int err;

	must(part || !size);
	if (size)
		memcpy(part, data, size);
	err = netlink_read(&answer, part, size);
	must(err <= 1 && answer.nr_messages == readers.nr);
	must(memchr(answer.said, 0, sizeof(answer.said)));
	must(!answer.said[0] || err < 0);
	counters_free(&readers.counters);
	counters_free(&readers.rules);
	nft_drops_free(&readers.drops);
	free(part);
	return 0;
}
