// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reflect_xdp: what comes back, byte for byte, and what it counts.
 */
#include "harness.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <linux/bpf.h>

#include "abi/reflect.h"
#include "own.h"

#include "reflect_xdp.skel.h"

struct fixture {
	const char *name;
	enum reflect_outcome outcome;
	const char *frame;	/* hex */
	const char *answer;	/* NULL: passed untouched */
};

#include "reflect_fixtures.h"

#define NR_FIXTURES (sizeof(fixtures) / sizeof(fixtures[0]))

static struct reflect_xdp_bpf *skel;

/* Of the next load(). */
static struct reflect_pools pools;

static const struct reflect_cfg usual = {
	.icmp = 1, .mac = { 2, 0, 0, 0, 0, 2 },
};

/* Replaces the loaded program; counters start at 0. */
static int load(struct reflect_cfg cfg, uint16_t port, bool frags)
{
	int err;

	reflect_xdp_bpf__destroy(skel);
	skel = reflect_xdp_bpf__open();
	if (!skel)
		return -errno;
	cfg.port = htons(port);
	memcpy((void *)&skel->rodata->cfg, &cfg, sizeof(cfg));
	memcpy((void *)&skel->rodata->pools, &pools, sizeof(pools));
	own_usual(&skel->bss->own);
	skel->rodata->has_frags = frags;
	if (frags)
		harness_set_frags(skel->obj);
	bpf_map__set_max_entries(skel->maps.reflect_recs, harness_cpus());
	err = reflect_xdp_bpf__load(skel);
	if (err) {
		reflect_xdp_bpf__destroy(skel);
		skel = NULL;
	}
	return err;
}

static int load_usual(void **state)
{
	(void)state;
	return load(usual, 7, false);
}

static int load_frags(void **state)
{
	(void)state;
	load(usual, 7, true);	/* tests skip themselves if that failed: kernel before 5.18 */
	return 0;
}

static int unload(void **state)
{
	(void)state;
	reflect_xdp_bpf__destroy(skel);
	skel = NULL;
	return 0;
}

static void read_counters(struct reflect_rec *ret_sum)
{
	struct reflect_rec rec;
	unsigned int cpu, i;

	memset(ret_sum, 0, sizeof(*ret_sum));
	for (cpu = 0; cpu < harness_cpus(); cpu++) {
		harness_read(skel->maps.reflect_recs, cpu, &rec);
		for (i = 0; i < REFLECT_NR_OUTCOMES; i++)
			ret_sum->packets[i] += rec.packets[i];
		ret_sum->bytes += rec.bytes;
	}
}

/* Runs once; @outcome must have been counted once and nothing else moved. */
static void run(const void *frame, size_t len, enum reflect_outcome outcome,
		struct harness_out *ret_out)
{
	bool answered = outcome == REFLECT_UDP || outcome == REFLECT_ICMP;
	struct reflect_rec before, after;
	unsigned int i;

	if (!skel)
		harness_cannot("multi-buffer");
	read_counters(&before);
	harness_run(skel->progs.reflect_xdp, frame, len, ret_out);
	read_counters(&after);
	for (i = 0; i < REFLECT_NR_OUTCOMES; i++) {
		if (after.packets[i] - before.packets[i] != (i == outcome))
			fail_msg("outcome %u moved by %lld, and %u was due", i,
				 (long long)(after.packets[i] - before.packets[i]), outcome);
	}
	assert_int_equal(after.bytes - before.bytes, answered ? len : 0);
	assert_int_equal(ret_out->action, answered ? XDP_TX :
			 outcome == REFLECT_LIMITED ? XDP_DROP : XDP_PASS);
	assert_int_equal(ret_out->len, len);
	if (!answered)
		assert_true(harness_untouched(ret_out, frame, len));
}

static size_t from_hex(const char *hex, uint8_t *ret_bytes)
{
	size_t len = strlen(hex) / 2, i;
	unsigned int byte;

	for (i = 0; i < len; i++) {
		assert_int_equal(sscanf(hex + 2 * i, "%2x", &byte), 1);
		ret_bytes[i] = (uint8_t)byte;
	}
	return len;
}

static void matches_fixture(void **state)
{
	const struct fixture *fixture = *state;
	uint8_t frame[PACKET_MAX_BYTES], answer[PACKET_MAX_BYTES];
	struct harness_out out;
	size_t len = from_hex(fixture->frame, frame);

	run(frame, len, fixture->outcome, &out);
	if (!fixture->answer)
		return;
	assert_int_equal(from_hex(fixture->answer, answer), len);
	assert_memory_equal(out.bytes, answer, len);
}

/* Every good shape that the C builder knows; @i from 0 until false. */
static bool good_spec(unsigned int i, struct packet_spec *ret_spec)
{
	static const struct packet_spec shapes[] = {
		{ .payload_bytes = 18 },
		{ .payload_bytes = 0 },
		{ .payload_bytes = 37, .vlans = 1 },
		{ .payload_bytes = 37, .vlans = 2 },
		{ .payload_bytes = 18, .option_bytes = 4 },
		{ .payload_bytes = 18, .option_bytes = 40, .vlans = 2 },
		{ .payload_bytes = 3, .pad_to_bytes = 60 },
		{ .version = 6, .payload_bytes = 18 },
		{ .version = 6, .payload_bytes = 5, .vlans = 2 },
		{ .version = 6, .payload_bytes = 18, .extensions = 1 },
		{ .version = 6, .payload_bytes = 18, .extensions = 5, .vlans = 1 },
		{ .version = 6, .payload_bytes = 1, .pad_to_bytes = 80 },
	};
	unsigned int nr = sizeof(shapes) / sizeof(shapes[0]);

	if (i >= 2 * nr)
		return false;
	*ret_spec = shapes[i % nr];
	ret_spec->echo = i >= nr;
	return true;
}

static enum reflect_outcome answered_as(const struct packet_frame *frame)
{
	return frame->echo ? REFLECT_ICMP : REFLECT_UDP;
}

/* A cut frame is malformed, or not for the reflector when even the EtherType went. */
static void cut_at_any_byte_is_passed(void **state)
{
	struct packet_frame frame;
	struct packet_spec spec;
	struct harness_out out;
	unsigned int i;
	size_t len;

	(void)state;
	for (i = 0; good_spec(i, &spec); i++) {
		packet_build(&frame, &spec);
		for (len = 14; len <= frame.len; len++)
			run(frame.bytes, len, len < frame.ip_end ? REFLECT_MALFORMED :
			    answered_as(&frame), &out);
	}
}

/* The IP length says where the frame ends, and only the headers above contradict it. */
static void cut_with_a_matching_ip_length_is_passed(void **state)
{
	struct packet_frame frame;
	struct packet_spec spec;
	struct harness_out out;
	unsigned int i;
	size_t len;

	(void)state;
	for (i = 0; good_spec(i, &spec); i++) {
		packet_build(&frame, &spec);
		for (len = frame.ip_end - 1; len >= frame.l3 + (frame.version == 6 ? 40 : 20);
		     len--) {
			packet_set_ip_end(&frame, len);
			run(frame.bytes, len, frame.echo && len >= frame.l4 + 8 ? REFLECT_ICMP :
			    REFLECT_MALFORMED, &out);
		}
	}
}

/* All lengths agree: only what does not hold a whole header is passed. */
static void cut_with_all_lengths_matching_is_answered_down_to_the_header(void **state)
{
	struct packet_frame frame;
	struct packet_spec spec;
	struct harness_out out;
	unsigned int i;
	size_t len;

	(void)state;
	for (i = 0; good_spec(i, &spec); i++) {
		packet_build(&frame, &spec);
		for (len = frame.ip_end; len >= frame.l4; len--) {
			packet_set_ip_end(&frame, len);
			if (!frame.echo)
				packet_set_udp_bytes(&frame, (uint16_t)(len - frame.l4));
			run(frame.bytes, len, len < frame.l4 + 8 ? REFLECT_MALFORMED :
			    answered_as(&frame), &out);
		}
	}
}

/* Bits flipped at random: it never grows a frame, nor changes one that it passes. */
static void random_damage_never_changes_a_passed_frame(void **state)
{
	struct packet_frame frame;
	struct packet_spec spec;
	struct harness_out out;
	unsigned int round, i, n;

	(void)state;
	srandom(4711);
	for (round = 0; round < 997; round++) {
		good_spec((unsigned int)random() % 24, &spec);
		packet_build(&frame, &spec);
		n = 1 + (unsigned int)random() % 3;
		for (i = 0; i < n; i++)
			frame.bytes[(size_t)random() % (frame.l4 + 8)] ^= 1 << random() % 8;
		harness_run(skel->progs.reflect_xdp, frame.bytes, frame.len, &out);
		assert_int_equal(out.len, frame.len);
		if (out.action != XDP_TX) {
			assert_int_equal(out.action, XDP_PASS);
			assert_true(harness_untouched(&out, frame.bytes, frame.len));
		}
	}
}

static void check_answer(const struct packet_frame *frame, const struct harness_out *out)
{
	struct packet_frame answer = *frame;

	memcpy(answer.bytes, out->bytes, out->len);
	assert_true(packet_checksums_are_right(frame));
	assert_true(packet_checksums_are_right(&answer));
	assert_memory_equal(out->bytes, packet_client_mac, 6);
	assert_memory_equal(out->bytes + 6, packet_server_mac, 6);
	assert_memory_equal(out->bytes + frame->l4 + 8, frame->bytes + frame->l4 + 8,
			    frame->len - frame->l4 - 8);
}

/* Among them those whose reply sums to +0 and -0, where incremental updates go wrong. */
static void every_echo_identifier_gives_a_right_checksum(void **state)
{
	static const uint8_t zeros[8];
	struct packet_frame frame;
	struct packet_spec spec = { .echo = true, .payload = zeros };
	/* Where each run takes long, each 31st. */
	unsigned int id, step = (unsigned int)harness_runs(1, 31);
	struct harness_out out;

	(void)state;
	for (spec.version = 4; spec.version <= 6; spec.version += 2) {
		for (id = 0; id < 65536; id += step) {
			spec.echo_id = (uint16_t)id;
			spec.payload_bytes = id % 2 * 8;
			packet_build(&frame, &spec);
			harness_run(skel->progs.reflect_xdp, frame.bytes, frame.len, &out);
			assert_int_equal(out.action, XDP_TX);
			check_answer(&frame, &out);
		}
	}
}

static void jumbo_frames_come_back_whole(void **state)
{
	static const size_t payloads[] = { 3457, 4096, 8932, 8972 };
	struct packet_frame frame;
	struct packet_spec spec = { 0 };
	struct harness_out out;
	unsigned int i, kind;

	(void)state;
	for (i = 0; i < sizeof(payloads) / sizeof(payloads[0]); i++) {
		for (kind = 0; kind < 4; kind++) {
			spec.version = kind & 1 ? 6 : 4;
			spec.echo = kind & 2;
			spec.payload_bytes = payloads[i];
			packet_build(&frame, &spec);
			run(frame.bytes, frame.len, answered_as(&frame), &out);
			check_answer(&frame, &out);
		}
	}
}

static void jumbo_frame_cut_short_is_malformed(void **state)
{
	struct packet_frame frame;
	struct packet_spec spec = { .payload_bytes = 8972 };
	struct harness_out out;

	(void)state;
	packet_build(&frame, &spec);
	run(frame.bytes, frame.len - 1, REFLECT_MALFORMED, &out);
	run(frame.bytes, 4096, REFLECT_MALFORMED, &out);
}

/* Records are added up: nothing else sees the tests' packets. */
static void stamps_follow_the_answers(void **state)
{
	const unsigned int total = 5003, last_stamped = 4992;	/* 78 x 64 */
	uint64_t start_ns, end_ns, last_ns = 0;
	struct packet_frame frame;
	struct packet_spec spec = { .payload_bytes = 18 };
	struct harness_out out;
	struct reflect_rec rec;
	unsigned int i;

	(void)state;
	assert_int_equal(load(usual, 7, false), 0);
	packet_build(&frame, &spec);
	start_ns = harness_mono_ns();
	for (i = 1; i <= total; i++) {
		harness_run(skel->progs.reflect_xdp, frame.bytes, frame.len, &out);
		harness_read(skel->maps.reflect_recs, harness_cpu(), &rec);
		assert_int_equal(rec.last_packets, i <= 4096 ? i : i / 64 * 64);
		assert_true(rec.last_mono_ns >= last_ns);
		last_ns = rec.last_mono_ns;
	}
	end_ns = harness_mono_ns();
	assert_int_equal(rec.last_packets, last_stamped);
	assert_int_equal(rec.packets[REFLECT_UDP], total);
	assert_true(rec.first_mono_ns >= start_ns && rec.first_mono_ns < rec.last_mono_ns);
	assert_true(rec.last_mono_ns <= end_ns);
}

static void foreign_packets_are_not_stamped(void **state)
{
	struct packet_frame frame;
	struct packet_spec spec = { .payload_bytes = 18, .dst_port = 9 };
	struct harness_out out;
	struct reflect_rec rec;

	(void)state;
	assert_int_equal(load(usual, 7, false), 0);
	packet_build(&frame, &spec);
	run(frame.bytes, frame.len, REFLECT_LEFT, &out);
	harness_read(skel->maps.reflect_recs, harness_cpu(), &rec);
	assert_int_equal(rec.first_mono_ns, 0);
	assert_int_equal(rec.last_packets, 0);
}

static void without_icmp_echo_requests_are_left(void **state)
{
	struct packet_frame frame;
	struct packet_spec spec = { .payload_bytes = 18 };
	struct reflect_cfg cfg = usual;
	struct harness_out out;

	(void)state;
	cfg.icmp = 0;
	assert_int_equal(load(cfg, 7, false), 0);
	packet_build(&frame, &spec);
	run(frame.bytes, frame.len, REFLECT_UDP, &out);
	spec.echo = true;
	packet_build(&frame, &spec);
	run(frame.bytes, frame.len, REFLECT_LEFT, &out);
	spec.version = 6;
	packet_build(&frame, &spec);
	run(frame.bytes, frame.len, REFLECT_LEFT, &out);
}

static void with_port_0_no_udp_is_answered(void **state)
{
	struct packet_frame frame;
	struct packet_spec spec = { .payload_bytes = 18 };
	struct harness_out out;

	(void)state;
	assert_int_equal(load(usual, 0, false), 0);
	packet_build(&frame, &spec);
	run(frame.bytes, frame.len, REFLECT_LEFT, &out);
	frame.bytes[frame.l4 + 2] = 0;	/* destination port 0 */
	frame.bytes[frame.l4 + 3] = 0;
	run(frame.bytes, frame.len, REFLECT_LEFT, &out);
	spec.echo = true;
	packet_build(&frame, &spec);
	run(frame.bytes, frame.len, REFLECT_ICMP, &out);
}

static void another_port_is_answered_instead(void **state)
{
	struct packet_frame frame;
	struct packet_spec spec = { .payload_bytes = 18 };
	struct harness_out out;

	(void)state;
	assert_int_equal(load(usual, 862, false), 0);
	packet_build(&frame, &spec);
	run(frame.bytes, frame.len, REFLECT_LEFT, &out);
	spec.dst_port = 862;
	packet_build(&frame, &spec);
	run(frame.bytes, frame.len, REFLECT_UDP, &out);
	assert_int_equal(load(usual, 7000, false), 0);
	spec.dst_port = 7000;
	spec.src_port = 7001;
	packet_build(&frame, &spec);
	run(frame.bytes, frame.len, REFLECT_UDP, &out);
	spec.src_port = 7000;
	packet_build(&frame, &spec);
	run(frame.bytes, frame.len, REFLECT_UNSAFE, &out);
}

/* From another source: @change is XORed into the address's last byte, of IPv6 into byte @at6. */
static void build_from(struct packet_frame *frame, const struct packet_spec *spec, uint8_t change,
		       size_t at6)
{
	packet_build(frame, spec);
	frame->bytes[frame->l3 + (spec->version == 6 ? 8 + at6 : 15)] ^= change;
}

static void a_source_gets_its_rate_and_a_burst(void **state)
{
	/* A packet an hour: the burst is one, and one that is not yet above it. */
	struct reflect_cfg cfg = {
		.icmp = 1, .mac = { 2, 0, 0, 0, 0, 2 }, .tick_ns = 1000000,
		.period_ns = 3600000000000ull, .factors = { 0x85ebca6b, 0xc2b2ae35 },
	};
	struct packet_frame frame;
	struct packet_spec spec = { .payload_bytes = 18 };
	struct harness_out out;
	int i;

	(void)state;
	for (i = 0; i < 4; i++) {
		assert_int_equal(load(cfg, 7, false), 0);
		spec.version = i & 1 ? 6 : 4;
		spec.echo = i >= 2;
		build_from(&frame, &spec, 0, 0);
		run(frame.bytes, frame.len, answered_as(&frame), &out);
		run(frame.bytes, frame.len, REFLECT_LIMITED, &out);
		run(frame.bytes, frame.len, REFLECT_LIMITED, &out);
		/* Another kind of packet of the same source. */
		spec.echo = !spec.echo;
		build_from(&frame, &spec, 0, 0);
		run(frame.bytes, frame.len, REFLECT_LIMITED, &out);
		if (spec.version == 6) {
			build_from(&frame, &spec, 1, 15);
			run(frame.bytes, frame.len, REFLECT_LIMITED, &out);
		}
		/* Another one: of IPv6 another /64. */
		build_from(&frame, &spec, 4, 7);
		run(frame.bytes, frame.len, answered_as(&frame), &out);
		run(frame.bytes, frame.len, REFLECT_LIMITED, &out);
		/* What is passed on takes nothing of the rate. */
		build_from(&frame, &spec, 8, 7);
		frame.bytes[frame.l4 - 1] ^= 1;
		run(frame.bytes, frame.len, REFLECT_OTHER_DEST, &out);
		run(frame.bytes, frame.len, REFLECT_OTHER_DEST, &out);
		frame.bytes[frame.l4 - 1] ^= 1;
		run(frame.bytes, frame.len, answered_as(&frame), &out);
	}
}

/* Of a source that sends all it can, its burst and its rate are answered. */
static void a_rate_is_kept_over_time(void **state)
{
	struct reflect_cfg cfg = usual;
	struct packet_frame frame;
	struct packet_spec spec = { .payload_bytes = 18 };
	struct harness_out out;
	uint64_t answered = 0, most, least, start_ns, passed_ns = 0, last_ns, stalled_ns = 0;
	struct timespec tick;

	(void)state;
	assert_int_equal(clock_getres(CLOCK_MONOTONIC_COARSE, &tick), 0);
	cfg.tick_ns = (uint32_t)tick.tv_nsec;
	cfg.period_ns = 1000000;	/* 1 kpps: a burst of 100 */
	cfg.factors[0] = 1;
	assert_int_equal(load(cfg, 7, false), 0);
	packet_build(&frame, &spec);
	start_ns = harness_mono_ns();
	do {
		harness_run(skel->progs.reflect_xdp, frame.bytes, frame.len, &out);
		answered += out.action == XDP_TX;
		last_ns = passed_ns;
		passed_ns = harness_mono_ns() - start_ns;
		/* Where this process got no CPU for longer than a burst takes, the source did not send all it could. */
		if (passed_ns - last_ns > REFLECT_BURST_NS / 2)
			stalled_ns += passed_ns - last_ns;
	} while (passed_ns < 300000000);
	/* The clock of jiffies may be a tick ahead or behind at either end. */
	most = (passed_ns + REFLECT_BURST_NS + 2 * cfg.tick_ns) / cfg.period_ns + 2;
	least = (passed_ns + REFLECT_BURST_NS) / cfg.period_ns * 3 / 4;
	least -= least < stalled_ns / cfg.period_ns ? least : stalled_ns / cfg.period_ns;
	if (answered > most || answered < least)
		fail_msg("%llu answered in %.1f ms, stalled %.1f ms; %llu to %llu were due",
			 (unsigned long long)answered, (double)passed_ns / 1e6, (double)stalled_ns / 1e6,
			 (unsigned long long)least, (unsigned long long)most);
}

static void with_any_mac_other_stations_are_answered_but_groups_are_not(void **state)
{
	struct packet_frame frame;
	struct packet_spec spec = { .payload_bytes = 18 };
	struct reflect_cfg cfg = usual;
	struct harness_out out;

	(void)state;
	cfg.any_mac = 1;
	assert_int_equal(load(cfg, 7, false), 0);
	packet_build(&frame, &spec);
	run(frame.bytes, frame.len, REFLECT_UDP, &out);
	frame.bytes[5] = 3;
	run(frame.bytes, frame.len, REFLECT_UDP, &out);
	assert_int_equal(out.bytes[11], 3);
	memset(frame.bytes, 0, 6);	/* would be the answer's source */
	run(frame.bytes, frame.len, REFLECT_UNSAFE, &out);
	memset(frame.bytes, 0xff, 6);
	run(frame.bytes, frame.len, REFLECT_UNSAFE, &out);
}

/* A station differs from the interface if any of the six bytes does. */
static void every_byte_of_the_destination_mac_counts(void **state)
{
	struct packet_frame frame;
	struct packet_spec spec = { .payload_bytes = 18 };
	struct harness_out out;
	unsigned int i;

	(void)state;
	for (i = 0; i < 6; i++) {
		packet_build(&frame, &spec);
		frame.bytes[i] ^= 0x10;
		run(frame.bytes, frame.len, REFLECT_LEFT, &out);
	}
}

/* The frame of @spec to the destination address @dest. */
static void build_to(struct packet_frame *frame, const struct packet_spec *spec, const char *dest)
{
	packet_build(frame, spec);
	if (spec->version == 6)
		assert_int_equal(inet_pton(AF_INET6, dest, frame->bytes + frame->l3 + 24), 1);
	else
		assert_int_equal(inet_pton(AF_INET, dest, frame->bytes + frame->l3 + 16), 1);
}

/* Any bit that differs makes another address: of a host behind a router, for example. */
static void other_destinations_are_passed_and_counted(void **state)
{
	struct packet_frame frame;
	struct packet_spec spec;
	struct harness_out out;
	unsigned int i, bit, bits;
	size_t at;

	(void)state;
	assert_int_equal(load(usual, 7, false), 0);
	for (i = 0; good_spec(i, &spec); i++) {
		bits = spec.version == 6 ? 128 : 32;
		/* Not the first octet: it could make a group, which is counted otherwise. */
		for (bit = 8; bit < bits; bit++) {
			packet_build(&frame, &spec);
			at = frame.l3 + (spec.version == 6 ? 24 : 16) + bit / 8;
			frame.bytes[at] ^= 0x80 >> bit % 8;
			run(frame.bytes, frame.len, REFLECT_OTHER_DEST, &out);
		}
		packet_build(&frame, &spec);
		run(frame.bytes, frame.len, answered_as(&frame), &out);
	}
}

/* Each place of a bucket is looked at, and only in the table that is active. */
static void addresses_come_and_go_while_it_runs(void **state)
{
	static const struct { unsigned char version; const char *dest; } kinds[] = {
		{ 4, "203.0.113.77" }, { 6, "fe80::e9:ff:fe00:b" },
	};
	struct packet_frame frame;
	struct packet_spec spec = { .payload_bytes = 18 };
	struct reflect_own_table *table;
	struct harness_out out;
	unsigned int i, way;

	(void)state;
	assert_int_equal(load(usual, 7, false), 0);
	for (i = 0; i < 2; i++) {
		spec.version = kinds[i].version;
		build_to(&frame, &spec, kinds[i].dest);
		for (way = 0; way < REFLECT_OWN_WAYS; way++) {
			run(frame.bytes, frame.len, REFLECT_OTHER_DEST, &out);
			table = &skel->bss->own.tables[!skel->bss->own.active];
			own_clear(table);
			own_put(table, kinds[i].dest, way);
			run(frame.bytes, frame.len, REFLECT_OTHER_DEST, &out);
			skel->bss->own.active ^= 1;
			run(frame.bytes, frame.len, REFLECT_UDP, &out);
			own_clear(table);
			/* The one that is compared before any bucket. */
			run(frame.bytes, frame.len, REFLECT_OTHER_DEST, &out);
			own_first(table, kinds[i].dest);
			run(frame.bytes, frame.len, REFLECT_UDP, &out);
			own_clear(table);
		}
	}
}

/* One pool; "any" is two of length 0. */
static void add_pool(unsigned int version, const char *addr, unsigned int bits)
{
	struct reflect_pool4 *pool4 = &pools.ip4[pools.nr4];
	struct reflect_pool6 *pool6 = &pools.ip6[pools.nr6];
	void *to = version == 6 ? (void *)pool6->addr : &pool4->addr;
	uint8_t *mask = version == 6 ? (uint8_t *)pool6->mask : (uint8_t *)&pool4->mask;
	unsigned int i;

	++*(version == 6 ? &pools.nr6 : &pools.nr4);
	assert_int_equal(inet_pton(version == 6 ? AF_INET6 : AF_INET, addr, to), 1);
	for (i = 0; i < bits; i++)
		mask[i / 8] |= 0x80 >> i % 8;
}

static void a_pool_is_answered_to_its_last_address_and_no_further(void **state)
{
	static const struct {
		unsigned int version;
		const char *dest;
		enum reflect_outcome outcome;
	} cases[] = {
		{ 4, "198.18.0.2", REFLECT_UDP },
		{ 4, "203.0.113.64", REFLECT_UDP }, { 4, "203.0.113.127", REFLECT_UDP },
		{ 4, "203.0.113.63", REFLECT_OTHER_DEST }, { 4, "203.0.113.128", REFLECT_OTHER_DEST },
		{ 4, "192.0.2.1", REFLECT_UDP }, { 4, "192.0.2.2", REFLECT_OTHER_DEST },
		{ 4, "224.0.0.1", REFLECT_UNSAFE },
		{ 6, "2001:2::2", REFLECT_UDP },
		{ 6, "2001:db8:0:40::", REFLECT_UDP },
		{ 6, "2001:db8:0:7f:ffff:ffff:ffff:ffff", REFLECT_UDP },
		{ 6, "2001:db8:0:80::", REFLECT_OTHER_DEST },
		{ 6, "2001:db8:0:3f::1", REFLECT_OTHER_DEST },
		{ 6, "2001:db8:1:40::", REFLECT_OTHER_DEST },
		/* IPv4's first word. */
		{ 6, "c000:201::", REFLECT_OTHER_DEST },
	};
	struct packet_frame frame;
	struct packet_spec spec = { .payload_bytes = 18 };
	struct harness_out out;
	unsigned int i;

	(void)state;
	add_pool(4, "203.0.113.64", 26);
	add_pool(6, "2001:db8:0:40::", 58);
	add_pool(4, "192.0.2.1", 32);
	assert_int_equal(load(usual, 7, false), 0);
	memset(&pools, 0, sizeof(pools));
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		spec.version = cases[i].version;
		build_to(&frame, &spec, cases[i].dest);
		run(frame.bytes, frame.len, cases[i].outcome, &out);
	}
}

static void as_many_pools_as_there_may_be_are_read(void **state)
{
	struct packet_frame frame;
	struct packet_spec spec = { .payload_bytes = 18 };
	struct harness_out out;

	(void)state;
	while (pools.nr4 < REFLECT_MAX_POOLS - 1) {
		add_pool(4, "192.0.2.1", 32);
		add_pool(6, "2001:db8::2", 128);
	}
	add_pool(4, "0.0.0.0", 0);
	add_pool(6, "::", 0);
	assert_int_equal(load(usual, 7, false), 0);
	memset(&pools, 0, sizeof(pools));
	build_to(&frame, &spec, "8.8.8.8");
	run(frame.bytes, frame.len, REFLECT_UDP, &out);
	spec.version = 6;
	build_to(&frame, &spec, "2001:db8::1");
	run(frame.bytes, frame.len, REFLECT_UDP, &out);
}

/* Each fixture under its own name, so that a failure says which. */
static int run_fixtures(const char *group, const char *suffix, CMFixtureFunction setup)
{
	static struct CMUnitTest tests[NR_FIXTURES];
	char *names[NR_FIXTURES];
	int failed;
	size_t i;

	for (i = 0; i < NR_FIXTURES; i++) {
		if (asprintf(&names[i], "reflect_xdp %s %s%s",
			     fixtures[i].answer ? "answers" : "passes", fixtures[i].name, suffix) < 0)
			return 1;
		tests[i] = (struct CMUnitTest){
			.name = names[i], .test_func = matches_fixture,
			.initial_state = (void *)&fixtures[i],
		};
	}
	failed = _cmocka_run_group_tests(group, tests, NR_FIXTURES, setup, unload);
	for (i = 0; i < NR_FIXTURES; i++)
		free(names[i]);
	return failed;
}

int test_reflect(void)
{
	const struct CMUnitTest linear[] = {
		cmocka_unit_test(cut_at_any_byte_is_passed),
		cmocka_unit_test(cut_with_a_matching_ip_length_is_passed),
		cmocka_unit_test(cut_with_all_lengths_matching_is_answered_down_to_the_header),
		cmocka_unit_test(random_damage_never_changes_a_passed_frame),
		cmocka_unit_test(every_echo_identifier_gives_a_right_checksum),
		cmocka_unit_test(every_byte_of_the_destination_mac_counts),
		cmocka_unit_test(stamps_follow_the_answers),
		cmocka_unit_test(foreign_packets_are_not_stamped),
		cmocka_unit_test(without_icmp_echo_requests_are_left),
		cmocka_unit_test(with_port_0_no_udp_is_answered),
		cmocka_unit_test(another_port_is_answered_instead),
		cmocka_unit_test(a_source_gets_its_rate_and_a_burst),
		cmocka_unit_test(a_rate_is_kept_over_time),
		cmocka_unit_test(with_any_mac_other_stations_are_answered_but_groups_are_not),
		cmocka_unit_test(other_destinations_are_passed_and_counted),
		cmocka_unit_test(addresses_come_and_go_while_it_runs),
		cmocka_unit_test(a_pool_is_answered_to_its_last_address_and_no_further),
		cmocka_unit_test(as_many_pools_as_there_may_be_are_read),
	};
	const struct CMUnitTest frags[] = {
		cmocka_unit_test(jumbo_frames_come_back_whole),
		cmocka_unit_test(jumbo_frame_cut_short_is_malformed),
		cmocka_unit_test(cut_at_any_byte_is_passed),
	};

	return run_fixtures("reflect_xdp, fixtures", "", load_usual) +
	       cmocka_run_group_tests_name("reflect_xdp", linear, load_usual, unload) +
	       run_fixtures("reflect_xdp, fixtures, multi-buffer", ", multi-buffer", load_frags) +
	       cmocka_run_group_tests_name("reflect_xdp, multi-buffer", frags, load_frags, unload);
}
