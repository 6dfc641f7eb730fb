// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/filter_code: the kernel takes the packets that libpcap takes, packet for
 * packet: expressions, and random programs that only libpcap's own check limits.
 *
 *	BPF_FUZZ_SECONDS	of random programs; else a hundred
 *	BPF_FUZZ_SEED		as a failure says it; without it, the same ones each time
 */
#include "harness.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <linux/bpf.h>
#include <linux/filter.h>

#include "filter_oracle.h"
#include "proto/filter_code.h"

#ifndef BPF_F_XDP_HAS_FRAGS
#define BPF_F_XDP_HAS_FRAGS (1U << 5)
#endif

#define ROOM	8192
#define FRAMES	160
#define TCI	0x6123		/* priority 3, VLAN 0x123 */

/* As many packets match none of these as match one. */
static const char *const expressions[] = {
	"", "udp", "tcp", "icmp", "ip6", "arp", "ip", "not ip", "vlan", "vlan 291",
	"vlan 291 and udp", "vlan and vlan", "vlan and ip6", "udp port 7", "port 7 or port 50021",
	"udp portrange 1-100", "src port 50021 and ip6", "host 198.18.0.1", "net 198.18.0.0/15",
	"ip proto 17 and not port 7", "ip[8] > 10", "ip6[6] = 60", "ether[12:2] = 0x8100",
	"ether[14:2] & 0xfff = 291", "ether[10:4] != 0", "ether[15] = 0x23", "ether[13:4] > 7",
	"len > 100", "greater 60 and less 200", "udp[4:2] > 20", "udp[8:4] = 0x00010203",
	"ip[ip[1]+9] = 17", "ether[ether[0] & 15] = 1", "ether[ether[15]:2] > 0x100",
	"ip[2:2] / ip[8] > 1", "ip[2:2] % 7 = 3", "len % ip[9] = 5", "ip[0] >> 4 = 4",
	"ip[9] << ip[8] = 0", "-ip[0] < 5", "multicast", "broadcast", "ether src 02:00:00:00:00:01",
	"tcp port 443 or (udp and (port 1 or port 7 or port 9) and len > 90)",
	"ip[0] ^ 0x45 = 0", "ip[0] | ip[1] = 0x45", "ip multicast or ip6 multicast",
	"mpls", "pppoes", "icmp6", "sctp", "ether[28700] = 1", "ether[700] = 1",
};

#define NR_EXPRESSIONS (sizeof(expressions) / sizeof(expressions[0]))

static struct packet_frame *frames;
static struct bpf_insn code[ROOM + 8];

/* Its own, so that a failure comes again. */
static uint32_t seed, first_seed;

static uint32_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed;
}

/* Whole packets of all kinds, then the same with bytes changed and cut anywhere. */
static int make_frames(void **state)
{
	unsigned int i, k;

	(void)state;
	frames = calloc(FRAMES, sizeof(*frames));
	if (!frames)
		return -ENOMEM;
	for (i = 0; i < FRAMES; i++) {
		const struct packet_spec spec = {
			.version = i & 1 ? 6 : 4, .vlans = i / 2 % 4,
			.option_bytes = i & 1 ? 0 : i / 8 % 3 * 20, .extensions = i & 1 ? i / 8 % 3 : 0,
			.echo = i % 5 == 4, .src_port = i % 7 == 3 ? 443 : 0, .payload_bytes = 3 * i,
			.pad_to_bytes = i % 3 ? 60 : 0,
		};

		packet_build(&frames[i], &spec);
		for (k = 0; i >= FRAMES / 2 && k < 3; k++)
			frames[i].bytes[next_random() % 64 % frames[i].len] = (uint8_t)next_random();
		if (i >= FRAMES / 4 * 3)
			frames[i].len = 15 + next_random() % (frames[i].len - 14);
	}
	return 0;
}

static int free_frames(void **state)
{
	(void)state;
	free(frames);
	frames = NULL;
	return 0;
}

/* The kernel's verdict on these bytes; -1: a test run at tc refuses IP that is cut (6.18 and later). */
static int taken(int fd, const void *bytes, size_t len)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = bytes, .data_size_in = (__u32)len, .repeat = 1);
	int err;

	do {
		err = bpf_prog_test_run_opts(fd, &opts);
	} while (err == -EINTR || err == -EAGAIN);
	if (err == -EINVAL && len < 54)
		return -1;
	assert_int_equal(err, 0);
	assert_true(opts.retval <= 1);
	return (int)opts.retval;
}

static bool differs(int fd, const struct packet_frame *frame, bool want)
{
	int got = taken(fd, frame->bytes, frame->len);

	return got >= 0 && got != want;
}

/* With @tagged the kernel puts a VLAN tag beside the packet before the filter looks. */
static int load(const struct filter *filter, enum filter_hook hook, bool tagged, const char *what)
{
	const struct bpf_insn push[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = 6, .src_reg = 1 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 2, .imm = htons(0x8100) },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 3, .imm = TCI },
		{ .code = BPF_JMP | BPF_CALL, .imm = 18 },	/* bpf_skb_vlan_push() */
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = 1, .src_reg = 6 },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts,
		    .prog_flags = hook == FILTER_XDP_FRAGS ? BPF_F_XDP_HAS_FRAGS : 0);
	size_t before = tagged ? sizeof(push) / sizeof(push[0]) : 0;
	enum bpf_prog_type type = hook == FILTER_TC ? BPF_PROG_TYPE_SCHED_CLS : BPF_PROG_TYPE_XDP;
	static char log[8192];
	struct err e;
	int fd;

	memcpy(code, push, before * sizeof(push[0]));
	if (filter_code(filter, hook, code + before, ROOM, &e))
		fail_msg("'%s': %s", what, e.msg);
	fd = bpf_prog_load(type, "filter", "GPL", code, before + ROOM, &opts);
	if (fd >= 0)
		return fd;
	opts.log_buf = log;
	opts.log_size = sizeof(log);
	opts.log_level = 1;
	bpf_prog_load(type, "filter", "GPL", code, before + ROOM, &opts);
	fail_msg("'%s' at hook %d: %s", what, hook, log + (strlen(log) > 600 ? strlen(log) - 600 : 0));
	return fd;
}

static void put_tag(struct packet_frame *frame, const struct packet_frame *of)
{
	const uint8_t tag[] = { 0x81, 0, TCI >> 8, TCI & 0xff };

	memcpy(frame->bytes, of->bytes, 12);
	memcpy(frame->bytes + 12, tag, 4);
	memcpy(frame->bytes + 16, of->bytes + 12, of->len - 12);
	frame->len = of->len + 4;
}

/* Returns how many of the frames are taken. */
static unsigned int compare(const struct filter *filter, const char *what)
{
	static struct packet_frame tagged;
	int tc = load(filter, FILTER_TC, false, what), beside = load(filter, FILTER_TC, true, what);
	int xdp = load(filter, FILTER_XDP, false, what), frags = -1;
	unsigned int nr = 0, i;
	bool want;

	if (harness_has_frags())
		frags = load(filter, FILTER_XDP_FRAGS, false, what);
	for (i = 0; i < FRAMES; i++) {
		want = oracle_takes(filter, frames[i].bytes, frames[i].len);
		nr += want;
		if (differs(tc, &frames[i], want))
			fail_msg("'%s': frame %u at tc: libpcap says %d", what, i, want);
		if (differs(xdp, &frames[i], want))
			fail_msg("'%s': frame %u at XDP: libpcap says %d", what, i, want);
		if (frags >= 0 && differs(frags, &frames[i], want))
			fail_msg("'%s': frame %u at XDP with fragments: libpcap says %d", what, i, want);
		put_tag(&tagged, &frames[i]);
		want = oracle_takes(filter, tagged.bytes, tagged.len);
		if (differs(beside, &frames[i], want))
			fail_msg("'%s': frame %u with its tag beside: libpcap says %d", what, i, want);
	}
	close(tc);
	close(beside);
	close(xdp);
	if (frags >= 0)
		close(frags);
	return nr;
}

static void expressions_take_what_libpcap_takes(void **state)
{
	unsigned int i, nr, some = 0;
	struct filter *filter;
	struct err e;

	(void)state;
	for (i = 0; i < NR_EXPRESSIONS; i++) {
		if (filter_compile(&filter, expressions[i], FILTER_ETHERNET, &e))
			fail_msg("%s", e.msg);
		nr = compare(filter, expressions[i]);
		some += nr && nr < FRAMES;
		filter_free(filter);
	}
	/* Otherwise the frames would prove nothing. */
	assert_true(some > NR_EXPRESSIONS / 2);
}

static struct filter_op random_op(uint32_t at, uint32_t nr)
{
	static const uint16_t codes[] = {
		BPF_LD | BPF_W | BPF_ABS, BPF_LD | BPF_H | BPF_ABS, BPF_LD | BPF_B | BPF_ABS,
		BPF_LD | BPF_W | BPF_IND, BPF_LD | BPF_H | BPF_IND, BPF_LD | BPF_B | BPF_IND,
		BPF_LD | BPF_W | BPF_LEN, BPF_LDX | BPF_W | BPF_LEN, BPF_LDX | BPF_B | BPF_MSH,
		BPF_LD | BPF_IMM, BPF_LDX | BPF_IMM, BPF_LD | BPF_MEM, BPF_LDX | BPF_MEM, BPF_ST, BPF_STX,
		BPF_MISC | BPF_TAX, BPF_MISC | BPF_TXA, BPF_ALU | BPF_NEG,
		BPF_ALU | BPF_ADD, BPF_ALU | BPF_SUB, BPF_ALU | BPF_MUL, BPF_ALU | BPF_DIV,
		BPF_ALU | BPF_MOD, BPF_ALU | BPF_AND, BPF_ALU | BPF_OR, BPF_ALU | BPF_XOR,
		BPF_ALU | BPF_LSH, BPF_ALU | BPF_RSH, BPF_JMP | BPF_JA,
		BPF_JMP | BPF_JEQ, BPF_JMP | BPF_JGT, BPF_JMP | BPF_JGE, BPF_JMP | BPF_JSET,
	};
	struct filter_op op = { .code = codes[next_random() % (sizeof(codes) / sizeof(codes[0]))] };
	uint8_t class = BPF_CLASS(op.code);
	uint32_t left = nr - at - 2;

	if ((class == BPF_ALU || class == BPF_JMP) && next_random() % 3 == 0 &&
	    op.code != (BPF_ALU | BPF_NEG) && op.code != (BPF_JMP | BPF_JA))
		op.code |= BPF_X;
	op.k = next_random() % 4 ? next_random() % 40 : next_random();
	if (BPF_MODE(op.code) == BPF_MEM || class == BPF_ST || class == BPF_STX)
		op.k %= 2;
	/* Extensions of Linux, which libpcap itself would not read as such. */
	if ((BPF_MODE(op.code) == BPF_ABS || BPF_MODE(op.code) == BPF_MSH) && op.k > 100)
		op.k %= 100;
	if (BPF_OP(op.code) == BPF_LSH || BPF_OP(op.code) == BPF_RSH)
		op.k %= class == BPF_ALU ? 32 : 40;
	if (class == BPF_JMP) {
		op.k = left ? next_random() % left % 4 : 0;
		op.jt = left ? next_random() % left % 4 : 0;
		op.jf = left ? next_random() % left % 4 : 0;
		if (BPF_OP(op.code) != BPF_JA)
			op.k = next_random() % 4 ? next_random() % 100 : next_random();
	}
	return op;
}

static void random_programs_take_what_libpcap_takes(void **state)
{
	const char *seconds = getenv("BPF_FUZZ_SECONDS");
	uint64_t end_ns = harness_mono_ns() + strtoull(seconds ? seconds : "0", NULL, 10) * 1000000000;
	uint64_t runs = harness_runs(100, 20), done = 0;
	struct filter_op ops[24];
	struct filter filter = { .ops = ops };
	unsigned int nr, some = 0;
	char name[64];
	uint32_t at;

	(void)state;
	while (done < runs || harness_mono_ns() < end_ns) {
		filter.nr = 4 + next_random() % 20;
		/* What was never written has no value. */
		ops[0] = (struct filter_op){ .code = BPF_ST };
		ops[1] = (struct filter_op){ .code = BPF_STX, .k = 1 };
		for (at = 2; at < filter.nr - 1; at++)
			ops[at] = random_op(at, filter.nr);
		ops[at] = (struct filter_op){ .code = BPF_RET | BPF_A };
		if (!oracle_is_valid(&filter))
			continue;
		/* The frames that come next have other bytes changed. */
		if (++done % 100 == 0) {
			free_frames(NULL);
			assert_int_equal(make_frames(NULL), 0);
		}
		snprintf(name, sizeof(name), "seed %u, program %u", first_seed, (unsigned int)done);
		nr = compare(&filter, name);
		some += nr && nr < FRAMES;
	}
	assert_true(some > done / 20);
	if (seconds)
		print_message("%u programs, %u of them take some frames\n", (unsigned int)done, some);
}

static void a_frame_of_many_buffers_is_read_beyond_the_first(void **state)
{
	static uint8_t frame[9000];
	struct filter *filter;
	struct err e;
	int fd;

	(void)state;
	if (!harness_has_frags())
		harness_cannot("multi-buffer");
	memset(frame, 0, sizeof(frame));
	frame[8001] = 0x5a;
	assert_int_equal(filter_compile(&filter, "ether[8000:2] = 0x5a and len = 9000", FILTER_ETHERNET, &e), 0);
	fd = load(filter, FILTER_XDP_FRAGS, false, "far");
	assert_int_equal(taken(fd, frame, sizeof(frame)), 1);
	assert_int_equal(taken(fd, frame, sizeof(frame) - 1), 0);
	assert_int_equal(taken(fd, frame, 8001), 0);
	close(fd);
	filter_free(filter);
}

static void what_does_not_fit_is_refused(void **state)
{
	struct filter_op ops[2] = { { .code = BPF_LD | BPF_H | BPF_ABS, .k = (uint32_t)SKF_AD_OFF },
				    { .code = BPF_RET } };
	struct filter filter = { .ops = ops, .nr = 2 };
	struct err e;

	(void)state;
	assert_int_equal(filter_code(&filter, FILTER_TC, code, ROOM, &e), -EINVAL);
	ops[0].k = 0;
	assert_int_equal(filter_code(&filter, FILTER_TC, code, ROOM, &e), 0);
	assert_int_equal(filter_code(&filter, FILTER_TC, code, 40, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "too long"));
}

int test_filter(void)
{
	const char *given = getenv("BPF_FUZZ_SEED");

	const struct CMUnitTest tests[] = {
		cmocka_unit_test(expressions_take_what_libpcap_takes),
		cmocka_unit_test(random_programs_take_what_libpcap_takes),
		cmocka_unit_test(a_frame_of_many_buffers_is_read_beyond_the_first),
		cmocka_unit_test(what_does_not_fit_is_refused),
	};

	first_seed = given ? (uint32_t)strtoul(given, NULL, 10) :
		     getenv("BPF_FUZZ_SECONDS") ? (uint32_t)harness_mono_ns() : 7;
	seed = first_seed ? first_seed : 1;
	return cmocka_run_group_tests_name("filter code", tests, make_frames, free_frames);
}
