// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * compare/compare_judge.c - judge one figure of two sides.
 */
#include "compare/compare_judge.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/*
 * The change between runs of the same setup (A/A): what another boot or day changes. Without such
 * runs there is none: how far the runs of one side spread is in the interval already.
 */
static int find_noise(const struct stat_sample *base, const struct stat_sample *noise,
		      stat_effect *effect, double *ret_noise)
{
	struct stat_shift shift;
	int err;

	*ret_noise = noise->nr ? INFINITY : 0;
	if (noise->nr < COMPARE_MIN_RUNS)
		return 0;
	err = stat_shift(base, noise, effect, &shift);
	if (!err)
		*ret_noise = fabs(shift.shift);
	return err;
}

static enum compare_verdict direction(enum metric_better better, double effect)
{
	if (better == METRIC_NEITHER)
		return COMPARE_CHANGED;
	return (effect > 0) == (better == METRIC_HIGHER) ? COMPARE_BETTER : COMPARE_WORSE;
}

static void decide(const struct compare_rule *rule, const struct stat_shift *shift, double noise,
		   struct compare_judgement *j)
{
	/* Relative to the base, for differences too; any change from 0 exceeds every threshold. */
	double limit = rule->threshold_ratio * (j->by_ratio ? 1 : fabs(j->base_median));
	bool clear = shift->low > noise || shift->high < -noise;

	if (clear && j->p <= SIGNIFICANT_P) {
		j->verdict = direction(rule->better, shift->shift);
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
	double (*shown)(double) = j->by_ratio ? expm1 : fabs, noise;
	struct stat_shift shift;
	int err;

	j->paired = rule->in_pairs && base->nr == new->nr && base->nr >= COMPARE_MIN_PAIRS;
	err = (j->paired ? stat_paired_shift : stat_shift)(base, new, effect, &shift);
	if (!err)
		err = find_noise(base, noises, effect, &noise);
	if (err)
		return err;
	if (j->by_ratio)
		noise = fmax(noise, log1p(fmax(rule->resolution_ratio, COMPARE_LEAST_RATIO)));
	j->p = shift.p;
	j->change = j->by_ratio ? expm1(shift.shift) : shift.shift;
	j->low = isinf(shift.low) ? NAN : j->by_ratio ? expm1(shift.low) : shift.low;
	j->high = isinf(shift.high) ? NAN : j->by_ratio ? expm1(shift.high) : shift.high;
	j->noise = shown(noise);
	j->smallest = shown(noise + (shift.high - shift.low) / 2);
	if (!too_few(base, new, j))
		decide(rule, &shift, noise, j);
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
