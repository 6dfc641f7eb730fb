// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lib/dist.c - statistics of a distribution of times.
 */
#include "lib/dist.h"

#include <math.h>

#include "lib/hist.h"

#define LEAST_BEYOND 10

static const struct {
	double share;
	const char *label;
} stats[DIST_NR] = {
#define STAT(id, share, word, label, ...) [DIST_##id] = { share, label },
	DIST_STATS(STAT)
#undef STAT
};

const char *dist_label(enum dist_stat stat)
{
	return stats[stat].label;
}

bool dist_has_samples(double share, uint64_t count)
{
	/* A share such as 0.9 is not exact: 100 values have 10 beyond it. */
	return (1 - share) * (double)count > LEAST_BEYOND - 1e-6;
}

double dist_reported(const struct dist *dist, enum dist_stat stat)
{
	double share = stats[stat].share;

	if (share > 0 && share < 1 && !dist_has_samples(share, dist->count))
		return NAN;
	return dist->ns[stat];
}

struct dist dist_none(void)
{
	struct dist none = { 0 };
	enum dist_stat i;

	for (i = 0; i < DIST_NR; i++)
		none.ns[i] = NAN;
	return none;
}

void dist_of_hist(struct dist *ret, const struct hist_rec *hist)
{
	enum dist_stat i;

	*ret = dist_none();
	ret->count = hist->count;
	if (!hist->count)
		return;
	for (i = 0; i < DIST_NR; i++)
		ret->ns[i] = (double)hist_percentile_ns(hist, stats[i].share);
	ret->ns[DIST_MIN] = (double)hist_min_ns(hist);
	ret->ns[DIST_MEAN] = hist_mean_ns(hist);
	ret->ns[DIST_MAX] = (double)hist->max_ns;
	ret->ns[DIST_STDDEV] = hist_stddev_ns(hist);
}

bool dist_is_of_interval(enum dist_stat stat)
{
	return stat == DIST_MAX || (stat != DIST_STDDEV && stats[stat].share <= 0.999);
}
