/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/search.h - search for the highest load that a device forwards: pure, over abstract trials.
 *
 * Terms and logic of RFC 9971 (MLRsearch). The choice of loads and durations is left to the
 * implementation there; ideas for it (shorter targets first, the forwarding rate as a hint,
 * widening steps) are from FD.io's MLRsearch library.
 */
#ifndef MODEL_SEARCH_H
#define MODEL_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

/* A Search Goal with all its attributes, RFC 9971 4.6 */
struct search_goal {
	char name[32];
	double loss_ratio;		/* 0 to below 1 */
	double exceed_ratio;		/* the same; share of the trials' time */
	double width_ratio;		/* (upper - lower) / upper, above 0 */
	uint64_t initial_trial_ns;
	uint64_t final_trial_ns;
	uint64_t duration_sum_ns;
};

struct search_trial {
	double load_pps;
	uint64_t trial_ns;		/* as requested: distinguishes short from full-length
					 * trials */
	uint64_t effective_ns;		/* used for the sums */
	double loss_ratio;
	/*
	 * Not 0: the generator reached only this load. The trial then says nothing about the
	 * device, and no such load is tried again.
	 */
	double reached_pps;
};

struct search_log {
	struct search_trial *trials;
	size_t nr, room;
};

enum search_class { SEARCH_UNDECIDED, SEARCH_LOWER, SEARCH_UPPER };

/* Total time of the trials at one load, by length and loss. */
struct search_sums {
	double full_low_ns, full_high_ns, short_low_ns, short_high_ns;
};

struct search_bounds {
	bool has_lower, has_upper;
	double lower_pps, upper_pps;	/* the relevant bounds */
	double conditional_pps;		/* throughput at the lower bound */
};

struct search_sums search_sum(const struct search_log *log, const struct search_goal *goal,
			      double load_pps);

/* RFC 9971 appendix A */
enum search_class search_classify(const struct search_sums *sums, const struct search_goal *goal);

/* RFC 9971 appendix B; requires a trial at @load_pps. */
double search_conditional_pps(const struct search_log *log, const struct search_goal *goal,
			      double load_pps);

void search_bounds(const struct search_log *log, const struct search_goal *goal,
		   struct search_bounds *ret_bounds);

struct search {
	double min_pps, max_pps;	/* max_pps is reduced to what the generator reaches */
	/* 0, or negative errno to end the search: the log then has what was found so far. */
	int (*run)(void *ctx, double load_pps, uint64_t trial_ns, struct search_trial *ret_trial,
		   struct err *e);
	void *ctx;
	struct search_log log;		/* of regular trials */
	bool limited;			/* max_pps is the generator's limit, not the requested
					 * one */
};

int search_mlr(struct search *search, const struct search_goal *goals, size_t nr_goals,
	       struct err *e);

/*
 * Halves the interval with initial trials, and confirms with a final one (RFC 2544 24); of the
 * goal's other attributes, only loss ratio and width are used.
 */
int search_binary(struct search *search, const struct search_goal *goal, struct err *e);

void search_release(struct search *search);

#endif
