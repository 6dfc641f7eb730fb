/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/reflect.bpf.h - which packets a reflector answers, how it turns them round, and counting.
 */
#ifndef LIB_REFLECT_BPF_H
#define LIB_REFLECT_BPF_H

#include "lib/core.bpf.h"

#include <bpf/bpf_tracing.h>

#include "abi/reflect.h"
#include "lib/csum.bpf.h"
#include "lib/device.bpf.h"
#include "lib/echo.bpf.h"
#include "lib/parse.bpf.h"

const volatile struct reflect_cfg cfg;
const volatile struct reflect_pools pools;

/* Written by user space. */
struct reflect_own own;

/* When a source's next packet would be due if it kept to its rate. */
__u64 source_due_ns[REFLECT_SOURCES];

/* The interface. */
const volatile int own_ifindex;
const volatile __u32 own_netns_inode;

MAPPED_ARRAY(reflect_recs, struct reflect_rec);	/* one per CPU: set before load */

#define STAMP_ALL_BELOW	4096	/* a clock read costs 25 ns: time all answers only while they are
				 * few */
#define STAMP_EVERY	64

#define WELL_KNOWN_BELOW 1024	/* ports of services (RFC 6335 6) */

/* struct ethhdr is packed: compilers load it byte by byte. */
struct ends {
	__be16 dest[3];
	__be16 source[3];
};

/* After the swap each end takes the other's role, so both must be valid for either. */
static __always_inline int is_station(const __be16 *mac)
{
	return !(mac[0] & bpf_htons(0x0100)) && (mac[0] | mac[1] | mac[2]);
}

static __always_inline int is_host4(__be32 addr)
{
	__u8 first = bpf_ntohl(addr) >> 24;

	/* 0/8 unspecified, 127/8 loopback, 224/4 multicast, broadcast (RFC 1122 3.2.1.3) */
	return first != 0 && first != 127 && first >> 4 != 0xe && addr != 0xffffffff;
}

static __always_inline int is_host6(const struct in6_addr *addr)
{
	const __be32 *w = addr->in6_u.u6_addr32;

	/* :: and ::1, ff00::/8 (RFC 4291 2.4) */
	return addr->in6_u.u6_addr8[0] != 0xff && (w[0] | w[1] | w[2] | (w[3] & ~bpf_htonl(1)));
}

static __always_inline int ends_are_safe(const struct packet *pkt)
{
	const struct ends *ends = pkt->data;

	if (!is_station(ends->dest) || !is_station(ends->source))
		return 0;
	if (pkt->version == 4)
		return is_host4(pkt->ip4->saddr) && is_host4(pkt->ip4->daddr);
	return is_host6(&pkt->ip6->saddr) && is_host6(&pkt->ip6->daddr);
}

/* A unicast frame to another station, received in promiscuous mode. */
static __always_inline int is_others(const struct ends *ends)
{
	const volatile __be16 *mac = (const volatile __be16 *)cfg.mac;

	if (cfg.any_mac || ends->dest[0] & bpf_htons(0x0100))
		return 0;
	return (ends->dest[0] ^ mac[0]) | (ends->dest[1] ^ mac[1]) | (ends->dest[2] ^ mac[2]);
}

/* From the L4 header to the end of the IP packet; negative if the headers exceed it. */
static __always_inline int l4_bytes(const struct packet *pkt)
{
	if (pkt->version == 4)
		return bpf_ntohs(pkt->ip4->tot_len) - pkt->ip4->ihl * 4;
	return bpf_ntohs(pkt->ip6->payload_len) - (int)(pkt->l4 - (void *)(pkt->ip6 + 1));
}

static __always_inline enum reflect_outcome judge_udp(const struct packet *pkt)
{
	struct udphdr *udp = parse_udp(pkt);

	if (!udp)
		return REFLECT_MALFORMED;
	if (!cfg.port || udp->dest != cfg.port)
		return REFLECT_LEFT;
	/*
	 * Shorter than the IP packet is allowed (RFC 9868); longer, or shorter than its header, is
	 * not.
	 */
	if (bpf_ntohs(udp->len) < sizeof(*udp) || bpf_ntohs(udp->len) > l4_bytes(pkt))
		return REFLECT_MALFORMED;
	/* Its sender may be another reflector, or a service that answers all that it gets. */
	if (udp->source == cfg.port || bpf_ntohs(udp->source) < WELL_KNOWN_BELOW ||
	    !ends_are_safe(pkt))
		return REFLECT_UNSAFE;
	return REFLECT_UDP;
}

static __always_inline enum reflect_outcome judge_icmp(const struct packet *pkt)
{
	struct echo *icmp = pkt->l4;

	if ((void *)(icmp + 1) > pkt->end || l4_bytes(pkt) < (int)sizeof(*icmp))
		return REFLECT_MALFORMED;
	if (!cfg.icmp || icmp->type != (pkt->version == 4 ? ICMP_ECHO : ICMPV6_ECHO_REQUEST))
		return REFLECT_LEFT;
	return ends_are_safe(pkt) ? REFLECT_ICMP : REFLECT_UNSAFE;
}

static __always_inline int is_same6(const volatile __be32 *a, const __be32 *b)
{
	return a[3] == b[3] && a[2] == b[2] && a[1] == b[1] && a[0] == b[0];
}

static __always_inline int is_in_bucket4(const volatile struct reflect_own_table *table,
					 __be32 addr)
{
	const volatile __be32 *way = table->ip4[reflect_own_bucket4(table, addr)];

	return way[0] == addr || way[1] == addr || way[2] == addr || way[3] == addr;
}

static __always_inline int is_in_bucket6(const volatile struct reflect_own_table *table,
					 const __be32 *addr)
{
	const volatile __be32 (*way)[4] = table->ip6[reflect_own_bucket6(table, addr)];

	return is_same6(way[0], addr) || is_same6(way[1], addr) || is_same6(way[2], addr) ||
	       is_same6(way[3], addr);
}

static __always_inline int is_in_pool4(__be32 addr)
{
	const volatile struct reflect_pool4 *pool;
	__u32 i;

#pragma clang loop unroll(disable)
	for (i = 0; i < REFLECT_MAX_POOLS && i < pools.nr4; i++) {
		pool = &pools.ip4[i];
		if ((addr & pool->mask) == pool->addr)
			return 1;
	}
	return 0;
}

static __always_inline int is_in_pool6(const __be32 *addr)
{
	const volatile struct reflect_pool6 *pool;
	__u32 i;

#pragma clang loop unroll(disable)
	for (i = 0; i < REFLECT_MAX_POOLS && i < pools.nr6; i++) {
		pool = &pools.ip6[i];
		if ((addr[0] & pool->mask[0]) == pool->addr[0] &&
		    (addr[1] & pool->mask[1]) == pool->addr[1] &&
		    (addr[2] & pool->mask[2]) == pool->addr[2] &&
		    (addr[3] & pool->mask[3]) == pool->addr[3])
			return 1;
	}
	return 0;
}

/* On a router most packets are not: they are for hosts behind it. */
static __always_inline int is_for_us(const struct packet *pkt)
{
	const volatile struct reflect_own_table *table = &own.tables[READ_ONCE(own.active) & 1];
	__be32 addr[4];

	if (pkt->version == 4) {
		addr[0] = pkt->ip4->daddr;
		return table->first4 == addr[0] || is_in_pool4(addr[0]) ||
		       is_in_bucket4(table, addr[0]);
	}
	__builtin_memcpy(addr, &pkt->ip6->daddr, sizeof(addr));
	return is_same6(table->first6, addr) || is_in_pool6(addr) || is_in_bucket6(table, addr);
}

/*
 * Jiffies are too coarse for a single packet, but a rate and a burst of many of them are right; a clock
 * would cost ten times as much. No lock: of packets that several CPUs count at the same moment one may
 * go uncounted.
 */
static __always_inline int is_limited(const struct packet *pkt)
{
	__u64 now_ns, due_ns;
	__be32 addr[2] = { 0 };
	__u32 place;

	if (!cfg.period_ns)
		return 0;
	if (pkt->version == 4)
		addr[0] = pkt->ip4->saddr;
	else
		__builtin_memcpy(addr, &pkt->ip6->saddr, sizeof(addr));
	place = reflect_source_place(cfg.factors, addr[0], addr[1]);
	place &= REFLECT_SOURCES - 1;	/* known, but not to the verifier */
	now_ns = bpf_jiffies64() * cfg.tick_ns;
	due_ns = READ_ONCE(source_due_ns[place]);
	if (due_ns < now_ns)
		due_ns = now_ns;
	if (due_ns > now_ns + REFLECT_BURST_NS)
		return 1;
	WRITE_ONCE(source_due_ns[place], due_ns + cfg.period_ns);
	return 0;
}

static __always_inline enum reflect_outcome judge(struct xdp_md *ctx, struct packet *pkt)
{
	enum reflect_outcome outcome = REFLECT_LEFT;
	struct ends *ends = (void *)(long)ctx->data;

	*pkt = (struct packet){ 0 };
	/* First, so that the compiler need not keep the parsed state across it. */
	if ((void *)(ends + 1) <= (void *)(long)ctx->data_end && is_others(ends))
		return REFLECT_LEFT;
	switch (parse_packet(ctx, pkt)) {
	case PARSE_MALFORMED:
		return REFLECT_MALFORMED;
	case PARSE_FRAGMENT:
		return REFLECT_FRAGMENT;
	case PARSE_OTHER:
		return REFLECT_LEFT;
	case PARSE_L4:
		break;
	}
	if (pkt->proto == IPPROTO_UDP)
		outcome = judge_udp(pkt);
	else if (pkt->proto == (pkt->version == 4 ? IPPROTO_ICMP : IPPROTO_ICMPV6))
		outcome = judge_icmp(pkt);
	if (outcome != REFLECT_UDP && outcome != REFLECT_ICMP)
		return outcome;
	if (!is_for_us(pkt))
		return REFLECT_OTHER_DEST;
	return is_limited(pkt) ? REFLECT_LIMITED : outcome;
}

static __always_inline int action_of(enum reflect_outcome outcome)
{
	if (outcome == REFLECT_UDP || outcome == REFLECT_ICMP)
		return XDP_TX;
	return outcome >= REFLECT_LIMITED ? XDP_DROP : XDP_PASS;
}

static __always_inline void swap_ends(struct packet *pkt)
{
	struct ends *ends = pkt->data;
	struct in6_addr addr6;
	__be32 addr4;
	__be16 word;
	int i;

	for (i = 0; i < 3; i++) {
		word = ends->dest[i];
		ends->dest[i] = ends->source[i];
		ends->source[i] = word;
	}
	if (pkt->version == 4) {
		addr4 = pkt->ip4->daddr;
		pkt->ip4->daddr = pkt->ip4->saddr;
		pkt->ip4->saddr = addr4;
	} else {
		addr6 = pkt->ip6->daddr;
		pkt->ip6->daddr = pkt->ip6->saddr;
		pkt->ip6->saddr = addr6;
	}
}

/*
 * Takes one from the TTL or hop limit, so that what two reflectors send to each other ends as it does
 * between routers. 0: none is left.
 */
static __always_inline int take_hop(struct packet *pkt)
{
	__u32 check;

	if (pkt->version == 6) {
		if (pkt->ip6->hop_limit <= 1)
			return 0;
		pkt->ip6->hop_limit--;
		return 1;
	}
	if (pkt->ip4->ttl <= 1)
		return 0;
	pkt->ip4->ttl--;
	/* csum_replace() of a word that is less by a constant (RFC 1624, equation 2). */
	check = pkt->ip4->check + bpf_htons(0x0100);
	pkt->ip4->check = check + (check >= 0xffff);
	return 1;
}

/* Swapping words does not change the one's complement sums of IP and UDP. */
static __always_inline void answer_udp(struct packet *pkt)
{
	struct udphdr *udp = pkt->l4;
	__be16 port;

	if ((void *)(udp + 1) > pkt->end)	/* known, but not to the verifier */
		return;
	swap_ends(pkt);
	port = udp->dest;
	udp->dest = udp->source;
	udp->source = port;
}

static __always_inline void answer_icmp(struct packet *pkt)
{
	struct echo *icmp = pkt->l4;
	__u8 type = pkt->version == 4 ? ICMP_ECHOREPLY : ICMPV6_ECHO_REPLY;

	if ((void *)(icmp + 1) > pkt->end)
		return;
	swap_ends(pkt);
	icmp->checksum = csum_replace(icmp->checksum, bpf_htons(icmp->type << 8 | icmp->code),
				      bpf_htons(type << 8 | icmp->code));
	icmp->type = type;
	/*
	 * A reply of zeros only sums to +0, which RFC 1624 makes -0, and its checksum 0 would be
	 * wrong. 0xffff is right in either case; with ICMPv6's pseudo-header the sum is never +0.
	 */
	if (pkt->version == 4 && !icmp->checksum)
		icmp->checksum = 0xffff;
}

static __always_inline void count(enum reflect_outcome outcome, __u32 buf_bytes)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct reflect_rec *rec = bpf_map_lookup_elem(&reflect_recs, &cpu);
	__u64 answered, now_ns;

	/*
	 * Clang 19 knows the possible values of the outcome, which the verifier does not, and
	 * dropped the check.
	 */
	barrier_var(outcome);
	if (!rec || outcome >= REFLECT_NR_OUTCOMES)
		return;
	ADD_ONCE(rec->packets[outcome], 1);
	if (outcome != REFLECT_UDP && outcome != REFLECT_ICMP)
		return;
	ADD_ONCE(rec->bytes, buf_bytes);
	answered = rec->packets[REFLECT_UDP] + rec->packets[REFLECT_ICMP];
	if (answered > STAMP_ALL_BELOW && answered % STAMP_EVERY)
		return;
	now_ns = bpf_ktime_get_ns();
	if (!rec->first_mono_ns)
		WRITE_ONCE(rec->first_mono_ns, now_ns);
	WRITE_ONCE(rec->last_mono_ns, now_ns);
	WRITE_ONCE(rec->last_packets, answered);
}

static __always_inline int refuse(const struct net_device___own *dev, int packets)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct reflect_rec *rec = bpf_map_lookup_elem(&reflect_recs, &cpu);

	if (rec && packets > 0 && device_is(dev, own_ifindex, own_netns_inode))
		ADD_ONCE(rec->refused, packets);
	return 0;
}

/* Optional: answers of a bulk that did not leave, of drivers that collect them (veth). */
SEC("tp_btf/xdp_bulk_tx")
int BPF_PROG(reflect_refused, const struct net_device___own *dev, int sent, int drops, int err)
{
	return refuse(dev, drops);
}

/* Optional: single answers that did not leave: the ring is full, or not there. */
SEC("tp_btf/xdp_exception")
int BPF_PROG(reflect_failed, const struct net_device___own *dev, const void *prog, __u32 act)
{
	return refuse(dev, act == XDP_TX);
}

#endif
