/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/self/meter.h - the resources that this host uses while measuring, and whether they were
 * the limit.
 */
#ifndef ENGINE_SELF_METER_H
#define ENGINE_SELF_METER_H

#include <stdbool.h>
#include <stdint.h>

#include <sys/socket.h>

#include "model/bottleneck.h"
#include "result/result.h"
#include "sys/afxdp/afxdp.h"

/* What a sending thread and its ring used, known once it has ended. */
struct meter_thread {
	uint32_t cpu;			/* BOTTLENECK_ANY_CPU: not pinned */
	uint64_t time_ns;		/* from the thread's start to its end */
	uint64_t run_ns, wait_ns;	/* on the CPU; and runnable, waiting for it */
	struct afxdp_use ring;		/* zeros without a ring */
};

/* Share of its time on the CPU or waiting for it; 0: unknown. */
static inline double meter_busy_ratio(const struct meter_thread *thread)
{
	return thread->time_ns ?
	       (double)(thread->run_ns + thread->wait_ns) / (double)thread->time_ns : 0;
}

/* A sender's figures for the meter. */
struct meter_sender {
	const void *ctx;
	uint32_t nr_threads;
	enum bottleneck_pace pace;
	uint64_t sent_packets, refused_packets;
	void (*read_thread)(const void *ctx, uint32_t i, struct meter_thread *ret_thread);
};

struct meter;

/*
 * Starts metering, once everything is open. @ifname: the interface whose interrupts, receive
 * overruns and times without a link are reported, in this thread's network namespace; NULL: none.
 * Never fails: what cannot be read is null in the result. All functions accept NULL.
 */
struct meter *meter_start(const char *ifname);

/* Reports the times without a link of this interface, too. */
void meter_add_link(struct meter *meter, const char *ifname);

/* And those of the interface through which packets to @to leave, if there is a route. */
void meter_add_route(struct meter *meter, const struct sockaddr *to);

/*
 * The work is done: later activity is not counted, but the BPF maps must still exist. A second call
 * changes nothing.
 */
void meter_stop(struct meter *meter);

/* The same for a receiver. */
struct meter_receiver {
	double lost_packets;		/* NAN: unknown */
	uint64_t socket_full_packets;	/* dropped, as the socket's buffer was full */
	double reader_ratio;		/* see model/bottleneck.h */
};

/*
 * Stops, and writes "self" of @res, with a table of the CPUs: the bottleneck of @sender (NULL:
 * nothing is sent), and of @receiver (NULL: nothing is received).
 */
void meter_report(struct meter *meter, const struct meter_sender *sender,
		  const struct meter_receiver *receiver, struct result *res);

/*
 * After meter_stop(): the share of the time for which other work or the hypervisor took its CPU from
 * the sending thread that needed it most; 0 where it is unknown.
 */
double meter_taken_ratio(const struct meter *meter, const struct meter_sender *sender);

/*
 * Stops. What limited @sender alone, as meter_report() does; @ret_why: one sentence, "" if there is
 * nothing to report.
 */
enum bottleneck meter_judge_sender(struct meter *meter, const struct meter_sender *sender, char *ret_why,
				   size_t size);

void meter_free(struct meter *meter);

#endif
