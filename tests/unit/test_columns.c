// SPDX-License-Identifier: GPL-2.0-or-later
#include <glob.h>
#include <string.h>

#include <jansson.h>

#include "result/columns.h"
#include "result/metrics.h"
#include "result/result.h"
#include "result/value.h"

#include "check.h"

#define GOLDEN	"tests/golden/format-1/*.json"

static size_t seen;

/* The first columns of a sweep are named as the options that it varies: before "runs". */
static void check_row(const char *file, const char *command, json_t *row)
{
	bool varied = !strcmp(command, "sweep") && json_object_get(row, "runs");
	struct column column;
	const char *key;
	json_t *value;

	json_object_foreach(row, key, value) {
		varied = varied && strcmp(key, "runs");
		if (varied)
			continue;
		if (!column_find(key, &column))
			fail_msg("%s: a table has '%s', which no dictionary has", file, key);
		if (json_is_number(value) && column.unit == UNIT_TEXT)
			fail_msg("%s: '%s' is a number", file, key);
		seen++;
	}
}

static void check_rows(const char *file, const char *command, json_t *rows)
{
	json_t *row;
	size_t i;

	json_array_foreach(rows, i, row)
		check_row(file, command, row);
}

static void check_tree(const char *file, const char *command, json_t *tree)
{
	json_t *value, *part;
	const char *key;
	size_t i;

	check_rows(file, command, json_object_get(tree, "entries"));
	json_object_foreach(json_object_get(tree, "self"), key, value)
		check_rows(file, command, value);
	json_array_foreach(json_object_get(tree, "parts"), i, part)
		check_tree(file, command, part);
}

static void every_column_of_the_golden_documents_is_known(void **state)
{
	size_t i;
	glob_t files;

	(void)state;
	assert_int_equal(glob(GOLDEN, 0, NULL, &files), 0);
	for (i = 0; i < files.gl_pathc; i++) {
		json_t *doc = json_load_file(files.gl_pathv[i], 0, NULL);

		assert_non_null(doc);
		check_tree(files.gl_pathv[i], json_string_value(json_object_get(doc, "command")), doc);
		json_decref(doc);
	}
	globfree(&files);
	assert_true(seen > 1000);
}

static void a_column_has_the_unit_of_the_dictionary_and_not_of_its_ending(void **state)
{
	json_t *share = json_real(0.25), *us = json_integer(1500), *bytes = json_integer(1518);
	char buf[64];

	(void)state;
	assert_string_equal(value_with_unit(buf, sizeof(buf), "no_such_ratio", share), "0.25");
	assert_string_equal(value_cell(buf, sizeof(buf), "no_such_ratio", share), "0.25");
	assert_string_equal(value_with_unit(buf, sizeof(buf), "lost_ratio", share), "25 %");
	assert_string_equal(value_cell(buf, sizeof(buf), "goodput_ratio", share), "25 %");
	assert_string_equal(value_with_unit(buf, sizeof(buf), "srtt_us", us), "1.500 ms");
	assert_string_equal(value_cell(buf, sizeof(buf), "srtt_us", us), "1500");
	assert_string_equal(value_with_unit(buf, sizeof(buf), "frame_bytes", bytes), "1518");
	json_decref(share);
	json_decref(us);
	json_decref(bytes);
}

static void every_figure_is_a_column_with_its_unit(void **state)
{
	const struct metric *metric;
	struct column column;
	size_t i;

	(void)state;
	for (i = 0; (metric = metric_at(i)); i++) {
		assert_true(column_find(metric->key, &column));
		assert_int_equal(column.unit, metric->unit);
		assert_string_equal(column.label, metric->what);
	}
	assert_false(column_find("no_such_column", &column));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_column_of_the_golden_documents_is_known),
		cmocka_unit_test(a_column_has_the_unit_of_the_dictionary_and_not_of_its_ending),
		cmocka_unit_test(every_figure_is_a_column_with_its_unit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
