// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/self/hist_report.c - a histogram of times as figures of a result.
 */
#include "engine/self/hist_report.h"

#include <stdio.h>

#include "lib/hist.h"

static const struct point {
	const char *suffix;
	double share;
} points[] = {
	{ "p50_ns", 0.5 }, { "p90_ns", 0.9 }, { "p99_ns", 0.99 },
	{ "p99_9_ns", 0.999 }, { "p99_99_ns", 0.9999 },
};

static const char *metric_key(char *buf, size_t size, const char *prefix, const char *suffix)
{
	snprintf(buf, size, "%s_%s", prefix, suffix);
	return buf;
}

void hist_report(struct result *res, const char *prefix, const char *count_key,
		 const struct hist_rec *hist)
{
	char key[32];
	size_t i;

	if (count_key)
		result_metric_u64(res, count_key, hist->count);
	if (!hist->count)
		return;
	result_metric_u64(res, metric_key(key, sizeof(key), prefix, "min_ns"), hist_min_ns(hist));
	result_metric_real(res, metric_key(key, sizeof(key), prefix, "mean_ns"),
			   hist_mean_ns(hist));
	for (i = 0; i < sizeof(points) / sizeof(points[0]); i++)
		result_metric_u64(res, metric_key(key, sizeof(key), prefix, points[i].suffix),
				  hist_percentile_ns(hist, points[i].share));
	result_metric_u64(res, metric_key(key, sizeof(key), prefix, "max_ns"), hist->max_ns);

	metric_key(key, sizeof(key), prefix, "ns");
	result_hist_open(res, key, hist->negative, hist->above);
	for (i = 0; i < HIST_BUCKETS; i++) {
		if (hist->buckets[i])
			result_hist_bucket(res, key, hist_lower_ns((uint32_t)i), hist->buckets[i]);
	}
}

void hist_report_row(struct result *res, const char *prefix, const struct hist_rec *hist)
{
	char key[32];
	size_t i;

	result_row_u64(res, metric_key(key, sizeof(key), prefix, "min_ns"), hist_min_ns(hist));
	result_row_real(res, metric_key(key, sizeof(key), prefix, "mean_ns"), hist_mean_ns(hist));
	for (i = 0; i + 1 < sizeof(points) / sizeof(points[0]); i++)
		result_row_u64(res, metric_key(key, sizeof(key), prefix, points[i].suffix),
			       hist_percentile_ns(hist, points[i].share));
	result_row_u64(res, metric_key(key, sizeof(key), prefix, "max_ns"), hist->max_ns);
}
