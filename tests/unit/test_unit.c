// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/unit.h"

#include "check.h"

#define UNTOUCHED 0xdeadbeefcafef00dull

static void counts_are_read_whole_or_not_at_all(void **state)
{
	static const struct {
		const char *text;
		int err;
		uint64_t value;
	} cases[] = {
		{ "0", 0, 0 }, { "1", 0, 1 }, { "007", 0, 7 }, { "64k", 0, 64000 },
		{ "64K", 0, 64000 }, { "64Ki", 0, 65536 }, { "2MiB", 0, 2097152 },
		{ "1.5Gi", 0, 1610612736 }, { "64ki", -EINVAL, 0 }, { "1.3Ki", -EINVAL, 0 }, { "10M", 0, 10000000 }, { "2G", 0, 2000000000 },
		{ "1.5k", 0, 1500 }, { "1.005k", 0, 1005 }, { "4.35k", 0, 4350 },
		{ "1.001M", 0, 1001000 }, { "0.000001M", 0, 1 },
		{ "9007199254740993", 0, 9007199254740993ull },	/* 2^53 + 1: no double */
		{ "9223372036854775807", 0, INT64_MAX },
		{ "9223372036854775808", -ERANGE, 0 }, { "18446744073709551616", -ERANGE, 0 },
		{ "9223372037G", -ERANGE, 0 }, { "99999999999999999999999999G", -ERANGE, 0 },
		{ "", -EINVAL, 0 }, { " 1", -EINVAL, 0 }, { "1 ", -EINVAL, 0 },
		{ "10abc", -EINVAL, 0 }, { "-1", -EINVAL, 0 }, { "+1", -EINVAL, 0 },
		{ "1e3", -EINVAL, 0 }, { "0x10", -EINVAL, 0 }, { "inf", -EINVAL, 0 },
		{ "nan", -EINVAL, 0 }, { "1.5", -EINVAL, 0 }, { "1.0005k", -EINVAL, 0 },
		{ "1.", -EINVAL, 0 }, { ".5k", -EINVAL, 0 }, { "1.k", -EINVAL, 0 },
		{ "k", -EINVAL, 0 }, { "1kk", -EINVAL, 0 }, { "1m", -EINVAL, 0 },
		{ "1..2k", -EINVAL, 0 }, { "1,000", -EINVAL, 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t value = UNTOUCHED;
		int err = unit_parse_count(cases[i].text, &value);

		if (err != cases[i].err || value != (err ? UNTOUCHED : cases[i].value))
			fail_msg("'%s': %d, %llu", cases[i].text, err, (unsigned long long)value);
	}
}

static void counts_with_three_decimals_are_exact(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < 100000; i++) {
		uint64_t value = UNTOUCHED;
		char text[32];

		snprintf(text, sizeof(text), "%u.%03uk", i / 1000, i % 1000);
		if (unit_parse_count(text, &value) || value != i)
			fail_msg("'%s' read as %llu", text, (unsigned long long)value);
	}
}

static void durations_are_read_in_every_unit(void **state)
{
	static const struct {
		const char *text;
		int err;
		uint64_t ns;
	} cases[] = {
		{ "0", 0, 0 }, { "10", 0, 10000000000ull }, { "10s", 0, 10000000000ull },
		{ "250ms", 0, 250000000 }, { "100us", 0, 100000 }, { "50ns", 0, 50 },
		{ "1.5m", 0, 90000000000ull }, { "2min", 0, 120000000000ull },
		{ "2h", 0, 7200000000000ull }, { "1d", 0, 86400000000000ull },
		{ "0.001s", 0, 1000000 }, { "1.001ms", 0, 1001000 }, { "1.5ns", 0, 2 },
		{ "", -EINVAL, 0 }, { "s", -EINVAL, 0 }, { "10x", -EINVAL, 0 },
		{ "10 s", -EINVAL, 0 }, { "-1s", -EINVAL, 0 }, { "1e9ns", -EINVAL, 0 },
		{ "10S", -EINVAL, 0 }, { "106752d", -ERANGE, 0 },
		{ "99999999999999999999", -ERANGE, 0 },
		/* Would read as 0, which often means: no bound. */
		{ "0.1ns", -ERANGE, 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t ns = UNTOUCHED;
		int err = unit_parse_duration(cases[i].text, &ns);

		if (err != cases[i].err || ns != (err ? UNTOUCHED : cases[i].ns))
			fail_msg("'%s': %d, %llu", cases[i].text, err, (unsigned long long)ns);
	}
}

static void rates_need_their_unit(void **state)
{
	static const struct {
		const char *text;
		int err;
		enum unit_rate_kind kind;
		double value;
	} cases[] = {
		{ "max", 0, UNIT_RATE_MAX, 0 }, { "2500pps", 0, UNIT_RATE_PPS, 2500 },
		{ "10kpps", 0, UNIT_RATE_PPS, 1e4 }, { "1Mpps", 0, UNIT_RATE_PPS, 1e6 },
		{ "1000/s", 0, UNIT_RATE_PPS, 1e3 }, { "2.5k/s", 0, UNIT_RATE_PPS, 2500 },
		{ "1/5s", -EINVAL, 0, 0 }, { "/s", -EINVAL, 0, 0 },
		{ "1.5Gpps", 0, UNIT_RATE_PPS, 1.5e9 }, { "10G", 0, UNIT_RATE_BPS, 1e10 },
		{ "10Gbit", 0, UNIT_RATE_BPS, 1e10 }, { "100Mbps", 0, UNIT_RATE_BPS, 1e8 },
		{ "9600bit", 0, UNIT_RATE_BPS, 9600 }, { "64kbit", 0, UNIT_RATE_BPS, 64000 },
		{ "1T", 0, UNIT_RATE_BPS, 1e12 }, { "50%", 0, UNIT_RATE_LINK_RATIO, 0.5 },
		{ "100%", 0, UNIT_RATE_LINK_RATIO, 1 },
		{ "1000", -EINVAL, 0, 0 }, { "", -EINVAL, 0, 0 }, { "pps", -EINVAL, 0, 0 },
		{ "1pp", -EINVAL, 0, 0 }, { "1 Mpps", -EINVAL, 0, 0 }, { "MAX", -EINVAL, 0, 0 },
		{ "-1pps", -EINVAL, 0, 0 }, { "%", -EINVAL, 0, 0 }, { "infpps", -EINVAL, 0, 0 },
		{ "0pps", -ERANGE, 0, 0 }, { "0G", -ERANGE, 0, 0 }, { "0%", -ERANGE, 0, 0 },
		{ "101%", -ERANGE, 0, 0 }, { "1001T", -ERANGE, 0, 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct unit_rate rate = { .kind = UNIT_RATE_BPS, .value = -7 };
		int err = unit_parse_rate(cases[i].text, &rate);

		if (err != cases[i].err)
			fail_msg("'%s': %d", cases[i].text, err);
		if (err ? rate.value != -7 : rate.kind != cases[i].kind ||
		    (rate.kind != UNIT_RATE_MAX && rate.value != cases[i].value))
			fail_msg("'%s': kind %d, value %.17g", cases[i].text, rate.kind, rate.value);
	}
}

static void mac_addresses_are_six_pairs_of_digits(void **state)
{
	static const char *const bad[] = {
		"", "02", "02:00:00:00:00", "02:00:00:00:00:", "02:00:00:00:00:1",
		"02:00:00:00:00:01:", "02:00:00:00:00:01 ", " 02:00:00:00:00:01",
		"02-00-00-00-00-01", "020000000001", "0x:00:00:00:00:01", "02:00:00:00:00:0g",
		"+2:00:00:00:00:01",
	};
	static const uint8_t expected[6] = { 0x02, 0xab, 0xCD, 0, 0xff, 0x01 };
	uint8_t mac[6] = { 9, 9, 9, 9, 9, 9 }, before[6];
	size_t i;

	(void)state;
	memcpy(before, mac, sizeof(mac));
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		if (unit_parse_mac(bad[i], mac) != -EINVAL)
			fail_msg("'%s' was taken", bad[i]);
		assert_memory_equal(mac, before, 6);
	}
	assert_int_equal(unit_parse_mac("02:ab:CD:00:ff:01", mac), 0);
	assert_memory_equal(mac, expected, 6);
}

static void percents_need_their_sign(void **state)
{
	const char *const bad[] = { "", "%", "5", "5 %", "-5%", "+5%", "5%%", "1e1%", "inf%", ".5%" };
	double ratio = 7;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (unit_parse_percent(bad[i], &ratio) != -EINVAL || ratio != 7)
			fail_msg("'%s'", bad[i]);
	}
	assert_int_equal(unit_parse_percent("0.5%", &ratio), 0);
	assert_float_equal(ratio, 0.005, 1e-15);
	assert_int_equal(unit_parse_percent("150%", &ratio), 0);
	assert_float_equal(ratio, 1.5, 1e-15);
}

static void factors_are_above_0(void **state)
{
	static const char *const bad[] = {
		"", "0", "-1", "nan", "inf", "2x", "1e3", "0x2", ".5", "max", " 1",
	};
	char text[64];
	double factor = 7;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		if (unit_parse_factor(bad[i], &factor) != -EINVAL || factor != 7)
			fail_msg("'%s' was taken", bad[i]);
	}
	assert_int_equal(unit_parse_factor("2.5", &factor), 0);
	assert_true(factor == 2.5);
	assert_string_equal(unit_show_factor(text, sizeof(text), factor), "2.5");
	assert_string_equal(unit_show_factor(text, sizeof(text), 0), "max");
	assert_string_equal(unit_show_factor(text, sizeof(text), NAN), "");
}

static void figures_are_shown_with_four_digits_and_their_unit(void **state)
{
	static const struct {
		enum unit unit;
		double value;
		const char *text;
	} cases[] = {
		{ UNIT_NS, 0, "0 ns" }, { UNIT_NS, 5, "5 ns" }, { UNIT_NS, 999, "999 ns" },
		{ UNIT_NS, 1000, "1 us" }, { UNIT_NS, 1234, "1.234 us" },
		{ UNIT_NS, 12345, "12.35 us" }, { UNIT_NS, 123456, "123.5 us" },
		{ UNIT_NS, 999960, "1.000 ms" }, { UNIT_PPS, 99998, "100.0 kpps" }, { UNIT_PPS, 9999.9, "10.00 kpps" }, { UNIT_NS, 1500000000, "1.500 s" },
		{ UNIT_NS, 0.5, "0.500 ns" }, { UNIT_NS, 3600e9, "3600.0 s" },
		{ UNIT_PPS, 14880952, "14.88 Mpps" }, { UNIT_PPS, 1, "1 pps" },
		{ UNIT_BPS, 1e10, "10 Gbit/s" }, { UNIT_BPS, 9.87e9, "9.870 Gbit/s" },
		{ UNIT_BYTES, 64, "64 B" }, { UNIT_BYTES, 1518, "1518 B" },
		{ UNIT_BYTES, 1518000, "1.518 MB" },
		{ UNIT_RATIO, 0, "0 %" }, { UNIT_RATIO, 1, "100 %" },
		{ UNIT_RATIO, 0.0012, "0.12 %" }, { UNIT_RATIO, 1e-6, "0.0001 %" },
		{ UNIT_RATIO, 0.99987, "99.987 %" },
		{ UNIT_CPUS, 1.014, "1.01 CPU" }, { UNIT_COUNT, 1000003, "1,000,003" },
		{ UNIT_COUNT, -1003, "-1,003" },
		{ UNIT_COUNT, 0.999, "0.999" }, { UNIT_COUNT, 953.259, "953.3" }, { UNIT_COUNT, 1999.6, "1,999" },
		{ UNIT_COUNT, 0x1.fffffffffffffp63, "18,446,744,073,709,549,568" },
		{ UNIT_COUNT, 0x1p64, "1.84467e+19" }, { UNIT_COUNT, -1e300, "-1e+300" },
		{ UNIT_COUNT, -0.5, "-0.5" }, { UNIT_COUNT, -1999.6, "-1,999" },
		{ UNIT_NONE, 1.5, "1.5" },
	};
	char buf[64];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(unit_format(buf, sizeof(buf), cases[i].unit, cases[i].value),
				    cases[i].text);
}

static void whole_numbers_are_shown_exactly(void **state)
{
	static const struct {
		uint64_t value;
		const char *text;
	} cases[] = {
		{ 0, "0" }, { 7, "7" }, { 999, "999" }, { 1000, "1,000" }, { 100003, "100,003" },
		{ 9007199254740993ull, "9,007,199,254,740,993" },
		{ UINT64_MAX, "18,446,744,073,709,551,615" },
	};
	char buf[64];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(unit_format_u64(buf, sizeof(buf), UNIT_COUNT, cases[i].value),
				    cases[i].text);
	assert_string_equal(unit_format_u64(buf, sizeof(buf), UNIT_NONE, UINT64_MAX),
			    "18446744073709551615");
	assert_string_equal(unit_format_u64(buf, sizeof(buf), UNIT_NS, 1500), "1.500 us");
}

static void formatting_stays_inside_the_buffer(void **state)
{
	static const double values[] = { 0, 1, 1e3, 1.234e18, 1e300, -1e300, INFINITY, NAN };
	char buf[6];
	size_t v;
	int unit;

	(void)state;
	for (unit = UNIT_NONE; unit <= UNIT_CPUS; unit++) {
		for (v = 0; v < ARRAY_SIZE(values); v++) {
			memset(buf, 'x', sizeof(buf));
			unit_format(buf, 4, unit, values[v]);
			assert_true(strlen(buf) <= 3);
			assert_int_equal(buf[4], 'x');
		}
	}
}

static void shown_durations_read_back(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {
		{ 0, "0s" }, { 1, "1ns" }, { 1500, "1500ns" }, { 2000, "2us" },
		{ 250000000, "250ms" }, { 10000000000ull, "10s" }, { 7200000000000ull, "2h" },
		{ 90000000000ull, "90s" },
	};
	uint64_t ns;
	char buf[32];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_string_equal(unit_show_duration(buf, sizeof(buf), cases[i].ns),
				    cases[i].text);
		assert_int_equal(unit_parse_duration(buf, &ns), 0);
		assert_int_equal(ns, cases[i].ns);
	}
}

static void shown_rates_read_back(void **state)
{
	static const char *const texts[] = {
		"max", "1pps", "2.5kpps", "1Mpps", "14.880952Mpps", "1.001Mpps", "10Gbit",
		"1000Gbit", "9.6kbit", "50%", "7%", "0.1%", "99.999%", "0.00001pps", "0.000001%",
	};
	struct unit_rate rate, again;
	char buf[64];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		assert_int_equal(unit_parse_rate(texts[i], &rate), 0);
		assert_string_equal(unit_show_rate(buf, sizeof(buf), &rate), texts[i]);
		assert_int_equal(unit_parse_rate(buf, &again), 0);
		assert_int_equal(again.kind, rate.kind);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_read_whole_or_not_at_all),
		cmocka_unit_test(counts_with_three_decimals_are_exact),
		cmocka_unit_test(durations_are_read_in_every_unit),
		cmocka_unit_test(rates_need_their_unit),
		cmocka_unit_test(mac_addresses_are_six_pairs_of_digits),
		cmocka_unit_test(figures_are_shown_with_four_digits_and_their_unit),
		cmocka_unit_test(whole_numbers_are_shown_exactly),
		cmocka_unit_test(formatting_stays_inside_the_buffer),
		cmocka_unit_test(shown_durations_read_back),
		cmocka_unit_test(shown_rates_read_back),
		cmocka_unit_test(percents_need_their_sign),
		cmocka_unit_test(factors_are_above_0),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
