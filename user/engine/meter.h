/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/meter.h - what the instrument itself uses while it measures.
 */
#ifndef ENGINE_METER_H
#define ENGINE_METER_H

#include <stdint.h>

#include "report/result.h"

struct meter {
	uint64_t start_mono_ns;
	uint64_t user_ns, system_ns;	/* of this process */
	uint64_t idle_ticks, all_ticks;	/* of the host, over all CPUs */
};

void meter_start(struct meter *meter);

/* Cores busy since meter_start(), into "self" of @res: this process's, and the whole host's. */
void meter_report(const struct meter *meter, struct result *res);

#endif
