/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/stamp_session.h - what the answers of one test session say: delay and its
 * variation both ways, loss, order and duplicates, each way on its own where that is known.
 * Pure: no clock is read here.
 */
#ifndef MODEL_STAMP_SESSION_H
#define MODEL_STAMP_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/hist.h"
#include "proto/seqwin.h"

/* The round trip is (T4 - T1) - (T3 - T2); out is T2 - T1, back T4 - T3. */
enum stamp_way { STAMP_ROUND_TRIP, STAMP_OUT, STAMP_BACK, STAMP_WAYS };

/* Whose number an answer has: the question's, or one of its own (RFC 8762 4). */
enum stamp_kind { STAMP_KIND_UNKNOWN, STAMP_STATEFUL, STAMP_STATELESS };

/* Delays of many sessions. */
struct stamp_delays {
	struct hist_rec delay, ipdv;
	int64_t ipdv_min_ns, ipdv_max_ns;	/* valid if ipdv.count */
	double ipdv_sum_ns;
};

struct stamp_sums {
	struct stamp_delays ways[STAMP_WAYS];
	struct hist_rec turnaround;		/* T3 - T2 */
	struct hist_rec follow_up;		/* how much later than T3 it was really sent */
};

#define STAMP_RECENT 64		/* packets whose neighbours may still come */

struct stamp_recent {
	uint64_t number;		/* + 1; 0: none */
	int64_t delays_ns[STAMP_WAYS];
};

/* Of the answers' own numbers: the highest question up to it. And when it says it was sent. */
struct stamp_recent_answer {
	uint64_t number;		/* + 1; 0: none */
	uint64_t highest;
	uint64_t sent_utc_ns;
};

struct stamp_lost {
	uint64_t all, out, back, unknown;	/* the last three are the first */
};

struct stamp_session {
	struct seqwin asked, answered;
	enum stamp_kind kind;
	uint64_t sent, answers;
	uint64_t first, first_answer;		/* where the reflector's numbering in use began */
	uint64_t copies;			/* since then: answers to a question answered before */
	struct stamp_lost past;			/* of the reflector's earlier numberings */
	uint64_t out_duplicates, back_duplicates, out_reordered, restarts;
	uint64_t back_reordered_past;
	uint64_t timed;
	double jitter_ns[STAMP_WAYS];		/* RFC 3550 A.8 */
	int64_t last_ns[STAMP_WAYS];
	uint64_t rtt_min_ns, rtt_max_ns;
	double rtt_sum_ns;
	struct stamp_recent recent[STAMP_RECENT];
	struct stamp_recent_answer recent_answers[STAMP_RECENT];
};

struct stamp_times {
	uint64_t t1_utc_ns, t2_utc_ns, t3_utc_ns, t4_utc_ns;
};

void stamp_session_init(struct stamp_session *session, enum stamp_kind kind);

/* An answer with number @answer to question @question. */
void stamp_session_add(struct stamp_session *session, struct stamp_sums *sums, uint32_t question,
		       uint32_t answer, const struct stamp_times *times);

/* The reflector says that it sent its answer @answer at @utc_ns (RFC 8972 4.7). */
void stamp_session_follow_up(const struct stamp_session *session, struct stamp_sums *sums,
			     uint32_t answer, uint64_t utc_ns);

/* What is lost if nothing more comes. */
void stamp_session_lost(const struct stamp_session *session, struct stamp_lost *ret_lost);

void stamp_sums_add(struct stamp_sums *sum, const struct stamp_sums *from);

#endif
