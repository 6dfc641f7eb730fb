// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>

#include "lib/near.h"

#include "check.h"

static void a_distance_counts_mistakes(void **state)
{
	(void)state;
	assert_int_equal(near_distance("", ""), 0);
	assert_int_equal(near_distance("rate", "rate"), 0);
	assert_int_equal(near_distance("rate", "rates"), 1);
	assert_int_equal(near_distance("rate", "ate"), 1);
	assert_int_equal(near_distance("rate", "rote"), 1);
	assert_int_equal(near_distance("rate", "rtae"), 1);
	assert_int_equal(near_distance("ca", "abc"), 3);
	assert_int_equal(near_distance("kitten", "sitting"), 3);
	assert_int_equal(near_distance("", "abc"), 3);
	assert_int_equal(near_distance("rate", "a word that is longer than any name of an option"), UINT_MAX);
}

static void the_nearest_word_is_meant(void **state)
{
	static const char *const words[] = { "rate", "rate-layer", "ramp-to", "duration", "udp", NULL };

	(void)state;
	assert_string_equal(near_word("rat", words), "rate");
	assert_string_equal(near_word("raet", words), "rate");
	assert_string_equal(near_word("rate-laeyr", words), "rate-layer");
	assert_string_equal(near_word("duraton", words), "duration");
	assert_string_equal(near_word("upd", words), "udp");
	/* A prefix of a word matches it. */
	assert_string_equal(near_word("dur", words), "duration");
}

static void a_strange_word_is_near_none(void **state)
{
	static const char *const words[] = { "rate", "duration", "udp", "up", NULL };

	(void)state;
	assert_null(near_word("bogus", words));
	assert_null(near_word("x", words));
	assert_null(near_word("", words));
	assert_null(near_word("tcp", words));
	assert_null(near_word("du", words));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_distance_counts_mistakes),
		cmocka_unit_test(the_nearest_word_is_meant),
		cmocka_unit_test(a_strange_word_is_near_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
