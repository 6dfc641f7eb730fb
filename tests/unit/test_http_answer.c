// SPDX-License-Identifier: GPL-2.0-or-later
/* The answer to a GET: where it ends, what it says, and that it may arrive in any parts. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "proto/http_answer.h"

#define OK "HTTP/1.1 200 OK\r\n"

static const struct {
	const char *text;
	enum http_answer_state state;
	unsigned int status;
	bool closes;
	uint64_t body_bytes;
	size_t rest;		/* bytes after the answer */
	const char *location;
} cases[] = {
	{ OK "Content-Length: 5\r\n\r\nhello", HTTP_ANSWER_WHOLE, 200, false, 5, 0, NULL },
	{ OK "content-length:5\r\n\r\nhelloHTTP", HTTP_ANSWER_WHOLE, 200, false, 5, 4, NULL },
	{ OK "Content-Length: \t5 \r\nContent-Length: 5\r\n\r\nhello", HTTP_ANSWER_WHOLE, 200, false, 5, 0, NULL },
	{ OK "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!", HTTP_ANSWER_BAD, 200, false, 0, 8, NULL },
	{ OK "Content-Length: -5\r\n\r\n", HTTP_ANSWER_BAD, 200, false, 0, 2, NULL },
	{ OK "Content-Length:\r\n\r\n", HTTP_ANSWER_BAD, 200, false, 0, 2, NULL },
	{ OK "Content-Length: 99999999999999999999\r\n\r\n", HTTP_ANSWER_BAD, 200, false, 0, 2, NULL },
	{ OK "Content-Lengths: 3\r\nContent-Length: 0\r\n\r\n", HTTP_ANSWER_WHOLE, 200, false, 0, 0, NULL },
	{ OK "Content-Length: 5\r\n\r\nhell", HTTP_ANSWER_BODY, 200, false, 4, 0, NULL },
	{ OK "Content-Length: 5\r\nConnection: x, Close\r\n\r\nhello", HTTP_ANSWER_WHOLE, 200, true, 5, 0, NULL },
	{ "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", HTTP_ANSWER_WHOLE, 200, true, 1, 0, NULL },
	{ "HTTP/1.0 200\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx", HTTP_ANSWER_WHOLE, 200, false, 1, 0,
	  NULL },
	{ "HTTP/1.1 200 OK\nContent-Length: 1\n\nx", HTTP_ANSWER_WHOLE, 200, false, 1, 0, NULL },
	{ OK "\r\nto the end", HTTP_ANSWER_UNTIL_END, 200, true, 10, 0, NULL },
	{ "HTTP/1.1 204 No Content\r\nContent-Length: 9\r\n\r\n", HTTP_ANSWER_WHOLE, 204, false, 0, 0, NULL },
	{ "HTTP/1.1 304 \r\nTransfer-Encoding: chunked\r\n\r\n", HTTP_ANSWER_WHOLE, 304, false, 0, 0, NULL },
	{ "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nContent-Length: 7\r\n\r\n" OK "Content-Length: 1\r\n\r\nx",
	  HTTP_ANSWER_WHOLE, 200, false, 1, 0, NULL },
	{ OK "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n2\r\nab\r\nA;x=y\r\n0123456789\r\n0\r\n\r\nH",
	  HTTP_ANSWER_WHOLE, 200, false, 12, 1, NULL },
	{ OK "Transfer-Encoding: Chunked\r\n\r\n1 \r\na\r\n000\r\nX: y\r\n\r\n", HTTP_ANSWER_WHOLE, 200, false, 1, 0, NULL },
	{ OK "Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", HTTP_ANSWER_BAD, 200, false, 1, 0, NULL },
	{ OK "Transfer-Encoding: chunked\r\n\r\n\r\n", HTTP_ANSWER_BAD, 200, false, 0, 0, NULL },
	{ OK "Transfer-Encoding: chunked\r\n\r\n1x\r\n", HTTP_ANSWER_BAD, 200, false, 0, 0, NULL },
	{ OK "Transfer-Encoding: chunked\r\n\r\n11111111111111111\r\n", HTTP_ANSWER_BAD, 200, false, 0, 0, NULL },
	{ OK "Transfer-Encoding: chunked\r\n\r\n0\r\nX: y\r\n", HTTP_ANSWER_TRAILERS, 200, false, 0, 0, NULL },
	{ OK "Transfer-Encoding: gzip, chunked\r\n\r\n", HTTP_ANSWER_BAD, 200, false, 0, 2, NULL },
	{ "HTTP/1.1 302 Found\r\nLocation: /a\r\nlocation:  http://b/c \r\nContent-Length: 0\r\n\r\n", HTTP_ANSWER_WHOLE, 302,
	  false, 0, 0, "http://b/c" },
	{ "HTTP/2 200\r\n", HTTP_ANSWER_BAD, 0, false, 0, 0, NULL },
	{ "HTTP/1.1 2000 OK\r\n", HTTP_ANSWER_BAD, 0, false, 0, 0, NULL },
	{ "HTTP/1.1 099 OK\r\n", HTTP_ANSWER_BAD, 99, false, 0, 0, NULL },
	{ "HTTP/1.1 20\r\n", HTTP_ANSWER_BAD, 0, false, 0, 0, NULL },
	{ "\r\n", HTTP_ANSWER_BAD, 0, false, 0, 0, NULL },
	{ "HTTP/1.1 200 O", HTTP_ANSWER_STATUS, 0, false, 0, 0, NULL },
};

/* @data in a block of its own, so that a read after its end is seen. */
static size_t take(struct http_answer *answer, const char *data, size_t len)
{
	char *copy = malloc(len + !len);
	size_t used;

	assert_non_null(copy);
	memcpy(copy, data, len);
	used = http_answer_take(answer, copy, len);
	free(copy);
	return used;
}

static void check_case(size_t i, const struct http_answer *answer, size_t used, size_t len)
{
	if (answer->state != cases[i].state || answer->status != cases[i].status || used + cases[i].rest != len ||
	    answer->body_bytes != cases[i].body_bytes)
		fail_msg("case %zu: state %d, status %u, body %d, used %zu of %zu", i, answer->state, answer->status,
			 (int)answer->body_bytes, used, len);
	if (answer->state == HTTP_ANSWER_WHOLE)
		assert_int_equal(answer->closes, cases[i].closes);
	assert_true(!answer->location == !cases[i].location);
	if (answer->location)
		assert_string_equal(answer->location, cases[i].location);
}

/* Parts of every size: byte by byte, and with a first cut at every place. */
static void answers_end_where_they_do_in_parts_of_any_size(void **state)
{
	struct http_answer answer = { 0 };
	size_t i, part, at, len, used;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		len = strlen(cases[i].text);
		for (part = 1; part <= len; part++) {
			for (at = used = 0; at < len; at += part)
				used += take(&answer, cases[i].text + at, part < len - at ? part : len - at);
			check_case(i, &answer, used, len);
			http_answer_reset(&answer);
		}
	}
	http_answer_release(&answer);
}

static void headers_are_counted_with_those_of_interim_answers(void **state)
{
	static const char text[] = "HTTP/1.1 103 Hints\r\n\r\n" OK "Transfer-Encoding: chunked\r\n\r\n0\r\nX: y\r\n\r\n";
	struct http_answer answer = { 0 };

	(void)state;
	take(&answer, text, sizeof(text) - 1);
	assert_int_equal(answer.header_bytes, strstr(text, "0\r\nX") - text);
	http_answer_release(&answer);
}

static void headers_without_end_are_refused(void **state)
{
	static const char *const starts[] = { "", OK "X: ", OK "Transfer-Encoding: chunked\r\n\r\n0\r\nX: ",
					      OK "Transfer-Encoding: chunked\r\n\r\n1;" };
	static char block[1000];
	struct http_answer answer = { 0 };
	size_t i, k;

	(void)state;
	memset(block, 'x', sizeof(block));
	for (i = 0; i < 2 * sizeof(starts) / sizeof(starts[0]); i++) {
		take(&answer, starts[i / 2], strlen(starts[i / 2]));
		block[sizeof(block) - 1] = i % 2 ? '\n' : 'x';	/* one line, or many */
		for (k = 0; k < HTTP_ANSWER_HEADER_MOST / sizeof(block) + 2; k++)
			take(&answer, block, sizeof(block));
		assert_int_equal(answer.state, HTTP_ANSWER_BAD);
		assert_true(answer.line_room <= 2 * HTTP_ANSWER_HEADER_MOST);
		http_answer_reset(&answer);
	}
	http_answer_release(&answer);
}

static void only_a_body_without_length_ends_with_the_connection(void **state)
{
	struct http_answer answer = { 0 };

	(void)state;
	take(&answer, OK "\r\nab", strlen(OK "\r\nab"));
	assert_true(http_answer_end(&answer));
	http_answer_reset(&answer);
	take(&answer, OK "Content-Length: 3\r\n\r\nab", strlen(OK "Content-Length: 3\r\n\r\nab"));
	assert_false(http_answer_end(&answer));
	http_answer_reset(&answer);
	assert_false(http_answer_end(&answer));
	http_answer_release(&answer);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_end_where_they_do_in_parts_of_any_size),
		cmocka_unit_test(headers_are_counted_with_those_of_interim_answers),
		cmocka_unit_test(headers_without_end_are_refused),
		cmocka_unit_test(only_a_body_without_length_ends_with_the_connection),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
