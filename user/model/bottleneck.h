/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/bottleneck.h - whether the tester itself limited what it measured.
 *
 * Pure: facts in, a verdict and a sentence out. It reports only limits that a run's figures show: a
 * paced sender uses a whole CPU by spinning, by design, and a packet lost on the path is not this
 * machine's fault.
 */
#ifndef MODEL_BOTTLENECK_H
#define MODEL_BOTTLENECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum bottleneck {
	BOTTLENECK_NONE,		/* no limit was seen on this host */
	BOTTLENECK_UNKNOWN,		/* something was, or may have been, the limit; unknown
					 * what */
	BOTTLENECK_SENDER_CPU,
	BOTTLENECK_RECEIVER_CPU,
	BOTTLENECK_RING,		/* the device's: it accepted, or delivered, less than
					 * there was */
	BOTTLENECK_LINK,		/* it was down for a part of the run */
	BOTTLENECK_SOCKET,		/* the receiving socket's buffer was full */
};

/* "none", "sender cpu", ... */
extern const char *const bottleneck_names[];

enum bottleneck_pace {
	BOTTLENECK_UNPACED,		/* as fast as possible */
	BOTTLENECK_REGULAR,		/* reached its rate (RFC 9971) */
	BOTTLENECK_IRREGULAR,
	BOTTLENECK_STALLED,		/* reached its rate in the mean, by bursts after stalls */
	BOTTLENECK_PACED,		/* has slots, but no rate to compare with */
	BOTTLENECK_BLOCKING,		/* sleeps in a socket whenever that takes no more */
};

#define BOTTLENECK_ANY_CPU UINT32_MAX	/* of a thread that is not pinned to one */

struct bottleneck_sender {
	enum bottleneck_pace pace;
	double refused_ratio;		/* of the packets made */
	double ring_full_ratio;		/* of the attempts to get frames */
	uint64_t link_downs;		/* how often the link went down during the run */
	/* The thread that used most of its CPU; ratios of its lifetime, NAN: unknown. */
	uint32_t cpu;
	uint64_t time_ns;
	double run_ratio;
	double taken_ratio;		/* waiting for the CPU, or stolen from it by the hypervisor */
	double softirq_ratio;		/* of that CPU: packets that this host receives or forwards */
};

struct bottleneck_receiver {
	double lost_packets;		/* NAN: unknown */
	uint64_t overrun_packets;	/* of the interface's receive ring */
	uint64_t socket_full_packets;	/* dropped, as the receiving socket's buffer was full */
	double reader_ratio;		/* of the busiest reading thread's time: on its CPU or waiting
					 * for it; 0: unknown */
	uint64_t softnet_dropped_packets;
	bool has_softnet;
	/* The CPU whose receive softirq most often ended with packets still waiting. */
	uint32_t cpu;
	double busy_ratio, squeezed_hz;
};

/* @ret_why: one sentence, "" if there is nothing to report. */
enum bottleneck bottleneck_of_sender(const struct bottleneck_sender *sender, char *ret_why,
				     size_t size);
enum bottleneck bottleneck_of_receiver(const struct bottleneck_receiver *receiver, char *ret_why,
				       size_t size);

/* Combines both ends: the sender's limit takes precedence. */
enum bottleneck bottleneck_of_both(enum bottleneck sender, enum bottleneck receiver);

#endif
