// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * model/sweep_theory.c - the theoretical limits of a sweep's cell.
 */
#include "model/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/theory.h"

const char *const sweep_bounds[] = { "none", "tcp", "tcp6", "udp", "udp6", "frames", NULL };

/* As a setting by any of its names, or as an option; NULL: not varied. */
static const char *setting_of(const struct sweep *sweep, size_t cell, const char *name)
{
	const struct tune_item *item = tune_find(name, strlen(name));
	size_t i;

	for (i = 0; i < sweep->nr_varied; i++) {
		if (sweep->varied[i].item == item)
			return sweep_value(sweep, cell, i);
	}
	return sweep_value_of(sweep, cell, name);
}

/* The MTU of the cell or the interface, or as the connections' segments show; else Ethernet's. */
static uint32_t mtu_of(const char *varied, const struct theory_stack *stack,
		       const struct outcome_run *run)
{
	if (varied)
		return (uint32_t)strtoul(varied, NULL, 10);
	if (run && run->mtu)
		return run->mtu;
	if (run && stack->tcp && run->mss_bytes)
		return run->mss_bytes + (stack->ip6 ? 40 : 20) + 20 + stack->options_bytes;
	return 1500;
}

double sweep_bound_of(const struct sweep *sweep, size_t cell, enum sweep_bound bound,
		      double link_bps, bool half_duplex, const struct outcome_run *run)
{
	const char *mtu = setting_of(sweep, cell, "mtu");
	const char *frame_bytes = sweep_value_of(sweep, cell, "frame-bytes");
	const char *stamps = setting_of(sweep, cell, "tcp_timestamps");
	const struct theory_stack stack = {
		.tcp = bound == SWEEP_BOUND_TCP || bound == SWEEP_BOUND_TCP6,
		.ip6 = bound == SWEEP_BOUND_TCP6 || bound == SWEEP_BOUND_UDP6,
		.options_bytes = stamps && !strcmp(stamps, "0") ? 0 : THEORY_TIMESTAMPS_BYTES,
	};
	struct theory_path path = {
		.link_bps = link_bps, .half_duplex = half_duplex || (run && run->half_duplex),
	};
	bool both_ways = run && run->both_ways;

	if (bound == SWEEP_BOUND_NONE)
		return NAN;
	if (bound == SWEEP_BOUND_FRAMES)
		return frame_bytes ? theory_frame_pps(link_bps, (uint32_t)strtoul(frame_bytes, NULL, 10)) :
		       NAN;
	path.mtu = mtu_of(mtu, &stack, run);
	return (both_ways ? theory_both_ways_ratio : theory_goodput_ratio)(&path, &stack) * link_bps;
}
