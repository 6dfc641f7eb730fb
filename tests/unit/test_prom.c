// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faces/prom.h"
#include "result/result.h"

#include "check.h"

static char *text_of(const struct result *res)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	prom_result(out, res);
	fclose(out);
	return text;
}

static void entry(struct result *part, const char *by, const char *value, uint64_t packets)
{
	result_entry_open(part);
	result_entry_str(part, "by", by);
	result_entry_str(part, "value", value);
	result_entry_u64(part, "packets", packets);
	result_entry_str(part, "bytes", "");
	result_entry_close(part);
}

static void row(struct result *part, uint64_t elapsed_s, double pps, double burst_bps)
{
	result_row_open(part, elapsed_s * 1000000000);
	result_row_real(part, "seen_pps", pps);
	result_row_real(part, "burst_1ms_l1_bps", burst_bps);
	result_row_close(part);
}

static void has(const char *text, const char *line)
{
	if (!strstr(text, line))
		fail_msg("missing: %s\nin:\n%s", line, text);
}

static struct result *direction(struct result *res, const char *iface, const char *dir)
{
	struct result *part;
	char name[32];

	snprintf(name, sizeof(name), "%s %s", iface, dir);
	part = result_part(res, PART_INTERFACE, name);
	result_label(part, "iface", iface);
	result_label(part, "direction", dir);
	return part;
}

static void a_direction_becomes_counters_gauges_and_a_histogram(void **state)
{
	static const char golden[] =
"# HELP ethgauge_info always 1; the version of the tool is its label\n"
"# TYPE ethgauge_info gauge\n"
"ethgauge_info{version=\"" TOOL_VERSION "\"} 1\n"
"# HELP ethgauge_elapsed_seconds time since the start of the run\n"
"# TYPE ethgauge_elapsed_seconds gauge\n"
"ethgauge_elapsed_seconds{iface=\"eth0\",direction=\"rx\"} 80\n"
"# HELP ethgauge_gap_seconds histogram of the figure whose mean is: mean inter-arrival time, exact\n"
"# TYPE ethgauge_gap_seconds histogram\n"
"ethgauge_gap_seconds_bucket{iface=\"eth0\",direction=\"rx\",le=\"2.56e-07\"} 7\n"
"ethgauge_gap_seconds_bucket{iface=\"eth0\",direction=\"rx\",le=\"1.024e-06\"} 7\n"
"ethgauge_gap_seconds_bucket{iface=\"eth0\",direction=\"rx\",le=\"4.096e-06\"} 10\n"
"ethgauge_gap_seconds_bucket{iface=\"eth0\",direction=\"rx\",le=\"1.6384e-05\"} 10\n"
"ethgauge_gap_seconds_bucket{iface=\"eth0\",direction=\"rx\",le=\"6.5536e-05\"} 10\n"
"ethgauge_gap_seconds_bucket{iface=\"eth0\",direction=\"rx\",le=\"0.000262144\"} 10\n"
"ethgauge_gap_seconds_bucket{iface=\"eth0\",direction=\"rx\",le=\"0.001048576\"} 10\n"
"ethgauge_gap_seconds_bucket{iface=\"eth0\",direction=\"rx\",le=\"0.004194304\"} 10\n"
"ethgauge_gap_seconds_bucket{iface=\"eth0\",direction=\"rx\",le=\"0.016777216\"} 10\n"
"ethgauge_gap_seconds_bucket{iface=\"eth0\",direction=\"rx\",le=\"0.067108864\"} 10\n"
"ethgauge_gap_seconds_bucket{iface=\"eth0\",direction=\"rx\",le=\"0.268435456\"} 10\n"
"ethgauge_gap_seconds_bucket{iface=\"eth0\",direction=\"rx\",le=\"1.073741824\"} 10\n"
"ethgauge_gap_seconds_bucket{iface=\"eth0\",direction=\"rx\",le=\"4.294967296\"} 10\n"
"ethgauge_gap_seconds_bucket{iface=\"eth0\",direction=\"rx\",le=\"17.179869184\"} 10\n"
"ethgauge_gap_seconds_bucket{iface=\"eth0\",direction=\"rx\",le=\"68.719476736\"} 10\n"
"ethgauge_gap_seconds_bucket{iface=\"eth0\",direction=\"rx\",le=\"+Inf\"} 12\n"
"ethgauge_gap_seconds_sum{iface=\"eth0\",direction=\"rx\"} 6e-06\n"
"ethgauge_gap_seconds_count{iface=\"eth0\",direction=\"rx\"} 12\n"
"# HELP ethgauge_seen_packets_total packets of one direction as on the wire: "
"a super-packet of TSO, GSO, GRO or LRO counts as its segments\n"
"# TYPE ethgauge_seen_packets_total counter\n"
"ethgauge_seen_packets_total{iface=\"eth0\",direction=\"rx\"} 1000003\n"
"# HELP ethgauge_seen_pps packets seen / time watched\n"
"# TYPE ethgauge_seen_pps gauge\n"
"ethgauge_seen_pps{iface=\"eth0\",direction=\"rx\"} 31\n"
"# HELP ethgauge_burst_1ms_l1_bps highest rate on the wire in any 1 ms that begins at a "
"multiple of 20 us, all CPUs added\n"
"# TYPE ethgauge_burst_1ms_l1_bps gauge\n"
"ethgauge_burst_1ms_l1_bps{iface=\"eth0\",direction=\"rx\"} 700\n"
"# HELP ethgauge_protocol_packets_total packets, for each protocol\n"
"# TYPE ethgauge_protocol_packets_total counter\n"
"ethgauge_protocol_packets_total{iface=\"eth0\",direction=\"rx\",protocol=\"ip4/tcp\"} 101\n";
	struct result *res = result_new("watch"), *part = direction(res, "eth0", "rx");
	char *text;

	(void)state;
	result_metric_u64(part, "seen_packets", 1000003);
	result_metric_real(part, "seen_pps", 5);
	result_metric_real(part, "seen_l2_bps", 5);	/* a mean, and no row has it */
	result_metric_real(part, "burst_1ms_l1_bps", 900);
	result_metric_u64(part, "gap_count", 12);
	result_metric_real(part, "gap_mean_ns", 500);
	result_metric_u64(part, "gap_p50_ns", 128);
	result_hist_open(part, "gap_ns", 0, 2);
	result_hist_bucket(part, "gap_ns", 128, 7);
	result_hist_bucket(part, "gap_ns", 1024, 3);
	row(part, 10, 3, 900);		/* over a minute ago */
	row(part, 30, 7, 700);
	row(part, 80, 31, 500);
	entry(part, "protocol", "ip4/tcp", 101);
	entry(part, "protocol", "ip4/tcp", 103);	/* the format takes each series once */
	entry(part, "flow", "198.18.0.1:9", 5);		/* without bound */
	text = text_of(res);
	assert_string_equal(text, golden);
	free(text);
	result_free(res);
}

/* The kernel takes names of any bytes but blanks, '/' and ':'. */
static void hostile_names_stay_within_their_quotes(void **state)
{
	struct result *res = result_new("watch"), *part = direction(res, "a\"}b\\\n", "rx");
	char *text;

	(void)state;
	result_metric_u64(part, "seen_packets", 7);
	entry(part, "pro\"to{col", "x\"\\\n} 1", 5);
	part = direction(res, "\xff\xfe", "tx");
	result_metric_u64(part, "seen_packets", 11);
	part = direction(res, "\x1b\xc2\x9b\xe2\x80\xae", "tx");
	result_metric_u64(part, "seen_packets", 12);
	part = result_part(res, PART_OTHER, "x");
	result_metric_u64(part, "seen_packets", 13);
	text = text_of(res);
	has(text, "\nethgauge_seen_packets_total{iface=\"a\\\"}b\\\\\\n\",direction=\"rx\"} 7\n"
		  "ethgauge_seen_packets_total{iface=\"\?\?\",direction=\"tx\"} 11\n"
		  "ethgauge_seen_packets_total{iface=\"\?\?\?\",direction=\"tx\"} 12\n"
		  "ethgauge_seen_packets_total{part=\"x\"} 13\n");
	has(text, "\nethgauge_pro_to_col_packets_total{iface=\"a\\\"}b\\\\\\n\",direction=\"rx\","
		  "pro_to_col=\"x\\\"\\\\\\n} 1\"} 5\n");
	has(text, "# HELP ethgauge_pro_to_col_packets_total packets, for each pro\"to{col\n");
	free(text);
	result_free(res);
}

static void what_was_not_measured_is_left_out(void **state)
{
	struct result *res = result_new("watch"), *part = direction(res, "eth0", "tx");
	char *text;

	(void)state;
	result_metric_real(part, "seen_pps", 0.0 / 0.0);
	text = text_of(res);
	assert_null(strstr(text, "seen_pps"));
	free(text);
	result_free(res);
}

/* "gap_error_p99_ns" begins as what the histogram "gap_ns" tells. */
static void a_histogram_covers_its_own_figures_only(void **state)
{
	struct result *res = result_new("sink");
	char *text;

	(void)state;
	result_hist_open(res, "gap_ns", 0, 0);
	result_hist_bucket(res, "gap_ns", 1024, 7);
	result_metric_u64(res, "gap_count", 7);
	result_metric_u64(res, "gap_p99_ns", 1031);
	result_metric_u64(res, "gap_expected_ns", 1009);
	result_metric_u64(res, "gap_error_p99_ns", 23);
	text = text_of(res);
	has(text, "\nethgauge_gap_seconds_count{} 7\n");
	has(text, "\nethgauge_gap_expected_seconds{} 1.009e-06\n");
	has(text, "\nethgauge_gap_error_p99_seconds{} 2.3e-08\n");
	assert_null(strstr(text, "gap_p99"));
	assert_null(strstr(text, "ethgauge_gap_total"));
	free(text);
	result_free(res);
}

static void flow(struct result *part, const char *near, const char *proto, uint64_t rtts)
{
	result_entry_open(part);
	result_entry_str(part, "near", near);
	result_entry_str(part, "far", "b\"c");
	result_entry_str(part, "proto", proto);
	result_entry_u64(part, "tx_packets", 1009);
	result_entry_u64(part, "tx_retransmitted", 0);
	if (rtts)
		result_entry_u64(part, "rtt_far_mean_ns", 2000000);
	else
		result_entry_str(part, "rtt_far_mean_ns", "");
	result_entry_u64(part, "rtt_far_count", rtts);
	result_entry_close(part);
}

static struct result *flows_of(struct result *res, const char *iface)
{
	struct result *part;
	char name[32];

	snprintf(name, sizeof(name), "%s flows", iface);
	part = result_part(res, PART_FLOWS, name);
	result_label(part, "iface", iface);
	return part;
}

static void flows_are_series_of_their_own_each_once(void **state)
{
	struct result *res = result_new("watch"), *part = flows_of(res, "eth0");
	char *text;

	(void)state;
	flow(part, "a:1", "tcp", 50);
	flow(part, "a:2", "udp", 0);
	flow(part, "a:1", "tcp", 3);
	text = text_of(res);
	has(text, "# TYPE ethgauge_flow_packets_total counter\n"
		  "ethgauge_flow_packets_total{iface=\"eth0\",near=\"a:1\",far=\"b\\\"c\",proto=\"tcp\","
		  "direction=\"tx\"} 1009\n"
		  "ethgauge_flow_packets_total{iface=\"eth0\",near=\"a:2\",far=\"b\\\"c\",proto=\"udp\","
		  "direction=\"tx\"} 1009\n#");
	has(text, "# TYPE ethgauge_flow_rtt_seconds summary\n"
		  "ethgauge_flow_rtt_seconds_sum{iface=\"eth0\",near=\"a:1\",far=\"b\\\"c\",proto=\"tcp\","
		  "end=\"far\"} 0.1\n"
		  "ethgauge_flow_rtt_seconds_count{iface=\"eth0\",near=\"a:1\",far=\"b\\\"c\",proto=\"tcp\","
		  "end=\"far\"} 50\n");
	assert_null(strstr(text, "retransmitted_packets_total{iface=\"eth0\",near=\"a:2\""));
	free(text);
	result_free(res);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flows_are_series_of_their_own_each_once),
		cmocka_unit_test(a_direction_becomes_counters_gauges_and_a_histogram),
		cmocka_unit_test(a_histogram_covers_its_own_figures_only),
		cmocka_unit_test(hostile_names_stay_within_their_quotes),
		cmocka_unit_test(what_was_not_measured_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
