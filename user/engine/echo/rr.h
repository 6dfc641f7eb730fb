/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/echo/rr.h - request and response: ICMP echo or UDP requests, sent as fast as the answers
 * arrive or at a rate.
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
	RR_AFXDP,	/* AF_XDP in both directions; an XDP program timestamps the answers */
	RR_BOUNCE,	/* the XDP program turns each answer into the next request */
	RR_STACK,	/* a socket: includes the kernel's own stack */
};

/* Choices of --engine, in the order of enum rr_engine. */
extern const char *const rr_engine_names[];

#define RR_MAX_OUTSTANDING 1024

struct rr_cfg {
	enum rr_engine engine;
	const char *ifname;
	struct frame_spec frame;	/* a request; stream and source port are set by rr.c */
	bool icmp;			/* echo requests instead of UDP */
	double pps;			/* 0: as fast as answers come */
	uint32_t outstanding;		/* maximum number of outstanding requests; 1 and up */
	uint32_t stamp_every;		/* bounce: time one request in this many; 1 and up */
	uint64_t timeout_ns;		/* after this, a request counts as unanswered */
	enum xdp_mode mode;
	bool zero_copy;			/* require zero-copy; otherwise the driver keeps its receive
					 * queues */
	bool busy_poll;			/* drive the queues from the waiting thread */
};

struct rr_count {
	uint64_t sent, refused;		/* accepted and refused by the driver */
	uint64_t answers, bytes;	/* received, including duplicates and damaged; frames with FCS */
	uint64_t damaged, bad_payload;	/* in answers and bytes, and in no other count */
	uint64_t unverified;		/* no L4 checksum that could be verified */
	uint64_t distinct, duplicates, reordered, unknown;
	uint64_t given_up;		/* timed out; a late answer still counts as distinct */
	uint64_t foreign;		/* passed to the stack */
	uint64_t sending_ns;		/* from the first request to the last, of all runs */
	uint64_t running_ns;		/* from the first request to the last answer, of all runs */
	uint64_t late_sum_ns, late_max_ns, paced;	/* relative to the slot */
};

struct rr;

/* Opens descriptors and attaches the program; sends nothing yet. */
int rr_open(struct rr **ret_rr, const struct rr_cfg *cfg, struct result *res, struct err *e);
void rr_close(struct rr *rr);		/* stops a run in progress; accepts NULL */

/*
 * Starts @count requests (0: no limit) for @duration_ns (0: no limit). May be called again after
 * rr_stop(): the counts continue. Requires no capability.
 */
int rr_start(struct rr *rr, uint64_t count, uint64_t duration_ns, struct err *e);

/* True when every request is answered or timed out. */
bool rr_done(const struct rr *rr);

/* Stops sending and waits for outstanding answers. Returns the run's error, if any. */
int rr_stop(struct rr *rr, struct err *e);

/* -ENODEV if the interface is gone. */
int rr_check(const struct rr *rr, struct err *e);

void rr_read(const struct rr *rr, struct rr_count *ret_count);
uint64_t rr_lost(const struct rr_count *count);

/* Of paced requests the answered share of their rate; else answers over the time. NAN: no run. */
double rr_transactions_per_s(const struct rr_count *count);


/*
 * @ret_rtt: from timestamp to timestamp. The other: from due time to arrival in user space, empty
 * for bounce.
 */
void rr_read_hists(const struct rr *rr, struct hist_rec *ret_rtt, struct hist_rec *ret_turn);

void rr_report(const struct rr *rr, struct result *res);

/* A row for the last @length_ns, @elapsed_ns after the start. */
void rr_report_row(struct rr *rr, struct result *res, uint64_t elapsed_ns, uint64_t length_ns);

#endif
