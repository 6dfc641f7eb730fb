/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/study/sweep_ends.h - where a sweep changes settings: here, or at several interfaces, also
 * in other network namespaces.
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

/*
 * @names: each "IFACE" or "IFACE@NETNS", must outlive the ends; none: this thread's namespace.
 * Pure.
 */
int sweep_ends_check(const struct opt_strs *names, struct err *e);

/* Fails if settings are already changed: this sweep would restore them together with its own. */
int sweep_ends_open(struct sweep_ends *ends, const struct opt_strs *names, struct err *e);
void sweep_ends_close(struct sweep_ends *ends);

/* tune_apply() and tune_restore() at each end. */
int sweep_ends_apply(const struct sweep_ends *ends, const char *list, struct err *e);
int sweep_ends_restore(const struct sweep_ends *ends, struct err *e);

#endif
