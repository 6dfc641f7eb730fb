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
#include "result/result.h"

/* What is asked for: a rate for a time, or so many packets. */
struct bench_ask {
	const char *kind;		/* "throughput": a word of at most 15 letters */
	uint32_t frame_bytes;
	double pps;
	uint64_t trial_ns;		/* 0: count */
	uint64_t count;
	bool once;			/* whatever comes of it counts: never run again */
	/* Not 0, of recovery: at once behind trial_ns so much less load, for as long again. */
	double then_pps;
	/* Of reset: run in the midst by a shell; trial_ns is what is sent before it, and after its end. */
	const char *command;
	int command_ns_fd;		/* the network namespace that it runs in */
};

struct bench_trial {
	char kind[16];
	uint32_t frame_bytes;
	bool irregular;			/* the generator fell behind: it says nothing of the device */
	bool unsteady;			/* what was lost may be of a stall of the generator, made up at once */
	double pps;			/* asked for */
	uint64_t trial_ns, count;
	uint64_t sent, lost;
	double sent_pps;
	double late_max_ns;		/* of a packet behind its slot */
	/*
	 * Of recovery: from the fall of the load to the first packet behind the last loss. Of
	 * reset: the longest time without a packet. NAN: no end of it was seen.
	 */
	double event_ns;
	struct dist delay;		/* NAN where nothing arrived */
};

/* Where the packets come out. */
struct bench_end {
	const char *sink;		/* "IFACE" or "IFACE@NETNS" of this host */
	bool reflected;			/* it is the sender's own: a reflector sends them back there */
	struct far_sink_cfg far;	/* with a command: another host's, instead */
};

/* About how long it takes. */
uint64_t bench_ask_ns(const struct bench_ask *ask);

/*
 * @base: of all trials, but for size, rate and length. Its figures into @part and into
 * *@ret_trial, whose first part the caller has filled. A far sink takes neither
 * then_pps nor a command. -EINTR: a signal came.
 */
int bench_trial_run(const struct stream_plan *base, const struct bench_end *end, const struct bench_ask *ask,
		    struct result *part, struct bench_trial *ret_trial, struct err *e);

#endif
