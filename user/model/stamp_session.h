/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/stamp_session.h - evaluate the answers of one test session: delay and its variation, loss,
 * order and duplicates, per direction where known. Pure: does not read a clock.
 */
#ifndef MODEL_STAMP_SESSION_H
#define MODEL_STAMP_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/hist.h"
#include "abi/pdv.h"
#include "lib/jitter.h"
#include "proto/seqwin.h"

/* The round trip is (T4 - T1) - (T3 - T2); out is T2 - T1, back T4 - T3. */
enum stamp_way { STAMP_ROUND_TRIP, STAMP_OUT, STAMP_BACK, STAMP_WAYS };

/* The number in an answer: the test packet's, or the reflector's own (RFC 8762 4). */
enum stamp_kind { STAMP_KIND_UNKNOWN, STAMP_STATEFUL, STAMP_STATELESS };

/* Delays over many sessions. */
struct stamp_delays {
	struct hist_rec delay, ipdv;
	struct pdv_rec pdv;
	int64_t ipdv_min_ns, ipdv_max_ns;	/* valid if ipdv.count is not 0 */
	double ipdv_sum_ns;
};

struct stamp_sums {
	struct stamp_delays ways[STAMP_WAYS];
	struct hist_rec turnaround;		/* T3 - T2 */
	struct hist_rec follow_up;		/* how much later than T3 it was actually sent */
};

#define STAMP_RECENT 64		/* packets whose neighbours may still arrive */

struct stamp_recent {
	uint64_t number;		/* + 1; 0: none */
	int64_t delays_ns[STAMP_WAYS];
};

/*
 * By the answers' own numbers: the highest packet number so far, and when the answer was sent
 * according to the follow-up.
 */
struct stamp_recent_answer {
	uint64_t number;		/* + 1; 0: none */
	uint64_t highest;
	uint64_t sent_utc_ns;
};

struct stamp_lost {
	uint64_t all, out, back, unknown;	/* the last three add up to the first */
};

struct stamp_session {
	struct seqwin asked, answered;
	enum stamp_kind kind;
	uint64_t sent, answers;
	uint64_t first, first_answer;		/* start of the reflector's current numbering */
	uint64_t copies;			/* since then: repeated answers to a packet */
	struct stamp_lost past;			/* losses in the reflector's earlier numberings */
	uint64_t out_duplicates, back_duplicates, out_reordered, restarts;
	uint64_t back_reordered_past;
	uint64_t timed;
	struct jitter jitter[STAMP_WAYS];
	uint64_t rtt_min_ns, rtt_max_ns;
	double rtt_sum_ns;
	struct stamp_recent recent[STAMP_RECENT];
	struct stamp_recent_answer recent_answers[STAMP_RECENT];
};

struct stamp_times {
	uint64_t t1_utc_ns, t2_utc_ns, t3_utc_ns, t4_utc_ns;
};

void stamp_session_init(struct stamp_session *session, enum stamp_kind kind);

/* Adds an answer with number @answer to packet @question. */
void stamp_session_add(struct stamp_session *session, struct stamp_sums *sums, uint32_t question,
		       uint32_t answer, const struct stamp_times *times);

/* The reflector reports that it sent its answer @answer at @utc_ns (RFC 8972 4.7). */
void stamp_session_follow_up(const struct stamp_session *session, struct stamp_sums *sums,
			     uint32_t answer, uint64_t utc_ns);

/* What is lost if nothing more arrives. */
void stamp_session_lost(const struct stamp_session *session, struct stamp_lost *ret_lost);

void stamp_sums_add(struct stamp_sums *sum, const struct stamp_sums *from);

#endif
