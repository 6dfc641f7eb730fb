// SPDX-License-Identifier: GPL-2.0-or-later
/* What another run wrote: a sink's lines of intervals, and its document. */
#include "check.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "lib/hist.h"
#include "result/outcome.h"
#include "result/tree.h"

#define TOOL "{\"format\":1,\"tool\":\"ethgauge " TOOL_VERSION "\",\"command\":\"sink\""

static void interval_is_distinguished_from_a_document(void **state)
{
	struct outcome_row row = { 7, 7, 7, 7 };

	(void)state;
	assert_true(outcome_interval("{\"type\":\"interval\",\"elapsed_ns\":100071113,\"received_packets\":1009}",
				     &row));
	assert_int_equal(row.elapsed_ns, 100071113);
	assert_int_equal(row.received_packets, 1009);
	assert_int_equal(row.distinct_packets, 0);
	assert_int_equal(row.duplicate_packets, 0);
	assert_true(outcome_interval("{\"type\":\"interval\",\"elapsed_ns\":100071113,"
				     "\"received_packets\":1009,\"distinct_packets\":797,\"duplicate_packets\":211}",
				     &row));
	assert_int_equal(row.distinct_packets, 797);
	assert_int_equal(row.duplicate_packets, 211);
	assert_false(outcome_interval(TOOL "}", &row));
	assert_false(outcome_interval("{\"type\":\"interval\",\"elapsed_ns\":\"x\",\"received_packets\":1}",
				      &row));
	assert_true(outcome_interval("{\"type\":\"interval\",\"elapsed_ns\":-1,\"received_packets\":-1}", &row));
	assert_int_equal(row.elapsed_ns, 0);
	assert_int_equal(row.received_packets, 0);
	row.distinct_packets = 797;
	assert_false(outcome_interval("Welcome", &row));
	assert_false(outcome_interval("", &row));
	assert_int_equal(row.distinct_packets, 797);
}

static double figure(const struct result *res, const char *key)
{
	json_t *value = json_object_get(json_object_get(result_tree(res), "metrics"), key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

/* Of packets and times: what fits no integer is no figure. */
static void a_figure_that_is_too_large_is_none(void **state)
{
	static const char doc[] = TOOL ",\"environment\":{\"driver\":\"veth\"},\"metrics\":{"
		"\"distinct_packets\":1009,\"received_packets\":1e300,\"bad_checksum_packets\":-1e19,\"lost_runs\":-7}}";
	struct result *res = result_new("bench");
	struct outcome outcome;
	struct err e;

	(void)state;
	assert_int_equal(outcome_take(doc, false, res, &outcome, &e), 0);
	assert_true(outcome.distinct_packets == 1009);
	assert_false(fabs(outcome.bad_checksum_packets) > 0);
	assert_true(outcome.lost_runs == 0);
	assert_false(outcome.received_packets > 1e18);
	result_free(res);
}

static void figures_are_taken_and_delays_if_they_are_right(void **state)
{
	static const char doc[] = TOOL ",\"environment\":{\"driver\":\"veth\",\"mtu\":1500},\"notes\":[\"n\"],"
		"\"metrics\":{\"distinct_packets\":1009,\"received_packets\":1020,\"bad_checksum_packets\":11,\"lost_ratio\":0.25,\"delay_min_ns\":264,"
		"\"pdv_mean_ns\":1.5,\"no_such_figure\":1,\"foreign_packets\":\"x\"}}";
	struct result *res = result_new("bench");
	struct outcome outcome;
	struct err e;

	(void)state;
	assert_int_equal(outcome_take(doc, false, res, &outcome, &e), 0);
	assert_true(outcome.distinct_packets == 1009);
	assert_true(outcome.received_packets == 1020);
	assert_true(outcome.bad_checksum_packets == 11);
	assert_true(isnan(outcome.delay.ns[DIST_MIN]));
	assert_true(figure(res, "distinct_packets") == 1009);
	assert_true(figure(res, "lost_ratio") == 0.25);
	assert_true(isnan(figure(res, "delay_min_ns")));
	assert_true(isnan(figure(res, "pdv_mean_ns")));
	assert_true(isnan(figure(res, "foreign_packets")));
	assert_int_equal(outcome_take(doc, true, res, &outcome, &e), 0);
	assert_true(figure(res, "delay_min_ns") == 264);
	assert_true(figure(res, "pdv_mean_ns") == 1.5);
	assert_true(outcome.delay.ns[DIST_MIN] == 264);
	assert_true(isnan(outcome.delay.ns[DIST_MAX]));
	result_free(res);
}

/* Of 1 to 500 ns, in the buckets of 1 to 63 ns and then of all others: too few for 99.9. */
static void a_percentile_that_is_not_reported_is_in_the_histogram(void **state)
{
	struct result *res = result_new("bench");
	static char doc[1 << 15];
	struct hist_rec hist = { 0 };
	struct outcome outcome;
	uint64_t ns;
	size_t len;
	struct err e;
	uint32_t i;

	(void)state;
	for (ns = 1; ns <= 500; ns++)
		hist_add(&hist, ns);
	len = (size_t)snprintf(doc, sizeof(doc), TOOL ",\"metrics\":{\"delay_packets\":500,\"delay_min_ns\":1,"
			       "\"delay_p90_ns\":7,\"delay_p99_9_ns\":null,\"delay_max_ns\":500,"
			       "\"pdv_p99_9_ns\":null,\"pdv_max_ns\":499},\"histograms\":{"
			       "\"pdv_ns\":{\"negative\":0,\"above\":0,\"buckets\":[[0,1],[448,499]]},"
			       "\"delay_ns\":{\"negative\":0,\"above\":0,\"buckets\":[[0,0]");
	for (i = 0; i < HIST_BUCKETS; i++) {
		if (hist.buckets[i])
			len += (size_t)snprintf(doc + len, sizeof(doc) - len, ",[%llu,%llu]",
						(unsigned long long)hist_lower_ns(i),
						(unsigned long long)hist.buckets[i]);
	}
	snprintf(doc + len, sizeof(doc) - len, "]}}}");
	assert_int_equal(outcome_take(doc, true, res, &outcome, &e), 0);
	assert_true(outcome.delay.ns[DIST_P99_9] == (double)hist_percentile_ns(&hist, 0.999));
	assert_true(outcome.pdv.ns[DIST_P99_9] == 450);
	assert_true(outcome.pdv.ns[DIST_MAX] == 499 && isnan(outcome.pdv.ns[DIST_MIN]));
	/* What is reported is taken, and what is neither stays unknown. */
	assert_true(outcome.delay.ns[DIST_P90] == 7);
	assert_true(isnan(outcome.delay.ns[DIST_P99]));
	assert_true(json_is_null(json_object_get(json_object_get(result_tree(res), "metrics"),
						 "delay_p99_9_ns")));
	assert_int_equal(outcome_take(doc, false, res, &outcome, &e), 0);
	assert_true(isnan(outcome.delay.ns[DIST_P99_9]));
	assert_true(isnan(outcome.pdv.ns[DIST_P99_9]));
	result_free(res);
}

static void check_refused(const char *doc, int no, const char *words)
{
	struct result *res = result_new("bench");
	struct outcome outcome;
	struct err e = { 0 };

	assert_int_equal(outcome_take(doc, true, res, &outcome, &e), no);
	assert_non_null(strstr(e.msg, words));
	result_free(res);
}

static void what_is_no_result_of_this_version_is_refused(void **state)
{
	(void)state;
	check_refused("", -EBADMSG, "cannot read");
	check_refused("Welcome to host2", -EBADMSG, "cannot read");
	check_refused("[]", -EBADMSG, "cannot read");
	check_refused("{\"format\":1,\"tool\":\"ethgauge " TOOL_VERSION "\",\"command\":\"blast\"}", -EBADMSG,
		      "cannot read");
	check_refused("{\"format\":1,\"tool\":\"ethgauge 0.0.9\",\"command\":\"sink\"}", -EPROTO,
		      "the receiver is ethgauge 0.0.9");
	check_refused("{\"format\":2,\"tool\":\"ethgauge " TOOL_VERSION "\",\"command\":\"sink\"}", -EPROTO,
		      "the receiver is ethgauge");
	check_refused(TOOL ",\"errors\":[{\"what\":\"no interface\"}]}", -EIO, "no interface");
	/* An error, though it is not said which. */
	check_refused(TOOL ",\"errors\":[{\"what\":7}]}", -EIO, "the receiver failed");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(interval_is_distinguished_from_a_document),
		cmocka_unit_test(a_figure_that_is_too_large_is_none),
		cmocka_unit_test(figures_are_taken_and_delays_if_they_are_right),
		cmocka_unit_test(a_percentile_that_is_not_reported_is_in_the_histogram),
		cmocka_unit_test(what_is_no_result_of_this_version_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
