/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/bottleneck.h - whether the tester itself was the limit of what it measured.
 *
 * Pure: facts in, a judgement and a sentence out. It speaks only where the
 * figures of a run show a limit: a paced sender spins a whole CPU away by
 * design, and a packet that is lost on the way is no fault of this machine.
 */
#ifndef MODEL_BOTTLENECK_H
#define MODEL_BOTTLENECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum bottleneck {
	BOTTLENECK_NONE,		/* nothing here was seen to be the limit */
	BOTTLENECK_UNKNOWN,		/* something was, or may have been: it is not known what */
	BOTTLENECK_SENDER_CPU,
	BOTTLENECK_RECEIVER_CPU,
	BOTTLENECK_RING,		/* of the device: it took, or gave, less than there was */
};

/* "none", "sender cpu", ... */
extern const char *const bottleneck_names[];

enum bottleneck_pace {
	BOTTLENECK_UNPACED,		/* as fast as it goes */
	BOTTLENECK_REGULAR,		/* reached its rate (RFC 9971) */
	BOTTLENECK_IRREGULAR,
	BOTTLENECK_PACED,		/* has slots, and no rate to compare with */
};

struct bottleneck_sender {
	enum bottleneck_pace pace;
	double refused_ratio;		/* of the packets made */
	double ring_full_ratio;		/* of the times that frames were wanted */
	/* Of the thread that used most of its CPU; ratios of its own time, NAN: not known. */
	uint32_t cpu;
	uint64_t time_ns;
	double run_ratio;
	double taken_ratio;		/* waiting for the CPU, or stolen from it by the hypervisor */
};

struct bottleneck_receiver {
	double lost_packets;		/* NAN: not known */
	uint64_t overrun_packets;	/* of the interface's own receive ring */
	uint64_t softnet_dropped_packets;
	bool has_softnet;
	/* Of the CPU whose receive softirq left most often with packets still waiting. */
	uint32_t cpu;
	double busy_ratio, squeezed_hz;
};

/* @ret_why: one sentence, "" where there is nothing to say. */
enum bottleneck bottleneck_of_sender(const struct bottleneck_sender *sender, char *ret_why,
				     size_t size);
enum bottleneck bottleneck_of_receiver(const struct bottleneck_receiver *receiver, char *ret_why,
				       size_t size);

/* Of both ends: the sender's limit is met first. */
enum bottleneck bottleneck_of_both(enum bottleneck sender, enum bottleneck receiver);

#endif
