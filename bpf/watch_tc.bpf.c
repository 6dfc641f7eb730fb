// SPDX-License-Identifier: GPL-2.0-only
/*
 * watch_tc.bpf.c - count what an interface receives and sends, where the stack
 * gets it and gives it.
 *
 * In: any skb, a super-packet (TSO, GSO, GRO, LRO) among them: counted as the
 * packets that it is, or was, on the wire. Out: always TC_ACT_UNSPEC, so that
 * whatever else is attached decides as if this were not there; under tcx its
 * number is TCX_NEXT. Nothing is written to the packet.
 */
#include "lib/core.bpf.h"

#include <linux/pkt_cls.h>
#include <linux/tcp.h>

#include "lib/watch.bpf.h"

char _license[] SEC("license") = "GPL";

#define HEADERS_MAX	128	/* that are brought into the linear part, where they are not */
#define VLAN_BYTES	4

/* Bytes of all headers, which each segment of a super-packet repeats. */
static __always_inline __u32 header_bytes(const struct packet *pkt, enum parse_result how)
{
	__u32 bytes;

	if (how != PARSE_L4)
		return ETH_HLEN;
	bytes = pkt->l4 - pkt->data;
	if (pkt->proto == IPPROTO_TCP) {
		const struct tcphdr *tcp = pkt->l4;

		return (void *)(tcp + 1) <= pkt->end ? bytes + tcp->doff * 4 : bytes + sizeof(*tcp);
	}
	return pkt->proto == IPPROTO_UDP ? bytes + sizeof(struct udphdr) : bytes;
}

/*
 * A super-packet: all segments but the last carry gso_size bytes. Within a
 * tunnel the inner headers are not looked for: then the headers are as long as
 * full segments make them.
 */
static __always_inline void split(struct __sk_buff *ctx, __u32 buf_bytes, __u32 headers,
				  struct watch_wire *wire)
{
	__u32 size = ctx->gso_size, segs = ctx->gso_segs, payload;

	if (!size || headers >= buf_bytes)
		return;
	payload = buf_bytes - headers;
	/* From a guest or a tap nobody may have counted them. */
	if (!segs)
		segs = (payload + size - 1) / size;
	if (segs < 2)
		return;
	if (payload > segs * size) {
		payload = segs * size;
		headers = buf_bytes - payload;
	}
	/* Merged of pieces that are shorter than the first: as if all were alike. */
	if (payload <= (segs - 1) * size)
		size = payload / segs;
	wire->packets = segs;
	wire->full_bytes = watch_frame_bytes(headers + size);
	wire->last_bytes = watch_frame_bytes(headers + payload - (segs - 1) * size);
}

static __always_inline enum parse_result look(struct __sk_buff *ctx, struct packet *pkt)
{
	pkt->data = (void *)(long)ctx->data;
	pkt->end = (void *)(long)ctx->data_end;
	pkt->buf_bytes = ctx->len;
	return parse_frame(pkt);
}

static __always_inline void watch_skb(struct __sk_buff *ctx, enum watch_dir dir)
{
	struct watch_wire wire = { .packets = 1 };
	__u32 beside = ctx->vlan_present ? VLAN_BYTES : 0;
	enum parse_result how;
	struct packet pkt;

	how = look(ctx, &pkt);
	/* A driver left the headers in a fragment: what the stack would do next is done here. */
	if (unlikely(how == PARSE_MALFORMED && pkt.end - pkt.data < HEADERS_MAX &&
		     pkt.end - pkt.data < pkt.buf_bytes)) {
		bpf_skb_pull_data(ctx, pkt.buf_bytes < HEADERS_MAX ? pkt.buf_bytes : HEADERS_MAX);
		how = look(ctx, &pkt);
	}
	wire.tagged = !!beside;
	if ((void *)(pkt.eth + 1) <= pkt.end &&
	    (pkt.eth->h_proto == bpf_htons(ETH_P_8021Q) ||
	     pkt.eth->h_proto == bpf_htons(ETH_P_8021AD)))
		wire.tagged = 1;
	wire.last_bytes = watch_frame_bytes(pkt.buf_bytes + beside);
	split(ctx, pkt.buf_bytes + beside, header_bytes(&pkt, how) + beside, &wire);
	/* An ingress skb holds its receive queue's number + 1, or 0. */
	if (dir == WATCH_RX)
		wire.queue = ctx->queue_mapping;
	watch_count(dir, &pkt, how, &wire);
}

SEC("tc")
int watch_tc_in(struct __sk_buff *ctx)
{
	watch_skb(ctx, WATCH_RX);
	return TC_ACT_UNSPEC;
}

SEC("tc")
int watch_tc_out(struct __sk_buff *ctx)
{
	watch_skb(ctx, WATCH_TX);
	return TC_ACT_UNSPEC;
}
