/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/replay.h - the packets of a capture file, in order, to be sent.
 *
 * What fits into a budget of memory is read and rewritten before the start;
 * the rest is read while it is sent, so memory does not grow with the file.
 * One thread sends; others may read the counts.
 */
#ifndef MODEL_REPLAY_H
#define MODEL_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/pace.h"
#include "abi/replay.h"
#include "lib/err.h"
#include "model/source.h"
#include "proto/rewrite.h"
#include "result/result.h"

struct replay_cfg {
	const char *path;
	uint64_t loops;			/* 0: no limit */
	uint32_t mtu;			/* what is longer is skipped; so is what is above REPLAY_MAX_BYTES */
	struct rewrite rewrite;
	struct pace pace;
	uint32_t extra_bytes;		/* that PACE_BYTES counts of a frame, beside its own */
	bool tagged;			/* UDP packets carry the probe tag */
	uint16_t stream;		/* in the tags */
	uint32_t stamp_every;		/* the time in one tag of N */
};

struct replay;

/* Opens the file and reads ahead. */
int replay_open(struct replay **ret_replay, const struct replay_cfg *cfg, struct err *e);

/* Takes NULL. */
void replay_close(struct replay *replay);

/* Its packets; of one thread. It is the replay's: close() leaves it. */
struct source *replay_source(struct replay *replay);

/* So far; may be called from another thread. */
struct mix_count;
void replay_count(const struct replay *replay, struct mix_count *ret_count);

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

/* From the slot of the first packet that was sent to that of the last. */
uint64_t replay_planned_ns(const struct replay *replay);

/* What was read, skipped and tagged, as figures and notes. */
void replay_report(const struct replay *replay, struct result *res);

#endif
