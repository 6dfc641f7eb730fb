// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jansson.h>

#include "faces/text.h"
#include "result/json.h"
#include "result/metrics.h"
#include "result/result.h"

#include "check.h"

static struct result *sample(void)
{
	struct result *res = result_new("probe"), *part;
	struct err e = { 0 };

	result_config_str(res, "INTERFACE", "eth0");
	result_config_u64(res, "port", 9);
	result_supplied(res, "port", "9");
	result_env_str(res, "driver", "veth");
	result_env_u64(res, "cpus", 2);
	result_metric_u64(res, "sent_packets", 1000003);
	result_metric_real(res, "lost_ratio", 0.25);
	result_metric_u64(res, "rtt_min_ns", 700);
	result_metric_u64(res, "rtt_p50_ns", 1234);
	result_self_u64(res, "snapshot_skew_ns", 25);
	result_hist_open(res, "rtt_ns", 1, 2);
	result_hist_bucket(res, "rtt_ns", 1216, 7);
	result_hist_bucket(res, "rtt_ns", 1232, 3);
	result_feature(res, "XDP", "xdp-native", "present", NULL, "slower", NULL, false);
	result_feature(res, "XDP", "tcx", "absent", "tried", "no tcx", "a newer kernel", false);
	result_feature(res, NULL, "cpus", NULL, "2", NULL, NULL, false);
	result_verdict(res, true, "sent %d = received %d", 7, 7);
	result_note(res, "a note");
	result_line(res, "a line");
	part = result_part(res, PART_OTHER, "stream 3");
	result_metric_u64(part, "lost_packets", 5);
	result_verdict(part, false, "loss 5 of 7");
	err_set(&e, -EIO, "cannot read");
	err_hint(&e, "try again");
	result_error(res, &e);
	return res;
}

static char *document(const struct result *res, int compact)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(json_document(out, res, compact), 0);
	fclose(out);
	return text;
}

static json_t *read_back(const struct result *res)
{
	json_error_t error;
	char *text = document(res, 0);
	json_t *doc = json_loads(text, JSON_REJECT_DUPLICATES, &error);

	if (!doc)
		fail_msg("%s in: %s", error.text, text);
	free(text);
	return doc;
}

static char *page(const struct result *res)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	text_result(out, res, true);
	fclose(out);
	return text;
}

static void the_document_reads_back_as_it_was_filled(void **state)
{
	struct result *res = sample();
	json_t *doc = read_back(res);
	const char *command, *iface, *supplied, *driver, *feature, *verdict, *part, *error, *hint;
	json_int_t format, port, cpus, sent, clock_ns, negative, above, low, count, lost;
	double ratio;
	int pass, part_pass;

	(void)state;
	assert_int_equal(json_unpack(doc, "{s:I s:s s:{s:s s:I} s:{s:s} s:{s:s s:I}"
					  " s:{s:I s:F} s:{s:I} s:{s:{s:I s:I s:[[II] *]}}}",
				     "format", &format, "command", &command,
				     "config", "INTERFACE", &iface, "port", &port,
				     "supplied", "port", &supplied,
				     "environment", "driver", &driver, "cpus", &cpus,
				     "metrics", "sent_packets", &sent, "lost_ratio", &ratio,
				     "self", "snapshot_skew_ns", &clock_ns,
				     "histograms", "rtt_ns", "negative", &negative,
				     "above", &above, "buckets", &low, &count), 0);
	assert_int_equal(json_unpack(doc, "{s:[{s:s} *] s:[{s:b s:s}] s:[{s:s s:{s:I} s:[{s:b}]}]"
					  " s:[{s:s s:s}]}",
				     "features", "name", &feature,
				     "verdicts", "pass", &pass, "what", &verdict,
				     "parts", "name", &part, "metrics", "lost_packets", &lost,
				     "verdicts", "pass", &part_pass,
				     "errors", "what", &error, "hint", &hint), 0);
	assert_int_equal(format, RESULT_FORMAT);
	assert_string_equal(command, "probe");
	assert_string_equal(iface, "eth0");
	assert_int_equal(port, 9);
	assert_string_equal(supplied, "9");
	assert_int_equal(sent, 1000003);
	assert_true(ratio == 0.25);
	assert_int_equal(clock_ns, 25);
	assert_int_equal(negative, 1);
	assert_int_equal(above, 2);
	assert_int_equal(low, 1216);
	assert_int_equal(count, 7);
	assert_string_equal(verdict, "sent 7 = received 7");
	assert_true(pass);
	assert_string_equal(part, "stream 3");
	assert_int_equal(lost, 5);
	assert_false(part_pass);
	assert_string_equal(error, "cannot read: Input/output error");
	assert_string_equal(hint, "try again");
	json_decref(doc);
	result_free(res);
}

static void a_compact_document_is_one_line(void **state)
{
	struct result *res = sample();
	char *text = document(res, 1);

	(void)state;
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
	free(text);
	result_free(res);
}

static void rates_keep_every_digit(void **state)
{
	struct result *res = result_new("blast");
	json_t *doc;

	(void)state;
	result_metric_real(res, "sent_pps", 14880952.380952381);
	result_metric_u64(res, "sent_packets", INT64_MAX);
	doc = read_back(res);
	assert_true(json_real_value(json_object_get(json_object_get(doc, "metrics"), "sent_pps")) ==
		    14880952.380952381);
	assert_true(json_integer_value(json_object_get(json_object_get(doc, "metrics"),
						       "sent_packets")) == INT64_MAX);
	json_decref(doc);
	result_free(res);
}

/* 0 packets in 0 s must not cost the whole document. */
static void a_figure_that_is_no_number_is_null(void **state)
{
	struct result *res = result_new("blast");
	json_t *doc, *metrics;
	char *text;

	(void)state;
	result_metric_real(res, "sent_pps", NAN);
	result_metric_real(res, "received_pps", INFINITY);
	result_metric_u64(res, "sent_packets", 7);
	doc = read_back(res);
	metrics = json_object_get(doc, "metrics");
	assert_true(json_is_null(json_object_get(metrics, "sent_pps")));
	assert_true(json_is_null(json_object_get(metrics, "received_pps")));
	assert_int_equal(json_integer_value(json_object_get(metrics, "sent_packets")), 7);
	text = page(res);
	assert_null(strstr(text, "0 pps"));
	assert_null(strstr(text, "nan"));
	free(text);
	json_decref(doc);
	result_free(res);
}

/* An argument, a device's name or a file's name may hold any bytes. */
static void bytes_that_are_no_utf8_do_not_cost_the_document(void **state)
{
	struct result *res = result_new("sink");
	struct err e = { 0 };
	char longer[1200];
	json_t *doc;

	(void)state;
	result_config_str(res, "INTERFACE", "e\xff\xfe");
	result_supplied(res, "INTERFACE", "\xc3");
	result_env_str(res, "driver", "dr\xc3\xbc""ber");
	err_set(&e, -ENODEV, "no interface 'e\xff'");
	err_hint(&e, "\xff");
	result_error(res, &e);
	result_feature(res, "g\xff", "f\xff", "absent", "\xff", NULL, "\xff", false);
	/* Cut in the middle of a character. */
	memset(longer, 'x', sizeof(longer));
	strcpy(longer + 1022, "\xc3\xbc");
	result_note(res, "%s", longer);
	doc = read_back(res);
	assert_string_equal(json_string_value(json_object_get(json_object_get(doc, "config"),
							      "INTERFACE")), "e??");
	assert_string_equal(json_string_value(json_object_get(json_object_get(doc, "environment"),
							      "driver")), "dr\xc3\xbc""ber");
	assert_int_equal(json_array_size(json_object_get(doc, "errors")), 1);
	assert_int_equal(json_array_size(json_object_get(doc, "features")), 1);
	assert_int_equal(json_array_size(json_object_get(doc, "notes")), 1);
	json_decref(doc);
	result_free(res);
}

static void text_shows_figures_with_units_and_verdicts(void **state)
{
	struct result *res = sample();
	char *text = page(res);

	(void)state;
	assert_non_null(strstr(text, "1,000,003"));
	assert_non_null(strstr(text, "25 %"));
	assert_non_null(strstr(text, "1.234 us"));
	assert_non_null(strstr(text, "\nPASS  sent 7 = received 7\n"));
	assert_non_null(strstr(text, "\nXDP\n  xdp-native "));
	assert_null(strstr(text, "slower"));	/* it is not lost */
	assert_non_null(strstr(text, "impact: no tcx\n"));
	assert_non_null(strstr(text, "fix: a newer kernel\n"));
	assert_non_null(strstr(text, "\nFAIL  loss 5 of 7\n"));
	assert_non_null(strstr(text, "note: a note\n"));
	assert_non_null(strstr(text, "a line\n"));
	assert_non_null(strstr(text, "stream 3\n"));
	assert_non_null(strstr(text, "port=9"));
	assert_non_null(strstr(text, "driver=veth"));
	assert_non_null(strstr(text, "xdp-native"));
	assert_null(strstr(text, "(null)"));
	free(text);
	result_free(res);
}

/* Of ping and rr: its label is as wide as the column of labels. */
static void a_blank_separates_each_label_from_its_figure(void **state)
{
	struct result *res = result_new("test");
	char *text;

	(void)state;
	result_metric_real(res, "transactions_over_stack", 1.5);
	text = page(res);
	assert_non_null(strstr(text, "  rate relative to stack 1.5\n"));
	free(text);
	result_free(res);
}

/* Keys that share a first figure print in one table; one that comes alone must show too. */
static void percentiles_show_without_their_minimum(void **state)
{
	struct result *res = result_new("probe");
	char *text;

	(void)state;
	result_metric_u64(res, "rtt_p99_ns", 4321);
	text = page(res);
	assert_non_null(strstr(text, "4.321 us"));
	free(text);
	result_free(res);
}

static void a_failed_verdict_of_a_part_fails_the_whole(void **state)
{
	struct result *res = result_new("demo");

	(void)state;
	assert_true(result_passed(res));
	result_verdict(res, true, "one");
	result_verdict(result_part(result_part(res, PART_OTHER, "a"), PART_OTHER, "b"), true, "two");
	assert_true(result_passed(res));
	result_verdict(result_part(result_part(res, PART_OTHER, "a"), PART_OTHER, "b"), false, "three");
	assert_false(result_passed(res));
	result_free(res);
}

static void the_same_name_gives_the_same_part(void **state)
{
	struct result *res = result_new("demo");
	struct result *a = result_part(res, PART_OTHER, "a"), *b = result_part(res, PART_OTHER, "b");

	(void)state;
	assert_ptr_not_equal(a, b);
	assert_ptr_equal(result_part(res, PART_OTHER, "a"), a);
	assert_ptr_equal(result_part(res, PART_OTHER, "b"), b);
	result_free(res);
}

struct rows {
	int n;
	char *text;
	char *json;
};

static void on_row(void *ctx, const struct result *part)
{
	struct rows *rows = ctx;
	size_t size;
	FILE *out;

	rows->n++;
	free(rows->text);
	out = open_memstream(&rows->text, &size);
	text_row(out, part, true);
	fclose(out);
	free(rows->json);
	out = open_memstream(&rows->json, &size);
	assert_int_equal(json_row(out, part), 0);
	fclose(out);
}

static void each_row_is_shown_when_it_closes(void **state)
{
	struct result *res = result_new("sink"), *part;
	struct rows rows = { 0 };
	struct result_watcher watcher = { .on_row = on_row, .ctx = &rows };
	json_t *line;

	(void)state;
	result_watch(res, &watcher);
	part = result_part(res, PART_OTHER, "stream 1");
	result_row_open(part, 1500000000);
	result_row_u64(part, "received_packets", 1009);
	result_row_real(part, "received_pps", 1e6);
	assert_int_equal(rows.n, 0);
	result_row_close(part);
	assert_int_equal(rows.n, 1);
	assert_string_equal(rows.text,
			    "stream 1:     1.5 s  received 1,009  received rate 1 Mpps\n");
	line = json_loads(rows.json, 0, NULL);
	assert_string_equal(json_string_value(json_object_get(line, "type")), "interval");
	assert_string_equal(json_string_value(json_object_get(line, "part")), "stream 1");
	assert_int_equal(json_integer_value(json_object_get(line, "received_packets")), 1009);
	json_decref(line);
	/* A result ended in mid-row still shows the rows before it. */
	result_row_open(part, 2500000000);
	line = read_back(res);
	json_decref(line);
	free(rows.text);
	free(rows.json);
	result_free(res);
}

/* What is 0 most of the time, or too much for a line, is left to JSON. */
static void a_line_of_text_leaves_out_what_json_has(void **state)
{
	struct result *res = result_new("sink");
	struct rows rows = { 0 };
	struct result_watcher watcher = { .on_row = on_row, .ctx = &rows };

	(void)state;
	result_watch(res, &watcher);
	result_row_open(res, 1500000000);
	result_row_u64(res, "lost_packets", 0);
	result_row_u64(res, "duplicate_packets", 0);
	result_row_u64(res, "reordered_packets", 7);
	result_row_u64(res, "delay_p50_ns", 40);
	result_row_u64(res, "delay_p90_ns", 50);
	result_row_close(res);
	assert_string_equal(rows.text, "    1.5 s  lost 0  reordered 7  delay p50 40 ns\n");
	assert_non_null(strstr(rows.json, "\"duplicate_packets\":0"));
	assert_non_null(strstr(rows.json, "\"delay_p90_ns\":50"));
	free(rows.text);
	free(rows.json);
	result_free(res);
}

static void streams_are_a_table_of_the_document(void **state)
{
	struct result *res = result_new("sink");
	json_t *doc, *streams;
	uint32_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		result_stream_open(res, 7 * i);
		result_row_u64(res, "received_packets", 100 + i);
		result_stream_close(res);
	}
	doc = read_back(res);
	streams = json_object_get(doc, "streams");
	assert_int_equal(json_array_size(streams), 3);
	assert_int_equal(json_integer_value(json_object_get(json_array_get(streams, 2), "stream")), 14);
	assert_int_equal(json_integer_value(json_object_get(json_array_get(streams, 2),
							    "received_packets")), 102);
	assert_null(json_object_get(doc, "series"));
	json_decref(doc);
	result_free(res);
}

static void set_metric(struct result *res)
{
	result_metric_u64(res, "no_such_metric", 1);
}

static void set_column(struct result *res)
{
	result_entry_open(res);
	result_entry_u64(res, "no_such_column", 1);
}

static void an_unknown_key_aborts(void **state)
{
	static void (*const setters[])(struct result *res) = { set_metric, set_column };
	int status;
	pid_t child;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(setters); i++) {
		child = fork();
		if (!child) {
			if (!freopen("/dev/null", "w", stderr))
				_exit(98);
			setters[i](result_new("sink"));
			_exit(99);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), SIGABRT);
	}
}

static void a_full_device_is_an_error(void **state)
{
	struct result *res = sample();
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	assert_non_null(full);
	assert_true(json_document(full, res, 0) < 0);
	fclose(full);
	result_free(res);
}

static bool ends_with(const char *text, const char *suffix)
{
	size_t len = strlen(text), tail = strlen(suffix);

	return len > tail && !strcmp(text + len - tail, suffix);
}

static void every_metric_is_well_formed(void **state)
{
	static const char *const suffixes[] = {
		[UNIT_BYTES] = "_bytes", [UNIT_NS] = "_ns", [UNIT_PPS] = "_pps",
		[UNIT_BPS] = "_bps", [UNIT_RATIO] = "_ratio",
	};
	const struct metric *metric;
	size_t i, j;

	(void)state;
	for (i = 0; (metric = metric_at(i)); i++) {
		const char *suffix = metric->unit < ARRAY_SIZE(suffixes) ? suffixes[metric->unit] :
									    NULL;

		if (strspn(metric->key, "abcdefghijklmnopqrstuvwxyz0123456789_") !=
		    strlen(metric->key))
			fail_msg("'%s' is not lower_snake", metric->key);
		if (suffix && !ends_with(metric->key, suffix))
			fail_msg("'%s' does not end in '%s'", metric->key, suffix);
		for (j = 0; j < ARRAY_SIZE(suffixes); j++) {
			/* Cores busy are a ratio to one core. */
			if (j != metric->unit && suffixes[j] && ends_with(metric->key, suffixes[j]) &&
			    metric->unit != UNIT_CPUS)
				fail_msg("'%s' ends in '%s'", metric->key, suffixes[j]);
		}
		if (!metric->label || !*metric->label)
			fail_msg("'%s' has no label", metric->key);
		if (strlen(metric->label) > 22)
			fail_msg("'%s': its label does not fit its column", metric->key);
		if (!metric->what || !*metric->what || ends_with(metric->what, "."))
			fail_msg("'%s' has no sentence without a full stop", metric->key);
		assert_ptr_equal(metric_find(metric->key), metric);	/* unique */
	}
	assert_true(i > 10);
	assert_null(metric_at(i));
	assert_null(metric_find("no_such_metric"));
	assert_null(metric_find(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_document_reads_back_as_it_was_filled),
		cmocka_unit_test(a_compact_document_is_one_line),
		cmocka_unit_test(rates_keep_every_digit),
		cmocka_unit_test(a_figure_that_is_no_number_is_null),
		cmocka_unit_test(bytes_that_are_no_utf8_do_not_cost_the_document),
		cmocka_unit_test(text_shows_figures_with_units_and_verdicts),
		cmocka_unit_test(a_blank_separates_each_label_from_its_figure),
		cmocka_unit_test(percentiles_show_without_their_minimum),
		cmocka_unit_test(a_failed_verdict_of_a_part_fails_the_whole),
		cmocka_unit_test(the_same_name_gives_the_same_part),
		cmocka_unit_test(each_row_is_shown_when_it_closes),
		cmocka_unit_test(a_line_of_text_leaves_out_what_json_has),
		cmocka_unit_test(streams_are_a_table_of_the_document),
		cmocka_unit_test(an_unknown_key_aborts),
		cmocka_unit_test(a_full_device_is_an_error),
		cmocka_unit_test(every_metric_is_well_formed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
