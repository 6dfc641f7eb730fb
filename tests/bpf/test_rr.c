// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rr_xdp: which answers are ours and intact, what becomes of them, and what stays the stack's.
 */
#include "harness.h"

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/bpf.h>

#include "abi/hist.h"
#include "abi/rr.h"
#include "lib/jitter.h"

#include "rr_xdp.skel.h"

#define PORT	50021		/* ours */
#define ID	0x1234
#define STREAM	300
#define TOKENS	3

static struct rr_xdp_bpf *skel;

#define SENT_NS	1000

#define TAG_BYTES	18
#define PAYLOAD_BYTES	(TAG_BYTES + 37)	/* after the tag: whole words of the pattern, and a rest */

/* An answer to us: from packet_build()'s client, which is the peer here. */
static void answer_of(struct packet_frame *frame, unsigned int version, bool echo, uint16_t run,
		      uint16_t stream, uint32_t number, uint64_t sent_ns)
{
	uint8_t payload[PAYLOAD_BYTES];
	struct packet_spec spec = {
		.version = version, .echo = echo, .echo_id = ID, .echo_sequence = (uint16_t)number,
		.src_port = 7, .dst_port = PORT, .payload = payload, .payload_bytes = sizeof(payload),
	};

	packet_tag(payload, run, stream, number, sent_ns);
	packet_pattern(payload + TAG_BYTES, sizeof(payload) - TAG_BYTES);
	packet_build(frame, &spec);
	if (!echo)
		return;
	frame->bytes[frame->l4] = version == 6 ? 129 : 0;
	packet_set_checksum(frame);
}

static void answer_to(struct packet_frame *frame, unsigned int version, bool echo, uint16_t stream,
		      uint32_t number, uint64_t sent_ns)
{
	answer_of(frame, version, echo, PACKET_RUN, stream, number, sent_ns);
}

static void answer(struct packet_frame *frame, unsigned int version, bool echo, uint16_t stream,
		   uint32_t number)
{
	answer_to(frame, version, echo, stream, number, SENT_NS);
}

static struct rr_match match_of(unsigned int version, bool icmp)
{
	struct rr_match match = {
		.version = (__u8)version, .icmp = icmp, .id = htons(icmp ? ID : PORT),
		.port = htons(7), .run = PACKET_RUN, .stream = STREAM, .streams = 1,
		.l4_bytes = 8 + PAYLOAD_BYTES,
	};
	struct packet_frame frame;

	answer(&frame, version, icmp, STREAM, 0);
	if (version == 6)
		memcpy(match.peer, frame.bytes + frame.l3 + 8, 16);
	else
		memcpy(match.peer, frame.bytes + frame.l3 + 12, 4);
	return match;
}

static void look_at(struct rr_match *match, size_t from, size_t bytes)
{
	memset((uint8_t *)&match->mask + from, 0xff, bytes);
}

/* The request that such an answer becomes: headers of 0xaa. */
static struct rr_match match_bounce(unsigned int version, bool icmp)
{
	struct rr_match match = match_of(version, icmp);
	struct packet_frame frame;

	match.streams = TOKENS;
	match.check = 0x1111;
	match.stamp_every = 1;
	memset(&match.request, 0xaa, sizeof(match.request));
	answer(&frame, version, icmp, STREAM, 0);
	memcpy(&match.answer, frame.bytes, version == 6 ? RR_HEAD6_BYTES : RR_HEAD4_BYTES);
	look_at(&match, 12, 3);			/* the type, and the version and length of IP */
	look_at(&match, version == 6 ? 18 : 16, 2);
	if (version == 6) {
		look_at(&match, 20, 18);	/* protocol and source, with the hop limit */
	} else {
		look_at(&match, 20, 2);
		look_at(&match, 23, 1);
		look_at(&match, 26, 4);
	}
	look_at(&match, frame.l4, icmp ? 2 : 4);
	look_at(&match, frame.l4 + 4, 2);
	return match;
}

static void load_programs(struct rr_match match, bool rr, bool bounce)
{
	rr_xdp_bpf__destroy(skel);
	skel = rr_xdp_bpf__open();
	assert_non_null(skel);
	bpf_program__set_autoload(skel->progs.rr_xdp, rr);
	bpf_program__set_autoload(skel->progs.rr_xdp_bounce, bounce);
	memcpy((void *)&skel->rodata->match, &match, sizeof(match));
	skel->rodata->intact_l4 = 1;
	skel->rodata->verify_payload = 1;
	packet_pattern((void *)skel->rodata->payload_words, sizeof(skel->rodata->payload_words));
	bpf_map__set_max_entries(skel->maps.rr_recs, harness_cpus());
	bpf_map__set_max_entries(skel->maps.rr_hists, harness_cpus());
	bpf_map__set_max_entries(skel->maps.pdvs, harness_cpus());
	bpf_map__set_max_entries(skel->maps.rr_tokens, TOKENS);
	assert_int_equal(rr_xdp_bpf__load(skel), 0);
}

/* The one that the match is for: verifying takes most of the time of these tests. */
static void load(struct rr_match match)
{
	load_programs(match, !match.stamp_every, match.stamp_every);
}

static int unload(void **state)
{
	(void)state;
	rr_xdp_bpf__destroy(skel);
	skel = NULL;
	return 0;
}

static int run(const struct packet_frame *frame, struct harness_out *out)
{
	harness_run(skel->progs.rr_xdp, frame->bytes, frame->len, out);
	return out->action;
}

static int run_bounce(const struct packet_frame *frame, struct harness_out *out)
{
	harness_run(skel->progs.rr_xdp_bounce, frame->bytes, frame->len, out);
	return out->action;
}

/* Passed as it came, and counted as none of ours. */
static void assert_foreign_to(int (*of)(const struct packet_frame *, struct harness_out *),
			      const struct packet_frame *frame)
{
	struct rr_rec before, after;
	struct harness_out out;

	harness_read(skel->maps.rr_recs, harness_cpu(), &before);
	assert_int_equal(of(frame, &out), XDP_PASS);
	assert_true(harness_untouched(&out, frame->bytes, frame->len));
	harness_read(skel->maps.rr_recs, harness_cpu(), &after);
	assert_int_equal(after.foreign, before.foreign + 1);
	assert_int_equal(after.answers, before.answers);
}

/* To both programs. */
static void assert_foreign(const struct packet_frame *frame)
{
	assert_foreign_to(run, frame);
	assert_foreign_to(run_bounce, frame);
}

static void check_taken(unsigned int version, bool icmp)
{
	uint64_t before_ns = harness_mono_ns(), came_ns;
	struct packet_frame frame;
	struct harness_out out;
	struct rr_rec rec;

	load(match_of(version, icmp));
	answer(&frame, version, icmp, STREAM, 17);
	/* Without a socket it is dropped, but its time is in front. */
	assert_int_equal(run(&frame, &out), XDP_DROP);
	memcpy(&came_ns, out.bytes, sizeof(came_ns));
	assert_in_range(came_ns, before_ns, harness_mono_ns());
	assert_memory_equal(out.bytes + 8, frame.bytes + 8, frame.len - 8);
	harness_read(skel->maps.rr_recs, harness_cpu(), &rec);
	assert_int_equal(rec.answers, 1);
	assert_int_equal(rec.bytes, frame.len);
}

static void test_taken(void **state)
{
	(void)state;
	check_taken(4, false);
	check_taken(6, false);
	check_taken(4, true);
	check_taken(6, true);
}

static void check_others(unsigned int version, bool icmp)
{
	struct packet_frame frame;

	load_programs(match_bounce(version, icmp), true, true);
	answer(&frame, version, icmp, STREAM + TOKENS, 17);	/* another stream */
	assert_foreign(&frame);
	answer_of(&frame, version, icmp, PACKET_RUN ^ 1, STREAM, 17, SENT_NS);	/* another run */
	assert_foreign(&frame);
	answer(&frame, version, icmp, STREAM, 17);
	frame.bytes[frame.l4 + (icmp ? 5 : 3)] ^= 1;		/* another's identifier, or port */
	assert_foreign(&frame);
	answer(&frame, version, icmp, STREAM, 17);
	frame.bytes[frame.l4 + 8 + 5] ^= 1;			/* no tag */
	packet_set_checksum(&frame);
	assert_foreign(&frame);
	answer(&frame, version, icmp, STREAM, 17);
	frame.bytes[frame.l3 + (version == 6 ? 23 : 15)] ^= 1;	/* from another host */
	assert_foreign(&frame);
	answer(&frame, version, icmp, STREAM, 17);
	frame.len = frame.l4 + 8 + TAG_BYTES - 1;		/* cut */
	assert_foreign(&frame);
	answer(&frame, version, !icmp, STREAM, 17);		/* the other protocol */
	assert_foreign(&frame);
	if (!icmp)
		return;
	answer(&frame, version, icmp, STREAM, 17);
	frame.bytes[frame.l4] = version == 6 ? 128 : 8;		/* a request to this host */
	assert_foreign(&frame);
}

static void test_others(void **state)
{
	struct packet_frame frame;

	(void)state;
	check_others(4, false);
	check_others(6, false);
	check_others(4, true);
	check_others(6, true);
	load_programs(match_bounce(4, true), true, true);
	answer(&frame, 4, true, STREAM, 17);
	frame.bytes[frame.l3 + 6] = 0x20;			/* a fragment */
	assert_foreign(&frame);
	answer(&frame, 6, true, STREAM, 17);
	assert_foreign(&frame);
}

/* Of a map that user space writes, too. */
static struct rr_token *token_at(uint32_t index, struct rr_token *token)
{
	harness_read(skel->maps.rr_tokens, index, token);
	return token;
}

static void set_token_at(uint32_t index, uint64_t made, uint64_t limit, uint64_t sent_ns)
{
	struct rr_token token = { .made = made, .limit = limit, .sent_ns = sent_ns };

	assert_int_equal(bpf_map__update_elem(skel->maps.rr_tokens, &index, sizeof(index), &token,
					      sizeof(token), 0), 0);
}

static void set_token(uint32_t index, uint64_t made, uint64_t limit)
{
	set_token_at(index, made, limit, SENT_NS);
}

static void check_bounce(unsigned int version, bool icmp)
{
	size_t head = version == 6 ? RR_HEAD6_BYTES : RR_HEAD4_BYTES;
	struct rr_match match = match_bounce(version, icmp);
	struct packet_frame frame;
	struct rr_token token;
	struct harness_out out;
	uint8_t tag[18];
	uint64_t sent_ns;

	load(match);
	skel->bss->end_mono_ns = UINT64_MAX;
	set_token(1, 70000, 70002);
	answer(&frame, version, icmp, STREAM + 1, 69999);
	assert_int_equal(run_bounce(&frame, &out), XDP_TX);
	token_at(1, &token);
	assert_int_equal(token.made, 70001);
	assert_int_equal(token.done, 70000);
	assert_int_equal(token.answered, 1);
	assert_int_equal(token.sent_ns, token.came_ns);
	sent_ns = token.sent_ns;
	packet_tag(tag, PACKET_RUN, STREAM + 1, 70000, sent_ns);
	assert_memory_equal(out.bytes + head, tag, sizeof(tag));
	assert_int_equal(out.len, frame.len);
	if (icmp) {
		/* Number 70000 - 65536 = 0x1170; in one's complement 0x1111 - 0x1170, RFC 1624. */
		assert_memory_equal(out.bytes + head - 2, ((uint8_t[]){ 0x11, 0x70 }), 2);
		assert_memory_equal(out.bytes + head - 6, ((uint8_t[]){ 0xff, 0xa0 }), 2);
	} else {
		assert_memory_equal(out.bytes, &match.request, head);
	}
	/* The same answer again is stale; that to the last request ends the token. */
	assert_int_equal(run_bounce(&frame, &out), XDP_DROP);
	assert_int_equal(token_at(1, &token)->stale, 1);
	answer_to(&frame, version, icmp, STREAM + 1, 70000, sent_ns);
	assert_int_equal(run_bounce(&frame, &out), XDP_TX);
	token_at(1, &token);
	answer_to(&frame, version, icmp, STREAM + 1, 70001, token.sent_ns);
	assert_int_equal(run_bounce(&frame, &out), XDP_DROP);
	token_at(1, &token);
	assert_int_equal(token.bytes, 3 * frame.len);
	assert_int_equal(token.made, 70002);
	assert_int_equal(token.done, 70002);
	assert_int_equal(token.answered, 3);
	answer(&frame, version, icmp, STREAM + TOKENS, 0);
	assert_foreign_to(run_bounce, &frame);
}

static void test_bounce(void **state)
{
	(void)state;
	check_bounce(4, false);
	check_bounce(6, false);
	check_bounce(6, true);
	check_bounce(4, true);
}

static void test_bounce_ends(void **state)
{
	struct packet_frame frame;
	struct rr_token token;
	struct harness_out out;

	(void)state;
	load(match_bounce(4, false));
	skel->bss->end_mono_ns = 0;
	set_token(0, 1, UINT64_MAX);
	answer(&frame, 4, false, STREAM, 0);
	assert_int_equal(run_bounce(&frame, &out), XDP_DROP);
	assert_int_equal(token_at(0, &token)->answered, 1);
	assert_int_equal(token.made, 1);
	/* Nothing is outstanding: every answer is stale. */
	assert_int_equal(run_bounce(&frame, &out), XDP_DROP);
	assert_int_equal(token_at(0, &token)->answered, 1);
	assert_int_equal(token.stale, 1);
}

/* One in four is timed, from any start; all are counted. */
static void test_bounce_samples(void **state)
{
	struct rr_match match = match_bounce(4, false);
	struct packet_frame frame;
	struct rr_token token;
	struct harness_out out;
	struct hist_rec hist;
	unsigned __int128 squares, least = 0, most = 0;
	uint64_t came_ns = 0;
	uint32_t number, i;

	(void)state;
	match.stamp_every = 4;
	load(match);
	skel->bss->end_mono_ns = UINT64_MAX;
	set_token(0, 1, 11);
	for (number = 0; number < 11; number++) {
		token_at(0, &token);
		assert_int_equal(token.sent_ns != 0, number % 4 == 0);
		answer_to(&frame, 4, false, STREAM, number, token.sent_ns);
		assert_int_equal(run_bounce(&frame, &out), number < 10 ? XDP_TX : XDP_DROP);
		token_at(0, &token);
		/* The end of one that is timed, the start of one, and the very last. */
		assert_int_equal(token.came_ns != came_ns, number % 4 == 0 || number % 4 == 3 ||
				 number == 10);
		came_ns = token.came_ns;
	}
	assert_int_equal(token.answered, 11);
	harness_read(skel->maps.rr_hists, harness_cpu(), &hist);
	assert_int_equal(hist.count, 3);
	/* The squares of what is in buckets: the first was sent long before the range. */
	for (i = 0; i < HIST_BUCKETS; i++) {
		least += hist.buckets[i] * harness_square(hist_lower_ns(i));
		most += hist.buckets[i] * harness_square(hist_lower_ns(i + 1));
	}
	squares = harness_squares(&hist);
	assert_true(least > 0 && squares >= least && squares < most);
}

/* Each token's own, against the same in user space: its delays are known. One in two is timed. */
static void test_bounce_jitter(void **state)
{
	static const uint64_t planted_ns[] = { 1000003, 5000011, 17, 700001, 40000003 };
	struct rr_match match = match_bounce(4, false);
	struct jitter expect[TOKENS] = { 0 };
	struct packet_frame frame;
	struct rr_token token, after;
	struct harness_out out;
	uint32_t i, at;

	(void)state;
	match.stamp_every = 2;
	load(match);
	skel->bss->end_mono_ns = UINT64_MAX;
	set_token(0, 1, UINT64_MAX);
	set_token(2, 1, UINT64_MAX);
	for (i = 0; i < 46; i++) {
		at = i % 2 * 2;
		token_at(at, &token);
		assert_int_equal(token.sent_ns != 0, i / 2 % 2 == 0);
		if (token.sent_ns) {
			token.sent_ns = harness_mono_ns() - planted_ns[i % 5] * (at + 1);
			assert_int_equal(bpf_map__update_elem(skel->maps.rr_tokens, &at, sizeof(at), &token,
							      sizeof(token), 0), 0);
		}
		answer_to(&frame, 4, false, (uint16_t)(STREAM + at), i / 2, token.sent_ns);
		assert_int_equal(run_bounce(&frame, &out), XDP_TX);
		if (token.sent_ns)
			jitter_add(&expect[at], (int64_t)(token_at(at, &after)->came_ns - token.sent_ns));
	}
	for (at = 0; at < TOKENS; at++) {
		token_at(at, &token);
		assert_int_equal(token.jitter.timed, expect[at].timed);
		assert_int_equal(token.jitter.transit_ns, expect[at].last_ns);
		/* Integers are rounded at each step, which is forgotten by 1/16 at each step. */
		assert_true(fabs((double)token.jitter.x16_ns / 16 - expect[at].ns) < 1);
	}
	assert_int_equal(expect[0].timed, 12);
	assert_true(expect[0].ns > 1000000 && expect[2].ns > expect[0].ns);
}

static void test_bounce_above_the_range(void **state)
{
	uint64_t sent_ns = harness_mono_ns() - (1ull << HIST_MAX_BITS);
	struct packet_frame frame;
	struct harness_out out;
	struct hist_rec hist;

	(void)state;
	load(match_bounce(4, false));
	skel->bss->end_mono_ns = UINT64_MAX;
	set_token_at(0, 1, 11, sent_ns);
	answer_to(&frame, 4, false, STREAM, 0, sent_ns);
	assert_int_equal(run_bounce(&frame, &out), XDP_TX);
	harness_read(skel->maps.rr_hists, harness_cpu(), &hist);
	assert_int_equal(hist.count, 1);
	assert_int_equal(hist.above, 1);
	assert_in_range(hist.max_ns, 1ull << HIST_MAX_BITS, 2ull << HIST_MAX_BITS);
}

/* What has the number of a token's last request, but not its time, is not believed without its sum. */
static void test_bounce_without_a_tag(void **state)
{
	struct packet_frame frame;
	struct rr_token token;
	struct harness_out out;

	(void)state;
	load(match_bounce(4, false));
	skel->bss->end_mono_ns = UINT64_MAX;
	set_token(0, 1, 11);
	answer(&frame, 4, false, STREAM, 0);
	frame.bytes[frame.l4 + 8 + 12] ^= 1;
	packet_set_checksum(&frame);
	assert_foreign_to(run_bounce, &frame);
	answer_to(&frame, 4, false, STREAM, 0, SENT_NS + 1);
	assert_int_equal(run_bounce(&frame, &out), XDP_DROP);
	token_at(0, &token);
	assert_int_equal(token.stale, 1);
	assert_int_equal(token.answered, 0);
}

/* The program that is tested, and the answer to the last request, which is the first. */
static int (*damage_run)(const struct packet_frame *frame, struct harness_out *out);
static struct packet_frame damage_frame;

static struct rr_rec sum_of_recs(void)
{
	struct rr_rec rec;

	harness_read(skel->maps.rr_recs, harness_cpu(), &rec);
	return rec;
}

/* Neither an answer nor the stack's: @damaged and @bad_payload is what there is afterwards. */
static void assert_damage(const struct packet_frame *frame, uint64_t damaged, uint64_t bad_payload)
{
	struct harness_out out;
	struct rr_token token;
	struct rr_rec rec;

	assert_int_equal(damage_run(frame, &out), XDP_DROP);
	rec = sum_of_recs();
	assert_int_equal(rec.damaged, damaged);
	assert_int_equal(rec.bad_payload, bad_payload);
	assert_int_equal(rec.answers + rec.foreign + rec.unverified, 0);
	token_at(0, &token);
	assert_int_equal(token.answered + token.stale + token.came_ns, 0);
}

/* Taken; @unverified of those so far. */
static void assert_taken(const struct packet_frame *frame, uint64_t unverified)
{
	struct rr_rec before = sum_of_recs(), after;
	struct rr_token token;
	struct harness_out out;

	set_token(0, 1, 11);
	damage_run(frame, &out);
	after = sum_of_recs();
	token_at(0, &token);
	assert_int_equal(after.answers + token.answered, before.answers + 1);
	assert_int_equal(after.unverified, unverified);
	assert_int_equal(after.damaged, before.damaged);
	assert_int_equal(after.bad_payload, before.bad_payload);
}

static void load_damage(bool bounce, unsigned int version, bool icmp)
{
	load(bounce ? match_bounce(version, icmp) : match_of(version, icmp));
	skel->bss->end_mono_ns = UINT64_MAX;
	set_token(0, 1, 11);
	damage_run = bounce ? run_bounce : run;
	answer(&damage_frame, version, icmp, STREAM, 0);
}

/* Each bit from the tag on, of the L4 checksum, and those of IPv4's header that say nothing of whose it is. */
static void check_checksums(unsigned int version, bool icmp)
{
	struct packet_frame *frame = &damage_frame;
	uint64_t nr = 0, bytes = 0;
	size_t bit;

	for (bit = 8 * frame->l3; bit < 8 * frame->ip_end; bit++) {
		size_t at = bit / 8, in_ip = at - frame->l3, in_l4 = at - frame->l4;

		if (at < frame->l4 && (version == 6 || (in_ip != 1 && in_ip != 4 && in_ip != 8 &&
							 in_ip != 11 && in_ip != 17)))
			continue;
		if (at >= frame->l4 && in_l4 < 8 && in_l4 != (icmp ? 3 : 7))
			continue;
		frame->bytes[at] ^= (uint8_t)(1 << bit % 8);
		assert_damage(frame, ++nr, 0);
		frame->bytes[at] ^= (uint8_t)(1 << bit % 8);
		bytes += frame->len;
	}
	assert_int_equal(nr, 8 * ((version == 6 ? 0 : 5) + 1 + PAYLOAD_BYTES));
	assert_int_equal(sum_of_recs().damaged_bytes, bytes);
	assert_taken(frame, 0);
}

/* Each byte after the tag, and each length, with a right checksum. */
static void check_payloads(bool icmp)
{
	struct packet_frame frame = damage_frame;
	uint64_t nr = 0;
	size_t at;

	for (at = frame.l4 + 8 + TAG_BYTES; at < frame.ip_end; at++) {
		frame.bytes[at] ^= 0x10;
		packet_set_checksum(&frame);
		assert_damage(&frame, 0, ++nr);
		frame.bytes[at] ^= 0x10;
	}
	for (at = frame.ip_end + 1; at >= frame.l4 + 8 + TAG_BYTES; at--) {
		if (at == damage_frame.ip_end)
			continue;
		frame = damage_frame;
		frame.len = at;
		packet_set_ip_end(&frame, at);
		if (!icmp)
			packet_set_udp_bytes(&frame, (uint16_t)(at - frame.l4));
		packet_set_checksum(&frame);
		assert_true(packet_checksums_are_right(&frame));
		assert_damage(&frame, 0, ++nr);
	}
	assert_int_equal(nr, 2 * (PAYLOAD_BYTES - TAG_BYTES) + 1);
	assert_taken(&damage_frame, 0);
}

static void set_check(struct packet_frame *frame, uint16_t value)
{
	uint16_t check = htons(value);

	memcpy(frame->bytes + frame->l4 + 6, &check, sizeof(check));
}

/* From a stack over veth the field has the sum of the pseudo-header; over IPv4 it may be 0: none. */
static void check_unverified(unsigned int version)
{
	struct packet_frame frame = damage_frame;
	uint32_t l4_bytes = (uint32_t)(frame.ip_end - frame.l4);

	set_check(&frame, version == 6 ? packet_sum(frame.bytes + frame.l3 + 8, 32, l4_bytes + 17) :
					 packet_sum(frame.bytes + frame.l3 + 12, 8, l4_bytes + 17));
	frame.bytes[frame.ip_end - 1] ^= 1;
	assert_damage(&frame, 0, 1);
	frame.bytes[frame.ip_end - 1] ^= 1;
	assert_taken(&frame, 1);
	set_check(&frame, 0);
	if (version == 4) {
		assert_taken(&frame, 2);
		return;
	}
	load_damage(damage_run == run_bounce, version, false);
	assert_damage(&frame, 1, 0);
}

static void check_damage(bool bounce, unsigned int version, bool icmp)
{
	load_damage(bounce, version, icmp);
	check_checksums(version, icmp);
	load_damage(bounce, version, icmp);
	check_payloads(icmp);
	load_damage(bounce, version, icmp);
	if (!icmp)
		check_unverified(version);
}

static void test_damage(void **state)
{
	(void)state;
	check_damage(false, 4, false);
	check_damage(false, 6, false);
	check_damage(false, 4, true);
	check_damage(false, 6, true);
}

static void test_bounce_damage(void **state)
{
	(void)state;
	check_damage(true, 4, false);
	check_damage(true, 6, false);
	check_damage(true, 4, true);
	check_damage(true, 6, true);
}

/* Ethernet's padding is no part of the packet, whatever it has. */
static void an_answer_behind_the_end_of_its_packet_is_none(void **state)
{
	struct packet_frame frame;
	struct harness_out out;
	struct rr_rec rec;

	(void)state;
	load(match_of(6, false));
	answer(&frame, 6, false, STREAM, 17);
	packet_set_ip_end(&frame, frame.l3 + 40);
	assert_int_equal(run(&frame, &out), XDP_DROP);
	harness_read(skel->maps.rr_recs, harness_cpu(), &rec);
	assert_int_equal(rec.damaged, 1);
	assert_int_equal(rec.answers + rec.foreign + rec.unverified, 0);
}

int test_rr(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_taken, unload),
		cmocka_unit_test_teardown(test_others, unload),
		cmocka_unit_test_teardown(test_bounce, unload),
		cmocka_unit_test_teardown(test_bounce_ends, unload),
		cmocka_unit_test_teardown(test_bounce_samples, unload),
		cmocka_unit_test_teardown(test_bounce_jitter, unload),
		cmocka_unit_test_teardown(test_bounce_above_the_range, unload),
		cmocka_unit_test_teardown(test_bounce_without_a_tag, unload),
		cmocka_unit_test_teardown(test_damage, unload),
		cmocka_unit_test_teardown(an_answer_behind_the_end_of_its_packet_is_none, unload),
		cmocka_unit_test_teardown(test_bounce_damage, unload),
	};

	return cmocka_run_group_tests_name("rr_xdp", tests, NULL, NULL);
}
