/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/intact.bpf.h - verify the checksums of a received packet: IPv4's header, and the L4 one.
 */
#ifndef LIB_INTACT_BPF_H
#define LIB_INTACT_BPF_H

#include "abi/tag.h"
#include "lib/frame_sum.bpf.h"
#include "lib/parse.bpf.h"

enum intact {
	INTACT_YES,
	INTACT_NO,		/* a checksum is wrong */
	INTACT_UNKNOWN,		/* no L4 checksum, or none that can be verified here */
	INTACT_BAD_PAYLOAD,	/* no checksum is wrong, but the payload is (lib/payload.bpf.h) */
};

#define INTACT_NO_CHECKSUM	(~0u)	/* what @check below is without a field that may be left open */

/* Otherwise only IPv4's header is verified. */
const volatile __u8 intact_l4;

/*
 * Quick, for the usual packet: UDP with a tag that is undamaged, so that its words add up to 0 and need
 * not be read again (abi/tag.h). In two steps, as only the first needs the headers: the sum of the pseudo-header and
 * of UDP's header. 0: packet_intact() must look.
 */
static __always_inline int udp_head_sum(const struct packet *pkt, const struct udphdr *udp, __u64 *ret_sum)
{
	__u32 bytes = bpf_ntohs(udp->len), l4 = pkt->l4 - pkt->data, room;
	const __u32 *word = (const void *)udp;
	__u64 sum = (__u64)word[0] + word[1] + udp->len + bpf_htons(IPPROTO_UDP);

	if (intact_l4 && !udp->check)
		return 0;
	if (pkt->version == 4) {
		word = (const void *)pkt->ip4;
		if (pkt->ip4->ihl != 5 ||
		    sum_fold((__u64)word[0] + word[1] + word[2] + word[3] + word[4]) != 0xffff)
			return 0;
		sum += (__u64)word[3] + word[4];
		room = bpf_ntohs(pkt->ip4->tot_len) - sizeof(*pkt->ip4);
	} else {
		word = (const void *)&pkt->ip6->saddr;
		sum += (__u64)word[0] + word[1] + word[2] + word[3] + word[4] + word[5] + word[6] + word[7];
		room = bpf_ntohs(pkt->ip6->payload_len) - (pkt->l4 - pkt->l3 - sizeof(*pkt->ip6));
	}
	*ret_sum = sum;
	return !intact_l4 || (bytes >= sizeof(*udp) + TAG_BYTES && bytes <= room &&
			      l4 + bytes <= pkt->end - pkt->data && l4 + bytes <= FRAME_REACH);
}

/* The second step, of UDP with @bytes at @l4. 1: the checksums are right; 0: packet_intact() must look. */
static __always_inline int tagged_udp_fits(struct xdp_md *ctx, __u32 l4, __u32 bytes, __u64 sum)
{
	const __u32 before = sizeof(struct udphdr) + TAG_BYTES;

	if (!intact_l4)
		return 1;
	if (bytes > before)
		sum += frame_sum(ctx, l4 + before, bytes - before);
	return sum_fold(sum) == 0xffff;
}

/* Both steps. */
static __always_inline int tagged_udp_is_intact(struct xdp_md *ctx, const struct packet *pkt,
						const struct udphdr *udp)
{
	__u64 sum;

	return udp_head_sum(pkt, udp, &sum) &&
	       tagged_udp_fits(ctx, pkt->l4 - pkt->data, bpf_ntohs(udp->len), sum);
}

static __always_inline __u32 sum_ip4(struct xdp_md *ctx, const struct iphdr *ip, __u32 l3)
{
	const __u32 *word = (const void *)ip;
	__u64 sum = (__u64)word[0] + word[1] + word[2] + word[3] + word[4];

	if (unlikely(ip->ihl > 5))
		sum += frame_sum(ctx, l3 + sizeof(*ip), ip->ihl * 4 - sizeof(*ip));
	return sum_fold(sum);
}

/* Of @bytes at @l4; @pseudo: the sum of the IP addresses. */
static __always_inline int intact_of(struct xdp_md *ctx, __u32 l4, __u32 bytes, __u32 proto,
				     __u64 pseudo, int is_ip4)
{
	__u32 frame_bytes = (void *)(long)ctx->data_end - (void *)(long)ctx->data;
	__u32 check = INTACT_NO_CHECKSUM;
	const struct udphdr *udp;
	const __u16 *field;

	switch (proto) {
	case IPPROTO_UDP:
		udp = frame_at(ctx, l4, sizeof(*udp));
		if (!udp)
			return INTACT_UNKNOWN;
		if (bpf_ntohs(udp->len) < sizeof(*udp) || bpf_ntohs(udp->len) > bytes)
			return INTACT_NO;
		bytes = bpf_ntohs(udp->len);
		check = udp->check;
		/* None was sent, which IPv6 forbids but for tunnels (RFC 6935). */
		if (!check)
			return is_ip4 ? INTACT_UNKNOWN : INTACT_NO;
		break;
	case IPPROTO_TCP:
		field = frame_at(ctx, l4 + 16, sizeof(*field));
		if (!field)
			return INTACT_UNKNOWN;
		check = *field;
		break;
	case IPPROTO_ICMP:
		pseudo = 0;
		break;
	case IPPROTO_ICMPV6:
		break;
	default:
		return INTACT_UNKNOWN;
	}
	/* The rest may be in buffers that a program cannot point to. */
	if (l4 > FRAME_REACH || bytes > FRAME_REACH - l4 || l4 + bytes > frame_bytes)
		return INTACT_UNKNOWN;
	if (proto != IPPROTO_ICMP)
		pseudo += bpf_htons(bytes) + bpf_htons(proto);
	if (sum_fold(pseudo + frame_sum(ctx, l4, bytes)) == 0xffff)
		return INTACT_YES;
	/*
	 * The sender's stack left it to its NIC, and there was none on the way: the field has the
	 * pseudo-header's sum.
	 */
	return check == sum_fold(pseudo) ? INTACT_UNKNOWN : INTACT_NO;
}

/*
 * Verifies the packet whose headers start at @l3 and @l4, as parsed; @version 0: it is cut;
 * @proto 0: there is no complete L4 header. Verified by itself, as frame_sum().
 */
__attribute__((noinline)) int packet_intact(struct xdp_md *ctx, __u32 l3, __u32 l4, __u32 proto,
					    __u32 version)
{
	const struct ipv6hdr *ip6;
	const struct iphdr *ip4;
	const __u32 *word;
	__u32 bytes;

	if (version == 4) {
		ip4 = frame_at(ctx, l3, sizeof(*ip4));
		if (!ip4)
			return INTACT_UNKNOWN;
		if (sum_ip4(ctx, ip4, l3) != 0xffff)
			return INTACT_NO;
		if (!intact_l4)
			return INTACT_YES;
		bytes = bpf_ntohs(ip4->tot_len);
		/* 0: a super-packet whose length does not fit; the sum of its parts is left open. */
		if (!bytes)
			return INTACT_UNKNOWN;
		return intact_of(ctx, l4, bytes - (l4 - l3), proto, (__u64)ip4->saddr + ip4->daddr, 1);
	}
	if (!intact_l4)
		return INTACT_YES;
	ip6 = version == 6 ? frame_at(ctx, l3, sizeof(*ip6)) : NULL;
	/* As above; of a frame that fits 16 bits it is 0. */
	if (!ip6 || (!ip6->payload_len && parse_frame_bytes(ctx) > 0xffff))
		return INTACT_UNKNOWN;
	bytes = bpf_ntohs(ip6->payload_len) - (l4 - l3 - sizeof(*ip6));
	word = (const void *)&ip6->saddr;
	return intact_of(ctx, l4, bytes, proto, (__u64)word[0] + word[1] + word[2] + word[3] + word[4] +
			 word[5] + word[6] + word[7], 0);
}

#endif
