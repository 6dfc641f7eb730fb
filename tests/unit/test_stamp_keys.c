// SPDX-License-Identifier: GPL-2.0-or-later
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "proto/stamp_keys.h"

#include "check.h"

static int keys_of(const char *text, struct stamp_keys *ret_keys, struct err *e)
{
	FILE *file = fmemopen((void *)text, strlen(text), "r");
	int err;

	assert_non_null(file);
	memset(e, 0, sizeof(*e));
	err = stamp_keys_read(ret_keys, file, "keys", e);
	fclose(file);
	return err;
}

static void check_line(const struct stamp_key_line *line, const char *source, uint32_t bits, int ssid,
		       const char *key)
{
	char text[64] = "any";

	if (!line->any_source)
		inet_ntop(line->source.addr_bytes == 4 ? AF_INET : AF_INET6, line->source.addr, text, sizeof(text));
	assert_string_equal(text, source);
	assert_int_equal(line->source.bits, bits);
	assert_int_equal(line->any_ssid ? -1 : line->ssid, ssid);
	assert_int_equal(line->key.len, strlen(key));
	assert_memory_equal(line->key.bytes, key, strlen(key));
}

static void a_line_is_source_identifier_and_the_key_to_its_end(void **state)
{
	struct stamp_keys keys;
	struct err e;

	(void)state;
	assert_int_equal(keys_of("# all\n\n \t\r\n198.18.0.1 7 0123456789abcdef\n"
				 "\t2001:2::/48\t any\t two words # and more \r\n   # no key\n"
				 "any 65535 0123456789abcdefg\nany any 0123456789abcdefh", &keys, &e), 0);
	assert_int_equal(keys.nr, 4);
	check_line(&keys.lines[0], "198.18.0.1", 32, 7, "0123456789abcdef");
	check_line(&keys.lines[1], "2001:2::", 48, -1, "two words # and more ");
	check_line(&keys.lines[2], "any", 0, 65535, "0123456789abcdefg");
	check_line(&keys.lines[3], "any", 0, -1, "0123456789abcdefh");
	assert_int_equal(keys.lines[1].line, 5);
	assert_int_equal(keys.lines[3].line, 8);
	stamp_keys_clear(&keys);
	assert_null(keys.lines);
	stamp_keys_clear(&keys);
}

static void more_keys_than_there_is_room_for_are_refused(void **state)
{
	static char text[(STAMP_KEYS_MAX + 1) * 48];
	struct stamp_keys keys;
	size_t len = 0, last = 0;
	struct err e;
	unsigned int i;

	(void)state;
	for (i = 0; i <= STAMP_KEYS_MAX; i++) {
		last = len;
		len += (size_t)snprintf(text + len, sizeof(text) - len, "10.0.%u.%u any 0123456789abcdef\n",
					i >> 8, i & 0xff);
	}
	assert_int_equal(keys_of(text, &keys, &e), -EINVAL);
	assert_string_equal(e.msg, "'keys' has more than 4096 keys");
	text[last] = '\0';
	assert_int_equal(keys_of(text, &keys, &e), 0);
	assert_int_equal(keys.nr, STAMP_KEYS_MAX);
	check_line(&keys.lines[STAMP_KEYS_MAX - 1], "10.0.15.255", 32, -1, "0123456789abcdef");
	stamp_keys_clear(&keys);
}

static void what_names_the_same_sessions_twice_is_refused_and_what_overlaps_is_not(void **state)
{
	static const char *const twice[] = {
		"any any 0123456789abcdef\n\nany any 0123456789abcdeg\n",
		"10.0.0.0/8 3 0123456789abcdef\n\n10.0.0.0/8 3 0123456789abcdef\n",
		"::1 any 0123456789abcdef\n\n::1/128 any 0123456789abcdef\n",
	};
	struct stamp_keys keys;
	struct err e;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(twice) / sizeof(*twice); i++) {
		assert_int_equal(keys_of(twice[i], &keys, &e), -EINVAL);
		assert_string_equal(e.msg, "line 3 of 'keys' names the same sessions as line 1");
	}
	assert_int_equal(keys_of("any any 0123456789abcdef\n0.0.0.0/0 any 0123456789abcdef\n"
				 "::/0 any 0123456789abcdef\n0.0.0.0/0 0 0123456789abcdef\n"
				 "0.0.0.0/1 0 0123456789abcdef\n", &keys, &e), 0);
	assert_int_equal(keys.nr, 5);
	stamp_keys_clear(&keys);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_is_source_identifier_and_the_key_to_its_end),
		cmocka_unit_test(more_keys_than_there_is_room_for_are_refused),
		cmocka_unit_test(what_names_the_same_sessions_twice_is_refused_and_what_overlaps_is_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
