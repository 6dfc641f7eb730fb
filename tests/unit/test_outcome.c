// SPDX-License-Identifier: GPL-2.0-or-later
/* What another run wrote: a sink's lines of intervals, and its document. */
#include "check.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include <jansson.h>

#include "result/outcome.h"
#include "result/tree.h"

#define TOOL "{\"format\":1,\"tool\":\"ethgauge " TOOL_VERSION "\",\"command\":\"sink\""

static void interval_is_distinguished_from_a_document(void **state)
{
	uint64_t elapsed_ns = 7, packets = 7;

	(void)state;
	assert_true(outcome_interval("{\"type\":\"interval\",\"elapsed_ns\":100071113,\"received_packets\":1009}",
				     &elapsed_ns, &packets));
	assert_int_equal(elapsed_ns, 100071113);
	assert_int_equal(packets, 1009);
	assert_false(outcome_interval(TOOL "}", &elapsed_ns, &packets));
	assert_false(outcome_interval("{\"type\":\"interval\",\"elapsed_ns\":\"x\",\"received_packets\":1}",
				      &elapsed_ns, &packets));
	assert_false(outcome_interval("Welcome", &elapsed_ns, &packets));
	assert_false(outcome_interval("", &elapsed_ns, &packets));
	assert_int_equal(packets, 1009);
}

static double figure(const struct result *res, const char *key)
{
	json_t *value = json_object_get(json_object_get(result_tree(res), "metrics"), key);

	return json_is_number(value) ? json_number_value(value) : NAN;
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
		cmocka_unit_test(figures_are_taken_and_delays_if_they_are_right),
		cmocka_unit_test(what_is_no_result_of_this_version_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
