// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/packet_size: every form gives the sizes that it names, in an order
 * that is always the same, and errors are reported with their column.
 */
#include "check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/packet_size.h"

#define SEED	11

static struct packet_size parsed(const char *text)
{
	struct packet_size size;
	struct err e = { 0 };

	memset(&size, 0xa5, sizeof(size));
	if (packet_size_parse(text, SEED, &size, &e) < 0)
		fail_msg("'%s': %s", text, e.msg);
	assert_int_equal(size.field.every, 1);
	return size;
}

static uint64_t nth(const struct packet_size *size, uint64_t number)
{
	return field_value(&size->field, (const __u64 *)size->list, size->nr_list, number);
}

static void check_bytes(const struct packet_size *size, uint32_t min, uint32_t max, double mean)
{
	assert_int_equal(size->min_bytes, min);
	assert_int_equal(size->max_bytes, max);
	assert_true(size->mean_bytes == mean);
}

static void check_order(const char *text, const uint64_t *order, uint32_t nr)
{
	struct packet_size size = parsed(text);
	uint32_t i;

	assert_int_equal(size.field.kind, FIELD_LIST);
	assert_int_equal(size.field.first, 0);
	assert_int_equal(size.field.span, nr);
	assert_int_equal(size.nr_list, nr);
	for (i = 0; i < 2 * nr; i++)
		assert_int_equal(nth(&size, i), order[i % nr]);
}

static void a_number_is_one_size(void **state)
{
	struct packet_size size = parsed(" 128 "), fixed;

	(void)state;
	assert_int_equal(size.field.kind, FIELD_COUNTER);
	assert_int_equal(size.field.span, 1);
	check_bytes(&size, 128, 128, 128);
	assert_int_equal(nth(&size, 0), 128);
	assert_int_equal(nth(&size, 12345), 128);
	packet_size_fixed(&fixed, 128);
	assert_memory_equal(&fixed.field, &size.field, sizeof(size.field));
	check_bytes(&fixed, 128, 128, 128);
	size = parsed("64");
	check_bytes(&size, 64, 64, 64);
	size = parsed("9216");
	check_bytes(&size, 9216, 9216, 9216);
}

static void a_range_counts_up_and_begins_again(void **state)
{
	struct packet_size size = parsed("64-1518");

	(void)state;
	assert_int_equal(size.field.kind, FIELD_COUNTER);
	assert_int_equal(size.field.span, 1455);
	check_bytes(&size, 64, 1518, 791);
	assert_int_equal(nth(&size, 1454), 1518);
	assert_int_equal(nth(&size, 1455), 64);

	/* the step does not reach the end: 64 + 22 * 64 is the largest */
	size = parsed("64 - 1518 : 64");
	assert_int_equal(size.field.step, 64);
	assert_int_equal(size.field.span, 23);
	check_bytes(&size, 64, 1472, 768);
	assert_int_equal(nth(&size, 22), 1472);
	assert_int_equal(nth(&size, 23), 64);

	size = parsed("64-65");
	check_bytes(&size, 64, 65, 64.5);
	size = parsed("100-100");
	check_bytes(&size, 100, 100, 100);
	size = parsed("100-200:101");
	check_bytes(&size, 100, 100, 100);
}

static void chance_stays_in_the_range_and_follows_the_seed(void **state)
{
	struct packet_size size = parsed("random(64-67)");
	struct packet_size other = parsed("random( 64-67 , seed = 7 )");
	unsigned int nr[4] = { 0 }, nr_different = 0;
	uint64_t i;

	(void)state;
	assert_int_equal(size.field.kind, FIELD_RANDOM);
	assert_int_equal(size.field.first, 64);
	assert_int_equal(size.field.span, 4);
	assert_int_equal(size.field.seed, SEED);
	assert_int_equal(other.field.seed, 7);
	check_bytes(&size, 64, 67, 65.5);
	for (i = 0; i < 40000; i++) {
		assert_in_range(nth(&size, i), 64, 67);
		nr[nth(&size, i) - 64]++;
		nr_different += nth(&size, i) != nth(&other, i);
	}
	/* 10000 expected, standard deviation 87 */
	for (i = 0; i < 4; i++)
		assert_in_range(nr[i], 9600, 10400);
	assert_in_range(nr_different, 29600, 30400);
	size = parsed("random(64-1518,seed=18446744073709551615)");
	assert_true(size.field.seed == UINT64_MAX);
	size = parsed("random(80-80)");
	check_bytes(&size, 80, 80, 80);
}

static void weights_are_spread(void **state)
{
	/* credits by hand: 7 4 1, sum 12 */
	const uint64_t imix[] = { 64, 594, 64, 64, 594, 64, 1518, 64, 594, 64, 594, 64 };
	const uint64_t three_to_one[] = { 64, 64, 128, 64 };
	const uint64_t twice[] = { 64, 128, 64 };
	const uint64_t bare[] = { 64, 128 }, one[] = { 64 };
	struct packet_size size;

	(void)state;
	check_order("64*7,594*4,1518*1", imix, 12);
	check_order("imix", imix, 12);
	check_order(" 64*14, 594 * 8 ,1518*2", imix, 12);
	check_order("64*3,128", three_to_one, 4);
	check_order("64*3000000,128*1000000", three_to_one, 4);
	check_order("64,128", bare, 2);
	check_order("64,64,128", twice, 3);
	check_order("64*7", one, 1);
	check_order("64*2,64*5", one, 1);

	size = parsed("imix");
	check_bytes(&size, 64, 1518, (7 * 64 + 4 * 594 + 1518) / 12.0);
	size = parsed("64*7,64");
	check_bytes(&size, 64, 64, 64);
	size = parsed("64*255,128");
	assert_int_equal(size.nr_list, FIELD_MAX_LIST);
	check_bytes(&size, 64, 128, 64.25);
}

/* After any number of packets, each size is less than one packet away from its share. */
static void no_size_runs_ahead(void **state)
{
	struct packet_size size = parsed("64*100,594*37,1518*9");
	const double weights[] = { 100, 37, 9 };
	const uint64_t sizes[] = { 64, 594, 1518 };
	double nr[3] = { 0 }, off;
	uint32_t i, k;

	(void)state;
	assert_int_equal(size.nr_list, 146);
	for (i = 0; i < 146; i++) {
		for (k = 0; k < 3; k++) {
			nr[k] += size.list[i] == sizes[k];
			off = nr[k] - weights[k] * (i + 1) / 146;
			assert_true(off > -1 && off < 1);
		}
	}
	for (k = 0; k < 3; k++)
		assert_true(nr[k] == weights[k]);
}

static void a_genome_keeps_its_order(void **state)
{
	const uint64_t all[] = { 64, 128, 256, 512, 1024, 1280, 1518 };
	const uint64_t own[] = { 64, 64, 9018, 100 }, again[] = { 64, 64, 64, 128 };
	struct packet_size size;

	(void)state;
	check_order("genome(abcdefg)", all, 7);
	check_order("genome(aazb, z=9018, b=100)", own, 4);
	check_order("genome( aaab )", again, 4);
	size = parsed("genome(aaab)");
	check_bytes(&size, 64, 128, 80);
	size = parsed("genome(ggg)");
	check_bytes(&size, 1518, 1518, 1518);
}

static void errors_are_reported_with_their_column(void **state)
{
	static const struct {
		const char *text, *column;
	} wrong[] = {
		{ "", "column 1: the text ends" },
		{ "63", "column 1: 63" },
		{ "9217", "column 1: 9217" },
		{ " 0", "column 2: 0" },
		{ "99999999999999999999999999999", "column 1: 999999999999999999999999..." },
		{ "18446744073709551744", "column 1: 18446744073709551744" },	/* 2^64 + 128 */
		{ "-64", "column 1: '-'" },
		{ "big", "column 1: 'b'" },
		{ "128x", "column 4: 'x'" },
		{ "128 128", "column 5: '1'" },
		{ "128:64", "column 4: ':'" },
		{ "\xff", "column 1: byte 0xff" },
		{ "64\n", "column 3: byte 0x0a" },
		{ "64-", "column 4: the text ends" },
		{ "64-9217", "column 4: 9217" },
		{ "128-64", "column 5: 64, expected a frame size from 128 on" },
		{ "64-128:", "column 8: the text ends" },
		{ "64-128:0", "column 8: 0" },
		{ "64-128,256", "column 7: ','" },
		{ "64,", "column 4: the text ends" },
		{ "64,,128", "column 4: ','" },
		{ "64,63", "column 4: 63" },
		{ "64*", "column 4: the text ends" },
		{ "64*0", "column 4: 0" },
		{ "64*1000000001", "column 4: 1000000001" },
		{ "64,128-256", "column 7: '-'" },
		{ "64*256,128", "column 1: the weights add up to 257" },
		{ "imixed", "column 5: 'e'" },
		{ "random", "column 7: the text ends" },
		{ "random()", "column 8: ')'" },
		{ "random(64)", "column 10: ')'" },
		{ "random(64-128", "column 14: the text ends" },
		{ "random(64-128))", "column 15: ')'" },
		{ "random(64-128:2)", "column 14: ':'" },
		{ "random(64-128, sead=1)", "column 16: 's'" },
		{ "random(64-128, seed=)", "column 21: ')'" },
		{ "random(64-128, seed=18446744073709551616)", "column 21: 18446744073709551616" },
		{ "random(64-128, seed=1", "column 22: the text ends" },
		{ "genome", "column 7: the text ends" },
		{ "genome()", "column 8: ')'" },
		{ "genome(aA)", "column 9: 'A'" },
		{ "genome(aab", "column 11: the text ends" },
		{ "genome(aaz)", "column 10: 'z' without a size" },
		{ "genome(aaz, z)", "column 14: ')'" },
		{ "genome(aaz, z=63)", "column 15: 63" },
		{ "genome(aaz, z=64, z=65)", "column 19: 'z' again" },
		{ "genome(aa, z=64)", "column 12: 'z'" },
		{ "genome(aa,)", "column 11: ')'" },
	};
	struct packet_size size, before;
	struct err e;
	size_t i;

	(void)state;
	memset(&size, 0x5a, sizeof(size));
	memset(&before, 0x5a, sizeof(before));
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		memset(&e, 0, sizeof(e));
		assert_int_equal(packet_size_parse(wrong[i].text, SEED, &size, &e), -EINVAL);
		assert_int_equal(e.kind, ERR_USAGE);
		if (strncmp(e.msg, wrong[i].column, strlen(wrong[i].column)) ||
		    !strstr(e.msg, "expected"))
			fail_msg("'%s': %s", wrong[i].text, e.msg);
		assert_memory_equal(&size, &before, sizeof(size));
	}
}

static void lists_have_an_end(void **state)
{
	char text[4096] = "64";
	struct packet_size size;
	struct err e = { 0 };
	unsigned int i;

	(void)state;
	for (i = 1; i < FIELD_MAX_LIST; i++)
		sprintf(text + strlen(text), ",%u", 64 + i);
	size = parsed(text);
	assert_int_equal(size.nr_list, FIELD_MAX_LIST);
	check_bytes(&size, 64, 319, 191.5);
	strcat(text, ",9000");
	assert_int_equal(packet_size_parse(text, 0, &size, &e), -EINVAL);
	assert_non_null(strstr(e.msg, ": too many sizes, expected at most 256"));

	strcpy(text, "genome(");
	memset(text + 7, 'a', FIELD_MAX_LIST);
	strcpy(text + 7 + FIELD_MAX_LIST, ")");
	size = parsed(text);
	assert_int_equal(size.nr_list, FIELD_MAX_LIST);
	strcpy(text + 7 + FIELD_MAX_LIST, "a)");
	assert_int_equal(packet_size_parse(text, 0, &size, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "column 264: too many letters"));
}

/* Copies of exact length, so that a read after the end is detected. */
static void any_bytes_are_safe(void **state)
{
	static const char *const pieces[] = {
		"64", "1518", "9216", "-", ":", ",", "*", "(", ")", "=", " ", "imix", "random",
		"genome", "seed", "a", "z", "0", "1", "\xff", "seed=", "random(64-128",
		"genome(aaz",
	};
	const uint64_t nr_pieces = ARRAY_SIZE(pieces);
	char text[256], *copy;
	uint64_t i, turn = 0, k, nr_right = 0;
	struct packet_size size;
	struct err e;

	(void)state;
	for (i = 0; i < 200000; i++) {
		text[0] = '\0';
		for (k = 1 + field_chance(3, turn++, 8); k; k--)
			strcat(text, pieces[field_chance(3, turn++, nr_pieces)]);
		copy = strdup(text);
		if (!packet_size_parse(copy, i, &size, &e)) {
			nr_right++;
			assert_in_range(size.min_bytes, 64, 9216);
			assert_in_range(size.max_bytes, size.min_bytes, 9216);
			assert_true(size.mean_bytes >= size.min_bytes);
			assert_true(size.mean_bytes <= size.max_bytes);
			for (k = 0; k < 5; k++)
				assert_in_range(nth(&size, k), size.min_bytes, size.max_bytes);
		}
		free(copy);
	}
	assert_true(nr_right > 1000);
}

static void sizes_grow_up_to_the_most(void **state)
{
	struct packet_size size = parsed("genome(aab, a=1518, b=1198)");

	(void)state;
	packet_size_grow(&size, 20, 1518);
	check_bytes(&size, 1218, 1518, (1518 + 1518 + 1218) / 3.0);
	assert_int_equal(nth(&size, 1), 1518);
	assert_int_equal(nth(&size, 2), 1218);
	size = parsed("random(64-300)");
	packet_size_grow(&size, 20, 1518);
	check_bytes(&size, 84, 320, 202);
	assert_in_range(nth(&size, 7), 84, 320);
	size = parsed("218");
	packet_size_grow(&size, 20, 1518);
	check_bytes(&size, 238, 238, 238);
	size = parsed("1499");
	packet_size_grow(&size, 20, 1518);
	check_bytes(&size, 1499, 1499, 1499);
	size = parsed("9216");
	packet_size_grow(&size, 20, 1518);
	check_bytes(&size, 9216, 9216, 9216);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_number_is_one_size),
		cmocka_unit_test(a_range_counts_up_and_begins_again),
		cmocka_unit_test(chance_stays_in_the_range_and_follows_the_seed),
		cmocka_unit_test(weights_are_spread),
		cmocka_unit_test(no_size_runs_ahead),
		cmocka_unit_test(a_genome_keeps_its_order),
		cmocka_unit_test(errors_are_reported_with_their_column),
		cmocka_unit_test(lists_have_an_end),
		cmocka_unit_test(any_bytes_are_safe),
		cmocka_unit_test(sizes_grow_up_to_the_most),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
