// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * result/result_dist.c - a distribution of times as figures of a result.
 */
#include "result/result_dist.h"

#include <math.h>
#include <stdio.h>

#include "lib/hist.h"
#include "result/metrics.h"

struct place {
	void (*set_u64)(struct result *res, const char *key, uint64_t value);
	void (*set_real)(struct result *res, const char *key, double value);
};

/* Times are integers, signed if below 0; only the mean and the deviation are not. */
static void put(struct result *res, const struct place *to, const struct metric *metric, double ns)
{
	if (isnan(ns))
		return;
	if (metric->stat == DIST_MEAN || metric->stat == DIST_STDDEV || ns < 0)
		to->set_real(res, metric->key, ns);
	else
		to->set_u64(res, metric->key, (uint64_t)ns);
}

static void report(struct result *res, const struct place *to, const char *family,
		   const struct dist *dist)
{
	const struct metric *metric = metric_of(family, DIST_COUNT);
	enum dist_stat stat;

	if (metric)
		to->set_u64(res, metric->key, dist->count);
	for (stat = 0; dist->count && stat < DIST_NR; stat++) {
		metric = metric_of(family, stat);
		if (metric && !isnan(dist->ns[stat]) && isnan(dist_reported(dist, stat)))
			to->set_real(res, metric->key, NAN);
		else if (metric)
			put(res, to, metric, dist->ns[stat]);
	}
}

void result_dist(struct result *res, const char *family, const struct dist *dist)
{
	static const struct place metrics = { result_metric_u64, result_metric_real };

	report(res, &metrics, family, dist);
}

void result_self_dist(struct result *res, const char *family, const struct dist *dist)
{
	static const struct place self = { result_self_u64, result_self_real };

	report(res, &self, family, dist);
}

void result_hist(struct result *res, const char *family, const struct hist_rec *hist)
{
	struct dist dist;
	char key[32];
	uint32_t i;

	dist_of_hist(&dist, hist);
	result_dist(res, family, &dist);
	if (!hist->count)
		return;
	snprintf(key, sizeof(key), "%s_ns", family);
	result_hist_open(res, key, hist->negative, hist->above);
	for (i = 0; i < HIST_BUCKETS; i++) {
		if (hist->buckets[i])
			result_hist_bucket(res, key, hist_lower_ns(i), hist->buckets[i]);
	}
}

const char *result_key(char *buf, size_t size, const char *prefix, const char *suffix)
{
	snprintf(buf, size, "%s%s", prefix, suffix);
	return buf;
}

void result_pdv(struct result *res, const char *prefix, const struct hist_rec *pdv)
{
	char key[32];

	if (pdv->count)
		result_hist(res, result_key(key, sizeof(key), prefix, "pdv"), pdv);
}

void result_jitter(struct result *res, const char *prefix, const struct jitter_sum *sum)
{
	char key[48];

	if (!sum->streams)
		return;
	result_metric_real(res, result_key(key, sizeof(key), prefix, "jitter_rfc3550_ns"),
			   sum->ns / (double)sum->streams);
	if (sum->streams > 1)
		result_metric_real(res, result_key(key, sizeof(key), prefix, "jitter_rfc3550_max_ns"),
				   sum->max_ns);
}

void result_row_hist(struct result *res, const char *family, const struct hist_rec *hist)
{
	static const struct place row = { result_row_u64, result_row_real };
	enum dist_stat stat;
	struct dist dist;

	dist_of_hist(&dist, hist);
	for (stat = 0; stat < DIST_NR; stat++) {
		if (dist_is_of_interval(stat))
			put(res, &row, metric_of(family, stat), dist_reported(&dist, stat));
	}
}
