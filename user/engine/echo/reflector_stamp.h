/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/echo/reflector_stamp.h - the reflector's STAMP program, its clock, and what it counts.
 * Used only by reflector.c.
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
	bool stateful;		/* number the answers separately for each session */
	bool authenticated;	/* requires the key */
	bool twamp;		/* TWAMP Light: no session identifier, no extensions */
	bool allow_dscp;	/* the sender may choose the answers' DSCP */
	bool hide_location;	/* answer with zeros where a Location TLV asks for addresses and
				 * ports */
	double source_pps;	/* limit per source; 0: none */
	struct secret key;
};

struct bpf_map;
struct reflector_stamp;

/*
 * Loads the program with @cfg and @stamp; returns the program to attach and the map of the common
 * counters.
 */
int reflector_stamp_open(struct reflector_stamp **ret_stamp, const struct reflect_cfg *cfg,
			 const struct reflector_stamp_cfg *stamp_cfg, bool frags,
			 int *ret_prog_fd, struct bpf_map **ret_recs, struct result *res,
			 struct err *e);
void reflector_stamp_close(struct reflector_stamp *stamp);

/* Passes the program the interface that it was attached to. */
void reflector_stamp_attached(struct reflector_stamp *stamp, bool generic);

/* Updates the program's clock when due; call at least every 100 ms. */
void reflector_stamp_tick(struct reflector_stamp *stamp);

void reflector_stamp_report(struct reflector_stamp *stamp, const struct reflect_rec *sum,
			    struct result *res);

#endif
