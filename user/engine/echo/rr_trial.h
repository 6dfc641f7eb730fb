/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/echo/rr_trial.h - a run of requests for ping and rr: options, rows, result, and the same
 * through a socket in turn.
 */
#ifndef ENGINE_ECHO_RR_TRIAL_H
#define ENGINE_ECHO_RR_TRIAL_H

#include "engine/echo/rr.h"
#include "engine/send/stream.h"
#include "lib/err.h"
#include "lib/opt.h"
#include "lib/opt_rule.h"
#include "result/result.h"

struct rr_opts {
	struct stream_opts stream;
	int engine;			/* enum rr_engine */
	uint32_t outstanding;		/* 0: 1, or with a rate as many as required */
	uint64_t wait_ns, interval_ns;
	bool flood;			/* ping: as many as required, whatever the rate */
	bool against_stack;
	bool no_loss;
	const char *sizes;		/* NULL: one */
	int xdp_mode;
};

#define RR_DEFAULTS \
	.stream = { STREAM_DEFAULTS, .port = 7 /* echo, RFC 862 */ }, \
	.wait_ns = NSEC_PER_SEC, .interval_ns = NSEC_PER_SEC, \
	.xdp_mode = XDP_MODE_AUTO

/* Values: a struct rr_opts. */
extern const struct opt rr_options[];

#define RR_RULES \
	{ OPT_AT_MOST_ONE, "ipv4 ipv6" }, \
	/* The answer's arrival triggers the next request. */ \
	{ OPT_EXCLUDES, "rate", "engine=bounce" }, \
	{ OPT_REQUIRES, "vlan zero-copy", "engine=afxdp" }, \
	{ OPT_REQUIRES, "stamp-every", "engine=bounce" }, \
	{ OPT_EXCLUDES, "dst-mac", "engine=stack" }, \
	{ OPT_REQUIRES, "against-stack", "engine=afxdp engine=bounce" }, \
	/* The stack builds the headers itself, and does not fill a queue's receive ring. */ \
	{ OPT_EXCLUDES, "against-stack", "zero-copy vlan dst-mac" }, \
	{ OPT_EXCLUDES, "sizes", "frame-bytes against-stack" }

/* Completes the options and checks what rules cannot express; pure. */
int rr_opts_check(struct rr_opts *opts, const struct opt_given *given, struct err *e);

/* @icmp: echo requests; else UDP. */
int rr_trial_run(const struct rr_opts *opts, bool icmp, struct result *res, struct err *e);

#endif
