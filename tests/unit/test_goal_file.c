// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "proto/goal_file.h"

#include "check.h"

static int parse(const char *text, struct goal_file *ret_file, struct err *e)
{
	*e = (struct err){ 0 };
	return goal_file_parse("g.yaml", text, strlen(text), ret_file, e);
}

static void goals_are_read_as_the_command_line_says_them(void **state)
{
	struct goal_file file;
	struct err e;

	(void)state;
	assert_int_equal(parse("goals:\n  - tst009\n  - name: x\n    loss: 0.5%\n    final: 2s\n", &file, &e), 0);
	assert_int_equal(file.nr, 2);
	assert_string_equal(file.goals[0].text, "tst009");
	assert_string_equal(file.goals[1].text, "name=x,loss=0.5%,final=2s");
	assert_string_equal(file.goals[1].at, "g.yaml:3:5");
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
		if (!parse(bad[i], &file, &e))
			fail_msg("taken: %s", bad[i]);
		if (strncmp(e.msg, "g.yaml:", 7))
			fail_msg("no place: %s", e.msg);
	}
	memset(text, 'x', sizeof(text));
	memcpy(text, "goals: [{name: ", 15);
	strcpy(text + sizeof(text) - 3, "}]");
	assert_true(parse(text, &file, &e) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(goals_are_read_as_the_command_line_says_them),
		cmocka_unit_test(what_is_no_list_of_goals_is_refused_at_its_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
