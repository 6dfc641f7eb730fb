/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/flow_ask.bpf.h - requests and their answers: ICMP echo and DNS over UDP.
 */
#ifndef LIB_FLOW_ASK_BPF_H
#define LIB_FLOW_ASK_BPF_H

#include "abi/flow.h"
#include "lib/core.bpf.h"
#include "lib/parse.bpf.h"

#define DNS_PORT	53
#define DNS_ANSWER	0x80

/* Time of the request; 0: sent more than once. The oldest entries are evicted. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__type(key, struct flow_ask);
	__type(value, __u64);
	__uint(max_entries, FLOW_ASKED);
} flow_asks SEC(".maps");

enum flow_asks_what { FLOW_ASKS_NOTHING, FLOW_ASKS, FLOW_ANSWERS };

static __always_inline int flow_may_ask(const struct flow_key *key)
{
	if (key->proto == IPPROTO_UDP)
		return key->near_port == bpf_htons(DNS_PORT) || key->far_port == bpf_htons(DNS_PORT);
	return key->proto == IPPROTO_ICMP || key->proto == IPPROTO_ICMPV6;
}

/* Fills id and seq, and *ret_kind. The payload may be in a fragment: copy it. */
static __always_inline enum flow_asks_what flow_asks_what(struct __sk_buff *ctx, __u32 l4,
							  struct flow_ask *ask,
							  enum flow_kind *ret_kind)
{
	__u8 proto = ask->key.proto;
	struct {
		__u8 type, code;
		__be16 sum, id, seq;
	} icmp;
	struct {
		__be16 id;
		__u8 flags, more;
	} dns;

	if (proto == IPPROTO_ICMP || proto == IPPROTO_ICMPV6) {
		__u8 asks = proto == IPPROTO_ICMP ? 8 : 128;
		__u8 answers = proto == IPPROTO_ICMP ? 0 : 129;

		if (bpf_skb_load_bytes(ctx, l4, &icmp, sizeof(icmp)))
			return FLOW_ASKS_NOTHING;
		ask->id = icmp.id;
		ask->seq = icmp.seq;
		*ret_kind = FLOW_ECHO;
		return icmp.type == asks ? FLOW_ASKS :
		       icmp.type == answers ? FLOW_ANSWERS : FLOW_ASKS_NOTHING;
	}
	if (bpf_skb_load_bytes(ctx, l4 + sizeof(struct udphdr), &dns, sizeof(dns)))
		return FLOW_ASKS_NOTHING;
	ask->id = dns.id;
	ask->seq = 0;
	*ret_kind = FLOW_DNS;
	return dns.flags & DNS_ANSWER ? FLOW_ANSWERS : FLOW_ASKS;
}

/* The time from request to answer, or 0. Both have the flow's key: near and far are not swapped. */
static __always_inline __u64 flow_ask_seen(const struct flow_ask *ask, enum flow_asks_what what,
					   __u64 now_ns, struct flow_cpu *cpu)
{
	const __u64 again = 0;
	__u64 *asked_ns = bpf_map_lookup_elem(&flow_asks, ask), ns;

	if (what == FLOW_ASKS) {
		ADD_ONCE(cpu->asked, 1);
		if (asked_ns)
			ADD_ONCE(cpu->asked_again, 1);
		bpf_map_update_elem(&flow_asks, ask, asked_ns ? &again : &now_ns, BPF_ANY);
		return 0;
	}
	ns = asked_ns && *asked_ns ? now_ns - *asked_ns : 0;
	if (ns)
		ADD_ONCE(cpu->answered, 1);
	else
		ADD_ONCE(cpu->unasked, 1);
	bpf_map_delete_elem(&flow_asks, ask);
	return ns;
}

#endif
