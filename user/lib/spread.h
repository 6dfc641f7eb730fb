/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lib/spread.h - read the coarse histogram of one flow's round trips (abi/flow.h).
 */
#ifndef LIB_SPREAD_H
#define LIB_SPREAD_H

#include <stdint.h>

#include "abi/flow.h"

/* The number of values in the FLOW_SPREAD_BUCKETS of one direction. */
uint64_t spread_count(const __u32 *buckets);

/*
 * The smallest time that at least @share (0..1] of the values do not exceed, to the middle of its
 * bucket, so to 1/8 of its value, and within the exact extremes in @rtt; values beyond the range
 * count as its maximum. 0 if empty.
 */
uint64_t spread_percentile_ns(const __u32 *buckets, const struct flow_rtt *rtt, double share);

#endif
