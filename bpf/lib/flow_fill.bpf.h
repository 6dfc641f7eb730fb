/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/flow_fill.bpf.h - the current packet: its flow's key, and the fields of the TCP header.
 */
#ifndef LIB_FLOW_FILL_BPF_H
#define LIB_FLOW_FILL_BPF_H

#include <linux/tcp.h>

#include "abi/flow.h"
#include "lib/core.bpf.h"
#include "lib/flow_tcp.bpf.h"
#include "lib/parse.bpf.h"

/* The role of a datagram in a QUIC handshake. */
enum flow_quic_what {
	FLOW_QUIC_NOTHING,
	FLOW_QUIC_MAYBE,	/* not checked yet */
	FLOW_QUIC_MAY_OPEN,	/* an Initial that may be a client's first, or an answer */
	FLOW_QUIC_ANSWER,	/* Initial or Handshake */
	FLOW_QUIC_RETRY,
	FLOW_QUIC_VERSIONS,	/* Version Negotiation */
};

#define FLOW_QUIC_LONG	0x80	/* of the first byte */

struct flow_quic {
	__u32 what;
	__u32 to, from;		/* the connection IDs, as numbers */
};

/* TCP options: minimum length that can hold timestamps, and maximum length. */
#define OPTIONS_MIN	10
#define OPTIONS_MAX	40
#define OPTIONS_MASK	63

/* Where the headers of a packet are, as parsed. */
struct flow_place {
	__u32 l3, l4;		/* offsets; l4 0: none */
	__u32 proto;		/* IPPROTO_ */
	__u32 version;		/* of IP */
	__u32 is_fragment;
};

/* The current packet, one record per CPU: neither hook is re-entered. */
struct flow_work {
	struct flow_ask asked;	/* its key is filled for every packet */
	struct flow_place place;
	__u32 ip_end;		/* offset */
	struct flow_tcp tcp;
	struct flow_quic quic;
	__u32 packets, is_tcp;
	__u64 frame_bytes;
	__u64 now_mono_ns;
	/* Not on the stack, which before 5.12 cannot be accessed at variable offsets. */
	__u8 options[OPTIONS_MASK + 1 + 16] __attribute__((aligned(8)));
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__type(key, __u32);
	__type(value, struct flow_work);
	__uint(max_entries, 1);		/* CPUs */
} flow_works SEC(".maps");

static __always_inline struct flow_work *find_work(void)
{
	__u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&flow_works, &cpu);
}

/*
 * TSval << 32 | TSecr of the options at @at, 0: none. A separate function and not static: verified
 * once, with scalars only (kernels before 5.12).
 */
__attribute__((noinline)) __u64 flow_timestamps(struct __sk_buff *ctx, __u32 at, __u32 bytes)
{
	struct flow_work *work = find_work();
	__u32 i = 0, step, ts[2], above = bytes - OPTIONS_MIN;
	__u8 *options;
	int n;

	if (!work || above > OPTIONS_MAX - OPTIONS_MIN)
		return 0;
	options = work->options;
	__builtin_memset(work->options, 0, sizeof(work->options));
	/*
	 * A verifier that does not track 32-bit moves (6.1) loses a bound that was checked in
	 * another register; the mask restores it, and clang must keep it.
	 */
	__asm__ volatile("" : "+r"(above));
	if (bpf_skb_load_bytes(ctx, at, options, OPTIONS_MIN + (above & 31)))
		return 0;
	for (n = 0; n < OPTIONS_MAX; n++) {
		if (i >= OPTIONS_MAX)
			return 0;
		__asm__ volatile("" : "+r"(i));
		i &= OPTIONS_MASK;
		if (!options[i])
			return 0;
		if (options[i] == 8 && options[i + 1] == 10) {
			__builtin_memcpy(ts, options + i + 2, sizeof(ts));
			return (__u64)bpf_ntohl(ts[0]) << 32 | bpf_ntohl(ts[1]);
		}
		step = options[i] == 1 ? 1 : options[i + 1];
		if (!step)
			return 0;
		i += step;
	}
	return 0;
}

/* Room for all headers that parse_frame() walks over: six extensions of IPv6 have up to 2048 bytes each. */
#define OFFSET_MAX	16383

/* Of two words in memory's order. */
static __always_inline __u64 flow_word(__be32 first, __be32 second)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return first | (__u64)second << 32;
#else
	return (__u64)first << 32 | second;
#endif
}

static __always_inline void flow_addresses(const __be32 *src, const __be32 *dst, int is_ip4, __u32 dir,
					   struct flow_words *ret_key)
{
	__u64 from[2] = { flow_word(src[0], is_ip4 ? 0 : src[1]), is_ip4 ? 0 : flow_word(src[2], src[3]) };
	__u64 to[2] = { flow_word(dst[0], is_ip4 ? 0 : dst[1]), is_ip4 ? 0 : flow_word(dst[2], dst[3]) };

	ret_key->near[0] = dir == WATCH_TX ? from[0] : to[0];
	ret_key->near[1] = dir == WATCH_TX ? from[1] : to[1];
	ret_key->far[0] = dir == WATCH_TX ? to[0] : from[0];
	ret_key->far[1] = dir == WATCH_TX ? to[1] : from[1];
}

/* False: the L3 header is not in the linear part. */
static __always_inline int flow_key_of(void *data, void *end, const struct flow_place *place,
				       __u32 dir, struct flow_words *ret_key)
{
	void *at = data + (place->l3 & OFFSET_MAX);
	const struct ipv6hdr *ip6 = at;
	const struct iphdr *ip4 = at;
	__be32 ports = 0;

	if (place->version == 6) {
		if ((void *)(ip6 + 1) > end)
			return 0;
		flow_addresses(ip6->saddr.in6_u.u6_addr32, ip6->daddr.in6_u.u6_addr32, 0, dir, ret_key);
	} else {
		if ((void *)(ip4 + 1) > end)
			return 0;
		flow_addresses(&ip4->saddr, &ip4->daddr, 1, dir, ret_key);
	}
	at = data + (place->l4 & OFFSET_MAX);
	if (place->l4 && at + sizeof(ports) <= end &&
	    (place->proto == IPPROTO_UDP || place->proto == IPPROTO_TCP || place->proto == IPPROTO_SCTP))
		ports = dir == WATCH_TX ? *(__be32 *)at : *(__be32 *)at << 16 | *(__be32 *)at >> 16;
	ret_key->rest = flow_word(ports, bpf_htonl(place->proto << 24 | place->version << 16 |
						   place->is_fragment << 8));
	return 1;
}

/* NOP, NOP, timestamps: the layout of almost all stacks. */
struct flow_usual_options {
	__be32 kinds, tsval, tsecr;
};
#define FLOW_USUAL_KINDS	0x0101080a

/* As flow_timestamps(), which is called only for unusual options. */
static __always_inline __u64 find_timestamps(struct __sk_buff *ctx, const struct tcphdr *header,
					     void *end, __u32 at, __u32 bytes)
{
	const struct flow_usual_options *usual = (void *)(header + 1);

	if (bytes < OPTIONS_MIN)
		return 0;
	if (likely(bytes >= sizeof(*usual) && (void *)(usual + 1) <= end &&
		   usual->kinds == bpf_htonl(FLOW_USUAL_KINDS)))
		return (__u64)bpf_ntohl(usual->tsval) << 32 | bpf_ntohl(usual->tsecr);
	return flow_timestamps(ctx, at, bytes);
}

/* The end of the IP packet, without padding. */
static __always_inline __u32 flow_ip_end(struct __sk_buff *ctx, void *data, void *end,
					 const struct flow_place *place)
{
	void *at = data + (place->l3 & OFFSET_MAX);
	const struct ipv6hdr *ip6 = at;
	const struct iphdr *ip4 = at;
	__u32 bytes = 0;

	if (place->version == 6) {
		if ((void *)(ip6 + 1) <= end && ip6->payload_len)
			bytes = bpf_ntohs(ip6->payload_len) + sizeof(*ip6);
	} else if ((void *)(ip4 + 1) <= end) {
		bytes = bpf_ntohs(ip4->tot_len);
	}
	/* 0: of more than 64 KB. */
	return bytes ? place->l3 + bytes : ctx->len;
}

/* False: the header is incomplete. */
static __always_inline int fill_tcp(struct __sk_buff *ctx, const struct tcphdr *header, void *end,
				    struct flow_work *work)
{
	__u32 header_bytes = header->doff * 4, size = ctx->gso_size;
	__u32 payload = work->ip_end - work->place.l4 - header_bytes;
	struct flow_tcp *tcp = &work->tcp;
	__u64 ts;

	if (header_bytes < sizeof(*header) || work->ip_end < work->place.l4 + header_bytes)
		return 0;
	tcp->flags = ((const __u8 *)header)[13];
	tcp->seq = bpf_ntohl(header->seq);
	tcp->end = tcp->seq + payload + !!(tcp->flags & TCP_SYN) + !!(tcp->flags & TCP_FIN);
	tcp->first_end = size && size < payload ? tcp->seq + size : tcp->end;
	tcp->ack = bpf_ntohl(header->ack_seq);
	tcp->window = bpf_ntohs(header->window);
	tcp->packets = work->packets;
	ts = find_timestamps(ctx, header, end, work->place.l4 + sizeof(*header),
			     header_bytes - sizeof(*header));
	tcp->tsval = ts >> 32;
	tcp->tsecr = ts;
	tcp->has_ts = !!ts;
	return 1;
}

/* The fields of the TCP header, and whether it may be QUIC, at the offsets in find_work(). */
__attribute__((noinline)) int flow_fill(struct __sk_buff *ctx)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end, *at;
	struct flow_work *work = find_work();

	if (!work || !work->place.l4)
		return 0;
	work->ip_end = flow_ip_end(ctx, data, end, &work->place);
	at = data + (work->place.l4 & OFFSET_MAX);
	if (work->place.proto == IPPROTO_TCP && at + sizeof(struct tcphdr) <= end)
		work->is_tcp = fill_tcp(ctx, at, end, work);
	at += sizeof(struct udphdr);
	/* Copy what is in a fragment. */
	if (work->place.proto == IPPROTO_UDP && (at + 1 > end || *(__u8 *)at & FLOW_QUIC_LONG))
		work->quic.what = FLOW_QUIC_MAYBE;
	return 0;
}

#endif
