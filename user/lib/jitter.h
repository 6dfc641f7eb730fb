/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lib/jitter.h - interarrival jitter (RFC 3550 A.8).
 */
#ifndef LIB_JITTER_H
#define LIB_JITTER_H

#include <math.h>
#include <stdint.h>

#include "abi/jitter.h"

/* Of one stream. */
struct jitter {
	uint64_t timed;		/* delays so far */
	int64_t last_ns;	/* the latest */
	double ns;
};

/* In the order of arrival. */
static inline void jitter_add(struct jitter *jitter, int64_t delay_ns)
{
	if (jitter->timed++)
		jitter->ns += (fabs((double)(delay_ns - jitter->last_ns)) - jitter->ns) / 16;
	jitter->last_ns = delay_ns;
}

/* Of several streams that have at least two delays each. */
struct jitter_sum {
	uint64_t streams;
	double ns, max_ns;
};

static inline void jitter_sum_add(struct jitter_sum *sum, double ns)
{
	sum->streams++;
	sum->ns += ns;
	sum->max_ns = fmax(sum->max_ns, ns);
}

/* A stream of which a BPF program keeps the jitter. */
static inline void jitter_sum_add_rec(struct jitter_sum *sum, const struct jitter_rec *rec)
{
	if (rec->timed > 1)
		jitter_sum_add(sum, (double)rec->x16_ns / 16);
}

#endif
