// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "lib/lines.h"

#include "check.h"

/* What fits of @text; how much that was. */
static size_t put(struct lines *lines, const char *text, size_t bytes)
{
	size_t room;
	char *piece = lines_room(lines, &room);

	if (!piece)
		return 0;
	room = room < bytes ? room : bytes;
	memcpy(piece, text, room);
	lines_add(lines, room);
	return room;
}

static void a_line_is_whole_however_it_arrives(void **state)
{
	static const char text[] = "one\n\ntwo and more\nthree";
	static const char *const expected[] = { "one", "", "two and more" };
	size_t step, at, nr;
	const char *line;

	(void)state;
	for (step = 1; step <= sizeof(text); step++) {
		struct lines lines = { .most = 100 };

		assert_null(lines_next(&lines));
		assert_null(lines_rest(&lines));
		for (at = nr = 0; at < sizeof(text) - 1;) {
			at += put(&lines, text + at, step < sizeof(text) - 1 - at ? step : sizeof(text) - 1 - at);
			while ((line = lines_next(&lines))) {
				assert_true(nr < 3);
				assert_string_equal(line, expected[nr++]);
			}
		}
		assert_int_equal(nr, 3);
		assert_string_equal(lines_rest(&lines), "three");
		assert_null(lines_rest(&lines));
		lines_free(&lines);
	}
}

static void a_line_of_the_most_bytes_fits_and_a_longer_one_does_not(void **state)
{
	struct lines lines = { .most = 10001 };
	char *text = malloc(10003);
	size_t at, got, room;

	(void)state;
	memset(text, 'x', 10002);
	text[10002] = '\0';
	for (at = 0; at < 10001; at += got) {
		got = put(&lines, text + at, 10001 - at);
		assert_true(got);
	}
	assert_null(lines_next(&lines));
	assert_int_equal(put(&lines, "\n", 1), 1);
	text[10001] = '\0';
	assert_string_equal(lines_next(&lines), text);
	text[10001] = 'x';
	for (at = 0; at < 10002; at += got) {
		got = put(&lines, text + at, 10002 - at);
		assert_true(got);
	}
	assert_null(lines_room(&lines, &room));
	/* It can be had all the same, and what comes after it begins a line. */
	assert_string_equal(lines_rest(&lines), text);
	assert_int_equal(put(&lines, "y\n", 2), 2);
	assert_string_equal(lines_next(&lines), "y");
	lines_free(&lines);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_is_whole_however_it_arrives),
		cmocka_unit_test(a_line_of_the_most_bytes_fits_and_a_longer_one_does_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
