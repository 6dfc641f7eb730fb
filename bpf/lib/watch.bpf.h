/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/watch.bpf.h - common functions of the watching programs: the records, and counting a packet
 * in them. They never modify packets.
 */
#ifndef LIB_WATCH_BPF_H
#define LIB_WATCH_BPF_H

#include "abi/watch.h"
#include "lib/core.bpf.h"
#include "lib/hist.bpf.h"
#include "lib/parse.bpf.h"
#include "lib/wire.bpf.h"

const volatile struct watch_cfg cfg;

/* All sizes are set before load; watch_xdp uses the maps of watch_tc or flow_tc. */
MAPPED_ARRAY(watch_recs, struct watch_rec);	/* WATCH_DIRS x CPUs */
MAPPED_ARRAY(watch_queues, struct watch_sum);	/* CPUs x (cfg.nr_queues + 1) */

/* Time since the previous buffer in the same direction on the same CPU. */
MAPPED_ARRAY(watch_gaps, struct hist_rec);	/* WATCH_DIRS x CPUs */
MAPPED_ARRAY(watch_rings, struct watch_ring);	/* WATCH_DIRS x CPUs */

static __always_inline __u32 watch_l4(__u8 proto)
{
	switch (proto) {
	case IPPROTO_TCP:
		return WATCH_TCP;
	case IPPROTO_UDP:
		return WATCH_UDP;
	case IPPROTO_ICMP:
	case IPPROTO_ICMPV6:
		return WATCH_ICMP;
	case IPPROTO_SCTP:
		return WATCH_SCTP;
	case IPPROTO_GRE:
		return WATCH_GRE;
	case IPPROTO_ESP:
		return WATCH_ESP;
	default:
		return WATCH_L4_OTHER;
	}
}

static __always_inline __u32 watch_l2(__be16 type)
{
	if (bpf_ntohs(type) < ETH_P_802_3_MIN)
		return WATCH_LLC;
	switch (bpf_ntohs(type)) {
	case ETH_P_ARP:
		return WATCH_ARP;
	case ETH_P_MPLS_UC:
	case ETH_P_MPLS_MC:
		return WATCH_MPLS;
	case ETH_P_PPP_SES:
	case ETH_P_PPP_DISC:
		return WATCH_PPPOE;
	case ETH_P_LLDP:
		return WATCH_LLDP;
	case ETH_P_1588:
		return WATCH_PTP;
	case ETH_P_SLOW:
		return WATCH_SLOW;
	default:
		return WATCH_L2_OTHER;
	}
}

/* The first argument of watch_add(): bits of one number, as kernels before 5.12 accept scalars only. */
#define WATCH_HOW	1	/* enum parse_result, from this bit on; bit 0 is the direction */
#define WATCH_VERSION	4	/* of IP, or 0 */
#define WATCH_PROTO	8	/* IPPROTO_ */
#define WATCH_TYPE	16	/* EtherType, in network byte order */
#define WATCH_GROUP	32	/* 1: to several */
#define WATCH_BROADCAST	33
#define WATCH_TAGGED	34
#define WATCH_QUEUE	36

static __always_inline __u32 watch_proto(__u64 facts)
{
	__u32 version = facts >> WATCH_VERSION & 15, how = facts >> WATCH_HOW & 7;
	__u32 base = version == 6 ? WATCH_IP6 : WATCH_IP4;

	if (how == PARSE_MALFORMED)
		return WATCH_MALFORMED;
	if (!version)
		return watch_l2(facts >> WATCH_TYPE);
	if (how == PARSE_FRAGMENT)
		return base + WATCH_FRAGMENT;
	return base + watch_l4(facts >> WATCH_PROTO);
}

/* Adds to the ring: divides only when a new window starts. */
static __always_inline void watch_burst(struct watch_rec *rec, __u32 index, __u64 now_ns,
					__u64 wire_bytes)
{
	struct watch_ring *ring = bpf_map_lookup_elem(&watch_rings, &index);
	__u64 window = rec->window, bytes = wire_bytes;
	__u64 *slot;

	if (!ring)
		return;
	if (now_ns >= rec->window_end_ns) {
		window = now_ns / WATCH_WINDOW_NS;
		WRITE_ONCE(rec->window_end_ns, (window + 1) * WATCH_WINDOW_NS);
		slot = &ring->slots[window % WATCH_WINDOWS];
	} else {
		slot = &ring->slots[window % WATCH_WINDOWS];
		bytes += *slot & WATCH_BYTES_MAX;
	}
	if (bytes > WATCH_BYTES_MAX)
		bytes = WATCH_BYTES_MAX;
	WRITE_ONCE(*slot, window << WATCH_BYTES_BITS | bytes);
	/* After the slot: a reader that sees the number may read up to it. */
	WRITE_ONCE(rec->window, window);
}

static __always_inline void watch_size(struct watch_rec *rec, __u32 frame_bytes, __u32 packets)
{
	__u32 class = watch_size_class(frame_bytes);

	/* Always true; the verifier cannot follow the shifts. */
	if (class < WATCH_SIZES)
		ADD_ONCE(rec->sizes[class], packets);
}

/* To whom an IP packet goes. An address does not show that it is the broadcast of a subnet. */
static __always_inline __u64 watch_ip_cast(const struct packet *pkt)
{
	__u32 to;

	if (pkt->version == 6)
		return (__u64)(pkt->ip6->daddr.in6_u.u6_addr8[0] == 0xff) << WATCH_GROUP;
	if (pkt->version != 4)
		return 0;
	to = bpf_ntohl(pkt->ip4->daddr);
	return (__u64)(to >> 28 == 14) << WATCH_GROUP | (__u64)(to == 0xffffffff) << WATCH_BROADCAST;
}

/* The bits of the destination, without a branch. */
static __always_inline __u64 watch_cast(const struct packet *pkt)
{
	const __u8 *mac = pkt->data;
	__u64 all;

	if (cfg.starts_at_l3)
		return watch_ip_cast(pkt);
	if (pkt->data + ETH_ALEN > pkt->end)
		return 0;
	all = mac[0] & mac[1] & mac[2] & mac[3] & mac[4] & mac[5];
	return (__u64)(mac[0] & 1) << WATCH_GROUP | (all + 1) >> 8 << WATCH_BROADCAST;
}

static __always_inline void watch_queue(__u32 cpu, __u32 queue, __u32 packets, __u64 frame_bytes)
{
	__u32 index = cpu * (cfg.nr_queues + 1) + (queue <= cfg.nr_queues ? queue : 0);
	struct watch_sum *sum = bpf_map_lookup_elem(&watch_queues, &index);

	if (!sum)
		return;
	ADD_ONCE(sum->packets, packets);
	ADD_ONCE(sum->frame_bytes, frame_bytes);
}

/*
 * Not static, so that the verifier checks it once, with any arguments, and not once per path
 * through the headers. @facts: see above.
 */
__attribute__((noinline)) int watch_add(__u64 facts, __u32 packets, __u32 full_bytes,
					__u32 last_bytes, __u64 now_ns)
{
	__u64 frame_bytes = (__u64)(packets - 1) * full_bytes + last_bytes;
	__u32 cpu = bpf_get_smp_processor_id(), proto = watch_proto(facts);
	__u32 index = (facts & 1) * cfg.nr_cpus + cpu;
	struct watch_rec *rec = bpf_map_lookup_elem(&watch_recs, &index);
	struct hist_rec *gaps = bpf_map_lookup_elem(&watch_gaps, &index);

	if (!rec || !gaps)
		return 0;
	ADD_ONCE(rec->buffers, 1);
	ADD_ONCE(rec->packets, packets);
	ADD_ONCE(rec->frame_bytes, frame_bytes);
	watch_size(rec, last_bytes, 1);
	if (packets > 1) {
		ADD_ONCE(rec->merged, packets);
		watch_size(rec, full_bytes, packets - 1);
	}
	if (facts >> WATCH_TAGGED & 1)
		ADD_ONCE(rec->tagged, packets);
	if (facts >> WATCH_BROADCAST & 1)
		ADD_ONCE(rec->broadcast, packets);
	else if (facts >> WATCH_GROUP & 1)
		ADD_ONCE(rec->multicast, packets);
	if (proto < WATCH_PROTOS) {
		ADD_ONCE(rec->protos[proto].packets, packets);
		ADD_ONCE(rec->protos[proto].frame_bytes, frame_bytes);
	}
	if ((facts & 1) == WATCH_RX)
		watch_queue(cpu, facts >> WATCH_QUEUE, packets, frame_bytes);
	if (rec->last_mono_ns)
		hist_add(gaps, rec->last_mono_ns, now_ns);
	WRITE_ONCE(rec->last_mono_ns, now_ns);
	watch_burst(rec, index, now_ns, frame_bytes + (cfg.starts_at_l3 ? 0 : 20ull * packets));
	return 0;
}

/* Counts packets that are not @taken; returns it. */
static __always_inline int watch_tested(enum watch_dir dir, int taken)
{
	__u32 index = dir * cfg.nr_cpus + bpf_get_smp_processor_id();
	struct watch_rec *rec;

	if (taken)
		return taken;
	rec = bpf_map_lookup_elem(&watch_recs, &index);
	if (rec)
		ADD_ONCE(rec->not_taken, 1);
	return 0;
}

static __always_inline void watch_count(enum watch_dir dir, const struct packet *pkt,
					enum parse_result how, const struct watch_wire *wire,
					__u64 now_mono_ns)
{
	__u64 facts = dir | how << WATCH_HOW | pkt->version << WATCH_VERSION | pkt->proto << WATCH_PROTO |
		      (__u64)pkt->type << WATCH_TYPE | watch_cast(pkt) |
		      (__u64)wire->tagged << WATCH_TAGGED | (__u64)wire->queue << WATCH_QUEUE;

	watch_add(facts, wire->packets, wire->full_bytes, wire->last_bytes, now_mono_ns);
}

#endif
