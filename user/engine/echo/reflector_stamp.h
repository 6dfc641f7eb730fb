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
	struct secret key;	/* of all sessions; length 0: none */
	const struct stamp_keys *keys;	/* instead: of each session; or NULL */
};

struct stamp_keys;
struct bpf_link;
struct bpf_map;
struct bpf_program;
struct reflector_stamp;

/* Of a loaded skeleton. */
struct reflector_programs {
	int fd;				/* of the program to attach */
	struct bpf_map *recs;		/* the common counters */
	struct reflect_own *own;	/* mapped */
	/* For tracepoints: of answers that the driver did not take. */
	struct bpf_program *refused, *failed;
	struct bpf_link **refused_link, **failed_link;
};

/* Sets up the opened skeleton's parts that all reflectors have; then, loaded, lists its programs. */
#define REFLECTOR_SET_COMMON(skel, reflect_cfg, reflect_pools, ifindex, frags) do { \
	memcpy((void *)&(skel)->rodata->cfg, reflect_cfg, sizeof(*(reflect_cfg))); \
	memcpy((void *)&(skel)->rodata->pools, reflect_pools, sizeof(*(reflect_pools))); \
	(skel)->rodata->own_ifindex = (ifindex); \
	(skel)->rodata->own_netns_inode = netns_inode(); \
	(skel)->rodata->has_frags = (frags); \
	bpf_set_frags((skel)->obj, frags); \
	live_choose_tracepoints((skel)->progs.reflect_refused, (skel)->progs.reflect_failed); \
} while (0)

#define REFLECTOR_PROGRAMS(skel, xdp) (struct reflector_programs){ \
	.fd = bpf_program__fd((skel)->progs.xdp), .recs = (skel)->maps.reflect_recs, \
	.own = &(skel)->bss->own, \
	.refused = (skel)->progs.reflect_refused, .refused_link = &(skel)->links.reflect_refused, \
	.failed = (skel)->progs.reflect_failed, .failed_link = &(skel)->links.reflect_failed, \
}

/* Loads the programs with @cfg and @stamp. */
int reflector_stamp_open(struct reflector_stamp **ret_stamp, const struct reflect_cfg *cfg,
			 const struct reflect_pools *pools,
			 const struct reflector_stamp_cfg *stamp_cfg, int ifindex, bool frags,
			 struct reflector_programs *ret_programs, struct result *res, struct err *e);
void reflector_stamp_close(struct reflector_stamp *stamp);

/* Passes the program the interface that it was attached to. */
void reflector_stamp_attached(struct reflector_stamp *stamp, bool generic);

/* Updates the program's clock when due; call at least every 100 ms. */
void reflector_stamp_tick(struct reflector_stamp *stamp);

void reflector_stamp_report(struct reflector_stamp *stamp, const struct reflect_rec *sum,
			    struct result *res);

#endif
