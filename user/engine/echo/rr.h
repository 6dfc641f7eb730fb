/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/echo/rr.h - request and response: requests that wait for their answers, by
 * echo or UDP, as fast as the answers come or at a rate.
 *
 * Everything happens in the network namespace of the thread that calls rr_open().
 */
#ifndef ENGINE_ECHO_RR_H
#define ENGINE_ECHO_RR_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/hist.h"
#include "engine/send/tx.h"
#include "lib/err.h"
#include "proto/frame.h"
#include "result/result.h"
#include "sys/hook/xdp.h"

enum rr_engine {
	RR_AFXDP,	/* AF_XDP both ways; answers are stamped by an XDP program */
	RR_BOUNCE,	/* that program turns each answer into the next request */
	RR_STACK,	/* a socket: what the kernel's own stack takes */
};

/* Choices of --engine, in the order of enum rr_engine. */
extern const char *const rr_engine_names[];

#define RR_MAX_OUTSTANDING 1024

struct rr_cfg {
	enum rr_engine engine;
	const char *ifname;
	struct frame_spec frame;	/* a request; its stream and source port are chosen here */
	bool icmp;			/* echo requests instead of UDP */
	double pps;			/* 0: as fast as answers come */
	uint32_t outstanding;		/* requests that wait for an answer, at most; 1 and up */
	uint32_t stamp_every;		/* bounce: one request of this many is timed; 1 and up */
	uint64_t timeout_ns;		/* from then on an answer is not waited for */
	enum xdp_mode mode;
	bool zero_copy;			/* or it is an error; else the driver keeps its receive queues */
	bool busy_poll;			/* drive the queues from the thread that waits */
};

struct rr_count {
	uint64_t sent, refused;		/* the driver took; and did not */
	uint64_t answers, bytes;	/* arrived, duplicates too; frames with FCS */
	uint64_t distinct, duplicates, reordered, unknown;
	uint64_t given_up;		/* waited for in vain; a late answer is none the less distinct */
	uint64_t foreign;		/* left to the stack */
	uint64_t sending_ns;		/* from the first request to the last, of all runs */
	uint64_t running_ns;		/* from the first request to the last answer, of all runs */
	uint64_t late_sum_ns, late_max_ns, paced;	/* after the slot */
};

struct rr;

/* Opens descriptors and takes the hook; sends nothing yet. */
int rr_open(struct rr **ret_rr, const struct rr_cfg *cfg, struct result *res, struct err *e);
void rr_close(struct rr *rr);		/* stops what still runs; takes NULL */

/*
 * Starts @count requests (0: no limit) for @duration_ns (0: no limit). May be
 * called again after rr_stop(): the counts go on. Needs no capability.
 */
int rr_start(struct rr *rr, uint64_t count, uint64_t duration_ns, struct err *e);

/* True when the last request is answered or given up. */
bool rr_done(const struct rr *rr);

/* No more requests; waits for the answers still due. The error of the run, if any. */
int rr_stop(struct rr *rr, struct err *e);

/* -ENODEV if the interface is gone. */
int rr_check(const struct rr *rr, struct err *e);

void rr_read(const struct rr *rr, struct rr_count *ret_count);
uint64_t rr_lost(const struct rr_count *count);
double rr_transactions_per_s(const struct rr_count *count);	/* NAN: it did not run */

/* Round trips from stamp to stamp; and from being due to being in user space, empty for bounce. */
void rr_read_hists(const struct rr *rr, struct hist_rec *ret_rtt, struct hist_rec *ret_turn);

void rr_report(const struct rr *rr, struct result *res);

/* A row of the last @length_ns, @elapsed_ns after the start. */
void rr_report_row(struct rr *rr, struct result *res, uint64_t elapsed_ns, uint64_t length_ns);

#endif
