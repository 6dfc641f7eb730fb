/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proto/seqwin.h - order, loss and duplicates of one stream in user space, by the rules of
 * bpf/lib/seq.bpf.h, for packets not checked by a BPF program.
 */
#ifndef PROTO_SEQWIN_H
#define PROTO_SEQWIN_H

#include <stdint.h>

#define SEQWIN_NUMBERS	4096	/* below the highest, in which duplicates are recognised */
#define SEQWIN_WORDS	128	/* of 64 bits; twice the window */

/* Zeroed: nothing seen. */
struct seqwin {
	uint64_t next, first;	/* this run's: highest seen + 1; lowest seen */
	uint64_t newest_sent_ns;
	uint64_t runs;		/* 0: nothing seen yet */
	uint64_t distinct, duplicates, reordered, distance_max, unknown;
	uint64_t spanned, unseen;	/* earlier runs': numbers from first to highest; below
					 * first */
	uint64_t loss_runs, loss_run_max;	/* loss periods (RFC 3357) that have left the
						 * window */
	uint64_t loss_run;		/* run of lost numbers at the window's end */
	uint64_t window[SEQWIN_WORDS];
};

/* Adds an arrival: the low 32 bits of its number, and the sender's timestamp; 0: none. */
void seqwin_add(struct seqwin *win, uint32_t low, uint64_t sent_ns);

/*
 * Judges what is still in the window, for loss_runs: on a copy, if more may arrive. @end: numbers
 * from the highest seen up to this are lost, too; 0: none.
 */
void seqwin_finish(struct seqwin *win, uint64_t end);

/* Numbers missing between the first and the highest, over all runs. */
uint64_t seqwin_gaps(const struct seqwin *win);

#endif
