/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lib/stat.h - medians, ranks and intervals of a few repeated measurements.
 *
 * Nothing here except stat_student() assumes a distribution. Random choices use the caller's seed,
 * so the same values give the same answer.
 */
#ifndef LIB_STAT_H
#define LIB_STAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Up to this many values in both samples together the test is exact, also with ties. */
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

struct stat_interval {
	double low, high;
};

/* Percentile bootstrap of the effect: each sample is resampled from its own values. */
int stat_bootstrap(const struct stat_sample *a, const struct stat_sample *b, stat_effect *effect,
		   double confidence, uint64_t seed, struct stat_interval *ret_interval);

/*
 * Student's t: a variable with @freedom degrees of freedom is within -t and t with probability
 * @confidence. Assumes a normal distribution.
 */
double stat_student(double confidence, unsigned int freedom);

/*
 * The effect that a comparison of @nr_a with @nr_b values shows by chance: the 95th percentile of
 * |effect| between random halves of @sample, scaled from the halves' sizes to these. INFINITY for
 * fewer than four values.
 */
int stat_split_noise(const struct stat_sample *sample, size_t nr_a, size_t nr_b,
		     stat_effect *effect, uint64_t seed, double *ret_noise);

#endif
