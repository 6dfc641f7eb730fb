// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows of a long series: those that left memory are in the document, each once and in order.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <jansson.h>

#include "result/json.h"
#include "result/older.h"
#include "result/result.h"
#include "result/tree.h"

#include "check.h"

#define ROWS 10007

static void add_rows(struct result *res, uint64_t from, uint64_t rows)
{
	uint64_t i;

	for (i = from; i < from + rows; i++) {
		result_row_open(res, i);
		result_row_u64(res, "sent_packets", 3 * i);
		result_row_close(res);
	}
}

static json_t *document_of(const struct result *res, int compact)
{
	size_t bytes;
	char *text;
	FILE *out = open_memstream(&text, &bytes);
	json_error_t where;
	json_t *doc;

	assert_int_equal(json_document(out, res, compact), 0);
	fclose(out);
	doc = json_loads(text, JSON_REJECT_DUPLICATES, &where);
	if (!doc)
		fail_msg("%s, line %d", where.text, where.line);
	/* A compact document is one line. */
	if (compact)
		assert_ptr_equal(strchr(text, '\n'), text + bytes - 1);
	free(text);
	return doc;
}

static void has_rows(const json_t *part, uint64_t from, size_t rows)
{
	json_t *series = json_object_get(part, "series"), *row;
	size_t i;

	assert_int_equal(json_array_size(series), rows);
	json_array_foreach(series, i, row) {
		assert_int_equal(json_integer_value(json_object_get(row, "elapsed_ns")), from + i);
		assert_int_equal(json_integer_value(json_object_get(row, "sent_packets")), 3 * (from + i));
	}
}

static void a_document_has_all_rows_and_memory_has_few(void **state)
{
	struct result *res = result_new("test"), *one, *two;
	int compact;

	(void)state;
	result_keep_older(res, NULL);
	one = result_part(res, PART_OTHER, "one");
	two = result_part(res, PART_OTHER, "two");
	add_rows(res, 0, ROWS);
	/* In turn, so that their blocks alternate. */
	for (int i = 0; i < 7; i++) {
		add_rows(one, (uint64_t)i * 311, 311);
		add_rows(two, (uint64_t)i * 401, 401);
	}
	assert_true(json_array_size(json_object_get(result_tree(res), "series")) < 1000);
	for (compact = 0; compact < 2; compact++) {
		json_t *doc = document_of(res, compact), *parts = json_object_get(doc, "parts");

		has_rows(doc, 0, ROWS);
		has_rows(json_array_get(parts, 0), 0, 7 * 311);
		has_rows(json_array_get(parts, 1), 0, 7 * 401);
		json_decref(doc);
	}
	result_free(res);
}

static void of_a_series_with_a_limit_the_newest_are_kept(void **state)
{
	struct result *res = result_new("test");
	json_t *doc;
	uint64_t n;

	(void)state;
	result_keep_older(res, NULL);
	result_keep_rows(res, 3600);
	/* Around the limit, too. */
	for (n = 0; n < ROWS; n += 397) {
		add_rows(res, n, 397);
		doc = document_of(res, 1);
		has_rows(doc, n + 397 > 3600 ? n + 397 - 3600 : 0, n + 397 > 3600 ? 3600 : n + 397);
		json_decref(doc);
	}
	result_free(res);
}

static void without_a_document_older_rows_are_dropped(void **state)
{
	struct result *res = result_new("test");
	json_t *doc;
	size_t rows;

	(void)state;
	add_rows(res, 0, ROWS);
	doc = document_of(res, 0);
	rows = json_array_size(json_object_get(doc, "series"));
	assert_true(rows > 100 && rows < 1000);
	has_rows(doc, ROWS - rows, rows);
	assert_null(json_object_get(doc, "notes"));
	json_decref(doc);
	result_free(res);
}

/* The limit of a file's size is a full disk that needs no disk. */
static void a_full_disk_is_said_and_what_is_there_is_kept(void **state)
{
	struct rlimit limit, small = { 100000, RLIM_INFINITY };
	struct result *res = result_new("test");
	json_t *doc, *series, *notes;
	size_t rows, i;

	(void)state;
	result_keep_older(res, NULL);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	small.rlim_max = limit.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	add_rows(res, 0, ROWS);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	doc = document_of(res, 0);
	series = json_object_get(doc, "series");
	rows = json_array_size(series);
	assert_true(rows > 1000 && rows < ROWS);
	/* The first and the last are there, all in order. */
	for (i = 1; i < rows; i++)
		assert_true(json_integer_value(json_object_get(json_array_get(series, i), "elapsed_ns")) >
			    json_integer_value(json_object_get(json_array_get(series, i - 1), "elapsed_ns")));
	assert_int_equal(json_integer_value(json_object_get(json_array_get(series, 0), "elapsed_ns")), 0);
	notes = json_object_get(doc, "notes");
	assert_int_equal(json_array_size(notes), 1);
	assert_non_null(strstr(json_string_value(json_array_get(notes, 0)), "File too large"));
	json_decref(doc);
	result_free(res);
}

static int refuse(const char *row, size_t bytes, void *ctx)
{
	(void)row;
	(void)bytes;
	++*(int *)ctx;
	return -EPIPE;
}

static void a_chain_is_trimmed_by_whole_blocks_and_reading_may_stop(void **state)
{
	struct older_file *file = older_open("/nonexistent/file");
	struct older older = { 0 };
	int calls = 0;

	(void)state;
	assert_non_null(file);
	assert_int_equal(older_add(file, &older, "a\nb\n", 4, 2), 0);
	assert_int_equal(older_add(file, &older, "c\nd\ne\n", 6, 3), 0);
	assert_int_equal(older_trim(file, &older, 4), 0);
	assert_int_equal(older.rows, 5);
	assert_int_equal(older_trim(file, &older, 3), 0);
	assert_int_equal(older.rows, 3);
	assert_int_equal(older_each(file, &older, 1, refuse, &calls), -EPIPE);
	assert_int_equal(calls, 1);
	assert_int_equal(older_each(file, &older, 3, refuse, &calls), 0);
	assert_int_equal(older_trim(file, &older, 0), 0);
	assert_int_equal(older.rows, 0);
	assert_int_equal(older.first_at, 0);
	/* And begins again. */
	assert_int_equal(older_add(file, &older, "f\n", 2, 1), 0);
	assert_int_equal(older_each(file, &older, 0, refuse, &calls), -EPIPE);
	assert_int_equal(calls, 2);
	older_close(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_document_has_all_rows_and_memory_has_few),
		cmocka_unit_test(of_a_series_with_a_limit_the_newest_are_kept),
		cmocka_unit_test(without_a_document_older_rows_are_dropped),
		cmocka_unit_test(a_full_disk_is_said_and_what_is_there_is_kept),
		cmocka_unit_test(a_chain_is_trimmed_by_whole_blocks_and_reading_may_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
