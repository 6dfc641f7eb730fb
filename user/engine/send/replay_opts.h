/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/send/replay_opts.h - a capture file as people ask for it to be sent: --pcap and what
 * belongs to it.
 */
#ifndef ENGINE_SEND_REPLAY_OPTS_H
#define ENGINE_SEND_REPLAY_OPTS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/send/stream.h"
#include "lib/err.h"
#include "lib/opt.h"
#include "model/mix.h"

struct replay_opts {
	const char *path;
	double speed;			/* times as fast as captured; 0: max; NAN: at the rate */
	uint64_t loops;			/* 0: no limit */
	const char *prefixes, *ports;
	bool strip_vlan, fix_checksums;
	bool tag;
};

#define REPLAY_DEFAULTS .speed = 1, .loops = 1

/* Values: a struct replay_opts. */
extern const struct opt replay_options[];

#define REPLAY_RULES \
	{ OPT_REQUIRES, "speed loop map-ip map-port strip-vlan fix-checksums tag", "pcap" }, \
	{ OPT_EXCLUDES, "speed", "rate" }, \
	/* What the packets of a file bring with them. */ \
	{ OPT_EXCLUDES, "pcap", "DEST frame-bytes port src-port src-ip dscp ttl" }, \
	/* They may have no more. */ \
	{ OPT_EXCLUDES, "pcap", "rate-layer=l3 rate-layer=payload" }, \
	{ OPT_REQUIRES, "stream run clock", "tag", .when = "pcap" }

/* What its words say; pure. */
int replay_opts_check(const struct replay_opts *opts, const struct stream_opts *stream,
		      struct err *e);

/* Opens the file and reads ahead: a mix of one stream, whose packets are the file's. */
struct nic_facts;
int replay_opts_mix(const struct replay_opts *opts, const struct stream_opts *stream,
		    const struct nic_facts *nic, struct mix **ret_mix, struct err *e);

#endif
