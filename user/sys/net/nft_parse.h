/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/net/nft_parse.h - rules of nftables that drop packets, from the kernel's answers. No system calls.
 */
#ifndef SYS_NET_NFT_PARSE_H
#define SYS_NET_NFT_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sys/net/counters.h"
#include "sys/net/netlink_parse.h"

struct nft_chain {
	uint8_t family;
	char table[64], name[64];	/* as far as they fit */
	const char *hook;		/* "" if other chains jump to it */
};

/* A rule whose verdict is in a map: its elements tell whether it drops. */
struct nft_map {
	struct nft_chain chain;
	char set[64];
	uint64_t handle;		/* of the rule */
};

/* Chains first, then rules, then the elements of the maps. Zeroed, but for counters. */
struct nft_drops {
	struct counters *counters;
	struct nft_chain *chains;
	size_t nr_chains;
	struct nft_map *maps;
	size_t nr_maps;
};

/* Of a map: elements that drop. Zeroed. */
struct nft_elements {
	bool drop, silent;		/* silent: one of them has no counter */
	uint64_t packets;
};

/*
 * For netlink_ask(), with a struct nft_drops; NFT_MSG_GETCHAIN and NFT_MSG_GETRULE. Each rule that drops or rejects,
 * and each base chain that does so by policy, becomes a counter of the source "nftables", with the name that nft -a
 * shows: "ip filter input handle 7 (input)". It is silent unless a counter directly before the verdict has the packets.
 */
netlink_fn nft_take_chain, nft_take_rule;

/*
 * The same for NFT_MSG_GETSETELEM, with a struct nft_elements; then nft_add_map() adds the rule, if one of
 * them drops.
 */
netlink_fn nft_take_element;
void nft_add_map(struct nft_drops *drops, const struct nft_map *map, const struct nft_elements *elements);

void nft_drops_free(struct nft_drops *drops);

#endif
