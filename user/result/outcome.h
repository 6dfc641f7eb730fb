/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * result/outcome.h - figures of a result document that another run wrote.
 */
#ifndef RESULT_OUTCOME_H
#define RESULT_OUTCOME_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/dist.h"
#include "lib/err.h"
#include "result/result.h"

/* A figure of a run, and what limits it; 0: not in the document. */
struct outcome_run {
	double value;
	uint32_t mtu;		/* of the interface */
	uint32_t mss_bytes;	/* the smallest of its connections (tcp_info), without options */
	bool both_ways;		/* the figure is of both directions together (--bidir) */
	bool half_duplex;	/* of the interface */
};

/*
 * The metric @key of the document in @in, or of the first of its parts that has
 * it. An error in the document, and a missing or null figure, are errors here.
 */
int outcome_read(FILE *in, const char *key, struct outcome_run *ret_run, struct err *e);

/* An interval of a sink, and what arrived in it. */
struct outcome_row {
	uint64_t elapsed_ns;
	uint64_t received_packets, distinct_packets, duplicate_packets;	/* 0: not reported */
};

/* A line of --jsonl: true if it is an interval's. */
bool outcome_interval(const char *line, struct outcome_row *ret_row);

/* A receiver's figures that are used for judgement. */
struct outcome {
	double distinct_packets;	/* NAN: not reported */
	double lost_packets;		/* between the first and the highest that arrived */
	/* 0 if not reported, as where there were none. */
	double unknown_packets, unseen_before_packets, lost_runs, lost_run_max;
	double received_packets, bad_checksum_packets;
	struct dist delay, pdv;		/* NAN if not reported or not timed */
};

/*
 * The document in @line, written by a sink of this version: its figures go into @res and
 * *@ret_outcome, delays only if @timed; its environment and notes into the part
 * "receiver" of @res. Another document, or one with an error, is an error here.
 */
int outcome_take(const char *line, bool timed, struct result *res, struct outcome *ret_outcome,
		 struct err *e);

#endif
