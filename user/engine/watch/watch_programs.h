/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/watch/watch_programs.h - the programs at tc that count an interface's packets: those of
 * watch_tc, or where flows are asked for, of flow_tc, which has the same and more.
 */
#ifndef ENGINE_WATCH_WATCH_PROGRAMS_H
#define ENGINE_WATCH_WATCH_PROGRAMS_H

#include "abi/watch.h"

struct bpf_map;
struct bpf_object_skeleton;
struct bpf_program;

struct watch_programs {
	const char *name;
	struct bpf_object_skeleton *skeleton;
	struct watch_cfg *cfg;			/* to fill before load */
	struct bpf_map *recs, *queues, *gaps, *rings;
	struct bpf_program *in, *out;
};

/* Of skeleton @skel of the object called @object. */
#define WATCH_PROGRAMS(skel, object) ((struct watch_programs){			\
	.name = #object, .skeleton = (skel)->skeleton,				\
	.cfg = (struct watch_cfg *)&(skel)->rodata->cfg,			\
	.recs = (skel)->maps.watch_recs, .queues = (skel)->maps.watch_queues,	\
	.gaps = (skel)->maps.watch_gaps, .rings = (skel)->maps.watch_rings,	\
	.in = (skel)->progs.object##_in, .out = (skel)->progs.object##_out })

#endif
