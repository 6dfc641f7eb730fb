// SPDX-License-Identifier: GPL-2.0-only
/*
 * rr_xdp.bpf.c - receive the answers to our own requests in the driver.
 *
 * In: Ethernet, up to two VLAN tags, IPv4 or IPv6, UDP or an echo reply, with a complete tag and
 * the request's payload, matching match.
 * Out: to the queue's AF_XDP socket, with the time of arrival in place of the MAC addresses, which
 * are no longer needed. rr_xdp_bounce instead times it and returns it as the next request, until
 * its token's limit or end_mono_ns.
 * Damaged answers are counted and dropped: a request stays unanswered until a good one arrives.
 * Otherwise: passed to the stack unmodified: this host's own pings continue.
 */
#include "abi/rr.h"
#include "lib/core.bpf.h"
#include "lib/csum.bpf.h"
#include "lib/echo.bpf.h"
#include "lib/hist.bpf.h"
#include "lib/jitter.bpf.h"
#include "lib/parse.bpf.h"
#include "lib/payload.bpf.h"
#include "lib/pdv.bpf.h"
#include "lib/tag.bpf.h"

char _license[] SEC("license") = "GPL";

const volatile struct rr_match match;

/* rr_xdp_bounce: nothing is sent from this time on. Written while the program runs. */
volatile __u64 end_mono_ns;

struct {
	__uint(type, BPF_MAP_TYPE_XSKMAP);
	__uint(max_entries, 1);		/* queues: set before load */
	__type(key, __u32);
	__type(value, __u32);
} rr_xsks SEC(".maps");

MAPPED_ARRAY(rr_recs, struct rr_rec);	/* one per CPU: set before load */

/* Of rr_xdp_bounce. */
MAPPED_ARRAY(rr_hists, struct hist_rec);	/* one per CPU: set before load */
MAPPED_ARRAY(rr_tokens, struct rr_token);	/* set before load */

static __always_inline int is_from_peer(const struct packet *pkt)
{
	return parse_is_from(pkt, match.version, (const volatile __u32 *)match.peer);
}

/* Both headers have 8 bytes. */
static __always_inline int is_answer(const struct packet *pkt)
{
	struct udphdr *udp = pkt->l4;
	struct echo *echo = pkt->l4;

	if ((void *)(udp + 1) > pkt->end)
		return 0;
	if (!match.icmp)
		return pkt->proto == IPPROTO_UDP && udp->dest == match.id && udp->source == match.port;
	if (pkt->proto != (match.version == 4 ? IPPROTO_ICMP : IPPROTO_ICMPV6))
		return 0;
	return echo->type == (match.version == 4 ? ICMP_ECHOREPLY : ICMPV6_ECHO_REPLY) && !echo->code &&
	       echo->id == match.id;
}

static __always_inline int is_our_tag(const struct packet *pkt)
{
	struct tag_fields tag;

	return tag_take(pkt, pkt->l4 + sizeof(struct udphdr), &tag) && tag.run == match.run &&
	       (__u16)(tag.stream - match.stream) < match.streams;
}

/* Of an answer whose L4 packet is from @l4 to @end of the frame, and whose checksums are @intact. */
static __always_inline enum intact check_payload(struct xdp_md *ctx, __u32 l4, __u32 end,
						 enum intact intact)
{
	if (end - l4 != match.l4_bytes)
		return INTACT_BAD_PAYLOAD;
	return payload_intact(ctx, l4 + sizeof(struct udphdr) + TAG_BYTES, end, intact);
}

/*
 * 1: an answer to a request of ours, and how *ret_intact it is. With a wrong checksum the tag does
 * not count: it may be what was damaged.
 */
static __always_inline int is_ours(struct xdp_md *ctx, struct packet *pkt, enum intact *ret_intact)
{
	enum intact intact = INTACT_YES;
	const struct udphdr *udp;
	__u32 l3, l4, end;

	if (parse_packet(ctx, pkt) != PARSE_L4 || !is_from_peer(pkt) || !is_answer(pkt))
		return 0;
	l3 = pkt->l3 - pkt->data;
	l4 = pkt->l4 - pkt->data;
	udp = match.icmp ? NULL : parse_udp(pkt);
	if (!udp || !is_our_tag(pkt) || !tagged_udp_is_intact(ctx, pkt, udp))
		intact = packet_intact(ctx, l3, l4, pkt->proto, pkt->version);
	if (intact != INTACT_NO) {
		if (!is_our_tag(pkt))
			return 0;
		end = match.icmp ? packet_end(ctx, l3, pkt->version) :
				   l4 + bpf_ntohs(((struct udphdr *)pkt->l4)->len);
		intact = check_payload(ctx, l4, end, intact);
	}
	*ret_intact = intact;
	return 1;
}

static __always_inline int is_damage(enum intact intact)
{
	return intact == INTACT_NO || intact == INTACT_BAD_PAYLOAD;
}

static __always_inline struct rr_rec *own_rec(void)
{
	__u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&rr_recs, &cpu);
}

static __always_inline void count_foreign(void)
{
	struct rr_rec *rec = own_rec();

	if (rec)
		ADD_ONCE(rec->foreign, 1);
}

static __always_inline void count_unverified(enum intact intact)
{
	struct rr_rec *rec;

	if (intact != INTACT_UNKNOWN)
		return;
	rec = own_rec();
	if (rec)
		ADD_ONCE(rec->unverified, 1);
}

static __always_inline void count(__u32 buf_bytes)
{
	struct rr_rec *rec = own_rec();

	if (!rec)
		return;
	ADD_ONCE(rec->answers, 1);
	ADD_ONCE(rec->bytes, buf_bytes);
}

static __always_inline int drop_damaged(enum intact intact, __u32 buf_bytes)
{
	struct rr_rec *rec = own_rec();

	if (!rec)
		return XDP_DROP;
	ADD_ONCE(*(intact == INTACT_NO ? &rec->damaged : &rec->bad_payload), 1);
	ADD_ONCE(rec->damaged_bytes, buf_bytes);
	return XDP_DROP;
}

SEC("xdp")
int rr_xdp(struct xdp_md *ctx)
{
	enum intact intact = INTACT_YES;
	struct packet pkt;

	if (!is_ours(ctx, &pkt, &intact)) {
		count_foreign();
		return XDP_PASS;
	}
	if (is_damage(intact))
		return drop_damaged(intact, pkt.buf_bytes);
	count(pkt.buf_bytes);
	count_unverified(intact);
	*(__u64 *)pkt.data = bpf_ktime_get_ns();
	return bpf_redirect_map(&rr_xsks, ctx->rx_queue_index, XDP_DROP);
}

/*
 * From here on: bounced requests. Requests and answers have no header options: all relevant bits
 * are compared at once, where parsing would be a third of the whole cost.
 */

/* Both have @bytes, a compile-time constant; the last word may have 2, 4 or 6 of them. */
static __always_inline int is_head(const void *head, __u32 bytes)
{
	const volatile __u64 *answer = match.answer.words, *mask = match.mask.words;
	const volatile __u16 *answer_end = (const volatile __u16 *)answer;
	const volatile __u16 *mask_end = (const volatile __u16 *)mask;
	__u64 differs = 0;
	__u32 i;

	for (i = 0; i < bytes / 8; i++)
		differs |= (((const __u64 *)head)[i] ^ answer[i]) & mask[i];
	for (i = bytes / 8 * 4; i < bytes / 2; i++)
		differs |= (__u64)((((const __u16 *)head)[i] ^ answer_end[i]) & mask_end[i]);
	return !differs;
}

/* By words: bytes would be copied one at a time. */
static __always_inline void write_head(void *head, __u32 bytes)
{
	const volatile __u64 *request = match.request.words;
	const volatile __u16 *request_end = (const volatile __u16 *)request;
	__u32 i;

	for (i = 0; i < bytes / 8; i++)
		((__u64 *)head)[i] = request[i];
	for (i = bytes / 8 * 4; i < bytes / 2; i++)
		((__u16 *)head)[i] = request_end[i];
}

static __always_inline void write_request(void *data, __u32 bytes, __u16 stream, __u64 number,
					  __u64 sent_ns)
{
	struct echo *echo = data + bytes - sizeof(*echo);
	__be16 last = bpf_htons((__u16)number);
	struct tag_words *at = data + bytes;
	struct tag tag;

	write_head(data, bytes);
	if (match.icmp) {
		echo->sequence = last;
		echo->checksum = csum_replace(match.check, 0, last);
	}
	tag_write(&tag, match.run, stream, number, sent_ns);
	at->high = tag.high;
	at->low = tag.low;
	at->complement = tag.complement;
}

/* The answer to the token's last request: no one else knows the token, so its complement is not read. */
static __always_inline int is_due(const struct rr_token *token, __u16 stream, __u64 high, __u64 low)
{
	__u32 sequence = token->made - 1;

	return high << 16 == tag_high(match.run, stream, sequence) << 16 &&
	       low == tag_low(sequence, token->sent_ns) && token->done != token->made;
}

static __always_inline int is_timed(__u64 number)
{
	return match.stamp_every == 1 || !((__u32)number % match.stamp_every);
}

static __always_inline void note_time(__u64 sent_ns, __u64 came_ns)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct hist_rec *hist = bpf_map_lookup_elem(&rr_hists, &cpu);

	if (hist && hist_add(hist, sent_ns, came_ns))
		pdv_add(cpu, came_ns - sent_ns);
}

/* Handles a due answer; true: send the next request, at *ret_sent_ns, or untimed. */
static __always_inline int take(struct rr_token *token, __u32 buf_bytes, __u64 *ret_sent_ns)
{
	__u64 made = token->made, now_ns = 0;
	int over = made >= token->limit || !end_mono_ns;

	if (token->sent_ns || over || is_timed(made)) {
		now_ns = bpf_ktime_get_ns();
		WRITE_ONCE(token->came_ns, now_ns);
		if (token->sent_ns) {
			note_time(token->sent_ns, now_ns);
			jitter_add(&token->jitter, now_ns - token->sent_ns);
		}
		over |= now_ns >= end_mono_ns;
	}
	ADD_ONCE(token->answered, 1);
	ADD_ONCE(token->bytes, buf_bytes);
	*ret_sent_ns = is_timed(made) ? now_ns : 0;
	return !over;
}

/* Of what does not have the headers of an answer: only damaged answers are taken. */
static __always_inline int leave_others(struct xdp_md *ctx)
{
	enum intact intact = INTACT_YES;
	struct packet pkt;

	if (is_ours(ctx, &pkt, &intact) && is_damage(intact))
		return drop_damaged(intact, pkt.buf_bytes);
	count_foreign();
	return XDP_PASS;
}

static __always_inline __u32 proto_of_match(void)
{
	if (!match.icmp)
		return IPPROTO_UDP;
	return match.version == 4 ? IPPROTO_ICMP : IPPROTO_ICMPV6;
}

static __always_inline int bounce(struct xdp_md *ctx, __u32 bytes)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	__u32 l4 = bytes - sizeof(struct udphdr), index;
	const struct tag_words *tag = data + bytes;
	struct tag_fields fields;
	struct rr_token *token;
	enum intact intact;
	__u64 sent_ns, high;
	__u16 stream;
	int due;

	if (data + bytes + TAG_BYTES > end || !is_head(data, bytes))
		return leave_others(ctx);
	intact = packet_intact(ctx, sizeof(struct ethhdr), l4, proto_of_match(), match.version);
	if (intact == INTACT_NO)
		return drop_damaged(intact, end - data);
	high = bpf_be64_to_cpu(tag->high);
	stream = high >> 16;
	index = (__u16)(stream - match.stream);
	token = bpf_map_lookup_elem(&rr_tokens, &index);
	if (!token)
		goto foreign;
	due = is_due(token, stream, high, bpf_be64_to_cpu(tag->low));
	if (!due && !(tag_read(tag->high, tag->low, tag->complement, &fields) &&
		      fields.run == match.run))
		goto foreign;
	/* The headers' lengths are those of a request. */
	intact = check_payload(ctx, l4, l4 + match.l4_bytes, intact);
	if (is_damage(intact))
		return drop_damaged(intact, end - data);
	count_unverified(intact);
	if (due) {
		__u64 made = token->made;

		if (!take(token, end - data, &sent_ns)) {
			WRITE_ONCE(token->done, made);
			return XDP_DROP;
		}
		write_request(data, bytes, stream, made, sent_ns);
		WRITE_ONCE(token->sent_ns, sent_ns);
		/* In this order: user space takes equal ones for the token's end. */
		WRITE_ONCE(token->made, made + 1);
		WRITE_ONCE(token->done, made);
		return XDP_TX;
	}
	/* A duplicate, or one that timed out: another packet is in flight. */
	count(end - data);
	ADD_ONCE(token->stale, 1);
	return XDP_DROP;
foreign:
	count_foreign();
	return XDP_PASS;
}

SEC("xdp")
int rr_xdp_bounce(struct xdp_md *ctx)
{
	return match.version == 4 ? bounce(ctx, RR_HEAD4_BYTES) : bounce(ctx, RR_HEAD6_BYTES);
}
