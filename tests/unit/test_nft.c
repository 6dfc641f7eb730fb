// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rules of nftables that drop packets, in answers of a kernel (nft_vectors.py), whole and damaged.
 */
#include <stdlib.h>
#include <string.h>

#include <linux/netfilter/nf_tables.h>
#include <linux/netlink.h>

#include "sys/net/nft_parse.h"

#include "check.h"
#include "nft_vectors.h"

/* A copy of exact size, so that a read after the end is detected. */
static int take_any(const uint8_t *answer, size_t bytes, netlink_fn *fn, void *ctx)
{
	struct netlink_answer reader = { .seq = SEQ, .fn = fn, .ctx = ctx };
	void *part = malloc(bytes ? bytes : 1);
	int err;

	assert_non_null(part);
	memcpy(part, answer, bytes);
	err = netlink_read(&reader, part, bytes);
	free(part);
	return err;
}

static int take(const uint8_t *answer, size_t bytes, netlink_fn *fn, struct nft_drops *drops)
{
	return take_any(answer, bytes, fn, drops);
}

static void what_drops_is_named_as_nft_does_and_counted_where_the_rule_counts(void **state)
{
	static const struct counter expected[] = {
		{ "nftables", "ip t in policy (input)", 0, true },
		{ "nftables", "ip t in handle 2 (input)", 1009, false },
		/* It counts before the port is compared. */
		{ "nftables", "inet filter sub handle 4", 0, true },
		{ "nftables", "inet filter sub handle 5", 4294967301, false },
		{ "nftables", "inet filter sub handle 6", 0, true },
		{ "nftables", "inet filter sub handle 7", 0, true },
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

static void a_rule_drops_by_the_elements_of_its_map(void **state)
{
	static const struct {
		const uint8_t *answer;
		size_t bytes;
		const char *set;
		struct counter expected;	/* zeroed: it drops nothing */
	} maps[] = {
		{ nft_silent_map, sizeof(nft_silent_map), "__map0",
		  { "nftables", "inet filter sub handle 9", 0, true } },
		{ nft_map, sizeof(nft_map), "counts", { "nftables", "inet filter sub handle 10", 23, false } },
		{ nft_passing_map, sizeof(nft_passing_map), "__map1", { 0 } },
	};
	struct counters counters = { 0 };
	struct nft_drops drops = { .counters = &counters };
	const struct counter *last;
	size_t i, before;

	(void)state;
	take(nft_chains, sizeof(nft_chains), nft_take_chain, &drops);
	take(nft_rules, sizeof(nft_rules), nft_take_rule, &drops);
	assert_int_equal(drops.nr_maps, sizeof(maps) / sizeof(maps[0]));
	for (i = 0; i < drops.nr_maps; i++) {
		struct nft_elements elements = { 0 };

		assert_string_equal(drops.maps[i].set, maps[i].set);
		assert_int_equal(take_any(maps[i].answer, maps[i].bytes, nft_take_element, &elements), 0);
		before = counters.nr;
		nft_add_map(&drops, &drops.maps[i], &elements);
		assert_int_equal(counters.nr - before, maps[i].expected.value || maps[i].expected.silent);
		last = &counters.all[counters.nr - 1];
		if (counters.nr == before)
			continue;
		assert_string_equal(last->name, maps[i].expected.name);
		assert_int_equal(last->value, maps[i].expected.value);
		assert_int_equal(last->silent, maps[i].expected.silent);
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
	for (at = 0; at < sizeof(nft_map); at++) {
		uint8_t map[sizeof(nft_map)];
		struct nft_elements elements = { 0 };

		take_any(nft_map, at, nft_take_element, &elements);
		memcpy(map, nft_map, sizeof(map));
		map[at] ^= 0xff;
		take_any(map, sizeof(map), nft_take_element, &elements);
	}
}

/*
 * The map of a kernel whose elements have lists of expressions, of @list_bytes each, without keys: a filler, the
 * list, and the verdict.
 */
static struct nft_elements take_lists(uint8_t list_bytes)
{
	static const uint8_t begin[] = { 0x4c, 0, NFTA_LIST_ELEM, 0, 12, 0, NFTA_SET_ELEM_KEY, 0 };
	const uint8_t filler[] = { 8, 0, 99, 0, 0, 0, 0, 0 };
	const uint8_t list[] = { list_bytes, 0, NFTA_SET_ELEM_EXPRESSIONS, 0, 44, 0, NFTA_LIST_ELEM, 0 };
	struct nft_elements elements = { 0 };
	uint8_t map[sizeof(nft_map)], *to;
	const uint8_t *from;
	size_t at, nr = 0;

	memcpy(map, nft_map, sizeof(map));
	for (at = 0; at + 0x4c <= sizeof(map); at++) {
		if (memcmp(map + at, begin, sizeof(begin)))
			continue;
		from = nft_map + at + 4;		/* key 12, verdict 16, counter 44 */
		to = map + at + 4;
		memcpy(to, filler, 8);
		memcpy(to + 8, list, 8);
		memcpy(to + 16, from + 32, 40);
		memcpy(to + 56, from + 12, 16);
		nr++;
	}
	assert_int_equal(nr, 3);
	assert_int_equal(take_any(map, sizeof(map), nft_take_element, &elements), 0);
	return elements;
}

static void an_expression_ends_with_its_list(void **state)
{
	struct nft_elements elements = take_lists(48);

	(void)state;
	assert_true(elements.drop && !elements.silent);
	assert_int_equal(elements.packets, 23);
	/* It says that it is longer than the list. */
	elements = take_lists(8);
	assert_true(elements.drop && elements.silent);
	assert_int_equal(elements.packets, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_drops_is_named_as_nft_does_and_counted_where_the_rule_counts),
		cmocka_unit_test(a_rule_drops_by_the_elements_of_its_map),
		cmocka_unit_test(a_damaged_answer_is_read_within_its_bounds),
		cmocka_unit_test(an_expression_ends_with_its_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
