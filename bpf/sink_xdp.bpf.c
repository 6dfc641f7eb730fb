// SPDX-License-Identifier: GPL-2.0-only
/*
 * sink_xdp.bpf.c - count, check and time a test's packets in the driver.
 *
 * In: any frame. A frame that matches cfg is a test packet: counted by stream and CPU, its tag
 * checked for order, its delay added to a histogram, and with cfg.gaps also the time since the
 * stream's previous packet; with record_every a record of it is written to a ring. A packet whose
 * checksum or payload is wrong is only counted: its number and time may be wrong, too. Then it is
 * dropped, or passed with cfg.pass. Everything else goes on to the stack, unmodified; so do, with
 * own_mac, test packets to another MAC address.
 */
#include "lib/core.bpf.h"

#include "abi/sink.h"
#include "lib/arrival.bpf.h"
#include "lib/hist.bpf.h"
#include "lib/intact.bpf.h"
#include "lib/parse.bpf.h"
#include "lib/payload.bpf.h"
#include "lib/pdv.bpf.h"
#include "lib/record.bpf.h"
#include "lib/seen.bpf.h"
#include "lib/seq.bpf.h"
#include "lib/seq_lock.bpf.h"
#include "lib/tag.bpf.h"
#include "lib/tag_skip.bpf.h"
#include "lib/vary.bpf.h"

char _license[] SEC("license") = "GPL";

const volatile struct sink_cfg cfg;

/* With SINK_MATCH_SOURCE: reflections come from this address only; version 0: from any. */
const volatile struct sink_peer sink_peer;

/* sink_mac() of the interface: test packets to another unicast address are counted apart; 0: to any. */
const volatile __u64 own_mac;

/* With cfg.gaps: the intended interval, for its error; 0: none given. */
const volatile __u64 expect_gap_ns;

/* Note received packets, so that the drop watcher does not count them as lost. */
const volatile __u8 note_seen;

/* All sizes are set before load. */
MAPPED_ARRAY(sink_recs, struct sink_rec);	/* CPUs x (cfg.streams + 1) */
MAPPED_ARRAY(sink_hists, struct hist_rec);	/* CPUs x cfg.streams */
MAPPED_ARRAY(sink_gaps, struct hist_rec);	/* with cfg.gaps CPUs x cfg.streams */

/* Difference of an interval from expect_gap_ns, in either direction. */
MAPPED_ARRAY(sink_gap_errors, struct hist_rec);	/* with expect_gap_ns CPUs x cfg.streams */
MAPPED_ARRAY(sink_cpus, struct sink_cpu);	/* CPUs */

/* Per stream; written under the lock of its slot. */
MAPPED_ARRAY(sink_orders, struct order_rec);	/* cfg.streams */

/* Per stream, as its order_rec; of SEQ_RING_BYTES(), for the window and cfg.vary. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, SEQ_RING_BYTES(SEQ_WINDOW_MIN, 1));
	__uint(max_entries, 1);		/* cfg.streams */
} sink_rings SEC(".maps");

MAPPED_ARRAY(sink_varies, struct vary_rec);	/* with cfg.vary cfg.streams */

/*
 * A packet without a timestamp requires a clock read only for the rate: after the first ones, one
 * in 64.
 */
#define STAMP_ALL_BELOW 4096

static __always_inline void count_packet(__u32 cpu, __u32 slot, __u32 bytes, __u64 now_ns)
{
	__u32 index = cpu * (cfg.streams + 1) + slot;
	struct sink_rec *rec = bpf_map_lookup_elem(&sink_recs, &index);
	__u64 packets;

	if (!rec)
		return;
	packets = rec->packets + 1;
	WRITE_ONCE(rec->packets, packets);
	ADD_ONCE(rec->bytes, bytes);
	if (!now_ns) {
		if (packets >= STAMP_ALL_BELOW && packets % 64)
			return;
		now_ns = bpf_ktime_get_ns();
	}
	if (unlikely(!rec->first_mono_ns))
		WRITE_ONCE(rec->first_mono_ns, now_ns);
	WRITE_ONCE(rec->last_mono_ns, now_ns);
	WRITE_ONCE(rec->last_packets, packets);
}

/*
 * The clock is read before the lock is taken, so with two CPUs the later time may get the lock
 * first. The other interval is then 0 and the later arrival stays the latest: n packets have n - 1
 * intervals, which add up to the time from the first to the last.
 */
static __always_inline __u64 seq_arrived(struct seq_state *seq, __u64 now_ns)
{
	__u64 before_ns = seq->arrived_ns;

	if (now_ns > before_ns)
		seq->arrived_ns = now_ns;
	return before_ns;
}

/*
 * A jump ahead clears more words than the verifier should follow from each path that leads there, and
 * holds the lock too long. So each call clears SEQ_STEP words. Both functions are global: each is
 * verified once.
 */
__attribute__((noinline)) int sink_clear_some(__u32 stream, __u32 id, __u32 low)
{
	struct stream_slot *slot = bpf_map_lookup_elem(&sink_seqs, &stream);
	__u64 *ring = bpf_map_lookup_elem(&sink_rings, &stream);
	struct seq_arrival arrival = { .id = id, .low = low };
	int more;

	/* Neither is ever missing. */
	if (!slot || !ring || !seq_lock_within(stream, slot))
		return 0;
	more = seq_make_room(&slot->state, ring, &arrival);
	seq_unlock(slot);
	return more;
}

__attribute__((noinline)) int sink_make_room(__u32 stream, __u32 id, __u32 low)
{
	__u32 i;

	for (i = 0; i < SEQ_WINDOW_MAX / 32 / SEQ_STEP; i++) {
		if (!seq_lock_before(stream) || !sink_clear_some(stream, id, low))
			break;
	}
	return 0;
}

/* *ret_before_ns: when the stream's previous packet arrived; 0: none, or intervals are not measured. */
static __always_inline int check_order(struct xdp_md *ctx, __u32 stream, struct seq_arrival *arrival,
				       struct record *rec, __u64 *ret_before_ns)
{
	struct stream_slot *slot = bpf_map_lookup_elem(&sink_seqs, &stream);
	struct order_rec *order = bpf_map_lookup_elem(&sink_orders, &stream);
	struct vary_rec *vary = cfg.vary ? bpf_map_lookup_elem(&sink_varies, &stream) : NULL;
	__u64 *ring = bpf_map_lookup_elem(&sink_rings, &stream);
	__u64 next;

	*ret_before_ns = 0;
	/*
	 * None is ever missing; checking them separately would add a second path through what
	 * follows.
	 */
	if (!slot || !order || !ring || (cfg.vary && !vary))
		return 0;
	if (unlikely(!seq_is_near(&slot->state, arrival)))
		sink_make_room(stream, arrival->id, arrival->low);
	if (!arrival->now_ns && !seq_is_expected(&slot->state, arrival->low))
		arrival->now_ns = arrived_ns(ctx);
	if (unlikely(!seq_lock(stream, slot)))
		return 0;
	next = slot->state.next;
	seq_add(&slot->state, order, ring, arrival);
	if (record_every)
		record_judge(rec, &slot->state, arrival);
	if (vary)
		vary_add(vary, &slot->state, ring, arrival, next);
	if (cfg.gaps)
		*ret_before_ns = seq_arrived(&slot->state, arrival->now_ns);
	seq_unlock(slot);
	return 1;
}

static __always_inline void add_delay(__u32 cpu, __u32 stream, __u64 sent_ns, __u64 now_ns)
{
	__u32 index = cpu * cfg.streams + stream;
	struct hist_rec *hist = bpf_map_lookup_elem(&sink_hists, &index);

	if (!hist || !hist_add(hist, sent_ns, now_ns))
		return;
	/* Streams beyond those that have a record share the last. */
	if (stream >= cfg.pdv_streams)
		stream = cfg.pdv_streams - 1;
	pdv_add(cpu * cfg.pdv_streams + stream, now_ns - sent_ns);
}

/* Adds to the record of the CPU that received the later of the two packets. */
static __always_inline void add_gap(__u32 cpu, __u32 stream, __u64 before_ns, __u64 now_ns)
{
	__u64 gap_ns = now_ns > before_ns ? now_ns - before_ns : 0;
	__u32 index = cpu * cfg.streams + stream;
	struct hist_rec *hist;

	hist = bpf_map_lookup_elem(&sink_gaps, &index);
	if (hist)
		hist_add(hist, 0, gap_ns);
	if (!expect_gap_ns)
		return;
	hist = bpf_map_lookup_elem(&sink_gap_errors, &index);
	if (!hist)
		return;
	if (gap_ns > expect_gap_ns)
		hist_add(hist, expect_gap_ns, gap_ns);
	else
		hist_add(hist, gap_ns, expect_gap_ns);
}

/*
 * What the rest of the program needs of the headers goes into a map: the verifier then follows that rest once, and not
 * for each of a hundred kinds of headers. Pointers into the packet would differ between them, and count as still in
 * use on the stack, as the compiler uses halves of their slots again.
 */
static __always_inline void find_heads(struct xdp_md *ctx, struct sink_heads *heads)
{
	const struct udphdr *udp = NULL;
	enum parse_result parsed;
	struct packet pkt;
	__u64 sum = 0;

	parsed = parse_packet(ctx, &pkt);
	if (parsed == PARSE_L4)
		udp = parse_udp(&pkt);
	heads->is_to_other_mac = own_mac && (void *)(pkt.eth + 1) <= pkt.end && !(pkt.eth->h_dest[0] & 1) &&
				 sink_mac(pkt.eth->h_dest) != own_mac;
	heads->bytes = pkt.buf_bytes;
	heads->l3 = pkt.l3 - pkt.data;
	heads->l4 = pkt.l4 - pkt.data;
	heads->version = pkt.version;
	heads->parsed = parsed;
	heads->proto = parsed == PARSE_L4 ? pkt.proto : 0;
	heads->udp = SINK_UDP_NO;
	if (!udp)
		return;
	*(__u32 *)&heads->source = *(const __u32 *)&udp->source;
	heads->udp_bytes = bpf_ntohs(udp->len);
	if (cfg.match == SINK_MATCH_SOURCE)
		heads->is_from_peer = !sink_peer.version ||
			parse_is_from(&pkt, sink_peer.version, (const volatile __u32 *)sink_peer.addr);
	heads->udp = !cfg.no_verify && udp_head_sum(&pkt, udp, &sum) ? SINK_UDP_USUAL : SINK_UDP_YES;
	heads->udp_sum = sum;
}

/*
 * Where the tag of a packet of @proto at @l4 may be; 0: there is no room. Verified by itself, so
 * that the caller's paths do not multiply by the protocols.
 */
__attribute__((noinline)) int tag_place(struct xdp_md *ctx, __u32 l4, __u32 proto)
{
	const __u8 *header = frame_at(ctx, l4, TAG_BYTES);

	return header ? l4 + tag_skip(proto, header[0], header[12]) : 0;
}

static __always_inline __u32 tag_place_of(struct xdp_md *ctx, const struct sink_heads *heads)
{
	/* Without a call: the usual packet. */
	if (heads->udp)
		return heads->udp_bytes < sizeof(struct udphdr) + TAG_BYTES ? 0 : heads->l4 + sizeof(struct udphdr);
	if (heads->parsed == PARSE_L4)
		return tag_place(ctx, heads->l4, heads->proto);
	/* After an EtherType that is not IP's. */
	return heads->parsed == PARSE_OTHER && !heads->version ? tag_place(ctx, heads->l3, 0) : 0;
}

static __always_inline int has_tag(struct xdp_md *ctx, __u32 tag_at, struct tag_fields *ret_tag)
{
	const struct tag_words *tag = frame_at(ctx, tag_at, TAG_BYTES);

	return tag && tag_read(tag->high, tag->low, tag->complement, ret_tag);
}

static __always_inline int is_to_port(struct xdp_md *ctx, __u32 l4)
{
	const __be16 *port = frame_at(ctx, l4 + 2, sizeof(*port));

	return port && *port == cfg.port;
}

/* @tag: only if @is_tagged. */
static __always_inline int is_test_packet(struct xdp_md *ctx, const struct sink_heads *heads, int is_tagged,
					  const struct tag_fields *tag)
{
	if (cfg.match == SINK_MATCH_ALL)
		return 1;
	if (cfg.match == SINK_MATCH_SOURCE)
		return heads->udp && heads->source == cfg.port && heads->is_from_peer;
	if (cfg.match == SINK_MATCH_DEST && heads->udp && heads->dest == cfg.port)
		return 1;
	if (!is_tagged || cfg.run)
		return is_tagged && tag->run == cfg.run;
	switch (heads->proto) {
	case IPPROTO_UDP:
	case IPPROTO_ICMP:
	case IPPROTO_ICMPV6:
		return 0;
	case IPPROTO_TCP:
		return is_to_port(ctx, heads->l4);
	default:
		return 1;
	}
}

/* Verified by itself, as it is called in two places. */
__attribute__((noinline)) int note_received(__u32 stream, __u32 sequence)
{
	struct seen_packet *seen = seen_find(stream, sequence);

	return seen && seen_ends(seen, seen_end(stream, sequence, 0), 0);
}

/* Not inlined: without records a packet should not pay for the registers. */
static __noinline int record_packet(const struct record *rec)
{
	__u32 cpu = rec->cpu;
	struct sink_cpu *own;

	if (!record_add(rec))
		return 0;
	own = bpf_map_lookup_elem(&sink_cpus, &cpu);
	if (own)
		ADD_ONCE(own->odd.not_recorded, 1);
	return 0;
}

/* When the packet was sent, by the clock of this sink; 0: unknown. */
static __always_inline __u64 stamped_ns(const struct tag_fields *tag, __u64 now_ns)
{
	if (!tag->time || !now_ns || !!(tag->run & TAG_TAI) != (stamp_clock == STAMP_TAI))
		return 0;
	return tag_widen(tag->time, now_ns);
}

/* The same for a packet that is checked: the reason for 0 is counted, and the time must be plausible. */
static __always_inline __u64 sent_ns_of(struct sink_cpu *own, const struct tag_fields *tag,
					__u64 now_ns)
{
	__u64 sent_ns;

	if (!tag->time)
		return 0;
	if (!!(tag->run & TAG_TAI) != (stamp_clock == STAMP_TAI)) {
		ADD_ONCE(own->odd.other_clock, 1);
		return 0;
	}
	if (unlikely(!now_ns)) {
		ADD_ONCE(own->odd.no_arrival, 1);
		return 0;
	}
	sent_ns = tag_widen(tag->time, now_ns);
	if (unlikely(now_ns - sent_ns + SINK_LATEST_NS > 2 * SINK_LATEST_NS)) {
		ADD_ONCE(own->odd.implausible_time, 1);
		return 0;
	}
	return sent_ns;
}

/* On one host no packet is sent after it arrives: such a time is not used for delay variation. */
static __always_inline int is_of_now(__u64 sent_ns, __u64 now_ns)
{
	return stamp_clock == STAMP_TAI || sent_ns <= now_ns;
}

static __always_inline void check_packet(struct xdp_md *ctx, __u32 cpu, struct sink_cpu *own,
					 __u32 bytes, int is_tagged, struct tag_fields tag,
					 enum intact intact)
{
	struct seq_arrival arrival = { 0 };
	__u32 stream = cfg.streams;
	struct record rec;
	int other_run = 0;
	__u64 before_ns, sent_ns;

	if (record_every) {
		arrival.now_ns = arrived_ns(ctx);
		rec = (struct record){
			.received_ns = arrival.now_ns, .bytes = bytes,
			.queue = ctx->rx_queue_index, .cpu = cpu,
		};
	}
	if (is_tagged && cfg.run && tag.run != cfg.run) {
		rec.kind = RECORD_OTHER_RUN;
		rec.stream = tag.stream;
		rec.sequence = tag.sequence;
		rec.sent_ns = stamped_ns(&tag, arrival.now_ns);	/* for record_every alone */
		other_run = 1;
		ADD_ONCE(own->odd.other_run, 1);
	} else if (intact == INTACT_NO) {
		rec.kind = RECORD_DAMAGED;
		rec.sequence = own->odd.damaged;	/* needed only by record_every */
		ADD_ONCE(own->odd.damaged, 1);
		/* In generic mode the kernel drops its skb: that is no second packet. */
		if (note_seen && is_tagged)
			note_received(tag.stream, tag.sequence);
	} else if (intact == INTACT_BAD_PAYLOAD) {
		rec.kind = RECORD_BAD_PAYLOAD;
		rec.stream = tag.stream;
		rec.sequence = tag.sequence;
		rec.sent_ns = stamped_ns(&tag, arrival.now_ns);	/* for record_every alone */
		ADD_ONCE(own->odd.bad_payload, 1);
		if (note_seen)
			note_received(tag.stream, tag.sequence);
	} else if (!is_tagged) {
		rec.kind = RECORD_UNTAGGED;
		rec.sequence = own->odd.untagged;	/* needed only by record_every */
		ADD_ONCE(own->odd.untagged, 1);
	} else if (tag.stream >= cfg.streams) {
		rec.kind = RECORD_OTHER_STREAM;
		rec.stream = tag.stream;
		rec.sequence = tag.sequence;
		rec.sent_ns = stamped_ns(&tag, arrival.now_ns);	/* for record_every alone */
		ADD_ONCE(own->odd.other_stream, 1);
	} else {
		stream = tag.stream;
		arrival.low = tag.sequence;
		arrival.id = tag.run;
		/* Only where a time is needed: reading the clock takes some 25 ns. */
		if (!arrival.now_ns && (cfg.gaps || tag.time))
			arrival.now_ns = arrived_ns(ctx);
		if (note_seen)
			note_received(stream, arrival.low);
		sent_ns = sent_ns_of(own, &tag, arrival.now_ns);
		if (record_every) {
			rec.stream = stream;
			rec.sent_ns = sent_ns;
		}
		if (is_of_now(sent_ns, arrival.now_ns))
			arrival.sent_ns = sent_ns;
		if (likely(check_order(ctx, stream, &arrival, &rec, &before_ns))) {
			if (sent_ns)
				add_delay(cpu, stream, sent_ns, arrival.now_ns);
			if (cfg.gaps && before_ns && arrival.now_ns)
				add_gap(cpu, stream, before_ns, arrival.now_ns);
		} else {
			stream = cfg.streams;
			rec.kind = RECORD_UNKNOWN;
			rec.sequence = tag.sequence;	/* needed only by record_every */
			ADD_ONCE(own->odd.locked_out, 1);
		}
	}
	if (record_every)
		record_packet(&rec);
	if (other_run)
		return;
	if (intact == INTACT_UNKNOWN)
		ADD_ONCE(own->odd.unverified, 1);
	count_packet(cpu, stream, bytes, arrival_mono_ns(arrival.now_ns));
}

static __always_inline int received(void)
{
	return cfg.pass ? XDP_PASS : XDP_DROP;
}

SEC("xdp")
int sink_xdp(struct xdp_md *ctx)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct sink_cpu *own = bpf_map_lookup_elem(&sink_cpus, &cpu);
	struct tag_fields tag = { 0 };	/* clang 14 spills it where there is none */
	enum intact intact = INTACT_YES;
	struct sink_heads *heads;
	__u32 tag_at = 0, end;
	int is_tagged;

	if (!own)
		return XDP_PASS;
	if (!cfg.check && cfg.no_verify && cfg.match == SINK_MATCH_ALL && !own_mac) {
		count_packet(cpu, cfg.streams, parse_frame_bytes(ctx), 0);
		return received();
	}
	heads = &own->heads;
	find_heads(ctx, heads);
	barrier();	/* so that they are read from there */
	if (cfg.check)
		tag_at = tag_place_of(ctx, heads);
	is_tagged = tag_at && has_tag(ctx, tag_at, &tag);
	if (!is_test_packet(ctx, heads, is_tagged, &tag)) {
		ADD_ONCE(own->odd.foreign, 1);
		return XDP_PASS;
	}
	if (own_mac && heads->is_to_other_mac) {
		ADD_ONCE(own->odd.other_mac, 1);
		return XDP_PASS;
	}
	if (!cfg.no_verify && !(heads->udp == SINK_UDP_USUAL && is_tagged &&
				tagged_udp_fits(ctx, heads->l4, heads->udp_bytes, heads->udp_sum)) &&
	    (heads->parsed != PARSE_OTHER || heads->version))	/* IP */
		intact = packet_intact(ctx, heads->l3, heads->l4, heads->proto, heads->version);
	if (verify_payload && is_tagged && intact != INTACT_NO) {
		end = heads->udp ? heads->l4 + heads->udp_bytes : packet_end(ctx, heads->l3, heads->version);
		intact = payload_intact(ctx, tag_at + TAG_BYTES, end, intact);
	}
	if (cfg.check) {
		check_packet(ctx, cpu, own, heads->bytes, is_tagged, tag, intact);
	} else {
		if (intact != INTACT_YES)
			ADD_ONCE(*(intact == INTACT_NO ? &own->odd.damaged : &own->odd.unverified), 1);
		count_packet(cpu, cfg.streams, heads->bytes, 0);
	}
	return received();
}
