// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a kernel tells of loss: files of /proc as they are, and damaged; the queues of netlink_vectors.py.
 */
#include <stdio.h>
#include <string.h>

#include <linux/gen_stats.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>

#include "sys/net/counters_parse.h"

#include "check.h"
#include "netlink_vectors.h"

static const char snmp[] =
	"Ip: Forwarding DefaultTTL InReceives InHdrErrors InDiscards OutNoRoutes FragFails FragOKs\n"
	"Ip: 2 64 63925 3 5 7 11 13\n"
	"Icmp: InMsgs InErrors\n"
	"Icmp: 3 17\n"
	"Tcp: RtoAlgorithm MaxConn InErrs\n"
	"Tcp: 1 -1 19\n"
	"Udp: InDatagrams NoPorts InErrors RcvbufErrors\n"
	"Udp: 23 29 31 18446744073709551615\n"
	"UdpLite: InDatagrams NoPorts\n"
	"UdpLite: 0 37\n";

static struct counters parsed(counters_parse_fn *parse, const char *text, size_t bytes)
{
	struct counters counters = { 0 };
	FILE *file = fmemopen((void *)text, bytes, "r");

	assert_non_null(file);
	parse(&counters, file);
	fclose(file);
	return counters;
}

/* Frees @counters; @expected ends with no name. */
static void assert_counters(struct counters *counters, const struct counter *expected)
{
	size_t i;

	for (i = 0; *expected[i].name; i++) {
		assert_true(i < counters->nr);
		assert_string_equal(counters->all[i].source, expected[i].source);
		assert_string_equal(counters->all[i].name, expected[i].name);
		assert_int_equal(counters->all[i].value, expected[i].value);
	}
	assert_int_equal(counters->nr, i);
	counters_free(counters);
	assert_int_equal(counters->nr, 0);
}

static void of_the_stack_losses_of_ip_and_udp_are_taken(void **state)
{
	static const struct counter expected[] = {
		{ "snmp", "IpInHdrErrors", 3 }, { "snmp", "IpInDiscards", 5 },
		{ "snmp", "IpOutNoRoutes", 7 }, { "snmp", "IpFragFails", 11 },
		{ "snmp", "UdpNoPorts", 29 }, { "snmp", "UdpInErrors", 31 },
		{ "snmp", "UdpRcvbufErrors", UINT64_MAX }, { 0 },
	};
	struct counters counters = parsed(counters_parse_pairs, snmp, strlen(snmp));

	(void)state;
	assert_counters(&counters, expected);
}

static void of_netstat_the_reverse_path_filter_is_taken_too(void **state)
{
	static const char text[] = "TcpExt: ListenDrops TCPBacklogDrop IPReversePathFilter\n"
				   "TcpExt: 3 5 7\n"
				   "IpExt: InNoRoutes InTruncatedPkts InMcastPkts\n"
				   "IpExt: 11 13 17\n";
	static const struct counter expected[] = {
		{ "snmp", "TcpExtIPReversePathFilter", 7 }, { "snmp", "IpExtInNoRoutes", 11 },
		{ "snmp", "IpExtInTruncatedPkts", 13 }, { 0 },
	};
	struct counters counters = parsed(counters_parse_pairs, text, strlen(text));

	(void)state;
	assert_counters(&counters, expected);
}

/* With one value too few it is unknown which name lacks one: none may get the next one's. */
static void lines_that_are_no_pair_end_the_reading(void **state)
{
	static const char text[] = "Ip: InHdrErrors InDiscards\nIp: 3\n"
				   "Udp: NoPorts\nUdp6: 5\nIp: OutNoRoutes\nIp: 7\n";
	static const struct counter expected[] = { { "snmp", "IpInHdrErrors", 3 }, { 0 } };
	struct counters counters = parsed(counters_parse_pairs, text, strlen(text));

	(void)state;
	assert_counters(&counters, expected);
}

/* What was read of it is right. */
static void a_file_that_is_cut_anywhere_is_read_to_there(void **state)
{
	struct counters whole = parsed(counters_parse_pairs, snmp, strlen(snmp)), part;
	size_t bytes, i;

	(void)state;
	for (bytes = 1; bytes < strlen(snmp); bytes++) {
		part = parsed(counters_parse_pairs, snmp, bytes);
		assert_true(part.nr <= whole.nr);
		for (i = 0; i < part.nr; i++)
			assert_string_equal(part.all[i].name, whole.all[i].name);
		counters_free(&part);
	}
	counters_free(&whole);
}

static void a_line_longer_than_any_is_not_read_as_another(void **state)
{
	struct counters counters;
	char text[10000];

	(void)state;
	memset(text, 'x', sizeof(text));
	memcpy(text, "Ip: ", 4);
	memcpy(text + 8000, "\nIp: 3\nUdp: NoPorts\nUdp: 5\n", 28);
	counters = parsed(counters_parse_pairs, text, 8028);
	assert_int_equal(counters.nr, 0);
	counters_free(&counters);
}

/* Numbers are hexadecimal, one line for each CPU; columns came and went between kernels. */
static void of_conntrack_the_packets_it_dropped_are_taken(void **state)
{
	static const char text[] =
		"entries  clashres found new invalid insert insert_failed drop early_drop icmp_error\n"
		"00000011  00000003 00000005 00000007 00000009 0000000b 0000000d 0000000f 00000011 00000013\n"
		"00000011  00000000 00000000 00000000 00000000 00000000 00000001 00000010 00000000 00000000\n"
		"00000011  00000000\n";
	static const char none[] = "entries found\n00000001 00000002\n";
	static const struct counter expected[] = {
		{ "conntrack", "drop", 31 }, { "conntrack", "insert_failed", 14 }, { 0 },
	};
	struct counters counters = parsed(counters_parse_conntrack, text, strlen(text));

	(void)state;
	assert_counters(&counters, expected);
	counters = parsed(counters_parse_conntrack, none, strlen(none));
	assert_int_equal(counters.nr, 0);
	counters_free(&counters);
}

static void ipv6_tells_a_figure_a_line(void **state)
{
	static const char text[] = "Ip6InReceives                   \t1009\n"
				   "Ip6InNoRoutes                   \t3\n"
				   "Icmp6InErrors                   \t5\n"
				   "Ip6ReasmFails\n"
				   "Udp6RcvbufErrors                \t7\n"
				   "UdpLite6InErrors                \t11\n";
	static const struct counter expected[] = {
		{ "snmp", "Ip6InNoRoutes", 3 }, { "snmp", "Udp6RcvbufErrors", 7 }, { 0 },
	};
	struct counters counters = parsed(counters_parse_lines, text, strlen(text));

	(void)state;
	assert_counters(&counters, expected);
}

static void what_the_backlogs_dropped_is_added_up(void **state)
{
	static const char text[] = "13d93844 00000003 0009b18d 00000000\n"
				   "0272d924 000000ff 000002d6 00000001\n"
				   "damaged\n";
	static const struct counter expected[] = { { "softnet", "dropped", 258 }, { 0 } };
	struct counters counters = parsed(counters_parse_softnet, text, strlen(text));

	(void)state;
	assert_counters(&counters, expected);
}

static void of_a_driver_names_that_tell_a_loss_are_taken(void **state)
{
	static const char *const names[] = {
		"rx_queue_0_packets", "rx_queue_0_drops", "rx_out_of_buffer", "RxMissed", "tx_timeout",
		"rx_crc_errors", "rx_no_buf", "tx_fifo_overrun", "rx_discards_phy", "alloc_failed",
	};
	static const struct counter expected[] = {
		{ "ethtool", "rx_queue_0_drops", 1 }, { "ethtool", "RxMissed", 3 },
		{ "ethtool", "rx_crc_errors", 5 }, { "ethtool", "rx_no_buf", 6 },
		{ "ethtool", "tx_fifo_overrun", 7 }, { "ethtool", "rx_discards_phy", 8 },
		{ "ethtool", "alloc_failed", 9 }, { 0 },
	};
	struct counters counters = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(names); i++)
		counters_take_ethtool(&counters, names[i], i);
	assert_counters(&counters, expected);
}

/* The drops of the queue of @ifindex become @drops: struct gnet_stats_queue, a TCA_STATS_QUEUE. */
static void set_drops(uint8_t *part, size_t bytes, int ifindex, uint32_t drops)
{
	static const uint8_t head[] = { 0x18, 0x00, 0x03, 0x00 };
	uint8_t *at = part;
	uint32_t len;

	while (memcmp(at + 20, &ifindex, sizeof(ifindex))) {
		memcpy(&len, at, sizeof(len));
		at += len;
		assert_true(at < part + bytes);
	}
	at = memmem(at, (size_t)(part + bytes - at), head, sizeof(head));
	assert_non_null(at);
	memcpy(at + 4 + 8, &drops, sizeof(drops));
}

static void of_an_interface_the_queue_at_the_root_is_taken(void **state)
{
	static const struct counter expected[] = { { "qdisc", "noqueue", 11 }, { 0 } };
	struct counters counters = { 0 };
	struct counters_qdisc search = { .counters = &counters, .ifindex = ONE_IFINDEX };
	struct netlink_answer answer = { .seq = SEQ, .fn = counters_take_qdisc, .ctx = &search };
	uint8_t part[sizeof(qdiscs0)];

	(void)state;
	memcpy(part, qdiscs0, sizeof(part));
	set_drops(part, sizeof(part), ONE_IFINDEX, 11);
	set_drops(part, sizeof(part), TWO_IFINDEX, 13);
	assert_int_equal(netlink_read(&answer, part, sizeof(part)), 1);
	assert_counters(&counters, expected);
}

/* The root's drops have those of its children. */
static void of_a_queue_within_another_nothing_is_taken(void **state)
{
	struct {
		struct nlmsghdr head;
		struct tcmsg tc;
		struct nlattr kind;
		char name[4];
		struct nlattr stats, queue;
		struct gnet_stats_queue value;
	} msg = {
		.head = { .nlmsg_len = sizeof(msg), .nlmsg_type = RTM_NEWQDISC },
		.tc = { .tcm_ifindex = ONE_IFINDEX, .tcm_parent = TC_H_ROOT },
		.kind = { NLA_HDRLEN + sizeof(msg.name), TCA_KIND },
		.name = "mq",
		.stats = { 2 * NLA_HDRLEN + sizeof(msg.value), TCA_STATS2 },
		.queue = { NLA_HDRLEN + sizeof(msg.value), TCA_STATS_QUEUE },
		.value = { .drops = 18 },
	};
	static const struct counter expected[] = { { "qdisc", "mq", 18 }, { 0 } };
	struct counters counters = { 0 };
	struct counters_qdisc search = { .counters = &counters, .ifindex = ONE_IFINDEX };

	(void)state;
	counters_take_qdisc(&msg.head, &search);
	msg.tc.tcm_parent = TC_H_MAKE(0x10000, 1);
	msg.value.drops = 7;
	counters_take_qdisc(&msg.head, &search);
	msg.tc.tcm_parent = TC_H_MAKE(0x10000, 2);
	msg.value.drops = 11;
	counters_take_qdisc(&msg.head, &search);
	assert_counters(&counters, expected);
}

static void growth_is_of_the_same_name_and_source_and_never_below_0(void **state)
{
	struct counters before = { 0 }, none = { 0 };
	struct counter after = { "snmp", "drops", 18 };

	(void)state;
	counters_add(&before, "ethtool", "drops", 3);
	counters_add(&before, "snmp", "drop", 5);
	counters_add(&before, "snmp", "drops", 7);
	assert_int_equal(counters_growth(&before, &after), 11);
	after.value = 5;	/* it was reset meanwhile */
	assert_int_equal(counters_growth(&before, &after), 0);
	assert_int_equal(counters_growth(&none, &after), 0);
	counters_free(&before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_the_stack_losses_of_ip_and_udp_are_taken),
		cmocka_unit_test(of_netstat_the_reverse_path_filter_is_taken_too),
		cmocka_unit_test(lines_that_are_no_pair_end_the_reading),
		cmocka_unit_test(a_file_that_is_cut_anywhere_is_read_to_there),
		cmocka_unit_test(a_line_longer_than_any_is_not_read_as_another),
		cmocka_unit_test(of_conntrack_the_packets_it_dropped_are_taken),
		cmocka_unit_test(ipv6_tells_a_figure_a_line),
		cmocka_unit_test(what_the_backlogs_dropped_is_added_up),
		cmocka_unit_test(of_a_driver_names_that_tell_a_loss_are_taken),
		cmocka_unit_test(of_an_interface_the_queue_at_the_root_is_taken),
		cmocka_unit_test(of_a_queue_within_another_nothing_is_taken),
		cmocka_unit_test(growth_is_of_the_same_name_and_source_and_never_below_0),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
