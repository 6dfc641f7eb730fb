// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sizes of frames as people write them.
 */
#include <stdio.h>
#include <string.h>

#include "model/rr_sizes.h"

#include "check.h"

static uint32_t sizes[RR_MAX_SIZES];
static size_t nr;

static int parse(const char *text)
{
	struct err e = { 0 };

	nr = 0;
	return rr_sizes_parse(text, 1518, sizes, &nr, &e);
}

static void check_sizes(const char *text, const uint32_t *want, size_t want_nr)
{
	assert_int_equal(parse(text), 0);
	assert_int_equal(nr, want_nr);
	assert_memory_equal(sizes, want, want_nr * sizeof(*want));
}

#define CHECK(text, ...) \
	check_sizes(text, (const uint32_t[]){ __VA_ARGS__ }, \
		    ARRAY_SIZE(((const uint32_t[]){ __VA_ARGS__ })))

static void test_lists(void **state)
{
	(void)state;
	CHECK("64", 64);
	CHECK("64,512,mtu", 64, 512, 1518);
	CHECK("mtu,64", 1518, 64);
	CHECK("1k", 1000);
}

static void test_ranges(void **state)
{
	(void)state;
	CHECK("64-mtu", 64, 128, 256, 512, 1024, 1518);
	CHECK("64-512", 64, 128, 256, 512);
	CHECK("100-101", 100, 101);
	CHECK("64-64", 64);
	CHECK("1-9216", 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 9216);
}

static void test_refused(void **state)
{
	static const char *const texts[] = {
		"", ",", "64,", ",64", "64,64", "64,1518,mtu", "0", "9217", "x", "64,-512", "-", "64-",
		"-64", "512-64", "64-128-256", "64-128,256", "mtus", "64 512", "12345678901234567890",
	};
	char many[200] = "1";
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		assert_int_not_equal(parse(texts[i]), 0);
		assert_int_equal(nr, 0);
	}
	for (i = 2; i <= RR_MAX_SIZES; i++)
		snprintf(many + strlen(many), sizeof(many) - strlen(many), ",%zu", i);
	assert_int_equal(parse(many), 0);
	assert_int_equal(nr, RR_MAX_SIZES);
	strcat(many, ",99");
	assert_int_not_equal(parse(many), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests_name("rr_sizes", tests, NULL, NULL);
}
