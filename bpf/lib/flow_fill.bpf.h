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

/* The current packet, one record per CPU: neither hook is re-entered. */
struct flow_work {
	struct flow_ask asked;	/* its key is filled for every packet */
	__u32 l3, l4, ip_end;	/* offsets; l4 0: none */
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

/* Room for any header that parse_frame() walks over. */
#define OFFSET_MAX	511

static __always_inline void fill_ports(struct flow_key *key, __u32 dir, const __be16 *ports)
{
	if (key->proto != IPPROTO_TCP && key->proto != IPPROTO_UDP && key->proto != IPPROTO_SCTP)
		return;
	key->near_port = ports[dir == WATCH_TX ? 0 : 1];
	key->far_port = ports[dir == WATCH_TX ? 1 : 0];
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

/* False: the header is incomplete. */
static __always_inline int fill_tcp(struct __sk_buff *ctx, const struct tcphdr *header, void *end,
				    struct flow_work *work)
{
	__u32 header_bytes = header->doff * 4, size = ctx->gso_size;
	__u32 payload = work->ip_end - work->l4 - header_bytes;
	struct flow_tcp *tcp = &work->tcp;
	__u64 ts;

	if (header_bytes < sizeof(*header) || work->ip_end < work->l4 + header_bytes)
		return 0;
	tcp->flags = ((const __u8 *)header)[13];
	tcp->seq = bpf_ntohl(header->seq);
	tcp->end = tcp->seq + payload + !!(tcp->flags & TCP_SYN) + !!(tcp->flags & TCP_FIN);
	tcp->first_end = size && size < payload ? tcp->seq + size : tcp->end;
	tcp->ack = bpf_ntohl(header->ack_seq);
	tcp->window = bpf_ntohs(header->window);
	tcp->packets = work->packets;
	ts = find_timestamps(ctx, header, end, work->l4 + sizeof(*header),
			     header_bytes - sizeof(*header));
	tcp->tsval = ts >> 32;
	tcp->tsecr = ts;
	tcp->has_ts = !!ts;
	return 1;
}

/*
 * The key and the fields of the TCP header, at the offsets in find_work(). This function,
 * flow_account and flow_ask are not static, so that the verifier checks them once, and not once per
 * path through the headers (flow_tc_in: 392 thousand instructions otherwise). Kernels before 5.12
 * accept scalars only.
 */
__attribute__((noinline)) int flow_fill(struct __sk_buff *ctx, __u32 dir)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end, *at;
	struct flow_work *work = find_work();
	struct flow_key *key;
	__u8 *src, *dst;

	if (!work)
		return 0;
	key = &work->asked.key;
	src = dir == WATCH_TX ? key->near : key->far;
	dst = dir == WATCH_TX ? key->far : key->near;
	at = data + (work->l3 & OFFSET_MAX);
	if (key->version == 6) {
		struct ipv6hdr *ip = at;

		if ((void *)(ip + 1) > end)
			return 0;
		__builtin_memcpy(src, &ip->saddr, 16);
		__builtin_memcpy(dst, &ip->daddr, 16);
	} else {
		struct iphdr *ip = at;

		if ((void *)(ip + 1) > end)
			return 0;
		__builtin_memcpy(src, &ip->saddr, 4);
		__builtin_memcpy(dst, &ip->daddr, 4);
	}
	at = data + (work->l4 & OFFSET_MAX);
	if (!work->l4 || at + 2 * sizeof(__be16) > end)
		return 0;
	fill_ports(key, dir, at);
	if (key->proto == IPPROTO_TCP && at + sizeof(struct tcphdr) <= end)
		work->is_tcp = fill_tcp(ctx, at, end, work);
	at += sizeof(struct udphdr);
	/* Copy what is in a fragment. */
	if (key->proto == IPPROTO_UDP && (at + 1 > end || *(__u8 *)at & FLOW_QUIC_LONG))
		work->quic.what = FLOW_QUIC_MAYBE;
	return 0;
}

/* The end of the IP packet, without padding. */
static __always_inline __u32 ip_end(const struct packet *pkt, __u32 l3)
{
	__u32 bytes = pkt->version == 6 ? bpf_ntohs(pkt->ip6->payload_len) :
					  bpf_ntohs(pkt->ip4->tot_len);

	/* Of more than 64 KB. */
	if (!bytes)
		return pkt->buf_bytes;
	return l3 + bytes + (pkt->version == 6 ? sizeof(struct ipv6hdr) : 0);
}

#endif
