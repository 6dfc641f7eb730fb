// SPDX-License-Identifier: GPL-2.0-or-later
/* The runs of loss of abi/seq.h, held against counting bit by bit. */
#include "check.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "abi/seq.h"

#define WINDOW SEQ_WINDOW_MIN

static __u64 ring[SEQ_RING_BYTES(WINDOW, 0) / 8];

static uint64_t some_bits(void)
{
	uint64_t bits = (uint64_t)random() << 33 ^ (uint64_t)random() << 11 ^ (uint64_t)random();

	switch (random() % 6) {
	case 0:
		return 0;
	case 1:
		return ~0ull;
	case 2:
		return bits & (uint64_t)random() << 33 & (uint64_t)random() << 20;
	case 3:
		return ~0ull << bits % 64;
	case 4:
		return ~0ull >> bits % 64;
	}
	return bits;
}

static void runs_go_on_from_word_to_word(void **state)
{
	struct seq_state seq = { 0 };
	uint64_t runs = 0, row = 0, longest = 0, lost;
	int word, bit;

	(void)state;
	srandom(3357);
	for (word = 0; word < 100003; word++) {
		lost = some_bits();
		for (bit = 0; bit < 64; bit++) {
			row = lost >> bit & 1 ? row + 1 : 0;
			runs += row == 1;
			longest = row > longest ? row : longest;
		}
		seq_lose(&seq, lost);
		assert_int_equal(seq.loss_runs, runs);
		assert_int_equal(seq.loss_run, row);
		assert_int_equal(seq.loss_run_max, longest);
		if (word % 31 == 0) {
			memset(&seq, 0, sizeof(seq));
			runs = row = longest = 0;
		}
	}
}

static void what_lies_before_the_first_is_not_lost(void **state)
{
	struct seq_state seq = { .first = SEQ_ORIGIN + 70 };

	(void)state;
	seq_judge(&seq, SEQ_ORIGIN / 64, 0);
	assert_int_equal(seq.loss_runs, 0);
	seq_judge(&seq, SEQ_ORIGIN / 64 + 1, 0);
	assert_int_equal(seq.loss_runs, 1);
	assert_int_equal(seq.loss_run_max, 58);
}

static void numbers_above_the_highest_are_not_lost(void **state)
{
	struct seq_state seq = { .first = SEQ_ORIGIN, .next = SEQ_ORIGIN + 11 };

	(void)state;
	memset(ring, 0, sizeof(ring));
	*seq_word(ring, WINDOW, SEQ_ORIGIN / 64) = 1ull << 10 | 1;
	seq_judge_rest(&seq, ring, WINDOW);
	assert_int_equal(seq.loss_runs, 1);
	assert_int_equal(seq.loss_run_max, 9);
	assert_int_equal(seq.loss_run, 0);
}

/* A state as the program leaves it: @seen has @numbers, of which the window holds all. */
static void fill(struct seq_state *seq, const bool *seen, uint64_t numbers)
{
	uint64_t i;

	*seq = (struct seq_state){ .base = SEQ_ORIGIN };
	memset(ring, 0, sizeof(ring));
	for (i = 0; i < numbers; i++) {
		if (!seen[i])
			continue;
		if (!seq->run)
			seq->first = SEQ_ORIGIN + i;
		seq->run = 1;
		seq->next = SEQ_ORIGIN + i + 1;
		*seq_word(ring, WINDOW, (SEQ_ORIGIN + i) >> 6) |= 1ull << (i & 63);
	}
}

static void runs_at_the_ends_count_with_those_between(void **state)
{
	enum { MOST = 2 * WINDOW - 64 };
	static bool seen[MOST];
	uint64_t numbers, i, runs, row, longest, lost, inside, head, tail;
	struct seq_state seq;
	int round;

	(void)state;
	srandom(4737);
	for (round = 0; round < 1009; round++) {
		numbers = 1 + (uint64_t)random() % (MOST - 1);
		head = random() % 3 ? (uint64_t)random() % 700 : 0;
		tail = random() % 3 ? (uint64_t)random() % 700 : 0;
		runs = row = longest = lost = 0;
		for (i = 0; i < numbers; i++) {
			seen[i] = i >= head && i + tail < numbers && random() % 5;
			row = seen[i] ? 0 : row + 1;
			lost += !seen[i];
			runs += row == 1;
			longest = row > longest ? row : longest;
		}
		fill(&seq, seen, numbers);
		inside = 0;
		for (i = seq.first; i < seq.next; i++)
			inside += !seen[i - SEQ_ORIGIN];
		if (seq.run)
			seq_judge_rest(&seq, ring, WINDOW);
		else
			seq.base = 0;	/* as in a map that was never written */
		assert_int_equal(seq_lose_ends(&seq, numbers), lost - inside);
		assert_int_equal(seq.loss_runs, runs);
		assert_int_equal(seq.loss_run_max, longest);
	}
}

static void a_held_packet_cuts_the_run_at_the_tail(void **state)
{
	static const bool seen[11] = { [3] = true, [4] = true };
	struct seq_state seq;

	(void)state;
	fill(&seq, seen, 11);
	seq.id = 7;
	seq.held[0] = (struct seq_held){ .is = 1, .id = 7, .low = 9000 };
	seq.held[1] = (struct seq_held){ .is = 1, .id = 7, .low = 7001 };
	/* 0 to 2; 5 to 7000; 7002 to 8999; 9001 to 9006. */
	assert_int_equal(seq_lose_ends(&seq, 9007), 3 + 6996 + 1998 + 6);
	assert_int_equal(seq.loss_runs, 4);
	assert_int_equal(seq.loss_run_max, 6996);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_go_on_from_word_to_word),
		cmocka_unit_test(what_lies_before_the_first_is_not_lost),
		cmocka_unit_test(numbers_above_the_highest_are_not_lost),
		cmocka_unit_test(runs_at_the_ends_count_with_those_between),
		cmocka_unit_test(a_held_packet_cuts_the_run_at_the_tail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
