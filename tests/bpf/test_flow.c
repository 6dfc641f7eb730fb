// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * flow_tc: each packet is of one flow, prefix or sum; and the meaning of TCP's headers:
 * round trips, retransmissions, order, windows; and it goes on untouched.
 */
#include "harness.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <linux/bpf.h>
#include <linux/pkt_cls.h>

#include "abi/flow.h"
#include "lib/spread.h"

#include "flow_tc.skel.h"

#define FIN 0x01
#define SYN 0x02
#define RST 0x04
#define ACK 0x10

/* More than a sender needs to know of a loss, where no round trip is known. */
#define RESENT_US 6000
/* Less than that. */
#define AT_ONCE_NS 2500000

/* Flows, where a test does not need another number. */
#define ROOM 64

static struct flow_tc_bpf *bpf;

static int unload(void **state)
{
	(void)state;
	flow_tc_bpf__destroy(bpf);
	bpf = NULL;
	return 0;
}

static int load_room(unsigned int flows)
{
	unload(NULL);
	bpf = harness_open_flow(flows);
	if (!bpf)
		return -errno;
	return flow_tc_bpf__load(bpf);
}

static void empty(const struct bpf_map *map)
{
	static const uint8_t zero[sizeof(struct watch_ring)];
	int fd = bpf_map__fd(map);
	uint64_t key[8];
	uint32_t i;

	assert_true(bpf_map__key_size(map) <= sizeof(key));
	if (bpf_map__type(map) != BPF_MAP_TYPE_ARRAY) {
		while (!bpf_map_get_next_key(fd, NULL, key))
			assert_int_equal(bpf_map_delete_elem(fd, key), 0);
		return;
	}
	assert_true(bpf_map__value_size(map) <= sizeof(zero));
	for (i = 0; i < bpf_map__max_entries(map); i++)
		assert_int_equal(bpf_map_update_elem(fd, &i, zero, BPF_ANY), 0);
}

/* As if loaded anew, which an emulated machine needs seconds for. */
static int load(void **state)
{
	struct bpf_map *map;

	(void)state;
	if (!bpf || bpf_map__max_entries(bpf->maps.flows) != ROOM)
		return load_room(ROOM);
	bpf_object__for_each_map(map, bpf->obj) {
		if (!bpf_map__is_internal(map))
			empty(map);
	}
	return 0;
}

static void run(enum watch_dir dir, const void *frame, size_t len, uint32_t gso_size)
{
	const struct bpf_program *prog = dir == WATCH_RX ? bpf->progs.flow_tc_in :
							   bpf->progs.flow_tc_out;
	struct harness_out out;

	if (gso_size)
		harness_run_gso(prog, frame, len, gso_size, 0, &out);
	else
		harness_run(prog, frame, len, &out);
	assert_int_equal(out.action, TC_ACT_UNSPEC);
	assert_true(harness_untouched(&out, frame, len));
}

struct segment {
	uint8_t flags;
	uint32_t seq, bytes, ack;
	uint32_t tsval, tsecr;		/* both 0: without the option */
	bool no_window;
	uint16_t gso_size;
	unsigned int version;
};

static void put32(uint8_t *at, uint32_t value)
{
	at[0] = (uint8_t)(value >> 24);
	at[1] = (uint8_t)(value >> 16);
	at[2] = (uint8_t)(value >> 8);
	at[3] = (uint8_t)value;
}

/* The client is the near end: what it sends is WATCH_TX. Packets are followed by padding. */
static void tcp(enum watch_dir dir, struct segment s)
{
	struct packet_frame frame;
	unsigned int v = s.version ? s.version : 4, options = s.tsval || s.tsecr ? 12 : 0;
	size_t addr, bytes;
	uint8_t *l4, swap[16];

	packet_build(&frame, &(struct packet_spec){
		.version = v, .payload_bytes = 12 + options + s.bytes, .pad_to_bytes = 60 });
	frame.bytes[frame.l3 + (v == 6 ? 6 : 9)] = 6;
	addr = frame.l3 + (v == 6 ? 8 : 12);
	bytes = v == 6 ? 16 : 4;
	l4 = frame.bytes + frame.l4;
	memset(l4, 0, 20 + options);
	put32(l4, dir == WATCH_TX ? 40001u << 16 | 80 : 80u << 16 | 40001);
	if (dir == WATCH_RX) {
		memcpy(swap, frame.bytes + addr, bytes);
		memmove(frame.bytes + addr, frame.bytes + addr + bytes, bytes);
		memcpy(frame.bytes + addr + bytes, swap, bytes);
	}
	put32(l4 + 4, s.seq);
	put32(l4 + 8, s.ack);
	l4[12] = (uint8_t)((20 + options) / 4 << 4);
	l4[13] = s.flags;
	l4[14] = s.no_window ? 0 : 0x10;
	if (options) {
		put32(l4 + 20, 0x0101080a);
		put32(l4 + 24, s.tsval);
		put32(l4 + 28, s.tsecr);
	}
	run(dir, frame.bytes, frame.len, s.gso_size);
}

#define NEAR(...) tcp(WATCH_TX, (struct segment){ __VA_ARGS__ })
#define FAR(...) tcp(WATCH_RX, (struct segment){ __VA_ARGS__ })

/* The only flow there is. */
static struct flow_rec flow(void)
{
	uint64_t slot[FLOW_SLOT_BYTES / 8];
	struct flow_key key, next;
	struct flow_rec rec;

	assert_int_equal(bpf_map_get_next_key(bpf_map__fd(bpf->maps.flows), NULL, &key), 0);
	assert_int_not_equal(bpf_map_get_next_key(bpf_map__fd(bpf->maps.flows), &key, &next), 0);
	assert_int_equal(bpf_map_lookup_elem(bpf_map__fd(bpf->maps.flows), &key, slot), 0);
	memcpy(&rec, slot, sizeof(rec));
	return rec;
}

static struct flow_cpu sums(void)
{
	struct flow_cpu cpu;

	harness_read(bpf->maps.flow_cpus, harness_cpu(), &cpu);
	return cpu;
}

static const struct hist_rec *trips(enum flow_kind kind, enum watch_dir dir)
{
	static struct hist_rec hist;

	harness_read(bpf->maps.flow_hists,
		     (kind * WATCH_DIRS + dir) * harness_cpus() + harness_cpu(), &hist);
	return &hist;
}

static uint64_t timed(enum flow_kind kind, enum watch_dir dir)
{
	return trips(kind, dir)->count;
}

static void handshake(unsigned int version, uint32_t tsval)
{
	NEAR(SYN, .seq = 1000, .tsval = tsval, .version = version);
	FAR(SYN | ACK, .seq = 5000, .ack = 1001, .tsval = tsval, .tsecr = tsval, .version = version);
	NEAR(ACK, .seq = 1001, .ack = 5001, .tsval = tsval, .tsecr = tsval, .version = version);
}

static void a_connection_is_one_flow_from_handshake_to_end(void **state)
{
	unsigned int version;
	struct flow_rec rec;

	for (version = 4; version <= 6; version += 2) {
		load(state);
		handshake(version, 0);
		rec = flow();
		assert_int_equal(rec.counts[WATCH_TX].packets, 2);
		assert_int_equal(rec.counts[WATCH_RX].packets, 1);
		assert_int_equal(rec.opener, WATCH_TX);
		assert_true(rec.handshake_ns > 0);
		assert_int_equal(timed(FLOW_HANDSHAKE, WATCH_TX), 1);
		assert_int_equal(rec.rtts[WATCH_TX].count, 1);
		assert_int_equal(rec.rtts[WATCH_RX].count, 1);
		NEAR(FIN | ACK, .seq = 1001, .ack = 5001, .version = version);
		assert_int_equal(flow().ended, 0);
		FAR(FIN | ACK, .seq = 5001, .ack = 1002, .version = version);
		assert_int_equal(flow().ended, 1);
		NEAR(ACK, .seq = 1002, .ack = 5002, .version = version);
		assert_int_equal(sums().ended_flows, 1);
		assert_int_equal(sums().new_flows, 1);
		assert_int_equal(sums().active_flows, 1);
		assert_int_equal(flow().ways[WATCH_TX].retransmitted, 0);
	}
}

static void a_segment_is_timed_until_it_is_acknowledged(void **state)
{
	load(state);
	NEAR(ACK, .seq = 1, .bytes = 100, .ack = 1);
	FAR(ACK, .seq = 1, .ack = 1);
	assert_int_equal(timed(FLOW_BY_SEQUENCE, WATCH_TX), 0);
	FAR(ACK, .seq = 1, .ack = 100);
	assert_int_equal(timed(FLOW_BY_SEQUENCE, WATCH_TX), 0);
	FAR(ACK, .seq = 1, .ack = 101);
	assert_int_equal(timed(FLOW_BY_SEQUENCE, WATCH_TX), 1);
	FAR(ACK, .seq = 1, .ack = 101);
	assert_int_equal(timed(FLOW_BY_SEQUENCE, WATCH_TX), 1);
	/* Of a super-packet the first segment. */
	NEAR(ACK, .seq = 101, .bytes = 1000, .ack = 1, .gso_size = 300);
	FAR(ACK, .seq = 1, .ack = 401);
	assert_int_equal(timed(FLOW_BY_SEQUENCE, WATCH_TX), 2);
	/* Karn: sent twice, it is not timed. */
	NEAR(ACK, .seq = 1101, .bytes = 100, .ack = 1);
	NEAR(ACK, .seq = 1101, .bytes = 100, .ack = 1);
	FAR(ACK, .seq = 1, .ack = 1201);
	assert_int_equal(timed(FLOW_BY_SEQUENCE, WATCH_TX), 2);
	assert_int_equal(flow().ways[WATCH_TX].retransmitted, 1);
}

static void the_number_wraps(void **state)
{
	load(state);
	NEAR(ACK, .seq = 0xffffffc0, .bytes = 100, .ack = 1);
	FAR(ACK, .seq = 1, .ack = 0xffffffc0);
	assert_int_equal(timed(FLOW_BY_SEQUENCE, WATCH_TX), 0);
	FAR(ACK, .seq = 1, .ack = 36);
	assert_int_equal(timed(FLOW_BY_SEQUENCE, WATCH_TX), 1);
	NEAR(ACK, .seq = 36, .bytes = 100, .ack = 1);
	assert_int_equal(flow().ways[WATCH_TX].retransmitted, 0);
}

static void a_timestamp_is_timed_until_its_first_echo(void **state)
{
	load(state);
	/* An acknowledgement alone is not timed, nor what follows with its timestamp. */
	NEAR(ACK, .seq = 1, .ack = 1, .tsval = 70, .tsecr = 9);
	NEAR(ACK, .seq = 1, .bytes = 100, .ack = 1, .tsval = 70, .tsecr = 9);
	FAR(ACK, .seq = 1, .ack = 101, .tsval = 10, .tsecr = 70);
	assert_int_equal(timed(FLOW_BY_TIMESTAMP, WATCH_TX), 0);
	NEAR(ACK, .seq = 101, .bytes = 100, .ack = 1, .tsval = 71, .tsecr = 10);
	FAR(ACK, .seq = 1, .ack = 101, .tsval = 11, .tsecr = 70);
	assert_int_equal(timed(FLOW_BY_TIMESTAMP, WATCH_TX), 0);
	FAR(ACK, .seq = 1, .ack = 201, .tsval = 11, .tsecr = 71);
	assert_int_equal(timed(FLOW_BY_TIMESTAMP, WATCH_TX), 1);
	FAR(ACK, .seq = 1, .ack = 201, .tsval = 12, .tsecr = 71);
	assert_int_equal(timed(FLOW_BY_TIMESTAMP, WATCH_TX), 1);
	/* Skipped: it is unknown when it would have come back. */
	NEAR(ACK, .seq = 201, .bytes = 100, .ack = 1, .tsval = 80, .tsecr = 12);
	NEAR(ACK, .seq = 301, .bytes = 100, .ack = 1, .tsval = 81, .tsecr = 12);
	FAR(ACK, .seq = 1, .ack = 401, .tsval = 13, .tsecr = 81);
	assert_int_equal(timed(FLOW_BY_TIMESTAMP, WATCH_TX), 1);
	assert_int_equal(timed(FLOW_BY_SEQUENCE, WATCH_TX), 0);
	assert_int_equal(timed(FLOW_BY_TIMESTAMP, WATCH_RX), 0);
}

/* The only flow's buckets; false: it has none. */
static bool spread(struct flow_spread *ret_spread, struct flow_key *ret_key)
{
	int fd = bpf_map__fd(bpf->maps.flow_spreads);

	return !bpf_map_get_next_key(fd, NULL, ret_key) &&
	       !bpf_map_lookup_elem(fd, ret_key, ret_spread);
}

static void every_time_is_in_the_bucket_that_covers_it(void **state)
{
	uint32_t i;

	(void)state;
	for (i = 0; i + 1 < FLOW_SPREAD_BUCKETS; i++) {
		uint64_t lower_ns = flow_spread_lower_ns(i), next_ns = flow_spread_lower_ns(i + 1);

		assert_int_equal(flow_spread_index(lower_ns), i);
		assert_int_equal(flow_spread_index(next_ns - 1), i);
		assert_true(!i || next_ns - lower_ns <= lower_ns / 4);
	}
	assert_int_equal(flow_spread_index(1ull << FLOW_SPREAD_MAX_BITS), FLOW_SPREAD_BUCKETS - 1);
	assert_int_equal(flow_spread_index(UINT64_MAX), FLOW_SPREAD_BUCKETS - 1);
}

/* Held against the finer buckets of all flows, which had the same times. */
static void a_flows_round_trips_are_in_its_own_buckets(void **state)
{
	static const double shares[] = { 0.01, 0.5, 0.9, 0.99, 1 };
	struct flow_spread coarse, expect = { 0 };
	struct harness_follow follow = { 0 };
	static struct hist_rec fine;
	struct flow_key key;
	struct flow_rtt rtt;
	uint64_t seen, rank;
	uint32_t i, s;

	load(state);
	NEAR(ACK, .seq = 1, .ack = 1);
	assert_false(spread(&coarse, &key));
	for (i = 0; i < 31; i++) {
		NEAR(ACK, .seq = 1 + 100 * i, .bytes = 100, .ack = 1);
		usleep(i * i * 10);
		FAR(ACK, .seq = 1, .ack = 101 + 100 * i);
		harness_follow(&follow, trips(FLOW_BY_SEQUENCE, WATCH_TX));
	}
	assert_true(spread(&coarse, &key));
	fine = *trips(FLOW_BY_SEQUENCE, WATCH_TX);
	for (i = 0; i < HIST_BUCKETS; i++)
		expect.buckets[WATCH_TX][flow_spread_index(hist_lower_ns(i))] +=
			(uint32_t)fine.buckets[i];
	assert_memory_equal(&coarse, &expect, sizeof(expect));
	assert_int_equal(spread_count(coarse.buckets[WATCH_TX]), 31);
	rtt = flow().rtts[WATCH_TX];
	for (s = 0; s < sizeof(shares) / sizeof(shares[0]); s++) {
		uint64_t ns = spread_percentile_ns(coarse.buckets[WATCH_TX], &rtt, shares[s]);

		rank = (uint64_t)(shares[s] * 31 + 0.999);
		for (seen = 0, i = 0; seen + fine.buckets[i] < rank; i++)
			seen += fine.buckets[i];
		assert_int_equal(flow_spread_index(ns), flow_spread_index(hist_lower_ns(i)));
	}
	assert_int_equal(sums().not_spread, 0);
}

static void a_full_bucket_does_not_wrap_and_is_reported(void **state)
{
	struct flow_spread full;
	struct flow_key key;

	load(state);
	NEAR(ACK, .seq = 1, .bytes = 100, .ack = 1);
	FAR(ACK, .seq = 1, .ack = 101);
	assert_true(spread(&full, &key));
	memset(&full, 0xff, sizeof(full));
	assert_int_equal(bpf_map_update_elem(bpf_map__fd(bpf->maps.flow_spreads), &key, &full, 0), 0);
	NEAR(ACK, .seq = 101, .bytes = 100, .ack = 1);
	FAR(ACK, .seq = 1, .ack = 201);
	assert_true(spread(&full, &key));
	assert_int_equal(spread_count(full.buckets[WATCH_TX]), FLOW_SPREAD_BUCKETS * 0xffffffffull);
	assert_int_equal(sums().not_spread, 1);
	assert_int_equal(flow().rtts[WATCH_TX].count, 2);
}

static void what_fills_a_hole_is_late_or_sent_again(void **state)
{
	const struct flow_way *way;
	struct flow_rec rec;
	uint64_t before_ns;
	int tries = 0;

	/* At once: late. A machine that others use may be too slow for that now and then. */
	do {
		load(state);
		NEAR(ACK, .seq = 1, .bytes = 100, .ack = 1);
		before_ns = harness_mono_ns();
		NEAR(ACK, .seq = 201, .bytes = 100, .ack = 1);
		NEAR(ACK, .seq = 101, .bytes = 100, .ack = 1);
	} while (harness_mono_ns() - before_ns > AT_ONCE_NS && ++tries < 50);
	NEAR(ACK, .seq = 401, .bytes = 100, .ack = 1);
	usleep(RESENT_US);
	NEAR(ACK, .seq = 301, .bytes = 100, .ack = 1);	/* a loss that was noticed */
	NEAR(ACK, .seq = 401, .bytes = 100, .ack = 1);	/* was seen */
	NEAR(ACK, .seq = 500, .bytes = 1, .ack = 1);	/* asks whether the peer is alive */
	NEAR(ACK, .seq = 500, .bytes = 0, .ack = 1);
	rec = flow();
	way = &rec.ways[WATCH_TX];
	assert_int_equal(way->out_of_order, 1);
	assert_int_equal(way->retransmitted, 2);
	/* By its timestamp it was sent before what is here already, however late. */
	load(state);
	NEAR(ACK, .seq = 1, .bytes = 100, .ack = 1, .tsval = 70);
	NEAR(ACK, .seq = 201, .bytes = 100, .ack = 1, .tsval = 72);
	usleep(RESENT_US);
	NEAR(ACK, .seq = 101, .bytes = 100, .ack = 1, .tsval = 71);
	rec = flow();
	assert_int_equal(way->out_of_order, 1);
	assert_int_equal(way->retransmitted, 0);
	/* Of a super-packet every segment. */
	NEAR(ACK, .seq = 101, .bytes = 200, .ack = 1, .tsval = 75, .gso_size = 67);
	assert_int_equal(flow().ways[WATCH_TX].retransmitted, 3);
}

static void closed_windows_and_duplicate_acks_are_counted(void **state)
{
	struct flow_rec rec;

	load(state);
	NEAR(ACK, .seq = 1, .bytes = 100, .ack = 1);
	FAR(ACK, .seq = 1, .ack = 1);
	FAR(ACK, .seq = 1, .ack = 1);
	FAR(ACK, .seq = 1, .ack = 1);
	FAR(ACK, .seq = 1, .ack = 101);
	FAR(ACK, .seq = 1, .ack = 101);		/* nothing is outstanding */
	FAR(ACK, .seq = 1, .ack = 101, .no_window = true);
	FAR(RST | ACK, .seq = 1, .ack = 101, .no_window = true);
	rec = flow();
	assert_int_equal(rec.ways[WATCH_RX].dup_acks, 2);
	assert_int_equal(rec.ways[WATCH_RX].zero_windows, 1);
	assert_int_equal(rec.ended, 1);
	assert_int_equal(rec.ways[WATCH_TX].dup_acks, 0);
}

static void the_same_ports_again_are_a_new_connection(void **state)
{
	load(state);
	handshake(4, 0);
	NEAR(RST, .seq = 1001);
	NEAR(SYN, .seq = 90);
	assert_int_equal(flow().ended, 0);
	NEAR(SYN, .seq = 90);
	assert_int_equal(flow().ways[WATCH_TX].retransmitted, 1);
	assert_int_equal(flow().handshake_ns, 0);
	NEAR(RST, .seq = 91);
	assert_int_equal(sums().ended_flows, 2);
	assert_int_equal(sums().new_flows, 1);
}

static void echoes_are_timed_unless_asked_twice(void **state)
{
	struct packet_frame ask, answer;

	load(state);
	packet_build(&ask, &(struct packet_spec){ .echo = true, .echo_id = 7, .echo_sequence = 1 });
	answer = ask;
	memcpy(answer.bytes + answer.l3 + 12, ask.bytes + ask.l3 + 16, 4);
	memcpy(answer.bytes + answer.l3 + 16, ask.bytes + ask.l3 + 12, 4);
	answer.bytes[answer.l4] = 0;
	run(WATCH_RX, ask.bytes, ask.len, 0);
	run(WATCH_TX, answer.bytes, answer.len, 0);
	assert_int_equal(timed(FLOW_ECHO, WATCH_RX), 1);
	assert_int_equal(timed(FLOW_ECHO, WATCH_TX), 0);
	run(WATCH_TX, answer.bytes, answer.len, 0);
	run(WATCH_RX, ask.bytes, ask.len, 0);
	run(WATCH_RX, ask.bytes, ask.len, 0);
	run(WATCH_TX, answer.bytes, answer.len, 0);
	assert_int_equal(timed(FLOW_ECHO, WATCH_RX), 1);
	assert_int_equal(sums().asked, 3);
	assert_int_equal(sums().asked_again, 1);
	assert_int_equal(sums().answered, 1);
	assert_int_equal(sums().unasked, 2);
}

#define V1	1
#define V2	0x6b3343cf

struct datagram {
	uint8_t first;
	uint32_t version;
	uint8_t to_bytes, from_bytes, to, from;		/* each of the ID's bytes */
	uint16_t client_port;				/* 0: 40001; the server's is 443 */
	size_t payload_bytes;				/* 0: 1200 */
};

/* As tcp(): the client is the near end. */
static void quic(enum watch_dir dir, struct datagram d)
{
	uint16_t client = d.client_port ? d.client_port : 40001;
	struct packet_frame frame;
	uint8_t *at, swap[4];

	packet_build(&frame, &(struct packet_spec){
		.payload_bytes = d.payload_bytes ? d.payload_bytes : 1200,
		.src_port = dir == WATCH_TX ? client : 443,
		.dst_port = dir == WATCH_TX ? 443 : client });
	if (dir == WATCH_RX) {
		at = frame.bytes + frame.l3 + 12;
		memcpy(swap, at, 4);
		memmove(at, at + 4, 4);
		memcpy(at + 4, swap, 4);
	}
	at = frame.bytes + frame.l4 + 8;
	*at++ = d.first;
	put32(at, d.version);
	at += 4;
	*at++ = d.to_bytes;
	memset(at, d.to, d.to_bytes);
	at += d.to_bytes;
	*at++ = d.from_bytes;
	memset(at, d.from, d.from_bytes);
	run(dir, frame.bytes, frame.len, 0);
}

#define CLIENT(...) quic(WATCH_TX, (struct datagram){ __VA_ARGS__ })
#define SERVER(...) quic(WATCH_RX, (struct datagram){ __VA_ARGS__ })

static void a_quic_server_is_timed_from_the_first_initial(void **state)
{
	load(state);
	CLIENT(0xc0, V1, 8, 4, 'r', 'c');
	CLIENT(0xc0, V1, 8, 4, 'r', 'c');	/* the rest of a long ClientHello */
	SERVER(0xc0, V1, 5, 8, 'c', 's');	/* to whom? */
	SERVER(0x40, V1, 4, 8, 'c', 's');	/* a short header */
	assert_int_equal(timed(FLOW_QUIC, WATCH_TX), 0);
	SERVER(0xc0, V1, 4, 8, 'c', 's');
	assert_int_equal(timed(FLOW_QUIC, WATCH_TX), 1);
	assert_true(flow().handshake_ns > 0);
	CLIENT(0xc0, V1, 8, 4, 's', 'c');	/* its acknowledgement is no beginning */
	SERVER(0xe0, V1, 4, 8, 'c', 's');
	assert_int_equal(timed(FLOW_QUIC, WATCH_TX), 1);
	assert_int_equal(timed(FLOW_QUIC, WATCH_RX), 0);
	/* Version 2 numbers the types otherwise; a server may be heard by a Handshake first. */
	load(state);
	CLIENT(0xd0, V2, 8, 0, 'r', 0);
	SERVER(0xf0, V2, 0, 8, 0, 's', .payload_bytes = 50);
	assert_int_equal(timed(FLOW_QUIC, WATCH_TX), 1);
}

static void a_retry_starts_the_time_anew_and_is_counted(void **state)
{
	load(state);
	CLIENT(0xc0, V1, 8, 4, 'r', 'c');
	SERVER(0xf0, V1, 4, 8, 'c', 'q', .payload_bytes = 60);
	usleep(RESENT_US);
	CLIENT(0xc0, V1, 8, 4, 'r', 'c');	/* was on its way before the Retry */
	SERVER(0xc0, V1, 4, 8, 'c', 's');
	assert_int_equal(timed(FLOW_QUIC, WATCH_TX), 0);
	CLIENT(0xc0, V1, 8, 4, 'q', 'c');
	SERVER(0xc0, V1, 4, 8, 'c', 's');
	assert_int_equal(timed(FLOW_QUIC, WATCH_TX), 1);
	assert_true(flow().handshake_ns < RESENT_US * 1000);
	assert_int_equal(sums().quic_retries, 1);
	load(state);
	CLIENT(0xc0, V1, 8, 4, 'r', 'c');
	SERVER(0x80, 0, 4, 8, 'c', 'r', .payload_bytes = 30);
	CLIENT(0xd0, V2, 8, 4, 'x', 'd');
	SERVER(0xd0, V2, 4, 8, 'd', 's');
	assert_int_equal(timed(FLOW_QUIC, WATCH_TX), 1);
	assert_int_equal(sums().quic_versions, 1);
	assert_int_equal(sums().quic_retries, 0);
}

static void what_is_no_whole_quic_handshake_is_not_timed(void **state)
{
	static const struct datagram firsts[] = {
		{ 0xc0, V1, 7, 4, 'r', 'c' },			/* an ID too short for a client's */
		{ 0xc0, V1, 21, 4, 'r', 'c' },			/* and one too long */
		{ 0xc0, V1, 8, 4, 'r', 'c', .payload_bytes = 1199 },
		{ 0x80, V1, 8, 4, 'r', 'c' },
		{ 0xd0, V1, 8, 4, 'r', 'c' },			/* 0-RTT */
		{ 0xc0, 2, 8, 4, 'r', 'c' },			/* of no version */
		{ 0xc0, V1, 8, 4, 'r', 'c', .payload_bytes = 12 },	/* cut within the ID */
	};
	size_t i;

	for (i = 0; i < sizeof(firsts) / sizeof(firsts[0]); i++) {
		load(state);
		quic(WATCH_TX, firsts[i]);
		SERVER(0xc0, V1, 4, 8, 'c', 's');
		assert_int_equal(timed(FLOW_QUIC, WATCH_TX) + timed(FLOW_QUIC, WATCH_RX), 0);
	}
	/* Begun before it was watched: the server's Initial is the first that is seen. */
	load(state);
	SERVER(0xc0, V1, 8, 8, 'c', 's');
	CLIENT(0xc0, V1, 8, 8, 's', 'c');
	SERVER(0xe0, V1, 8, 8, 'c', 's');
	assert_int_equal(timed(FLOW_QUIC, WATCH_TX) + timed(FLOW_QUIC, WATCH_RX), 0);
	assert_int_equal(sums().seen[WATCH_RX].packets, 2);
}

static void what_has_no_room_is_in_a_prefix(void **state)
{
	struct flow_prefix prefix, next;
	struct packet_frame frame;
	struct flow_fold fold;
	int i;

	(void)state;
	assert_int_equal(load_room(1), 0);
	for (i = 0; i < 13; i++) {
		packet_build(&frame, &(struct packet_spec){ .src_port = (uint16_t)(1 + i),
							     .payload_bytes = 101 });
		run(WATCH_RX, frame.bytes, frame.len, 0);
	}
	assert_int_equal(flow().counts[WATCH_RX].packets, 1);
	assert_int_equal(sums().folded, 12);
	assert_int_equal(sums().seen[WATCH_RX].packets, 13);
	assert_int_equal(bpf_map_get_next_key(bpf_map__fd(bpf->maps.flow_folds), NULL, &prefix), 0);
	assert_int_not_equal(bpf_map_get_next_key(bpf_map__fd(bpf->maps.flow_folds), &prefix, &next),
			     0);
	assert_memory_equal(prefix.addr, frame.bytes + frame.l3 + 12, 3);
	assert_int_equal(bpf_map_lookup_elem(bpf_map__fd(bpf->maps.flow_folds), &prefix, &fold), 0);
	assert_int_equal(fold.counts[WATCH_RX].packets, 12);
	assert_int_equal(fold.counts[WATCH_RX].frame_bytes, 12 * (frame.len + 4));
}

static void what_is_cut_short_or_not_ip_is_of_no_flow(void **state)
{
	struct packet_frame frame;
	uint64_t nr = 0;
	size_t len;

	load(state);
	packet_build(&frame, &(struct packet_spec){ .payload_bytes = 101 });
	for (len = 54; len < frame.len; len += 7, nr++)
		run(WATCH_RX, frame.bytes, len, 0);
	frame.bytes[12] = 0x88;
	run(WATCH_RX, frame.bytes, frame.len, 0);
	assert_int_equal(sums().no_flow[WATCH_RX].packets, nr + 1);
	assert_int_equal(sums().seen[WATCH_RX].packets, nr + 1);
	assert_int_equal(sums().new_flows, 0);
}

/* One of IPv6, of each possible length. */
static void ports_after_long_extensions_are_those_of_the_flow(void **state)
{
	const struct packet_spec spec = { .version = 6, .extensions = 1, .payload_bytes = 2500 };
	struct packet_frame frame;
	struct flow_key key;
	size_t bytes;

	for (bytes = 8; bytes <= 2048; bytes += 8) {
		load(state);
		packet_build(&frame, &spec);
		memset(frame.bytes + frame.l4, 0, spec.payload_bytes + 8);
		frame.bytes[frame.l4 - 7] = (uint8_t)(bytes / 8 - 1);
		put32(frame.bytes + frame.l4 + bytes - 8, 50021u << 16 | 4433);
		run(WATCH_RX, frame.bytes, frame.len, 0);
		assert_int_equal(bpf_map_get_next_key(bpf_map__fd(bpf->maps.flows), NULL, &key), 0);
		assert_int_equal(ntohs(key.far_port), 50021);
		assert_int_equal(ntohs(key.near_port), 4433);
		assert_int_equal(sums().no_flow[WATCH_RX].packets, 0);
	}
}

/* -- the cache of a CPU's flows --------------------------------------------- */

/* UDP between the ports @far and 53000, so that it is no request. */
static struct flow_key udp(enum watch_dir dir, uint16_t far)
{
	struct packet_frame frame;
	struct flow_key key __attribute__((aligned(8))) = { .version = 4, .proto = IPPROTO_UDP };

	packet_build(&frame, &(struct packet_spec){ .src_port = dir == WATCH_RX ? far : 53000,
		     .dst_port = dir == WATCH_RX ? 53000 : far, .payload_bytes = 101 });
	memcpy(key.far, frame.bytes + frame.l3 + 12, 4);
	memcpy(key.near, frame.bytes + frame.l3 + 16, 4);
	if (dir == WATCH_TX) {
		memcpy(frame.bytes + frame.l3 + 12, key.near, 4);
		memcpy(frame.bytes + frame.l3 + 16, key.far, 4);
	}
	key.near_port = htons(53000);
	key.far_port = htons(far);
	run(dir, frame.bytes, frame.len, 0);
	return key;
}

static uint64_t in_table(const struct flow_key *key, enum watch_dir dir)
{
	uint64_t slot[FLOW_SLOT_BYTES / 8];
	struct flow_rec rec;

	if (bpf_map_lookup_elem(bpf_map__fd(bpf->maps.flows), key, slot))
		return 0;
	memcpy(&rec, slot, sizeof(rec));
	return rec.counts[dir].packets;
}

static struct flow_cached in_cache(const struct flow_key *key)
{
	struct flow_cached cached;

	harness_read(bpf->maps.flow_caches, harness_cpu() * FLOW_CACHE + flow_cache_index((const void *)key), &cached);
	if (memcmp(&cached.key, key, sizeof(*key)))
		memset(&cached, 0, sizeof(cached));
	return cached;
}

/* The table has the first packet; what the cache counts comes there at an interval's end, or 10 ms later. */
static void packets_of_a_cached_flow_reach_the_table_together(void **state)
{
	struct flow_key key __attribute__((aligned(8)));
	uint64_t active;
	int i;

	load(state);
	key = udp(WATCH_RX, 7);
	assert_int_equal(in_table(&key, WATCH_RX), 1);
	do {	/* Again if this process was delayed. */
		bpf->data->flow_epoch++;
		udp(WATCH_RX, 7);
		for (i = 0; i < 3; i++)
			udp(WATCH_TX, 7);
		for (i = 0; i < 3; i++)
			udp(WATCH_RX, 7);
	} while (in_cache(&key).counts[WATCH_RX].packets != 3);
	active = sums().active_flows;
	assert_int_equal(in_cache(&key).counts[WATCH_RX].frame_bytes, 3 * (14 + 20 + 8 + 101 + 4));
	bpf->data->flow_epoch++;
	udp(WATCH_RX, 7);
	assert_int_equal(in_cache(&key).counts[WATCH_RX].packets, 0);
	assert_int_equal(in_table(&key, WATCH_RX), sums().seen[WATCH_RX].packets);
	assert_int_equal(in_table(&key, WATCH_TX), sums().seen[WATCH_TX].packets);
	assert_int_equal(sums().active_flows, active + 1);
	usleep(FLOW_CACHE_NS / 1000);
	udp(WATCH_RX, 7);
	assert_int_equal(in_cache(&key).counts[WATCH_RX].packets, 0);
	assert_int_equal(in_table(&key, WATCH_RX), sums().seen[WATCH_RX].packets);
	assert_int_equal(sums().active_flows, active + 1);
}

/* Two flows with one place: each takes it, and nothing is lost. */
static void a_flow_that_loses_its_place_is_in_the_table(void **state)
{
	struct flow_key first __attribute__((aligned(8))), other __attribute__((aligned(8)));
	uint16_t port = 7;
	int i;

	load(state);
	first = other = udp(WATCH_RX, port);
	do {
		other.far_port = htons(++port);
	} while (flow_cache_index((const void *)&other) != flow_cache_index((const void *)&first));
	for (i = 0; i < 4; i++)
		udp(WATCH_TX, 7);
	udp(WATCH_RX, port);
	assert_int_equal(in_table(&first, WATCH_RX), 1);
	assert_int_equal(in_table(&first, WATCH_TX), 4);
	assert_int_equal(in_table(&other, WATCH_RX), 1);
	assert_int_equal(in_cache(&first).key.rest, 0);
	assert_int_equal(in_cache(&other).key.rest, ((const struct flow_words *)&other)->rest);
}

/* User space removes it from the table as idle: what the cache has belongs to the prefix, as the rest. */
static struct flow_key remove_while_cached(void)
{
	struct flow_key key __attribute__((aligned(8)));

	do {	/* Again if this process was delayed. */
		key = udp(WATCH_RX, 7);
	} while (in_cache(&key).counts[WATCH_RX].packets != 1);
	assert_int_equal(bpf_map_delete_elem(bpf_map__fd(bpf->maps.flows), &key), 0);
	return key;
}

static uint64_t in_prefix(const struct flow_key *key)
{
	struct flow_prefix prefix = { .version = 4 };
	struct flow_fold fold = { 0 };

	memcpy(prefix.addr, key->far, 3);
	bpf_map_lookup_elem(bpf_map__fd(bpf->maps.flow_folds), &prefix, &fold);
	return fold.counts[WATCH_RX].packets;
}

static void what_a_removed_flow_has_in_the_cache_is_in_its_prefix(void **state)
{
	struct flow_key key __attribute__((aligned(8)));
	uint16_t i;

	load(state);
	key = remove_while_cached();
	bpf->data->flow_epoch++;
	udp(WATCH_RX, 7);
	assert_int_equal(in_prefix(&key), 1);
	assert_int_equal(in_table(&key, WATCH_RX), 1);
	assert_int_equal(sums().new_flows, 2);

	key = remove_while_cached();
	for (i = 0; sums().new_flows < ROOM + 2; i++)
		udp(WATCH_RX, (uint16_t)(1000 + i));
	bpf->data->flow_epoch++;
	assert_int_equal(sums().folded, 0);
	udp(WATCH_RX, 7);
	assert_int_equal(in_prefix(&key), 3);
	assert_int_equal(sums().folded, 1);
}

/* What the program keeps of a packet that needs the table; those of the cache leave it alone. */
static bool needed_the_table(enum watch_dir dir, const struct packet_frame *frame)
{
	static uint8_t before[1024], after[1024];

	assert_true(bpf_map__value_size(bpf->maps.flow_works) <= sizeof(before));
	harness_read(bpf->maps.flow_works, harness_cpu(), before);
	run(dir, frame->bytes, frame->len, 0);
	harness_read(bpf->maps.flow_works, harness_cpu(), after);
	return memcmp(before, after, sizeof(before));
}

/* The second packet of each, but where there is more in it than a count. */
static void usual_packets_of_a_cached_flow_need_no_table(void **state)
{
	static const struct {
		uint16_t port;
		uint8_t first_byte;
		bool is_usual;
	} kinds[] = { { 7, 0x7f, true }, { 53, 0, false }, { 443, 0xc3, false } };
	struct packet_frame frame;
	unsigned int version, dir;
	size_t i;

	for (version = 4; version <= 6; version += 2) {
		for (dir = 0; dir < WATCH_DIRS * sizeof(kinds) / sizeof(kinds[0]); dir++) {
			load(state);
			i = dir / WATCH_DIRS;
			packet_build(&frame, &(struct packet_spec){ .version = version, .src_port = 4001,
				     .dst_port = kinds[i].port, .payload_bytes = 101 });
			frame.bytes[frame.l4 + 8] = kinds[i].first_byte;
			assert_true(needed_the_table(dir % WATCH_DIRS, &frame));
			/* Again if this process was delayed. */
			assert_true(needed_the_table(dir % WATCH_DIRS, &frame) != kinds[i].is_usual ||
				    needed_the_table(dir % WATCH_DIRS, &frame) != kinds[i].is_usual);
		}
	}
}

static void tcp_is_in_no_cache(void **state)
{
	struct flow_cached cached;
	uint32_t i;

	load(state);
	handshake(4, 0);
	for (i = 0; i < harness_cpus() * FLOW_CACHE; i++) {
		harness_read(bpf->maps.flow_caches, i, &cached);
		assert_int_equal(cached.key.rest, 0);
	}
	assert_int_equal(flow().counts[WATCH_TX].packets, 2);
}

/* As the tool loads it with --sample, but each @gap-th is taken. The tests that follow load anew. */
static void load_sampled(uint32_t gap)
{
	uint32_t i;

	unload(NULL);
	bpf = harness_open_flow(ROOM + 1);
	assert_non_null(bpf);
	bpf->rodata->is_sampled = 1;
	for (i = 0; i < FLOW_GAPS; i++)
		((uint32_t *)bpf->rodata->flow_gaps)[i] = gap;
	assert_int_equal(flow_tc_bpf__load(bpf), 0);
}

static void of_a_sample_only_what_is_taken_is_counted(void **state)
{
	struct packet_frame frame;
	struct flow_rec rec;
	uint64_t bytes;
	uint32_t i;

	(void)state;
	load_sampled(3);
	/* No round trip, no end: the packets between these were not seen. */
	for (i = 0; i < 4; i++) {
		NEAR(ACK | FIN, .seq = 1 + 100 * i, .bytes = 100, .ack = 1);
		FAR(ACK | RST, .seq = 1, .ack = 101 + 100 * i);
		NEAR(ACK, .seq = 101 + 100 * i, .bytes = 1000, .ack = 1, .gso_size = 300);
	}
	assert_int_equal(sums().seen[WATCH_TX].packets, 4 * (1 + 4));
	assert_int_equal(sums().seen[WATCH_RX].packets, 4);
	assert_int_equal(sums().sampled[WATCH_TX].packets, 4 * 4);
	assert_int_equal(sums().sampled[WATCH_RX].packets, 0);
	rec = flow();
	bytes = 3 * (300 + 54 + 4) + 100 + 54 + 4;
	assert_int_equal(rec.counts[WATCH_TX].packets, 4 * 4);
	assert_int_equal(rec.counts[WATCH_TX].frame_bytes, 4 * bytes);
	assert_int_equal(rec.squares[WATCH_TX], 4 * bytes * bytes);
	assert_int_equal(rec.squares[WATCH_RX], 0);
	assert_int_equal(rec.rtts[WATCH_TX].count, 0);
	assert_int_equal(rec.ended, 0);
	/* Nor what is not IP, nor a request. */
	packet_build(&frame, &(struct packet_spec){ .version = 4, .dst_port = 53, .payload_bytes = 30 });
	for (i = 0; i < 6; i++)
		run(WATCH_TX, frame.bytes, frame.len, 0);
	assert_int_equal(sums().asked, 0);
	frame.bytes[12] = 0x88;
	frame.bytes[13] = 0xb5;
	for (i = 0; i < 6; i++)
		run(WATCH_TX, frame.bytes, frame.len, 0);
	assert_int_equal(sums().no_flow[WATCH_TX].packets, 2);
	assert_int_equal(sums().sampled[WATCH_TX].packets, 4 * 4 + 2 + 2);
	unload(NULL);
}

/* The gaps of a sample are drawn anew for each, from all of the table. */
static void a_sample_draws_from_all_gaps(void **state)
{
	uint64_t taken = 0, last = 0;
	struct packet_frame frame;
	uint32_t i, gap = 0;
	bool seen[3] = { false };

	(void)state;
	unload(NULL);
	bpf = harness_open_flow(ROOM + 1);
	assert_non_null(bpf);
	bpf->rodata->is_sampled = 1;
	for (i = 0; i < FLOW_GAPS; i++)
		((uint32_t *)bpf->rodata->flow_gaps)[i] = i < FLOW_GAPS / 2 ? 1 : 2;
	assert_int_equal(flow_tc_bpf__load(bpf), 0);
	packet_build(&frame, &(struct packet_spec){ .version = 4, .payload_bytes = 30 });
	/* Within 60 draws, both with all but 2^-39. */
	for (i = 0; i < 120 && !(seen[1] && seen[2]); i++) {
		run(WATCH_RX, frame.bytes, frame.len, 0);
		taken = sums().sampled[WATCH_RX].packets;
		gap++;
		if (taken == last)
			continue;
		assert_in_range(gap, 1, 2);
		seen[gap] = true;
		gap = 0;
		last = taken;
	}
	assert_true(seen[1] && seen[2]);
	unload(NULL);
}

int test_flow(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_connection_is_one_flow_from_handshake_to_end),
		cmocka_unit_test(a_segment_is_timed_until_it_is_acknowledged),
		cmocka_unit_test(the_number_wraps),
		cmocka_unit_test(a_timestamp_is_timed_until_its_first_echo),
		cmocka_unit_test(every_time_is_in_the_bucket_that_covers_it),
		cmocka_unit_test(a_flows_round_trips_are_in_its_own_buckets),
		cmocka_unit_test(a_full_bucket_does_not_wrap_and_is_reported),
		cmocka_unit_test(what_fills_a_hole_is_late_or_sent_again),
		cmocka_unit_test(closed_windows_and_duplicate_acks_are_counted),
		cmocka_unit_test(the_same_ports_again_are_a_new_connection),
		cmocka_unit_test(echoes_are_timed_unless_asked_twice),
		cmocka_unit_test(a_quic_server_is_timed_from_the_first_initial),
		cmocka_unit_test(a_retry_starts_the_time_anew_and_is_counted),
		cmocka_unit_test(what_is_no_whole_quic_handshake_is_not_timed),
		cmocka_unit_test(what_has_no_room_is_in_a_prefix),
		cmocka_unit_test(what_is_cut_short_or_not_ip_is_of_no_flow),
		cmocka_unit_test(ports_after_long_extensions_are_those_of_the_flow),
		cmocka_unit_test(packets_of_a_cached_flow_reach_the_table_together),
		cmocka_unit_test(a_flow_that_loses_its_place_is_in_the_table),
		cmocka_unit_test(what_a_removed_flow_has_in_the_cache_is_in_its_prefix),
		cmocka_unit_test(usual_packets_of_a_cached_flow_need_no_table),
		cmocka_unit_test(tcp_is_in_no_cache),
		cmocka_unit_test(of_a_sample_only_what_is_taken_is_counted),
		cmocka_unit_test(a_sample_draws_from_all_gaps),
	};

	return cmocka_run_group_tests_name("flow", tests, NULL, unload);
}
