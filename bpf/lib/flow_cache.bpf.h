/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/flow_cache.bpf.h - the flows that a CPU saw last, which their usual packets need no table for.
 */
#ifndef LIB_FLOW_CACHE_BPF_H
#define LIB_FLOW_CACHE_BPF_H

#include "abi/flow.h"
#include "lib/core.bpf.h"
#include "lib/flow.bpf.h"
#include "lib/flow_ask.bpf.h"
#include "lib/flow_fill.bpf.h"
#include "lib/parse.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct flow_cached);
	__uint(max_entries, 1);		/* FLOW_CACHE x CPUs */
} flow_caches SEC(".maps");

static __always_inline __u32 flow_cache_at(const struct flow_words *key)
{
	return bpf_get_smp_processor_id() * FLOW_CACHE + flow_cache_index(key);
}

/* False: the cache has no such flow, or the table is to be told of it. */
static __always_inline int flow_cache_add(const struct flow_words *key, __u32 dir, __u32 packets,
					  __u64 frame_bytes, __u64 now_mono_ns)
{
	__u32 at = flow_cache_at(key);
	struct flow_cached *cached = bpf_map_lookup_elem(&flow_caches, &at);
	const struct flow_words *other;

	if (!cached)
		return 0;
	other = &cached->key;
	if ((key->near[0] ^ other->near[0]) | (key->near[1] ^ other->near[1]) |
	    (key->far[0] ^ other->far[0]) | (key->far[1] ^ other->far[1]) | (key->rest ^ other->rest))
		return 0;
	if (cached->epoch != READ_ONCE(flow_epoch) || now_mono_ns - cached->since_mono_ns >= FLOW_CACHE_NS)
		return 0;
	flow_sum(&cached->counts[dir], packets, frame_bytes);
	cached->last_mono_ns = now_mono_ns;
	return 1;
}

/* Of two words in memory's order. */
static __always_inline __u64 flow_word(__be32 first, __be32 second)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return first | (__u64)second << 32;
#else
	return (__u64)first << 32 | second;
#endif
}

static __always_inline void flow_address(const __be32 *addr, int is_ip4, __u64 ret_words[2])
{
	ret_words[0] = flow_word(addr[0], is_ip4 ? 0 : addr[1]);
	ret_words[1] = is_ip4 ? 0 : flow_word(addr[2], addr[3]);
}

/*
 * Whether @pkt, with a complete L3 header, is UDP that needs nothing but its flow's counts: no DNS and no
 * QUIC handshake. Then fills the key as flow_fill().
 */
static __always_inline int flow_is_usual(const struct packet *pkt, __u32 dir, struct flow_words *ret_key)
{
	__u64 *src = dir == WATCH_TX ? ret_key->near : ret_key->far;
	__u64 *dst = dir == WATCH_TX ? ret_key->far : ret_key->near;
	const struct udphdr *udp = pkt->l4;
	const __u8 *payload = (const void *)(udp + 1);
	__be32 ports;

	if (pkt->proto != IPPROTO_UDP || (void *)(payload + 1) > pkt->end || *payload & FLOW_QUIC_LONG ||
	    udp->source == bpf_htons(DNS_PORT) || udp->dest == bpf_htons(DNS_PORT))
		return 0;
	if (pkt->version == 4) {
		flow_address(&pkt->ip4->saddr, 1, src);
		flow_address(&pkt->ip4->daddr, 1, dst);
	} else {
		flow_address(pkt->ip6->saddr.in6_u.u6_addr32, 0, src);
		flow_address(pkt->ip6->daddr.in6_u.u6_addr32, 0, dst);
	}
	ports = *(const __be32 *)udp;
	if (dir == WATCH_RX)
		ports = ports << 16 | ports >> 16;
	ret_key->rest = flow_word(ports, bpf_htonl(IPPROTO_UDP << 24 | pkt->version << 16));
	return 1;
}

#endif
