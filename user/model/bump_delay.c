// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * model/bump_delay.c - how long a packet is delayed: drawn from the seed, pure.
 */
#include "model/bump_delay.h"

#include <math.h>

/* Draws from here on differ from those of the BPF program, which decides by lower ones. */
#define DRAW_DELAY	0x8000

/* One of 2^53 numbers in (0, 1]: never 0, which has no logarithm. */
static double draw_share(uint64_t random)
{
	return (double)((random >> 11) + 1) * 0x1p-53;
}

static uint64_t cut(double ns)
{
	if (!(ns > 0))
		return 0;
	return ns < (double)BUMP_MAX_DELAY_NS ? (uint64_t)(ns + 0.5) : BUMP_MAX_DELAY_NS;
}

uint64_t bump_delay_ns(const struct bump_delay *delay, uint64_t seed, uint32_t rule,
		       uint64_t ordinal)
{
	uint64_t random = impair_random(seed, rule, DRAW_DELAY, ordinal);
	double mean = (double)delay->mean_ns, spread = (double)delay->spread_ns, turn;

	switch (delay->shape) {
	case BUMP_UNIFORM:
		return cut(mean + (2 * draw_share(random) - 1) * spread);
	case BUMP_NORMAL:
		/* Box and Muller 1958 */
		turn = draw_share(impair_random(seed, rule, DRAW_DELAY + 1, ordinal));
		return cut(mean + spread * sqrt(-2 * log(draw_share(random))) *
			   cos(2 * M_PI * turn));
	case BUMP_PARETO:
		return cut(mean + spread * (pow(draw_share(random), -1 / delay->alpha) - 1));
	case BUMP_TABLE:
		/* By multiplication, as a remainder would favour the first values. */
		return delay->table_ns[((random >> 32) * delay->nr_table) >> 32];
	case BUMP_CONSTANT:
		break;
	}
	return delay->mean_ns;
}
