// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * model/search.c - search for the highest load that a device forwards.
 */
#include "model/search.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define PHASES		3	/* targets of a goal, from the initial trial to the goal itself */
#define MAX_GOALS	16
#define MAX_TRIALS	5000	/* a search that needs more would never end */
#define CEILING_RATIO	0.98	/* of what the generator reached: reproducible */
#define NEARLY		(1 - 1e-9)

struct search_sums search_sum(const struct search_log *log, const struct search_goal *goal,
			      double load_pps)
{
	struct search_sums sums = { 0 };
	size_t i;

	for (i = 0; i < log->nr; i++) {
		const struct search_trial *trial = &log->trials[i];
		bool high = trial->loss_ratio > goal->loss_ratio;
		double ns = (double)trial->effective_ns;

		if (trial->load_pps != load_pps)
			continue;
		if (trial->trial_ns >= goal->final_trial_ns)
			*(high ? &sums.full_high_ns : &sums.full_low_ns) += ns;
		else
			*(high ? &sums.short_high_ns : &sums.short_low_ns) += ns;
	}
	return sums;
}

enum search_class search_classify(const struct search_sums *sums, const struct search_goal *goal)
{
	double balancing_ns = sums->short_low_ns * goal->exceed_ratio / (1 - goal->exceed_ratio);
	double high_ns = sums->full_high_ns + fmax(0, sums->short_high_ns - balancing_ns);
	double whole_ns = fmax(sums->full_low_ns + high_ns, (double)goal->duration_sum_ns);
	double allowed_ns = whole_ns * goal->exceed_ratio;

	if (whole_ns - sums->full_low_ns <= allowed_ns)
		return SEARCH_LOWER;
	return high_ns <= allowed_ns ? SEARCH_UNDECIDED : SEARCH_UPPER;
}

static int by_loss(const void *a, const void *b)
{
	const struct search_trial *x = a, *y = b;

	return (x->loss_ratio > y->loss_ratio) - (x->loss_ratio < y->loss_ratio);
}

double search_conditional_pps(const struct search_log *log, const struct search_goal *goal,
			      double load_pps)
{
	struct search_sums sums = search_sum(log, goal, load_pps);
	double remaining_ns = fmax((double)goal->duration_sum_ns, sums.full_low_ns + sums.full_high_ns) *
			      (1 - goal->exceed_ratio);
	struct search_trial *full = calloc(log->nr, sizeof(*full));
	double loss_ratio = 1;
	size_t nr = 0, i;

	if (!full)
		return NAN;
	for (i = 0; i < log->nr; i++) {
		if (log->trials[i].load_pps == load_pps &&
		    log->trials[i].trial_ns >= goal->final_trial_ns)
			full[nr++] = log->trials[i];
	}
	qsort(full, nr, sizeof(*full), by_loss);
	for (i = 0; i < nr && (!i || remaining_ns > 0); i++) {
		loss_ratio = full[i].loss_ratio;
		remaining_ns -= (double)full[i].effective_ns;
	}
	if (remaining_ns > 0)		/* missing time counts as lossy */
		loss_ratio = 1;
	free(full);
	return load_pps * (1 - loss_ratio);
}

static enum search_class class_of(const struct search_log *log, const struct search_goal *goal,
				  double load_pps)
{
	struct search_sums sums = search_sum(log, goal, load_pps);

	return search_classify(&sums, goal);
}

/* Bounds without the values derived from them. */
static struct search_bounds find_bounds(const struct search_log *log,
					const struct search_goal *goal)
{
	struct search_bounds b = { 0 };
	size_t i;

	for (i = 0; i < log->nr; i++) {
		double load_pps = log->trials[i].load_pps;

		if ((!b.has_upper || load_pps < b.upper_pps) &&
		    class_of(log, goal, load_pps) == SEARCH_UPPER) {
			b.has_upper = true;
			b.upper_pps = load_pps;
		}
	}
	for (i = 0; i < log->nr; i++) {
		double load_pps = log->trials[i].load_pps;

		if ((!b.has_upper || load_pps < b.upper_pps) &&
		    (!b.has_lower || load_pps > b.lower_pps) &&
		    class_of(log, goal, load_pps) == SEARCH_LOWER) {
			b.has_lower = true;
			b.lower_pps = load_pps;
		}
	}
	return b;
}

void search_bounds(const struct search_log *log, const struct search_goal *goal,
		   struct search_bounds *ret_bounds)
{
	*ret_bounds = find_bounds(log, goal);
	if (ret_bounds->has_lower)
		ret_bounds->conditional_pps = search_conditional_pps(log, goal,
								     ret_bounds->lower_pps);
}

/* The highest load below @load_pps that the generator has reached; 0: none. */
static double best_reached(const struct search_log *log, double load_pps)
{
	double best_pps = 0;
	size_t i;

	for (i = 0; i < log->nr; i++) {
		if (log->trials[i].load_pps < load_pps * NEARLY)
			best_pps = fmax(best_pps, log->trials[i].load_pps);
	}
	return best_pps;
}

/* *ret_regular: the trial is in the log. Otherwise max_pps has been reduced below this load. */
static int measure(struct search *search, double load_pps, uint64_t trial_ns, bool *ret_regular,
		   struct err *e)
{
	struct search_log *log = &search->log;
	struct search_trial trial = { 0 }, *more;
	int err;

	if (log->nr >= MAX_TRIALS)
		return err_set(e, -ELOOP, "the search did not converge in %d trials", MAX_TRIALS);
	if (log->nr == log->room) {
		more = realloc(log->trials, (2 * log->room + 64) * sizeof(*more));
		if (!more)
			return err_set(e, -ENOMEM, "cannot allocate the trials");
		log->trials = more;
		log->room = 2 * log->room + 64;
	}
	err = search->run(search->ctx, load_pps, trial_ns, &trial, e);
	if (err)
		return err;
	*ret_regular = !(trial.reached_pps > 0);
	if (*ret_regular) {
		log->trials[log->nr++] = trial;
		return 0;
	}
	search->limited = true;
	/* A stall of this trial does not take back what an earlier one reached. */
	search->max_pps = fmax(fmin(trial.reached_pps, load_pps) * CEILING_RATIO,
			       best_reached(log, load_pps));
	if (search->max_pps > search->min_pps)
		return 0;
	return err_set(e, -ERANGE, "the generator does not reach the lowest load, %g packets/s",
		       search->min_pps);
}

/* Where a target's bounds are expected; 0: unknown. */
struct guess {
	double lower_pps, upper_pps;
};

static bool is_narrow(double lower_pps, double upper_pps, double width_ratio)
{
	return upper_pps - lower_pps <= width_ratio * upper_pps / NEARLY;
}

static bool is_reached(const struct search *search, const struct search_goal *target,
		       const struct search_bounds *b)
{
	if (b->has_lower && (b->lower_pps >= search->max_pps * NEARLY ||
			     (b->has_upper && is_narrow(b->lower_pps, b->upper_pps, target->width_ratio))))
		return true;
	return !b->has_lower && b->has_upper && b->upper_pps <= search->min_pps / NEARLY;
}

static bool is_inside(double load_pps, const struct search_bounds *b)
{
	return load_pps > 0 && (!b->has_lower || load_pps > b->lower_pps) &&
	       (!b->has_upper || load_pps < b->upper_pps);
}

/* Moves away from a bound that was guessed wrong, in doubling steps; 0: halving is better. */
static double step_out(const struct search_bounds *b, const struct guess *guess, double *step_ratio)
{
	bool both = b->has_lower && b->has_upper;
	double middle_pps = both ? sqrt(b->lower_pps * b->upper_pps) : 0;
	double step = fmin(*step_ratio, 0.5), load_pps = 0;

	if (b->has_upper && (!both || guess->lower_pps >= b->upper_pps))
		load_pps = fmax(middle_pps, b->upper_pps * (1 - step));
	else if (b->has_lower && (!both || (guess->upper_pps > 0 && guess->upper_pps <= b->lower_pps)))
		load_pps = both ? fmin(middle_pps, b->lower_pps / (1 - step)) : b->lower_pps / (1 - step);
	if (load_pps > 0)
		*step_ratio *= 2;
	return load_pps;
}

/* The next load to classify: lower ones first, as they may decide the upper ones. */
static double pick(const struct search *search, const struct search_goal *target,
		   const struct search_bounds *b, const struct guess *guess, double *step_ratio)
{
	bool guess_lower = is_inside(guess->lower_pps, b), guess_upper = is_inside(guess->upper_pps, b);
	double lower_pps = guess_lower ? guess->lower_pps : b->lower_pps;
	double upper_pps = guess_upper ? guess->upper_pps : b->upper_pps;
	double load_pps = 0;

	if (!guess_lower && !guess_upper)
		load_pps = step_out(b, guess, step_ratio);
	if (!(load_pps > 0)) {
		if (lower_pps > 0 && upper_pps > 0 && !is_narrow(lower_pps, upper_pps, target->width_ratio))
			load_pps = sqrt(lower_pps * upper_pps);
		else
			load_pps = guess_lower ? lower_pps : upper_pps;
	}
	return fmax(search->min_pps, fmin(load_pps, search->max_pps));
}

static int classify_load(struct search *search, const struct search_goal *target, double load_pps,
			 struct err *e)
{
	bool regular = true;
	int err = 0;

	while (!err && regular &&
	       class_of(&search->log, target, load_pps) == SEARCH_UNDECIDED)
		err = measure(search, load_pps, target->final_trial_ns, &regular, e);
	return err;
}

static struct guess guess_around(double load_pps, double width_ratio)
{
	double lower_pps = load_pps * (1 - width_ratio / 2);

	return (struct guess){ lower_pps, lower_pps / (1 - width_ratio) };
}

/*
 * Longer trials lost packets where shorter ones did not: what they forwarded is the better guess.
 */
static void guess_anew(const struct search *search, const struct search_goal *target,
		       double load_pps, struct guess *guess)
{
	double pps = search_conditional_pps(&search->log, target, load_pps) / (1 - target->loss_ratio);

	if (pps > load_pps / 2 && pps < load_pps * (1 - target->width_ratio))
		*guess = guess_around(pps, target->width_ratio);
}

/* Finds the bounds of one target to its width; they are the next target's guess. */
static int reach(struct search *search, const struct search_goal *target, double step_ratio,
		 struct guess *guess, struct err *e)
{
	struct search_bounds b = find_bounds(&search->log, target);
	bool again = true;
	double load_pps;
	int err;

	while (!is_reached(search, target, &b)) {
		load_pps = pick(search, target, &b, guess, &step_ratio);
		err = classify_load(search, target, load_pps, e);
		if (err)
			return err;
		b = find_bounds(&search->log, target);
		if (again && load_pps == guess->lower_pps && b.upper_pps == load_pps) {
			again = false;
			guess_anew(search, target, load_pps, guess);
		}
	}
	guess->lower_pps = b.has_lower ? b.lower_pps : 0;
	guess->upper_pps = b.has_upper ? b.upper_pps : 0;
	return 0;
}

/* Cheaper versions of the goal: less total time, and wider; the last one is the goal. */
static bool target_of(const struct search_goal *goal, int phase, struct search_goal *ret_target)
{
	int left = PHASES - 1 - phase;
	double sum_ns = (double)goal->duration_sum_ns;

	*ret_target = *goal;
	if (!left)
		return true;
	if (goal->initial_trial_ns >= goal->duration_sum_ns)
		return false;
	sum_ns *= pow((double)goal->initial_trial_ns / sum_ns, (double)left / (PHASES - 1));
	ret_target->duration_sum_ns = (uint64_t)sum_ns;
	if (ret_target->final_trial_ns > ret_target->duration_sum_ns)
		ret_target->final_trial_ns = ret_target->duration_sum_ns;
	ret_target->width_ratio = fmin(goal->width_ratio * (1 << left), 0.5);
	return true;
}

/* Trials at the highest load and at the rate forwarded there; NAN: no loss at the highest load. */
static int find_hint(struct search *search, const struct search_goal *goal, double *ret_hint_pps,
		     struct err *e)
{
	uint64_t trial_ns = goal->initial_trial_ns < goal->final_trial_ns ? goal->initial_trial_ns :
			    goal->final_trial_ns;
	double hint_pps = search->max_pps;
	const struct search_trial *trial;
	bool regular;
	int i, err;

	for (i = 0; i < 2;) {
		err = measure(search, hint_pps, trial_ns, &regular, e);
		if (err)
			return err;
		if (!regular) {
			hint_pps = search->max_pps;
			continue;
		}
		trial = &search->log.trials[search->log.nr - 1];
		if (trial->loss_ratio <= goal->loss_ratio) {
			*ret_hint_pps = i ? hint_pps : NAN;
			return 0;
		}
		hint_pps = fmax(search->min_pps, hint_pps * (1 - trial->loss_ratio) / (1 - goal->loss_ratio));
		i++;
	}
	*ret_hint_pps = hint_pps;
	return 0;
}

int search_mlr(struct search *search, const struct search_goal *goals, size_t nr_goals,
	       struct err *e)
{
	struct guess guesses[MAX_GOALS];
	const struct search_goal *strict = &goals[0];
	struct search_goal target;
	double hint_pps;
	size_t i;
	int phase, err;

	if (nr_goals > MAX_GOALS)
		return err_usage(e, "%zu goals, but one search supports at most %d", nr_goals, MAX_GOALS);
	for (i = 1; i < nr_goals; i++)
		strict = goals[i].loss_ratio < strict->loss_ratio ? &goals[i] : strict;
	err = find_hint(search, strict, &hint_pps, e);
	if (err)
		return err;
	for (i = 0; i < nr_goals; i++) {
		double pps = hint_pps * (1 - strict->loss_ratio) / (1 - goals[i].loss_ratio);

		guesses[i] = isnan(hint_pps) ? (struct guess){ search->max_pps, 0 } :
			     guess_around(pps, goals[i].width_ratio);
	}
	for (phase = 0; phase < PHASES; phase++) {
		for (i = 0; i < nr_goals; i++) {
			if (!target_of(&goals[i], phase, &target))
				continue;
			err = reach(search, &target, goals[i].width_ratio, &guesses[i], e);
			if (err)
				return err;
		}
	}
	return 0;
}

/* *ret_good: the loss is within the goal's limit. An irregular trial is neither good nor bad. */
static int try_load(struct search *search, const struct search_goal *goal, double load_pps,
		    uint64_t trial_ns, bool *ret_regular, bool *ret_good, struct err *e)
{
	int err = measure(search, load_pps, trial_ns, ret_regular, e);

	if (!err)
		*ret_good = *ret_regular &&
			    search->log.trials[search->log.nr - 1].loss_ratio <= goal->loss_ratio;
	return err;
}

/* Halves down to the width; *lower_pps 0 at first: no load is known to be good. */
static int halve(struct search *search, const struct search_goal *goal, uint64_t trial_ns,
		 double *lower_pps, double *upper_pps, struct err *e)
{
	bool regular, good;
	double load_pps;
	int err;

	while (!is_narrow(fmax(*lower_pps, search->min_pps), *upper_pps, goal->width_ratio)) {
		load_pps = (fmax(*lower_pps, search->min_pps) + *upper_pps) / 2;
		err = try_load(search, goal, load_pps, trial_ns, &regular, &good, e);
		if (err)
			return err;
		if (good)
			*lower_pps = load_pps;
		else
			*upper_pps = regular ? load_pps : search->max_pps;
	}
	return 0;
}

int search_binary(struct search *search, const struct search_goal *goal, struct err *e)
{
	uint64_t final_ns = goal->final_trial_ns;
	uint64_t trial_ns = goal->initial_trial_ns < final_ns ? goal->initial_trial_ns : final_ns;
	double lower_pps = 0, upper_pps, step_ratio = goal->width_ratio;
	bool regular, good = false;
	int err;

	do {
		upper_pps = search->max_pps;
		err = try_load(search, goal, upper_pps, trial_ns, &regular, &good, e);
	} while (!err && !regular);
	if (!err && good)
		lower_pps = upper_pps;
	else if (!err)
		err = halve(search, goal, trial_ns, &lower_pps, &upper_pps, e);
	/* Confirms what short trials found, or searches below it in doubling steps. */
	while (!err && (trial_ns < final_ns || !(lower_pps > 0))) {
		lower_pps = fmax(lower_pps, search->min_pps);
		err = try_load(search, goal, lower_pps, final_ns, &regular, &good, e);
		if (err || good) {
			trial_ns = final_ns;
			break;
		}
		if (!regular) {
			lower_pps = upper_pps = search->max_pps;
			continue;
		}
		upper_pps = lower_pps;
		if (lower_pps <= search->min_pps / NEARLY)
			return 0;
		lower_pps = upper_pps * (1 - fmin(step_ratio, 0.5));
		step_ratio *= 2;
	}
	return err ? err : halve(search, goal, final_ns, &lower_pps, &upper_pps, e);
}

void search_release(struct search *search)
{
	free(search->log.trials);
	search->log = (struct search_log){ 0 };
}
