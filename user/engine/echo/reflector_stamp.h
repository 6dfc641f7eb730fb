/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/echo/reflector_stamp.h - the reflector's program for STAMP, the clock that it
 * stamps by, and what it counts. Used by reflector.c alone.
 */
#ifndef ENGINE_ECHO_REFLECTOR_STAMP_H
#define ENGINE_ECHO_REFLECTOR_STAMP_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/reflect.h"
#include "lib/err.h"
#include "lib/secret.h"
#include "result/result.h"

struct reflector_stamp_cfg {
	bool stateful;		/* a sequence of its own for each session */
	bool authenticated;	/* with the key */
	bool twamp;		/* TWAMP Light: no session identifier, no extensions */
	bool allow_dscp;	/* the sender may choose the answer's */
	bool hide_location;	/* zeros where a location asks for addresses and ports */
	double source_pps;	/* at most, of one source; 0: no limit */
	struct secret key;
};

struct bpf_map;
struct reflector_stamp;

/* Loads it with @cfg and @stamp: what is to be attached, and the map of the common counters. */
int reflector_stamp_open(struct reflector_stamp **ret_stamp, const struct reflect_cfg *cfg,
			 const struct reflector_stamp_cfg *stamp_cfg, bool frags,
			 int *ret_prog_fd, struct bpf_map **ret_recs, struct result *res,
			 struct err *e);
void reflector_stamp_close(struct reflector_stamp *stamp);

/* Gives the program the interface that it was attached to. */
void reflector_stamp_attached(struct reflector_stamp *stamp, bool generic);

/* Gives the program the time anew, when that is due: to be called every 100 ms or more often. */
void reflector_stamp_tick(struct reflector_stamp *stamp);

void reflector_stamp_report(struct reflector_stamp *stamp, const struct reflect_rec *sum,
			    struct result *res);

#endif
