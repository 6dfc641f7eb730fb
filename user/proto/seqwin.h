/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proto/seqwin.h - order, loss and duplicates of one stream in user space, by the rules of
 * bpf/lib/seq.bpf.h, for packets not checked by a BPF program. This state has no extents and no delays, and
 * so is much smaller than the program's; tests/bpf/test_order.c holds both equal.
 */
#ifndef PROTO_SEQWIN_H
#define PROTO_SEQWIN_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/seq.h"

#define SEQWIN_NUMBERS	SEQ_WINDOW_MIN	/* below the highest, in which duplicates are recognised */
#define SEQWIN_WORDS	(SEQWIN_NUMBERS / 32)	/* of 64 bits; twice the window */

/* Zeroed: nothing seen. */
struct seqwin {
	uint64_t next, first;	/* of this run: highest seen + 1; lowest seen */
	uint64_t runs;		/* how many were followed; 0: nothing seen yet */
	uint16_t id, before_id;	/* of the one that is followed, and of the one before it */
	bool confirms;		/* set by the user: far numbers and new runs are to be confirmed */
	struct seqwin_held {
		bool is;
		uint16_t id;
		uint32_t low;
		uint64_t distinct;	/* when it came */
		uint64_t copies;	/* more packets of this number */
	} held[SEQ_NR_HELD];	/* the older one first */
	uint64_t distinct, duplicates, reordered, distance_max, unknown;
	uint64_t other_run, implausible;
	uint64_t spanned, unseen;	/* of earlier runs: numbers from first to highest; below first */
	uint64_t loss_runs, loss_run_max;	/* RFC 3357's loss periods, of what left the window */
	uint64_t loss_run;		/* numbers lost in a row at the window's end */
	uint64_t window[SEQWIN_WORDS];
	uint64_t recent[SEQ_N_MAX];	/* the last numbers that were distinct; index: distinct % SEQ_N_MAX */
};

/* Those that are held, with their copies, of the run that is followed or of others. */
uint64_t seqwin_held(const struct seqwin *win, bool followed);

/* One arrival: its run, and the low 32 bits of its number. */
void seqwin_add(struct seqwin *win, uint16_t id, uint32_t low);

/* The only packet that came is held, and is taken as it is: on a copy, where more may come. */
void seqwin_take_only(struct seqwin *win);

/*
 * Judges what is still in the window, for loss_runs: on a copy, if more may arrive. @end: how many
 * numbers were sent, from 0 on, and what is missing below the first and above the highest is lost,
 * too; 0: unknown. Returns how many these are.
 */
uint64_t seqwin_finish(struct seqwin *win, uint64_t end);

/*
 * On a copy, before seqwin_finish(): only the numbers 0 to @end - 1 were sent. What is held is distinct
 * below @end; what is held or was accepted from there on is implausible, as far as the window or the
 * last numbers still have it. True: such ones were accepted, and runs of loss are not known.
 */
bool seqwin_settle(struct seqwin *win, uint64_t end);

/* Numbers missing between the first and the highest, over all runs. */
uint64_t seqwin_gaps(const struct seqwin *win);

#endif
