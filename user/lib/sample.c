// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lib/sample.c - counts estimated from a random sample.
 */
#include "lib/sample.h"

#include <math.h>

#define Z_95	1.959964

void sample_gaps(uint32_t one_in, uint32_t *ret_gaps, size_t nr)
{
	uint64_t lacks = (uint64_t)one_in * nr;
	size_t i;

	for (i = 0; i < nr; i++) {
		double above = 1 - ((double)i + 0.5) / (double)nr;
		double gap = one_in > 1 ? ceil(log(above) / log1p(-1.0 / one_in)) : 1;

		ret_gaps[i] = gap < 1 ? 1 : (uint32_t)gap;
		lacks -= ret_gaps[i];
	}
	/* The last one stands for all longer ones, which are longer on average than it is. */
	ret_gaps[nr - 1] += (uint32_t)lacks;
}

/* The variance of a sum as estimated by Horvitz and Thompson, with independent items: (1 - p) / p^2 x squares. */
double sample_error_ratio(uint32_t one_in, double sum, double squares)
{
	if (!(sum > 0))
		return NAN;
	return Z_95 * sqrt((1 - 1.0 / one_in) * squares) / sum;
}
