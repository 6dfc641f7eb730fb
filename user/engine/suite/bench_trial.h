/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/suite/bench_trial.h - one trial through a device between two ports.
 */
#ifndef ENGINE_SUITE_BENCH_TRIAL_H
#define ENGINE_SUITE_BENCH_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/account/trial.h"
#include "engine/send/stream.h"
#include "lib/err.h"
#include "model/bench_state.h"
#include "result/result.h"

/* A trial to run: a rate for a time, or a number of packets. */
struct bench_ask {
	const char *kind;		/* "throughput": a word of at most 15 letters */
	uint32_t frame_bytes;
	double pps;
	uint64_t trial_ns;		/* 0: count */
	uint64_t count;
	bool once;			/* keep the result, whatever it is: never repeat the
					 * trial */
	/*
	 * Recovery, not 0: continue right after trial_ns with this lower load, for as long again.
	 */
	double then_pps;
	/*
	 * Reset: run by a shell during the trial; trial_ns is sent before it, and again after its
	 * end.
	 */
	const char *command;
	int command_ns_fd;		/* the network namespace that it runs in */
};

/* Where the packets are received. */
struct bench_end {
	const char *sink;		/* "IFACE" or "IFACE@NETNS" on this host */
	uint64_t wait_ns;		/* for late packets */
	bool reflected;			/* it is the sender's interface: a reflector returns the
					 * packets to it */
	struct far_sink_cfg far;	/* with a command: a receiver on another host instead */
};

/* Estimated duration. */
uint64_t bench_ask_ns(const struct bench_ask *ask);

/*
 * @base: common to all trials, except size, rate and length. Writes the figures to @part and to
 * *@ret_trial, whose first part the caller has filled. A receiver on another host supports neither
 * then_pps nor a command. -EINTR: a signal arrived.
 */
int bench_trial_run(const struct stream_plan *base, const struct bench_end *end, const struct bench_ask *ask,
		    struct result *part, struct bench_trial *ret_trial, struct err *e);

#endif
