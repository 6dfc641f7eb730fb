// SPDX-License-Identifier: GPL-2.0-or-later
/* The answer: few lines of 80 columns for every document, and each figure in its place. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "faces/text_parts.h"
#include "result/part.h"

#include "check.h"

#define GOLDEN	"tests/golden/format-1/"
#define ROWS	24
#define BRIEF	8	/* lines of a verb that measures one thing, without notes */

static char *shown;

/* Takes @tree. */
static const char *show_tree(json_t *tree)
{
	size_t size;
	FILE *out;

	assert_non_null(tree);
	part_adopt(tree);
	free(shown);
	out = open_memstream(&shown, &size);
	text_short(out, tree);
	fclose(out);
	json_decref(tree);
	return shown;
}

static const char *show_file(const char *path)
{
	return show_tree(json_load_file(path, 0, NULL));
}

static const char *show(const char *json)
{
	return show_tree(json_loads(json, 0, NULL));
}

/* @skip: a prefix of lines that do not count, and of those that continue them; or NULL. */
static size_t count_lines(const char *text, const char *skip)
{
	bool skipped = false;
	size_t nr = 0;

	for (; *text; text += strcspn(text, "\n") + 1) {
		skipped = skip && (!strncmp(text, skip, strlen(skip)) || (skipped && *text == ' '));
		nr += !skipped;
	}
	return nr;
}

/* Verdicts of a comparison are for scripts: each on one line. */
static size_t width_of(const char *text, bool is_script)
{
	size_t width = 0, len;

	for (; *text; text += len + 1) {
		len = strcspn(text, "\n");
		if (!is_script || (strncmp(text, "PASS", 4) && strncmp(text, "FAIL", 4)))
			width = len > width ? len : width;
	}
	return width;
}

static void every_document_fits_the_page(void **state)
{
	glob_t files;
	size_t i;

	(void)state;
	assert_int_equal(glob(GOLDEN "*.json", 0, NULL, &files), 0);
	assert_true(files.gl_pathc > 25);
	for (i = 0; i < files.gl_pathc; i++) {
		/* Tables of advice and of steps are as long as they must be. */
		static const char *const long_ones[] = { "doctor", "tune", "calc", "bench", "compare" };
		const char *path = files.gl_pathv[i], *text = show_file(path);
		size_t k, most = ROWS, width = width_of(text, strstr(path, "compare"));

		for (k = 0; k < sizeof(long_ones) / sizeof(long_ones[0]); k++) {
			if (strstr(path, long_ones[k]))
				most = 200;
		}
		if (width > 80 || count_lines(text, NULL) > most)
			fail_msg("%s: %zu lines, %zu columns:\n%s", path, count_lines(text, NULL), width, text);
	}
	globfree(&files);
}

static void a_verb_that_measures_one_thing_needs_eight_lines(void **state)
{
	static const char *const names[] = {
		"ping", "probe", "blast", "sink", "blast-sink", "reflect", "rr", "tcp", "tcp-rr", "udp", "udp-rr", "load",
		"impair", "serve", "demo",
	};
	char path[128];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *text;

		snprintf(path, sizeof(path), GOLDEN "%s.json", names[i]);
		text = show_file(path);
		if (count_lines(text, "note: ") > BRIEF)
			fail_msg("%s:\n%s", path, text);
	}
}

static void the_rows_have_what_was_measured(void **state)
{
	(void)state;
	assert_string_equal(show_file(GOLDEN "ping.json"),
			    "ping      198.18.0.2 by eg0   64-byte frames   AF_XDP engine   957.5 us\n"
			    "sent      503   524.3 kpps   352.3 Mbit/s L1\n"
			    "received  503\n"
			    "lost      0   duplicates 0   reordered 0\n"
			    "rate      524,148/s   503 transactions\n"
			    "round     min 0.97   p50 1.10   p99 2.58   p99.9 32.9   max 32.9 us\n");
}

static void losses_come_with_their_ratio_and_ledger(void **state)
{
	const char *text = show(
		"{\"command\":\"blast\",\"metrics\":{\"sent_packets\":1000,\"not_sent_packets\":7,"
		"\"received_packets\":990,\"lost_packets\":10,\"lost_ratio\":0.01},\"self\":{\"bottleneck\":\"sender cpu\"},"
		"\"parts\":[{\"name\":\"ledger\",\"kind\":\"ledger\",\"metrics\":{\"made_packets\":1000},"
		"\"entries\":[{\"packets\":990,\"reason\":\"received\"},{\"packets\":10,\"reason\":\"QDISC_DROP\"}]}]}");

	(void)state;
	assert_non_null(strstr(text, "sent      1,000   refused 7\n"));
	assert_non_null(strstr(text, "lost      10 (1 %)\n"));
	assert_non_null(strstr(text, "limit     sender cpu\n"));
	assert_non_null(strstr(text, "QDISC_DROP"));
	text = show("{\"command\":\"blast\",\"metrics\":{\"sent_packets\":10,\"lost_packets\":0,\"lost_ratio\":0,"
		    "\"not_sent_packets\":0},\"self\":{\"bottleneck\":\"none\"},"
		    "\"parts\":[{\"name\":\"ledger\",\"kind\":\"ledger\",\"metrics\":{\"made_packets\":10},"
		    "\"entries\":[{\"packets\":10,\"reason\":\"received\"}]}]}");
	assert_string_equal(text, "blast\nsent      10\nlost      0\n");
}

static void times_of_a_row_share_the_unit_of_the_median(void **state)
{
	(void)state;
	assert_non_null(strstr(show("{\"command\":\"probe\",\"metrics\":{\"rtt_min_ns\":900,\"rtt_p50_ns\":1500000,"
				    "\"rtt_p99_ns\":12345678,\"rtt_max_ns\":2000000000}}"),
			       "round     min 0.00   p50 1.50   p99 12.3   max 2,000 ms\n"));
	assert_non_null(strstr(show("{\"command\":\"probe\",\"metrics\":{\"rtt_min_ns\":-12,\"rtt_p50_ns\":999,"
				    "\"rtt_max_ns\":1000}}"),
			       "round     min -12   p50 999   max 1,000 ns\n"));
}

static void of_many_checks_those_that_fail_are_named(void **state)
{
	(void)state;
	assert_non_null(strstr(show("{\"command\":\"x\",\"metrics\":{\"sent_packets\":1},\"verdicts\":["
				    "{\"pass\":true,\"what\":\"a\"},{\"pass\":false,\"what\":\"b\"},{\"pass\":true,\"what\":\"c\"}]}"),
			       "FAIL  b\nPASS  2 of 3 checks\n"));
	assert_non_null(strstr(show("{\"command\":\"x\",\"metrics\":{\"sent_packets\":1},\"verdicts\":["
				    "{\"pass\":true,\"what\":\"a\"},{\"pass\":true,\"what\":\"c\"}]}"),
			       "PASS  a\nPASS  c\n"));
	/* An answer to a script: each of them, as it is. */
	assert_string_equal(show("{\"command\":\"doctor\",\"verdicts\":[{\"pass\":true,\"what\":\"a\"},"
				 "{\"pass\":true,\"what\":\"b\"},{\"pass\":true,\"what\":\"c\"}]}"),
			    "PASS  a\nPASS  b\nPASS  c\n");
}

static void of_an_error_there_is_no_answer(void **state)
{
	(void)state;
	assert_string_equal(show("{\"command\":\"ping\",\"config\":{\"DEST\":\"198.18.0.9\"},"
				 "\"error\":{\"message\":\"no\"},\"metrics\":{}}"), "");
	assert_non_null(strstr(show("{\"command\":\"ping\",\"error\":{\"message\":\"no\"},\"metrics\":{\"sent_packets\":3}}"),
			       "sent      3\n"));
}

static void columns_that_do_not_fit_are_counted(void **state)
{
	const char *text = show("{\"command\":\"lab\",\"entries\":[{\"lab\":\"lab\",\"interface\":"
				"\"a name of more than fifty characters, which fills the page\",\"ip6\":\"2001:2::1/64\","
				"\"mac\":\"02:e9:00:00:00:0a\"}]}");

	(void)state;
	assert_non_null(strstr(text, "(1 more column: -v)\n"));
	assert_null(strstr(text, "02:e9"));
	/* A last column of text is wrapped. */
	text = show("{\"command\":\"sweep\",\"entries\":[{\"study\":\"backlog\",\"what\":\"zero one two three four five six seven "
		    "eight nine ten eleven twelve thirteen\"}]}");
	assert_non_null(strstr(text, "twelve\n         thirteen\n"));
}

static void the_line_of_an_interval_ends_before_column_81(void **state)
{
	json_t *row = json_pack("{s:I, s:I, s:f, s:I, s:I, s:I, s:I}", "elapsed_ns", (json_int_t)1000000000,
				"received_packets", (json_int_t)123456789, "received_pps", 123456789.0,
				"lost_packets", (json_int_t)1234, "reordered_packets", (json_int_t)56789,
				"delay_p50_ns", (json_int_t)1234, "delay_p99_ns", (json_int_t)56789);
	char *line;
	size_t size;
	FILE *out = open_memstream(&line, &size);

	(void)state;
	text_answer_row(out, row, 11);
	fclose(out);
	assert_string_equal(line, "  received 123,456,789  123.5 Mpps  lost 1,234  reordered 56,789");
	free(line);
	json_decref(row);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_document_fits_the_page),
		cmocka_unit_test(a_verb_that_measures_one_thing_needs_eight_lines),
		cmocka_unit_test(the_rows_have_what_was_measured),
		cmocka_unit_test(losses_come_with_their_ratio_and_ledger),
		cmocka_unit_test(times_of_a_row_share_the_unit_of_the_median),
		cmocka_unit_test(of_many_checks_those_that_fail_are_named),
		cmocka_unit_test(of_an_error_there_is_no_answer),
		cmocka_unit_test(columns_that_do_not_fit_are_counted),
		cmocka_unit_test(the_line_of_an_interval_ends_before_column_81),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	free(shown);
	return failed;
}
