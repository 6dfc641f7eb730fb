/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/send/flow.h - what blast sends: one stream by options, the streams of a file or of a
 * profile, or a capture, made ready for a sender as a list of streams.
 */
#ifndef ENGINE_SEND_FLOW_H
#define ENGINE_SEND_FLOW_H

#include <stdint.h>

#include "engine/send/replay_opts.h"
#include "engine/send/stream.h"
#include "engine/send/tx.h"
#include "lib/err.h"
#include "lib/opt.h"
#include "lib/unit.h"
#include "model/mix.h"
#include "proto/flow_file.h"
#include "proto/profiles.h"

struct flow_opts {
	const char *path;		/* stream file */
	const char *profile;
	uint32_t copies;
	const char *sizes;		/* NULL: as the headers need */
	char size_text[16];		/* what that came to */
	uint64_t burst;			/* packets; 0: none */
	uint64_t every_ns;
	uint64_t on_ns, off_ns;
	bool poisson;
	struct unit_rate ramp_to;
	uint64_t ramp_ns;		/* 0: no ramp */
	bool has_duration;		/* it was given: files may have ends of their own */
	struct replay_opts replay;	/* its path: a capture, and nothing of the above */
};

#define FLOW_DEFAULTS .copies = 1, .replay = { REPLAY_DEFAULTS }

#define FLOW_RULES \
	{ OPT_AT_MOST_ONE, "streams profile" }, \
	{ OPT_REQUIRES, "copies", "streams profile" }, \
	{ OPT_REQUIRES, "burst", "every" }, { OPT_REQUIRES, "every", "burst" }, \
	{ OPT_REQUIRES, "on", "off" }, { OPT_REQUIRES, "off", "on" }, \
	{ OPT_REQUIRES, "ramp-to", "ramp-time" }, { OPT_REQUIRES, "ramp-time", "ramp-to" }, \
	{ OPT_AT_MOST_ONE, "burst on ramp-to poisson" }, \
	{ OPT_REQUIRES, "on ramp-to poisson", "rate" }, \
	{ OPT_EXCLUDES, "on ramp-to poisson", "rate=max" }, \
	/* What each stream of a file says for itself. */ \
	{ OPT_EXCLUDES, "streams profile", \
	  "frame-bytes rate rate-layer vlan vlan-pcp src-ip burst every on off poisson ramp-to ramp-time" }

/* Values: a struct flow_opts, without those of its replay. */
extern const struct opt flow_options[];

/* Options against each other; pure. Sets what @stream leaves to them: its frame_bytes. */
int flow_check(const struct flow_opts *opts, struct stream_opts *stream, struct err *e);

/* True if the streams stand in a stream file or a profile. */
bool flow_is_file(const struct flow_opts *opts);

/* True if it is DEST and the options that say it all. */
bool flow_is_dest(const struct flow_opts *opts);

/*
 * Reads the file, profile or capture, or takes DEST and the options; asks route
 * and neighbour as stream_prepare() does. ret_cfg->mix is @ret_flow's.
 */
struct flow;
int flow_prepare(const struct flow_opts *opts, const struct stream_opts *stream,
		 struct flow **ret_flow, struct tx_cfg *ret_cfg, struct err *e);

/* Of one stream: its addresses, into the environment of @res. */
void flow_describe(const struct flow *flow, struct result *res);

/* Takes NULL. */
void flow_free(struct flow *flow);

#endif
