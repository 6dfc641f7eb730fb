// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "lib/hist.h"
#include "result/metrics.h"
#include "result/result_dist.h"
#include "result/tree.h"

#include "check.h"

static double figure(const struct result *res, const char *section, const char *key)
{
	json_t *value = json_object_get(json_object_get(result_tree(res), section), key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

/* 1 to @nr ns, and each time once: up to 63 ns a bucket is 1 ns wide, then up to a 64th of the time. */
static struct hist_rec up_to(uint64_t nr)
{
	struct hist_rec hist = { 0 };
	uint64_t ns;

	for (ns = 1; ns <= nr; ns++)
		hist_add(&hist, ns);
	return hist;
}

static struct hist_rec thousand(void)
{
	return up_to(1000);
}

static void a_distribution_has_every_statistic_of_its_family(void **state)
{
	struct result *res = result_new("probe");
	struct hist_rec hist = thousand();
	json_t *metrics;

	(void)state;
	result_hist(res, "delay", &hist);
	metrics = json_object_get(result_tree(res), "metrics");
	assert_int_equal(json_object_size(metrics), DIST_NR + 1);
	assert_true(figure(res, "metrics", "delay_packets") == 1000);
	assert_true(figure(res, "metrics", "delay_min_ns") == 1);
	assert_true(figure(res, "metrics", "delay_mean_ns") == 500.5);
	assert_true(fabs(figure(res, "metrics", "delay_p50_ns") - 500) <= 4);
	assert_true(fabs(figure(res, "metrics", "delay_p99_ns") - 990) <= 8);
	assert_true(figure(res, "metrics", "delay_max_ns") == 1000);
	/* Of 1 to n it is the root of (n^2 - 1) / 12. */
	assert_true(fabs(figure(res, "metrics", "delay_stddev_ns") - sqrt(999999 / 12.0)) < 1e-9);
	assert_non_null(json_object_get(json_object_get(result_tree(res), "histograms"), "delay_ns"));
	result_free(res);
}

static void an_empty_one_is_a_count_alone(void **state)
{
	static const struct hist_rec none;
	struct result *res = result_new("probe");

	(void)state;
	result_hist(res, "delay", &none);
	assert_true(figure(res, "metrics", "delay_packets") == 0);
	assert_int_equal(json_object_size(json_object_get(result_tree(res), "metrics")), 1);
	assert_null(json_object_get(result_tree(res), "histograms"));
	result_free(res);
}

/* PDV has no minimum, which is 0 by its definition, and IPDV has a sign. */
static void a_family_is_without_what_it_does_not_have(void **state)
{
	const struct dist ipdv = { .count = 2, .ns = { [DIST_MIN] = -7, [DIST_MEAN] = 0.5, [DIST_MAX] = 8 } };
	struct result *res = result_new("sink");
	struct hist_rec hist = thousand();

	(void)state;
	result_pdv(res, "", &hist);
	assert_true(isnan(figure(res, "metrics", "pdv_min_ns")));
	assert_true(figure(res, "metrics", "pdv_mean_ns") == 500.5);
	assert_true(figure(res, "metrics", "pdv_max_ns") == 1000);
	result_pdv(res, "rtt_", &hist);
	assert_true(figure(res, "metrics", "rtt_pdv_max_ns") == 1000);
	result_dist(res, "ipdv", &ipdv);
	assert_true(figure(res, "metrics", "ipdv_count") == 2);
	assert_true(figure(res, "metrics", "ipdv_min_ns") == -7);
	assert_true(isnan(figure(res, "metrics", "ipdv_p50_ns")));
	result_free(res);
}

static void a_statistic_that_is_not_known_is_left_out(void **state)
{
	struct result *res = result_new("blast");
	struct hist_rec hist = thousand();
	struct dist late;

	(void)state;
	dist_of_hist(&late, &hist);
	late.ns[DIST_MEAN] = NAN;
	result_self_dist(res, "pacing_late", &late);
	assert_null(json_object_get(json_object_get(result_tree(res), "self"), "pacing_late_mean_ns"));
	assert_true(figure(res, "self", "pacing_late_max_ns") == 1000);
	result_free(res);
}

/* n (1 - q) >= 10, to the value; null, and not left out, so that a reader sees why. */
static void a_percentile_requires_ten_values_beyond_it(void **state)
{
	static const struct {
		enum dist_stat stat;
		uint64_t least;
	} cases[] = { { DIST_P50, 20 }, { DIST_P90, 100 }, { DIST_P99, 1000 }, { DIST_P99_9, 10000 },
		      { DIST_P99_99, 100000 } };
	uint64_t nr;
	size_t i;

	(void)state;
	for (i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		const char *key = metric_of("delay", cases[i / 2].stat)->key;
		struct result *res = result_new("probe");
		struct hist_rec hist;
		json_t *value, *row;

		nr = cases[i / 2].least - i % 2;
		hist = up_to(nr);
		result_hist(res, "delay", &hist);
		value = json_object_get(json_object_get(result_tree(res), "metrics"), key);
		assert_true(i % 2 ? json_is_null(value) : json_is_number(value));
		assert_true(figure(res, "metrics", "delay_max_ns") == (double)nr);
		result_row_open(res, 1);
		result_row_hist(res, "delay", &hist);
		result_row_close(res);
		row = json_array_get(json_object_get(result_tree(res), "series"), 0);
		assert_true(!!json_object_get(row, key) == (!(i % 2) && cases[i / 2].stat != DIST_P99_99));
		assert_non_null(json_object_get(row, "delay_max_ns"));
		result_free(res);
	}
}

/* An interval has too few values for what is rarer than one in a thousand. */
static void a_row_has_no_percentile_beyond_99_9(void **state)
{
	struct result *res = result_new("sink");
	struct hist_rec hist = up_to(100000);
	json_t *row;

	(void)state;
	result_row_open(res, 1);
	result_row_hist(res, "rtt", &hist);
	result_row_close(res);
	row = json_array_get(json_object_get(result_tree(res), "series"), 0);
	assert_non_null(json_object_get(row, "rtt_p99_9_ns"));
	assert_non_null(json_object_get(row, "rtt_max_ns"));
	assert_null(json_object_get(row, "rtt_p99_99_ns"));
	assert_null(json_object_get(row, "rtt_stddev_ns"));
	assert_null(json_object_get(row, "rtt_packets"));
	result_free(res);
}

/* The faces find the others of a family by it, and not by a key's ending. */
static void a_key_that_ends_in_a_statistic_names_it(void **state)
{
	static const char *const words[DIST_NR] = {
#define WORD(id, share, word, ...) [DIST_##id] = word,
		DIST_STATS(WORD)
	};
	const struct metric *metric;
	enum dist_stat stat;
	char key[64], end[32];
	size_t i, len;

	(void)state;
	for (i = 0; (metric = metric_at(i)); i++) {
		for (stat = 0; stat < DIST_NR; stat++) {
			len = (size_t)snprintf(end, sizeof(end), "_%s_ns", words[stat]);
			if (strlen(metric->key) <= len || strcmp(metric->key + strlen(metric->key) - len, end))
				continue;
			if (!metric->family || metric->stat != stat)
				fail_msg("'%s' is no statistic of a family", metric->key);
		}
		if (!metric->family)
			continue;
		assert_ptr_equal(metric_of(metric->family, metric->stat), metric);
		if (metric->stat == DIST_COUNT)
			continue;
		snprintf(key, sizeof(key), "%s_%s_ns", metric->family, words[metric->stat]);
		assert_string_equal(metric->key, key);
	}
}

/* By hand: |D| is 16, 32, 0 ns; of the other stream 160. */
static void jitter_is_smoothed_by_a_16th(void **state)
{
	static const int64_t delays_ns[] = { 1000, 1016, 984, 984 };
	struct result *res = result_new("ping");
	struct jitter jitter = { 0 }, other = { 0 };
	struct jitter_sum sum = { 0 };
	size_t i;

	(void)state;
	result_jitter(res, "rtt_", &sum);
	assert_true(isnan(figure(res, "metrics", "rtt_jitter_rfc3550_ns")));
	for (i = 0; i < ARRAY_SIZE(delays_ns); i++)
		jitter_add(&jitter, delays_ns[i]);
	assert_int_equal(jitter.timed, 4);
	assert_true(fabs(jitter.ns - (1 + (32 - 1) / 16.0) * 15 / 16) < 1e-9);
	jitter_sum_add(&sum, jitter.ns);
	result_jitter(res, "rtt_", &sum);
	assert_true(figure(res, "metrics", "rtt_jitter_rfc3550_ns") == jitter.ns);
	assert_true(isnan(figure(res, "metrics", "rtt_jitter_rfc3550_max_ns")));
	jitter_add(&other, 0);
	jitter_add(&other, -160);
	jitter_sum_add(&sum, other.ns);
	result_jitter(res, "", &sum);
	assert_true(figure(res, "metrics", "jitter_rfc3550_ns") == (jitter.ns + 10) / 2);
	assert_true(figure(res, "metrics", "jitter_rfc3550_max_ns") == 10);
	result_free(res);
}

static void a_family_is_one_row_of_the_dictionary(void **state)
{
	static const struct {
		const char *key, *label, *what;
		bool brief;
		enum metric_row row;
	} cases[] = {
		{ "delay_min_ns", "delay min", "smallest one-way delay, exact; of an interval to its bucket", true,
		  METRIC_ROW_LEFT_OUT },
		{ "delay_p99_ns", "delay p99", "99th percentile of one-way delay", false, METRIC_ROW_SHOWN },
		{ "delay_mean_ns", "delay mean", "mean one-way delay, exact", false, METRIC_ROW_LEFT_OUT },
		{ "pacing_late_mean_ns", "pacing late, mean",
		  "mean time by which packets were sent after their slot, exact", false, METRIC_ROW_LEFT_OUT },
		{ "ipdv_max_ns", "ipdv max", "largest D(i) - D(i-1), with its sign, exact", false, METRIC_ROW_LEFT_OUT },
	};
	const struct metric *metric;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		metric = metric_find(cases[i].key);
		assert_non_null(metric);
		assert_string_equal(metric->label, cases[i].label);
		assert_string_equal(metric->what, cases[i].what);
		assert_int_equal(metric->brief, cases[i].brief);
		assert_int_equal(metric->row, cases[i].row);
	}
	/* No row hides another. */
	for (i = 0; (metric = metric_at(i)); i++) {
		assert_ptr_equal(metric_find(metric->key), metric);
		assert_true(metric->label[0] && metric->what[0]);
	}
	assert_true(i > 600);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_distribution_has_every_statistic_of_its_family),
		cmocka_unit_test(an_empty_one_is_a_count_alone),
		cmocka_unit_test(a_family_is_without_what_it_does_not_have),
		cmocka_unit_test(a_statistic_that_is_not_known_is_left_out),
		cmocka_unit_test(a_percentile_requires_ten_values_beyond_it),
		cmocka_unit_test(a_row_has_no_percentile_beyond_99_9),
		cmocka_unit_test(jitter_is_smoothed_by_a_16th),
		cmocka_unit_test(a_key_that_ends_in_a_statistic_names_it),
		cmocka_unit_test(a_family_is_one_row_of_the_dictionary),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
