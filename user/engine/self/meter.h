/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/self/meter.h - what this host spends while it measures, and whether that was
 * the limit.
 */
#ifndef ENGINE_SELF_METER_H
#define ENGINE_SELF_METER_H

#include <stdbool.h>
#include <stdint.h>

#include "model/bottleneck.h"
#include "result/result.h"
#include "sys/afxdp/afxdp.h"

/* What a sending thread and its ring used, once it has ended. */
struct meter_thread {
	uint32_t cpu;
	uint64_t time_ns;		/* from the thread's start to its end */
	uint64_t run_ns, wait_ns;	/* of it on the CPU; ready, while another had it */
	struct afxdp_use ring;		/* of zeros where it has none */
};

/* A sender, as far as it is measured here. */
struct meter_sender {
	const void *ctx;
	uint32_t nr_threads;
	enum bottleneck_pace pace;
	uint64_t sent_packets, refused_packets;
	void (*read_thread)(const void *ctx, uint32_t i, struct meter_thread *ret_thread);
};

struct meter;

/*
 * Begins, once all is open. @ifname: whose interrupts and receive overruns are
 * reported, in this thread's network namespace; NULL: none. Never fails: what it
 * cannot read is null in the result. All functions take NULL.
 */
struct meter *meter_start(const char *ifname);

/*
 * The work is done: what comes later is not counted, but the BPF maps must still be
 * there. A second call changes nothing.
 */
void meter_stop(struct meter *meter);

/* A receiver, likewise. */
struct meter_receiver {
	double lost_packets;		/* NAN: not known */
};

/*
 * Stops, and writes "self" of @res, with a table of the CPUs: the bottleneck is that of
 * @sender (NULL: nothing is sent), and of @receiver (NULL: nothing is received).
 */
void meter_report(struct meter *meter, const struct meter_sender *sender,
		  const struct meter_receiver *receiver, struct result *res);

void meter_free(struct meter *meter);

#endif
