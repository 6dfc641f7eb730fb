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

MAPPED_ARRAY(flow_caches, struct flow_cached);	/* FLOW_CACHE x CPUs */

static __always_inline __u32 flow_cache_at(const struct flow_words *key)
{
	return bpf_get_smp_processor_id() * FLOW_CACHE + flow_cache_index(key);
}

/* False: the cache does not have this flow, or its counts are to be moved to the table first. */
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

/* Whether it is UDP that needs nothing but its flow's counts: no DNS and no QUIC handshake. */
static __always_inline int flow_is_usual(void *data, void *end, const struct flow_place *place)
{
	const struct udphdr *udp = data + (place->l4 & OFFSET_MAX);
	const __u8 *payload = (const void *)(udp + 1);

	return place->l4 && place->proto == IPPROTO_UDP && (void *)(payload + 1) <= end &&
	       !(*payload & FLOW_QUIC_LONG) && udp->source != bpf_htons(DNS_PORT) &&
	       udp->dest != bpf_htons(DNS_PORT);
}

#endif
