// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * abi/stamp.h: which clock a stamp is of, and the line from one clock to another.
 */
#include <stdlib.h>

#include "abi/stamp.h"

#include "check.h"

#define SEC 1000000000ull

static void a_timestamp_identifies_its_clock(void **state)
{
	(void)state;
	assert_false(stamp_is_tai(0));
	assert_false(stamp_is_tai(31 * 365 * 86400 * SEC));	/* up for 31 years */
	assert_true(stamp_is_tai(1000000000 * SEC));		/* September 2001 */
	assert_true(stamp_is_tai(1790000000 * SEC));
}

static void a_line_without_drift_is_an_offset(void **state)
{
	const struct stamp_line line = { .from_ns = 1790000000 * SEC, .to_ns = 77 };

	(void)state;
	assert_int_equal(stamp_convert(&line, line.from_ns), 77);
	assert_int_equal(stamp_convert(&line, line.from_ns + 1013), 77 + 1013);
	assert_int_equal(stamp_convert(&line, line.from_ns - 70), 7);
}

/* A clock that runs @ppb / 10^9 too fast, at @ns of the right one. */
static uint64_t wrong_clock_ns(uint64_t ns, int64_t ppb)
{
	return 5000 * SEC + ns + (uint64_t)((int64_t)(ns / 1000) * ppb / 1000000);
}

static void follows_a_clock_that_drifts(void **state)
{
	static const int64_t ppbs[] = { 0, 1, -1, 1000, -1000, 20011, -20011, 500000, -500000,
					3000000, -3000000 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(ppbs) / sizeof(ppbs[0]); i++) {
		struct stamp_line line = { wrong_clock_ns(0, ppbs[i]), 0, 0 };
		uint64_t ns, step, worst_ns = 0;

		for (ns = SEC / 5; ns < 20 * SEC; ns += SEC / 5) {
			stamp_line_next(&line, wrong_clock_ns(ns, ppbs[i]), ns);
			/* Between this reading and one that is late, and for what came before it. */
			for (step = 0; step < 5 * SEC; step += 37000011) {
				uint64_t at_ns = ns + step - SEC / 10;
				uint64_t got_ns = stamp_convert(&line, wrong_clock_ns(at_ns, ppbs[i]));
				uint64_t off_ns = got_ns > at_ns ? got_ns - at_ns : at_ns - got_ns;

				worst_ns = off_ns > worst_ns ? off_ns : worst_ns;
			}
		}
		/* Readings are whole ns and 0.2 s apart: 1 ns too much is 25 ns in 5 s, on both sides. */
		assert_in_range(worst_ns, 0, 60);
	}
}

static void a_clock_that_was_set_starts_a_new_line(void **state)
{
	struct stamp_line line = { 100 * SEC, 10 * SEC, 0 };

	(void)state;
	stamp_line_next(&line, 101 * SEC, 11 * SEC + 20000);
	assert_true(line.drift > 0);
	stamp_line_next(&line, 102 * SEC, 1790000000 * SEC);
	assert_int_equal(line.drift, 0);
	assert_int_equal(stamp_convert(&line, 102 * SEC + 7), 1790000000 * SEC + 7);
	stamp_line_next(&line, 50 * SEC, 1790000001 * SEC);
	assert_int_equal(line.drift, 0);
	assert_int_equal(stamp_convert(&line, 50 * SEC), 1790000001 * SEC);
	/* The same moment twice. */
	stamp_line_next(&line, 50 * SEC, 1790000001 * SEC);
	assert_int_equal(line.drift, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_timestamp_identifies_its_clock),
		cmocka_unit_test(a_line_without_drift_is_an_offset),
		cmocka_unit_test(follows_a_clock_that_drifts),
		cmocka_unit_test(a_clock_that_was_set_starts_a_new_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
