// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * result/metrics.c - the dictionary: the only source of text labels, JSON keys, compare's direction
 * and the glossary. Its rows are in metrics_NAME.c.
 */
#include "result/metrics.h"

#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "result/metric_rows.h"

/* In the order of presentation. */
static const struct metric *const tables[] = {
	send_metrics, xfer_metrics, receive_metrics, load_metrics, record_metrics,
	reflect_metrics, stamp_metrics, order_metrics, rtt_metrics, delay_metrics, drop_metrics,
	gap_metrics, watch_metrics, impair_metrics, tx_done_metrics, socket_metrics,
	bench_metrics, ledger_metrics, pacing_metrics, plain_metrics, self_metrics,
	tx_ring_metrics, overrun_metrics, cost_metrics, theory_metrics,
};

static const struct {
	const char *word, *label, *before;	/* in a key; in a label; before the name of the quantity */
	bool is_percentile;
} stats[DIST_NR] = {
#define STAT(id, share, word, label, before) [DIST_##id] = { word, label, before, (share) > 0 && (share) < 1 },
	DIST_STATS(STAT)
#undef STAT
};

static struct metric *metrics;
static size_t nr_metrics;
static struct hsearch_data by_key;

static bool has_stat(enum metric_dist dist, enum dist_stat stat)
{
	if (dist == METRIC_DIST_SIGNED)
		return stat == DIST_MIN || stat == DIST_MEAN || stat == DIST_MAX;
	return dist != METRIC_DIST_ABOVE_MIN || (stat != DIST_MIN && stat != DIST_STDDEV);
}

/* How exact it is, in its text. */
static const char *exactness(enum metric_dist dist, enum dist_stat stat)
{
	if (stats[stat].is_percentile)
		return "";
	if (stat == DIST_STDDEV)
		return ", exact: the root of the mean square of the distances from the mean, as the mdev of ping";
	if (dist == METRIC_DIST_ROWS && stat != DIST_MEAN)
		return ", exact; of an interval to its bucket";
	return ", exact";
}

__attribute__((format(printf, 1, 2))) static const char *text_of(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		abort();
	va_end(args);
	return text;
}

static struct metric stat_of(const struct metric *family, enum dist_stat stat, bool is_first)
{
	struct metric metric = *family;

	metric.key = text_of("%s_%s_ns", family->key, stats[stat].word);
	metric.label = text_of("%s %s", family->label, stats[stat].label);
	metric.what = text_of("%s%s%s%s", stats[stat].before, family->what, exactness(family->dist, stat),
			      is_first && family->note ? family->note : "");
	metric.family = family->key;
	metric.stat = stat;
	metric.brief = family->brief && stat == DIST_MIN;
	metric.peak = family->peak && stat == DIST_MAX;
	metric.row = family->shown & 1u << stat ? METRIC_ROW_SHOWN : METRIC_ROW_LEFT_OUT;
	return metric;
}

/* To @at, if not NULL; returns how many. */
static size_t add_row(const struct metric *row, struct metric *at)
{
	size_t nr = 0;
	int stat;

	if (!row->dist) {
		if (at)
			*at = *row;
		return 1;
	}
	for (stat = 0; stat < DIST_NR; stat++) {
		if (!has_stat(row->dist, (enum dist_stat)stat))
			continue;
		if (at)
			at[nr] = stat_of(row, (enum dist_stat)stat, !nr);
		nr++;
	}
	return nr;
}

/* Of all tables; returns how many. */
static size_t add_rows(struct metric *at)
{
	const struct metric *row;
	size_t i, nr = 0;

	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		for (row = tables[i]; row->key; row++)
			nr += add_row(row, at ? at + nr : NULL);
	}
	return nr;
}

/* Before main(), so that any thread may look up figures. */
__attribute__((constructor)) static void make_metrics(void)
{
	ENTRY *ignored;
	size_t i;

	nr_metrics = add_rows(NULL);
	metrics = calloc(nr_metrics, sizeof(*metrics));
	if (!metrics || !hcreate_r(2 * nr_metrics, &by_key))
		abort();
	add_rows(metrics);
	for (i = 0; i < nr_metrics; i++)
		hsearch_r((ENTRY){ (char *)metrics[i].key, (void *)&metrics[i] }, ENTER, &ignored, &by_key);
}

const struct metric *metric_find(const char *key)
{
	ENTRY *found;

	return hsearch_r((ENTRY){ .key = (char *)key }, FIND, &found, &by_key) ? found->data : NULL;
}

const struct metric *metric_of(const char *family, enum dist_stat stat)
{
	size_t i;

	for (i = 0; i < nr_metrics; i++) {
		if (metrics[i].family && metrics[i].stat == stat && !strcmp(metrics[i].family, family))
			return &metrics[i];
	}
	return NULL;
}

const struct metric *metric_at(size_t index)
{
	return index < nr_metrics ? &metrics[index] : NULL;
}

bool metric_adds_up(const struct metric *metric)
{
	return (metric->unit == UNIT_COUNT || metric->unit == UNIT_BYTES) && !metric->level;
}

const char *metric_key_at(size_t index)
{
	const struct metric *metric = metric_at(index);

	return metric ? metric->key : NULL;
}
