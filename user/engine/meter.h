/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/meter.h - what this host spends while it measures, and whether that was
 * the limit.
 */
#ifndef ENGINE_METER_H
#define ENGINE_METER_H

#include <stdbool.h>

#include "engine/tx.h"
#include "report/result.h"

struct meter;

/*
 * Begins, once all is open. @ifname: whose interrupts and receive overruns are
 * told, in this thread's network namespace; NULL: none. Never fails: what it
 * cannot read is null in the result. All functions take NULL.
 */
struct meter *meter_start(const char *ifname);

/*
 * The work is done: what comes later is not counted, but the BPF maps must still be
 * there. A second call changes nothing.
 */
void meter_stop(struct meter *meter);

/*
 * Stops, and writes "self" of @res, with a table of the CPUs. Comes after all
 * other reports, as it judges by what they said: the bottleneck is told of @tx
 * (NULL: nothing is sent), and of the receiver where @receives.
 */
void meter_report(struct meter *meter, const struct tx *tx, bool receives, struct result *res);

void meter_free(struct meter *meter);

#endif
