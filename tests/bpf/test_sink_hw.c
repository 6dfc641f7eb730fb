// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sink_hw on a real device, as programs that are bound to one cannot be run otherwise.
 *
 * veth has the kernel function and no clock: it says of frames that none is
 * there, or succeeds and says 0. What a NIC's clock is converted to is
 * tests/unit/test_stamp.c's.
 */
#include "harness.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_link.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "abi/hist.h"
#include "abi/sink.h"
#include "abi/stamp.h"

#include "sink_hw.skel.h"

#define PORT	9
#define PACKETS	101
#define XDP_DEV_BOUND_ONLY (1 << 6)	/* uapi of 6.3 and later */

static int home = -1;

static int enter_space(void **state)
{
	(void)state;
	home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	if (home < 0 || unshare(CLONE_NEWNET))
		return -errno;
	return system("ip link add one type veth peer name two && "
		      "ip link set one up && ip link set two up");
}

static int leave_space(void **state)
{
	(void)state;
	return home < 0 ? 0 : setns(home, CLONE_NEWNET) | close(home);
}

static struct sink_hw_bpf *open_sink(void)
{
	struct sink_hw_bpf *skel = sink_hw_bpf__open();
	const struct sink_cfg cfg = {
		.port = htons(PORT), .match = SINK_MATCH_DEST, .check = 1, .gaps = 1, .streams = 1,
		.pdv_streams = 1,
	};

	assert_non_null(skel);
	memcpy((void *)&skel->rodata->cfg, &cfg, sizeof(cfg));
	bpf_map__set_max_entries(skel->maps.sink_recs, 2 * harness_cpus());
	bpf_map__set_max_entries(skel->maps.sink_hists, harness_cpus());
	bpf_map__set_max_entries(skel->maps.pdvs, harness_cpus());
	bpf_map__set_max_entries(skel->maps.sink_gaps, harness_cpus());
	bpf_map__set_max_entries(skel->maps.sink_cpus, harness_cpus());
	return skel;
}

static void send_packets(void)
{
	struct sockaddr_ll to = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL),
				  .sll_ifindex = (int)if_nametoindex("two") };
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	uint8_t tag[18];
	struct packet_spec spec = { .dst_port = PORT, .payload = tag, .payload_bytes = 18 };
	struct packet_frame frame;
	uint8_t i;

	assert_true(fd >= 0);
	for (i = 0; i < PACKETS; i++) {
		packet_tag(tag, PACKET_RUN, 0, i, 1);
		packet_build(&frame, &spec);
		assert_int_equal(sendto(fd, frame.bytes, frame.len, 0, (struct sockaddr *)&to,
					sizeof(to)), frame.len);
	}
	close(fd);
}

struct sums {
	uint64_t packets, no_arrival, other_clock, timed, gaps;
};

static struct sums read_sums(const struct sink_hw_bpf *skel)
{
	struct sums sums = { 0 };
	uint32_t cpu;

	for (cpu = 0; cpu < harness_cpus(); cpu++) {
		struct hist_rec delays, gaps;
		struct sink_rec rec;
		struct sink_cpu own;

		harness_read(skel->maps.sink_recs, 2 * cpu, &rec);
		harness_read(skel->maps.sink_cpus, cpu, &own);
		harness_read(skel->maps.sink_hists, cpu, &delays);
		harness_read(skel->maps.sink_gaps, cpu, &gaps);
		sums.packets += rec.packets;
		sums.no_arrival += own.odd.no_arrival;
		sums.other_clock += own.odd.other_clock;
		sums.timed += delays.count + delays.negative;
		sums.gaps += gaps.count;
	}
	return sums;
}

static void what_the_nic_did_not_stamp_is_counted_and_not_timed(void **state)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = XDP_FLAGS_DRV_MODE);
	int ifindex = (int)if_nametoindex("one"), link_fd, i;
	struct sink_hw_bpf *skel = open_sink();
	struct stamp_lines lines = { .valid = 1 };
	struct sums sums = { 0 };
	uint32_t zero = 0;

	(void)state;
	bpf_program__set_ifindex(skel->progs.sink_xdp, (uint32_t)ifindex);
	bpf_program__set_flags(skel->progs.sink_xdp, XDP_DEV_BOUND_ONLY);
	if (sink_hw_bpf__load(skel)) {
		sink_hw_bpf__destroy(skel);
		print_message("this kernel has no bpf_xdp_metadata_rx_timestamp()\n");
		harness_cannot("xdp-metadata");
	}
	assert_int_equal(bpf_map_update_elem(bpf_map__fd(skel->maps.phc_lines), &zero, &lines,
					     BPF_ANY), 0);
	link_fd = bpf_link_create(bpf_program__fd(skel->progs.sink_xdp), ifindex, BPF_XDP, &opts);
	assert_true(link_fd >= 0);
	send_packets();
	for (i = 0; i < 500 && sums.packets < PACKETS; i++) {
		usleep(10000);
		sums = read_sums(skel);
	}
	close(link_fd);
	sink_hw_bpf__destroy(skel);
	assert_int_equal(sums.packets, PACKETS);
	assert_int_equal(sums.no_arrival, PACKETS);
	assert_int_equal(sums.other_clock, 0);
	assert_int_equal(sums.timed, 0);
	assert_int_equal(sums.gaps, 0);
}

/* So that no kernel loads it by accident where the stamps could be of another device. */
static void an_unbound_program_is_refused(void **state)
{
	struct sink_hw_bpf *skel = open_sink();

	libbpf_print_fn_t print = libbpf_set_print(NULL);

	(void)state;
	assert_int_not_equal(sink_hw_bpf__load(skel), 0);
	libbpf_set_print(print);
	sink_hw_bpf__destroy(skel);
}

int test_sink_hw(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_nic_did_not_stamp_is_counted_and_not_timed),
		cmocka_unit_test(an_unbound_program_is_refused),
	};

	return cmocka_run_group_tests_name("sink_hw", tests, enter_space, leave_space);
}
