// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What bench and tune keep in files: a file that was cut or changed is seen as that.
 */
#include "check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/bench_state.h"
#include "model/tune_list.h"

static size_t trials_of(char *text, size_t size, struct bench_trial *ret_last, bool *ret_at_end)
{
	FILE *file = fmemopen(text, size, "r");
	struct bench_trial trial;
	struct err e = { 0 };
	size_t nr = 0;

	assert_int_equal(bench_state_check(file, "x", "words", &e), 0);
	while (bench_state_next(file, &trial)) {
		*ret_last = trial;
		nr++;
	}
	*ret_at_end = feof(file);
	fclose(file);
	return nr;
}

static void a_trial_that_is_cut_is_none(void **state)
{
	struct bench_trial trials[2] = {
		{ .kind = "throughput", .frame_bytes = 64, .pps = 1e6, .pdv.ns[DIST_P99_9] = 1e9 / 3 },
	}, last;
	size_t size, cut;
	bool at_end;
	char *text;
	FILE *file = open_memstream(&text, &size);

	(void)state;
	trials[1] = trials[0];
	bench_state_write(file, "words", trials, 2);
	fclose(file);
	assert_int_equal(trials_of(text, size, &last, &at_end), 2);
	assert_true(at_end && last.pdv.ns[DIST_P99_9] == 1e9 / 3);
	/* Most cuts of the last field leave a number. */
	for (cut = 1; cut < 40; cut++)
		assert_int_equal(trials_of(text, size - cut, &last, &at_end), 1);
	text[size - 1] = '7';
	assert_int_equal(trials_of(text, size, &last, &at_end), 1);
	free(text);
}

static int list_of(const char *text, struct tune_list *list)
{
	FILE *file = fmemopen((void *)text, strlen(text), "r");
	int err;

	memset(list, 0, sizeof(*list));
	err = tune_list_read(file, "0d3a", list);
	fclose(file);
	return err;
}

static void saved_settings_that_are_cut_or_changed_are_damaged(void **state)
{
	struct tune_list list;

	(void)state;
	assert_int_equal(list_of("ethgauge-tune 1\nboot 0d3a\nmtu\teth0\t3\t1500\n", &list), 0);
	assert_int_equal(list.nr, 1);
	assert_int_equal(list.saved[0].ifindex, 3);
	assert_int_equal(list_of("ethgauge-tune 1\nboot ffff\nmtu\teth0\t3\t1500\n", &list), 0);
	assert_int_equal(list.nr, 0);
	/* Not of an earlier boot. */
	assert_int_equal(list_of("ethgauge-tune 1\nboot 0d", &list), -EBADMSG);
	assert_int_equal(list_of("ethgauge-tune 1\nboot 0d3a\nmtu\teth0\tx\t1500\n", &list), -EBADMSG);
	assert_int_equal(list_of("ethgauge-tune 1\nboot 0d3a\nmtu\teth0\t-3\t1500\n", &list), -EBADMSG);
	assert_int_equal(list_of("ethgauge-tune 1\nboot 0d3a\nmtu\teth0\t99999999999\t1500\n", &list), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_trial_that_is_cut_is_none),
		cmocka_unit_test(saved_settings_that_are_cut_or_changed_are_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
