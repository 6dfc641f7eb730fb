// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "lib/err.h"

#include "check.h"

static void an_error_says_what_failed_and_why(void **state)
{
	struct err e = { .hint = "of an earlier error" };

	(void)state;
	assert_int_equal(err_set(&e, -ENOENT, "cannot open '%s'", "x"), -ENOENT);
	assert_int_equal(e.no, -ENOENT);
	assert_int_equal(e.kind, ERR_RUN);
	assert_string_equal(e.msg, "cannot open 'x': No such file or directory");
	assert_string_equal(e.hint, "");
}

static void the_kind_says_whose_fault_it_is(void **state)
{
	struct err e = { 0 };

	(void)state;
	assert_int_equal(err_usage(&e, "--port '%d' is out of range", 70000), -EINVAL);
	assert_int_equal(e.kind, ERR_USAGE);
	assert_string_equal(e.msg, "--port '70000' is out of range");
	assert_int_equal(err_machine(&e, -EOPNOTSUPP, "no native XDP"), -EOPNOTSUPP);
	assert_int_equal(e.kind, ERR_MACHINE);
	assert_string_equal(e.msg, "no native XDP: Operation not supported");
	assert_int_equal(err_plain(&e, -EACCES, "the server has another key"), -EACCES);
	assert_int_equal(e.kind, ERR_RUN);
	assert_string_equal(e.msg, "the server has another key");
}

static void a_hint_keeps_the_error(void **state)
{
	struct err e = { 0 };

	(void)state;
	err_set(&e, -EBUSY, "cannot attach");
	assert_int_equal(err_hint(&e, "detach it with: %s", "ip link"), -EBUSY);
	assert_string_equal(e.msg, "cannot attach: Device or resource busy");
	assert_string_equal(e.hint, "detach it with: ip link");
}

static void long_texts_are_cut_not_overrun(void **state)
{
	char text[2000];
	struct err e = { 0 };

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(err_set(&e, -EIO, "%s", text), -EIO);
	assert_int_equal(strlen(e.msg), sizeof(e.msg) - 1);
	assert_int_equal(err_hint(&e, "%s", text), -EIO);
	assert_int_equal(strlen(e.hint), sizeof(e.hint) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_error_says_what_failed_and_why),
		cmocka_unit_test(the_kind_says_whose_fault_it_is),
		cmocka_unit_test(a_hint_keeps_the_error),
		cmocka_unit_test(long_texts_are_cut_not_overrun),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
