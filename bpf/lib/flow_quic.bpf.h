/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/flow_quic.bpf.h - how long a QUIC server takes to answer a client's first Initial: from what
 * RFC 8999 and 9000 leave unencrypted.
 *
 * Only long headers: version, type and connection IDs. Packet numbers are not visible, so it is
 * unknown whether an Initial is a further part of the ClientHello or a retransmission: the time
 * counts from the first, and is not called a round trip.
 */
#ifndef LIB_FLOW_QUIC_BPF_H
#define LIB_FLOW_QUIC_BPF_H

#include "abi/flow.h"
#include "lib/core.bpf.h"
#include "lib/flow_fill.bpf.h"
#include "lib/flow_tcp.bpf.h"

#define QUIC_V1		1u		/* RFC 9000 */
#define QUIC_V2		0x6b3343cfu	/* RFC 9369: the types have other numbers */
#define QUIC_FIXED	0x40
#define QUIC_CID_MAX	20
#define QUIC_FIRST_CID	8		/* RFC 9000 7.2: minimum length of the client's first
					 * choice */
#define QUIC_FIRST_BYTES 1200		/* RFC 9000 14.1: minimum length of its datagram, by
					 * padding */
#define WELL_KNOWN	1024

/* Types of long header packets, as numbered in version 1. */
enum quic_type { QUIC_INITIAL, QUIC_0RTT, QUIC_HANDSHAKE, QUIC_RETRY };

/* The connection ID whose length is at *at, as a number; advances *at. 0: none, or too long. */
static __always_inline __u32 quic_cid(struct __sk_buff *ctx, __u32 *at, __u32 *ret_bytes)
{
	__u32 cid[8] = {}, hash = 0, i;
	__u64 read;
	__u8 bytes;

	if (bpf_skb_load_bytes(ctx, *at, &bytes, sizeof(bytes)) || bytes > QUIC_CID_MAX)
		return 0;
	/*
	 * The length byte again, so that 0 bytes are never read: 5.10 learns nothing from != 0. In
	 * assembler, as clang 19 turns 1 + bytes into an addition and an 8-bit mask, which may be 0
	 * as far as the verifier knows. Here it sees 1 to 32.
	 */
	read = bytes;
	asm volatile("%0 &= 31\n\t%0 += 1" : "+r"(read));
	if (bpf_skb_load_bytes(ctx, *at, cid, read))
		return 0;
	for (i = 0; i < 1 + QUIC_CID_MAX / 4; i++)
		hash = hash * 0x9e3779b1 + cid[i];
	*at += 1 + bytes;
	*ret_bytes = bytes;
	return hash ? hash : 1;
}

static __always_inline int quic_from_server(const struct flow_key *key, __u32 dir)
{
	__u16 near = bpf_ntohs(key->near_port), far = bpf_ntohs(key->far_port);

	return dir == WATCH_TX ? near < WELL_KNOWN && far >= WELL_KNOWN :
				 far < WELL_KNOWN && near >= WELL_KNOWN;
}

/* A datagram that may start with a long header: fills find_work()->quic. */
__attribute__((noinline)) int flow_quic(struct __sk_buff *ctx, __u32 dir)
{
	struct flow_work *work = find_work();
	__u32 at, payload, version, type, dcid_bytes, scid_bytes;
	struct __attribute__((packed)) {
		__u8 first;
		__be32 version;
	} head;

	if (!work)
		return 0;
	work->quic.what = FLOW_QUIC_NOTHING;
	at = work->place.l4 + sizeof(struct udphdr);
	payload = work->ip_end - at;
	if (bpf_skb_load_bytes(ctx, at, &head, sizeof(head)) || !(head.first & FLOW_QUIC_LONG))
		return 0;
	version = bpf_ntohl(head.version);
	if (version && version != QUIC_V1 && version != QUIC_V2)
		return 0;
	at += sizeof(head);
	work->quic.to = quic_cid(ctx, &at, &dcid_bytes);
	work->quic.from = work->quic.to ? quic_cid(ctx, &at, &scid_bytes) : 0;
	if (!work->quic.from)
		return 0;
	type = head.first >> 4 & 3;
	if (version == QUIC_V2)
		type = (type - 1) & 3;
	if (!version)
		work->quic.what = FLOW_QUIC_VERSIONS;
	else if (!(head.first & QUIC_FIXED))
		return 0;
	else if (type == QUIC_RETRY)
		work->quic.what = FLOW_QUIC_RETRY;
	else if (type == QUIC_INITIAL && dcid_bytes >= QUIC_FIRST_CID &&
		 payload >= QUIC_FIRST_BYTES && !quic_from_server(&work->asked.key, dir))
		work->quic.what = FLOW_QUIC_MAY_OPEN;
	else if (type != QUIC_0RTT)
		work->quic.what = FLOW_QUIC_ANSWER;
	return 0;
}

/*
 * Called within the flow's lock. ways[opener] holds when the timed Initial passed, and in `timed`
 * the connection ID that its sender expects in the answer.
 */
static __always_inline void flow_quic_seen(struct flow_rec *rec, __u8 dir,
					   const struct flow_quic *quic, __u64 now_ns,
					   struct flow_found *found)
{
	struct flow_way *way = &rec->ways[dir], *back = &rec->ways[dir ^ 1];

	if (rec->handshake_ns)
		return;
	/*
	 * The start of a flow that has had an answer was not seen. Packets after a Retry use the ID
	 * that it gave; others are late packets from before.
	 */
	if (quic->what == FLOW_QUIC_MAY_OPEN && !way->timed_mono_ns &&
	    (rec->syn_mono_ns ? dir == rec->opener && (!back->timed || back->timed == quic->to) :
				!rec->counts[dir ^ 1].packets)) {
		if (!rec->syn_mono_ns)
			rec->syn_mono_ns = now_ns;
		rec->opener = dir;
		way->timed_mono_ns = now_ns;
		way->timed = quic->from;
		return;
	}
	if (!back->timed_mono_ns || quic->to != back->timed)
		return;
	/* The client starts again, and so does the timer. */
	if (quic->what == FLOW_QUIC_RETRY || quic->what == FLOW_QUIC_VERSIONS) {
		back->timed_mono_ns = 0;
		way->timed = quic->what == FLOW_QUIC_RETRY ? quic->from : 0;
		found->quic_again = quic->what;
		return;
	}
	rec->handshake_ns = now_ns - back->timed_mono_ns;
	back->timed_mono_ns = 0;
	found->quic_ns = rec->handshake_ns;
}

#endif
