// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rules of nftables that drop packets, in answers of a kernel (nft_vectors.py), whole and damaged.
 */
#include <stdlib.h>
#include <string.h>

#include <linux/netlink.h>

#include "sys/net/nft_parse.h"

#include "check.h"
#include "nft_vectors.h"

/* A copy of exact size, so that a read after the end is detected. */
static int take(const uint8_t *answer, size_t bytes, netlink_fn *fn, struct nft_drops *drops)
{
	struct netlink_answer reader = { .seq = SEQ, .fn = fn, .ctx = drops };
	void *part = malloc(bytes ? bytes : 1);
	int err;

	assert_non_null(part);
	memcpy(part, answer, bytes);
	err = netlink_read(&reader, part, bytes);
	free(part);
	return err;
}

static void what_drops_is_named_as_nft_does_and_counted_where_the_rule_counts(void **state)
{
	static const struct counter expected[] = {
		{ "nftables", "ip t in policy (input)", 0, true },
		{ "nftables", "ip t in handle 2 (input)", 1009, false },
		/* It counts before the port is compared. */
		{ "nftables", "inet filter sub handle 3", 0, true },
		{ "nftables", "inet filter sub handle 4", 4294967301, false },
		{ "nftables", "inet filter sub handle 5", 0, true },
		{ "nftables", "inet filter sub handle 6", 0, true },
		{ "nftables", "netdev n ing handle 2 (ingress)", 7, false },
	};
	struct counters counters = { 0 };
	struct nft_drops drops = { .counters = &counters };
	size_t i;

	(void)state;
	assert_int_equal(take(nft_chains, sizeof(nft_chains), nft_take_chain, &drops), 0);
	assert_int_equal(take(nft_rules, sizeof(nft_rules), nft_take_rule, &drops), 0);
	assert_int_equal(drops.nr_chains, 4);
	assert_int_equal(counters.nr, sizeof(expected) / sizeof(expected[0]));
	for (i = 0; i < counters.nr; i++) {
		assert_string_equal(counters.all[i].source, expected[i].source);
		assert_string_equal(counters.all[i].name, expected[i].name);
		assert_int_equal(counters.all[i].value, expected[i].value);
		assert_int_equal(counters.all[i].silent, expected[i].silent);
	}
	nft_drops_free(&drops);
	counters_free(&counters);
}

static void a_damaged_answer_is_read_within_its_bounds(void **state)
{
	uint8_t copy[sizeof(nft_rules)];
	size_t at;

	(void)state;
	for (at = 0; at < sizeof(copy); at++) {
		struct counters counters = { 0 };
		struct nft_drops drops = { .counters = &counters };

		take(nft_chains, sizeof(nft_chains), nft_take_chain, &drops);
		take(nft_rules, at, nft_take_rule, &drops);
		memcpy(copy, nft_rules, sizeof(copy));
		copy[at] ^= 0xff;
		take(copy, sizeof(copy), nft_take_rule, &drops);
		take(copy, sizeof(copy), nft_take_chain, &drops);
		nft_drops_free(&drops);
		counters_free(&counters);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_drops_is_named_as_nft_does_and_counted_where_the_rule_counts),
		cmocka_unit_test(a_damaged_answer_is_read_within_its_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
