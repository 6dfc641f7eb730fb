// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The lines of a transport test: written and read back, and what is refused.
 */
#include <errno.h>
#include <string.h>

#include "proto/control.h"

#include "check.h"

static int read_line(const char *line, enum control_type *ret_type, union control_body *ret_body)
{
	struct err e;

	return control_read(line, strlen(line), ret_type, ret_body, &e);
}

static void what_is_written_reads_back(void **state)
{
	struct control_test test = {
		.protocol = CONTROL_UDP, .kind = CONTROL_RR, .streams = 7, .duration_ns = 1009,
		.request_bytes = 64, .response_bytes = 65507, .outstanding = 3,
		.rate_bps = INT64_MAX, .congestion = "cubic",
	};
	char line[CONTROL_LINE_BYTES];
	union control_body body;
	enum control_type type;
	struct err e;
	int len = control_write(line, sizeof(line), CONTROL_TEST, &test);

	(void)state;
	assert_true(len > 0);
	assert_int_equal(line[len - 1], '\n');
	assert_int_equal(control_read(line, (size_t)len - 1, &type, &body, &e), 0);
	assert_int_equal(type, CONTROL_TEST);
	assert_memory_equal(&body.test, &test, sizeof(test));
}

static void arrivals_read_back_until_there_is_no_room(void **state)
{
	struct control_arrival given = { 3, UINT32_MAX, 1000000007, 11 }, got;
	struct control_arrivals line = { .list = "" };
	char written[CONTROL_LINE_BYTES];
	const char *at = line.list;
	unsigned int nr = 0;

	(void)state;
	while (control_add_arrival(line.list, sizeof(line.list), &given))
		nr++;
	assert_true(nr > 100);
	assert_true(control_write(written, sizeof(written), CONTROL_ARRIVALS, &line) > 0);
	for (; control_next_arrival(&at, &got); nr--)
		assert_memory_equal(&got, &given, sizeof(got));
	assert_int_equal(nr, 0);
	assert_int_equal(*at, '\0');
	at = "1:2:3:4,1:2:3";
	assert_true(control_next_arrival(&at, &got));
	assert_false(control_next_arrival(&at, &got));
	assert_string_equal(at, "1:2:3");
}

static void a_text_may_hold_quotes_and_loses_what_is_not_ascii(void **state)
{
	struct control_error error = { .what = "no \"such\\ thing\n\xff" };
	char line[CONTROL_LINE_BYTES];
	union control_body body;
	enum control_type type;
	struct err e;
	int len = control_write(line, sizeof(line), CONTROL_ERROR, &error);

	(void)state;
	assert_int_equal(control_read(line, (size_t)len - 1, &type, &body, &e), 0);
	assert_string_equal(body.error.what, "no \"such\\ thing??");
}

static void a_line_that_does_not_fit_is_reported(void **state)
{
	char line[13];

	(void)state;
	assert_int_equal(control_write(line, sizeof(line), CONTROL_GO, NULL), -ENOSPC);
}

static void blanks_are_allowed_as_json_has_them(void **state)
{
	union control_body body;
	enum control_type type;

	(void)state;
	assert_int_equal(read_line(" { \"type\" : \"hello\" , \"version\" : 1 } \r", &type, &body), 0);
	assert_int_equal(type, CONTROL_HELLO);
	assert_int_equal(body.hello.version, 1);
	assert_int_equal(read_line("{\"type\":\"stop\"}", &type, &body), 0);
	assert_int_equal(type, CONTROL_STOP);
}

static void what_is_no_message_is_refused_and_changes_nothing(void **state)
{
	static const char *const lines[] = {
		"", " ", "{", "}", "{}", "null", "[]", "GET / HTTP/1.1", "{\"type\"}", "{\"type\":}",
		"{\"type\":\"go\"", "{\"type\":\"go\"}x", "{\"type\":\"go\"}{}", "{\"type\":\"going\"}",
		"{\"type\":\"go\",}", "{\"type\":\"go\",\"x\":1}", "{\"version\":1,\"type\":\"hello\"}",
		"{\"type\":\"hello\",\"version\":-1}", "{\"type\":\"hello\",\"version\":1.5}",
		"{\"type\":\"hello\",\"version\":01}", "{\"type\":\"hello\",\"version\":1e3}",
		"{\"type\":\"hello\",\"version\":\"1\"}", "{\"type\":\"hello\",\"version\":}",
		"{\"type\":\"hello\",\"version\":99999999999999999999}",
		"{\"type\":\"hello\",\"version\":18446744073709551617}",	/* 2^64 + 1 */
		"{\"type\":\"hello\",\"version\":1,\"version\":1}", "{\"type\":\"hello\",\"tool\":1}",
		"{\"type\":\"hello\",\"tool\":\"\\u0041\"}", "{\"type\":\"hello\",\"tool\":\"a",
		"{\"type\":\"hello\",\"tool\":\"a\\", "{\"type\":\"hello\",\"tool\":\"\x01\"}",
		"{\"type\":\"hello\",\"tool\":\"0123456789012345678901234567890123456789\"}",
		"{\"type\":\"test\",\"kind\":\"rrr\"}", "{\"type\":\"test\",\"streams\":257}",
		"{\"type\":\"test\",\"streams\":[1]}", "{\"type\":\"test\",\"streams\":{}}",
	};
	union control_body body, before;
	enum control_type type = CONTROL_CONN;
	size_t i;

	(void)state;
	memset(&before, 0x5a, sizeof(before));
	body = before;
	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		assert_int_equal(read_line(lines[i], &type, &body), -EINVAL);
		assert_int_equal(type, CONTROL_CONN);
		assert_memory_equal(&body, &before, sizeof(body));
	}
}

static void a_test_without_meaning_is_refused(void **state)
{
	static const struct control_test good = {
		.streams = 1, .duration_ns = 1, .message_bytes = 1,
	};
	struct control_test test = good;
	struct err e;

	(void)state;
	assert_int_equal(control_check_test(&test, &e), 0);
	test.streams = 0;
	assert_int_equal(control_check_test(&test, &e), -EINVAL);
	test = good;
	test.message_bytes = 0;
	assert_int_equal(control_check_test(&test, &e), -EINVAL);
	test = good;
	test.protocol = CONTROL_UDP;
	assert_int_equal(control_check_test(&test, &e), -EINVAL);	/* no room for the tag */
	test.message_bytes = 18;
	assert_int_equal(control_check_test(&test, &e), 0);
	test.kind = CONTROL_CRR;
	assert_int_equal(control_check_test(&test, &e), -EINVAL);
	test = good;
	test.kind = CONTROL_RR;
	test.request_bytes = test.response_bytes = test.outstanding = 1;
	assert_int_equal(control_check_test(&test, &e), 0);
	test.direction = CONTROL_BACK;
	assert_int_equal(control_check_test(&test, &e), -EINVAL);
}

static void a_range_of_ports_is_two_numbers_of_which_the_first_is_1024_or_more(void **state)
{
	static const char *const bad[] = {
		"", "14881", "14881-", "-14881", "14882-14881", "14881-70000", "1023-2000", "0-1", "2000-3000x",
	};
	struct control_range range = { 1, 1 };
	struct err e;

	(void)state;
	assert_int_equal(control_parse_range(NULL, &range, &e), 0);
	assert_int_equal(range.first | range.last, 0);
	assert_int_equal(control_parse_range("1024-65535", &range, &e), 0);
	assert_int_equal(range.first, 1024);
	assert_int_equal(range.last, 65535);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(control_parse_range(bad[i], &range, &e), -EINVAL);
}

static void a_server_takes_ports_that_a_client_finds_near(void **state)
{
	struct control_range given = { 0 }, range;
	unsigned int port;
	struct err e;

	(void)state;
	for (port = 1; port <= 65535; port++) {
		range = control_range_of((uint16_t)port);
		assert_int_equal(range.last - range.first + 1, CONTROL_DATA_PORTS);
		assert_true(range.first >= CONTROL_MIN_PORT);
		assert_true(range.first > port || range.last < port);
		assert_int_equal(control_check_port(range.first, (uint16_t)port, &given, &e), 0);
		assert_int_equal(control_check_port(range.last, (uint16_t)port, &given, &e), 0);
	}
	assert_int_equal(control_check_port(1023, 1000, &given, &e), -EPROTO);
	assert_int_equal(control_check_port(14880 + 8192, 14880, &given, &e), 0);
	assert_int_equal(control_check_port(14880 + 8193, 14880, &given, &e), -EPROTO);
	assert_int_equal(control_check_port(14880 - 8193, 14880, &given, &e), -EPROTO);
	given = (struct control_range){ 30001, 30009 };
	assert_int_equal(control_check_port(30001, 14880, &given, &e), 0);
	assert_int_equal(control_check_port(30009, 14880, &given, &e), 0);
	assert_int_equal(control_check_port(30000, 14880, &given, &e), -EPROTO);
	assert_int_equal(control_check_port(30010, 14880, &given, &e), -EPROTO);
	assert_int_equal(control_check_port(14881, 14880, &given, &e), -EPROTO);
}

static void ports_are_found_by_their_place(void **state)
{
	(void)state;
	assert_int_equal(control_port("40001,40003,5", 0), 40001);
	assert_int_equal(control_port("40001,40003,5", 1), 40003);
	assert_int_equal(control_port("40001,40003,5", 2), 5);
	assert_int_equal(control_port("40001,40003,5", 3), 0);
	assert_int_equal(control_port("40001x", 0), 0);
	assert_int_equal(control_port("70000", 0), 0);
	assert_int_equal(control_port("", 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_reads_back),
		cmocka_unit_test(arrivals_read_back_until_there_is_no_room),
		cmocka_unit_test(a_text_may_hold_quotes_and_loses_what_is_not_ascii),
		cmocka_unit_test(a_line_that_does_not_fit_is_reported),
		cmocka_unit_test(blanks_are_allowed_as_json_has_them),
		cmocka_unit_test(what_is_no_message_is_refused_and_changes_nothing),
		cmocka_unit_test(a_test_without_meaning_is_refused),
		cmocka_unit_test(a_range_of_ports_is_two_numbers_of_which_the_first_is_1024_or_more),
		cmocka_unit_test(a_server_takes_ports_that_a_client_finds_near),
		cmocka_unit_test(ports_are_found_by_their_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
