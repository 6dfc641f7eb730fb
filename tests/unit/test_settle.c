// SPDX-License-Identifier: GPL-2.0-or-later
/* How long a receiver waits for late packets. */
#include "check.h"

#include "model/settle.h"

#define MS 1000000ull

static struct settle begun(uint64_t sent, uint64_t wait_ns)
{
	struct settle settle;

	settle_begin(&settle, sent, wait_ns, 0);
	return settle;
}

/* The time at which it ends if nothing more is seen, in steps of 10 ms. */
static uint64_t end_of(struct settle *settle, struct settle_seen seen, uint64_t from_ns)
{
	uint64_t now_ns = from_ns;

	while (!settle_is_done(settle, &seen, now_ns) && now_ns < 60000 * MS)
		now_ns += 10 * MS;
	return now_ns;
}

static void all_that_was_sent_ends_it_at_once(void **state)
{
	struct settle settle = begun(101, 2000 * MS);

	(void)state;
	assert_false(settle_is_done(&settle, &(struct settle_seen){ .arrived = 100 }, 0));
	assert_true(settle_is_done(&settle, &(struct settle_seen){ .arrived = 101 }, 1));
}

static void what_is_missing_is_waited_for(void **state)
{
	struct settle settle = begun(101, 2000 * MS);

	(void)state;
	assert_int_equal(end_of(&settle, (struct settle_seen){ 0 }, 0), 2000 * MS);
	settle = begun(101, 5000 * MS);
	assert_int_equal(end_of(&settle, (struct settle_seen){ 0 }, 0), 5000 * MS);
}

static void each_arrival_extends_the_wait(void **state)
{
	struct settle settle = begun(101, 2000 * MS);

	(void)state;
	assert_false(settle_is_done(&settle, &(struct settle_seen){ .arrived = 1 }, 1990 * MS));
	assert_int_equal(end_of(&settle, (struct settle_seen){ .arrived = 1 }, 1990 * MS), 3990 * MS);
}

static void copies_are_waited_for_but_not_for_ever(void **state)
{
	struct settle settle = begun(101, 2000 * MS);
	struct settle_seen seen = { .arrived = 101, .again = 1 };
	uint64_t now_ns;

	(void)state;
	assert_int_equal(end_of(&settle, seen, 0), 2000 * MS);
	settle = begun(101, 2000 * MS);
	for (now_ns = 0; !settle_is_done(&settle, &seen, now_ns) && now_ns < 60000 * MS; now_ns += 10 * MS)
		seen.again++;
	assert_int_equal(now_ns, 12000 * MS);
}

static void a_report_from_before_the_end_shortens_nothing(void **state)
{
	struct settle settle;

	(void)state;
	settle_begin(&settle, 101, 2000 * MS, 500 * MS);
	assert_int_equal(end_of(&settle, (struct settle_seen){ .arrived = 90 }, 300 * MS), 2500 * MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_that_was_sent_ends_it_at_once),
		cmocka_unit_test(what_is_missing_is_waited_for),
		cmocka_unit_test(each_arrival_extends_the_wait),
		cmocka_unit_test(copies_are_waited_for_but_not_for_ever),
		cmocka_unit_test(a_report_from_before_the_end_shortens_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
