// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lib/hist.c - read the histograms that the BPF programs fill.
 */
#include "lib/hist.h"

#include <math.h>
#include <stdbool.h>

static void publish(__u64 *at, uint64_t value)
{
	__atomic_store_n(at, value, __ATOMIC_RELAXED);
}

void hist_add(struct hist_rec *hist, uint64_t ns)
{
	__u64 low = hist->square_low, high = hist->square_high;
	uint32_t index;

	publish(&hist->count, hist->count + 1);
	publish(&hist->sum_ns, hist->sum_ns + ns);
	if (~ns > hist->not_min_ns)
		publish(&hist->not_min_ns, ~ns);
	if (ns > hist->max_ns)
		publish(&hist->max_ns, ns);
	if (ns >> HIST_MAX_BITS) {
		publish(&hist->above, hist->above + 1);
		return;
	}
	index = hist_index(ns);
	publish(&hist->buckets[index], hist->buckets[index] + 1);
	hist_square_add(&low, &high, ns);
	publish(&hist->square_low, low);
	publish(&hist->square_high, high);
}

typedef unsigned __int128 squares_t;

static squares_t squares(const struct hist_rec *hist)
{
	return (squares_t)hist->square_high << 64 | hist->square_low;
}

/* Not all BPF programs keep squares. */
static bool has_squares(const struct hist_rec *hist)
{
	return squares(hist) || !hist->max_ns;
}

static void set_squares(struct hist_rec *hist, squares_t sum)
{
	hist->square_low = (uint64_t)sum;
	hist->square_high = (uint64_t)(sum >> 64);
}

void hist_merge(struct hist_rec *sum, const struct hist_rec *from)
{
	uint32_t i;

	if (!from->count && !from->negative)
		return;		/* skip empty ones: of thousands of streams only a few occur */
	set_squares(sum, has_squares(sum) && has_squares(from) ? squares(sum) + squares(from) : 0);
	sum->count += from->count;
	sum->sum_ns += from->sum_ns;
	if (from->not_min_ns > sum->not_min_ns)
		sum->not_min_ns = from->not_min_ns;
	if (from->max_ns > sum->max_ns)
		sum->max_ns = from->max_ns;
	sum->negative += from->negative;
	sum->above += from->above;
	for (i = 0; i < HIST_BUCKETS; i++)
		sum->buckets[i] += from->buckets[i];
}

void hist_subtract(struct hist_rec *newer, const struct hist_rec *older)
{
	uint64_t min_ns = UINT64_MAX, max_ns = 0;
	uint32_t i;

	set_squares(newer, has_squares(newer) && has_squares(older) ? squares(newer) - squares(older) : 0);
	newer->count -= older->count;
	newer->sum_ns -= older->sum_ns;
	newer->negative -= older->negative;
	newer->above -= older->above;
	for (i = 0; i < HIST_BUCKETS; i++) {
		newer->buckets[i] -= older->buckets[i];
		if (!newer->buckets[i])
			continue;
		if (min_ns == UINT64_MAX)
			min_ns = hist_lower_ns(i);
		max_ns = hist_lower_ns(i + 1) - 1;
	}
	if (!newer->above)
		newer->max_ns = max_ns < newer->max_ns ? max_ns : newer->max_ns;
	if (min_ns > ~newer->not_min_ns)
		newer->not_min_ns = ~min_ns;
}

uint64_t hist_min_ns(const struct hist_rec *hist)
{
	return hist->count ? ~hist->not_min_ns : 0;
}

double hist_mean_ns(const struct hist_rec *hist)
{
	return hist->count ? (double)hist->sum_ns / (double)hist->count : 0;
}

double hist_stddev_ns(const struct hist_rec *hist)
{
	uint64_t n = hist->count, mean, rest;
	squares_t least, around;
	double ns;

	if (!n || hist->above || !has_squares(hist))
		return NAN;
	mean = hist->sum_ns / n;
	rest = hist->sum_ns % n;
	/*
	 * Sum of (x - mean)^2 with the mean rounded down, in integers: the difference of two large
	 * numbers would lose all digits of a small deviation. Then the rest of the mean is subtracted.
	 */
	least = (squares_t)mean * mean * n + (squares_t)2 * mean * rest;
	if (squares(hist) < least)
		return NAN;	/* read while a value was added */
	around = squares(hist) - least;
	ns = sqrt(((double)around - (double)rest * (double)rest / (double)n) / (double)n);
	/* None exceeds half the range; the 1 is for rounding. Beyond: read between the two words. */
	return ns > (double)(hist->max_ns - hist_min_ns(hist)) / 2 + 1 ? NAN : ns;
}

uint64_t hist_percentile_ns(const struct hist_rec *hist, double share)
{
	uint64_t rank = (uint64_t)ceil(share * (double)hist->count), seen = 0, ns;
	uint32_t i;

	if (!hist->count)
		return 0;
	if (rank < 1)
		rank = 1;
	for (i = 0; i < HIST_BUCKETS; i++) {
		seen += hist->buckets[i];
		if (seen < rank)
			continue;
		ns = hist_lower_ns(i) + (hist_lower_ns(i + 1) - hist_lower_ns(i)) / 2;
		if (ns < hist_min_ns(hist))
			return hist_min_ns(hist);
		return ns > hist->max_ns ? hist->max_ns : ns;
	}
	return hist->max_ns;	/* among the values above the range */
}
