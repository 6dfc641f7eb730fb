// SPDX-License-Identifier: GPL-2.0-only
/*
 * stamp_xdp.bpf.c - answer STAMP and TWAMP Light test packets from the driver hook.
 *
 * Like reflect_xdp, but packets to cfg.port are test packets: they are returned with the times of
 * arrival and departure, the sender's own fields, and answered extensions. Never longer than the
 * test packet. One that cannot be answered is dropped, and counted by reason.
 *
 * Times are CLOCK_MONOTONIC plus an offset maintained by user space: it changes only in steps, and
 * kernels before 6.1 have no other clock.
 */
#include "lib/reflect.bpf.h"

#include "lib/hist.bpf.h"
#include "lib/stamp.bpf.h"
#include "lib/stamp_hmac.bpf.h"
#include "lib/stamp_key.bpf.h"
#include "lib/stamp_session.bpf.h"
#include "lib/stamp_sum.bpf.h"
#include "lib/stamp_tlv.bpf.h"

char _license[] SEC("license") = "GPL";

MAPPED_ARRAY(stamp_hists, struct hist_rec);	/* one per CPU: set before load */		/* of T3 - T2 */

/* Whether the extensions can be trusted. */
static __always_inline void prove_tlvs(struct xdp_md *ctx, struct stamp_work *work)
{
	__u32 at = work->tlvs, bytes;
	int i;

#pragma clang loop unroll(disable)
	for (i = 0; i < STAMP_MAX_TLVS && at; i++)
		at = stamp_tlv_scan(ctx, at);
	if (!work->hmac)
		return;
	bytes = work->hmac - work->tlvs;
	work->unproven = work->misplaced || bytes > STAMP_MAX_HMAC_BYTES ||
			 (!stamp_cfg.authenticated && !stamp_take_key(ctx)) ||
			 !stamp_hmac_fits(ctx, work->tlvs, bytes, 1,
					  work->hmac + sizeof(struct stamp_tlv));
}

/* Whether to answer it. Not static: verified once. */
__attribute__((noinline)) int stamp_judge(struct xdp_md *ctx)
{
	struct stamp_work *work = stamp_work();
	__u32 bytes = stamp_cfg.authenticated ? STAMP_AUTH_BYTES : STAMP_TWAMP_BYTES;

	if (!work)
		return REFLECT_MALFORMED;
	if (work->end - work->payload < bytes)
		return REFLECT_SHORT;
	if (stamp_cfg.authenticated) {
		if (!stamp_take_key(ctx))
			return REFLECT_KEYLESS;
		if (!stamp_hmac_fits(ctx, work->payload, STAMP_HMAC_OVER_BYTES, 0,
				     work->payload + STAMP_HMAC_OVER_BYTES))
			return REFLECT_FORGED;
	}
	work->tlvs = work->payload +
		     (stamp_cfg.authenticated ? STAMP_AUTH_BYTES : STAMP_OPEN_BYTES);
	if (!stamp_cfg.twamp)
		prove_tlvs(ctx, work);
	return REFLECT_UDP;
}

static __always_inline void answer_tlvs(struct xdp_md *ctx, struct stamp_work *work)
{
	__u32 at = stamp_cfg.twamp ? 0 : work->tlvs;
	int i;

#pragma clang loop unroll(disable)
	for (i = 0; i < STAMP_MAX_TLVS && at; i++)
		at = stamp_tlv(ctx, at);
}

static __always_inline __u64 answer_open(struct xdp_md *ctx, struct stamp_work *work,
					 struct stamp_session *session)
{
	struct stamp_question *asked = frame_at(ctx, work->payload, 40);
	__u32 tail = work->payload + 40, i;
	struct stamp_answer answer = { 0 };
	__u8 old[4] = { 0 }, new[4] = { 0 }, *byte;
	__u64 left_ns;

	if (!asked)
		return 0;
	answer.sequence = bpf_htonl(work->sequence);
	answer.error = bpf_htons(work->error);
	answer.ssid = stamp_cfg.twamp ? 0 : asked->ssid;
	answer.received = stamp_time(work, work->came_mono_ns + work->utc_offset_ns);
	answer.asked_sequence = asked->sequence;
	answer.asked_sent = asked->sent;
	answer.asked_error = asked->error;
	left_ns = leave(work, session);
	answer.sent = stamp_time(work, left_ns + work->utc_offset_ns);
	stamp_sum(work, work->payload, bpf_csum_diff((void *)asked, 40, (void *)&answer, 40, 0));
	__builtin_memcpy(asked, &answer, 40);
	/* The rest, as far as present: TWAMP ends with its first byte. */
	for (i = 0; i < 4; i++) {
		byte = frame_at(ctx, tail + i, 1);
		if (!byte || tail + i >= work->end)
			break;
		old[i] = *byte;
		*byte = new[i] = i ? 0 : work->ttl;
	}
	stamp_sum(work, tail, bpf_csum_diff((void *)old, 4, (void *)new, 4, 0));
	return left_ns;
}

static __always_inline __u64 answer_auth(struct xdp_md *ctx, struct stamp_work *work,
					 struct stamp_session *session)
{
	struct stamp_auth_question *asked = frame_at(ctx, work->payload, STAMP_HMAC_OVER_BYTES);
	struct stamp_auth_answer answer = { 0 };
	__u64 left_ns;

	if (!asked)
		return 0;
	answer.sequence = bpf_htonl(work->sequence);
	answer.error = bpf_htons(work->error);
	answer.ssid = asked->ssid;
	answer.received = stamp_time(work, work->came_mono_ns + work->utc_offset_ns);
	answer.asked_sequence = asked->sequence;
	answer.asked_sent = asked->sent;
	answer.asked_error = asked->error;
	answer.asked_ttl = work->ttl;
	/* The HMAC covers the time, so it is computed after the timestamp is taken. */
	left_ns = leave(work, session);
	answer.sent = stamp_time(work, left_ns + work->utc_offset_ns);
	stamp_sum_old(work, work->payload, asked, STAMP_HMAC_OVER_BYTES);
	__builtin_memcpy(asked, &answer, STAMP_HMAC_OVER_BYTES);
	stamp_sum_new(work, work->payload, asked, STAMP_HMAC_OVER_BYTES);
	return left_ns;
}

/*
 * Whether it is the answer to one of this reflector's own answers, which another reflector took for a
 * test packet. No TTL ends that loop, as STAMP sets it to 255. Such a packet holds a time of this
 * reflector's clock where an answer has the time at which its test packet was sent. A test packet has
 * zeros or padding there; random padding passes once in 10^13 packets.
 */
static __always_inline int answers_an_answer(struct xdp_md *ctx, const struct stamp_work *work)
{
	__be32 *sent = frame_at(ctx, work->payload + (stamp_cfg.authenticated ?
				offsetof(struct stamp_auth_answer, asked_sent) :
				offsetof(struct stamp_answer, asked_sent)), 12);
	__u32 now_s, fraction;

	/* Behind the time: Error Estimate, which has the format's bit, and zeros. */
	if (!sent || !sent[0] || sent[2] & bpf_htonl(0xffff))
		return 0;
	stamp_time_of(work->came_mono_ns + work->utc_offset_ns, !!(sent[2] & bpf_htonl(STAMP_PTP << 16)),
		      &now_s, &fraction);
	return bpf_ntohl(sent[0]) - now_s + STAMP_LOOP_S <= 2 * STAMP_LOOP_S;
}

/* Not static: verified once. */
__attribute__((noinline)) int stamp_answer(struct xdp_md *ctx)
{
	__u32 cpu = bpf_get_smp_processor_id(), zero = 0;
	struct hist_rec *hist = bpf_map_lookup_elem(&stamp_hists, &cpu);
	struct stamp_reflect_clock *clock = bpf_map_lookup_elem(&stamp_clocks, &zero);
	struct stamp_work *work = stamp_work();
	struct stamp_session *session = NULL;
	struct stamp_auth_question *auth;
	struct stamp_question *asked;
	__be16 error, ssid;
	__u64 left_ns;

	if (!work || !hist || !clock)
		return REFLECT_MALFORMED;
	asked = frame_at(ctx, work->payload, 40);
	if (!asked)
		return REFLECT_SPLIT;
	work->sequence = bpf_ntohl(asked->sequence);
	error = asked->error;
	ssid = stamp_cfg.twamp ? 0 : asked->ssid;
	if (stamp_cfg.authenticated) {
		auth = (void *)asked;
		error = auth->error;
		ssid = auth->ssid;
	}
	work->utc_offset_ns = READ_ONCE(clock->utc_offset_ns);
	work->generic = READ_ONCE(clock->generic);
	work->ptp = !!(error & bpf_htons(STAMP_PTP));
	work->error = READ_ONCE(clock->error) | (work->ptp ? STAMP_PTP : 0);
	if (answers_an_answer(ctx, work))
		return REFLECT_LOOPED;
	if (stamp_cfg.stateful)
		session = session_of(work, ssid);
	if (session)
		take_session(work, session);
	answer_tlvs(ctx, work);
	left_ns = stamp_cfg.authenticated ? answer_auth(ctx, work, session) :
					    answer_open(ctx, work, session);
	hist_add(hist, work->came_mono_ns, left_ns);
	return REFLECT_UDP;
}

static __always_inline void note_ends(struct stamp_work *work, const struct packet *pkt)
{
	__u32 word;

	__builtin_memset(work->src, 0, sizeof(work->src));
	__builtin_memset(work->dst, 0, sizeof(work->dst));
	if (pkt->version == 4) {
		work->src[0] = pkt->ip4->saddr;
		work->dst[0] = pkt->ip4->daddr;
		work->ttl = pkt->ip4->ttl;
		work->tos = pkt->ip4->tos;
	} else {
		__builtin_memcpy(work->src, &pkt->ip6->saddr, sizeof(work->src));
		__builtin_memcpy(work->dst, &pkt->ip6->daddr, sizeof(work->dst));
		work->ttl = pkt->ip6->hop_limit;
		word = bpf_ntohl(*(__be32 *)pkt->ip6);
		work->tos = word >> 20;
	}
	work->version = pkt->version;
	__builtin_memcpy(work->src_mac, pkt->eth->h_source, sizeof(work->src_mac));
}

/* Maximum TTL, so that the sender can count hops (RFC 5357 4.2.1), and the requested DSCP. */
static __always_inline void set_ip(const struct stamp_work *work, struct packet *pkt)
{
	__u8 tos = work->dscp | (work->tos & 3);
	__be16 *words;

	if (pkt->version == 4) {
		words = (__be16 *)pkt->ip4;
		pkt->ip4->check = csum_replace(pkt->ip4->check, words[0],
					       bpf_htons((bpf_ntohs(words[0]) & 0xff00) | tos));
		pkt->ip4->tos = tos;
		pkt->ip4->check = csum_replace(pkt->ip4->check, words[4],
					       bpf_htons(0xff00 | pkt->ip4->protocol));
		pkt->ip4->ttl = 255;
	} else {
		words = (__be16 *)pkt->ip6;
		words[0] = bpf_htons((bpf_ntohs(words[0]) & 0xf00f) | tos << 4);
		pkt->ip6->hop_limit = 255;
	}
}

static __always_inline enum reflect_outcome answer_stamp(struct xdp_md *ctx, struct packet *pkt)
{
	struct stamp_reflect_rec *rec = stamp_rec();
	struct stamp_work *work = stamp_work();
	struct udphdr *udp = pkt->l4;
	enum reflect_outcome outcome;
	__u32 pseudo, sum;
	__be16 check;

	if (!work || !rec || (void *)(udp + 1) > pkt->end)
		return REFLECT_MALFORMED;
	work->came_mono_ns = bpf_ktime_get_ns();
	check = udp->check;
	if (!check && pkt->version == 6)	/* RFC 8200 8.1 */
		return REFLECT_MALFORMED;
	work->payload = (void *)(udp + 1) - pkt->data;
	work->end = work->payload + bpf_ntohs(udp->len) - sizeof(*udp);
	if (work->end > (__u32)(pkt->end - pkt->data) || work->end > 0x3fff)
		return REFLECT_SPLIT;
	note_ends(work, pkt);
	work->src_port = udp->source;
	work->dst_port = udp->dest;
	work->dscp = work->tos & 0xfc;
	work->hmac = work->misplaced = work->unproven = work->sum = 0;
	work->last_sent_ns = work->received = 0;
	pseudo = pseudo_sum(pkt, udp->len);
	outcome = stamp_judge(ctx);
	if (outcome == REFLECT_UDP)
		outcome = stamp_answer(ctx);
	if (outcome != REFLECT_UDP)
		return outcome;
	stamp_sign(ctx);
	set_ip(work, pkt);
	/* Swapping source and destination does not change the sum. */
	answer_udp(pkt);
	if (!check)
		return outcome;
	if (check == pseudo) {
		udp->check = 0;
		sum = stamp_finish_sum(ctx, work, rec, pseudo);
	} else {
		sum = (__u16)~check + work->sum;
	}
	check = ~sum_fold(sum);
	udp->check = check ? check : 0xffff;
	return outcome;
}

SEC("xdp")
int stamp_xdp(struct xdp_md *ctx)
{
	enum reflect_outcome outcome;
	struct packet pkt;

	outcome = judge(ctx, &pkt);
	if (outcome == REFLECT_UDP)
		outcome = answer_stamp(ctx, &pkt);
	if (outcome == REFLECT_ICMP)
		answer_icmp(&pkt);
	count(outcome, pkt.buf_bytes);
	return action_of(outcome);
}
