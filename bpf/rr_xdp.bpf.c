// SPDX-License-Identifier: GPL-2.0-only
/*
 * rr_xdp.bpf.c - take the answers to our own requests where the driver hands
 * them over.
 *
 * In:   Ethernet, up to two VLAN tags, IPv4 or IPv6, UDP or an echo reply, with a
 *       whole tag, as match says.
 * Out:  to the queue's AF_XDP socket, with the time of arrival in place of the
 *       MAC addresses, which nobody needs any more; or with match.bounce, timed
 *       and sent back as the next request, until its token's limit or end_mono_ns.
 * Else: left to the stack untouched: this host's own pings go on.
 */
#include "abi/rr.h"
#include "lib/core.bpf.h"
#include "lib/csum.bpf.h"
#include "lib/hist.bpf.h"
#include "lib/parse.bpf.h"
#include "lib/tag.bpf.h"

char _license[] SEC("license") = "GPL";

const volatile struct rr_match match;

/* With match.bounce: from then on nothing is sent any more. Written while the program runs. */
volatile __u64 end_mono_ns;

struct {
	__uint(type, BPF_MAP_TYPE_XSKMAP);
	__uint(max_entries, 1);		/* queues: set before load */
	__type(key, __u32);
	__type(value, __u32);
} rr_xsks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);		/* one a CPU: set before load */
	__type(key, __u32);
	__type(value, struct rr_rec);
} rr_recs SEC(".maps");

/* With match.bounce. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);		/* one a CPU: set before load */
	__type(key, __u32);
	__type(value, struct hist_rec);
} rr_hists SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);		/* match.nr_tokens */
	__type(key, __u32);
	__type(value, struct rr_token);
} rr_tokens SEC(".maps");

/* ICMP and ICMPv6 alike (RFC 792, RFC 4443 4.2) */
struct echo {
	__u8 type;
	__u8 code;
	__u16 checksum;
	__be16 id;
	__be16 number;
};

#define ECHO_REPLY4	0
#define ECHO_REPLY6	129

static __always_inline int is_from_peer(const struct packet *pkt)
{
	const volatile __u32 *peer = (const volatile __u32 *)match.peer;
	const __be32 *src;

	if (pkt->version != match.version)
		return 0;
	if (match.version == 4)
		return pkt->ip4->saddr == peer[0];
	src = pkt->ip6->saddr.in6_u.u6_addr32;
	return src[0] == peer[0] && src[1] == peer[1] && src[2] == peer[2] && src[3] == peer[3];
}

/* Both headers have 8 bytes. */
static __always_inline int is_answer(const struct packet *pkt)
{
	struct udphdr *udp = pkt->l4;
	struct echo *echo = pkt->l4;

	if ((void *)(udp + 1) > pkt->end)
		return 0;
	if (!match.icmp)
		return pkt->proto == IPPROTO_UDP && udp->dest == match.id && udp->source == match.port;
	if (pkt->proto != (match.version == 4 ? IPPROTO_ICMP : IPPROTO_ICMPV6))
		return 0;
	return echo->type == (match.version == 4 ? ECHO_REPLY4 : ECHO_REPLY6) && !echo->code &&
	       echo->id == match.id;
}

/* NULL: not ours. */
static __always_inline struct tag *find_tag(struct xdp_md *ctx, struct packet *pkt)
{
	struct tag *tag;
	__u16 token;

	if (parse_packet(ctx, pkt) != PARSE_L4 || !is_from_peer(pkt) || !is_answer(pkt))
		return NULL;
	tag = pkt->l4 + sizeof(struct udphdr);
	if (!tag_is_whole(pkt, tag))
		return NULL;
	token = bpf_ntohs(tag->stream) - bpf_ntohs(match.stream);
	return token < match.nr_tokens ? tag : NULL;
}

static __always_inline void count(int ours, __u32 buf_bytes)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct rr_rec *rec = bpf_map_lookup_elem(&rr_recs, &cpu);

	if (!rec)
		return;
	if (!ours) {
		ADD_ONCE(rec->foreign, 1);
		return;
	}
	ADD_ONCE(rec->answers, 1);
	ADD_ONCE(rec->bytes, buf_bytes);
}

/* The answer becomes a request, if its headers have the @head_bytes of one; false: they have not. */
static __always_inline int write_request(const struct packet *pkt, __u32 head_bytes, __u64 made,
					 __u64 now_ns)
{
	struct echo *echo = pkt->data + head_bytes - sizeof(*echo);
	struct tag *tag = pkt->data + head_bytes;
	const void *head = (const void *)match.head;
	__be16 number = bpf_htons((__u16)made);

	if (pkt->l4 != echo || (void *)(tag + 1) > pkt->end)
		return 0;
	/* Or the compiler, no volatile before it, copies the zeros that stand in the object. */
	__asm__ volatile("" : "+r"(head));
	__builtin_memcpy(pkt->data, head, head_bytes);
	if (match.icmp) {
		echo->number = number;
		echo->checksum = csum_replace(match.check, 0, number);
	}
	tag->sequence = bpf_htonl((__u32)made);
	tag->sent_ns = bpf_cpu_to_be64(now_ns);
	tag->complement = tag_complement(tag->magic, tag->stream, tag->sequence, tag->sent_ns);
	return 1;
}

static __always_inline int bounce(const struct packet *pkt, const struct tag *tag)
{
	__u32 cpu = bpf_get_smp_processor_id();
	__u32 index = (__u16)(bpf_ntohs(tag->stream) - bpf_ntohs(match.stream));
	__u32 number = bpf_ntohl(tag->sequence);
	struct rr_token *token;
	struct hist_rec *hist;
	__u64 now_ns;

	token = bpf_map_lookup_elem(&rr_tokens, &index);
	hist = bpf_map_lookup_elem(&rr_hists, &cpu);
	if (!token || !hist)
		return XDP_DROP;
	/* A duplicate, or one that was given up: the packet that is under way is another. */
	if (number != (__u32)(token->made - 1) || token->done == token->made) {
		ADD_ONCE(token->stale, 1);
		return XDP_DROP;
	}
	now_ns = bpf_ktime_get_ns();
	hist_add(hist, token->sent_ns, now_ns);
	ADD_ONCE(token->answered, 1);
	WRITE_ONCE(token->came_ns, now_ns);
	WRITE_ONCE(token->done, token->made);
	if (now_ns >= end_mono_ns || token->made >= token->limit)
		return XDP_DROP;
	if (!(match.version == 4 ? write_request(pkt, RR_HEAD4_BYTES, token->made, now_ns) :
				   write_request(pkt, RR_HEAD6_BYTES, token->made, now_ns)))
		return XDP_DROP;
	WRITE_ONCE(token->sent_ns, now_ns);
	WRITE_ONCE(token->made, token->made + 1);
	return XDP_TX;
}

SEC("xdp")
int rr_xdp(struct xdp_md *ctx)
{
	struct packet pkt;
	struct tag *tag = find_tag(ctx, &pkt);

	count(tag != NULL, pkt.buf_bytes);
	if (!tag)
		return XDP_PASS;
	if (match.bounce)
		return bounce(&pkt, tag);
	*(__u64 *)pkt.data = bpf_ktime_get_ns();
	return bpf_redirect_map(&rr_xsks, ctx->rx_queue_index, XDP_DROP);
}
