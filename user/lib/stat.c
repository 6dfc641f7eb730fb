// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lib/stat.c - medians, ranks and intervals.
 */
#include "lib/stat.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TAIL		0.025		/* of a 95 % interval, on each side */
#define TAIL_Z		1.959963985	/* of the normal law */

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void sort(double *values, size_t nr)
{
	size_t i, k;

	/* Most samples are small. */
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

/* Of all ways to come to a sum of 0..@max, the share with at most @sum or at least @sum, doubled. */
static double two_sided_p(const double *ways, size_t max, size_t sum)
{
	double below = 0, above = 0, total = 0;
	size_t s;

	for (s = 0; s <= max; s++) {
		total += ways[s];
		below += s <= sum ? ways[s] : 0;
		above += s >= sum ? ways[s] : 0;
	}
	return fmin(1, 2 * fmin(below, above) / total);
}

/* Ways to have u pairs in which a is larger, without ties: the Gaussian binomial coefficients. */
static void count_u(double *ways, size_t nr_a, size_t nr_b)
{
	size_t nr = nr_a * nr_b, i, s;

	ways[0] = 1;
	for (i = 1; i <= nr_a; i++) {
		for (s = nr + 1; s-- > nr_b + i;)
			ways[s] -= ways[s - nr_b - i];
		for (s = i; s <= nr; s++)
			ways[s] += ways[s - i];
	}
}

/* Without ties, all ranks differ and only u counts. */
static int untied_p(size_t nr_a, size_t nr_b, double u, double *ret_p)
{
	double *ways = calloc(nr_a * nr_b + 1, sizeof(*ways));

	if (!ways)
		return -ENOMEM;
	count_u(ways, nr_a, nr_b);
	*ret_p = two_sided_p(ways, nr_a * nr_b, (size_t)u);
	free(ways);
	return 0;
}

/* Over all ways to choose @nr_a of the ranks, which have ties. The counts are integers below 2^53. */
static int tied_p(const struct ranked *all, size_t nr, size_t nr_a, size_t sum, double *ret_p)
{
	size_t sums = nr * (nr + 1) + 1, i, k, s;
	double *ways = calloc((nr_a + 1) * sums, sizeof(*ways));

	if (!ways)
		return -ENOMEM;
	ways[0] = 1;
	for (i = 0; i < nr; i++) {
		for (k = i < nr_a ? i + 1 : nr_a; k > 0; k--) {
			for (s = sums - 1; s >= all[i].twice; s--)
				ways[k * sums + s] += ways[(k - 1) * sums + s - all[i].twice];
		}
	}
	*ret_p = two_sided_p(ways + nr_a * sums, sums - 1, sum);
	free(ways);
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
		err = ties > 0 ? tied_p(all, nr, a->nr, sum, &rank.p) :
				 untied_p(a->nr, b->nr, rank.u, &rank.p);
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

/*
 * How many of @sorted to leave out at either end: as many as the test's statistic, which is one of
 * 0..@nr with @ways[] of each, falls below with a probability of at most TAIL.
 */
static size_t exact_cut(const double *ways, size_t nr)
{
	double total = 0, below = 0;
	size_t i;

	for (i = 0; i <= nr; i++)
		total += ways[i];
	for (i = 0; i <= nr && below + ways[i] <= TAIL * total; i++)
		below += ways[i];
	return i;
}

static size_t normal_cut(double mean, double variance)
{
	double cut = floor(mean - TAIL_Z * sqrt(variance));

	return cut > 0 ? (size_t)cut : 0;
}

/* From the effects of the pairs, or their averages: the estimate, and the interval without @cut. */
static void set_shift(double *effects, size_t nr, size_t cut, struct stat_shift *ret_shift)
{
	ret_shift->shift = median_in_place(effects, nr);
	ret_shift->low = cut ? effects[cut - 1] : -INFINITY;
	ret_shift->high = cut ? effects[nr - cut] : INFINITY;
}

int stat_shift(const struct stat_sample *a, const struct stat_sample *b, stat_effect *effect,
	       struct stat_shift *ret_shift)
{
	size_t nr = a->nr * b->nr, i, k, cut;
	double *effects = malloc(nr * sizeof(*effects)), *ways = NULL;
	struct stat_rank rank;
	int err = -ENOMEM;

	if (!effects)
		return -ENOMEM;
	for (i = 0; i < a->nr; i++) {
		for (k = 0; k < b->nr; k++)
			effects[i * b->nr + k] = effect(a->values[i], b->values[k]);
	}
	err = stat_rank_test(a, b, &rank);
	if (err)
		goto out;
	if (rank.exact) {
		ways = calloc(nr + 1, sizeof(*ways));
		if (!ways) {
			err = -ENOMEM;
			goto out;
		}
		count_u(ways, a->nr, b->nr);
		cut = exact_cut(ways, nr);
	} else {
		cut = normal_cut((double)nr / 2, (double)nr * (double)(a->nr + b->nr + 1) / 12);
	}
	ret_shift->p = rank.p;
	set_shift(effects, nr, cut, ret_shift);
out:
	free(ways);
	free(effects);
	return err;
}

/* Of all ways to give the ranks signs: how many have which sum. @twice: the doubled ranks. */
static void count_signs(double *ways, size_t sums, const size_t *twice, size_t nr)
{
	size_t i, s;

	ways[0] = 1;
	for (i = 0; i < nr; i++) {
		for (s = sums; s-- > twice[i];)
			ways[s] += ways[s - twice[i]];
	}
}

static int compare_sizes(const void *a, const void *b)
{
	double x = fabs(*(const double *)a), y = fabs(*(const double *)b);

	return (x > y) - (x < y);
}

/*
 * Wilcoxon's signed-rank test of @effects, which are sorted by size in place. Zeros are left out
 * (Wilcoxon), ties share the mean rank.
 */
static int signed_rank_p(double *effects, size_t nr, double *ret_p)
{
	size_t *twice = calloc(nr + 1, sizeof(*twice)), sums, first, i, k, sum = 0;
	double *ways = NULL, squares = 0, away;
	int err = 0;

	if (!twice)
		return -ENOMEM;
	qsort(effects, nr, sizeof(*effects), compare_sizes);
	for (; nr && effects[0] == 0; nr--)
		effects++;
	for (first = 0; first < nr; first = i) {
		for (i = first; i < nr && fabs(effects[i]) == fabs(effects[first]); i++)
			;
		for (k = first; k < i; k++) {
			twice[k] = first + 1 + i;
			sum += effects[k] > 0 ? twice[k] : 0;
			squares += (double)twice[k] * (double)twice[k];
		}
	}
	*ret_p = 1;
	if (nr > STAT_EXACT_MAX) {
		/* Of the doubled sum: mean nr (nr + 1) / 2, variance a quarter of the squares. */
		away = fabs((double)sum - (double)nr * ((double)nr + 1) / 2) - 1;
		if (away > 0)
			*ret_p = erfc(away / sqrt(squares / 2));
		goto out;
	}
	sums = nr * (nr + 1) + 1;
	ways = calloc(sums, sizeof(*ways));
	if (!ways) {
		err = -ENOMEM;
		goto out;
	}
	count_signs(ways, sums, twice, nr);
	*ret_p = two_sided_p(ways, sums - 1, sum);
out:
	free(ways);
	free(twice);
	return err;
}

/* Without ties, of @nr pairs: the ranks are 1..nr. */
static int paired_cut(size_t nr, size_t *ret_cut)
{
	size_t sums = nr * (nr + 1) / 2, ranks[STAT_EXACT_MAX], i;
	double *ways;

	if (nr > STAT_EXACT_MAX) {
		*ret_cut = normal_cut((double)sums / 2, (double)sums * (2 * (double)nr + 1) / 12);
		return 0;
	}
	ways = calloc(sums + 1, sizeof(*ways));
	if (!ways)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		ranks[i] = i + 1;
	count_signs(ways, sums + 1, ranks, nr);
	*ret_cut = exact_cut(ways, sums);
	free(ways);
	return 0;
}

int stat_paired_shift(const struct stat_sample *a, const struct stat_sample *b, stat_effect *effect,
		      struct stat_shift *ret_shift)
{
	size_t nr = a->nr, walsh = nr * (nr + 1) / 2, used = 0, i, k, cut;
	double *effects = malloc((nr + walsh) * sizeof(*effects)), *averages = effects + nr;
	int err;

	if (!effects)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		effects[i] = effect(a->values[i], b->values[i]);
		for (k = 0; k <= i; k++)
			averages[used++] = (effects[i] + effects[k]) / 2;
	}
	err = paired_cut(nr, &cut);
	if (!err)
		err = signed_rank_p(effects, nr, &ret_shift->p);
	if (!err)
		set_shift(averages, walsh, cut, ret_shift);
	free(effects);
	return err;
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
