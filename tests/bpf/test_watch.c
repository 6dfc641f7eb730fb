// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * watch_tc, flow_tc and watch_xdp: each packet is counted once, in one class of size
 * and one of protocol, as what it is on the wire; and goes on untouched.
 */
#include "harness.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <linux/bpf.h>
#include <linux/pkt_cls.h>

#include "abi/flow.h"
#include "abi/watch.h"

#include "flow_tc.skel.h"
#include "watch_tc.skel.h"
#include "watch_xdp.skel.h"

static struct watch_tc_bpf *tc;
static struct flow_tc_bpf *flow;
static struct watch_xdp_bpf *xdp;

static int open_flow(bool rx_beside)
{
	flow = harness_open_flow(64);
	if (!flow)
		return -errno;
	flow->rodata->rx_beside = rx_beside;
	return flow_tc_bpf__load(flow);
}

static int load(void **state)
{
	(void)state;
	tc = watch_tc_bpf__open();
	xdp = watch_xdp_bpf__open();
	if (!tc || !xdp)
		return -errno;
	HARNESS_SIZE_WATCH(tc);
	HARNESS_SIZE_WATCH(xdp);
	return watch_tc_bpf__load(tc) || open_flow(false) || watch_xdp_bpf__load(xdp) ? -EINVAL : 0;
}

static int unload(void **state)
{
	(void)state;
	watch_tc_bpf__destroy(tc);
	flow_tc_bpf__destroy(flow);
	watch_xdp_bpf__destroy(xdp);
	tc = NULL;
	flow = NULL;
	xdp = NULL;
	return 0;
}

/* First those at tc: by turns what is received, and what is sent. */
enum { TC_IN, TC_OUT, FLOW_IN, FLOW_OUT, TC_WAYS, XDP = TC_WAYS, WAYS };

/* The programs, and where each counts. */
static struct {
	struct bpf_program *prog;
	struct bpf_map *recs, *gaps, *rings, *queues;
	int dir, verdict;
} ways[WAYS];

#define SET_WAY(way, skel, name, direction, out) do { \
	ways[way].prog = (skel)->progs.name; \
	ways[way].recs = (skel)->maps.watch_recs; \
	ways[way].gaps = (skel)->maps.watch_gaps; \
	ways[way].rings = (skel)->maps.watch_rings; \
	ways[way].queues = (skel)->maps.watch_queues; \
	ways[way].dir = direction; \
	ways[way].verdict = out; \
} while (0)

static void find_ways(void)
{
	SET_WAY(TC_IN, tc, watch_tc_in, WATCH_RX, TC_ACT_UNSPEC);
	SET_WAY(TC_OUT, tc, watch_tc_out, WATCH_TX, TC_ACT_UNSPEC);
	SET_WAY(FLOW_IN, flow, flow_tc_in, WATCH_RX, TC_ACT_UNSPEC);
	SET_WAY(FLOW_OUT, flow, flow_tc_out, WATCH_TX, TC_ACT_UNSPEC);
	SET_WAY(XDP, xdp, watch_xdp, WATCH_RX, XDP_PASS);
}

static uint32_t lane(int way)
{
	return ways[way].dir * harness_cpus() + harness_cpu();
}

static struct watch_rec record(int way)
{
	struct watch_rec rec;

	harness_read(ways[way].recs, lane(way), &rec);
	return rec;
}

static struct watch_rec subtract(struct watch_rec now, const struct watch_rec *before)
{
	int i;

	now.buffers -= before->buffers;
	now.packets -= before->packets;
	now.frame_bytes -= before->frame_bytes;
	now.merged -= before->merged;
	now.broadcast -= before->broadcast;
	now.multicast -= before->multicast;
	now.tagged -= before->tagged;
	for (i = 0; i < WATCH_SIZES; i++)
		now.sizes[i] -= before->sizes[i];
	for (i = 0; i < WATCH_PROTOS; i++) {
		now.protos[i].packets -= before->protos[i].packets;
		now.protos[i].frame_bytes -= before->protos[i].frame_bytes;
	}
	return now;
}

/* What one run counts; all sums agree, and the frame goes on as it was. */
static struct watch_rec counted(int way, const void *frame, size_t len, uint32_t gso_size,
				uint32_t gso_segs)
{
	struct watch_rec before = record(way), rec;
	uint64_t sizes = 0, packets = 0, frame_bytes = 0;
	struct harness_out out;
	int i;

	if (gso_size)
		harness_run_gso(ways[way].prog, frame, len, gso_size, gso_segs, &out);
	else
		harness_run(ways[way].prog, frame, len, &out);
	assert_int_equal(out.action, ways[way].verdict);
	assert_true(harness_untouched(&out, frame, len));
	rec = subtract(record(way), &before);
	for (i = 0; i < WATCH_SIZES; i++)
		sizes += rec.sizes[i];
	for (i = 0; i < WATCH_PROTOS; i++) {
		packets += rec.protos[i].packets;
		frame_bytes += rec.protos[i].frame_bytes;
	}
	assert_int_equal(rec.buffers, 1);
	assert_int_equal(sizes, rec.packets);
	assert_int_equal(packets, rec.packets);
	assert_int_equal(frame_bytes, rec.frame_bytes);
	return rec;
}

static void is_of(const void *frame, size_t len, enum watch_proto proto)
{
	struct watch_rec rec;
	int way;

	for (way = 0; way < WAYS; way++) {
		rec = counted(way, frame, len, 0, 0);
		if (rec.protos[proto].packets != 1)
			fail_msg("program %d: not of protocol %d", way, proto);
	}
}

static void a_packet_is_of_one_protocol(void **state)
{
	static const struct {
		uint8_t ip;
		enum watch_l4 l4;
	} l4s[] = {
		{ 6, WATCH_TCP }, { 17, WATCH_UDP }, { 132, WATCH_SCTP }, { 47, WATCH_GRE },
		{ 50, WATCH_ESP }, { 2, WATCH_L4_OTHER }, { 89, WATCH_L4_OTHER },
	};
	struct packet_frame frame;
	unsigned int v;
	size_t i;

	(void)state;
	for (v = 4; v <= 6; v += 2) {
		enum watch_proto base = v == 6 ? WATCH_IP6 : WATCH_IP4;

		packet_build(&frame, &(struct packet_spec){ .version = v, .echo = true });
		is_of(frame.bytes, frame.len, base + WATCH_ICMP);
		packet_build(&frame, &(struct packet_spec){ .version = v, .payload_bytes = 101 });
		for (i = 0; i < sizeof(l4s) / sizeof(l4s[0]); i++) {
			frame.bytes[frame.l3 + (v == 6 ? 6 : 9)] = l4s[i].ip;
			is_of(frame.bytes, frame.len, base + l4s[i].l4);
		}
	}
	/* More fragments, and a fragment header. */
	packet_build(&frame, &(struct packet_spec){ .payload_bytes = 101 });
	frame.bytes[frame.l3 + 6] = 0x20;
	is_of(frame.bytes, frame.len, WATCH_IP4 + WATCH_FRAGMENT);
	packet_build(&frame, &(struct packet_spec){ .version = 6, .payload_bytes = 101 });
	frame.bytes[frame.l3 + 6] = 44;
	is_of(frame.bytes, frame.len, WATCH_IP6 + WATCH_FRAGMENT);
	packet_build(&frame, &(struct packet_spec){ .version = 6, .extensions = 2 });
	is_of(frame.bytes, frame.len, WATCH_IP6 + WATCH_UDP);
}

static void what_is_not_ip_is_of_its_ethertype(void **state)
{
	static const struct {
		uint16_t type;
		enum watch_proto proto;
	} types[] = {
		{ 0x0806, WATCH_ARP }, { 0x8847, WATCH_MPLS }, { 0x8848, WATCH_MPLS },
		{ 0x8863, WATCH_PPPOE }, { 0x8864, WATCH_PPPOE }, { 0x88cc, WATCH_LLDP },
		{ 0x88f7, WATCH_PTP }, { 0x8809, WATCH_SLOW }, { 0x0026, WATCH_LLC },
		{ 0x05ff, WATCH_LLC }, { 0x0600, WATCH_L2_OTHER }, { 0x88b5, WATCH_L2_OTHER },
	};
	uint8_t frame[60] = { 0x02 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		frame[12] = (uint8_t)(types[i].type >> 8);
		frame[13] = (uint8_t)types[i].type;
		is_of(frame, sizeof(frame), types[i].proto);
	}
}

/* The kernel makes no skb for tc of less than Ethernet and IPv6 header. */
static void is_malformed(const void *frame, size_t len)
{
	int way;

	for (way = len < 54 ? XDP : 0; way < WAYS; way++)
		assert_int_equal(counted(way, frame, len, 0, 0).protos[WATCH_MALFORMED].packets, 1);
}

static void what_is_cut_short_is_malformed_and_goes_on(void **state)
{
	struct packet_frame frame;
	size_t len;

	(void)state;
	packet_build(&frame, &(struct packet_spec){ .payload_bytes = 101 });
	for (len = 15; len < frame.len; len += 7)
		is_malformed(frame.bytes, len);
	packet_build(&frame, &(struct packet_spec){ .version = 6, .extensions = 3 });
	for (len = 15; len < frame.len; len += 7)
		is_malformed(frame.bytes, len);
	/* Whole, but by its length the packet ends within the last extension. */
	packet_build(&frame, &(struct packet_spec){ .version = 6, .extensions = 2, .payload_bytes = 101 });
	packet_set_ip_end(&frame, frame.l4 - 1);
	is_malformed(frame.bytes, frame.len);
}

static void a_frame_has_its_fcs_and_at_least_64_bytes(void **state)
{
	/* As handed over, on the wire, RFC 2819's class. */
	static const unsigned int sizes[][3] = {
		{ 15, 64, 0 }, { 59, 64, 0 }, { 60, 64, 0 }, { 61, 65, 1 }, { 123, 127, 1 },
		{ 124, 128, 2 }, { 251, 255, 2 }, { 252, 256, 3 }, { 507, 511, 3 }, { 508, 512, 4 },
		{ 1019, 1023, 4 }, { 1020, 1024, 5 }, { 1514, 1518, 5 }, { 1515, 1519, 6 },
		{ 2043, 2047, 6 }, { 2044, 2048, 7 }, { 3000, 3004, 7 },
	};
	uint8_t frame[3000] = { 0x02, [12] = 0x88, 0xb5 };
	struct watch_rec rec;
	size_t i;
	int way;

	(void)state;
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (way = 0; way < WAYS; way++) {
			rec = counted(way, frame, sizes[i][0], 0, 0);
			assert_int_equal(rec.frame_bytes, sizes[i][1]);
			assert_int_equal(rec.sizes[sizes[i][2]], 1);
		}
	}
}

static void group_addresses_and_tags_are_counted(void **state)
{
	struct packet_frame frame;
	struct watch_rec rec;
	unsigned int vlans;
	int way;

	(void)state;
	for (way = 0; way < WAYS; way++) {
		packet_build(&frame, &(struct packet_spec){ .payload_bytes = 101 });
		rec = counted(way, frame.bytes, frame.len, 0, 0);
		assert_int_equal(rec.broadcast + rec.multicast + rec.tagged, 0);
		memset(frame.bytes, 0xff, 6);
		rec = counted(way, frame.bytes, frame.len, 0, 0);
		assert_true(rec.broadcast == 1 && rec.multicast == 0);
		frame.bytes[5] = 0xfe;
		rec = counted(way, frame.bytes, frame.len, 0, 0);
		assert_true(rec.broadcast == 0 && rec.multicast == 1);
		for (vlans = 1; vlans <= 2; vlans++) {
			packet_build(&frame, &(struct packet_spec){ .vlans = vlans });
			rec = counted(way, frame.bytes, frame.len, 0, 0);
			assert_int_equal(rec.tagged, 1);
			assert_int_equal(rec.protos[WATCH_IP4 + WATCH_UDP].packets, 1);
		}
	}
}

/* A super-packet by its definition: headers and up to @size bytes, until all is sent. */
static void check_super(int way, const struct packet_frame *frame, size_t headers, size_t size,
			uint32_t told_segs)
{
	size_t left = frame->len - headers, part, bytes, nr = 0, sum = 0;
	uint64_t sizes[WATCH_SIZES] = { 0 };
	struct watch_rec rec;

	for (; left; left -= part, nr++) {
		part = left < size ? left : size;
		bytes = headers + part + 4 < 64 ? 64 : headers + part + 4;
		sizes[watch_size_class((uint32_t)bytes)]++;
		sum += bytes;
	}
	rec = counted(way, frame->bytes, frame->len, (uint32_t)size, told_segs ? (uint32_t)nr : 0);
	assert_int_equal(rec.packets, nr);
	assert_int_equal(rec.frame_bytes, sum);
	assert_int_equal(rec.merged, nr > 1 ? nr : 0);
	assert_memory_equal(rec.sizes, sizes, sizeof(sizes));
}

static void a_super_packet_counts_as_its_segments(void **state)
{
	static const size_t sizes[] = { 100, 536, 700, 1448, 2999 };
	struct packet_frame frame;
	size_t payload, i;
	unsigned int v;
	int way;

	(void)state;
	for (v = 4; v <= 6; v += 2) {
		for (payload = 1; payload < 2900; payload += 149) {
			for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
				for (way = 0; way < TC_WAYS; way++) {
					packet_build(&frame, &(struct packet_spec){
						.version = v, .payload_bytes = payload + 24 });
					/* UDP's segments, and TCP's with 12 bytes of options. */
					check_super(way, &frame, frame.l4 + 8, sizes[i], ways[way].dir);
					frame.bytes[frame.l3 + (v == 6 ? 6 : 9)] = 6;
					frame.bytes[frame.l4 + 12] = 0x80;
					check_super(way, &frame, frame.l4 + 32, sizes[i], !ways[way].dir);
				}
			}
		}
	}
}

static void contradicting_segments_still_add_up(void **state)
{
	struct packet_frame frame;
	struct watch_rec rec;

	(void)state;
	packet_build(&frame, &(struct packet_spec){ .payload_bytes = 1000 });
	/* Merged from pieces shorter than reported: 20 segments of 700. */
	rec = counted(0, frame.bytes, frame.len, 700, 20);
	assert_int_equal(rec.packets, 20);
	assert_int_equal(rec.frame_bytes, 20 * (42 + 4) + 1000);
	/* A tunnel's: more bytes after the visible headers than the segments hold. */
	rec = counted(0, frame.bytes, frame.len, 450, 2);
	assert_int_equal(rec.packets, 2);
	assert_int_equal(rec.frame_bytes, 2 * (142 + 450 + 4));
}

static void gaps_are_one_fewer_than_buffers_and_windows_hold_all_bytes(void **state)
{
	struct watch_ring *ring = malloc(sizeof(*ring));
	struct hist_rec *gaps = malloc(sizeof(*gaps));
	uint64_t number, sum;
	struct packet_frame frame;
	struct watch_rec rec;
	int way, i;

	(void)state;
	packet_build(&frame, &(struct packet_spec){ .payload_bytes = 101 });
	for (way = 0; way < WAYS; way++) {
		struct harness_follow follow = { 0 };

		for (i = 0; i < 103; i++) {
			counted(way, frame.bytes, frame.len, 0, 0);
			harness_read(ways[way].gaps, lane(way), gaps);
			harness_follow(&follow, gaps);
		}
		rec = record(way);
		harness_read(ways[way].rings, lane(way), ring);
		assert_int_equal(gaps->count, 102);
		for (i = 0, sum = 0; i < WATCH_WINDOWS; i++) {
			number = ring->slots[i] >> WATCH_BYTES_BITS;
			assert_true(!number || number % WATCH_WINDOWS == (uint64_t)i);
			assert_true(number <= rec.window);
			sum += ring->slots[i] & WATCH_BYTES_MAX;
		}
		/* It took less than a round of the ring. */
		assert_int_equal(sum, 103 * (frame.len + 24));
		assert_int_equal(rec.window, rec.last_mono_ns / WATCH_WINDOW_NS);
	}
	free(ring);
	free(gaps);
}

/* Each segment has a preamble and a gap of its own. */
static void a_window_has_the_wire_bytes_of_all_segments(void **state)
{
	struct watch_ring *ring = malloc(sizeof(*ring));
	struct packet_frame frame;
	struct watch_rec rec;
	uint64_t sum;
	int way, i;

	(void)state;
	packet_build(&frame, &(struct packet_spec){ .payload_bytes = 1000 });
	for (way = 0; way < TC_WAYS; way++) {
		rec = counted(way, frame.bytes, frame.len, 300, 0);
		assert_int_equal(rec.packets, 4);
		harness_read(ways[way].rings, lane(way), ring);
		for (i = 0, sum = 0; i < WATCH_WINDOWS; i++)
			sum += ring->slots[i] & WATCH_BYTES_MAX;
		assert_int_equal(sum, rec.frame_bytes + 4 * 20);
	}
	free(ring);
}

static void a_received_packet_is_of_its_queue(void **state)
{
	struct packet_frame frame;
	struct watch_sum before, after;
	uint32_t at;
	int way;

	(void)state;
	packet_build(&frame, &(struct packet_spec){ .payload_bytes = 101 });
	for (way = 0; way < WAYS; way++) {
		/* Queue 0 is element 1 of the CPU; an skb that no driver received has none. */
		at = harness_cpu() * 2 + (way == XDP);
		harness_read(ways[way].queues, at, &before);
		counted(way, frame.bytes, frame.len, 0, 0);
		harness_read(ways[way].queues, at, &after);
		assert_int_equal(after.packets - before.packets, ways[way].dir == WATCH_RX);
		assert_int_equal(after.frame_bytes - before.frame_bytes,
				 ways[way].dir == WATCH_RX ? frame.len + 4 : 0);
	}
}

/* Where XDP counts what is received, the flows have it all the same. */
static void flow_tc_counts_what_is_received_once(void **state)
{
	struct packet_frame frame;
	struct harness_out out;
	struct flow_cpu cpu;

	(void)state;
	flow_tc_bpf__destroy(flow);
	assert_int_equal(open_flow(true), 0);
	find_ways();
	packet_build(&frame, &(struct packet_spec){ .payload_bytes = 101 });
	assert_int_equal(counted(FLOW_OUT, frame.bytes, frame.len, 0, 0).packets, 1);
	harness_run(ways[FLOW_IN].prog, frame.bytes, frame.len, &out);
	assert_int_equal(out.action, TC_ACT_UNSPEC);
	assert_int_equal(record(FLOW_IN).buffers, 0);
	harness_read(flow->maps.flow_cpus, harness_cpu(), &cpu);
	assert_int_equal(cpu.seen[WATCH_TX].packets, 1);
	assert_int_equal(cpu.seen[WATCH_RX].packets, 1);
	assert_int_equal(cpu.beside_buffers, 1);
}

static int load_ways(void **state)
{
	int err;

	unload(state);
	err = load(state);
	if (!err)
		find_ways();
	return err;
}

int test_watch(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_packet_is_of_one_protocol),
		cmocka_unit_test(what_is_not_ip_is_of_its_ethertype),
		cmocka_unit_test(what_is_cut_short_is_malformed_and_goes_on),
		cmocka_unit_test(a_frame_has_its_fcs_and_at_least_64_bytes),
		cmocka_unit_test(group_addresses_and_tags_are_counted),
		cmocka_unit_test(a_super_packet_counts_as_its_segments),
		cmocka_unit_test(contradicting_segments_still_add_up),
		cmocka_unit_test_setup(gaps_are_one_fewer_than_buffers_and_windows_hold_all_bytes,
				       load_ways),
		cmocka_unit_test_setup(a_window_has_the_wire_bytes_of_all_segments, load_ways),
		cmocka_unit_test(a_received_packet_is_of_its_queue),
		cmocka_unit_test(flow_tc_counts_what_is_received_once),
	};

	return cmocka_run_group_tests_name("watch", tests, load_ways, unload);
}
