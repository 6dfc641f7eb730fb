// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel's generator and user space's make the same packets: a million of
 * them with every kind of field, byte for byte.
 */
#include "harness.h"

#include <errno.h>
#include <string.h>

#include <linux/bpf.h>

#include "abi/gen.h"

#undef PACKET_MAX_BYTES			/* the tests' own frames are longer */
#include "proto/packet.h"

#include "blast_xdp.skel.h"

#define NR_PACKETS	1000003
#define BUF_BYTES	126

static struct packet template_of_all_kinds(void)
{
	enum { L4_SUM, IP_SUM, OUTER_SUM };
	struct packet packet = {
		.buf_bytes = BUF_BYTES,
		.nr_fields = 8,
		.nr_sums = 3,
		.list = { 80, 443, 443, 443, 53, 8080, 1, 65535 },
		.sums = {
			[L4_SUM] = { .offset = 90, .udp = 1, .sums = 1 << OUTER_SUM },
			[IP_SUM] = { .offset = 74, .sums = 1 << OUTER_SUM },
			[OUTER_SUM] = { .offset = 40, .udp = 1 },
		},
		.fields = {
			{ .offset = 14, .bytes = 2, .mask = 0x00fc, .shift = 2, .span = 64, .step = 1,
			  .every = 10 },
			{ .offset = 26, .bytes = 4, .mask = 0xffffffff, .span = 100003, .first = 7,
			  .step = -3ull, .every = 1, .sums = 1 << OUTER_SUM },
			{ .offset = 30, .bytes = 4, .mask = 0x00ffff00, .shift = 8, .span = 60000,
			  .kind = FIELD_RANDOM, .seed = 99, .every = 1, .sums = 1 << OUTER_SUM },
			{ .offset = 76, .bytes = 8, .mask = -1ull, .kind = FIELD_RANDOM, .seed = -5ull,
			  .every = 3, .sums = 1 << OUTER_SUM | 1 << IP_SUM | 1 << L4_SUM },
			{ .offset = 84, .bytes = 2, .mask = 0xffff, .kind = FIELD_LIST, .span = 8,
			  .step = 2, .every = 1, .sums = 1 << OUTER_SUM | 1 << L4_SUM },
			{ .offset = 86, .bytes = 2, .mask = 0xffff, .kind = FIELD_PICK, .first = 1,
			  .span = 5, .seed = 3, .every = 1, .sums = 1 << OUTER_SUM | 1 << L4_SUM },
			{ .offset = 68, .bytes = 2, .mask = 0xffff, .span = 65536, .step = 1, .every = 1,
			  .sums = 1 << OUTER_SUM | 1 << IP_SUM },
			{ .offset = 96, .bytes = 8, .mask = -1ull, .kind = FIELD_RANDOM, .first = 1000,
			  .span = 1ull << 40, .seed = 12, .every = 1,
			  .sums = 1 << OUTER_SUM | 1 << L4_SUM },
		},
	};
	uint32_t i;

	for (i = 0; i < BUF_BYTES; i++)
		packet.bytes[i] = (uint8_t)(i * 37 + 11);
	return packet;
}

static struct blast_xdp_bpf *load(const struct packet *packet)
{
	struct blast_xdp_bpf *skel = blast_xdp_bpf__open();
	struct gen_plan *plan;

	assert_non_null(skel);
	plan = (struct gen_plan *)&skel->rodata->plan;
	memcpy(plan->fields, packet->fields, sizeof(plan->fields));
	memcpy(plan->list, packet->list, sizeof(plan->list));
	memcpy(plan->sums, packet->sums, sizeof(plan->sums));
	packet_sum_bases(packet, plan->sum_base);
	plan->nr_fields = packet->nr_fields;
	plan->nr_sums = packet->nr_sums;
	bpf_map__set_max_entries(skel->maps.gen_recs, harness_cpus());
	bpf_program__set_autoload(skel->progs.live_refused, false);
	bpf_program__set_autoload(skel->progs.live_failed, false);
	assert_int_equal(blast_xdp_bpf__load(skel), 0);
	return skel;
}

static void a_million_packets_are_the_same_in_both_engines(void **state)
{
	struct packet packet = template_of_all_kinds();
	struct blast_xdp_bpf *skel = load(&packet);
	struct gen_rec rec = { .header_bytes = GEN_HEADER_BYTES, .stamp_every = 1,
			       .number_first = 1, .number_step = 2 };
	uint8_t wanted[BUF_BYTES], last[BUF_BYTES] = { 0 };
	static struct harness_out out;
	uint64_t nr_packets = harness_runs(NR_PACKETS, 10007), n, nr_same = 0;
	uint32_t cpu;

	(void)state;
	rec.header_bytes = 72;		/* what a receiver changes; the rest of the page is unchanged */
	memcpy(rec.header, packet.bytes, BUF_BYTES);
	cpu = harness_cpu();
	assert_int_equal(bpf_map__update_elem(skel->maps.gen_recs, &cpu, sizeof(cpu), &rec,
					      sizeof(rec), BPF_ANY), 0);
	memcpy(out.bytes, packet.bytes, BUF_BYTES);
	for (n = 0; n < nr_packets; n++) {
		memcpy(wanted, packet.bytes, BUF_BYTES);
		packet_modify(&packet, 1 + 2 * n, wanted);
		/* On the page that the packet before left, as live frames do. */
		harness_run(skel->progs.blast_xdp, out.bytes, BUF_BYTES, &out);
		assert_int_equal(out.action, XDP_TX);
		if (memcmp(out.bytes, wanted, BUF_BYTES))
			fail_msg("packet %llu differs", (unsigned long long)n);
		nr_same += !memcmp(wanted, last, BUF_BYTES);
		memcpy(last, wanted, BUF_BYTES);
	}
	assert_int_equal(nr_same, 0);
	blast_xdp_bpf__destroy(skel);
}

int test_fields(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_million_packets_are_the_same_in_both_engines),
	};

	return cmocka_run_group_tests_name("fields", tests, NULL, NULL);
}
