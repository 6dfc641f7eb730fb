/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/watch/watch_filter.h - open the watching programs with a filter's code inserted.
 */
#ifndef ENGINE_WATCH_WATCH_FILTER_H
#define ENGINE_WATCH_WATCH_FILTER_H

#include "proto/filter_code.h"

struct bpf_object_skeleton;

/*
 * Opens @skel, already created, in place of bpf_object__open_skeleton(). @filter NULL: every
 * packet; otherwise the caller sets has_filter in its rodata.
 */
int watch_filter_open(struct bpf_object_skeleton *skel, const struct filter *filter,
		      enum filter_hook hook, struct err *e);

#endif
