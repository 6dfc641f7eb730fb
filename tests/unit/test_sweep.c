// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/sweep.h"

#include "check.h"

static void cells_are_the_cross_product(void **state)
{
	struct sweep sweep = { 0 };
	struct err e = { 0 };
	char list[256];

	(void)state;
	assert_int_equal(sweep_vary(&sweep, "frame-bytes=64,1518", &e), 0);
	assert_int_equal(sweep_vary(&sweep, "tcp_rmem=1 2 3,4 5 6,7 8 9", &e), 0);
	assert_int_equal(sweep_vary(&sweep, "--mtu=1500,9000", &e), 0);
	assert_int_equal(sweep_finish(&sweep, 5, &e), 0);
	assert_int_equal(sweep.nr_cells, 12);
	assert_int_equal(sweep.nr_runs, 60);
	assert_null(sweep.varied[0].item);
	assert_non_null(sweep.varied[1].item);
	/* A setting by its name, but dashes make it an option. */
	assert_null(sweep.varied[2].item);
	assert_string_equal(sweep_value(&sweep, 0, 1), "1 2 3");
	assert_string_equal(sweep_value(&sweep, 1, 2), "9000");
	assert_string_equal(sweep_value(&sweep, 2, 1), "4 5 6");
	assert_string_equal(sweep_value(&sweep, 11, 0), "1518");
	assert_string_equal(sweep_value_of(&sweep, 6, "frame-bytes"), "1518");
	assert_null(sweep_value_of(&sweep, 6, "frame"));
	sweep_settings(&sweep, 4, list, sizeof(list));
	assert_string_equal(list, "tcp_rmem=7 8 9");
	sweep_release(&sweep);
}

static void what_is_no_parameter_is_refused(void **state)
{
	static const char *const bad[] = {
		"", "a", "a=", "=1", "--=1", "a=1,", "a=,1", "a=1,1", "a=1,,2",
	};
	struct sweep sweep = { 0 };
	struct err e = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		sweep = (struct sweep){ 0 };
		if (sweep_vary(&sweep, bad[i], &e) != -EINVAL)
			fail_msg("'%s' was taken", bad[i]);
		sweep_release(&sweep);
	}
	sweep = (struct sweep){ 0 };
	assert_int_equal(sweep_vary(&sweep, "a=1", &e), 0);
	assert_int_equal(sweep_vary(&sweep, "--a=1", &e), -EINVAL);
	sweep_release(&sweep);
}

static void a_file_goes_on_where_it_ended_and_knows_its_words(void **state)
{
	char path[] = "/tmp/test_sweep.XXXXXX";
	double values[5] = { 0 };
	struct err e = { 0 };
	size_t done = 99;
	FILE *file, *raw;

	(void)state;
	close(mkstemp(path));
	assert_int_equal(sweep_file_open(path, "some words", 5, &file, values, &done, &e), 0);
	assert_int_equal(done, 0);
	assert_int_equal(sweep_file_add(file, 0.1), 0);
	assert_int_equal(sweep_file_add(file, 1e300), 0);
	fclose(file);
	/* Killed in the middle of a line. */
	raw = fopen(path, "a");
	fputs("3.", raw);
	fclose(raw);
	assert_int_equal(sweep_file_open(path, "some words", 5, &file, values, &done, &e), 0);
	assert_int_equal(done, 2);
	assert_true(values[0] == 0.1 && values[1] == 1e300);
	assert_int_equal(sweep_file_add(file, 7), 0);
	fclose(file);
	assert_int_equal(sweep_file_open(path, "some words", 5, &file, values, &done, &e), 0);
	assert_int_equal(done, 3);
	assert_true(values[2] == 7);
	fclose(file);
	assert_int_equal(sweep_file_open(path, "other words", 5, &file, values, &done, &e), -EINVAL);
	raw = fopen(path, "a");
	fputs("seven\n", raw);
	fclose(raw);
	assert_int_equal(sweep_file_open(path, "some words", 5, &file, values, &done, &e), -EBADMSG);
	/* Killed while the head was written. */
	raw = fopen(path, "w");
	fputs("ethgauge-sw", raw);
	fclose(raw);
	assert_int_equal(sweep_file_open(path, "some words", 5, &file, values, &done, &e), 0);
	assert_int_equal(done, 0);
	assert_int_equal(sweep_file_add(file, 5), 0);
	fclose(file);
	assert_int_equal(sweep_file_open(path, "some words", 5, &file, values, &done, &e), 0);
	assert_int_equal(done, 1);
	fclose(file);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells_are_the_cross_product),
		cmocka_unit_test(what_is_no_parameter_is_refused),
		cmocka_unit_test(a_file_goes_on_where_it_ended_and_knows_its_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
