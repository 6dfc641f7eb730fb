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

#define FLOW_OPTIONS(type, at) \
	{ 's', "frame-bytes", OPT_STR, offsetof(type, at.sizes), "SIZE", \
	  "frame with FCS, as RFC 2544 counts: 128, 64-1518, random(64-1518), imix, 64*7,1518*1" }, \
	{ 0, "streams", OPT_STR, offsetof(type, at.path), "FILE", \
	  "send the streams of this file, see ethgauge-streams(7)" }, \
	{ 0, "profile", OPT_STR, offsetof(type, at.profile), "NAME", \
	  "send a kind of traffic that is built in: bulk, imix, interactive, signalling, storage, video, voip-g711", \
	  .value_at = profile_name_at }, \
	{ 0, "copies", OPT_U32, offsetof(type, at.copies), "N", \
	  "--streams and --profile: each stream N times", .min = 1, .max = FLOW_FILE_MAX }, \
	{ 0, "burst", OPT_COUNT, offsetof(type, at.burst), "N", \
	  "N packets at --rate, then none until --every is over" }, \
	{ 0, "every", OPT_DURATION, offsetof(type, at.every_ns), "TIME", \
	  "--burst: from first packet to first packet" }, \
	{ 0, "on", OPT_DURATION, offsetof(type, at.on_ns), "TIME", \
	  "send at --rate for TIME, pause for --off, and repeat" }, \
	{ 0, "off", OPT_DURATION, offsetof(type, at.off_ns), "TIME", \
	  "--on: the pause" }, \
	{ 0, "poisson", OPT_FLAG, offsetof(type, at.poisson), NULL, \
	  "exponential sending intervals (RFC 2330) with --rate as the mean, instead of even ones" }, \
	{ 0, "ramp-to", OPT_RATE, offsetof(type, at.ramp_to), "RATE", \
	  "begin at --rate and go evenly to this one within --ramp-time" }, \
	{ 0, "ramp-time", OPT_DURATION, offsetof(type, at.ramp_ns), "TIME", \
	  "of --ramp-to" }

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
