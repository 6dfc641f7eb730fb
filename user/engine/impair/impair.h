/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/impair/impair.h - do to packets what the rules say, and count each.
 *
 * On one interface: an XDP program on ingress, a tc program on egress. As a
 * bump between two: XDP programs on both, which hand what they leave alone over
 * to the other one inside the kernel, and through engine/impair/bump.h what takes
 * time. Attached by bpf links, so nothing is left however the process ends.
 *
 * Order of calls: open, start, then poll and check again and again, stop,
 * read, report, close. All from one thread; it works in the network namespace
 * of that thread.
 */
#ifndef ENGINE_IMPAIR_IMPAIR_H
#define ENGINE_IMPAIR_IMPAIR_H

#include <stdint.h>

#include "abi/impair.h"
#include "engine/impair/bump.h"
#include "lib/err.h"
#include "model/impair_rule.h"
#include "result/result.h"
#include "sys/hook/tc.h"
#include "sys/hook/xdp.h"

/* Which packets the rules are for; the first two are of one interface. */
enum impair_way {
	IMPAIR_INGRESS,
	IMPAIR_EGRESS,
	IMPAIR_A_TO_B,		/* what comes in at ifnames[0]; direction 0 */
	IMPAIR_B_TO_A,		/* direction 1 */
	IMPAIR_BOTH,
};

struct impair_cfg {
	const char *ifnames[2];		/* the second NULL: one interface */
	enum impair_way way;
	enum xdp_mode xdp_mode;
	enum tc_way tc_way;		/* IMPAIR_EGRESS */
	uint64_t seed;			/* direction 1 draws from seed + 1 */
	const struct impair_rules *rules;	/* lives as long as the struct impair */
	struct impair_filter filter;
	double rate_l1_bps;		/* of a bottleneck; 0: none */
	uint64_t queue_bytes, queue_packets;
	/* Called by impair_poll() for each packet that something was done to; NULL: never. */
	void (*on_event)(void *ctx, const struct impair_event *event);
	void *ctx;
};

/*
 * One direction. After impair_stop():
 * seen = done[IMPAIR_LOSS] + own_drops + passed, and
 * passed + copies + fragments = out + queue_drops + full_drops.
 */
struct impair_count {
	uint64_t seen_packets, seen_bytes;	/* matched: numbered from 0 */
	uint64_t unmatched_packets;	/* handed on untouched */
	uint64_t done[IMPAIR_KINDS];	/* packets; one may be in several */
	uint64_t unable;		/* times that a packet had nothing to do it to */
	uint64_t own_drops;		/* user space was too slow, or the kernel refused to redirect */
	uint64_t passed_packets;
	/* From here on frames. */
	uint64_t copies, fragments;	/* more than the packets that they were made of */
	uint64_t queue_drops;		/* the bottleneck's queue was full */
	uint64_t full_drops;		/* no memory was left to hold it */
	uint64_t held;			/* now inside */
	uint64_t out_frames;
	/*
	 * Not taken by the driver of the other interface: those handed over in the kernel
	 * are part of out_frames, and of those not matched too, as it is not known which.
	 */
	uint64_t refused;
	uint64_t flushed;		/* sent though what they were held for never came */
	uint64_t late_max_ns;		/* after the time it was due */
	uint64_t events_lost;
};

struct impair;

/* Loads the programs; nothing is touched yet. */
int impair_open(struct impair **ret_impair, const struct impair_cfg *cfg, struct result *res,
		struct err *e);

/* Attaches them: from now on packets are numbered. */
int impair_start(struct impair *impair, struct err *e);

/* Hands out the events that have come. */
void impair_poll(struct impair *impair);

/* An interface vanished, or its driver cannot do what must be done. */
int impair_check(struct impair *impair, struct err *e);

/* Detaches; what is still held back is sent. */
void impair_stop(struct impair *impair);

/* @direction: 0, and of a bump 1. Exact after impair_stop(). */
void impair_read(struct impair *impair, unsigned int direction, struct impair_count *ret_count);

/* Totals, and the verdict that they add up; of a bump as parts "a-to-b" and "b-to-a". */
void impair_report(struct impair *impair, struct result *res);

/* A row of the series, of the impaired directions together. */
void impair_report_row(struct impair *impair, struct result *res, uint64_t elapsed_ns);

/* Takes NULL. */
void impair_close(struct impair *impair);

#endif
