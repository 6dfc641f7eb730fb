// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lib/stat.c - medians, ranks and intervals.
 */
#include "lib/stat.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RESAMPLES	1000
#define SPLITS		200
#define SPLIT_QUANTILE	0.95

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void sort(double *values, size_t nr)
{
	size_t i, k;

	/* Samples are small, and their medians are computed thousands of times. */
	if (nr > 32) {
		qsort(values, nr, sizeof(*values), compare_doubles);
		return;
	}
	for (i = 1; i < nr; i++) {
		double value = values[i];

		for (k = i; k && values[k - 1] > value; k--)
			values[k] = values[k - 1];
		values[k] = value;
	}
}

double stat_quantile(const double *sorted, size_t nr, double q)
{
	double at = q * (double)(nr - 1);
	size_t below = (size_t)at;

	if (below + 1 >= nr)
		return sorted[nr - 1];
	return sorted[below] + (at - (double)below) * (sorted[below + 1] - sorted[below]);
}

static double median_in_place(double *values, size_t nr)
{
	sort(values, nr);
	return stat_quantile(values, nr, 0.5);
}

int stat_median(const struct stat_sample *sample, double *ret_median)
{
	double *copy = malloc(sample->nr * sizeof(*copy));

	if (!copy)
		return -ENOMEM;
	memcpy(copy, sample->values, sample->nr * sizeof(*copy));
	*ret_median = median_in_place(copy, sample->nr);
	free(copy);
	return 0;
}

struct ranked {
	double value;
	bool of_a;
	size_t twice;		/* its rank from 1 on, ties share the mean; doubled to be an
				 * integer */
};

static int compare_ranked(const void *a, const void *b)
{
	return compare_doubles(&((const struct ranked *)a)->value,
			       &((const struct ranked *)b)->value);
}

/* Both samples sorted and ranked; @ret_ties: the sum of t^3 - t over groups of t equal values. */
static struct ranked *rank_all(const struct stat_sample *a, const struct stat_sample *b,
			       double *ret_ties)
{
	size_t nr = a->nr + b->nr, i, first, k;
	struct ranked *all = malloc(nr * sizeof(*all));
	double ties = 0;

	if (!all)
		return NULL;
	for (i = 0; i < nr; i++)
		all[i] = (struct ranked){
			.value = i < a->nr ? a->values[i] : b->values[i - a->nr],
			.of_a = i < a->nr,
		};
	qsort(all, nr, sizeof(*all), compare_ranked);
	for (first = 0; first < nr; first = i) {
		double t;

		for (i = first; i < nr && all[i].value == all[first].value; i++)
			;
		for (k = first; k < i; k++)
			all[k].twice = first + 1 + i;
		t = (double)(i - first);
		ties += t * t * t - t;
	}
	*ret_ties = ties;
	return all;
}

/*
 * Over all ways to choose @nr_a of the ranks: the share whose sum is at most @sum, and the share
 * whose sum is at least that; the smaller of the two, doubled. The counts are integers below 2^53.
 */
static int exact_p(const struct ranked *all, size_t nr, size_t nr_a, size_t sum, double *ret_p)
{
	size_t sums = nr * (nr + 1) + 1, i, k, s;
	double *ways = calloc((nr_a + 1) * sums, sizeof(*ways)), below = 0, above = 0, total = 0;

	if (!ways)
		return -ENOMEM;
	ways[0] = 1;
	for (i = 0; i < nr; i++) {
		for (k = i < nr_a ? i + 1 : nr_a; k > 0; k--) {
			for (s = sums - 1; s >= all[i].twice; s--)
				ways[k * sums + s] += ways[(k - 1) * sums + s - all[i].twice];
		}
	}
	for (s = 0; s < sums; s++) {
		total += ways[nr_a * sums + s];
		below += s <= sum ? ways[nr_a * sums + s] : 0;
		above += s >= sum ? ways[nr_a * sums + s] : 0;
	}
	free(ways);
	*ret_p = fmin(1, 2 * fmin(below, above) / total);
	return 0;
}

static double normal_p(double u, double nr_a, double nr_b, double ties)
{
	double nr = nr_a + nr_b;
	double variance = nr_a * nr_b / 12 * (nr + 1 - ties / (nr * (nr - 1)));
	double away = fabs(u - nr_a * nr_b / 2) - 0.5;

	if (variance <= 0 || away <= 0)
		return 1;	/* all are equal, or the sum is in the middle */
	return fmin(1, erfc(away / sqrt(2 * variance)));
}

int stat_rank_test(const struct stat_sample *a, const struct stat_sample *b,
		   struct stat_rank *ret_rank)
{
	struct stat_rank rank = { .exact = a->nr + b->nr <= STAT_EXACT_MAX };
	size_t nr = a->nr + b->nr, sum = 0, i;
	struct ranked *all;
	double ties;
	int err = 0;

	all = rank_all(a, b, &ties);
	if (!all)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		sum += all[i].of_a ? all[i].twice : 0;
	rank.u = (double)sum / 2 - (double)a->nr * ((double)a->nr + 1) / 2;
	if (rank.exact)
		err = exact_p(all, nr, a->nr, sum, &rank.p);
	else
		rank.p = normal_p(rank.u, (double)a->nr, (double)b->nr, ties);
	free(all);
	if (!err)
		*ret_rank = rank;
	return err;
}

double stat_effect_ratio(double a, double b)
{
	return log(b / a);
}

double stat_effect_difference(double a, double b)
{
	return b - a;
}

/* splitmix64 (Steele, Lea and Flood, 2014) */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static size_t random_below(uint64_t *state, size_t nr)
{
	return (size_t)((unsigned __int128)next_random(state) * nr >> 64);
}

static double resampled_median(const struct stat_sample *sample, double *drawn, uint64_t *state)
{
	size_t i;

	for (i = 0; i < sample->nr; i++)
		drawn[i] = sample->values[random_below(state, sample->nr)];
	return median_in_place(drawn, sample->nr);
}

int stat_bootstrap(const struct stat_sample *a, const struct stat_sample *b, stat_effect *effect,
		   double confidence, uint64_t seed, struct stat_interval *ret_interval)
{
	double *drawn = malloc((a->nr > b->nr ? a->nr : b->nr) * sizeof(*drawn));
	double *effects = malloc(RESAMPLES * sizeof(*effects));
	size_t i;

	if (!drawn || !effects) {
		free(drawn);
		free(effects);
		return -ENOMEM;
	}
	for (i = 0; i < RESAMPLES; i++) {
		double from = resampled_median(a, drawn, &seed);

		effects[i] = effect(from, resampled_median(b, drawn, &seed));
	}
	sort(effects, RESAMPLES);
	ret_interval->low = stat_quantile(effects, RESAMPLES, (1 - confidence) / 2);
	ret_interval->high = stat_quantile(effects, RESAMPLES, (1 + confidence) / 2);
	free(drawn);
	free(effects);
	return 0;
}

int stat_split_noise(const struct stat_sample *sample, size_t nr_a, size_t nr_b,
		     stat_effect *effect, uint64_t seed, double *ret_noise)
{
	size_t half = sample->nr / 2, rest = sample->nr - half, i, k;
	double *all, effects[SPLITS];

	if (sample->nr < 4) {
		*ret_noise = INFINITY;
		return 0;
	}
	all = malloc(sample->nr * sizeof(*all));
	if (!all)
		return -ENOMEM;
	for (i = 0; i < SPLITS; i++) {
		memcpy(all, sample->values, sample->nr * sizeof(*all));
		for (k = 0; k < half; k++) {
			size_t other = k + random_below(&seed, sample->nr - k);
			double value = all[other];

			all[other] = all[k];
			all[k] = value;
		}
		effects[i] = fabs(effect(median_in_place(all, half),
					 median_in_place(all + half, rest)));
	}
	free(all);
	sort(effects, SPLITS);
	/* A median's deviation scales with the root of the number of values. */
	*ret_noise = stat_quantile(effects, SPLITS, SPLIT_QUANTILE) *
		     sqrt((1. / (double)nr_a + 1. / (double)nr_b) /
			  (1. / (double)half + 1. / (double)rest));
	return 0;
}

/* Probability that |T| < t: Abramowitz and Stegun 26.7.3 and 26.7.4. */
static double student_within(double t, unsigned int freedom)
{
	double angle = atan(t / sqrt(freedom)), cosine = cos(angle), term = 1, sum = 0;
	unsigned int i;

	if (freedom % 2) {
		term = cosine;
		for (i = 1; i < freedom; i += 2) {
			sum += term;
			term *= cosine * cosine * (i + 1) / (i + 2);
		}
		return 2 / M_PI * (angle + sin(angle) * sum);
	}
	for (i = 0; i < freedom; i += 2) {
		sum += term;
		term *= cosine * cosine * (i + 1) / (i + 2);
	}
	return sin(angle) * sum;
}

double stat_student(double confidence, unsigned int freedom)
{
	double low = 0, high = 1;
	int i;

	while (student_within(high, freedom) < confidence)
		high *= 2;
	for (i = 0; i < 60; i++) {
		double middle = (low + high) / 2;

		if (student_within(middle, freedom) < confidence)
			low = middle;
		else
			high = middle;
	}
	return high;
}
