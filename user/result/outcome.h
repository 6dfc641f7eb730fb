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

/*
 * The metric @key of the document in @in, or of the first of its parts that has
 * it. An error of the document itself, and a figure that is not there or null, are
 * errors here.
 */
int outcome_read(FILE *in, const char *key, double *ret_value, struct err *e);

/* A line of --jsonl: true if it is that of an interval, in which so many packets came. */
bool outcome_interval(const char *line, uint64_t *ret_elapsed_ns, uint64_t *ret_packets);

/* What a receiver found, for who judges by it. */
struct outcome {
	double distinct_packets;	/* NAN: it does not say */
	struct dist delay;		/* NAN where it does not say, or is not timed */
};

/*
 * The document in @line, which a sink of this version wrote: its figures into @res and
 * *@ret_outcome, those of delays if @timed; its environment and notes into the part
 * "receiver" of @res. What is no such document, and an error that it holds, are errors here.
 */
int outcome_take(const char *line, bool timed, struct result *res, struct outcome *ret_outcome,
		 struct err *e);

#endif
