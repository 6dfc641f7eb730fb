// SPDX-License-Identifier: GPL-2.0-only
/*
 * drops_tp.bpf.c - count where and why the kernel drops a test's packets.
 *
 * In: every packet dropped in any network namespace of this host (skb:kfree_skb), and failures of
 * XDP programs. Packets that do not match cfg are ignored. Raw tracepoints, which require neither
 * BTF of the programs nor trampolines; of the three kfree_skb programs, the one that fits the
 * tracepoint's arguments is loaded: the reason was added in 5.17, the receiving socket in 6.11.
 */
#include "lib/core.bpf.h"

#include <linux/errno.h>
#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>

#include "abi/drops.h"
#include "abi/tag.h"
#include "lib/seen.bpf.h"
#include "lib/skb.bpf.h"
#include "lib/tag_scan.bpf.h"
#include "lib/tag_skip.bpf.h"

char _license[] SEC("license") = "GPL";

const volatile struct drops_cfg cfg;

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__type(key, struct drop_key);
	__type(value, __u64);
	__uint(max_entries, DROP_PLACES);
} drop_places SEC(".maps");

MAPPED_ARRAY(drop_sums, struct drop_sum);	/* CPUs */

/* What qdisc:qdisc_drop said last on this CPU: of the packet that skb:kfree_skb reports next. */
struct qdisc_drop {
	__u64 skb;		/* its address; 0: none */
	__u64 reason;
};

CPU_SCRATCH(qdisc_drops, struct qdisc_drop);

static __always_inline int is_dest4(const struct iphdr *ip)
{
	return !cfg.version || (cfg.version == 4 && ip->daddr == cfg.dst[0]);
}

static __always_inline int is_dest6(const struct ipv6hdr *ip)
{
	const __be32 *dst = ip->daddr.in6_u.u6_addr32;

	return !cfg.version || (cfg.version == 6 && dst[0] == cfg.dst[0] &&
				dst[1] == cfg.dst[1] && dst[2] == cfg.dst[2] && dst[3] == cfg.dst[3]);
}

/*
 * Offset of what follows the IP header of a packet with the right address, or the EtherType of
 * another; 0: not such a packet. *ret_proto: -1: not IP. In a @damaged IPv4 header version and fragment
 * offset are not relied on; *ret_options: bytes of its options, by its length.
 */
static __always_inline __u32 find_l4(struct sk_buff *skb, const struct skb_view *view, int damaged,
				     int *ret_proto, __u32 *ret_options)
{
	__be16 proto = 0;
	__u32 offset = skb_find_ip(skb, view, &proto);
	struct ipv6hdr ip6;
	struct iphdr ip4;

	if (proto == bpf_htons(ETH_P_IP)) {
		/* In a fragmented packet only the first fragment has the ports and the tag. */
		if (skb_copy(&ip4, sizeof(ip4), view, offset) || !is_dest4(&ip4) ||
		    (!damaged && (ip4.version != 4 || ip4.frag_off & bpf_htons(0x1fff))))
			return 0;
		*ret_proto = ip4.protocol;
		*ret_options = ip4.ihl * 4 - sizeof(ip4);
		return offset + ip4.ihl * 4;
	}
	if (proto == bpf_htons(ETH_P_IPV6)) {
		if (skb_copy(&ip6, sizeof(ip6), view, offset) || ip6.version != 6 || !is_dest6(&ip6))
			return 0;
		*ret_proto = ip6.nexthdr;
		return offset + sizeof(ip6);
	}
	*ret_proto = -1;
	return cfg.tagged ? offset : 0;
}

static __always_inline int in_range(__be16 port, __u16 first, __u16 nr)
{
	return !nr || (__u16)(bpf_ntohs(port) - first) < nr;
}

static __always_inline int is_to_ports(const struct skb_view *view, __u32 offset)
{
	struct udphdr udp;

	return !skb_copy(&udp, sizeof(udp), view, offset) &&
	       in_range(udp.source, cfg.src_port, cfg.nr_src_ports) &&
	       in_range(udp.dest, cfg.dst_port, cfg.nr_dst_ports);
}

/* After the L4 header of @proto at @offset. */
static __always_inline int find_tag(const struct skb_view *view, __u32 offset, int proto,
				    struct tag *ret_tag)
{
	__u8 header[13];	/* what tag_skip() reads; no tag is shorter */

	if (skb_copy(header, sizeof(header), view, offset))
		return 0;
	if (proto >= 0)
		offset += tag_skip(proto, header[0], header[12]);
	return !skb_copy(ret_tag, sizeof(*ret_tag), view, offset);
}

static __always_inline int is_of_run(const struct tag_fields *tag)
{
	return tag->run == cfg.run && tag->stream >= cfg.first_stream && tag->stream <= cfg.last_stream;
}

/* Of a damaged tag: other runs have random numbers, so few of them differ in at most two bits. */
static __always_inline int is_nearly_of_run(const struct tag *tag)
{
	__u16 differs = (__u16)(bpf_be64_to_cpu(tag->high) >> 32) ^ cfg.run;

	differs &= differs - 1;
	differs &= differs - 1;
	return !differs;
}

static __always_inline int is_damage(__u32 reason)
{
	return reason < DROP_DAMAGE_REASONS && cfg.damage_reasons[reason >> 6] >> (reason & 63) & 1;
}

enum of_test {
	OF_TEST_NO, OF_TEST_YES,
	OF_TEST_DAMAGED,	/* DROP_DAMAGED */
	OF_TEST_ENCRYPTED,	/* DROP_ENCRYPTED */
};

/* Of a packet with the right address and the L4 header of @proto at @offset. */
static __always_inline enum of_test look(const struct skb_view *view, __u32 offset, int proto, int damaged,
					 struct tag_fields *ret_tag)
{
	int is_udp = proto == IPPROTO_UDP, to_ports = is_udp && is_to_ports(view, offset);
	struct tag tag;

	if (!cfg.tagged)
		return to_ports ? OF_TEST_YES : OF_TEST_NO;
	if (!find_tag(view, offset, proto, &tag))
		return OF_TEST_NO;
	if (!tag_read(tag.high, tag.low, tag.complement, ret_tag))
		return damaged && to_ports && is_nearly_of_run(&tag) ? OF_TEST_DAMAGED : OF_TEST_NO;
	if (!is_of_run(ret_tag))
		return OF_TEST_NO;
	return damaged && is_udp && !to_ports ? OF_TEST_DAMAGED : OF_TEST_YES;
}

/*
 * Behind further headers. An ICMP message may quote a packet of the test, which is not that packet; and TCP carries no
 * tunnel.
 */
static __always_inline int is_inside(const struct skb_view *view, __u32 offset, int proto,
				     struct tag_fields *ret_tag)
{
	struct tag tag;

	if (proto == IPPROTO_ICMP || proto == IPPROTO_ICMPV6 || proto == IPPROTO_TCP)
		return 0;
	offset = find_tag_behind(view, offset, cfg.run);
	return offset && !skb_copy(&tag, sizeof(tag), view, offset) &&
	       tag_read(tag.high, tag.low, tag.complement, ret_tag) && is_of_run(ret_tag);
}

#define WIREGUARD_DATA	bpf_htonl(0x04000000)	/* a transport data message's type and reserved bytes */
#define WIREGUARD_EMPTY	32	/* bytes of one without a packet in it, a keepalive */

/* Whether a packet with the L4 header of @proto at @offset carries another, encrypted: the tag cannot be read. */
static __always_inline int is_encrypted(const struct skb_view *view, __u32 offset, int proto)
{
	struct {
		struct udphdr udp;
		__be32 type;
	} header;

	if (proto == IPPROTO_ESP)
		return 1;
	return proto == IPPROTO_UDP && !skb_copy(&header, sizeof(header), view, offset) &&
	       header.type == WIREGUARD_DATA &&
	       bpf_ntohs(header.udp.len) > sizeof(header.udp) + WIREGUARD_EMPTY;
}

#define FAMILY_PACKET	17	/* AF_PACKET of linux/socket.h */

/* A packet socket's copy of a packet, which it had not read when it was closed. */
static __always_inline int is_unread_copy(struct sk_buff *skb, __u32 reason)
{
	return reason && reason == cfg.queue_purge &&
	       BPF_CORE_READ(skb, sk, __sk_common.skc_family) == FAMILY_PACKET;
}

/*
 * An answer to ping that a raw socket has a copy of: the kernel then looks for a ping socket, too, and frees its own
 * copy as NO_SOCKET. A packet socket's copy looks the same.
 */
static __always_inline int is_delivered_answer(struct sk_buff *skb, const struct skb_view *view)
{
	__u32 offset, options = 0;
	__u8 type;
	int proto;

	if (!BPF_CORE_READ_BITFIELD_PROBED(skb, cloned))
		return 0;
	offset = find_l4(skb, view, 0, &proto, &options);
	if (!offset || skb_copy(&type, sizeof(type), view, offset))
		return 0;
	return (proto == IPPROTO_ICMP && type == ICMP_ECHOREPLY) ||
	       (proto == IPPROTO_ICMPV6 && type == ICMPV6_ECHO_REPLY);
}

/* Every packet of the host, but for what is no packet, as netlink's and vsock's data, and what was delivered. */
static __always_inline enum of_test is_packet(struct sk_buff *skb, __u32 reason)
{
	struct skb_view view;

	if (!BPF_CORE_READ(skb, protocol) && !BPF_CORE_READ(skb, dev))
		return OF_TEST_NO;
	if (!reason || reason != cfg.no_socket)
		return OF_TEST_YES;
	view.head = BPF_CORE_READ(skb, head);
	view.tail = BPF_CORE_READ(skb, tail);
	return is_delivered_answer(skb, &view) ? OF_TEST_NO : OF_TEST_YES;
}

/* Whether the packet belongs to the test; *ret_tag: its stream and number, if it is tagged. */
static __always_inline enum of_test is_of_test(struct sk_buff *skb, __u32 reason,
					       struct tag_fields *ret_tag)
{
	int damaged = cfg.tagged && is_damage(reason), proto;
	__u32 offset, options = 0;
	struct skb_view view;
	enum of_test of_test;

	if (is_unread_copy(skb, reason))
		return OF_TEST_NO;
	/* Before reading anything: reading is most of the cost per packet. */
	if (cfg.any)
		return is_packet(skb, reason);
	view.head = BPF_CORE_READ(skb, head);
	/* A damaged length has cut off what still lies behind the tail. */
	view.tail = damaged ? BPF_CORE_READ(skb, end) : BPF_CORE_READ(skb, tail);
	offset = find_l4(skb, &view, damaged, &proto, &options);
	if (!offset)
		return OF_TEST_NO;
	of_test = look(&view, offset, proto, damaged, ret_tag);
	if (of_test != OF_TEST_NO || !cfg.tagged)
		return of_test;
	/* The protocol or the length of the IPv4 header may be the damage. */
	if (damaged)
		of_test = look(&view, offset - options, IPPROTO_UDP, damaged, ret_tag);
	else if (is_inside(&view, offset, proto, ret_tag))
		of_test = OF_TEST_YES;
	if (of_test != OF_TEST_NO)
		return of_test;
	return is_encrypted(&view, offset, proto) ? OF_TEST_ENCRYPTED : OF_TEST_NO;
}

/* True if the packet was received before, or counted at this location. */
static __always_inline int is_again(const struct tag_fields *tag, const struct drop_key *key)
{
	/* What a flooding bridge sent to another station is a copy, unless it is all that is known of the packet. */
	int is_copy = key->reason && key->reason == cfg.other_host;
	struct seen_packet *seen;

	if (!cfg.tagged)
		return 0;
	seen = seen_find(tag->stream, tag->sequence);
	return seen && seen_ends(seen, seen_end(tag->stream, tag->sequence, drop_place_id(key)), is_copy);
}

static __always_inline void name_device(struct drop_key *key, struct net_device *dev)
{
	key->ifindex = BPF_CORE_READ(dev, ifindex);
	key->netns = BPF_CORE_READ(dev, nd_net.net, ns.inum);
	if (key->ifindex)
		BPF_CORE_READ_STR_INTO(&key->ifname, dev, name);
}

static __always_inline void count_place(const struct drop_key *key, __u64 packets)
{
	__u64 *count = bpf_map_lookup_elem(&drop_places, key), none = 0;
	__u32 cpu = bpf_get_smp_processor_id();
	struct drop_sum *sum;

	if (!count) {
		/* Another CPU may be adding it too: then it exists now. */
		bpf_map_update_elem(&drop_places, key, &none, BPF_NOEXIST);
		count = bpf_map_lookup_elem(&drop_places, key);
	}
	if (count) {
		ADD_ONCE(*count, packets);
		return;
	}
	sum = bpf_map_lookup_elem(&drop_sums, &cpu);
	if (sum)
		ADD_ONCE(sum->unplaced, packets);
}

/* @reason, or where that says nothing, which kind of route forbids the packet. IPv4 has errors above 0, IPv6 below. */
static __always_inline __u32 finer_reason(struct sk_buff *skb, __u32 reason)
{
	unsigned long dst;
	int error;

	if (!reason || (reason != cfg.not_specified && reason != cfg.no_route))
		return reason;
	/* The lowest bit: without a reference. */
	dst = BPF_CORE_READ(skb, _skb_refdst) & ~1ul;
	if (!dst)
		return reason;
	error = BPF_CORE_READ((struct dst_entry *)dst, error);
	if (error < 0)
		error = -error;
	if (error == EINVAL || error == EACCES || (error == EHOSTUNREACH && cfg.knows_no_forward))
		return DROP_BY_ROUTE | (__u32)error;
	return reason;
}

/* @reason, or the one that the qdisc gave (from kernel 7.1 on: before, the kernel gives it here). */
static __always_inline __u32 qdisc_reason(struct sk_buff *skb, __u32 reason)
{
	struct qdisc_drop *drop;
	__u32 zero = 0;

	if (!reason || reason != cfg.qdisc_drop)
		return reason;
	drop = bpf_map_lookup_elem(&qdisc_drops, &zero);
	if (!drop || drop->skb != (__u64)skb)
		return reason;
	drop->skb = 0;
	return drop->reason ? drop->reason : reason;
}

static __always_inline int count_skb(struct sk_buff *skb, __u64 location, __u32 kernel_reason,
				     struct sock *sk)
{
	__u32 reason = qdisc_reason(skb, kernel_reason);
	struct drop_key key = { .location = location, .kind = DROP_SKB, .reason = reason };
	__u32 cpu = bpf_get_smp_processor_id(), packets;
	struct tag_fields tag = { 0 };
	struct drop_sum *sum;
	enum of_test of_test = is_of_test(skb, reason, &tag);

	if (of_test == OF_TEST_NO)
		return 0;
	if (of_test == OF_TEST_DAMAGED)
		key.kind = DROP_DAMAGED;
	else if (of_test == OF_TEST_ENCRYPTED)
		key.kind = DROP_ENCRYPTED;
	key.reason = finer_reason(skb, reason);
	packets = skb_packets(skb);
	sum = bpf_map_lookup_elem(&drop_sums, &cpu);
	if (sum && of_test != OF_TEST_ENCRYPTED)
		ADD_ONCE(sum->skbs, packets);
	/* In a UDP socket's queue other data is stored in place of the device. */
	name_device(&key, BPF_CORE_READ(skb, dev));
	if (!key.ifindex)
		key.ifindex = BPF_CORE_READ(skb, skb_iif);
	if (!sk)
		sk = BPF_CORE_READ(skb, sk);
	if (!key.netns && sk)
		key.netns = BPF_CORE_READ(sk, __sk_common.skc_net.net, ns.inum);
	if (of_test != OF_TEST_YES || !is_again(&tag, &key))
		count_place(&key, packets);
	else if (sum)
		ADD_ONCE(sum->again, packets);
	return 0;
}

SEC("raw_tp/kfree_skb")
int drops_tp_bare(struct bpf_raw_tracepoint_args *ctx)
{
	return count_skb((void *)ctx->args[0], ctx->args[1], 0, NULL);
}

SEC("raw_tp/kfree_skb")
int drops_tp_reason(struct bpf_raw_tracepoint_args *ctx)
{
	return count_skb((void *)ctx->args[0], ctx->args[1], ctx->args[2], NULL);
}

SEC("raw_tp/kfree_skb")
int drops_tp_socket(struct bpf_raw_tracepoint_args *ctx)
{
	return count_skb((void *)ctx->args[0], ctx->args[1], ctx->args[2], (void *)ctx->args[3]);
}

/* Arguments: qdisc, queue, device, packet, reason. */
SEC("raw_tp/qdisc_drop")
int drops_tp_qdisc(struct bpf_raw_tracepoint_args *ctx)
{
	__u32 zero = 0;
	struct qdisc_drop *drop = bpf_map_lookup_elem(&qdisc_drops, &zero);

	if (drop) {
		drop->skb = ctx->args[3];
		drop->reason = (__u32)ctx->args[4];
	}
	return 0;
}

/* Arguments: device, program, action. */
SEC("raw_tp/xdp_exception")
int drops_tp_xdp(struct bpf_raw_tracepoint_args *ctx)
{
	struct drop_key key = { .kind = DROP_XDP_EXCEPTION, .reason = ctx->args[2] };

	name_device(&key, (void *)ctx->args[0]);
	count_place(&key, 1);
	return 0;
}

/* Arguments: device, program, target, error. */
SEC("raw_tp/xdp_redirect_err")
int drops_tp_redir(struct bpf_raw_tracepoint_args *ctx)
{
	struct drop_key key = { .kind = DROP_XDP_REDIRECT, .reason = -(__s32)ctx->args[3] };

	name_device(&key, (void *)ctx->args[0]);
	count_place(&key, 1);
	return 0;
}
