/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lib/stat.h - medians, ranks and intervals of a few repeated measurements.
 *
 * Nothing here except stat_student() assumes a distribution.
 */
#ifndef LIB_STAT_H
#define LIB_STAT_H

#include <stdbool.h>
#include <stddef.h>

/* One sample of a comparison; at least one value, all finite. */
struct stat_sample {
	const double *values;
	size_t nr;
};

/* Quantile @q (0..1) of sorted values, with linear interpolation (Hyndman and Fan, type 7). */
double stat_quantile(const double *sorted, size_t nr, double q);

/* Returns 0 or -ENOMEM, like all below. */
int stat_median(const struct stat_sample *sample, double *ret_median);

struct stat_rank {
	double u;	/* pairs in which a's value is the larger one; ties count half */
	double p;	/* two-sided */
	bool exact;	/* over all permutations; otherwise by the normal approximation */
};

/* Up to this many values in both samples together, or pairs, a test is exact, also with ties. */
#define STAT_EXACT_MAX 40

/*
 * Mann-Whitney test of whether a and b have the same distribution. Above STAT_EXACT_MAX by the
 * normal approximation, corrected for ties and continuity.
 */
int stat_rank_test(const struct stat_sample *a, const struct stat_sample *b,
		   struct stat_rank *ret_rank);

/* The distance of the medians @a and @b: the logarithm of their ratio, or their difference. */
typedef double stat_effect(double a, double b);
double stat_effect_ratio(double a, double b);		/* for values above 0 */
double stat_effect_difference(double a, double b);

struct stat_shift {
	double shift;		/* Hodges-Lehmann estimate, on the scale of the effect */
	double low, high;	/* 95 % interval; infinite for fewer than four values a side, six pairs */
	double p;		/* two-sided, of the test that the interval belongs to */
};

/*
 * How far b lies from a: the median of the effects of all pairs of an a and a b (Hodges and Lehmann,
 * 1963), and the interval of those shifts that the Mann-Whitney test does not reject (Hollander and
 * Wolfe, Nonparametric Statistical Methods, 4.2 and 4.3).
 */
int stat_shift(const struct stat_sample *a, const struct stat_sample *b, stat_effect *effect,
	       struct stat_shift *ret_shift);

/*
 * The same of values that were taken in pairs, as many of a as of b: the median of the Walsh averages
 * of the pairs' effects, with Wilcoxon's signed-rank test (3.2 and 3.3 there). What changes from pair
 * to pair does not widen the interval.
 */
int stat_paired_shift(const struct stat_sample *a, const struct stat_sample *b, stat_effect *effect,
		      struct stat_shift *ret_shift);

/*
 * Student's t: a variable with @freedom degrees of freedom is within -t and t with probability
 * @confidence. Assumes a normal distribution.
 */
double stat_student(double confidence, unsigned int freedom);

#endif
