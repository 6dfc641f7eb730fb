// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/goal_file.h"

#include "check.h"

static char path[] = "/tmp/goal_file.XXXXXX";

static int make_file(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

static int read_text(const char *text, struct goal_file *ret_file, struct err *e)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
	*e = (struct err){ 0 };
	return goal_file_read(path, ret_file, e);
}

/* Whether @text begins with the file's name and "@place". */
static bool is_at(const char *text, const char *place)
{
	return !strncmp(text, path, strlen(path)) && !strncmp(text + strlen(path), place, strlen(place));
}

static void goals_are_read_as_the_command_line_says_them(void **state)
{
	struct goal_file file;
	struct err e;

	(void)state;
	assert_int_equal(read_text("goals:\n  - tst009\n  - name: x\n    loss: 0.5%\n    final: 2s\n", &file, &e), 0);
	assert_int_equal(file.nr, 2);
	assert_string_equal(file.goals[0].text, "tst009");
	assert_string_equal(file.goals[1].text, "name=x,loss=0.5%,final=2s");
	assert_true(is_at(file.goals[1].at, ":3:5"));
}

static void what_is_no_list_of_goals_is_refused_at_its_place(void **state)
{
	static const char *const bad[] = {
		"", "x", "goals:", "goals: []", "goals: ndr", "goal: [ndr]", "goals: [ndr]\nmore: 1", "goals: [[ndr]]",
		"goals: [{loss: }]", "goals: [{loss: [1]}]", "goals: [{\"a,b\": 1}]", "goals: [{a: \"1,loss=1\"}]",
		"goals: &a [ndr, *a]", "goals: [ndr", "%YAML 1.2\n---\ngoals: [ndr]", "goals: [ndr]\n---\nx\n",
		"goals: [a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a]",
	};
	struct goal_file file;
	char text[600];
	struct err e;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (!read_text(bad[i], &file, &e))
			fail_msg("taken: %s", bad[i]);
		if (!is_at(e.msg, ":"))
			fail_msg("no place: %s", e.msg);
	}
	memset(text, 'x', sizeof(text));
	memcpy(text, "goals: [{name: ", 15);
	strcpy(text + sizeof(text) - 3, "}]");
	assert_true(read_text(text, &file, &e) < 0);
	memset(text, 'x', sizeof(text));
	memcpy(text, "goals: [", 8);
	strcpy(text + sizeof(text) - 2, "]");
	assert_true(read_text(text, &file, &e) < 0);
	assert_true(is_at(e.msg, ":1:9: "));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(goals_are_read_as_the_command_line_says_them),
		cmocka_unit_test(what_is_no_list_of_goals_is_refused_at_its_place),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
