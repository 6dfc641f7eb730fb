/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/send/replay.h - the packets of a capture file, in order, to be sent.
 *
 * What fits into a budget of memory is read and rewritten before the start;
 * the rest is read while it is sent, so memory does not grow with the file.
 * One thread sends; others may read the counts.
 */
#ifndef ENGINE_SEND_REPLAY_H
#define ENGINE_SEND_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/pace.h"
#include "engine/send/stream.h"
#include "engine/send/tx.h"
#include "lib/err.h"
#include "lib/opt.h"
#include "model/source.h"

struct replay_opts {
	const char *path;
	double speed;			/* times as fast as captured; 0: max; NAN: at the rate */
	uint64_t loops;			/* 0: no limit */
	const char *prefixes, *ports;
	bool strip_vlan, fix_checksums;
	bool tag;
};

#define REPLAY_DEFAULTS .speed = 1, .loops = 1

#define REPLAY_OPTIONS(type, at) \
	{ 0, "pcap", OPT_STR, offsetof(type, at.path), "FILE", \
	  "send the packets of a capture file (pcap, pcapng, gzip), and no DEST" }, \
	{ 0, "speed", OPT_FACTOR, offsetof(type, at.speed), "FACTOR", \
	  "--pcap: times as fast as it was captured, or max" }, \
	{ 0, "loop", OPT_COUNT, offsetof(type, at.loops), "N", \
	  "--pcap: send the file N times; 0: without end" }, \
	{ 0, "map-ip", OPT_STR, offsetof(type, at.prefixes), "A/N=B/M,...", \
	  "--pcap: move addresses from one prefix to another" }, \
	{ 0, "map-port", OPT_STR, offsetof(type, at.ports), "A=B,...", \
	  "--pcap: change TCP and UDP ports" }, \
	{ 0, "strip-vlan", OPT_FLAG, offsetof(type, at.strip_vlan), NULL, \
	  "--pcap: without VLAN tags; --vlan puts a new one" }, \
	{ 0, "fix-checksums", OPT_FLAG, offsetof(type, at.fix_checksums), NULL, \
	  "--pcap: compute those of IP, TCP, UDP, ICMP and IGMP anew" }, \
	{ 0, "tag", OPT_FLAG, offsetof(type, at.tag), NULL, \
	  "--pcap: write the probe tag over the start of UDP payloads" }

#define REPLAY_RULES \
	{ OPT_REQUIRES, "speed loop map-ip map-port strip-vlan fix-checksums tag", "pcap" }, \
	{ OPT_EXCLUDES, "speed", "rate" }, \
	/* What the packets of a file bring with them. */ \
	{ OPT_EXCLUDES, "pcap", "DEST frame-bytes port src-port src-ip dscp ttl" }, \
	/* They may have no more. */ \
	{ OPT_EXCLUDES, "pcap", "rate-layer=l3 rate-layer=payload" }, \
	{ OPT_REQUIRES, "stream clock", "tag", .when = "pcap" }

/* What its words say; pure. */
int replay_check(const struct replay_opts *opts, const struct stream_opts *stream, struct err *e);

struct replay;

/* Opens the file, reads ahead, and says in @ret_cfg how to send it. */
int replay_open(struct replay **ret_replay, const struct replay_opts *opts,
		const struct stream_opts *stream, struct tx_cfg *ret_cfg, struct err *e);

/* Takes NULL. */
void replay_close(struct replay *replay);

/* Its packets; of one thread. */
struct source *replay_source(struct replay *replay);

/* True where packets have slots. */
bool replay_is_paced(const struct replay *replay);

/* Bytes of the frames so far, with FCS. */
uint64_t replay_frame_bytes(const struct replay *replay);

/* One pass over the file, for an engine that keeps it. */
struct replay_pass {
	uint64_t nr_packets;
	uint64_t limit;			/* packets of all passes; 0: no limit */
	uint64_t bytes;			/* of all packets */
	uint32_t max_buf_bytes;
	uint32_t skipped_behind;	/* behind its last packet */
	struct pace_time time;		/* from pass to pass; 0: nothing is paced */
};

/* Fails where not all of the file was read ahead. */
int replay_whole(const struct replay *replay, struct replay_pass *ret_pass, struct err *e);

/* Packet after packet of a pass, starting from zeros; slots count from the pass's start. */
struct replay_cursor {
	size_t at;
	uint64_t nr, bytes;
	uint32_t skipped_before;	/* the packet that was returned last */
};

bool replay_walk(const struct replay *replay, struct replay_cursor *cursor,
		 struct source_packet *ret_packet);

/* The engine has taken a copy of all: frees what was read ahead. */
void replay_forget(struct replay *replay);

/* What an engine that keeps the file has sent so far; slots since the start of the run. */
struct replay_sent {
	uint64_t packets, bytes;	/* with FCS */
	uint64_t skipped, tagged;
	uint64_t first_slot_ns, last_slot_ns;
};

void replay_set_sent(struct replay *replay, const struct replay_sent *sent);

/* Why the file ends before its end; 0: it does not. */
int replay_damage(const struct replay *replay, struct err *e);

/* True if UDP packets are to carry the probe tag. */
bool replay_has_tag(const struct replay *replay);

/* The time is in one tag of so many. */
uint32_t replay_stamp_every(const struct replay *replay);

/* Instead of tx_report(). */
struct tx_figures replay_report(const struct replay *replay, const struct tx_count *count, struct result *res);

#endif
