/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/bench_state.h - trials of bench, in its state file and in the document.
 */
#ifndef MODEL_BENCH_STATE_H
#define MODEL_BENCH_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/dist.h"
#include "lib/err.h"
#include "result/result.h"

struct bench_trial {
	char kind[16];
	uint32_t frame_bytes;
	bool irregular;			/* the generator fell behind: the trial says nothing
					 * about the device */
	bool unsteady;			/* a burst after a generator stall may have caused the
					 * loss */
	double pps;			/* asked for */
	uint64_t trial_ns, count;
	uint64_t sent, lost;
	double sent_pps;
	double late_max_ns;		/* relative to the slot */
	/*
	 * Recovery: from the reduction of the load to the first packet after the last loss. Reset:
	 * the longest time without a packet. NAN: it did not end within the trial.
	 */
	double event_ns;
	struct dist delay, pdv;		/* NAN if nothing arrived */
	char limit[256];		/* if irregular: what limited the load, a sentence; "": unknown,
					 * also of a trial read from a file */
};

/* The file's head; an error: it is none of such a file, or of a run of other @words. */
int bench_state_check(FILE *file, const char *path, const char *words, struct err *e);

/* False at the file's end, or if it is damaged there. */
bool bench_state_next(FILE *file, struct bench_trial *ret_trial);

void bench_state_write(FILE *file, const char *words, const struct bench_trial *trials, size_t nr);

/* Adds a row to the list "trials" of self. */
void bench_state_enter(struct result *res, const struct bench_trial *trial);

#endif
