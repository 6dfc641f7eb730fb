/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/watch/watch_filter.h - the watching programs, opened with the code of a filter in them.
 */
#ifndef ENGINE_WATCH_WATCH_FILTER_H
#define ENGINE_WATCH_WATCH_FILTER_H

#include "proto/filter_code.h"

struct bpf_object_skeleton;

/*
 * Opens @skel, which is created, in place of bpf_object__open_skeleton(). @filter NULL: every
 * packet; else has_filter of its rodata is to be set.
 */
int watch_filter_open(struct bpf_object_skeleton *skel, const struct filter *filter,
		      enum filter_hook hook, struct err *e);

#endif
