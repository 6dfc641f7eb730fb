/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/parse.bpf.h - find the L3 and L4 headers of a frame.
 *
 * Ethernet, up to two VLAN tags, IPv4 with options, IPv6 with the extension
 * headers that may precede UDP or ICMPv6. Nothing is copied.
 */
#ifndef LIB_PARSE_BPF_H
#define LIB_PARSE_BPF_H

#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>

#include "lib/core.bpf.h"

#define PARSE_MAX_VLANS		2
#define PARSE_MAX_EXTENSIONS	6

enum parse_result {
	PARSE_L4,		/* l4 follows complete L3 headers; proto is its protocol */
	PARSE_FRAGMENT,		/* IP, but only part of a packet */
	PARSE_OTHER,		/* not IP, or an unsupported L4 */
	PARSE_MALFORMED,	/* truncated, or contradictory lengths */
};

struct parse_vlan {
	__be16 tci;
	__be16 proto;
};

struct parse_option {
	__u8 next;
	__u8 words;		/* in units of 8 bytes, without the first */
	__u8 type;
	__u8 segments_left;	/* of a routing header */
};

/*
 * Set before load if the interface's MTU requires multi-buffer frames (kernel 5.18 and later);
 * otherwise the verifier drops the helper call as dead code.
 */
const volatile __u8 has_frags;

struct packet {
	void *data, *end;	/* of the frame's linear part */
	__u32 buf_bytes;	/* of the whole frame, without FCS */
	struct ethhdr *eth;
	struct iphdr *ip4;	/* one of the two is NULL */
	struct ipv6hdr *ip6;
	void *l3, *l4;
	__be16 type;		/* EtherType after the supported VLAN tags */
	__u8 proto;		/* IPPROTO_ */
	__u8 version;		/* 4 or 6: after a NULL check the verifier (6.18 too) assumes a
				 * packet pointer is NULL */
};

/* The length of a super-packet that does not fit 16 bits is 0 (kernel 6.3 and later). */
static __always_inline int is_big(const struct packet *pkt, __be16 ip_bytes)
{
	return !ip_bytes && pkt->buf_bytes > 0xffff;
}

static __always_inline enum parse_result parse_ip4(struct packet *pkt, void *at)
{
	struct iphdr *ip = at;
	__u32 header_bytes;

	if ((void *)(ip + 1) > pkt->end || ip->version != 4)
		return PARSE_MALFORMED;
	header_bytes = ip->ihl * 4;
	if (header_bytes < sizeof(*ip) ||
	    (bpf_ntohs(ip->tot_len) < header_bytes && !is_big(pkt, ip->tot_len)) ||
	    at - pkt->data + bpf_ntohs(ip->tot_len) > pkt->buf_bytes ||
	    at + header_bytes > pkt->end)
		return PARSE_MALFORMED;
	pkt->ip4 = ip;
	pkt->version = 4;
	pkt->proto = ip->protocol;
	pkt->l4 = at + header_bytes;
	/* More fragments, or an offset: the don't-fragment bit alone does not count. */
	return ip->frag_off & bpf_htons(0x3fff) ? PARSE_FRAGMENT : PARSE_L4;
}

static __always_inline enum parse_result parse_ip6(struct packet *pkt, void *at)
{
	struct ipv6hdr *ip = at;
	int i;

	if ((void *)(ip + 1) > pkt->end || ip->version != 6 ||
	    (void *)(ip + 1) - pkt->data + bpf_ntohs(ip->payload_len) > pkt->buf_bytes)
		return PARSE_MALFORMED;
	pkt->ip6 = ip;
	pkt->version = 6;
	pkt->proto = ip->nexthdr;
	at = ip + 1;
	for (i = 0; i < PARSE_MAX_EXTENSIONS; i++) {
		struct parse_option *option = at;

		switch (pkt->proto) {
		case IPPROTO_FRAGMENT:
			return PARSE_FRAGMENT;
		case IPPROTO_HOPOPTS:
		case IPPROTO_ROUTING:
		case IPPROTO_DSTOPTS:
			break;
		default:
			/* Otherwise what follows is padding of the frame. */
			if (at - (void *)(ip + 1) > bpf_ntohs(ip->payload_len) && !is_big(pkt, ip->payload_len))
				return PARSE_MALFORMED;
			pkt->l4 = at;
			return PARSE_L4;
		}
		if ((void *)(option + 1) > pkt->end)
			return PARSE_MALFORMED;
		/* Segments left: the addresses are not the final ones yet. */
		if (pkt->proto == IPPROTO_ROUTING && option->segments_left)
			return PARSE_OTHER;
		pkt->proto = option->next;
		at += (option->words + 1) * 8;
		if (at > pkt->end)
			return PARSE_MALFORMED;
	}
	return PARSE_OTHER;
}

static __always_inline void parse_start(struct packet *pkt)
{
	pkt->eth = pkt->data;
	pkt->ip4 = NULL;
	pkt->ip6 = NULL;
	pkt->version = 0;
	pkt->type = 0;
	/*
	 * Clang 19 reads l4 ahead of its check, and the verifier rejects reads of uninitialised
	 * memory.
	 */
	pkt->l3 = pkt->data;
	pkt->l4 = pkt->data;
	pkt->proto = 0;
}

/* What EtherType @proto says is at @at. */
static __always_inline enum parse_result parse_l3(struct packet *pkt, void *at, __be16 proto)
{
	pkt->type = proto;
	pkt->l3 = at;
	if (proto == bpf_htons(ETH_P_IP))
		return parse_ip4(pkt, at);
	if (proto == bpf_htons(ETH_P_IPV6))
		return parse_ip6(pkt, at);
	return PARSE_OTHER;
}

/*
 * Fills @pkt, whose data, end and buf_bytes are set, as far as possible; the L4 header itself is
 * not checked against the end yet.
 */
static __always_inline enum parse_result parse_frame(struct packet *pkt)
{
	void *at;
	__be16 proto;
	int i;

	parse_start(pkt);
	at = pkt->eth + 1;
	if (at > pkt->end)
		return PARSE_MALFORMED;
	proto = pkt->eth->h_proto;
	for (i = 0; i < PARSE_MAX_VLANS; i++) {
		struct parse_vlan *vlan = at;

		if (proto != bpf_htons(ETH_P_8021Q) && proto != bpf_htons(ETH_P_8021AD))
			break;
		if ((void *)(vlan + 1) > pkt->end)
			return PARSE_MALFORMED;
		proto = vlan->proto;
		at = vlan + 1;
	}
	return parse_l3(pkt, at, proto);
}

/* The same of a packet without an Ethernet header, whose eth must not be read. */
static __always_inline enum parse_result parse_from_l3(struct packet *pkt, __be16 proto)
{
	parse_start(pkt);
	return parse_l3(pkt, pkt->data, proto);
}

/* Of the whole frame, without FCS. */
static __always_inline __u32 parse_frame_bytes(struct xdp_md *ctx)
{
	return has_frags ? bpf_xdp_get_buff_len(ctx) : ctx->data_end - ctx->data;
}

static __always_inline enum parse_result parse_packet(struct xdp_md *ctx, struct packet *pkt)
{
	pkt->data = (void *)(long)ctx->data;
	pkt->end = (void *)(long)ctx->data_end;
	pkt->buf_bytes = parse_frame_bytes(ctx);
	return parse_frame(pkt);
}

/* From address @from, IPv4 in its first word; @pkt was parsed. */
static __always_inline int parse_is_from(const struct packet *pkt, __u8 version,
					 const volatile __u32 *from)
{
	const __be32 *src;

	if (pkt->version != version)
		return 0;
	if (version == 4)
		return pkt->ip4->saddr == from[0];
	src = pkt->ip6->saddr.in6_u.u6_addr32;
	return src[0] == from[0] && src[1] == from[1] && src[2] == from[2] && src[3] == from[3];
}

/* The UDP header of a packet for which parse_packet() returned PARSE_L4, or NULL. */
static __always_inline struct udphdr *parse_udp(const struct packet *pkt)
{
	struct udphdr *udp = pkt->l4;

	if (pkt->proto != IPPROTO_UDP || (void *)(udp + 1) > pkt->end)
		return NULL;
	return udp;
}

#endif
