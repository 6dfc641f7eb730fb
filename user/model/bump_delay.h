/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/bump_delay.h - how long a packet is delayed: drawn from a distribution.
 */
#ifndef MODEL_BUMP_DELAY_H
#define MODEL_BUMP_DELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/hist.h"
#include "abi/impair.h"

/* The delay of a packet: a value of the distribution, drawn from (seed, rule, ordinal). */
enum bump_shape {
	BUMP_CONSTANT,
	BUMP_UNIFORM,		/* mean_ns +- spread_ns */
	BUMP_NORMAL,		/* mean, standard deviation spread_ns; never below 0 */
	BUMP_PARETO,		/* from mean_ns on, scale spread_ns, shape alpha (Pareto II) */
	BUMP_TABLE,		/* values of a file, all equally likely */
};

struct bump_delay {
	enum bump_shape shape;
	uint64_t mean_ns, spread_ns;
	double alpha;
	const uint64_t *table_ns;
	size_t nr_table;
	bool keep_order;	/* no packet overtakes an earlier one */
};

/* Longer delays are limited to this, the range of a histogram, some 18 minutes. */
#define BUMP_MAX_DELAY_NS ((1ull << HIST_MAX_BITS) - 1)

/* The delay of packet @ordinal; pure, so that tests can compute it again. */
uint64_t bump_delay_ns(const struct bump_delay *delay, uint64_t seed, uint32_t rule,
		       uint64_t ordinal);

#endif
