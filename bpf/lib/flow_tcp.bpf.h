/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/flow_tcp.bpf.h - what TCP's headers show of a flow: round trips, handshake,
 * retransmissions, order, windows.
 *
 * All of it runs within the flow's bpf_spin_lock, where no helper and, before
 * kernel 6.8, no function may be called: everything is inline.
 *
 * One segment a direction is timed at a time, as TCP itself did before
 * timestamps (RFC 6298 3): nothing to look up, nothing that fills up.
 */
#ifndef LIB_FLOW_TCP_BPF_H
#define LIB_FLOW_TCP_BPF_H

#include "abi/flow.h"
#include "lib/core.bpf.h"

#define TCP_FIN	0x01
#define TCP_SYN	0x02
#define TCP_RST	0x04
#define TCP_ACK	0x10

/* Without a round trip to compare with, what fills a hole later than this was sent again. */
#define LATE_NS	3000000

struct flow_tcp {
	__u32 seq, end;		/* of the sequence space, SYN and FIN counted */
	__u32 first_end;	/* of the first segment of a super-packet */
	__u32 ack;
	__u32 tsval, tsecr;
	__u16 window;
	__u8 flags;
	__u8 has_ts;
	__u32 packets;
};

/* What to add to the histograms after the lock is released; 0: nothing. */
struct flow_found {
	__u64 rtt_ns, handshake_ns, quic_ns;
	__u8 rtt_dir;		/* of the packet that was timed */
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
		/* A newer one came back: ours never will. */
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

/* A SYN by its sequence number: it is not known yet whether the peer has timestamps. */
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
 * Fills a hole: late, or sent again. An older timestamp than the newest was
 * sent before it; else a sender cannot know of a loss before a round trip is over.
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

/* A segment that begins below the highest byte seen. */
static __always_inline void flow_old(const struct flow_rec *rec, struct flow_way *way,
				     const struct flow_tcp *tcp, __u64 now_ns)
{
	/* One byte that was sent before: asks whether the peer is alive. */
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
	/* Karn: it is not known which of the two is acknowledged. Timestamps tell. */
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

/* The same ports again: what was known of the sequence is of the connection before. */
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
