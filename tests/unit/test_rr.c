// SPDX-License-Identifier: GPL-2.0-or-later
/* When a token of rr --engine bounce has ended, by what user space reads of it. */
#include "abi/rr.h"

#include "check.h"

static void a_token_between_answer_and_next_request_has_not_ended(void **state)
{
	(void)state;
	/* Seen by another CPU at that moment, or stopped there by an interrupt. */
	assert_false(rr_has_ended(29, 29, 54, 0));
	assert_false(rr_has_ended(29, 29, UINT64_MAX, 0));
	assert_false(rr_has_ended(30, 29, 54, 0));
}

static void a_token_has_ended_at_its_limit_or_when_told(void **state)
{
	(void)state;
	assert_true(rr_has_ended(54, 54, 54, 0));
	assert_true(rr_has_ended(29, 29, 54, 1));
	assert_true(rr_has_ended(0, 0, 0, 0));
	/* The last request's answer is still awaited. */
	assert_false(rr_has_ended(54, 53, 54, 0));
	assert_false(rr_has_ended(54, 53, 54, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_token_between_answer_and_next_request_has_not_ended),
		cmocka_unit_test(a_token_has_ended_at_its_limit_or_when_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
