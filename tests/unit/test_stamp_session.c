// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loss, copies and order of each way, against a model of two ways and a reflector that
 * numbers its answers itself, which knows what it did.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/hist.h"
#include "model/stamp_session.h"

#include "check.h"

static struct stamp_sums sums;

static bool chance(unsigned int percent)
{
	return (unsigned int)random() % 100 < percent;
}

/* Times that are the same for all: 5 us out, 3 us in the reflector, 7 us back. */
static void arrive(struct stamp_session *session, uint32_t question, uint32_t answer)
{
	uint64_t t1 = 1000000000ull * question;
	const struct stamp_times times = { t1, t1 + 5000, t1 + 8000, t1 + 15000 };

	stamp_session_add(session, &sums, question, answer, &times);
}

static void each_loss_is_reported_for_its_direction(void **state)
{
	uint64_t out, back, round, behind;
	struct stamp_session session;
	struct stamp_lost lost;
	uint32_t i, answer;

	(void)state;
	for (round = 0; round < 50; round++) {
		srandom((unsigned int)round + 1);
		memset(&sums, 0, sizeof(sums));
		stamp_session_init(&session, STAMP_STATEFUL);
		out = back = behind = 0;
		answer = 0;
		for (i = 0; i < 10007; i++) {
			session.sent++;
			if (chance(3)) {
				out++;
				behind++;
			} else if (chance(4)) {
				answer++;
				back++;
				behind++;
			} else {
				arrive(&session, i, answer++);
				behind = 0;
			}
		}
		stamp_session_lost(&session, &lost);
		assert_int_equal(lost.all, out + back);
		/* After the last answer the direction is unknown. */
		assert_int_equal(lost.unknown, behind);
		assert_true(lost.out <= out && lost.out + behind >= out);
		assert_int_equal(lost.out + lost.back + lost.unknown, lost.all);
		assert_int_equal(sums.ways[STAMP_OUT].delay.count, 10007 - out - back);
		assert_int_equal(hist_min_ns(&sums.ways[STAMP_ROUND_TRIP].delay), 12000);
		assert_int_equal(sums.ways[STAMP_BACK].delay.max_ns, 7000);
		assert_int_equal(hist_min_ns(&sums.turnaround), 3000);
	}
}

static void a_copy_is_reported_for_its_direction_and_repairs_nothing(void **state)
{
	struct stamp_session session;
	struct stamp_lost lost;
	uint32_t i, answer = 0, copies_out = 0, copies_back = 0;

	(void)state;
	memset(&sums, 0, sizeof(sums));
	stamp_session_init(&session, STAMP_KIND_UNKNOWN);
	for (i = 0; i < 1009; i++) {
		session.sent++;
		if (i % 100 == 50)
			continue;		/* 10 lost on the way out */
		arrive(&session, i, answer);
		if (i % 7 == 0) {
			copies_back++;
			arrive(&session, i, answer);
		}
		answer++;
		if (i % 11 == 0) {
			copies_out++;
			arrive(&session, i, answer++);
		}
	}
	stamp_session_lost(&session, &lost);
	assert_int_equal(session.kind, STAMP_STATEFUL);
	assert_int_equal(session.out_duplicates, copies_out);
	assert_int_equal(session.back_duplicates, copies_back);
	assert_int_equal(lost.all, 10);
	assert_int_equal(lost.out, 10);
	assert_int_equal(lost.back, 0);
	assert_int_equal(session.out_reordered, 0);
	assert_int_equal(session.answered.reordered, 0);
}

static void order_is_reported_for_its_direction(void **state)
{
	struct stamp_session session;
	uint32_t i;

	(void)state;
	memset(&sums, 0, sizeof(sums));
	stamp_session_init(&session, STAMP_STATEFUL);
	/* Of every ten, number 3 arrives there after 4, and the answer to 8 returns after 9's. */
	for (i = 0; i < 1000; i += 10) {
		static const uint32_t questions[] = { 0, 1, 2, 4, 3, 5, 6, 7, 9, 8 };
		static const uint32_t answers[] = { 0, 1, 2, 3, 4, 5, 6, 7, 9, 8 };
		int k;

		for (k = 0; k < 10; k++) {
			session.sent++;
			arrive(&session, i + questions[k], i + answers[k]);
		}
	}
	assert_int_equal(session.asked.reordered, 200);
	assert_int_equal(session.out_reordered, 100);
	assert_int_equal(session.answered.reordered, 100);
	/* Each pair of neighbours is there, though some came in the wrong order. */
	assert_int_equal(sums.ways[STAMP_OUT].ipdv.count, 999);
}

static void a_reflector_that_forgot_the_session_invents_no_loss(void **state)
{
	struct stamp_session session;
	struct stamp_lost lost;
	uint32_t i;

	(void)state;
	memset(&sums, 0, sizeof(sums));
	stamp_session_init(&session, STAMP_STATEFUL);
	for (i = 0; i < 3000; i++) {
		session.sent++;
		if (i == 1500 || i == 1501 || i == 10)
			continue;	/* out, the first two as it restarted */
		arrive(&session, i, i < 1500 ? i - (i > 10) : i - 1502);
	}
	stamp_session_lost(&session, &lost);
	assert_int_equal(session.restarts, 1);
	assert_int_equal(lost.all, 3);
	assert_int_equal(lost.out, 1);
	assert_int_equal(lost.back, 0);
	assert_int_equal(lost.unknown, 2);
	assert_int_equal(session.asked.duplicates, 0);
}

static void a_stateless_reflector_allows_no_direction(void **state)
{
	struct stamp_session session;
	struct stamp_lost lost;
	uint32_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		uint32_t k;

		stamp_session_init(&session, i ? STAMP_STATELESS : STAMP_KIND_UNKNOWN);
		for (k = 0; k < 100; k++) {
			session.sent++;
			if (k % 10 != 3)
				arrive(&session, k, k);
		}
		stamp_session_lost(&session, &lost);
		assert_int_equal(lost.all, 10);
		assert_int_equal(lost.unknown, 10);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_loss_is_reported_for_its_direction),
		cmocka_unit_test(a_copy_is_reported_for_its_direction_and_repairs_nothing),
		cmocka_unit_test(order_is_reported_for_its_direction),
		cmocka_unit_test(a_reflector_that_forgot_the_session_invents_no_loss),
		cmocka_unit_test(a_stateless_reflector_allows_no_direction),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
