/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/net/nft_parse.h - rules of nftables that drop packets, from the kernel's answers. No system calls.
 */
#ifndef SYS_NET_NFT_PARSE_H
#define SYS_NET_NFT_PARSE_H

#include <stddef.h>
#include <stdint.h>

#include "sys/net/counters.h"
#include "sys/net/netlink_parse.h"

struct nft_chain {
	uint8_t family;
	char table[64], name[64];	/* as far as they fit */
	const char *hook;		/* "" if other chains jump to it */
};

/* Chains first, then rules. Zeroed, but for counters. */
struct nft_drops {
	struct counters *counters;
	struct nft_chain *chains;
	size_t nr_chains;
};

/*
 * For netlink_ask(), with a struct nft_drops; NFT_MSG_GETCHAIN and NFT_MSG_GETRULE. Each rule that drops or rejects,
 * and each base chain that does so by policy, becomes a counter of the source "nftables", with the name that nft -a
 * shows: "ip filter input handle 7 (input)". It is silent unless a counter directly before the verdict has the packets.
 * Verdicts in maps are not seen.
 */
netlink_fn nft_take_chain, nft_take_rule;

void nft_drops_free(struct nft_drops *drops);

#endif
