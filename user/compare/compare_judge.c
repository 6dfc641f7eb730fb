// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * compare/compare_judge.c - judge one figure of two sides.
 */
#include "compare/compare_judge.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CONFIDENCE	0.95
#define SIGNIFICANT_P	0.05

const char *compare_verdict_name(enum compare_verdict verdict)
{
	static const char *const names[] = {
		[COMPARE_SAME] = "same", [COMPARE_BETTER] = "better", [COMPARE_WORSE] = "worse",
		[COMPARE_CHANGED] = "changed", [COMPARE_INCONCLUSIVE] = "inconclusive",
	};

	return names[verdict];
}

static bool all_positive(const struct stat_sample *sample)
{
	size_t i;

	for (i = 0; i < sample->nr; i++) {
		if (sample->values[i] <= 0)
			return false;
	}
	return true;
}

/* A/A difference: between the two sets of runs, and between halves of all of them. */
static int find_aa_noise(const struct compare_rule *rule, const struct stat_sample *base,
			 const struct stat_sample *new, const struct stat_sample *noise,
			 stat_effect *effect, double *ret_noise)
{
	double *values = malloc((base->nr + noise->nr) * sizeof(*values));
	const struct stat_sample all = { .values = values, .nr = base->nr + noise->nr };
	double base_median, noise_median, split;
	int err;

	if (!values)
		return -ENOMEM;
	memcpy(values, base->values, base->nr * sizeof(*values));
	memcpy(values + base->nr, noise->values, noise->nr * sizeof(*values));
	err = stat_split_noise(&all, base->nr, new->nr, effect, rule->seed, &split);
	if (!err)
		err = stat_median(base, &base_median);
	if (!err)
		err = stat_median(noise, &noise_median);
	if (!err)
		*ret_noise = fmax(split, fabs(effect(base_median, noise_median)));
	free(values);
	return err;
}

/* On the scale of the effect up and down are symmetric, so floor and interval can be added. */
static int find_noise(const struct compare_rule *rule, const struct stat_sample *base,
		      const struct stat_sample *new, const struct stat_sample *noise,
		      stat_effect *effect, double *ret_noise)
{
	if (!noise->nr)
		return stat_split_noise(base, base->nr, new->nr, effect, rule->seed, ret_noise);
	if (noise->nr >= COMPARE_MIN_RUNS)
		return find_aa_noise(rule, base, new, noise, effect, ret_noise);
	*ret_noise = INFINITY;
	return 0;
}

static enum compare_verdict direction(enum metric_better better, double effect)
{
	if (better == METRIC_NEITHER)
		return COMPARE_CHANGED;
	return (effect > 0) == (better == METRIC_HIGHER) ? COMPARE_BETTER : COMPARE_WORSE;
}

static void decide(const struct compare_rule *rule, const struct stat_interval *interval,
		   double effect, double noise, struct compare_judgement *j)
{
	/* Relative to the base, for differences too; any change from 0 exceeds every threshold. */
	double limit = rule->threshold_ratio * (j->by_ratio ? 1 : fabs(j->base_median));

	bool clear = interval->low > noise || interval->high < -noise;

	if (clear && j->p <= SIGNIFICANT_P) {
		j->verdict = direction(rule->better, effect);
		j->beyond = fabs(j->change) > limit;
	} else if (j->low >= -limit && j->high <= limit && j->noise <= limit) {
		j->verdict = COMPARE_SAME;
	} else {
		j->verdict = COMPARE_INCONCLUSIVE;
		j->why = isinf(noise) ? "the noise floor is unknown" :
			 clear ? "p is above 0.05" : COMPARE_WHY_SPREAD;
	}
}

static bool too_few(const struct stat_sample *base, const struct stat_sample *new,
		    struct compare_judgement *j)
{
	j->why = !base->nr && !new->nr ? "no value on either side" :
		 !base->nr ? "only the new side has it" :
		 !new->nr ? "only the base has it" :
		 base->nr < COMPARE_MIN_RUNS || new->nr < COMPARE_MIN_RUNS ?
			 "fewer than 5 runs on a side" : NULL;
	return j->why;
}

static int judge_effect(const struct compare_rule *rule, const struct stat_sample *base,
			const struct stat_sample *new, const struct stat_sample *noises,
			struct compare_judgement *j)
{
	stat_effect *effect = j->by_ratio ? stat_effect_ratio : stat_effect_difference;
	double (*shown)(double) = j->by_ratio ? expm1 : fabs, value, noise;
	struct stat_interval interval;
	struct stat_rank rank;
	int err;

	err = stat_bootstrap(base, new, effect, CONFIDENCE, rule->seed, &interval);
	if (!err)
		err = stat_rank_test(base, new, &rank);
	if (!err)
		err = find_noise(rule, base, new, noises, effect, &noise);
	if (err)
		return err;
	value = effect(j->base_median, j->new_median);
	if (j->by_ratio)
		noise = fmax(noise, log1p(rule->resolution_ratio));
	j->p = rank.p;
	j->change = j->by_ratio ? expm1(value) : value;
	j->low = j->by_ratio ? expm1(interval.low) : interval.low;
	j->high = j->by_ratio ? expm1(interval.high) : interval.high;
	j->noise = shown(noise);
	j->smallest = shown(noise + (interval.high - interval.low) / 2);
	if (!too_few(base, new, j))
		decide(rule, &interval, value, noise, j);
	return 0;
}

int compare_judge(const struct compare_rule *rule, const struct stat_sample *base,
		  const struct stat_sample *new, const struct stat_sample *noise,
		  struct compare_judgement *ret_judgement)
{
	struct compare_judgement j = {
		.verdict = COMPARE_INCONCLUSIVE, .base_median = NAN, .new_median = NAN,
		.change = NAN, .low = NAN, .high = NAN, .p = NAN,
		.noise = INFINITY, .smallest = INFINITY,
	};
	int err = 0;

	too_few(base, new, &j);
	if (base->nr)
		err = stat_median(base, &j.base_median);
	if (!err && new->nr)
		err = stat_median(new, &j.new_median);
	if (!err && base->nr && new->nr) {
		j.by_ratio = all_positive(base) && all_positive(new) && all_positive(noise);
		err = judge_effect(rule, base, new, noise, &j);
	}
	if (!err)
		*ret_judgement = j;
	return err;
}
