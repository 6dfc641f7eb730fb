/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/skb.bpf.h - read the kernel's sk_buff in a tracepoint.
 */
#ifndef LIB_SKB_BPF_H
#define LIB_SKB_BPF_H

#include <linux/if_ether.h>

#include "lib/core.bpf.h"

#include <bpf/bpf_core_read.h>

/* The fields of kernel structs read here; offsets are resolved at load. */
#define KERNEL_TYPE __attribute__((preserve_access_index))

struct ns_common {
	unsigned int inum;
} KERNEL_TYPE;

struct net {
	struct ns_common ns;
} KERNEL_TYPE;

typedef struct {
	struct net *net;
} KERNEL_TYPE possible_net_t;

struct net_device {
	char name[16];		/* IFNAMSIZ */
	int ifindex;
	possible_net_t nd_net;
} KERNEL_TYPE;

struct sock_common {
	unsigned short skc_family;
	possible_net_t skc_net;
} KERNEL_TYPE;

struct sock {
	struct sock_common __sk_common;
} KERNEL_TYPE;

struct dst_entry {
	short error;
} KERNEL_TYPE;

struct sk_buff {
	struct net_device *dev;
	struct sock *sk;
	unsigned long _skb_refdst;
	int skb_iif;
	__be16 protocol;
	__u16 network_header, mac_header;
	unsigned int tail, end;		/* offsets from head, on 64-bit machines */
	__u8 cloned:1;
	unsigned char *head, *data;
} KERNEL_TYPE;

struct skb_shared_info {
	unsigned short gso_size, gso_segs;
} KERNEL_TYPE;

#define NO_HEADER 0xffff	/* value of an offset that is not set */

/* Bytes of a packet, by their offset from skb->head. */
struct skb_view {
	unsigned char *head;
	__u32 tail;
};

static __always_inline int skb_copy(void *to, __u32 bytes, const struct skb_view *view,
				    __u32 offset)
{
	return offset + bytes > view->tail ||
	       bpf_probe_read_kernel(to, bytes, view->head + offset);
}

/*
 * Whether the first header, at @offset, is that of IP with EtherType @proto, and no Ethernet header before it: so of
 * tun interfaces and WireGuard. A MAC address may begin with the version of IP, but then the EtherType follows.
 */
static __always_inline int skb_starts_with_ip(const struct skb_view *view, __u32 offset, __be16 proto)
{
	__u8 version = proto == bpf_htons(ETH_P_IP) ? 4 : 6;
	struct ethhdr first;

	if (proto != bpf_htons(ETH_P_IP) && proto != bpf_htons(ETH_P_IPV6))
		return 0;
	return !skb_copy(&first, sizeof(first), view, offset) && first.h_dest[0] >> 4 == version &&
	       first.h_proto != proto;
}

/*
 * Offset of the IP header; *ret_proto is its EtherType. A received packet has its header offsets
 * set; an outgoing one may not (AF_XDP), and then starts with its Ethernet header.
 */
static __always_inline __u32 skb_find_ip(struct sk_buff *skb, const struct skb_view *view,
					 __be16 *ret_proto)
{
	__u16 mac = BPF_CORE_READ(skb, mac_header), net = BPF_CORE_READ(skb, network_header);
	__be16 proto = BPF_CORE_READ(skb, protocol);
	__u32 offset = net;
	int i;

	if (!proto || !net ||
	    (mac != NO_HEADER && net <= mac && !skb_starts_with_ip(view, net, proto))) {
		offset = BPF_CORE_READ(skb, data) - view->head + offsetof(struct ethhdr, h_proto);
		if (skb_copy(&proto, sizeof(proto), view, offset))
			return 0;
		offset += sizeof(proto);
	}
	for (i = 0; i < 2; i++) {
		if (proto != bpf_htons(ETH_P_8021Q) && proto != bpf_htons(ETH_P_8021AD))
			break;
		if (skb_copy(&proto, sizeof(proto), view, offset + 2))
			return 0;
		offset += 4;
	}
	*ret_proto = proto;
	return offset;
}

/* Number of packets merged by receive offload. */
static __always_inline __u32 skb_packets(struct sk_buff *skb)
{
	struct skb_shared_info *info = (void *)(BPF_CORE_READ(skb, head) + BPF_CORE_READ(skb, end));
	__u32 segments = BPF_CORE_READ(info, gso_size) ? BPF_CORE_READ(info, gso_segs) : 1;

	return segments ? segments : 1;
}

#endif
