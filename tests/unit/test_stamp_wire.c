// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * abi/stamp_packet.h: times and error estimates as STAMP's packets have them.
 */
#include <stdlib.h>

#include "abi/stamp_packet.h"

#include "check.h"

static void a_time_is_ntps_or_ptps_and_keeps_its_nanosecond(void **state)
{
	uint32_t seconds, fraction;
	uint64_t ns, i;

	(void)state;
	/* RFC 5905 figure 4: 1970 is 2208988800; NTP's seconds wrap in 2036. */
	stamp_time_of(0, 0, &seconds, &fraction);
	assert_int_equal(seconds, 2208988800u);
	assert_int_equal(fraction, 0);
	stamp_time_of(2085978496ull * 1000000000 + 500000000, 0, &seconds, &fraction);
	assert_int_equal(seconds, 0);
	assert_in_range(fraction, 0x7ffffffe, 0x80000000);
	stamp_time_of(1700000000ull * 1000000000 + 999999999, 1, &seconds, &fraction);
	assert_int_equal(seconds, 1700000000);
	assert_int_equal(fraction, 999999999);
	for (i = 0; i < 100003; i++) {
		ns = i == 0 ? 999999999 : (uint64_t)random() % 1000000000;
		stamp_time_of(ns, 0, &seconds, &fraction);
		assert_int_equal((fraction * 1000000000ull + (1u << 31)) >> 32, ns);
	}
}

static void an_error_estimate_covers_the_error_and_its_multiplier_is_never_0(void **state)
{
	static const uint64_t errors_ns[] = { 0, 1, 59, 60, 1000, 16000000, 16000000000, UINT64_MAX };
	double units, least;
	uint16_t error;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(errors_ns); i++) {
		error = stamp_error_of(errors_ns[i]);
		assert_true(error & 0xff);
		assert_int_equal(error & (STAMP_SYNCED | STAMP_PTP), 0);
		units = (double)(error & 0xff) * (double)(1ull << (error >> 8 & 0x3f));
		least = errors_ns[i] == UINT64_MAX ? 1e12 : (double)errors_ns[i];
		least *= 4.294967296;
		assert_true(units >= least * 0.999999999 && units <= least * 1.02 + 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_time_is_ntps_or_ptps_and_keeps_its_nanosecond),
		cmocka_unit_test(an_error_estimate_covers_the_error_and_its_multiplier_is_never_0),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
