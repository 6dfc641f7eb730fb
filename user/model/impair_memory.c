// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * model/impair_memory.c - how many frames a forwarder can come to hold.
 */
#include "model/impair_memory.h"

#include <math.h>

#include "lib/unit.h"

#define BASE_FRAMES	16384	/* in hand: a thread without CPU for 16 ms, at a million packets a second */
#define FORWARDED_PPS	4e6	/* more than one thread forwards */
#define LEAST_BYTES	64
#define QUEUED_BYTES	34	/* the shortest frame of a queue, a fragment */
#define CUT_BYTES	1500	/* of a packet that is cut into fragments */
#define NORMAL_SPREADS	6	/* one in 10^9 is above */

/* INFINITY: no bound that would be of use. */
static double longest_ns(const struct bump_delay *delay)
{
	double most = 0;
	size_t i;

	switch (delay->shape) {
	case BUMP_CONSTANT:
		return (double)delay->mean_ns;
	case BUMP_UNIFORM:
		return (double)delay->mean_ns + (double)delay->spread_ns;
	case BUMP_NORMAL:
		return (double)delay->mean_ns + NORMAL_SPREADS * (double)delay->spread_ns;
	case BUMP_TABLE:
		for (i = 0; i < delay->nr_table; i++)
			most = fmax(most, (double)delay->table_ns[i]);
		return most;
	default:
		return INFINITY;
	}
}

uint32_t impair_frames(const struct impair_rules *rules, uint64_t link_bps, double rate_l1_bps,
		       uint64_t queue_bytes, uint64_t queue_packets)
{
	double pps = link_bps ? (double)link_bps / (8 * (LEAST_BYTES + UNIT_GAP_BYTES)) : FORWARDED_PPS;
	double delay_ns = 0, places = 0, queue = 0, each = 1, frames;
	uint32_t i;

	for (i = 0; i < rules->nr; i++) {
		const struct impair_rule *rule = &rules->rules[i];

		if (rule->kind == IMPAIR_DELAY)
			delay_ns = fmax(delay_ns, longest_ns(&rules->delays[i]));
		else if (rule->kind == IMPAIR_REORDER)
			places += rule->arg;
		else if (rule->kind == IMPAIR_DUPLICATE)
			each *= 1 + rule->arg;
		else if (rule->kind == IMPAIR_FRAGMENT)
			each *= ceil((double)CUT_BYTES / fmax(rule->arg, 8));
	}
	if (rate_l1_bps > 0)
		queue = queue_packets ? (double)queue_packets : (double)queue_bytes / QUEUED_BYTES;
	frames = each * (BASE_FRAMES + places + queue + fmin(pps, FORWARDED_PPS) * delay_ns / 1e9);
	return frames < IMPAIR_FRAMES ? (uint32_t)frames : IMPAIR_FRAMES;
}
