// SPDX-License-Identifier: GPL-2.0-or-later
#include "../../vmtest/batches.h"

#include "check.h"

#define STEP_NS		1000
#define TICK_NS		9000

/* Steps of one cost, with @extra_ns on top of every @nth. */
static double mean_of(size_t nr, size_t nth, uint64_t extra_ns)
{
	uint64_t each_ns[BATCHES];
	size_t i;

	for (i = 0; i < nr; i++)
		each_ns[i] = STEP_NS + (i % nth == nth - 1 ? extra_ns : 0);
	return batches_mean_ns(each_ns, nr);
}

static void what_comes_in_one_batch_of_eleven_is_left_out(void **state)
{
	(void)state;
	assert_true(mean_of(BATCHES, 11, TICK_NS) == STEP_NS);
	assert_true(mean_of(BATCHES, 17, 100 * TICK_NS) == STEP_NS);
}

static void what_comes_in_every_other_batch_is_in_the_mean(void **state)
{
	(void)state;
	assert_true(mean_of(BATCHES, 2, 100) == STEP_NS + 50);
	assert_true(mean_of(BATCHES, 1, 100) == STEP_NS + 100);
}

static void a_few_batches_are_enough(void **state)
{
	(void)state;
	assert_true(mean_of(1, 1, 7) == STEP_NS + 7);
	assert_true(mean_of(9, 9, 9) == STEP_NS + 1);
	assert_true(mean_of(10, 10, TICK_NS) == STEP_NS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_comes_in_one_batch_of_eleven_is_left_out),
		cmocka_unit_test(what_comes_in_every_other_batch_is_in_the_mean),
		cmocka_unit_test(a_few_batches_are_enough),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
