// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Order of a stream that a socket read, against a model that keeps every number.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "proto/seqwin.h"

#include "check.h"

#define MODEL_NUMBERS 20000

static void a_whole_stream_has_nothing(void **state)
{
	struct seqwin win = { 0 };
	uint32_t i;

	(void)state;
	for (i = 0; i < 10007; i++)
		seqwin_add(&win, 0, i);
	assert_int_equal(win.distinct, 10007);
	assert_int_equal(seqwin_gaps(&win), 0);
	assert_int_equal(win.duplicates + win.reordered + win.unknown, 0);
	assert_int_equal(win.runs, 1);
}

static void a_wrap_goes_on(void **state)
{
	struct seqwin win = { 0 };
	uint32_t i;

	(void)state;
	for (i = 0; i < 1009; i++)
		seqwin_add(&win, 0, UINT32_MAX - 499 + i);
	assert_int_equal(win.distinct, 1009);
	assert_int_equal(seqwin_gaps(&win), 0);
	assert_int_equal(win.runs, 1);
}

static void a_sender_that_starts_anew_is_a_run(void **state)
{
	struct seqwin win = { .confirms = true };
	uint32_t i;

	(void)state;
	for (i = 0; i < 503; i++)
		seqwin_add(&win, 1, i);
	for (i = 0; i < 307; i++)
		seqwin_add(&win, 2, i);
	seqwin_add(&win, 1, 400);	/* left over */
	assert_int_equal(win.runs, 2);
	assert_int_equal(win.distinct, 503 + 307);
	assert_int_equal(win.other_run, 1);
	assert_int_equal(win.unknown, 0);
	assert_int_equal(seqwin_gaps(&win), 0);
}

static void two_senders_at_once_lose_nothing(void **state)
{
	struct seqwin win = { .confirms = true };
	uint32_t i;

	(void)state;
	for (i = 0; i < 2503; i++) {
		seqwin_add(&win, 1, i);
		seqwin_add(&win, 2, 2000000 + i);
	}
	assert_int_equal(win.runs, 1);
	assert_int_equal(seqwin_gaps(&win), 0);
	assert_int_equal(win.distinct + win.other_run + seqwin_held(&win, false), 2 * 2503);
}

static void another_senders_packet_before_the_first_is_not_damaged(void **state)
{
	struct seqwin win = { .confirms = true };

	(void)state;
	seqwin_add(&win, 1, 0);
	seqwin_add(&win, 2, 0);
	seqwin_add(&win, 2, 1);
	assert_int_equal(win.other_run, 1);
	assert_int_equal(win.implausible, 0);
	assert_int_equal(win.distinct, 2);
}

static void one_number_alone_moves_nothing(void **state)
{
	struct seqwin win = { .confirms = true }, first = { .confirms = true };
	uint32_t i;

	(void)state;
	for (i = 0; i < 8009; i++)
		seqwin_add(&win, 1, i == 3001 ? i + (1u << 28) : i);
	assert_int_equal(seqwin_gaps(&win), 1);
	assert_int_equal(win.implausible + seqwin_held(&win, true), 1);
	assert_int_equal(win.distinct, 8008);
	assert_int_equal(win.duplicates + win.reordered + win.unknown + win.other_run, 0);
	/* Of the first, too. */
	seqwin_add(&first, 1, 1u << 28);
	for (i = 1; i < 1009; i++)
		seqwin_add(&first, 1, i);
	assert_int_equal(seqwin_gaps(&first), 0);
	assert_int_equal(first.implausible + seqwin_held(&first, true), 1);
	assert_int_equal(first.distinct, 1008);
}

static void a_gap_of_any_length_is_confirmed_by_the_next(void **state)
{
	struct seqwin win = { .confirms = true };

	(void)state;
	seqwin_add(&win, 1, 0);
	seqwin_add(&win, 1, 1);
	seqwin_add(&win, 1, 1000000);
	seqwin_add(&win, 1, 1000000);	/* a copy of it confirms nothing */
	assert_int_equal(win.distinct, 2);
	seqwin_add(&win, 1, 1000001);
	assert_int_equal(win.distinct, 4);
	assert_int_equal(seqwin_gaps(&win), 999998);
	assert_int_equal(win.duplicates, 1);
	assert_int_equal(win.implausible + seqwin_held(&win, true), 0);
}

static void what_arrives_once_in_a_while_is_a_stream(void **state)
{
	struct seqwin win = { .confirms = true };
	uint32_t i;

	(void)state;
	for (i = 0; i < 503; i++)
		seqwin_add(&win, 1, 10007 * i);
	assert_int_equal(win.distinct + seqwin_held(&win, true), 503);
	assert_int_equal(win.implausible, 0);
	assert_int_equal(seqwin_gaps(&win), 501ull * 10006);
}

static void the_only_packet_counts(void **state)
{
	struct seqwin win = { .confirms = true };

	(void)state;
	seqwin_take_only(&win);
	assert_int_equal(win.runs, 0);
	seqwin_add(&win, 1, 7);
	seqwin_take_only(&win);
	assert_int_equal(win.runs, 1);
	assert_int_equal(win.distinct, 1);
	assert_int_equal(win.first, 7);
	assert_int_equal(seqwin_gaps(&win), 0);
}

static void behind_the_window_is_unknown(void **state)
{
	struct seqwin win = { 0 };

	(void)state;
	seqwin_add(&win, 0, 1);
	seqwin_add(&win, 0, SEQWIN_NUMBERS + 1);
	seqwin_add(&win, 0, 2);
	seqwin_add(&win, 0, 1);
	assert_int_equal(win.reordered, 1);
	assert_int_equal(win.distance_max, SEQWIN_NUMBERS - 1);
	assert_int_equal(win.unknown, 1);
	assert_int_equal(win.distinct, 3);
}

static void arrivals_by_chance_agree_with_a_model(void **state)
{
	static bool seen[MODEL_NUMBERS];
	uint64_t distinct = 0, duplicates = 0, reordered = 0;
	uint32_t i, number, next = 0;
	struct seqwin win = { 0 };

	(void)state;
	srandom(7);
	for (i = 100; i < MODEL_NUMBERS - 100; i++) {
		number = i - (uint32_t)random() % 100;
		if (!win.runs)
			number = 0;
		seqwin_add(&win, 0, number);
		duplicates += seen[number];
		reordered += !seen[number] && number < next;
		distinct += !seen[number];
		seen[number] = true;
		if (number >= next)
			next = number + 1;
	}
	assert_int_equal(win.distinct, distinct);
	assert_int_equal(win.duplicates, duplicates);
	assert_int_equal(win.reordered, reordered);
	assert_int_equal(seqwin_gaps(&win), next - distinct);
	assert_int_equal(win.unknown, 0);
}

static void runs_of_loss_are_counted_through_jumps_and_late_ones(void **state)
{
	struct seqwin win = { 0 }, copy;
	uint64_t lost = 0, runs = 0, run = 0, longest = 0;
	uint32_t i, jump;

	(void)state;
	srandom(11);
	for (i = 0; i < 200000; i += 1 + jump) {
		seqwin_add(&win, 0, i);
		jump = random() % 50 ? 0 : random() % 40 ? (uint32_t)random() % 90 : 8000 + (uint32_t)random() % 400;
		lost += jump;
		runs += jump > 0;
		longest = jump > longest ? jump : longest;
	}
	/* What was skipped last is lost only because the sender sent it. */
	seqwin_finish(&win, i);
	assert_int_equal(win.distinct + lost, i);
	assert_int_equal(win.loss_runs, runs);
	assert_int_equal(win.loss_run_max, longest);

	memset(&win, 0, sizeof(win));
	for (i = 0; i < 3000; i++) {
		if (i % 100 < 90)
			seqwin_add(&win, 0, i);
		if (i % 100 == 99)
			seqwin_add(&win, 0, i - 4);	/* late: cuts a run of ten in two */
	}
	for (run = 0; run < 2; run++) {
		copy = win;
		seqwin_finish(&copy, 3000);
		assert_int_equal(copy.loss_runs, 60);
		assert_int_equal(copy.loss_run_max, 5);
	}
}

struct runs { uint64_t lost, runs, longest; };

static struct runs count_runs(const bool *seen, uint32_t numbers)
{
	struct runs found = { 0 };
	uint64_t row = 0;
	uint32_t i;

	for (i = 0; i < numbers; i++) {
		row = seen[i] ? 0 : row + 1;
		found.lost += !seen[i];
		found.runs += row == 1;
		found.longest = row > found.longest ? row : found.longest;
	}
	return found;
}

static void check_runs(const bool *seen, uint32_t numbers, bool confirms)
{
	struct seqwin win = { .confirms = confirms };
	struct runs want = count_runs(seen, numbers);
	uint64_t at_ends;
	uint32_t i;

	for (i = 0; i < numbers; i++) {
		if (seen[i])
			seqwin_add(&win, 1, i);
	}
	seqwin_take_only(&win);
	at_ends = seqwin_finish(&win, numbers);
	assert_int_equal(at_ends + seqwin_gaps(&win), want.lost);
	assert_int_equal(win.loss_runs, want.runs);
	assert_int_equal(win.loss_run_max, want.longest);
}

static void runs_at_the_ends_agree_with_a_model(void **state)
{
	static bool seen[MODEL_NUMBERS];
	uint32_t round, i, numbers, head, tail, row;

	(void)state;
	srandom(3357);
	for (round = 0; round < 307; round++) {
		numbers = 1 + (uint32_t)random() % (MODEL_NUMBERS - 1);
		head = random() % 3 ? (uint32_t)random() % 700 : 0;
		tail = random() % 3 ? (uint32_t)random() % 700 : 0;
		for (i = 0; i < numbers; i++)
			seen[i] = i >= head && i + tail < numbers;
		/* Runs inside, of which some touch those at the ends. */
		for (i = 0; i < numbers; i += row + (uint32_t)random() % 997) {
			row = (uint32_t)random() % 13;
			memset(seen + i, 0, (i + row < numbers ? row : numbers - i) * sizeof(*seen));
		}
		check_runs(seen, numbers, round & 1);
	}
}

static void a_stream_of_which_nothing_arrived_is_one_run(void **state)
{
	static const bool none[503];

	(void)state;
	check_runs(none, 503, false);
	check_runs(none, 503, true);
}

/* Far ahead of the others, and last: no packet after it confirms it. */
static void a_packet_that_is_held_cuts_the_run_at_the_tail(void **state)
{
	static bool seen[MODEL_NUMBERS];
	uint32_t i;

	(void)state;
	for (i = 0; i < 1009; i++)
		seen[i] = true;
	seen[9001] = true;
	check_runs(seen, 9002, true);
	check_runs(seen, 9500, true);
	check_runs(seen, 9500, false);
}

static void without_the_number_sent_the_ends_are_not_lost(void **state)
{
	struct seqwin win = { 0 };

	(void)state;
	seqwin_add(&win, 0, 100);
	seqwin_add(&win, 0, 103);
	assert_int_equal(seqwin_finish(&win, 0), 0);
	assert_int_equal(win.loss_runs, 1);
	assert_int_equal(win.loss_run_max, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_stream_has_nothing),
		cmocka_unit_test(a_wrap_goes_on),
		cmocka_unit_test(a_sender_that_starts_anew_is_a_run),
		cmocka_unit_test(two_senders_at_once_lose_nothing),
		cmocka_unit_test(another_senders_packet_before_the_first_is_not_damaged),
		cmocka_unit_test(one_number_alone_moves_nothing),
		cmocka_unit_test(a_gap_of_any_length_is_confirmed_by_the_next),
		cmocka_unit_test(what_arrives_once_in_a_while_is_a_stream),
		cmocka_unit_test(the_only_packet_counts),
		cmocka_unit_test(behind_the_window_is_unknown),
		cmocka_unit_test(arrivals_by_chance_agree_with_a_model),
		cmocka_unit_test(runs_of_loss_are_counted_through_jumps_and_late_ones),
		cmocka_unit_test(runs_at_the_ends_agree_with_a_model),
		cmocka_unit_test(a_stream_of_which_nothing_arrived_is_one_run),
		cmocka_unit_test(a_packet_that_is_held_cuts_the_run_at_the_tail),
		cmocka_unit_test(without_the_number_sent_the_ends_are_not_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
