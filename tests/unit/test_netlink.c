// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Answers of a kernel, as netlink_vectors.py received them, and damaged ones.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>

#include "sys/net/nic_parse.h"

#include "check.h"
#include "netlink_vectors.h"

#define MORE 1

/* Frames that XDP has seen are counted by veth without their Ethernet header. */
#define BYTES (7 * (101 - 14))

static struct netlink_answer ask(netlink_fn *fn, void *ctx)
{
	return (struct netlink_answer){ .seq = SEQ, .fn = fn, .ctx = ctx };
}

static void an_answer_ends_with_its_acknowledgement(void **state)
{
	struct netlink_answer answer = ask(NULL, NULL);

	(void)state;
	assert_int_equal(netlink_read(&answer, link_one0, sizeof(link_one0)), MORE);
	assert_int_equal(netlink_read(&answer, link_one1, sizeof(link_one1)), 0);
	assert_int_equal(answer.nr_messages, 1);
}

static void a_dump_ends_with_done(void **state)
{
	struct netlink_answer answer = ask(NULL, NULL);

	(void)state;
	assert_int_equal(netlink_read(&answer, qdiscs0, sizeof(qdiscs0)), MORE);
	assert_int_equal(netlink_read(&answer, qdiscs1, sizeof(qdiscs1)), 0);
	assert_int_equal(answer.nr_messages, 2);
}

static void answers_to_another_question_are_skipped(void **state)
{
	struct netlink_answer answer = { .seq = SEQ + 1 };

	(void)state;
	assert_int_equal(netlink_read(&answer, qdiscs0, sizeof(qdiscs0)), MORE);
	assert_int_equal(netlink_read(&answer, no_link, sizeof(no_link)), MORE);
	assert_int_equal(answer.nr_messages, 0);
}

static void a_refusal_has_the_kernels_errno(void **state)
{
	struct netlink_answer answer = ask(NULL, NULL);

	(void)state;
	assert_int_equal(netlink_read(&answer, no_link, sizeof(no_link)), -ENODEV);
	assert_string_equal(answer.said, "");
	assert_int_equal(netlink_read(&answer, no_family, sizeof(no_family)), -ENOENT);
}

static void a_refusal_has_the_kernels_sentence(void **state)
{
	struct netlink_answer answer = ask(NULL, NULL);

	(void)state;
	assert_int_equal(netlink_read(&answer, bad_prefix, sizeof(bad_prefix)), -EINVAL);
	assert_string_equal(answer.said, "ipv4: Invalid prefix length");
}

static void a_dump_that_failed_at_its_end_has_failed(void **state)
{
	struct netlink_answer answer = ask(NULL, NULL);
	uint8_t part[sizeof(qdiscs1)];
	int no = -EBUSY;

	(void)state;
	memcpy(part, qdiscs1, sizeof(part));
	memcpy(part + NLMSG_HDRLEN, &no, sizeof(no));
	assert_int_equal(netlink_read(&answer, part, sizeof(part)), -EBUSY);
}

static void a_dump_that_was_interrupted_is_known(void **state)
{
	struct netlink_answer answer = ask(NULL, NULL);
	uint8_t part[sizeof(qdiscs0)];

	(void)state;
	memcpy(part, qdiscs0, sizeof(part));
	((struct nlmsghdr *)part)->nlmsg_flags |= NLM_F_DUMP_INTR;
	assert_int_equal(netlink_read(&answer, part, sizeof(part)), MORE);
	assert_int_equal(netlink_read(&answer, qdiscs1, sizeof(qdiscs1)), -EINTR);
}

/* On the heap, for the sanitizer to see what is read beyond the end. */
static int read_cut(const uint8_t *part, size_t bytes, netlink_fn *fn, void *ctx)
{
	struct netlink_answer answer = ask(fn, ctx);
	uint8_t *copy = malloc(bytes ? bytes : 1);
	int err;

	assert_non_null(copy);
	memcpy(copy, part, bytes);
	err = netlink_read(&answer, copy, bytes);
	free(copy);
	return err;
}

static void a_part_that_is_cut_is_an_error(void **state)
{
	size_t bytes;

	(void)state;
	for (bytes = 1; bytes < sizeof(link_one0); bytes++)
		assert_int_equal(read_cut(link_one0, bytes, NULL, NULL), -EIO);
}

/* A length that is right of a message which ends too early. */
static void a_message_that_is_short_is_not_read_beyond_its_end(void **state)
{
	uint8_t part[sizeof(link_two0)];
	struct nic_stats stats;
	struct nic_link link;
	uint32_t bytes;

	(void)state;
	memcpy(part, link_two0, sizeof(part));
	for (bytes = NLMSG_HDRLEN; bytes < sizeof(part); bytes += 4) {
		memcpy(part, &bytes, sizeof(bytes));
		stats = (struct nic_stats){ 0 };
		assert_int_equal(read_cut(part, bytes, nic_take_stats, &stats), MORE);
		assert_int_equal(read_cut(part, bytes, nic_take_link, &link), MORE);
		assert_true(!stats.found || stats.counters.rx_packets == 7);
	}
}

static void counters_are_those_of_the_frames_that_were_sent(void **state)
{
	struct nic_stats one = { 0 }, two = { 0 };
	struct netlink_answer answer = ask(nic_take_stats, &one);

	(void)state;
	netlink_read(&answer, link_one0, sizeof(link_one0));
	answer = ask(nic_take_stats, &two);
	netlink_read(&answer, link_two0, sizeof(link_two0));
	assert_true(one.found && two.found);
	assert_int_equal(one.counters.tx_packets, 7);
	assert_int_equal(one.counters.tx_bytes, BYTES);
	assert_int_equal(one.counters.rx_packets, 0);
	assert_int_equal(two.counters.rx_packets, 7);
	assert_int_equal(two.counters.rx_bytes, BYTES);
}

static void a_link_knows_its_peer_and_its_xdp_program(void **state)
{
	struct nic_link one = { 0 }, two = { 0 };
	struct netlink_answer answer = ask(nic_take_link, &one);

	(void)state;
	netlink_read(&answer, link_one0, sizeof(link_one0));
	answer = ask(nic_take_link, &two);
	netlink_read(&answer, link_two0, sizeof(link_two0));
	assert_string_equal(one.ifname, "one");
	assert_true(one.up && one.carrier && !one.loopback && !one.peer_hidden);
	assert_int_equal(one.peer_ifindex, TWO_IFINDEX);
	assert_int_equal(one.peer_nsid, -1);
	assert_int_equal(two.peer_ifindex, ONE_IFINDEX);
	assert_false(one.xdp);
	assert_true(two.xdp);
}

/* veth transmits while its peer has a program, and has no zero-copy. */
static void a_driver_says_what_it_offers_to_xdp(void **state)
{
	struct nic_xdp xdp = { 0 };
	struct netlink_answer answer = ask(nic_take_xdp, &xdp);

	(void)state;
	assert_int_equal(netlink_read(&answer, netdev0, sizeof(netdev0)), MORE);
	assert_int_equal(xdp.bits, NIC_XDP_BASIC | NIC_XDP_REDIRECT | NIC_XDP_XMIT |
				   NIC_XDP_RX_FRAGS | NIC_XDP_XMIT_FRAGS);
	assert_int_equal(xdp.rx_metadata, 7);
	assert_int_equal(xdp.tx_metadata, 0);
	assert_true(xdp.says_tx_metadata);
}

static void take_family(const struct nlmsghdr *msg, void *ctx)
{
	struct nlattr *attrs[CTRL_ATTR_FAMILY_NAME + 1];
	char name[16];

	netlink_attrs(msg, sizeof(struct genlmsghdr), attrs, CTRL_ATTR_FAMILY_NAME);
	*(uint64_t *)ctx = netlink_uint(attrs[CTRL_ATTR_FAMILY_ID]);
	netlink_text(attrs[CTRL_ATTR_FAMILY_NAME], name, sizeof(name));
	assert_string_equal(name, "netdev");
	/* One that has no room is cut, and one that is not there empty. */
	netlink_text(attrs[CTRL_ATTR_FAMILY_NAME], name, 4);
	assert_string_equal(name, "net");
	netlink_text(attrs[CTRL_ATTR_UNSPEC], name, sizeof(name));
	assert_string_equal(name, "");
}

static void attributes_have_numbers_and_text(void **state)
{
	uint64_t family_id = 0;
	struct netlink_answer answer = ask(take_family, &family_id);

	(void)state;
	assert_int_equal(netlink_read(&answer, family0, sizeof(family0)), MORE);
	assert_int_equal(family_id, NETDEV_ID);
	assert_int_equal(netlink_uint(NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_answer_ends_with_its_acknowledgement),
		cmocka_unit_test(a_dump_ends_with_done),
		cmocka_unit_test(answers_to_another_question_are_skipped),
		cmocka_unit_test(a_refusal_has_the_kernels_errno),
		cmocka_unit_test(a_refusal_has_the_kernels_sentence),
		cmocka_unit_test(a_dump_that_failed_at_its_end_has_failed),
		cmocka_unit_test(a_dump_that_was_interrupted_is_known),
		cmocka_unit_test(a_part_that_is_cut_is_an_error),
		cmocka_unit_test(a_message_that_is_short_is_not_read_beyond_its_end),
		cmocka_unit_test(counters_are_those_of_the_frames_that_were_sent),
		cmocka_unit_test(a_link_knows_its_peer_and_its_xdp_program),
		cmocka_unit_test(a_driver_says_what_it_offers_to_xdp),
		cmocka_unit_test(attributes_have_numbers_and_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
