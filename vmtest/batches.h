/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one of many equal steps costs: the run is cut into batches, and the tenth of them that
 * took longest and the tenth that took shortest are left out. So what comes once in a while and
 * is none of the packets', as the timer's tick, is not in the figure, whenever it happened to
 * come; and what packets cost now and then, as a new page for buffers, is.
 *
 * However long the run is, the same share of its batches has a tick: about 6 of 100 where
 * 500 of them are 125 ms.
 */
#ifndef VMTEST_BATCHES_H
#define VMTEST_BATCHES_H

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define BATCHES		500
#define BATCHES_CUT	10		/* one in so many, at either end */

static inline uint64_t batches_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static inline int batches_order(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Of @nr batches' times, at least one; sorts them. */
static inline double batches_mean_ns(uint64_t *each_ns, size_t nr)
{
	size_t cut = nr / BATCHES_CUT, i;
	double sum_ns = 0;

	qsort(each_ns, nr, sizeof(*each_ns), batches_order);
	for (i = cut; i < nr - cut; i++)
		sum_ns += (double)each_ns[i];
	return sum_ns / (double)(nr - 2 * cut);
}

#endif
