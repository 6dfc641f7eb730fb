/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proto/flow_file.h - stream files: YAML, read by libfyaml, with the keys of the Open Traffic
 * Generator where they fit. docs/verbs/streams.md describes the format.
 *
 * Errors: "FILE:LINE:COLUMN: what, and what was expected".
 */
#ifndef PROTO_FLOW_FILE_H
#define PROTO_FLOW_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/pace.h"
#include "lib/err.h"
#include "lib/unit.h"
#include "proto/frame.h"
#include "proto/packet_size.h"
#include "proto/packet_spec.h"

#define FLOW_FILE_MAX 4096	/* streams */

/* A schedule, before the link's speed and the frame's size are known. */
struct flow_pace {
	uint32_t kind;			/* enum pace_kind */
	struct unit_rate rate;		/* within a burst; Poisson: mean; ramp: start */
	struct unit_rate to;		/* ramp */
	uint64_t ramp_ns;
	uint64_t burst;			/* packets per burst, or 0: as many as fit into on_ns */
	uint64_t on_ns, off_ns;		/* on/off */
	uint64_t period_ns;		/* burst: first packet to first packet; 0: on_ns + off_ns */
	uint64_t seed;
	int rate_layer;			/* enum frame_layer */
};

struct flow_spec {
	char name[32];
	char at[160];			/* "FILE:LINE:COLUMN", for errors found later */
	struct packet_spec *packet;
	struct packet_size size;
	bool has_size;
	struct flow_pace pace;
	uint64_t limit;			/* packets; 0: none */
	uint64_t start_ns, duration_ns;
	uint32_t stamp_every;
	bool tagged;			/* requested; the default */
	uint32_t copies;		/* this stream N times, each with a different tag; at
					 * least 1 */
	uint64_t seed;
};

struct flow_file {
	struct flow_spec *flows;
	uint32_t nr_flows;
};

int flow_file_read(const char *path, struct flow_file **ret_file, struct err *e);
/* @name is the path in error messages: for built-in profiles. */
int flow_file_parse(const char *name, const char *text, size_t bytes, struct flow_file **ret_file,
		    struct err *e);
/* Takes NULL. */
void flow_file_free(struct flow_file *file);

/*
 * Packets per second for @rate with frames of which its layer counts @layer_bytes (0: unknown); 0:
 * as fast as possible. @link_bps 0: unknown. All rates are limited here: at most 1 Gpps, at least
 * one packet in 2.4 hours.
 */
int flow_rate_pps(const struct unit_rate *rate, double layer_bytes, uint64_t link_bps,
		  double *ret_pps, struct err *e);

/* A packet every 1/@pps seconds; 0: as fast as possible. */
struct pace flow_pace_even(double pps);

/*
 * The packets of a capture in their own times, @factor times as fast (0: as fast as it goes);
 * its frames at @rate.
 */
struct pace flow_pace_times(double factor);
int flow_pace_frames(const struct unit_rate *rate, uint64_t link_bps, struct pace *ret_pace,
		     double *ret_pps, struct err *e);

/* The schedule of @pace; the rest as in flow_rate_pps(). */
int flow_pace_of(const struct flow_pace *pace, double layer_bytes, uint64_t link_bps,
		 struct pace *ret_pace, double *ret_mean_pps, struct err *e);

#endif
