// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The programs that parse packets, on frames that are nearly right: what they answer, count and
 * leave alone, whatever comes in.
 *
 *	BPF_FUZZ_SECONDS	for each program; else a few thousand frames
 *	BPF_FUZZ_SEED		as a failure says it; without it, the same frames each time
 */
#include "harness.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <linux/bpf.h>
#include <linux/pkt_cls.h>

#include "abi/flow.h"
#include "abi/impair.h"
#include "abi/reflect.h"
#include "abi/rr.h"
#include "abi/sink.h"
#include "abi/stamp_packet.h"
#include "abi/stamp_reflect.h"
#include "abi/watch.h"
#include "lib/sha256.h"
#include "own.h"

#include "flow_tc.skel.h"
#include "impair_tc.skel.h"
#include "impair_xdp.skel.h"
#include "reflect_xdp.skel.h"
#include "rr_xdp.skel.h"
#include "sink_xdp.skel.h"
#include "stamp_xdp.skel.h"
#include "watch_tc.skel.h"
#include "watch_xdp.skel.h"

struct fixture {
	const char *name;
	enum reflect_outcome outcome;
	const char *frame, *answer;
};

#include "reflect_fixtures.h"

#define NR_FIXTURES	(sizeof(fixtures) / sizeof(fixtures[0]))
#define MADE_MAX	160
#define HEADERS		110	/* bytes that most changes are made in */
#define LINEAR_MIN	14
#define TC_MIN		54	/* the kernel makes no skb for tc of less */
#define FRAGS_MAX	9000

#define SINK_PORT	9
#define STAMP_PORT	862
#define RR_PORT		50021
#define RR_ID		0x1234
#define RR_STREAM	2
#define STREAMS		3
#define TAG_BYTES	18
#define RR_PAYLOAD	55	/* of an answer to rr: a tag and 37 bytes of the pattern */
#define ONE		(1ull << 32)
#define TAKEN_LEAST	8	/* frames that a run of a program must have taken */
#define SECRET		"of all sessions"

/* In place of a port, of frames that have none or share one. */
#define ECHO_REPLIES	1
#define SIGNED		2

/* What frames are made of. */
static struct frame {
	uint8_t bytes[HARNESS_LINEAR_BYTES];
	size_t len;
	uint16_t port;		/* 0: a fixture, or what no program takes */
} corpus[NR_FIXTURES + MADE_MAX];
static size_t nr_corpus, nr_fixtures;

/* Of the program that is run: half of all frames are made from such. */
static uint16_t favourite;

/* Some of what is changed is signed after that. */
static bool signs;

/* The frame that is being run. */
static struct {
	uint64_t seed, state, nr;
	uint8_t bytes[PACKET_MAX_BYTES];
	size_t len, min, max;
	struct harness_out out;
} now;

/* Frames that were taken, and those of them whose checksums were right. */
static uint64_t answered, intact;

/* splitmix64 */
static uint64_t draw(void)
{
	uint64_t z = now.state += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

static size_t chance(size_t below)
{
	return (size_t)(draw() % below);
}

static void print_hex(const char *what, const uint8_t *bytes, size_t len)
{
	char line[2 * 64 + 1];
	size_t i, j;

	print_error("%s, %zu bytes:\n", what, len);
	for (i = 0; i < len; i += 64) {
		for (j = 0; j < 64 && i + j < len; j++)
			snprintf(line + 2 * j, 3, "%02x", bytes[i + j]);
		print_error("  %s\n", line);
	}
}

static void report(const char *condition, int line)
{
	print_hex("in", now.bytes, now.len);
	print_hex("out", now.out.bytes, now.out.len);
	fail_msg("BPF_FUZZ_SEED=%" PRIu64 ", frame %" PRIu64 ", line %d: not so: %s; verdict %d", now.seed,
		 now.nr, line, condition, now.out.action);
}

#define check(condition) do { if (!(condition)) report(#condition, __LINE__); } while (0)

static uint32_t get16(const uint8_t *at)
{
	return (uint32_t)at[0] << 8 | at[1];
}

static void put16(uint8_t *at, uint32_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

static void add_frame(const uint8_t *bytes, size_t len, uint16_t port)
{
	assert_true(nr_corpus < sizeof(corpus) / sizeof(corpus[0]) && len <= sizeof(corpus[0].bytes));
	memcpy(corpus[nr_corpus].bytes, bytes, len);
	corpus[nr_corpus].port = port;
	corpus[nr_corpus++].len = len;
}

static void add_fixtures(void)
{
	uint8_t bytes[HARNESS_LINEAR_BYTES];
	unsigned int byte;
	size_t i, at, len;

	for (i = 0; i < NR_FIXTURES; i++) {
		len = strlen(fixtures[i].frame) / 2;
		if (len > sizeof(bytes))
			continue;
		for (at = 0; at < len; at++) {
			assert_int_equal(sscanf(fixtures[i].frame + 2 * at, "%2x", &byte), 1);
			bytes[at] = (uint8_t)byte;
		}
		add_frame(bytes, len, 0);
	}
}

/* UDP's header replaced: @bytes of another protocol's, whose payload goes on as it was. */
static void add_other(struct packet_frame *frame, uint8_t proto, const void *header, size_t bytes)
{
	frame->bytes[frame->l3 + (frame->version == 6 ? 6 : 9)] = proto;
	memcpy(frame->bytes + frame->l4, header, bytes);
	packet_set_ip_end(frame, frame->ip_end);
	add_frame(frame->bytes, frame->len, 0);
}

static void sign(uint8_t *payload)
{
	uint8_t hmac[SHA256_BYTES];

	sha256_hmac(SECRET, strlen(SECRET), payload, STAMP_HMAC_OVER_BYTES, hmac);
	memcpy(payload + STAMP_HMAC_OVER_BYTES, hmac, STAMP_HMAC_BYTES);
}

/* Tagged, to each port that a program looks at, and what else a program looks into. */
static void add_made(void)
{
	static const uint16_t ports[] = { 7, SINK_PORT, STAMP_PORT, 53, 443, RR_PORT };
	static const uint8_t tcp[32] = {
		0x9c, 0x41, 0, 9, 0, 0, 0, 1, 0, 0, 0, 9, 0x80, 0x12, 0x10, 0, 0, 0, 0, 0,
		1, 1, 8, 10, 0, 0, 0, 7, 0, 0, 0, 5,
	};
	static const uint8_t dns[20] = { 0xc3, 0x65, 0, 53, 0, 60, 0, 0, 0x12, 0x34, 1, 0, 0, 1 };
	static const uint8_t quic[24] = {
		0xc3, 0x65, 1, 0xbb, 0, 60, 0, 0, 0xc3, 0, 0, 0, 1, 8, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0,
	};
	static const uint8_t gre[8] = { 0xb0, 0, 8, 0, 0, 0, 0, 7 };
	static struct packet_frame frame;
	uint8_t payload[200];
	unsigned int kind;
	size_t i;

	for (kind = 0; kind < 6; kind++) {
		struct packet_spec spec = {
			.version = kind & 1 ? 6 : 4, .vlans = kind / 2, .payload = payload,
			.payload_bytes = RR_PAYLOAD, .option_bytes = kind == 2 ? 8 : 0,
			.extensions = kind == 3 ? 2 : 0,
		};

		packet_tag(payload, PACKET_RUN, RR_STREAM, 4711 + kind, 1000);
		packet_pattern(payload + TAG_BYTES, sizeof(payload) - TAG_BYTES);
		for (i = 0; i < sizeof(ports) / sizeof(ports[0]); i++) {
			spec.dst_port = ports[i];
			spec.src_port = ports[i] == RR_PORT ? 7 : 0;
			packet_build(&frame, &spec);
			add_frame(frame.bytes, frame.len, ports[i]);
		}
		add_other(&frame, 6, tcp, sizeof(tcp));
		packet_build(&frame, &spec);
		add_other(&frame, 17, dns, sizeof(dns));
		packet_build(&frame, &spec);
		add_other(&frame, 17, quic, sizeof(quic));
		packet_build(&frame, &spec);
		add_other(&frame, 47, gre, sizeof(gre));
		spec.echo = true;
		spec.echo_id = RR_ID;
		spec.echo_sequence = (uint16_t)(4711 + kind);
		packet_build(&frame, &spec);
		add_frame(frame.bytes, frame.len, 0);
		frame.bytes[frame.l4] = spec.version == 6 ? 129 : 0;
		packet_set_checksum(&frame);
		add_frame(frame.bytes, frame.len, ECHO_REPLIES);
		/* STAMP with extensions: unknown, padding, a class of service, and an HMAC */
		spec.echo = false;
		spec.dst_port = STAMP_PORT;
		spec.src_port = 0;
		memset(payload, 0, sizeof(payload));
		memcpy(payload + 44, "\x80\x09\0\4....\x80\1\0\4....\x80\4\0\4\xff\0\0\0\x80\x08\0\x10", 28);
		for (i = 44; i <= 88; i += 22) {
			spec.payload_bytes = i;
			packet_build(&frame, &spec);
			add_frame(frame.bytes, frame.len, STAMP_PORT);
		}
		/* The same after an authenticated packet. */
		memmove(payload + STAMP_AUTH_BYTES, payload + 44, 28);
		memset(payload + 44, 0, STAMP_AUTH_BYTES - 44);
		sign(payload);
		for (i = STAMP_AUTH_BYTES; i <= STAMP_AUTH_BYTES + 28; i += 28) {
			spec.payload_bytes = i;
			packet_build(&frame, &spec);
			add_frame(frame.bytes, frame.len, SIGNED);
		}
	}
}

static int fill_corpus(void **state)
{
	const char *seed = getenv("BPF_FUZZ_SEED");

	(void)state;
	now.seed = seed ? strtoull(seed, NULL, 10) :
		   getenv("BPF_FUZZ_SECONDS") ? harness_mono_ns() : 4711;
	nr_corpus = 0;
	add_fixtures();
	nr_fixtures = nr_corpus;
	add_made();
	return 0;
}

/* Where headers are, and which of the lengths hold: found again, without the programs' parser. */
struct view {
	unsigned int version;	/* 0: not a whole IP packet */
	size_t l3, l4, ip_end;
	uint8_t proto;		/* 0: none that is known, or of a fragment */
	bool is_whole;		/* the L4 header's lengths hold as well */
	size_t l4_end;
	bool right;		/* with the checksums */
};

static size_t skip_extensions(const uint8_t *p, size_t at, size_t end, uint8_t *proto)
{
	while (*proto == 0 || *proto == 43 || *proto == 60) {
		if (at + 8 > end)
			return 0;
		*proto = p[at];
		at += (p[at + 1] + 1u) * 8;
		if (at > end)
			return 0;
	}
	return at;
}

static bool view_ip(const uint8_t *p, size_t len, uint32_t type, struct view *v)
{
	if (type == 0x0800 && v->l3 + 20 <= len && p[v->l3] >> 4 == 4) {
		size_t header = (p[v->l3] & 15) * 4u;

		v->l4 = v->l3 + header;
		v->ip_end = v->l3 + get16(p + v->l3 + 2);
		v->proto = get16(p + v->l3 + 6) & 0x3fff ? 0 : p[v->l3 + 9];
		v->version = header >= 20 && v->ip_end >= v->l4 && v->ip_end <= len ? 4 : 0;
	} else if (type == 0x86dd && v->l3 + 40 <= len && p[v->l3] >> 4 == 6) {
		v->ip_end = v->l3 + 40 + get16(p + v->l3 + 4);
		v->proto = p[v->l3 + 6];
		v->l4 = v->ip_end <= len ? skip_extensions(p, v->l3 + 40, v->ip_end, &v->proto) : 0;
		v->version = v->l4 ? 6 : 0;
	}
	return v->version;
}

static struct view look(const uint8_t *p, size_t len)
{
	static struct packet_frame frame;
	struct view v = { .l3 = 14 };
	bool echo;
	int i;

	for (i = 0; i < 2 && v.l3 + 4 <= len && (get16(p + v.l3 - 2) == 0x8100 || get16(p + v.l3 - 2) == 0x88a8); i++)
		v.l3 += 4;
	if (len < 14 || !view_ip(p, len, get16(p + v.l3 - 2), &v))
		return v;
	echo = v.proto == (v.version == 4 ? 1 : 58);
	if ((v.proto != 17 && !echo) || v.l4 + 8 > v.ip_end)
		return v;
	v.l4_end = echo ? v.ip_end : v.l4 + get16(p + v.l4 + 4);
	v.is_whole = v.l4_end >= v.l4 + 8 && v.l4_end <= v.ip_end;
	if (!v.is_whole)
		return v;
	memcpy(frame.bytes, p, len);
	frame.len = len;
	frame.version = v.version;
	frame.echo = echo;
	frame.l3 = v.l3;
	frame.l4 = v.l4;
	frame.ip_end = v.l4_end;
	v.right = packet_checksums_are_right(&frame);
	return v;
}

/* Makes the checksums right for what the frame has now become. */
static void set_sums(void)
{
	static struct packet_frame frame;
	struct view v = look(now.bytes, now.len);

	if (!v.is_whole || v.right)
		return;
	frame = (struct packet_frame){ .len = now.len, .version = v.version, .echo = v.proto != 17,
				       .l3 = v.l3, .l4 = v.l4 };
	memcpy(frame.bytes, now.bytes, now.len);
	packet_set_ip_end(&frame, v.ip_end);
	frame.ip_end = v.l4_end;
	packet_set_checksum(&frame);
	memcpy(now.bytes, frame.bytes, now.len);
}

static bool has_room_for_hmac(const struct view *v)
{
	return v->is_whole && v->proto == 17 && v->l4_end >= v->l4 + 8 + STAMP_AUTH_BYTES;
}

static bool is_signed(const struct view *v, const uint8_t *frame)
{
	const uint8_t *payload = frame + v->l4 + 8;
	uint8_t hmac[SHA256_BYTES];

	if (!has_room_for_hmac(v))
		return false;
	sha256_hmac(SECRET, strlen(SECRET), payload, STAMP_HMAC_OVER_BYTES, hmac);
	return !memcmp(payload + STAMP_HMAC_OVER_BYTES, hmac, STAMP_HMAC_BYTES);
}

static void sign_frame(void)
{
	struct view v = look(now.bytes, now.len);

	if (has_room_for_hmac(&v))
		sign(now.bytes + v.l4 + 8);
}

static void grow(size_t by)
{
	while (by-- && now.len < now.max)
		now.bytes[now.len++] = (uint8_t)draw();
}

/* Moves what is behind @at, as if headers were longer or shorter. */
static void shift(size_t at, size_t by, bool out)
{
	if (at + by > now.len || now.len + by > now.max)
		return;
	if (out)
		memmove(now.bytes + at, now.bytes + at + by, now.len - at - by);
	else
		memmove(now.bytes + at + by, now.bytes + at, now.len - at);
	now.len = out ? now.len - by : now.len + by;
}

static void change_word(uint8_t *at)
{
	static const uint16_t words[] = { 0, 1, 7, 8, 9, 19, 20, 21, 40, 0xff, 0x100, 0x3fff, 0x7fff, 0xffff,
					  0x0800, 0x86dd, 0x8100, 0x88a8, 0x4500, 0x4600, 0x6000 };

	if (chance(2))
		put16(at, words[chance(sizeof(words) / sizeof(words[0]))]);
	else
		put16(at, get16(at) + (uint32_t)chance(7) - 3);
}

/* The length of the IP packet or of UDP, to what is there or nearly so. */
static void change_length(void)
{
	struct view v = look(now.bytes, now.len);
	uint32_t off = (uint32_t)chance(5) - 2;

	if (!v.version)
		return;
	if (v.proto == 17 && chance(2) && v.l4 + 8 <= now.len)
		put16(now.bytes + v.l4 + 4, (uint32_t)(now.len - v.l4) + off);
	else if (v.version == 4)
		put16(now.bytes + v.l3 + 2, (uint32_t)(now.len - v.l3) + off);
	else
		put16(now.bytes + v.l3 + 4, (uint32_t)(now.len - v.l3 - 40) + off);
}

static void change_once(void)
{
	size_t head = now.len < HEADERS ? now.len : HEADERS, at = chance(head);
	const struct frame *other;

	switch (chance(10)) {
	case 0:
	case 1:
		now.bytes[at] ^= (uint8_t)(1 << chance(8));
		break;
	case 2:
		now.bytes[at] = (uint8_t)draw();
		break;
	case 3:
		change_word(now.bytes + (at & ~(size_t)1));
		break;
	case 4:
		change_length();
		break;
	case 5:
		now.len = now.min + chance(now.len - now.min + 1);
		break;
	case 6:
		grow(chance(16) ? chance(64) : chance(now.max));
		break;
	case 7:
		shift(at, 4 * (1 + chance(3)), chance(2));
		break;
	case 8:
		other = &corpus[chance(nr_corpus)];
		if (at < other->len)
			memcpy(now.bytes + at, other->bytes + at,
			       chance((now.len < other->len ? now.len : other->len) - at + 1));
		break;
	default:
		now.bytes[chance(now.len)] ^= (uint8_t)(1 << chance(8));
	}
}

static void make_frame(void)
{
	const struct frame *from;
	bool favours = favourite && chance(2);
	size_t changes = chance(6);

	/* Fixtures are of a reflector, and outnumber what else there is. */
	do {
		from = chance(2) ? &corpus[chance(nr_corpus)] : &corpus[nr_fixtures + chance(nr_corpus - nr_fixtures)];
	} while (from->len < now.min || (favours && from->port != favourite));
	memcpy(now.bytes, from->bytes, from->len);
	now.len = from->len;
	while (changes--) {
		change_once();
		if (now.len < now.min)
			grow(now.min - now.len);
	}
	if (signs && chance(4))
		sign_frame();
	if (chance(2))
		set_sums();
}

/* Runs each frame that is made by @each; first all of the corpus, cut at every length. */
static void run_all(uint16_t port, size_t min, size_t max, void (*each)(void))
{
	const char *seconds = getenv("BPF_FUZZ_SECONDS");
	uint64_t end_ns = harness_mono_ns() + strtoull(seconds ? seconds : "0", NULL, 10) * 1000000000;
	uint64_t due = harness_runs(2003, 201), i;
	size_t step = harness_runs(5, 50), n;

	favourite = port;
	now.state = now.seed;
	now.nr = 0;
	now.min = min;
	now.max = max;
	/* Of each fifth, its own: all of them in five tests. */
	for (n = chance(step); n < nr_corpus; n += step) {
		for (now.len = min; now.len <= corpus[n].len && now.len < 200; now.len++, now.nr++) {
			memcpy(now.bytes, corpus[n].bytes, now.len);
			each();
		}
	}
	/* The few frames of a slow machine must hold some that are taken, whatever the seed. */
	for (i = 0; i < due || (answered < TAKEN_LEAST && i < 20 * due) || harness_mono_ns() < end_ns;
	     i++, now.nr++) {
		make_frame();
		each();
	}
	if (seconds)
		print_message("%" PRIu64 " frames, %" PRIu64 " taken, %" PRIu64 " of these right\n", now.nr, answered,
			      intact);
}

static void run(const struct bpf_program *prog)
{
	harness_run(prog, now.bytes, now.len, &now.out);
}

static bool is_untouched(void)
{
	return harness_untouched(&now.out, now.bytes, now.len);
}

/* What a map's element of this CPU was, and what has been added since: of counters alone. */
static void subtract(void *now_at, const void *before_at, size_t bytes)
{
	uint64_t *a = now_at;
	const uint64_t *b = before_at;
	size_t i;

	for (i = 0; i < bytes / 8; i++)
		a[i] -= b[i];
}

/* reflect_xdp and stamp_xdp */

static struct reflect_xdp_bpf *reflect;
static struct stamp_xdp_bpf *stamp;
static const struct bpf_program *reflector;
static const struct bpf_map *reflector_recs;

static const struct reflect_cfg reflect_usual = { .icmp = 1, .mac = { 2, 0, 0, 0, 0, 2 } };

static void swap(uint8_t *a, size_t bytes)
{
	uint8_t other[16];

	memcpy(other, a, bytes);
	memcpy(a, a + bytes, bytes);
	memcpy(a + bytes, other, bytes);
}

/*
 * What the frame is when it is turned round: all of it, with the checksums as they came back; of STAMP,
 * but for its payload and class of service.
 */
static void turn_round(const struct view *v, uint8_t *ret_bytes)
{
	size_t sum = v->l4 + (v->proto == 17 ? 6 : 2);
	const uint8_t *out = now.out.bytes;
	uint8_t *ip = ret_bytes + v->l3;

	memcpy(ret_bytes, now.bytes, now.len);
	swap(ret_bytes, 6);
	swap(ip + (v->version == 4 ? 12 : 8), v->version == 4 ? 4 : 16);
	if (v->version == 4)
		memcpy(ip + 10, out + v->l3 + 10, 2);
	if (v->proto == 17) {
		swap(ret_bytes + v->l4, 2);
		ip[v->version == 4 ? 8 : 7] = (uint8_t)(stamp ? 255 : ip[v->version == 4 ? 8 : 7] - 1);
	} else {
		ret_bytes[v->l4] = v->version == 4 ? 0 : 129;
	}
	memcpy(ret_bytes + sum, out + sum, 2);
	if (stamp && v->proto == 17) {
		memcpy(ip, out + v->l3, 2);
		memcpy(ret_bytes + v->l4 + 8, out + v->l4 + 8, v->l4_end - v->l4 - 8);
	}
}

static void check_turned(enum reflect_outcome outcome)
{
	static uint8_t due[PACKET_MAX_BYTES];
	struct view v = look(now.bytes, now.len), back = look(now.out.bytes, now.out.len);

	answered++;
	check(v.is_whole && (v.proto == 17) == (outcome == REFLECT_UDP));
	check(!memcmp(now.out.bytes, now.bytes + 6, 6) && !memcmp(now.out.bytes + 6, now.bytes, 6));
	turn_round(&v, due);
	check(!memcmp(now.out.bytes, due, now.len));
	check(back.is_whole);
	if (signs && outcome == REFLECT_UDP)
		check(is_signed(&v, now.bytes) && is_signed(&back, now.out.bytes));
	if (v.right) {
		intact++;
		check(back.right);
	} else if (!stamp || v.proto != 17) {
		/* An unfinished checksum is finished by stamp_xdp alone. */
		check(!back.right);
	}
}

static void reflect_each(void)
{
	struct reflect_rec before, rec;
	uint64_t nr = 0;
	int i, outcome = 0;

	harness_read(reflector_recs, harness_cpu(), &before);
	run(reflector);
	harness_read(reflector_recs, harness_cpu(), &rec);
	subtract(rec.packets, before.packets, sizeof(rec.packets));
	for (i = 0; i < REFLECT_NR_OUTCOMES; i++) {
		nr += rec.packets[i];
		if (rec.packets[i])
			outcome = i;
	}
	check(nr == 1);
	check(now.out.len == now.len);
	check(rec.bytes - before.bytes == (outcome <= REFLECT_ICMP ? now.len : 0));
	check(now.out.action == (outcome <= REFLECT_ICMP ? XDP_TX : outcome >= REFLECT_LIMITED ? XDP_DROP : XDP_PASS));
	check(stamp || outcome < REFLECT_LIMITED);
	if (signs && outcome == REFLECT_FORGED) {
		struct view v = look(now.bytes, now.len);

		check(!is_signed(&v, now.bytes));
	}
	if (outcome <= REFLECT_ICMP)
		check_turned((enum reflect_outcome)outcome);
	else
		check(is_untouched());
}

static void load_reflect(bool frags)
{
	struct reflect_cfg cfg = reflect_usual;

	reflect = reflect_xdp_bpf__open();
	assert_non_null(reflect);
	cfg.port = htons(7);
	memcpy((void *)&reflect->rodata->cfg, &cfg, sizeof(cfg));
	own_usual(&reflect->bss->own);
	reflect->rodata->has_frags = frags;
	if (frags)
		harness_set_frags(reflect->obj);
	bpf_map__set_max_entries(reflect->maps.reflect_recs, harness_cpus());
	assert_int_equal(reflect_xdp_bpf__load(reflect), 0);
	reflector = reflect->progs.reflect_xdp;
	reflector_recs = reflect->maps.reflect_recs;
	answered = intact = 0;
}

static void reflector_turns_round_or_leaves(void **state)
{
	(void)state;
	load_reflect(false);
	run_all(7, LINEAR_MIN, HARNESS_LINEAR_BYTES, reflect_each);
	assert_true(answered > now.nr / 50 && intact > answered / 8);
}

static void reflector_of_long_frames_turns_round_or_leaves(void **state)
{
	(void)state;
	if (!harness_has_frags())
		harness_cannot("multi-buffer");
	load_reflect(true);
	run_all(7, LINEAR_MIN, FRAGS_MAX, reflect_each);
	assert_true(answered > now.nr / 50);
}

static void load_stamp(struct stamp_reflect_cfg cfg)
{
	struct stamp_reflect_clock clock = { .utc_offset_ns = 1700000000123456789, .error = 0x0a05 };
	uint32_t zero = 0;

	stamp_xdp_bpf__destroy(stamp);
	stamp = stamp_xdp_bpf__open();
	assert_non_null(stamp);
	memcpy((void *)&stamp->rodata->cfg, &reflect_usual, sizeof(reflect_usual));
	stamp->rodata->cfg.port = htons(STAMP_PORT);
	memcpy((void *)&stamp->rodata->stamp_cfg, &cfg, sizeof(cfg));
	own_usual(&stamp->bss->own);
	bpf_map__set_max_entries(stamp->maps.reflect_recs, harness_cpus());
	bpf_map__set_max_entries(stamp->maps.stamp_recs, harness_cpus());
	bpf_map__set_max_entries(stamp->maps.stamp_hists, harness_cpus());
	bpf_map__set_max_entries(stamp->maps.stamp_keys, 2);
	assert_int_equal(stamp_xdp_bpf__load(stamp), 0);
	assert_int_equal(bpf_map__update_elem(stamp->maps.stamp_clocks, &zero, sizeof(zero), &clock,
					      sizeof(clock), BPF_ANY), 0);
	reflector = stamp->progs.stamp_xdp;
	reflector_recs = stamp->maps.reflect_recs;
	answered = intact = 0;
}

static void stamp_reflector_turns_round_or_leaves(void **state)
{
	static const struct stamp_reflect_cfg cfgs[] = {
		{ .allow_dscp = 1 }, { .stateful = 1, .keyed = 1 }, { .twamp = 1 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cfgs) / sizeof(cfgs[0]); i++) {
		load_stamp(cfgs[i]);
		run_all(STAMP_PORT, LINEAR_MIN, HARNESS_LINEAR_BYTES, reflect_each);
		assert_true(answered > now.nr / 50 && intact > answered / 8);
	}
}

/* Nothing of these is signed. */
static void stamp_reflector_with_a_key_answers_echoes_alone(void **state)
{
	struct reflect_rec rec;

	(void)state;
	load_stamp((struct stamp_reflect_cfg){ .authenticated = 1, .keyed = 1 });
	run_all(STAMP_PORT, LINEAR_MIN, HARNESS_LINEAR_BYTES, reflect_each);
	harness_read(reflector_recs, harness_cpu(), &rec);
	assert_int_equal(rec.packets[REFLECT_UDP], 0);
	assert_true(rec.packets[REFLECT_ICMP] > 0);
}

static void stamp_reflector_answers_what_is_signed(void **state)
{
	struct stamp_key_name name = { .bits = STAMP_KEY_NAME_BITS, .any_ssid = 1 };
	struct stamp_reflect_cfg cfg = { .authenticated = 1, .allow_dscp = 1 };
	struct stamp_key key;
	struct reflect_rec rec;

	(void)state;
	signs = true;
	sha256_hmac_pads(SECRET, strlen(SECRET), key.inner, key.outer);
	cfg.key = key;
	for (cfg.keyed = STAMP_KEYED_ALIKE; cfg.keyed <= STAMP_KEYED_APART; cfg.keyed++) {
		load_stamp(cfg);
		for (name.version = 4; name.version <= 6; name.version += 2)
			assert_int_equal(bpf_map__update_elem(stamp->maps.stamp_keys, &name, sizeof(name), &key,
							      sizeof(key), BPF_ANY), 0);
		run_all(SIGNED, LINEAR_MIN, HARNESS_LINEAR_BYTES, reflect_each);
		harness_read(reflector_recs, harness_cpu(), &rec);
		assert_true(rec.packets[REFLECT_UDP] > TAKEN_LEAST && rec.packets[REFLECT_FORGED] > TAKEN_LEAST);
		assert_true(intact > answered / 8);
	}
}

/* sink_xdp */

static struct sink_xdp_bpf *sink;
static struct sink_cfg sink_cfg;

struct sink_sums {
	struct sink_cpu cpu;
	uint64_t packets, bytes, of_streams;
};

static struct sink_sums sink_sums(void)
{
	struct sink_sums sums = { 0 };
	struct sink_rec rec;
	uint32_t i;

	harness_read(sink->maps.sink_cpus, harness_cpu(), &sums.cpu);
	for (i = 0; i <= STREAMS; i++) {
		harness_read(sink->maps.sink_recs, harness_cpu() * (STREAMS + 1) + i, &rec);
		sums.packets += rec.packets;
		sums.bytes += rec.bytes;
		sums.of_streams += i < STREAMS ? rec.packets : 0;
	}
	return sums;
}

static bool is_sum_judged(const struct view *v)
{
	bool is_ip4_udp_without = v->version == 4 && v->proto == 17 && !get16(now.bytes + v->l4 + 6);

	return v->is_whole && !is_ip4_udp_without && v->l4_end <= 1500;
}

static void sink_each(void)
{
	struct sink_sums before = sink_sums(), sums;
	struct view v = look(now.bytes, now.len);
	const struct sink_cpu *cpu = &sums.cpu;
	uint64_t other;

	run(sink->progs.sink_xdp);
	sums = sink_sums();
	subtract(&sums, &before, sizeof(sums));
	check(is_untouched());
	check(now.out.action == (cpu->odd.foreign ? XDP_PASS : XDP_DROP));
	check(cpu->odd.foreign + cpu->odd.other_run + sums.packets == 1);
	check(sums.bytes == sums.packets * now.len);
	other = cpu->odd.untagged + cpu->odd.other_stream + cpu->odd.damaged + cpu->odd.bad_payload + cpu->odd.locked_out;
	check(!cpu->odd.locked_out && cpu->odd.unverified <= sums.packets);
	if (!sink_cfg.check) {
		check(!sums.of_streams && cpu->odd.damaged + cpu->odd.unverified <= 1);
	} else {
		check(other + sums.of_streams == sums.packets);
	}
	check(sink_cfg.match != SINK_MATCH_ALL || !cpu->odd.foreign);
	answered += sums.packets;
	if (!sums.packets || !is_sum_judged(&v))
		return;
	intact += v.right;
	/* A wrong one that is the pseudo-header's is left open. */
	if (v.right)
		check(!cpu->odd.damaged);
	else
		check(cpu->odd.damaged + cpu->odd.unverified == 1);
}

static void load_sink(struct sink_cfg cfg, bool payload, bool frags, bool spin)
{
	sink_xdp_bpf__destroy(sink);
	sink = harness_open_sink(spin);
	assert_non_null(sink);
	cfg.port = htons(SINK_PORT);
	cfg.streams = cfg.pdv_streams = STREAMS;
	sink_cfg = cfg;
	memcpy((void *)&sink->rodata->cfg, &cfg, sizeof(cfg));
	sink->rodata->intact_l4 = 1;
	sink->rodata->has_frags = frags;
	sink->rodata->verify_payload = payload;
	packet_pattern((void *)sink->rodata->payload_words, sizeof(sink->rodata->payload_words));
	if (frags)
		harness_set_frags(sink->obj);
	bpf_map__set_max_entries(sink->maps.sink_recs, harness_cpus() * (STREAMS + 1));
	bpf_map__set_max_entries(sink->maps.sink_hists, harness_cpus() * STREAMS);
	bpf_map__set_max_entries(sink->maps.pdvs, harness_cpus() * STREAMS);
	bpf_map__set_max_entries(sink->maps.sink_gaps, harness_cpus() * STREAMS);
	bpf_map__set_max_entries(sink->maps.sink_gap_errors, harness_cpus() * STREAMS);
	bpf_map__set_max_entries(sink->maps.sink_cpus, harness_cpus());
	bpf_map__set_max_entries(sink->maps.sink_seqs, STREAMS);
	bpf_map__set_max_entries(sink->maps.sink_orders, STREAMS);
	bpf_map__set_max_entries(sink->maps.sink_rings, STREAMS);
	bpf_map__set_max_entries(sink->maps.sink_varies, STREAMS);
	assert_int_equal(sink_xdp_bpf__load(sink), 0);
	answered = intact = 0;
}

static void sink_counts_each_once(void **state)
{
	static const struct {
		struct sink_cfg cfg;
		bool payload, spin;
	} kinds[] = {
		{ { .match = SINK_MATCH_DEST, .check = 1, .vary = 1 } },
		{ { .match = SINK_MATCH_TAG, .check = 1, .gaps = 1, .run = PACKET_RUN }, true },
		{ { .match = SINK_MATCH_ALL, .check = 1, .run = PACKET_RUN } },
		{ { .match = SINK_MATCH_ALL } },
		{ { .match = SINK_MATCH_TAG, .check = 1, .vary = 1, .run = PACKET_RUN }, true, true },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		load_sink(kinds[i].cfg, kinds[i].payload, false, kinds[i].spin);
		run_all(SINK_PORT, LINEAR_MIN, HARNESS_LINEAR_BYTES, sink_each);
		assert_true(answered > now.nr / 100 && intact > answered / 16);
	}
}

static void sink_of_long_frames_counts_each_once(void **state)
{
	(void)state;
	if (!harness_has_frags())
		harness_cannot("multi-buffer");
	load_sink((struct sink_cfg){ .match = SINK_MATCH_ALL, .check = 1 }, true, true, false);
	run_all(SINK_PORT, LINEAR_MIN, FRAGS_MAX, sink_each);
	assert_true(answered == now.nr);
}

/* watch_tc, flow_tc and watch_xdp */

static struct watch_tc_bpf *watch;
static struct watch_xdp_bpf *watch_xdp;
static struct flow_tc_bpf *flow;

static struct {
	const struct bpf_program *prog;
	const struct bpf_map *recs;
	enum watch_dir dir;
	int verdict;
} watcher;

static void check_watched(const struct watch_rec *rec, uint32_t gso_size)
{
	uint64_t sizes = 0, packets = 0, frame_bytes = 0;
	int i;

	for (i = 0; i < WATCH_SIZES; i++)
		sizes += rec->sizes[i];
	for (i = 0; i < WATCH_PROTOS; i++) {
		packets += rec->protos[i].packets;
		frame_bytes += rec->protos[i].frame_bytes;
	}
	check(rec->buffers == 1 && rec->packets >= 1);
	check(sizes == rec->packets && packets == rec->packets);
	check(frame_bytes == rec->frame_bytes && frame_bytes >= 64 * packets);
	check(rec->tagged <= packets && rec->broadcast + rec->multicast <= packets);
	check(!rec->not_taken);
	if (!gso_size)
		check(packets == 1 && !rec->merged && frame_bytes == (now.len < 60 ? 64 : now.len + 4));
	else
		check(packets <= now.len / gso_size + 1);
	answered += packets;
	intact += look(now.bytes, now.len).right;
}

static void watch_each(void)
{
	uint32_t lane = (uint32_t)watcher.dir * harness_cpus() + harness_cpu();
	uint32_t gso_size = watcher.verdict != XDP_PASS && !chance(8) ? 1 + (uint32_t)chance(1500) : 0;
	struct watch_rec before, rec;

	harness_read(watcher.recs, lane, &before);
	if (gso_size)
		harness_run_gso(watcher.prog, now.bytes, now.len, gso_size, 0, &now.out);
	else
		run(watcher.prog);
	harness_read(watcher.recs, lane, &rec);
	check(now.out.action == watcher.verdict && is_untouched());
	subtract(&rec, &before, sizeof(rec));
	check_watched(&rec, gso_size);
}

static void watchers_count_each_once_and_leave_it(void **state)
{
	(void)state;
	watch = watch_tc_bpf__open();
	watch_xdp = watch_xdp_bpf__open();
	assert_true(watch && watch_xdp);
	HARNESS_SIZE_WATCH(watch);
	HARNESS_SIZE_WATCH(watch_xdp);
	assert_int_equal(watch_tc_bpf__load(watch), 0);
	assert_int_equal(watch_xdp_bpf__load(watch_xdp), 0);
	watcher.prog = watch_xdp->progs.watch_xdp;
	watcher.recs = watch_xdp->maps.watch_recs;
	watcher.dir = WATCH_RX;
	watcher.verdict = XDP_PASS;
	answered = intact = 0;
	run_all(0, LINEAR_MIN, HARNESS_LINEAR_BYTES, watch_each);
	watcher.recs = watch->maps.watch_recs;
	watcher.verdict = TC_ACT_UNSPEC;
	watcher.prog = watch->progs.watch_tc_in;
	run_all(0, TC_MIN, HARNESS_LINEAR_BYTES, watch_each);
	watcher.prog = watch->progs.watch_tc_out;
	watcher.dir = WATCH_TX;
	run_all(0, TC_MIN, HARNESS_LINEAR_BYTES, watch_each);
}

static void flow_each(void)
{
	watcher.dir = chance(2) ? WATCH_RX : WATCH_TX;
	watcher.prog = watcher.dir == WATCH_RX ? flow->progs.flow_tc_in : flow->progs.flow_tc_out;
	watch_each();
}

static uint64_t sum_of(const struct watch_sum *counts)
{
	return counts[WATCH_RX].packets + counts[WATCH_TX].packets;
}

/* Adds what the elements of a hash have at @offset. */
static uint64_t sum_of_hash(const struct bpf_map *map, size_t offset)
{
	uint64_t value[FLOW_SLOT_BYTES / 8], key[8], *from = NULL, sum = 0;
	struct watch_sum counts[WATCH_DIRS];

	assert_true(bpf_map__value_size(map) <= sizeof(value) && bpf_map__key_size(map) <= sizeof(key));
	while (!bpf_map_get_next_key(bpf_map__fd(map), from, key)) {
		from = key;
		assert_int_equal(bpf_map_lookup_elem(bpf_map__fd(map), key, value), 0);
		memcpy(counts, (const uint8_t *)value + offset, sizeof(counts));
		sum += sum_of(counts);
	}
	return sum;
}

/* Every packet is in a flow, a prefix or a sum. */
static void flows_have_each_once_and_leave_it(void **state)
{
	struct flow_cached cached;
	struct flow_cpu cpu;
	uint64_t sum;
	uint32_t i;

	(void)state;
	flow = harness_open_flow(64);
	assert_non_null(flow);
	assert_int_equal(flow_tc_bpf__load(flow), 0);
	watcher.recs = flow->maps.watch_recs;
	watcher.verdict = TC_ACT_UNSPEC;
	answered = intact = 0;
	run_all(0, TC_MIN, HARNESS_LINEAR_BYTES, flow_each);
	harness_read(flow->maps.flow_cpus, harness_cpu(), &cpu);
	assert_int_equal(sum_of(cpu.seen), answered);
	sum = sum_of(cpu.no_flow) + sum_of(cpu.other);
	for (i = 0; i < FLOW_CACHE; i++) {
		harness_read(flow->maps.flow_caches, harness_cpu() * FLOW_CACHE + i, &cached);
		sum += sum_of(cached.counts);
	}
	sum += sum_of_hash(flow->maps.flows, offsetof(struct flow_rec, counts));
	sum += sum_of_hash(flow->maps.flow_folds, offsetof(struct flow_fold, counts));
	assert_int_equal(sum, answered);
	assert_true(cpu.new_flows >= 64 && cpu.folded && cpu.asked);
}

/* impair_xdp and impair_tc */

static struct impair_xdp_bpf *impair;
static struct impair_tc_bpf *impair_tc;
static struct impair_plan impair_plan;

static unsigned int bits_that_differ(void)
{
	unsigned int nr = 0;
	size_t i;

	for (i = 0; i < now.len && i < now.out.len; i++)
		nr += (unsigned int)__builtin_popcount(now.bytes[i] ^ now.out.bytes[i]);
	return nr;
}

static bool was_done(const struct impair_rec *rec, enum impair_kind kind)
{
	return rec->done[kind];
}

static void impair_each(void)
{
	const struct bpf_map *recs = impair ? impair->maps.impair_recs : impair_tc->maps.impair_recs;
	int on = impair ? XDP_PASS : TC_ACT_UNSPEC, lost = impair ? XDP_DROP : TC_ACT_SHOT;
	struct impair_rec before, rec;
	size_t bits;
	bool marked;

	harness_read(recs, harness_cpu(), &before);
	run(impair ? impair->progs.impair_xdp : impair_tc->progs.impair_tc);
	harness_read(recs, harness_cpu(), &rec);
	subtract(&rec, &before, sizeof(rec));
	check(rec.seen + rec.unmatched == 1);
	check(rec.seen_bytes == rec.seen * now.len);
	check(rec.lost + rec.passed + rec.to_user + rec.failed == rec.seen);
	check(now.out.action == (rec.unmatched || rec.passed ? on : lost));
	answered += rec.seen;
	intact += rec.seen && look(now.bytes, now.len).right;
	check(rec.completed <= 1);
	if ((rec.unmatched || rec.lost) && !rec.completed)
		check(is_untouched());
	check(now.out.len == (was_done(&rec, IMPAIR_TRUNCATE) ? 60 : now.len));
	bits = bits_that_differ();
	marked = was_done(&rec, IMPAIR_CE) || was_done(&rec, IMPAIR_REMARK);
	check(bits <= (was_done(&rec, IMPAIR_CORRUPT) ? 3u : 0u) + (was_done(&rec, IMPAIR_CHECKSUM) ? 1u : 0u) +
	      (rec.completed ? 16u : 0u) + (marked ? 8u + 16u : 0u));
	/* A flip may be undone by the other one; cut off, it is not seen. */
	if (was_done(&rec, IMPAIR_CORRUPT) && !was_done(&rec, IMPAIR_TRUNCATE))
		check(bits >= (marked ? 1 : 2));
	check(rec.unable <= 5);
}

/* First what takes some of all packets; then by what the filter reads. */
static void set_impair_plan(bool filter)
{
	impair_plan = (struct impair_plan){
		.seed = 4711, .nr_rules = 6, .events = 1, .rules = {
			{ .kind = IMPAIR_LOSS, .pick = IMPAIR_RANDOM, .p = ONE / 10 },
			{ .kind = IMPAIR_CE, .pick = IMPAIR_RANDOM, .p = ONE / 3 },
			{ .kind = IMPAIR_REMARK, .pick = IMPAIR_RANDOM, .p = ONE / 3, .arg = 46 },
			{ .kind = IMPAIR_CORRUPT, .pick = IMPAIR_RANDOM, .p = ONE / 2, .arg = 3, .offset = 20 },
			{ .kind = IMPAIR_CHECKSUM, .pick = IMPAIR_RANDOM, .p = ONE / 2 },
			{ .kind = IMPAIR_TRUNCATE, .pick = IMPAIR_RANDOM, .p = ONE / 4, .arg = 60 },
		},
	};
	if (filter) {
		impair_plan.filter.by = IMPAIR_BY_PROTO | IMPAIR_BY_DPORT | IMPAIR_BY_STREAM;
		impair_plan.filter.proto = 17;
		impair_plan.filter.dport = htons(SINK_PORT);
		impair_plan.filter.stream = htons(RR_STREAM);
	}
	answered = intact = 0;
}

static void impair_decides_once_and_does_no_more(void **state)
{
	int filter;

	(void)state;
	for (filter = 0; filter < 2; filter++) {
		set_impair_plan(filter);
		impair_xdp_bpf__destroy(impair);
		impair = impair_xdp_bpf__open();
		assert_non_null(impair);
		memcpy((void *)&impair->rodata->plan, &impair_plan, sizeof(impair_plan));
		bpf_program__set_autoload(impair->progs.impair_refused, false);
		bpf_program__set_autoload(impair->progs.impair_failed, false);
		bpf_map__set_max_entries(impair->maps.impair_recs, harness_cpus());
		assert_int_equal(impair_xdp_bpf__load(impair), 0);
		impair->bss->completes = filter ? IMPAIR_COMPLETE_ALL : IMPAIR_COMPLETE_NONE;
		run_all(SINK_PORT, LINEAR_MIN, HARNESS_LINEAR_BYTES, impair_each);
		assert_true(answered > now.nr / 200);
	}
}

static void impair_at_tc_decides_once_and_does_no_more(void **state)
{
	int filter;

	(void)state;
	for (filter = 0; filter < 2; filter++) {
		set_impair_plan(filter);
		impair_tc_bpf__destroy(impair_tc);
		impair_tc = impair_tc_bpf__open();
		assert_non_null(impair_tc);
		memcpy((void *)&impair_tc->rodata->plan, &impair_plan, sizeof(impair_plan));
		bpf_map__set_max_entries(impair_tc->maps.impair_recs, harness_cpus());
		assert_int_equal(impair_tc_bpf__load(impair_tc), 0);
		run_all(SINK_PORT, TC_MIN, HARNESS_LINEAR_BYTES, impair_each);
		assert_true(answered > now.nr / 200);
	}
}

/* rr_xdp and rr_xdp_bounce */

static struct rr_xdp_bpf *rr;
static bool rr_bounces;

static struct rr_token rr_token(void)
{
	struct rr_token token;

	harness_read(rr->maps.rr_tokens, 0, &token);
	return token;
}

/* The answer that add_made() makes is due. */
static void set_rr_token(void)
{
	struct rr_token token = { .made = 4711 + chance(6) + 1, .limit = 4711 + 5, .sent_ns = 1000 };
	uint32_t zero = 0;

	assert_int_equal(bpf_map__update_elem(rr->maps.rr_tokens, &zero, sizeof(zero), &token, sizeof(token), 0), 0);
}

static void rr_each(void)
{
	struct rr_rec before, rec;
	struct rr_token token;
	struct view v = look(now.bytes, now.len);
	uint64_t due;

	set_rr_token();
	harness_read(rr->maps.rr_recs, harness_cpu(), &before);
	run(rr_bounces ? rr->progs.rr_xdp_bounce : rr->progs.rr_xdp);
	harness_read(rr->maps.rr_recs, harness_cpu(), &rec);
	subtract(&rec, &before, sizeof(rec));
	token = rr_token();
	due = token.answered;
	check(rec.answers + rec.foreign + rec.damaged + rec.bad_payload + due == 1);
	check(rec.bytes == rec.answers * now.len && token.bytes == due * now.len);
	check(rec.damaged_bytes == (rec.damaged + rec.bad_payload) * now.len);
	check(rec.unverified <= rec.answers + due);
	check(now.out.len == now.len);
	if (rec.foreign)
		check(now.out.action == XDP_PASS);
	else
		check(now.out.action == XDP_DROP || (due && now.out.action == XDP_TX));
	/* rr_xdp writes the time over the addresses; a request is written where an answer was. */
	if (!rec.answers && !due)
		check(is_untouched());
	check(token.stale <= rec.answers && due <= 1);
	answered += rec.answers + due;
	if (!rec.answers && !due)
		return;
	intact += v.right;
	check(v.is_whole && (v.right || rec.unverified));
}

static void load_rr(unsigned int version, bool icmp, bool bounces)
{
	struct rr_match match = {
		.version = (__u8)version, .icmp = icmp, .id = htons(icmp ? RR_ID : RR_PORT), .port = htons(7),
		.run = PACKET_RUN, .stream = RR_STREAM, .streams = 1, .l4_bytes = 8 + RR_PAYLOAD, .stamp_every = bounces,
	};
	struct packet_spec spec = { .version = version, .echo = icmp, .echo_id = RR_ID, .src_port = 7,
				    .dst_port = RR_PORT, .payload_bytes = RR_PAYLOAD };
	struct packet_frame frame;
	uint8_t *mask = (uint8_t *)&match.mask;
	size_t src = version == 6 ? 8 : 12, bytes = version == 6 ? 16 : 4;

	packet_build(&frame, &spec);
	if (icmp)
		frame.bytes[frame.l4] = version == 6 ? 129 : 0;
	memcpy(match.peer, frame.bytes + frame.l3 + src, bytes);
	memcpy(&match.answer, frame.bytes, version == 6 ? RR_HEAD6_BYTES : RR_HEAD4_BYTES);
	memset(&match.request, 0xaa, sizeof(match.request));
	/* type, IP's version and lengths, protocol, source, and ports or type and identifier: as test_rr.c has them */
	memset(mask + 12, 0xff, 3);
	memset(mask + (version == 6 ? 18 : 16), 0xff, 2);
	memset(mask + (version == 6 ? 20 : 23), 0xff, 1);
	if (version == 4)
		memset(mask + 20, 0xff, 2);
	memset(mask + 14 + src, 0xff, bytes);
	memset(mask + frame.l4, 0xff, icmp ? 2 : 4);
	memset(mask + frame.l4 + 4, 0xff, 2);
	rr_xdp_bpf__destroy(rr);
	rr = rr_xdp_bpf__open();
	assert_non_null(rr);
	bpf_program__set_autoload(rr->progs.rr_xdp, !bounces);
	bpf_program__set_autoload(rr->progs.rr_xdp_bounce, bounces);
	memcpy((void *)&rr->rodata->match, &match, sizeof(match));
	rr->rodata->intact_l4 = 1;
	rr->rodata->verify_payload = 1;
	packet_pattern((void *)rr->rodata->payload_words, sizeof(rr->rodata->payload_words));
	bpf_map__set_max_entries(rr->maps.rr_recs, harness_cpus());
	bpf_map__set_max_entries(rr->maps.rr_hists, harness_cpus());
	bpf_map__set_max_entries(rr->maps.pdvs, harness_cpus());
	assert_int_equal(rr_xdp_bpf__load(rr), 0);
	rr->bss->end_mono_ns = UINT64_MAX;
	rr_bounces = bounces;
	answered = intact = 0;
}

static void answers_are_taken_once_and_no_others(void **state)
{
	int kind;

	(void)state;
	for (kind = 0; kind < 8; kind++) {
		load_rr(kind & 1 ? 6 : 4, kind & 4, kind & 2);
		run_all(kind & 4 ? ECHO_REPLIES : RR_PORT, LINEAR_MIN, HARNESS_LINEAR_BYTES, rr_each);
		assert_true(answered >= TAKEN_LEAST && answered > now.nr / 400);
	}
}

static int unload(void **state)
{
	(void)state;
	signs = false;
	reflect_xdp_bpf__destroy(reflect);
	stamp_xdp_bpf__destroy(stamp);
	sink_xdp_bpf__destroy(sink);
	watch_tc_bpf__destroy(watch);
	watch_xdp_bpf__destroy(watch_xdp);
	flow_tc_bpf__destroy(flow);
	impair_xdp_bpf__destroy(impair);
	impair_tc_bpf__destroy(impair_tc);
	rr_xdp_bpf__destroy(rr);
	reflect = NULL;
	stamp = NULL;
	sink = NULL;
	watch = NULL;
	watch_xdp = NULL;
	flow = NULL;
	impair = NULL;
	impair_tc = NULL;
	rr = NULL;
	return 0;
}

int test_fuzz(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(reflector_turns_round_or_leaves, unload),
		cmocka_unit_test_teardown(reflector_of_long_frames_turns_round_or_leaves, unload),
		cmocka_unit_test_teardown(stamp_reflector_turns_round_or_leaves, unload),
		cmocka_unit_test_teardown(stamp_reflector_with_a_key_answers_echoes_alone, unload),
		cmocka_unit_test_teardown(stamp_reflector_answers_what_is_signed, unload),
		cmocka_unit_test_teardown(sink_counts_each_once, unload),
		cmocka_unit_test_teardown(sink_of_long_frames_counts_each_once, unload),
		cmocka_unit_test_teardown(watchers_count_each_once_and_leave_it, unload),
		cmocka_unit_test_teardown(flows_have_each_once_and_leave_it, unload),
		cmocka_unit_test_teardown(impair_decides_once_and_does_no_more, unload),
		cmocka_unit_test_teardown(impair_at_tc_decides_once_and_does_no_more, unload),
		cmocka_unit_test_teardown(answers_are_taken_once_and_no_others, unload),
	};

	return cmocka_run_group_tests_name("fuzz", tests, fill_corpus, NULL);
}
