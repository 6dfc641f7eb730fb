/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proto/seqwin.h - order, loss and duplicates of one stream in user space, by
 * the rules of bpf/lib/seq.bpf.h, for packets that no BPF program checks.
 */
#ifndef PROTO_SEQWIN_H
#define PROTO_SEQWIN_H

#include <stdint.h>

#define SEQWIN_NUMBERS	4096	/* below the highest, in which a duplicate is known as one */
#define SEQWIN_WORDS	128	/* of 64 bits; twice the window */

/* Zeroed: nothing seen. */
struct seqwin {
	uint64_t next, first;	/* of this run: highest seen + 1; lowest seen */
	uint64_t newest_sent_ns;
	uint64_t runs;		/* 0: nothing seen yet */
	uint64_t distinct, duplicates, reordered, distance_max, unknown;
	uint64_t spanned, unseen;	/* of earlier runs: numbers from first to highest; below first */
	uint64_t loss_runs, loss_run_max;	/* RFC 3357's loss periods, of what left the window */
	uint64_t loss_run;		/* numbers lost in a row at the window's end */
	uint64_t window[SEQWIN_WORDS];
};

/* One arrival: the low 32 bits of its number, and the sender's stamp; 0: none. */
void seqwin_add(struct seqwin *win, uint32_t low, uint64_t sent_ns);

/*
 * Judges what is still in the window, for loss_runs: on a copy, where more may come. @end:
 * numbers from the highest seen to there are lost, too; 0: none.
 */
void seqwin_finish(struct seqwin *win, uint64_t end);

/* Numbers not seen between the first and the highest, of all runs. */
uint64_t seqwin_gaps(const struct seqwin *win);

#endif
