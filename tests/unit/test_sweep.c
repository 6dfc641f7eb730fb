// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/study.h"
#include "model/sweep.h"

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

static char *joined(const struct sweep *sweep, size_t cell, char *const *words, int nr)
{
	static char text[512];
	char **run = sweep_run_words(sweep, cell, words, nr);
	size_t used = 0, i;

	assert_non_null(run);
	for (i = 0; run[i]; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s|", run[i]);
	sweep_run_words_free(run);
	return text;
}

static void a_run_has_options_and_filled_in_places_but_no_settings(void **state)
{
	char *words[] = { "tcp", "{test}", "h{test}:{port}", "{other}", "{mtu}" };
	struct sweep sweep = { 0 };
	struct err e = { 0 };

	(void)state;
	assert_int_equal(sweep_vary(&sweep, "test=stream,sendfile", &e), 0);
	assert_int_equal(sweep_vary(&sweep, "tcp_sack=0", &e), 0);
	assert_int_equal(sweep_vary(&sweep, "mtu=1500", &e), 0);
	assert_int_equal(sweep_vary(&sweep, "mss=500,600", &e), 0);
	assert_int_equal(sweep_finish(&sweep, 1, &e), 0);
	assert_string_equal(joined(&sweep, 0, words, 5),
			    "/proc/self/exe|tcp|--json|-q|--mss=500|stream|hstream:{port}|{other}|1500|");
	assert_string_equal(joined(&sweep, 3, words, 1),
			    "/proc/self/exe|tcp|--json|-q|--test=sendfile|--mss=600|");
	sweep_release(&sweep);
}

static void theory_is_of_the_cell(void **state)
{
	struct sweep sweep = { 0 };
	struct err e = { 0 };

	(void)state;
	assert_int_equal(sweep_vary(&sweep, "mtu=1500,9000", &e), 0);
	assert_int_equal(sweep_vary(&sweep, "net.ipv4.tcp_timestamps=0,1", &e), 0);
	assert_int_equal(sweep_finish(&sweep, 1, &e), 0);
	/* measurement: 94.928 % without options, 94.149 % with, 93.628 % over IPv6 without. */
	assert_float_equal(sweep_bound_of(&sweep, 0, SWEEP_BOUND_TCP, 100, false, NULL), 100 * 1460 / 1538.0, 1e-9);
	assert_float_equal(sweep_bound_of(&sweep, 1, SWEEP_BOUND_TCP, 100, false, NULL), 100 * 1448 / 1538.0, 1e-9);
	assert_float_equal(sweep_bound_of(&sweep, 0, SWEEP_BOUND_TCP6, 100, false, NULL), 100 * 1440 / 1538.0, 1e-9);
	assert_float_equal(sweep_bound_of(&sweep, 0, SWEEP_BOUND_UDP, 100, false, NULL), 100 * 1472 / 1538.0, 1e-9);
	assert_float_equal(sweep_bound_of(&sweep, 3, SWEEP_BOUND_UDP6, 100, false, NULL), 100 * 8952 / 9038.0, 1e-9);
	assert_true(isnan(sweep_bound_of(&sweep, 0, SWEEP_BOUND_FRAMES, 100, false, NULL)));
	assert_true(isnan(sweep_bound_of(&sweep, 0, SWEEP_BOUND_NONE, 100, false, NULL)));
	sweep_release(&sweep);
}

static void theory_is_of_the_run_where_nothing_varies(void **state)
{
	struct outcome_run run = { .value = 1, .mss_bytes = 8948 };
	struct sweep sweep = { 0 }, stamps = { 0 };
	struct err e = { 0 };

	(void)state;
	assert_int_equal(sweep_vary(&sweep, "parallel=1,2", &e), 0);
	assert_int_equal(sweep_finish(&sweep, 1, &e), 0);
	assert_float_equal(sweep_bound_of(&sweep, 0, SWEEP_BOUND_TCP, 100, false, NULL), 100 * 1448 / 1538.0, 1e-9);
	assert_float_equal(sweep_bound_of(&sweep, 0, SWEEP_BOUND_TCP, 100, false, &run), 100 * 8948 / 9038.0, 1e-9);
	run.mss_bytes = 8928;
	assert_float_equal(sweep_bound_of(&sweep, 0, SWEEP_BOUND_TCP6, 100, false, &run), 100 * 8928 / 9038.0, 1e-9);
	/* The interface's own counts more; of UDP it is all that there is. */
	run.mtu = 4000;
	assert_float_equal(sweep_bound_of(&sweep, 0, SWEEP_BOUND_TCP, 100, false, &run), 100 * 3948 / 4038.0, 1e-9);
	assert_float_equal(sweep_bound_of(&sweep, 0, SWEEP_BOUND_UDP, 100, false, &run), 100 * 3972 / 4038.0, 1e-9);
	run.both_ways = true;
	assert_float_equal(sweep_bound_of(&sweep, 0, SWEEP_BOUND_UDP, 100, false, &run), 200 * 3972 / 4038.0, 1e-9);
	/* One medium: both directions together carry no more than one does alone. */
	assert_float_equal(sweep_bound_of(&sweep, 0, SWEEP_BOUND_UDP, 100, true, &run), 100 * 3972 / 4038.0, 1e-9);
	run.half_duplex = true;
	assert_float_equal(sweep_bound_of(&sweep, 0, SWEEP_BOUND_TCP, 100, false, &run), 100 * 3948 / 4038.0, 1e-9);
	run.both_ways = false;
	assert_float_equal(sweep_bound_of(&sweep, 0, SWEEP_BOUND_UDP, 100, false, &run), 100 * 3972 / 4038.0, 1e-9);
	assert_float_equal(sweep_bound_of(&sweep, 0, SWEEP_BOUND_TCP, 100, false, &run),
			   100 * 2 * 3948 / (2 * 4038.0 + 90), 1e-9);
	sweep_release(&sweep);
	/* Without timestamps a segment has 12 bytes more, in the same MTU. */
	run = (struct outcome_run){ .mss_bytes = 8960 };
	assert_int_equal(sweep_vary(&stamps, "tcp_timestamps=0", &e), 0);
	assert_int_equal(sweep_finish(&stamps, 1, &e), 0);
	assert_float_equal(sweep_bound_of(&stamps, 0, SWEEP_BOUND_TCP, 100, false, &run), 100 * 8960 / 9038.0, 1e-9);
	sweep_release(&stamps);
}

static void studies_are_words_with_their_host(void **state)
{
	static const struct study odd = { "odd", "# what\n# more\n--vary 'a=1 2,3'\n# no word\n-- x@{host}/ {a}" };
	const struct study *study;
	struct study_words words;
	struct err e = { 0 };
	char text[300];
	int i;

	(void)state;
	assert_int_equal(study_split(&odd, "h", &words, &e), 0);
	assert_int_equal(words.argc, 5);
	assert_string_equal(words.argv[1], "a=1 2,3");
	assert_string_equal(words.argv[3], "x@h/");
	assert_string_equal(words.argv[4], "{a}");
	study_about(&odd, 1, text, sizeof(text));
	assert_string_equal(text, "more");
	study_about(&odd, 2, text, sizeof(text));
	assert_string_equal(text, "");
	memset(text, 'h', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	for (study = studies; study->name; study++) {
		assert_ptr_equal(study_find(study->name), study);
		assert_int_equal(study_split(study, text, &words, &e), 0);
		for (i = 0; i < words.argc && !strstr(words.argv[i], text); i++)
			;
		if (i == words.argc)
			fail_msg("'%s' has no {host}", study->name);
	}
	assert_null(study_find("odd"));
}

static void two_sweeps_do_not_share_a_file(void **state)
{
	char path[] = "/tmp/test_sweep.XXXXXX";
	struct outcome_run run = { 0 };
	FILE *file, *other = NULL;
	struct err e = { 0 };
	size_t done = 0;

	(void)state;
	close(mkstemp(path));
	assert_int_equal(sweep_file_open(path, "words", 1, &file, &run, &done, &e), 0);
	assert_int_equal(sweep_file_open(path, "words", 1, &other, &run, &done, &e), -EAGAIN);
	assert_null(other);
	fclose(file);
	assert_int_equal(sweep_file_open(path, "words", 1, &file, &run, &done, &e), 0);
	fclose(file);
	unlink(path);
}

static void a_file_goes_on_where_it_ended_and_knows_its_words(void **state)
{
	char path[] = "/tmp/test_sweep.XXXXXX";
	static const struct outcome_run added[] = {
		{ .value = 0.1, .mtu = 9000 }, { .value = NAN },
		{ .value = 7, .mss_bytes = 1448, .both_ways = true },
		{ .value = 8, .half_duplex = true },
	};
	struct outcome_run runs[5] = { 0 };
	struct err e = { 0 };
	size_t done = 99;
	FILE *file, *raw;

	(void)state;
	close(mkstemp(path));
	assert_int_equal(sweep_file_open(path, "some words", 5, &file, runs, &done, &e), 0);
	assert_int_equal(done, 0);
	assert_int_equal(sweep_file_add(file, &added[0]), 0);
	assert_int_equal(sweep_file_add(file, &added[1]), 0);
	fclose(file);
	/* Killed in the middle of a line. */
	raw = fopen(path, "a");
	fputs("3.", raw);
	fclose(raw);
	assert_int_equal(sweep_file_open(path, "some words", 5, &file, runs, &done, &e), 0);
	assert_int_equal(done, 2);
	assert_true(runs[0].value == 0.1 && runs[0].mtu == 9000 && isnan(runs[1].value));
	assert_int_equal(sweep_file_add(file, &added[2]), 0);
	fclose(file);
	assert_int_equal(sweep_file_open(path, "some words", 5, &file, runs, &done, &e), 0);
	assert_int_equal(done, 3);
	assert_true(runs[2].value == 7 && runs[2].mss_bytes == 1448 && runs[2].both_ways &&
		    !runs[2].half_duplex);
	assert_int_equal(sweep_file_add(file, &added[3]), 0);
	fclose(file);
	assert_int_equal(sweep_file_open(path, "some words", 5, &file, runs, &done, &e), 0);
	assert_int_equal(done, 4);
	assert_true(runs[3].half_duplex && !runs[3].both_ways);
	fclose(file);
	assert_int_equal(sweep_file_open(path, "other words", 5, &file, runs, &done, &e), -EINVAL);
	raw = fopen(path, "a");
	fputs("7 seven\n", raw);
	fclose(raw);
	assert_int_equal(sweep_file_open(path, "some words", 5, &file, runs, &done, &e), -EBADMSG);
	/* Killed while the head was written. */
	raw = fopen(path, "w");
	fputs("ethgauge-sw", raw);
	fclose(raw);
	assert_int_equal(sweep_file_open(path, "some words", 5, &file, runs, &done, &e), 0);
	assert_int_equal(done, 0);
	assert_int_equal(sweep_file_add(file, &added[2]), 0);
	fclose(file);
	assert_int_equal(sweep_file_open(path, "some words", 5, &file, runs, &done, &e), 0);
	assert_int_equal(done, 1);
	fclose(file);
	unlink(path);
}

/* No line is as long as the first, or has a byte 0. */
static void a_damaged_file_is_refused_and_stays(void **state)
{
	static const char head[] = "ethgauge-sweep 3\nsome words\n";
	static const char *const bad[] = { "1 1500 0 0 %0100d\n", "1 1500 0%c 0 0\n2 1500 0 0 0\n" };
	struct outcome_run runs[5] = { 0 };
	char path[] = "/tmp/test_sweep.XXXXXX";
	struct err e = { 0 };
	size_t done, i;
	FILE *file;
	long size;

	(void)state;
	close(mkstemp(path));
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		file = fopen(path, "w");
		fputs(head, file);
		fprintf(file, bad[i], 0);
		size = ftell(file);
		fclose(file);
		assert_int_equal(sweep_file_open(path, "some words", 5, &file, runs, &done, &e), -EBADMSG);
		file = fopen(path, "r");
		fseek(file, 0, SEEK_END);
		assert_int_equal(ftell(file), size);
		fclose(file);
	}
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells_are_the_cross_product),
		cmocka_unit_test(what_is_no_parameter_is_refused),
		cmocka_unit_test(a_run_has_options_and_filled_in_places_but_no_settings),
		cmocka_unit_test(theory_is_of_the_cell),
		cmocka_unit_test(theory_is_of_the_run_where_nothing_varies),
		cmocka_unit_test(studies_are_words_with_their_host),
		cmocka_unit_test(two_sweeps_do_not_share_a_file),
		cmocka_unit_test(a_file_goes_on_where_it_ended_and_knows_its_words),
		cmocka_unit_test(a_damaged_file_is_refused_and_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
