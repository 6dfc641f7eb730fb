// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * abi/wheel.h against a plain search through all streams.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "abi/wheel.h"

#include "check.h"

#define STREAMS 997

static struct wheel wheel;

static struct {
	uint64_t due_ns, gap_ns, served;
} streams[WHEEL_MAX];

static void start(uint32_t shift, uint64_t now_ns)
{
	memset(&wheel, 0, sizeof(wheel));
	memset(streams, 0, sizeof(streams));
	wheel.shift = shift;
	wheel.base = now_ns >> shift;
}

/* The stream that a sender would serve now, as both sides do it. */
static uint32_t take(uint64_t *ret_due_ns)
{
	__u64 due_ns = 0;
	uint32_t i;

	for (;;) {
		bool waits;

		i = wheel_peek(&wheel, &due_ns);
		if (i == WHEEL_NONE)
			return i;
		waits = wheel_only_waits(&wheel, due_ns);
		wheel_take(&wheel);
		assert_int_equal(waits, !!wheel_is_far(&wheel, due_ns));
		if (!waits)
			break;
		wheel_put(&wheel, i, due_ns);
	}
	*ret_due_ns = due_ns;
	return i;
}

static void put(uint32_t i, uint64_t due_ns)
{
	streams[i].due_ns = due_ns;
	wheel_put(&wheel, i, due_ns);
}

static uint64_t chance(uint64_t span)
{
	return ((uint64_t)random() << 31 | (uint64_t)random()) % span;
}

/*
 * Serves @turns packets of @nr streams with gaps of up to @gap_ns and asks of each
 * whether an earlier slot's stream should have come before it.
 */
static void serve(uint32_t shift, uint64_t start_ns, uint32_t nr, uint64_t gap_ns, int turns)
{
	uint64_t due_ns, slot, before = 0, end_ns;
	uint32_t i;
	int turn;

	start(shift, start_ns);
	for (i = 0; i < nr; i++) {
		streams[i].gap_ns = 1 + chance(gap_ns);
		put(i, start_ns + chance(streams[i].gap_ns));
	}
	for (turn = 0; turn < turns; turn++) {
		i = take(&due_ns);
		assert_true(i < nr);
		assert_true(due_ns == streams[i].due_ns);
		slot = due_ns >> shift;
		assert_true(slot >= before);
		before = slot;
		streams[i].served++;
		put(i, due_ns + streams[i].gap_ns);
	}
	/* None was forgotten: each is next due in the slot that is served now, or later. */
	for (i = 0; i < nr; i++)
		assert_true(streams[i].due_ns >> shift >= before);
	end_ns = before << shift;
	for (i = 0; i < nr; i++) {
		if (end_ns > start_ns + streams[i].gap_ns)
			assert_true(streams[i].served >=
				    (end_ns - start_ns) / streams[i].gap_ns - 1);
	}
}

static void the_lowest_bit_is_found_below_any_others(void **state)
{
	int bit, i;

	(void)state;
	for (bit = 0; bit < 64; bit++) {
		assert_int_equal(wheel_lowest_bit(1ull << bit), bit);
		for (i = 0; i < 100; i++)
			assert_int_equal(wheel_lowest_bit((chance(-1ull) << 1 | 1) << bit), bit);
	}
}

static void an_empty_wheel_has_no_stream(void **state)
{
	uint64_t due_ns;

	(void)state;
	start(6, 123456789);
	assert_int_equal(take(&due_ns), WHEEL_NONE);
	wheel_take(&wheel);
	put(3, 123456999);
	assert_int_equal(take(&due_ns), 3);
	assert_int_equal(take(&due_ns), WHEEL_NONE);
	assert_true(!wheel.summary);
}

static void streams_of_one_slot_come_in_the_order_in_which_they_were_put(void **state)
{
	uint64_t due_ns;
	uint32_t i;

	(void)state;
	start(10, 1 << 20);
	for (i = 0; i < STREAMS; i++)
		put(i * 4, (1 << 20) + 1023 - i);
	for (i = 0; i < STREAMS; i++)
		assert_int_equal(take(&due_ns), i * 4);
	assert_int_equal(take(&due_ns), WHEEL_NONE);
}

static void no_stream_comes_before_one_of_an_earlier_slot(void **state)
{
	uint32_t shift;

	(void)state;
	srandom(2);
	for (shift = 6; shift <= 14; shift++)
		serve(shift, 1000003ull * shift, STREAMS, 2000ull << shift, 100003);
	serve(6, 77, 1, 1009, 10007);
	serve(6, 77, WHEEL_MAX, 1000003, 100003);
}

/* Gaps of up to 300 turns of the wheel, beside ones of a few slots. */
static void streams_beyond_the_last_slot_come_when_they_are_due(void **state)
{
	(void)state;
	srandom(3);
	serve(6, 5, 101, (uint64_t)300 * WHEEL_SLOTS << 6, 20011);
	serve(9, 5, 3, (uint64_t)300 * WHEEL_SLOTS << 9, 2003);
}

static void one_that_waits_in_the_last_slot_does_not_hold_up_the_others(void **state)
{
	uint64_t far_ns = (uint64_t)WHEEL_SLOTS << 10, due_ns;

	(void)state;
	start(6, 0);
	put(1, far_ns);
	put(2, 64 * 100);
	assert_int_equal(take(&due_ns), 2);
	/* After the slot in which the first one waits, and long before it is due. */
	put(2, 64 * (WHEEL_SLOTS + 50));
	assert_int_equal(take(&due_ns), 2);
	assert_int_equal(take(&due_ns), 1);
	assert_true(due_ns == far_ns);
}

static void a_stream_that_is_behind_is_served_at_once(void **state)
{
	uint64_t due_ns;

	(void)state;
	start(6, 1000000);
	put(5, 1000000 + 64 * 7);
	put(6, 17);
	assert_int_equal(take(&due_ns), 6);
	assert_true(due_ns == 17);
	assert_int_equal(take(&due_ns), 5);
}

static void the_clock_may_have_run_for_centuries(void **state)
{
	(void)state;
	srandom(4);
	serve(6, 1ull << 63, STREAMS, 1000003, 50021);
}

static void slots_are_half_the_mean_gap_at_most_and_never_wider_than_1_us(void **state)
{
	uint64_t gap_ns;
	uint32_t shift;

	(void)state;
	assert_int_equal(wheel_shift_for(0), 6);
	assert_int_equal(wheel_shift_for(1), 6);
	assert_int_equal(wheel_shift_for(-1ull), 10);
	for (gap_ns = 256; gap_ns < 1ull << 30; gap_ns += 1 + gap_ns / 3) {
		shift = wheel_shift_for(gap_ns);
		assert_true(2ull << shift <= gap_ns);
		assert_true(1ull << shift <= WHEEL_MAX_WIDTH_NS);
		assert_true(4ull << shift > gap_ns || 1ull << shift == WHEEL_MAX_WIDTH_NS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_lowest_bit_is_found_below_any_others),
		cmocka_unit_test(an_empty_wheel_has_no_stream),
		cmocka_unit_test(streams_of_one_slot_come_in_the_order_in_which_they_were_put),
		cmocka_unit_test(no_stream_comes_before_one_of_an_earlier_slot),
		cmocka_unit_test(streams_beyond_the_last_slot_come_when_they_are_due),
		cmocka_unit_test(one_that_waits_in_the_last_slot_does_not_hold_up_the_others),
		cmocka_unit_test(a_stream_that_is_behind_is_served_at_once),
		cmocka_unit_test(the_clock_may_have_run_for_centuries),
		cmocka_unit_test(slots_are_half_the_mean_gap_at_most_and_never_wider_than_1_us),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
