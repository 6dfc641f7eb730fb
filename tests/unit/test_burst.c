// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Peaks of short spans, held against sums over every position, and rings
 * against what was written into them.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/burst.h"

#include "check.h"

#define NR 5003

static struct burst burst;
static struct watch_ring ring;
static uint64_t bytes[NR];

static int begin(void **state)
{
	(void)state;
	memset(&burst, 0, sizeof(burst));
	memset(&ring, 0, sizeof(ring));
	memset(bytes, 0, sizeof(bytes));
	return 0;
}

static uint64_t highest(size_t len)
{
	uint64_t sum, peak = 0;
	size_t i, k;

	for (i = 0; i + len <= NR; i++) {
		sum = 0;
		for (k = 0; k < len; k++)
			sum += bytes[i + k];
		peak = sum > peak ? sum : peak;
	}
	return peak;
}

static void a_peak_is_the_highest_sum_of_all_positions(void **state)
{
	size_t i, step;

	(void)state;
	srandom(7);
	for (i = 0; i < NR; i++)
		bytes[i] = random() % 11 ? 0 : (uint64_t)(random() % 100003);
	/* In pieces of any length. */
	for (i = 0; i < NR; i += step) {
		step = (size_t)(random() % 97 + 1);
		step = i + step > NR ? NR - i : step;
		burst_feed(&burst, bytes + i, step);
	}
	assert_int_equal(burst.peaks[0], highest(5));
	assert_int_equal(burst.peaks[1], highest(50));
	assert_int_equal(burst.peaks[2], highest(500));
}

static void a_burst_across_a_boundary_is_found_whole(void **state)
{
	(void)state;
	/* 80 us around the middle of 100 us windows that begin at 0. */
	bytes[103] = bytes[104] = bytes[105] = bytes[106] = 12500;
	burst_feed(&burst, bytes, 1000);
	assert_int_equal(burst.peaks[0], 50000);
	assert_true(burst_peak_bps(&burst, 0) == 4e9);
	assert_true(burst_peak_bps(&burst, 1) == 4e8);
	assert_true(burst_peak_bps(&burst, 2) == 4e7);
}

static void peaks_begin_anew_and_spans_go_on(void **state)
{
	(void)state;
	bytes[0] = 1009;
	burst_feed(&burst, bytes, 1);
	burst_restart(&burst);
	burst_feed(&burst, bytes + 1, 1);
	/* Still within the span that has begun. */
	assert_int_equal(burst.peaks[0], 1009);
	burst_feed(&burst, bytes + 2, 600);
	burst_restart(&burst);
	burst_feed(&burst, bytes + 602, 1);
	assert_int_equal(burst.peaks[2], 0);
}

static void no_span_reaches_over_a_hole(void **state)
{
	(void)state;
	bytes[0] = 1009;
	bytes[1] = 503;
	burst_feed(&burst, bytes, 1);
	burst_break(&burst);
	burst_feed(&burst, bytes + 1, 600);
	assert_int_equal(burst.peaks[0], 1009);
	assert_int_equal(burst.peaks[2], 1009);
	assert_int_equal(burst.sums[2], 0);
}

static void put(uint64_t window, uint64_t value)
{
	ring.slots[window % WATCH_WINDOWS] = window << WATCH_BYTES_BITS | value;
}

static void only_the_windows_asked_for_are_read_of_a_ring(void **state)
{
	const uint64_t first = 3 * WATCH_WINDOWS - 5;
	uint64_t sums[10] = { 0 };

	(void)state;
	put(first, 2);
	put(first + 3, 3);
	put(first + 7, 5);		/* beyond the ring's end */
	put(first + 8 - WATCH_WINDOWS, 7);	/* of a round before */
	put(first + 9, 11);
	burst_add_ring(sums, &ring, first, 10, first + 8);
	assert_int_equal(sums[0], 2);
	assert_int_equal(sums[3], 3);
	assert_int_equal(sums[7], 5);
	assert_int_equal(sums[8], 0);
	assert_int_equal(sums[9], 0);	/* newer than what the CPU says it wrote */
	burst_add_ring(sums, &ring, first, 10, first + 9);
	assert_int_equal(sums[0], 4);	/* CPUs add up */
	assert_int_equal(sums[9], 11);
}

static void a_class_holds_just_its_sizes(void **state)
{
	uint32_t bytes_of, class;

	(void)state;
	for (bytes_of = 64; bytes_of < 70000; bytes_of++) {
		for (class = WATCH_SIZES - 1; watch_size_from[class] > bytes_of; class--)
			;
		assert_int_equal(watch_size_class(bytes_of), class);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_peak_is_the_highest_sum_of_all_positions, begin),
		cmocka_unit_test_setup(a_burst_across_a_boundary_is_found_whole, begin),
		cmocka_unit_test_setup(peaks_begin_anew_and_spans_go_on, begin),
		cmocka_unit_test_setup(no_span_reaches_over_a_hole, begin),
		cmocka_unit_test_setup(only_the_windows_asked_for_are_read_of_a_ring, begin),
		cmocka_unit_test(a_class_holds_just_its_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
