// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The ledger's arithmetic: rows add up, and no packet is in two of them.
 */
#include <stdio.h>
#include <string.h>

#include "model/ledger.h"
#include "result/result.h"
#include "result/tree.h"

#include "check.h"

static const char *const where = "lab-r:ega";

static void claim(struct ledger *ledger, const char *reason, uint64_t packets)
{
	struct ledger_row row = { .source = "kfree_skb", .packets = packets };

	snprintf(row.reason, sizeof(row.reason), "%s", reason);
	ledger_claim(ledger, &row);
}

/* Packets of the rows of @source. */
static uint64_t rows_of(const struct ledger_rows *rows, const char *source)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < rows->nr; i++) {
		if (!strcmp(rows->all[i].source, source))
			sum += rows->all[i].packets;
	}
	return sum;
}

static void rows_add_up(void **state)
{
	struct ledger ledger = { .made = 10007, .received = 9001, .exact = true };

	(void)state;
	assert_int_equal(ledger_unattributed(&ledger), 1006);
	claim(&ledger, "NO_SOCKET", 503);
	claim(&ledger, "IP_CSUM", 501);
	assert_int_equal(ledger_unattributed(&ledger), 2);
	claim(&ledger, "IP_CSUM", 2);
	assert_int_equal(ledger_unattributed(&ledger), 0);
	assert_int_equal(ledger.rows.nr, 2);
	claim(&ledger, "nothing", 0);
	assert_int_equal(ledger.rows.nr, 2);
	ledger_release(&ledger);
}

/* That of a hash table is another one in each run. */
static void the_largest_row_is_reported_first(void **state)
{
	struct ledger ledger = { .made = 10007, .received = 9001, .exact = true };
	struct result *res = result_new("test");

	(void)state;
	claim(&ledger, "IP_CSUM", 101);
	claim(&ledger, "NO_SOCKET", 503);
	claim(&ledger, "TTL", 211);
	ledger_report(&ledger, res);
	assert_int_equal(ledger.rows.all[0].packets, 503);
	assert_int_equal(ledger.rows.all[1].packets, 211);
	assert_int_equal(ledger.rows.all[2].packets, 101);
	result_free(res);
	ledger_release(&ledger);
}

static void where_copies_go_two_ways_a_packet_has_one_end(void **state)
{
	struct ledger ledger = { .made = 1009, .received = 865 };
	struct ledger_row row = { .packets = 146 };

	(void)state;
	assert_int_equal(ledger_trim(&ledger, &row, 211), 2);
	assert_int_equal(row.packets, 144);
	assert_int_equal(ledger_trim(&ledger, &row, 211), 0);
	/* Without copies it is an overclaim, and is shown. */
	row.packets = 146;
	assert_int_equal(ledger_trim(&ledger, &row, 0), 0);
	assert_int_equal(ledger_trim(&ledger, &row, 1), 1);
	assert_int_equal(row.packets, 145);
	ledger.received = 1013;
	assert_int_equal(ledger_trim(&ledger, &row, 211), 145);
	assert_int_equal(row.packets, 0);
	ledger_release(&ledger);
}

static void an_overclaim_is_shown(void **state)
{
	struct ledger ledger = { .made = 101, .received = 97 };
	struct result *res = result_new("test");

	(void)state;
	claim(&ledger, "NO_SOCKET", 4);
	ledger_report(&ledger, res);
	assert_true(result_passed(res));
	claim(&ledger, "NO_SOCKET", 7);
	assert_int_equal(ledger_unattributed(&ledger), -7);
	ledger_report(&ledger, res);
	assert_false(result_passed(res));
	result_free(res);
	ledger_release(&ledger);
}

/* A row of a counter is an upper limit then, and the ledger is neither right nor wrong. */
static void a_counter_of_other_traffic_claims_what_is_missing(void **state)
{
	static const struct ledger_growth drops = { "ethtool", "rx_xdp_drops", 589 };
	struct ledger ledger = { .made = 1009, .received = 500, .exact = true };
	struct ledger_iface iface = { .where = where };
	struct result *res = result_new("test");

	(void)state;
	claim(&ledger, "NO_SOCKET", 9);
	ledger_add_iface(&ledger, &iface, &drops, 1);
	assert_int_equal(ledger_unattributed(&ledger), 0);
	assert_int_equal(rows_of(&ledger.rows, "ethtool"), 500);
	assert_int_equal(ledger.others, 89);
	ledger_report(&ledger, res);
	assert_int_equal(json_array_size(json_object_get(result_tree(res), "verdicts")), 0);
	result_free(res);
	ledger_release(&ledger);
	/* All that is missing has a row already: what the counter has is of others. */
	ledger = (struct ledger){ .made = 1009, .received = 1000, .exact = true };
	res = result_new("test");
	claim(&ledger, "NO_SOCKET", 9);
	ledger_add_iface(&ledger, &iface, &drops, 1);
	assert_int_equal(rows_of(&ledger.rows, "ethtool"), 0);
	ledger_report(&ledger, res);
	assert_true(result_passed(res));
	result_free(res);
	ledger_release(&ledger);
}

/* Packets lost elsewhere, or by what this host does not report, are not "the ledger adds up". */
static void what_is_unattributed_is_no_pass(void **state)
{
	struct ledger ledger = { .made = 101, .received = 90, .exact = true };
	struct ledger_row row = { .source = "snmp", .place = "UdpNoPorts", .where = "lab-b", .packets = 4,
				  .is_counter = true };
	struct result *res = result_new("test");
	const char *note;
	json_t *tree;

	(void)state;
	claim(&ledger, "NO_SOCKET", 4);
	ledger_witness(&ledger, &row);
	row = (struct ledger_row){ .source = "qdisc", .place = "tbf", .where = "lab-r:egb", .packets = 9,
				    .is_counter = true };
	ledger_witness(&ledger, &row);
	row = (struct ledger_row){ .source = "receiver", .reason = "duplicate", .packets = 5 };
	ledger_witness(&ledger, &row);
	ledger_report(&ledger, res);
	tree = result_tree(res);
	assert_int_equal(json_array_size(json_object_get(tree, "verdicts")), 0);
	note = json_string_value(json_array_get(json_object_get(tree, "notes"), 0));
	assert_non_null(note);
	assert_non_null(strstr(note, "7 of the 11 lost packets are unattributed"));
	assert_non_null(strstr(note, "grew: qdisc tbf at 'lab-r:egb' by 9, snmp UdpNoPorts at 'lab-b' by 4"));
	assert_null(strstr(note, "duplicate"));
	result_free(res);
	ledger_release(&ledger);
	/* None of the counters grew. */
	ledger = (struct ledger){ .made = 3, .exact = true };
	res = result_new("test");
	ledger_report(&ledger, res);
	tree = result_tree(res);
	assert_non_null(strstr(json_string_value(json_array_get(json_object_get(tree, "notes"), 0)),
			       "no counter of drops grew"));
	result_free(res);
	ledger_release(&ledger);
}

static const char *only_note(struct ledger *ledger, struct result *res)
{
	json_t *notes;

	ledger_report(ledger, res);
	notes = json_object_get(result_tree(res), "notes");
	assert_true(json_array_size(notes) <= 1);
	return json_string_value(json_array_get(notes, 0));
}

static void the_rules_that_drop_are_named(void **state)
{
	static const struct ledger_growth rules[] = {
		{ "nftables", "ip t c handle 4", 334 }, { "conntrack", "drop", 31 },
	};
	struct ledger ledger = { .made = 1009, .received = 541, .exact = true };
	struct ledger_row row = { .source = "kfree_skb", .reason = "a name", .where = "lab-r:ega", .packets = 460,
				  .by_filter = true };
	struct result *res = result_new("test");
	char name[32];
	int i;

	(void)state;
	ledger_claim(&ledger, &row);
	row.packets = 8;
	snprintf(row.where, sizeof(row.where), "lab-r:egb");
	ledger_claim(&ledger, &row);
	ledger_add_stack(&ledger, "lab-r", rules, 2);
	ledger_add_silent(&ledger, "lab-r", "ip t c handle 5");
	ledger_add_silent(&ledger, "lab-r2", "ip t c handle 6");
	ledger_add_silent(&ledger, "", "ip t c handle 7");
	assert_string_equal(only_note(&ledger, res), "the packet filter of 'lab-r' dropped 468 packets: ip t c handle 4 "
			    "counted 334, conntrack drop counted 31; rules without a counter: ip t c handle 5");
	result_free(res);
	ledger_release(&ledger);

	/* What the counters have is all: no other rule is suspected. This namespace has no name. */
	ledger = (struct ledger){ .made = 1009, .received = 675, .exact = true };
	res = result_new("test");
	row.packets = 334;
	snprintf(row.where, sizeof(row.where), "eg0");
	ledger_claim(&ledger, &row);
	ledger_add_stack(&ledger, "", rules, 1);
	ledger_add_silent(&ledger, "", "ip t c handle 5");
	assert_string_equal(only_note(&ledger, res),
			    "the packet filter dropped 334 packets: ip t c handle 4 counted 334");
	result_free(res);
	ledger_release(&ledger);

	/* Of many rules the first are named; without a drop of the filter none is. */
	for (i = 0; i < 2; i++) {
		int rule;

		ledger = (struct ledger){ .made = 1009, .received = 675, .exact = true };
		res = result_new("test");
		row.by_filter = !i;
		snprintf(row.where, sizeof(row.where), "net:[4026]:eg0");
		ledger_claim(&ledger, &row);
		for (rule = 1; rule <= 6; rule++) {
			snprintf(name, sizeof(name), "rule %d", rule);
			ledger_add_silent(&ledger, "net:[4026]", name);
		}
		if (i)
			assert_null(only_note(&ledger, res));
		else
			assert_string_equal(only_note(&ledger, res), "the packet filter of 'net:[4026]' dropped 334 packets: "
					    "rules without a counter: rule 1, rule 2, rule 3, rule 4 and 2 more");
		result_free(res);
		ledger_release(&ledger);
	}
}

static void a_witness_is_no_row(void **state)
{
	const struct ledger_growth qdisc = { "qdisc", "tbf", 811 }, udp[] = {
		{ "snmp", "UdpRcvbufErrors", 13 }, { "snmp", "UdpInErrors", 13 },
		{ "snmp", "IpInHdrErrors", 3 }, { "snmp", "IpExtInCsumErrors", 3 },
	};
	struct ledger ledger = { .made = 1009, .exact = true };
	struct ledger_iface iface = { .where = where };

	(void)state;
	ledger_add_iface(&ledger, &iface, &qdisc, 1);
	ledger_add_stack(&ledger, "lab-r", udp, 4);
	assert_int_equal(ledger.rows.nr, 0);
	assert_int_equal(ledger.witnesses.nr, 5);
	ledger_release(&ledger);
	/* Without kfree_skb they are the only source. */
	ledger.made = 1009;
	ledger_add_iface(&ledger, &iface, &qdisc, 1);
	ledger_add_stack(&ledger, "lab-r", udp, 4);
	assert_int_equal(ledger_unattributed(&ledger), 1009 - 811 - 13 - 3);
	ledger_release(&ledger);
}

/* A run of one interface's counters; returns what they claim. */
static uint64_t claims(struct ledger_iface *iface, const struct ledger_growth *growths, size_t nr,
		       const char *source)
{
	struct ledger ledger = { .made = 1009, .exact = true };
	uint64_t packets;

	iface->where = where;
	ledger_add_iface(&ledger, iface, growths, nr);
	packets = rows_of(&ledger.rows, source);
	ledger_release(&ledger);
	return packets;
}

static void an_xdp_verdict_is_claimed_once(void **state)
{
	static const struct ledger_growth queues[] = {
		{ "ethtool", "rx_queue_0_xdp_drops", 500 }, { "ethtool", "rx_queue_1_xdp_drops", 9 },
	}, both[] = {
		{ "ethtool", "rx_xdp_drop", 509 }, { "ethtool", "rx0_xdp_drop", 509 },
	};
	struct ledger_iface native = { 0 }, skbs = { .skb_xdp_drops = 500 };
	struct ledger_iface ours = { .own_verdicts = 500 }, aborts = { .aborted = 11 };

	(void)state;
	assert_int_equal(claims(&native, queues, 2, "ethtool"), 509);
	assert_int_equal(claims(&native, both, 2, "ethtool"), 509);
	assert_int_equal(claims(&skbs, queues, 2, "ethtool"), 9);
	assert_int_equal(claims(&ours, queues, 2, "ethtool"), 9);
	/* An exception is one of the drops. */
	assert_int_equal(claims(&aborts, queues, 2, "ethtool"), 498);
	assert_int_equal(claims(&aborts, queues, 2, "xdp_exception"), 11);
}

static void generic_xdp_has_no_counter_of_its_own(void **state)
{
	struct ledger_iface aborts = { .aborted = 11, .skb_xdp_drops = 11 };
	struct ledger_iface redirects = { .redirect_errors = 13, .skb_xdp_drops = 13, .claimed = 26 };

	(void)state;
	assert_int_equal(claims(&aborts, NULL, 0, "xdp_exception"), 0);
	assert_int_equal(claims(&redirects, NULL, 0, "xdp_redirect_err"), 0);
	aborts.skb_xdp_drops = 0;
	redirects.skb_xdp_drops = 0;
	assert_int_equal(claims(&aborts, NULL, 0, "xdp_exception"), 11);
	assert_int_equal(claims(&redirects, NULL, 0, "xdp_redirect_err"), 13);
}

static void an_interface_claims_what_no_other_source_reported(void **state)
{
	const struct ledger_growth dropped[] = {
		{ "rtnl", "rx_dropped", 100 }, { "rtnl", "tx_dropped", 7 },
		{ "rtnl", "rx_missed_errors", 3 },
	};
	struct ledger_iface peer = { .claimed = 5 }, iface = { .claimed = 103, .peer = &peer };

	(void)state;
	/* 100 and 3 were reported here, 4 of the rest at the other end; nothing reports a full ring. */
	assert_int_equal(claims(&iface, dropped, 3, "rtnl"), 3);
	assert_int_equal(iface.claimed, 0);
	assert_int_equal(peer.claimed, 1);
	iface.claimed = 60;
	assert_int_equal(claims(&iface, dropped, 3, "rtnl"), 100 - 61 + 7 + 3);
	assert_int_equal(peer.claimed, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_add_up),
		cmocka_unit_test(the_largest_row_is_reported_first),
		cmocka_unit_test(where_copies_go_two_ways_a_packet_has_one_end),
		cmocka_unit_test(an_overclaim_is_shown),
		cmocka_unit_test(a_counter_of_other_traffic_claims_what_is_missing),
		cmocka_unit_test(what_is_unattributed_is_no_pass),
		cmocka_unit_test(the_rules_that_drop_are_named),
		cmocka_unit_test(a_witness_is_no_row),
		cmocka_unit_test(an_xdp_verdict_is_claimed_once),
		cmocka_unit_test(generic_xdp_has_no_counter_of_its_own),
		cmocka_unit_test(an_interface_claims_what_no_other_source_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
