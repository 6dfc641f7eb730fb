// SPDX-License-Identifier: GPL-2.0-or-later
/* The runs of loss of abi/seq.h, held against counting bit by bit. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "abi/seq.h"

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
	seq_judge(&seq, SEQ_ORIGIN / 64);
	assert_int_equal(seq.loss_runs, 0);
	seq_judge(&seq, SEQ_ORIGIN / 64 + 1);
	assert_int_equal(seq.loss_runs, 1);
	assert_int_equal(seq.loss_run_max, 58);
}

static void numbers_above_the_highest_are_not_lost(void **state)
{
	struct seq_state seq = { .first = SEQ_ORIGIN, .next = SEQ_ORIGIN + 11 };

	(void)state;
	seq.window[0] = 1ull << 10 | 1;
	seq_close(&seq);
	seq_judge(&seq, SEQ_ORIGIN / 64);
	assert_int_equal(seq.loss_runs, 1);
	assert_int_equal(seq.loss_run_max, 9);
	assert_int_equal(seq.loss_run, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_go_on_from_word_to_word),
		cmocka_unit_test(what_lies_before_the_first_is_not_lost),
		cmocka_unit_test(numbers_above_the_highest_are_not_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
