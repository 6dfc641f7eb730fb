// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lib/dist.c - a distribution of times by its statistics.
 */
#include "lib/dist.h"

#include "lib/hist.h"

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

void dist_above(struct dist *ret, const struct hist_rec *hist, uint64_t base_ns)
{
	enum dist_stat i;

	ret->count = hist->count;
	for (i = 0; i < DIST_NR; i++)
		ret->ns[i] = hist->count ? (double)(hist_percentile_ns(hist, stats[i].share) - base_ns) : 0;
	if (!hist->count)
		return;
	ret->ns[DIST_MIN] = (double)(hist_min_ns(hist) - base_ns);
	ret->ns[DIST_MEAN] = hist_mean_ns(hist) - (double)base_ns;
	ret->ns[DIST_MAX] = (double)(hist->max_ns - base_ns);
}

void dist_of_hist(struct dist *ret, const struct hist_rec *hist)
{
	dist_above(ret, hist, 0);
}

bool dist_is_of_interval(enum dist_stat stat)
{
	return stat == DIST_MAX || stats[stat].share <= 0.999;
}
