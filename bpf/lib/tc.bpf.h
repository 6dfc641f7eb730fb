/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/tc.bpf.h - a packet at tc: its headers, and its form on the wire. A super-packet (TSO, GSO,
 * GRO, LRO) is the packets that it will become or was merged from.
 */
#ifndef LIB_TC_BPF_H
#define LIB_TC_BPF_H

#include <linux/tcp.h>

#include "abi/watch.h"
#include "lib/core.bpf.h"
#include "lib/parse.bpf.h"
#include "lib/watch.bpf.h"
#include "lib/wire.bpf.h"

#define SKB_HEADERS_MAX	128	/* bytes to pull into the linear part if they are not there */
#define SKB_VLAN_BYTES	4

/* Bytes of all headers, which each segment of a super-packet repeats. */
static __always_inline __u32 skb_header_bytes(const struct packet *pkt, enum parse_result how)
{
	__u32 bytes;

	if (how != PARSE_L4)
		return cfg.starts_at_l3 ? 0 : ETH_HLEN;
	bytes = pkt->l4 - pkt->data;
	if (pkt->proto == IPPROTO_TCP) {
		const struct tcphdr *tcp = pkt->l4;

		return (void *)(tcp + 1) <= pkt->end ? bytes + tcp->doff * 4 : bytes + sizeof(*tcp);
	}
	return pkt->proto == IPPROTO_UDP ? bytes + sizeof(struct udphdr) : bytes;
}

/* Of a packet: what watch_rec adds up. */
static __always_inline __u32 skb_packet_bytes(__u32 buf_bytes)
{
	return cfg.starts_at_l3 ? buf_bytes : watch_frame_bytes(buf_bytes);
}

/*
 * A super-packet: all segments except the last carry gso_size bytes. In a tunnel the inner headers
 * are not parsed: the header length is derived from full segments.
 */
static __always_inline void skb_split(struct __sk_buff *ctx, __u32 buf_bytes, __u32 headers,
				  struct watch_wire *wire)
{
	__u32 size = ctx->gso_size, segs = ctx->gso_segs, payload;

	if (!size || headers >= buf_bytes)
		return;
	payload = buf_bytes - headers;
	/* In packets from a guest or a tap the segments may not be counted. */
	if (!segs)
		segs = (payload + size - 1) / size;
	if (segs < 2)
		return;
	if (payload > segs * size) {
		payload = segs * size;
		headers = buf_bytes - payload;
	}
	/* Merged from pieces shorter than the first: treat them as equal. */
	if (payload <= (segs - 1) * size)
		size = payload / segs;
	wire->packets = segs;
	wire->full_bytes = skb_packet_bytes(headers + size);
	wire->last_bytes = skb_packet_bytes(headers + payload - (segs - 1) * size);
}

static __always_inline enum parse_result skb_parse(struct __sk_buff *ctx, struct packet *pkt)
{
	pkt->data = (void *)(long)ctx->data;
	pkt->end = (void *)(long)ctx->data_end;
	pkt->buf_bytes = ctx->len;
	return cfg.starts_at_l3 ? parse_from_l3(pkt, ctx->protocol) : parse_frame(pkt);
}

static __always_inline enum parse_result skb_look(struct __sk_buff *ctx, enum watch_dir dir,
						  struct packet *pkt, struct watch_wire *wire)
{
	__u32 beside = ctx->vlan_present ? SKB_VLAN_BYTES : 0;
	enum parse_result how = skb_parse(ctx, pkt);

	/* A driver left the headers in a fragment: do here what the stack would do next. */
	if (unlikely(how == PARSE_MALFORMED && pkt->end - pkt->data < SKB_HEADERS_MAX &&
		     pkt->end - pkt->data < pkt->buf_bytes)) {
		bpf_skb_pull_data(ctx, pkt->buf_bytes < SKB_HEADERS_MAX ? pkt->buf_bytes :
				  SKB_HEADERS_MAX);
		how = skb_parse(ctx, pkt);
	}
	/* Here, after which no path through the headers differs by its pointers for the verifier. */
	wire->place = (pkt->l3 - pkt->data) << 16 | (pkt->l4 - pkt->data);
	barrier_var(wire->place);
	wire->packets = 1;
	wire->full_bytes = 0;
	/* An ingress skb holds its receive queue's number + 1, or 0. */
	wire->queue = dir == WATCH_RX ? ctx->queue_mapping : 0;
	wire->tagged = !!beside;
	if (!cfg.starts_at_l3 && (void *)(pkt->eth + 1) <= pkt->end &&
	    (pkt->eth->h_proto == bpf_htons(ETH_P_8021Q) ||
	     pkt->eth->h_proto == bpf_htons(ETH_P_8021AD)))
		wire->tagged = 1;
	wire->last_bytes = skb_packet_bytes(pkt->buf_bytes + beside);
	skb_split(ctx, pkt->buf_bytes + beside, skb_header_bytes(pkt, how) + beside, wire);
	return how;
}

#endif
