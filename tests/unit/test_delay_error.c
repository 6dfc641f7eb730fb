// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/delay_error.h"

#include "check.h"

#define NR 1009

static struct delay_of made[NR], measured[NR];

/* Each packet is measured @path_ns longer than it was held; the lists are in different orders. */
static void fill(uint64_t path_ns)
{
	size_t i;

	for (i = 0; i < NR; i++) {
		made[i] = (struct delay_of){ 10000 + 7 * i, (uint32_t)i, 0 };
		measured[NR - 1 - i] = made[i];
		measured[NR - 1 - i].delay_ns += path_ns;
	}
}

static struct delay_error find(size_t nr_made, size_t nr_measured)
{
	struct delay_error error;

	assert_int_equal(delay_error_find(made, nr_made, measured, nr_measured, &error), 0);
	return error;
}

static void each_packet_is_compared_with_itself(void **state)
{
	struct delay_error error;

	(void)state;
	fill(2003);
	error = find(NR, NR);
	assert_int_equal(error.packets, NR);
	assert_int_equal(error.unknown, 0);
	assert_int_equal(error.median_ns, 2003);
	assert_int_equal(error.min_ns, 2003);
	assert_int_equal(error.p50_ns, 2003);
	assert_int_equal(error.p99_ns, 2003);
}

static void streams_and_numbers_are_not_mixed_up(void **state)
{
	struct delay_error error;

	(void)state;
	made[0] = (struct delay_of){ 100, 1, 2 };
	made[1] = (struct delay_of){ 5000, 2, 1 };
	made[2] = (struct delay_of){ 900000, 0xffffffff, 1 };
	measured[0] = (struct delay_of){ 5011, 2, 1 };
	measured[1] = (struct delay_of){ 900011, 0xffffffff, 1 };
	measured[2] = (struct delay_of){ 111, 1, 2 };
	error = find(3, 3);
	assert_int_equal(error.packets, 3);
	assert_int_equal(error.min_ns, 11);
	assert_int_equal(error.p99_ns, 11);
}

static void percentiles_are_of_the_distance_and_the_median_has_a_sign(void **state)
{
	struct delay_error error;
	size_t i;

	(void)state;
	for (i = 0; i < 100; i++) {
		made[i] = (struct delay_of){ 100000, (uint32_t)i, 0 };
		measured[i] = made[i];
		/* -51 .. -2, then 2 .. 51. */
		measured[i].delay_ns += i < 50 ? i - 51 : i - 48;
	}
	error = find(100, 100);
	assert_int_equal(error.median_ns, -2);
	assert_int_equal(error.min_ns, 2);
	assert_int_equal(error.p50_ns, 26);
	assert_int_equal(error.p99_ns, 51);
}

static void a_lost_packet_is_not_compared(void **state)
{
	struct delay_error error;

	(void)state;
	fill(700);
	error = find(NR, NR - 11);
	assert_int_equal(error.packets, NR - 11);
	assert_int_equal(error.unknown, 0);
	assert_true(delay_error_passes(&error, 0));
}

static void a_packet_that_the_forwarder_does_not_know_fails(void **state)
{
	struct delay_error error;

	(void)state;
	fill(700);
	error = find(NR - 1, NR);
	assert_int_equal(error.packets, NR - 1);
	assert_int_equal(error.unknown, 1);
	assert_false(delay_error_passes(&error, 0));
	fill(700);
	measured[3] = measured[4];
	error = find(NR, NR);
	assert_int_equal(error.unknown, 1);
	assert_false(delay_error_passes(&error, 0));
}

static void nothing_compared_fails(void **state)
{
	struct delay_error error;

	(void)state;
	fill(0);
	error = find(NR, 0);
	assert_int_equal(error.packets, 0);
	assert_false(delay_error_passes(&error, 1000000));
}

static void an_error_beyond_path_and_tolerance_fails(void **state)
{
	static const struct {
		int64_t by_ns;
		bool passes;
	} plants[] = {
		{ 0, true }, { 3000, true }, { 3000 + DELAY_ERROR_TOLERANCE_NS, true },
		{ 3001 + DELAY_ERROR_TOLERANCE_NS, false }, { 50000, false }, { 1000000000, false },
		{ -DELAY_ERROR_TOLERANCE_NS, true }, { -1 - DELAY_ERROR_TOLERANCE_NS, false },
		{ -50000, false },
	};
	struct delay_error error;
	size_t i, n;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(plants); i++) {
		fill(0);
		for (n = 0; n < NR; n++) {
			made[n].delay_ns += 60000;
			measured[n].delay_ns += 60000 + (uint64_t)plants[i].by_ns;
		}
		error = find(NR, NR);
		assert_int_equal(error.median_ns, plants[i].by_ns);
		assert_int_equal(delay_error_passes(&error, 3000), plants[i].passes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_packet_is_compared_with_itself),
		cmocka_unit_test(streams_and_numbers_are_not_mixed_up),
		cmocka_unit_test(percentiles_are_of_the_distance_and_the_median_has_a_sign),
		cmocka_unit_test(a_lost_packet_is_not_compared),
		cmocka_unit_test(a_packet_that_the_forwarder_does_not_know_fails),
		cmocka_unit_test(nothing_compared_fails),
		cmocka_unit_test(an_error_beyond_path_and_tolerance_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
