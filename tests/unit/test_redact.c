// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "lib/redact.h"

#include "check.h"

static void message_becomes(const char *text, const char *want)
{
	char buf[512];

	assert_int_equal(redact(buf, sizeof(buf), text), strcmp(text, want) != 0);
	assert_string_equal(buf, want);
}

static void word_becomes(const char *text, const char *want)
{
	char buf[512];

	assert_int_equal(redact_word(buf, sizeof(buf), text), strcmp(text, want) != 0);
	assert_string_equal(buf, want);
}

/* As a word, and as a message of its own. */
static void becomes(const char *text, const char *want)
{
	message_becomes(text, want);
	word_becomes(text, want);
}

static void stays(const char *text)
{
	becomes(text, text);
}

static void hides_passwords_of_urls(void **state)
{
	(void)state;
	becomes("http://u:w0rd@host/", "http://u:***@host/");
	becomes("ftp://user:word@198.18.0.2/up-{client}", "ftp://user:***@198.18.0.2/up-{client}");
	becomes("https://ghp_4321@host", "https://***@host");
	becomes("http://u:a@b@[::1]:80/x", "http://u:***@[::1]:80/x");
	becomes("http://u:a:b@host:80", "http://u:***@host:80");
	message_becomes("loading 'http://u:w0rd@host/' and 'http://v:w1rd@host/'",
		"loading 'http://u:***@host/' and 'http://v:***@host/'");
	/* Not a URL: it is shown all the same, in an error. */
	message_becomes("'http://u:pa/ss@host/x' is wrong", "'http://u:***@host/x' is wrong");
	message_becomes("'http://u:passw", "'http://u:***");
	/* What libcurl takes, too. */
	becomes("http:/u:w0rd@host/", "http:/u:***@host/");
	becomes("http:///u:w0rd@host/", "http:///u:***@host/");
	/* Any character may be in a password. */
	becomes("http://u:it's@host/", "http://u:***@host/");
	becomes("http://u:a?b#c@host/", "http://u:***@host/");
	word_becomes("http://u:a b\"c@host/", "http://u:***@host/");
	message_becomes("'http://u:it's@host/' is wrong", "'http://u:***@host/' is wrong");
	message_becomes("cannot reach 'http://host:80': refused", "cannot reach 'http://host:80': refused");
	becomes("{\"url\":\"http://h:80\",\"n\":1}", "{\"url\":\"http://h:80\",\"n\":1}");
	stays("http://host/");
	stays("http://host:8080/a@b");
	stays("http://[2001:db8::1]:8080/");
	stays("http://[2001:db8::1]/");
	stays("http://host:{client}/");
	stays("http://u:@host/");
	stays("http://@host/");
	stays("http://");
	stays("://");
}

static void hides_parameters(void **state)
{
	(void)state;
	becomes("http://h/?a=1&token=abc&b=2", "http://h/?a=1&token=***&b=2");
	becomes("http://h/?key=abc#top", "http://h/?key=***#top");
	becomes("http://h/x?X-Amz-Signature=0a&n=3", "http://h/x?X-Amz-Signature=***&n=3");
	becomes("http://h/#access_token=abc", "http://h/#access_token=***");
	message_becomes("cannot fetch 'http://h/?Token=abc': refused", "cannot fetch 'http://h/?Token=***': refused");
	becomes("user=a&password=b%20c", "user=a&password=***");
	becomes("{\"user\": \"a\", \"password\": \"b\\\" c\", \"n\": 1}",
		"{\"user\": \"a\", \"password\": \"***\", \"n\": 1}");
	becomes("{\"api_key\":17,\"n\":1}", "{\"api_key\":***,\"n\":1}");
	word_becomes("password=my own; 'word'&n=1", "password=***&n=1");
	becomes("{\"Authorization\": \"x\"}", "{\"Authorization\": \"***\"}");
	stays("http://h/?monkey=abc");
	stays("key=abc");
	stays("--key-file=k --cookies=no");
	stays("http://h/?token=&a=1");
	stays("cannot read the key in '/etc/tokens': No such file");
}

static void hides_headers(void **state)
{
	(void)state;
	becomes("Authorization: Bearer a.b.c", "Authorization: ***");
	becomes("authorization:Basic dTpw", "authorization:***");
	becomes("Cookie: a=1; b=2", "Cookie: ***");
	becomes("X-Api-Key: 17", "X-Api-Key: ***");
	becomes("-HProxy-Authorization: x", "-HProxy-Authorization: ***");
	becomes("--header=X-Auth-Token: x y", "--header=X-Auth-Token: ***");
	message_becomes("load http://h/ --header 'Cookie: a=1' -c 1", "load http://h/ --header 'Cookie: ***' -c 1");
	word_becomes("Cookie: a='1'; b=2", "Cookie: ***");
	message_becomes("'Cookie: a='1'; b=2' is wrong", "'Cookie: ***' is wrong");
	/* What a message says after the text in quotes is not lost. */
	message_becomes("'ip4/secret: it's': expected a layer", "'ip4/secret: ***': expected a layer");
	message_becomes("packet:3: expected a number, not 'a:passw:b'", "packet:3: expected a number, not 'a:passw:***'");
	stays("Accept: text/html");
	stays("Authorization:");
}

static void is_cut_and_terminated(void **state)
{
	char buf[12];

	(void)state;
	assert_true(redact(buf, sizeof(buf), "http://u:w0rd@host/"));
	assert_string_equal(buf, "http://u:**");
	assert_true(redact(buf, 1, "http://u:w0rd@host/"));
	assert_string_equal(buf, "");
	assert_false(redact(buf, sizeof(buf), ""));
	assert_string_equal(buf, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hides_passwords_of_urls),
		cmocka_unit_test(hides_parameters),
		cmocka_unit_test(hides_headers),
		cmocka_unit_test(is_cut_and_terminated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
