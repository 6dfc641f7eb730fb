// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lib/spread.c - percentiles of one flow's round trips.
 */
#include "lib/spread.h"

#include <math.h>

uint64_t spread_count(const __u32 *buckets)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < FLOW_SPREAD_BUCKETS; i++)
		sum += buckets[i];
	return sum;
}

uint64_t spread_percentile_ns(const __u32 *buckets, const struct flow_rtt *rtt, double share)
{
	uint64_t count = spread_count(buckets), rank = (uint64_t)ceil(share * (double)count);
	uint64_t seen = 0, min_ns = ~rtt->not_min_ns, ns = rtt->max_ns;
	uint32_t i;

	if (!count)
		return 0;
	for (i = 0; i + 1 < FLOW_SPREAD_BUCKETS; i++) {
		seen += buckets[i];
		if (seen < rank)
			continue;
		ns = (flow_spread_lower_ns(i) + flow_spread_lower_ns(i + 1)) / 2;
		break;
	}
	if (ns < min_ns)
		return min_ns;
	return ns < rtt->max_ns ? ns : rtt->max_ns;
}
