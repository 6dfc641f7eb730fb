/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/study/sweep_ends.h - where the settings of a sweep are changed: here, or at each of
 * several interfaces, of other network namespaces too.
 */
#ifndef ENGINE_STUDY_SWEEP_ENDS_H
#define ENGINE_STUDY_SWEEP_ENDS_H

#include "engine/study/tune.h"
#include "lib/err.h"
#include "lib/opt.h"

#define SWEEP_MAX_ENDS 8

struct sweep_ends {
	struct sweep_end {
		struct tune_path path;
		const char *netns;	/* NULL: this thread's */
		int fd;
	} ends[SWEEP_MAX_ENDS];
	size_t nr;
};

/* @names: "IFACE" or "IFACE@NETNS" each, and outlive it; without any it is here. Pure: for a check. */
int sweep_ends_check(const struct opt_strs *names, struct err *e);

/* Refused where settings are changed already: they would be put back with this sweep's own. */
int sweep_ends_open(struct sweep_ends *ends, const struct opt_strs *names, struct err *e);
void sweep_ends_close(struct sweep_ends *ends);

/* tune_apply() and tune_restore() at each end. */
int sweep_ends_apply(const struct sweep_ends *ends, const char *list, struct err *e);
int sweep_ends_restore(const struct sweep_ends *ends, struct err *e);

#endif
