/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/flow_tcp.bpf.h - what TCP headers show about a flow: round trips, handshake, retransmissions,
 * order, windows.
 *
 * All of it runs within the flow's bpf_spin_lock, where no helper and, before kernel 6.8, no
 * function may be called: everything is inline.
 *
 * One segment per direction is timed at a time, as TCP did before timestamps (RFC 6298 3): no
 * look-ups, and no table that may fill up.
 */
#ifndef LIB_FLOW_TCP_BPF_H
#define LIB_FLOW_TCP_BPF_H

#include "abi/flow.h"
#include "lib/core.bpf.h"

#define TCP_FIN	0x01
#define TCP_SYN	0x02
#define TCP_RST	0x04
#define TCP_ACK	0x10

/* Without a known round trip, a segment that fills a hole later than this is a retransmission. */
#define LATE_NS	3000000

struct flow_tcp {
	__u32 seq, end;		/* in sequence space, including SYN and FIN */
	__u32 first_end;	/* of the first segment of a super-packet */
	__u32 ack;
	__u32 tsval, tsecr;
	__u16 window;
	__u8 flags;
	__u8 has_ts;
	__u32 packets;
};

/* Values to add to the histograms after the lock is released; 0: none. */
struct flow_found {
	__u64 rtt_ns, handshake_ns, quic_ns;
	__u8 rtt_dir;		/* direction of the packet that was timed */
	__u8 by_sequence;
	__u8 handshake_dir;
	__u8 ended;
	__u8 quic_again;	/* FLOW_QUIC_RETRY or FLOW_QUIC_VERSIONS */
};

static __always_inline int flow_before(__u32 a, __u32 b)
{
	return (__s32)(a - b) < 0;
}

static __always_inline void flow_add_rtt(struct flow_rtt *rtt, __u64 ns)
{
	rtt->count++;
	rtt->sum_ns += ns;
	if (~ns > rtt->not_min_ns)
		rtt->not_min_ns = ~ns;
	if (ns > rtt->max_ns)
		rtt->max_ns = ns;
}

/* @back sent what this packet acknowledges. */
static __always_inline void flow_answer(struct flow_way *back, struct flow_rtt *rtt,
					const struct flow_tcp *tcp, __u64 now_ns,
					struct flow_found *found)
{
	if (!back->timed_mono_ns)
		return;
	if (back->known & FLOW_TIMED_BY_TS) {
		if (!tcp->has_ts || flow_before(tcp->tsecr, back->timed))
			return;
		/* A newer timestamp was echoed: ours never will be. */
		if (tcp->tsecr != back->timed) {
			back->timed_mono_ns = 0;
			return;
		}
	} else if (flow_before(tcp->ack, back->timed)) {
		return;
	}
	found->rtt_ns = now_ns - back->timed_mono_ns;
	found->by_sequence = !(back->known & FLOW_TIMED_BY_TS);
	back->timed_mono_ns = 0;
	flow_add_rtt(rtt, found->rtt_ns);
}

/* A SYN is timed by its sequence number: it is unknown as yet whether the peer uses timestamps. */
static __always_inline void flow_time(struct flow_way *way, const struct flow_tcp *tcp,
				      int tsval_is_new, __u64 now_ns)
{
	int by_ts = tcp->has_ts && !(tcp->flags & TCP_SYN);

	if (way->timed_mono_ns || (by_ts && !tsval_is_new))
		return;
	way->timed_mono_ns = now_ns;
	way->timed = by_ts ? tcp->tsval : tcp->first_end;
	if (by_ts)
		way->known |= FLOW_TIMED_BY_TS;
	else
		way->known &= ~FLOW_TIMED_BY_TS;
}

/*
 * Whether a packet that fills a hole is late, rather than retransmitted. An older timestamp than
 * the newest means sent before it; otherwise a sender cannot detect a loss within a round trip.
 */
static __always_inline int flow_is_late(const struct flow_rec *rec, const struct flow_way *way,
					const struct flow_tcp *tcp, __u64 now_ns)
{
	__u64 trip_ns = LATE_NS;

	if (tcp->has_ts && flow_before(tcp->tsval, way->tsval))
		return 1;
	if (rec->rtts[0].count && rec->rtts[1].count)
		trip_ns = ~rec->rtts[0].not_min_ns + ~rec->rtts[1].not_min_ns;
	return now_ns - way->hole_mono_ns < trip_ns;
}

/* A segment that starts below the highest byte seen. */
static __always_inline void flow_old(const struct flow_rec *rec, struct flow_way *way,
				     const struct flow_tcp *tcp, __u64 now_ns)
{
	/* One byte sent before: a keepalive probe. */
	if (tcp->end - tcp->seq == 1 && tcp->end == way->next_seq &&
	    !(tcp->flags & (TCP_SYN | TCP_FIN)))
		return;
	if (way->hole_seq != way->hole_end && !flow_before(tcp->seq, way->hole_seq) &&
	    !flow_before(way->hole_end, tcp->end)) {
		if (flow_is_late(rec, way, tcp, now_ns))
			way->out_of_order += tcp->packets;
		else
			way->retransmitted += tcp->packets;
		if (tcp->end == way->hole_end)
			way->hole_end = tcp->seq;
		else
			way->hole_seq = tcp->end;
	} else {
		way->retransmitted += tcp->packets;
	}
	/* Karn: it is ambiguous which of the two is acknowledged. Timestamps resolve this. */
	if (!(way->known & FLOW_TIMED_BY_TS))
		way->timed_mono_ns = 0;
	if (flow_before(way->next_seq, tcp->end))
		way->next_seq = tcp->end;
}

static __always_inline void flow_sequence(const struct flow_rec *rec, struct flow_way *way,
					  const struct flow_tcp *tcp, int tsval_is_new,
					  __u64 now_ns)
{
	if (tcp->seq == tcp->end)
		return;
	if (!(way->known & FLOW_KNOWS_SEQ)) {
		way->known |= FLOW_KNOWS_SEQ;
	} else if (flow_before(tcp->seq, way->next_seq)) {
		flow_old(rec, way, tcp, now_ns);
		return;
	} else if (tcp->seq != way->next_seq) {
		way->hole_seq = way->next_seq;
		way->hole_end = tcp->seq;
		way->hole_mono_ns = now_ns;
	}
	way->next_seq = tcp->end;
	flow_time(way, tcp, tsval_is_new, now_ns);
}

/* Ports are reused: the sequence state belongs to the previous connection. */
static __always_inline void flow_restart(struct flow_rec *rec, __u8 dir, __u64 now_ns)
{
	int i;

	rec->syn_mono_ns = now_ns;
	rec->handshake_ns = 0;
	rec->opener = dir;
	rec->ended = 0;
	for (i = 0; i < WATCH_DIRS; i++) {
		rec->ways[i].known = 0;
		rec->ways[i].flags = 0;
		rec->ways[i].timed_mono_ns = 0;
		rec->ways[i].hole_seq = rec->ways[i].hole_end;
	}
}

static __always_inline void flow_acknowledge(struct flow_rec *rec, struct flow_way *way,
					     struct flow_way *back, __u8 dir,
					     const struct flow_tcp *tcp, __u64 now_ns,
					     struct flow_found *found)
{
	int control = tcp->flags & (TCP_SYN | TCP_FIN | TCP_RST);

	flow_answer(back, &rec->rtts[!dir], tcp, now_ns, found);
	if (rec->syn_mono_ns && !rec->handshake_ns && dir == rec->opener &&
	    (back->flags & (TCP_SYN | TCP_ACK)) == (TCP_SYN | TCP_ACK)) {
		rec->handshake_ns = now_ns - rec->syn_mono_ns;
		found->handshake_ns = rec->handshake_ns;
	}
	/* RFC 5681 2 */
	if (way->known & FLOW_KNOWS_ACK && back->known & FLOW_KNOWS_SEQ && !control &&
	    tcp->seq == tcp->end && tcp->ack == way->ack && tcp->window == way->window &&
	    flow_before(tcp->ack, back->next_seq))
		way->dup_acks++;
	if (!tcp->window && !control)
		way->zero_windows++;
	way->known |= FLOW_KNOWS_ACK;
	way->ack = tcp->ack;
	way->window = tcp->window;
}

static __always_inline void flow_tcp_seen(struct flow_rec *rec, struct flow_way *way,
					  struct flow_way *back, __u8 dir,
					  const struct flow_tcp *tcp, __u64 now_ns,
					  struct flow_found *found)
{
	int tsval_is_new;

	if ((tcp->flags & (TCP_SYN | TCP_ACK)) == TCP_SYN &&
	    !(way->flags & TCP_SYN && way->known & FLOW_KNOWS_SEQ && !rec->ended &&
	      way->next_seq == tcp->end))
		flow_restart(rec, dir, now_ns);
	tsval_is_new = !(way->known & FLOW_KNOWS_TSVAL) || flow_before(way->tsval, tcp->tsval);
	if (tcp->flags & TCP_ACK)
		flow_acknowledge(rec, way, back, dir, tcp, now_ns, found);
	flow_sequence(rec, way, tcp, tsval_is_new, now_ns);
	if (tcp->has_ts && tsval_is_new) {
		way->tsval = tcp->tsval;
		way->known |= FLOW_KNOWS_TSVAL;
	}
	way->flags |= tcp->flags;
	if (!rec->ended && (way->flags & TCP_RST || way->flags & back->flags & TCP_FIN)) {
		rec->ended = 1;
		found->ended = 1;
	}
}

#endif
