// SPDX-License-Identifier: GPL-2.0-only
/*
 * flow_tc.bpf.c - the flows of an interface, and the round trips that pass it.
 *
 * In: any skb, at the hooks where watch_tc counts. Every packet is added once: to a
 * flow, to a prefix where there is no room for one more flow, or to one of
 * struct flow_cpu's sums; so they add up to what was seen. Out: always
 * TC_ACT_UNSPEC, and nothing is written to the packet.
 */
#include "lib/core.bpf.h"

#include <linux/pkt_cls.h>

#include "lib/flow.bpf.h"
#include "lib/flow_ask.bpf.h"
#include "lib/flow_tcp.bpf.h"
#include "lib/tc.bpf.h"

char _license[] SEC("license") = "GPL";

#define OPTIONS_MAX	40

/*
 * TSval << 32 | TSecr of the options at @at, 0: none. A function of its own and
 * not static: verified once, with numbers alone (kernels before 5.12).
 */
__attribute__((noinline)) __u64 flow_timestamps(struct __sk_buff *ctx, __u32 at, __u32 bytes)
{
	__u8 options[OPTIONS_MAX + 12] = {};
	__u32 i = 0, step, ts[2];
	int n;

	if (bytes < 10 || bytes > OPTIONS_MAX)
		return 0;
	if (bpf_skb_load_bytes(ctx, at, options, bytes))
		return 0;
	for (n = 0; n < OPTIONS_MAX; n++) {
		if (i >= OPTIONS_MAX || !options[i])
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

static __always_inline void fill_key(const struct packet *pkt, enum parse_result how,
				     enum watch_dir dir, struct flow_key *key)
{
	const __be16 *ports = pkt->l4;
	__u8 *src = dir == WATCH_TX ? key->near : key->far;
	__u8 *dst = dir == WATCH_TX ? key->far : key->near;

	key->proto = pkt->proto;
	key->version = pkt->version;
	key->fragment = how == PARSE_FRAGMENT;
	if (pkt->version == 6) {
		__builtin_memcpy(src, &pkt->ip6->saddr, 16);
		__builtin_memcpy(dst, &pkt->ip6->daddr, 16);
	} else {
		__builtin_memcpy(src, &pkt->ip4->saddr, 4);
		__builtin_memcpy(dst, &pkt->ip4->daddr, 4);
	}
	if (how != PARSE_L4 || (void *)(ports + 2) > pkt->end ||
	    (pkt->proto != IPPROTO_TCP && pkt->proto != IPPROTO_UDP &&
	     pkt->proto != IPPROTO_SCTP))
		return;
	key->near_port = ports[dir == WATCH_TX ? 0 : 1];
	key->far_port = ports[dir == WATCH_TX ? 1 : 0];
}

/* Bytes behind the Ethernet header and what precedes IP, at which the packet ends. */
static __always_inline __u32 ip_end(const struct packet *pkt)
{
	__u32 bytes = pkt->version == 6 ? bpf_ntohs(pkt->ip6->payload_len) :
					  bpf_ntohs(pkt->ip4->tot_len);

	/* Of more than 64 KB. */
	if (!bytes)
		return pkt->buf_bytes;
	return pkt->version == 6 ? (void *)(pkt->ip6 + 1) - pkt->data + bytes :
				   (void *)pkt->ip4 - pkt->data + bytes;
}

/* False: no whole header. */
static __always_inline int fill_tcp(struct __sk_buff *ctx, const struct packet *pkt, __u32 packets,
				    struct flow_tcp *tcp)
{
	const struct tcphdr *header = pkt->l4;
	__u32 l4 = pkt->l4 - pkt->data, header_bytes, payload, size = ctx->gso_size, phantom;
	__u64 ts;

	if ((void *)(header + 1) > pkt->end)
		return 0;
	header_bytes = header->doff * 4;
	payload = ip_end(pkt) - l4 - header_bytes;
	if (header_bytes < sizeof(*header) || payload > pkt->buf_bytes)
		return 0;
	tcp->flags = ((const __u8 *)header)[13];
	phantom = !!(tcp->flags & TCP_SYN) + !!(tcp->flags & TCP_FIN);
	tcp->seq = bpf_ntohl(header->seq);
	tcp->end = tcp->seq + payload + phantom;
	tcp->first_end = size && size < payload ? tcp->seq + size : tcp->end;
	tcp->ack = bpf_ntohl(header->ack_seq);
	tcp->window = bpf_ntohs(header->window);
	tcp->packets = packets;
	ts = header_bytes == sizeof(*header) ? 0 :
	     flow_timestamps(ctx, l4 + sizeof(*header), header_bytes - sizeof(*header));
	tcp->tsval = ts >> 32;
	tcp->tsecr = ts;
	tcp->has_ts = !!ts;
	return 1;
}

static __always_inline struct flow_slot *find_flow(const struct flow_key *key,
						   struct flow_cpu *cpu)
{
	struct flow_slot *slot = bpf_map_lookup_elem(&flows, key);

	if (likely(slot))
		return slot;
	if (!bpf_map_update_elem(&flows, key, flow_zero, BPF_NOEXIST))
		ADD_ONCE(cpu->new_flows, 1);
	return bpf_map_lookup_elem(&flows, key);
}

static __always_inline void tell(const struct flow_key *key, const struct flow_found *found,
				 struct flow_cpu *cpu)
{
	enum flow_kind kind = found->by_sequence ? FLOW_BY_SEQUENCE : FLOW_BY_TIMESTAMP;

	if (found->ended)
		ADD_ONCE(cpu->ended_flows, 1);
	if (found->handshake_ns)
		flow_time_add(FLOW_HANDSHAKE * WATCH_DIRS + found->handshake_dir,
			      found->handshake_ns);
	if (!found->rtt_ns)
		return;
	flow_time_add(kind * WATCH_DIRS + found->rtt_dir, found->rtt_ns);
	if (found->rtt_dir == WATCH_TX)
		flow_trip(key, found->rtt_ns);
}

/* One packet or super-packet of a flow that has room. @tcp: NULL where it is of another protocol. */
static __always_inline void add(struct flow_slot *slot, enum watch_dir dir, __u32 packets,
				__u64 frame_bytes, const struct flow_tcp *tcp, __u64 now_ns,
				struct flow_found *found, struct flow_cpu *cpu)
{
	struct flow_rec *rec = &slot->rec;
	__u32 epoch = READ_ONCE(flow_epoch), before;

	bpf_spin_lock(&slot->lock);
	before = rec->epoch;
	rec->epoch = epoch;
	rec->counts[dir].packets += packets;
	rec->counts[dir].frame_bytes += frame_bytes;
	if (!rec->first_mono_ns) {
		rec->first_mono_ns = now_ns;
		rec->opener = dir;
	}
	rec->last_mono_ns = now_ns;
	if (tcp)
		flow_tcp_seen(rec, &rec->ways[dir], &rec->ways[!dir], dir, tcp, now_ns, found);
	bpf_spin_unlock(&slot->lock);
	if (before != epoch)
		ADD_ONCE(cpu->active_flows, 1);
}

static __always_inline void ask(struct __sk_buff *ctx, const struct packet *pkt, __u32 l4,
				enum watch_dir dir, struct flow_ask *asked, __u64 now_ns,
				struct flow_cpu *cpu)
{
	enum flow_kind kind = FLOW_ECHO;
	enum flow_asks_what what = flow_asks_what(ctx, pkt, l4, asked, &kind);
	__u64 ns;

	if (what == FLOW_ASKS_NOTHING)
		return;
	ns = flow_ask_seen(asked, what, now_ns, cpu);
	/* The question went the other way. */
	if (ns)
		flow_time_add(kind * WATCH_DIRS + !dir, ns);
}

static __always_inline void flow_seen(struct __sk_buff *ctx, enum watch_dir dir)
{
	__u32 index = bpf_get_smp_processor_id();
	struct flow_cpu *cpu = bpf_map_lookup_elem(&flow_cpus, &index);
	struct flow_found found = { .rtt_dir = !dir, .handshake_dir = dir };
	struct flow_ask asked = {};
	struct flow_tcp tcp;
	struct watch_wire wire;
	struct flow_slot *slot;
	enum parse_result how;
	struct packet pkt;
	__u64 frame_bytes, now_ns;
	int is_tcp;

	if (!cpu)
		return;
	now_ns = bpf_ktime_get_ns();
	how = skb_look(ctx, &pkt, &wire);
	frame_bytes = (__u64)(wire.packets - 1) * wire.full_bytes + wire.last_bytes;
	flow_sum(&cpu->seen[dir], wire.packets, frame_bytes);
	if (how == PARSE_MALFORMED || !pkt.version) {
		flow_sum(&cpu->no_flow[dir], wire.packets, frame_bytes);
		return;
	}
	fill_key(&pkt, how, dir, &asked.key);
	is_tcp = how == PARSE_L4 && pkt.proto == IPPROTO_TCP &&
		 fill_tcp(ctx, &pkt, wire.packets, &tcp);
	slot = find_flow(&asked.key, cpu);
	if (slot)
		add(slot, dir, wire.packets, frame_bytes, is_tcp ? &tcp : NULL, now_ns, &found, cpu);
	else
		flow_fold(&asked.key, dir, wire.packets, frame_bytes, cpu);
	if (is_tcp)
		tell(&asked.key, &found, cpu);
	else if (how == PARSE_L4)
		ask(ctx, &pkt, pkt.l4 - pkt.data, dir, &asked, now_ns, cpu);
}

SEC("tc")
int flow_tc_in(struct __sk_buff *ctx)
{
	flow_seen(ctx, WATCH_RX);
	return TC_ACT_UNSPEC;
}

SEC("tc")
int flow_tc_out(struct __sk_buff *ctx)
{
	flow_seen(ctx, WATCH_TX);
	return TC_ACT_UNSPEC;
}
