// SPDX-License-Identifier: GPL-2.0-or-later
/* How many frames a forwarder can come to hold, for its rules. */
#include "check.h"

#include <string.h>

#include "model/impair_memory.h"

#define GBIT 1000000000ull
#define BASE 16384

static struct impair_rules rules;

static int release(void **state)
{
	(void)state;
	impair_rules_release(&rules);
	memset(&rules, 0, sizeof(rules));
	return 0;
}

static void add(enum impair_kind kind, const char *text)
{
	struct err e;

	assert_int_equal(impair_rules_add(&rules, kind, text, &e), 0);
}

static void what_holds_nothing_has_what_is_in_hand(void **state)
{
	(void)state;
	add(IMPAIR_DUPLICATE, "every=10:1");
	assert_int_equal(impair_frames(&rules, 10 * GBIT, 0, 0, 0), 2 * BASE);
	release(state);
	add(IMPAIR_FRAGMENT, "every=10:504");
	assert_int_equal(impair_frames(&rules, 10 * GBIT, 0, 0, 0), 3 * BASE);
	release(state);
	add(IMPAIR_FRAGMENT, "every=10:8");
	assert_int_equal(impair_frames(&rules, 10 * GBIT, 0, 0, 0), IMPAIR_FRAMES);
	release(state);
	add(IMPAIR_REORDER, "every=10:7");
	add(IMPAIR_REORDER, "every=20:100");
	assert_int_equal(impair_frames(&rules, 10 * GBIT, 0, 0, 0), BASE + 107);
}

/* 64-byte frames take 672 bits of a link: 148809.5 a second at 100 Mbit/s. */
static void a_delay_has_what_comes_in_meanwhile(void **state)
{
	(void)state;
	add(IMPAIR_DELAY, "10ms");
	assert_int_equal(impair_frames(&rules, GBIT / 10, 0, 0, 0), BASE + 1488);
	assert_int_equal(impair_frames(&rules, GBIT, 0, 0, 0), BASE + 14880);
	/* As many as a thread forwards. */
	assert_int_equal(impair_frames(&rules, 10 * GBIT, 0, 0, 0), BASE + 40000);
	assert_int_equal(impair_frames(&rules, 0, 0, 0, 0), BASE + 40000);
	/* Of two rules a packet has one delay. */
	add(IMPAIR_DELAY, "every=3:20ms");
	assert_int_equal(impair_frames(&rules, GBIT, 0, 0, 0), BASE + 29761);
	release(state);
	add(IMPAIR_DELAY, "1s");
	assert_int_equal(impair_frames(&rules, GBIT, 0, 0, 0), IMPAIR_FRAMES);
}

static void a_delay_that_is_drawn_has_its_longest(void **state)
{
	(void)state;
	add(IMPAIR_DELAY, "10ms+-5ms");
	assert_int_equal(impair_frames(&rules, GBIT, 0, 0, 0), BASE + 22321);
	release(state);
	add(IMPAIR_DELAY, "10ms+-1ms,normal");
	assert_int_equal(impair_frames(&rules, GBIT, 0, 0, 0), BASE + 23809);
	release(state);
	/* Without a bound. */
	add(IMPAIR_DELAY, "10ms+-1ms,pareto=3");
	assert_int_equal(impair_frames(&rules, GBIT / 10, 0, 0, 0), IMPAIR_FRAMES);
}

static void a_queue_has_its_limit(void **state)
{
	(void)state;
	assert_int_equal(impair_frames(&rules, GBIT, 1e7, 0, 1000), BASE + 1000);
	assert_int_equal(impair_frames(&rules, GBIT, 1e7, 34000, 0), BASE + 1000);
	assert_int_equal(impair_frames(&rules, GBIT, 1e7, 0, 1000000), IMPAIR_FRAMES);
	/* There is none without a bottleneck. */
	assert_int_equal(impair_frames(&rules, GBIT, 0, 0, 1000), BASE);
	add(IMPAIR_DUPLICATE, "all:2");
	assert_int_equal(impair_frames(&rules, GBIT, 1e7, 0, 1000), 3 * (BASE + 1000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(what_holds_nothing_has_what_is_in_hand, release),
		cmocka_unit_test_teardown(a_delay_has_what_comes_in_meanwhile, release),
		cmocka_unit_test_teardown(a_delay_that_is_drawn_has_its_longest, release),
		cmocka_unit_test_teardown(a_queue_has_its_limit, release),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
