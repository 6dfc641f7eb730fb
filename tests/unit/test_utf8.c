// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "lib/utf8.h"

#include "check.h"

static void becomes(const char *text, const char *want)
{
	char buf[128];

	strcpy(buf, text);
	assert_ptr_equal(utf8_plain(buf), buf);
	assert_string_equal(buf, want);
}

static void what_a_terminal_obeys_is_replaced(void **state)
{
	(void)state;
	becomes("", "");
	becomes("eth0 dr\xc3\xbc""ber \xe2\x82\xac \xf0\x9f\x98\x80", "eth0 dr\xc3\xbc""ber \xe2\x82\xac \xf0\x9f\x98\x80");
	becomes("\x1b[31mred\x1b]0;title\a\r\n\t\x7f", "?[31mred?]0;title?????");
	becomes("\xc2\x9b""31m \xc2\x85 \xc2\xa0", "?31m ? \xc2\xa0");
	becomes("\xe2\x80\xaegnp.exe\xe2\x81\xa6 \xd8\x9c \xef\xbb\xbf \xe2\x80\x8b \xe2\x80\xa8", "?gnp.exe? ? ? ? ?");
}

static void bytes_that_are_no_character_are_replaced_one_by_one(void **state)
{
	(void)state;
	becomes("\xff\xfe", "??");
	becomes("a\x9b""b", "a?b");
	becomes("cut \xe2\x82", "cut ??");
	becomes("\xc0\x9b", "??");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_terminal_obeys_is_replaced),
		cmocka_unit_test(bytes_that_are_no_character_are_replaced_one_by_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
