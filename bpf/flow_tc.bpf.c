// SPDX-License-Identifier: GPL-2.0-only
/*
 * flow_tc.bpf.c - count what an interface receives and sends, as watch_tc, and its flows, and the
 * round trips passing it: in one program, as each one costs a call, a parse and a clock read.
 *
 * In: any skb. Every packet is counted once: in a flow, in a prefix if there is no room for another
 * flow, or in one of struct flow_cpu's sums; so they add up to all packets seen. With sampling, this is so of
 * the buffers that are taken, and their TCP, QUIC and requests are not looked at: what a flow's other packets
 * said is not known. Out: always TC_ACT_UNSPEC, and the packet is not modified.
 */
#include "lib/core.bpf.h"

#include <linux/pkt_cls.h>

#include "lib/flow.bpf.h"
#include "lib/flow_ask.bpf.h"
#include "lib/flow_cache.bpf.h"
#include "lib/flow_fill.bpf.h"
#include "lib/flow_quic.bpf.h"
#include "lib/flow_sample.bpf.h"
#include "lib/flow_tcp.bpf.h"
#include "lib/taken.bpf.h"
#include "lib/tc.bpf.h"
#include "lib/watch.bpf.h"

char _license[] SEC("license") = "GPL";

TAKEN_FUNCTION(struct __sk_buff)

/* watch_xdp counts what is received. */
const volatile __u8 rx_beside;

static __always_inline struct flow_cpu *find_cpu(void)
{
	__u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&flow_cpus, &cpu);
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

static __always_inline void report(const struct flow_key *key, const struct flow_found *found,
				 struct flow_cpu *cpu)
{
	enum flow_kind kind = found->by_sequence ? FLOW_BY_SEQUENCE : FLOW_BY_TIMESTAMP;

	if (found->ended)
		ADD_ONCE(cpu->ended_flows, 1);
	if (found->handshake_ns)
		flow_time_add(FLOW_HANDSHAKE * WATCH_DIRS + found->handshake_dir,
			      found->handshake_ns);
	if (found->quic_ns)
		flow_time_add(FLOW_QUIC * WATCH_DIRS + found->rtt_dir, found->quic_ns);
	if (found->quic_again == FLOW_QUIC_RETRY)
		ADD_ONCE(cpu->quic_retries, 1);
	else if (found->quic_again)
		ADD_ONCE(cpu->quic_versions, 1);
	if (!found->rtt_ns)
		return;
	flow_time_add(kind * WATCH_DIRS + found->rtt_dir, found->rtt_ns);
	flow_spread(key, found->rtt_dir, found->rtt_ns, cpu);
	if (found->rtt_dir == WATCH_TX)
		flow_trip(key, found->rtt_ns);
}

/* Adds a packet or super-packet to a flow that exists in the table. */
static __always_inline void add(struct flow_slot *slot, __u32 dir, const struct flow_work *work,
				struct flow_found *found, struct flow_cpu *cpu)
{
	__u32 epoch = READ_ONCE(flow_epoch), before;
	struct flow_rec *rec = &slot->rec;

	bpf_spin_lock(&slot->lock);
	before = rec->epoch;
	rec->epoch = epoch;
	rec->counts[dir].packets += work->packets;
	rec->counts[dir].frame_bytes += work->frame_bytes;
	if (is_sampled)
		rec->squares[dir] += work->frame_bytes * work->frame_bytes;
	if (!rec->first_mono_ns) {
		rec->first_mono_ns = work->now_mono_ns;
		rec->opener = dir;
	}
	rec->last_mono_ns = work->now_mono_ns;
	if (work->quic.what > FLOW_QUIC_MAYBE)
		flow_quic_seen(rec, dir, &work->quic, work->now_mono_ns, found);
	if (work->is_tcp)
		flow_tcp_seen(rec, &rec->ways[dir], &rec->ways[dir ^ 1], dir, &work->tcp,
			      work->now_mono_ns, found);
	bpf_spin_unlock(&slot->lock);
	if (before != epoch)
		ADD_ONCE(cpu->active_flows, 1);
}

/*
 * Moves what the cache's entry @at counted to the table; to the prefix, if the flow was removed as idle, as
 * user space does with the rest of it.
 */
__attribute__((noinline)) int flow_flush(__u32 at)
{
	struct flow_cached *cached = bpf_map_lookup_elem(&flow_caches, &at);
	struct flow_cpu *cpu = find_cpu();
	struct watch_sum *rx, *tx;
	struct flow_slot *slot;

	if (!cached || !cpu)
		return 0;
	rx = &cached->counts[WATCH_RX];
	tx = &cached->counts[WATCH_TX];
	slot = bpf_map_lookup_elem(&flows, &cached->key);
	if (slot) {
		bpf_spin_lock(&slot->lock);
		slot->rec.counts[WATCH_RX].packets += rx->packets;
		slot->rec.counts[WATCH_RX].frame_bytes += rx->frame_bytes;
		slot->rec.counts[WATCH_TX].packets += tx->packets;
		slot->rec.counts[WATCH_TX].frame_bytes += tx->frame_bytes;
		if (slot->rec.last_mono_ns < cached->last_mono_ns)
			slot->rec.last_mono_ns = cached->last_mono_ns;
		bpf_spin_unlock(&slot->lock);
	} else {
		flow_fold((const void *)&cached->key, WATCH_RX, rx->packets, rx->frame_bytes, cpu);
		flow_fold((const void *)&cached->key, WATCH_TX, tx->packets, tx->frame_bytes, cpu);
	}
	WRITE_ONCE(rx->packets, 0);
	WRITE_ONCE(rx->frame_bytes, 0);
	WRITE_ONCE(tx->packets, 0);
	WRITE_ONCE(tx->frame_bytes, 0);
	return 0;
}

/* Adds what find_work() holds to its flow in the table; false: there is no room. */
static __always_inline int account(__u32 dir, struct flow_work *work, struct flow_cpu *cpu)
{
	struct flow_found found = { .rtt_dir = !dir, .handshake_dir = dir };
	struct flow_slot *slot = find_flow(&work->asked.key, cpu);

	if (slot) {
		add(slot, dir, work, &found, cpu);
	} else {
		ADD_ONCE(cpu->folded, work->packets);
		flow_fold(&work->asked.key, dir, work->packets, work->frame_bytes, cpu);
	}
	report(&work->asked.key, &found, cpu);
	return !!slot;
}

/* The same, and in the cache what needs nothing else of the table. */
__attribute__((noinline)) int flow_account(__u32 dir)
{
	struct flow_work *work = find_work();
	struct flow_cpu *cpu = find_cpu();
	const struct flow_words *key;
	struct flow_cached *cached;
	__u32 at;

	if (!work || !cpu)
		return 0;
	dir &= 1;
	if (is_sampled || work->is_tcp || work->quic.what > FLOW_QUIC_MAYBE)
		return account(dir, work, cpu);
	key = (const void *)&work->asked.key;
	if (flow_cache_add(key, dir, work->packets, work->frame_bytes, work->now_mono_ns))
		return 0;
	at = flow_cache_at(key);
	cached = bpf_map_lookup_elem(&flow_caches, &at);
	if (!cached)
		return 0;
	if (cached->counts[WATCH_RX].packets | cached->counts[WATCH_TX].packets)
		flow_flush(at);
	if (!account(dir, work, cpu))
		return 0;
	cached->key = *key;
	cached->epoch = READ_ONCE(flow_epoch);
	cached->since_mono_ns = work->now_mono_ns;
	cached->last_mono_ns = work->now_mono_ns;
	return 0;
}

__attribute__((noinline)) int flow_ask(struct __sk_buff *ctx, __u32 dir)
{
	enum flow_kind kind = FLOW_ECHO;
	struct flow_work *work = find_work();
	struct flow_cpu *cpu = find_cpu();
	enum flow_asks_what what;
	__u64 ns;

	if (!work || !cpu)
		return 0;
	what = flow_asks_what(ctx, work->place.l4, &work->asked, &kind);
	if (what == FLOW_ASKS_NOTHING)
		return 0;
	ns = flow_ask_seen(&work->asked, what, work->now_mono_ns, cpu);
	/* The request went in the other direction. */
	if (ns)
		flow_time_add(kind * WATCH_DIRS + !dir, ns);
	return 0;
}

/*
 * The packet in find_work(), whose key is set. Not static, as what it calls, so that the verifier checks each
 * once, and not once per path through the headers. Kernels before 5.12 accept scalars only.
 */
__attribute__((noinline)) int flow_packet(struct __sk_buff *ctx, __u32 dir)
{
	struct flow_work *work = find_work();

	if (!work)
		return 0;
	work->is_tcp = 0;
	work->quic.what = FLOW_QUIC_NOTHING;
	if (is_sampled) {
		flow_account(dir);
		return 0;
	}
	flow_fill(ctx);
	if (work->quic.what)
		flow_quic(ctx, dir);
	flow_account(dir);
	if (work->place.l4 && flow_may_ask(&work->asked.key))
		flow_ask(ctx, dir);
	return 0;
}

/* Of a packet as parsed, and counted; @place: where its headers are, as in struct watch_wire. */
static __always_inline void flow_count(struct __sk_buff *ctx, enum watch_dir dir, const struct packet *pkt,
				       enum parse_result how, __u32 place, __u32 packets, __u64 frame_bytes,
				       __u64 now_mono_ns)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	struct flow_place at = {
		.l3 = place >> 16, .l4 = how == PARSE_L4 ? place & 0xffff : 0,
		.proto = pkt->proto, .version = pkt->version, .is_fragment = how == PARSE_FRAGMENT,
	};
	struct flow_cpu *cpu = find_cpu();
	struct flow_work *work;
	struct flow_words key;

	if (!cpu)
		return;
	flow_sum(&cpu->seen[dir], packets, frame_bytes);
	if (is_sampled) {
		if (!flow_is_taken(cpu))
			return;
		flow_sum(&cpu->sampled[dir], packets, frame_bytes);
	}
	if (how == PARSE_MALFORMED || !at.version || !flow_key_of(data, end, &at, dir, &key)) {
		flow_sum(&cpu->no_flow[dir], packets, frame_bytes);
		return;
	}
	if (!is_sampled && flow_is_usual(data, end, &at) &&
	    flow_cache_add(&key, dir, packets, frame_bytes, now_mono_ns))
		return;
	work = find_work();
	if (!work)
		return;
	*(struct flow_words *)&work->asked.key = key;
	work->place = at;
	work->packets = packets;
	work->frame_bytes = frame_bytes;
	work->now_mono_ns = now_mono_ns;
	flow_packet(ctx, dir);
}

static __always_inline void flow_seen(struct __sk_buff *ctx, enum watch_dir dir)
{
	int is_beside = dir == WATCH_RX && rx_beside, taken;
	struct watch_wire wire;
	enum parse_result how;
	struct flow_cpu *cpu;
	struct packet pkt;
	__u64 now_mono_ns;

	taken = !has_filter || packet_taken(ctx);
	if (is_beside) {
		cpu = find_cpu();
		if (cpu)
			ADD_ONCE(cpu->beside_buffers, 1);
	} else {
		watch_tested(dir, taken);
	}
	if (!taken)
		return;
	now_mono_ns = bpf_ktime_get_ns();
	how = skb_look(ctx, dir, &pkt, &wire);
	if (!is_beside)
		watch_count(dir, &pkt, how, &wire, now_mono_ns);
	flow_count(ctx, dir, &pkt, how, wire.place, wire.packets,
		   (__u64)(wire.packets - 1) * wire.full_bytes + wire.last_bytes, now_mono_ns);
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
