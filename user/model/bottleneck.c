// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * model/bottleneck.c - whether the tester itself limited what it measured.
 */
#include "model/bottleneck.h"

#include <math.h>
#include <stdio.h>

#define SATURATED_RATIO	0.95	/* of a CPU; the rest is start and stop */
#define TAKEN_RATIO	0.05	/* from this share on, the sentence says that the CPU was taken */
#define SOFTIRQ_RATIO	0.5	/* from here on a CPU does more for the path than for the sender */
#define REFUSED_RATIO	0.001	/* RFC 9971's bound for the sender */
#define RING_FULL_RATIO	0.5
#define SQUEEZED_HZ	100	/* a softirq that cannot keep up is squeezed thousands of times
				 * per second */
#define SHORT_NS	10000000 /* of shorter runs, start and stop are too large a part */

const char *const bottleneck_names[] = {
	[BOTTLENECK_NONE] = "none", [BOTTLENECK_UNKNOWN] = "unknown",
	[BOTTLENECK_SENDER_CPU] = "sender cpu", [BOTTLENECK_RECEIVER_CPU] = "receiver cpu",
	[BOTTLENECK_RING] = "ring", [BOTTLENECK_LINK] = "link", [BOTTLENECK_SOCKET] = "socket",
};

/* "CPU 3", or "its CPU". */
static const char *cpu_name(uint32_t cpu, char buf[static 16])
{
	if (cpu == BOTTLENECK_ANY_CPU)
		return "its CPU";
	snprintf(buf, 16, "CPU %u", cpu);
	return buf;
}

static enum bottleneck of_sender_cpu(const struct bottleneck_sender *s, char *why, size_t size)
{
	double busy = s->run_ratio + s->taken_ratio;
	const char *cpu;
	char buf[16];

	if (!(busy >= SATURATED_RATIO))
		return s->pace == BOTTLENECK_BLOCKING && busy >= 0 ? BOTTLENECK_NONE :
								     BOTTLENECK_UNKNOWN;
	/* One that reached its rate spins at its slots: only others can have stalled it. */
	if (s->pace == BOTTLENECK_STALLED && s->taken_ratio < TAKEN_RATIO)
		return BOTTLENECK_UNKNOWN;
	cpu = cpu_name(s->cpu, buf);
	if (s->taken_ratio >= TAKEN_RATIO)
		snprintf(why, size, "other work or the hypervisor took %.0f %% of %s from the "
			 "sender: the rate is this machine's limit, not the path's",
			 100 * s->taken_ratio, cpu);
	else if (s->softirq_ratio >= SOFTIRQ_RATIO)
		snprintf(why, size, "%s sends, and spent %.0f %% of the time on packets that this host "
			 "receives or forwards: the rate is what the sender and the path reach on one CPU",
			 cpu, 100 * s->softirq_ratio);
	else
		snprintf(why, size, "the sender used all of %s: the rate is this machine's limit, "
			 "not the path's", cpu);
	return BOTTLENECK_SENDER_CPU;
}

/* What was refused while the link was down is no sign of a full ring. */
static enum bottleneck of_device(const struct bottleneck_sender *s, char *why, size_t size)
{
	if (s->link_downs && (s->pace == BOTTLENECK_IRREGULAR || s->refused_ratio > REFUSED_RATIO ||
			      s->ring_full_ratio > RING_FULL_RATIO)) {
		snprintf(why, size, "the link of the sending interface went down during the run "
			 "(%llu times), and %.2g %% of the packets were refused",
			 (unsigned long long)s->link_downs, 100 * s->refused_ratio);
		return BOTTLENECK_LINK;
	}
	if (s->refused_ratio > REFUSED_RATIO) {
		snprintf(why, size, "the driver refused %.2g %% of the packets: its ring was full, "
			 "so the device or what follows it is the limit, not the sender",
			 100 * s->refused_ratio);
		return BOTTLENECK_RING;
	}
	if (s->ring_full_ratio > RING_FULL_RATIO) {
		snprintf(why, size, "the AF_XDP ring was full in %.0f %% of the attempts: the "
			 "device or what follows it is the limit, not the sender",
			 100 * s->ring_full_ratio);
		return BOTTLENECK_RING;
	}
	return BOTTLENECK_NONE;
}

enum bottleneck bottleneck_of_sender(const struct bottleneck_sender *s, char *ret_why, size_t size)
{
	enum bottleneck device;

	*ret_why = '\0';
	if (s->pace == BOTTLENECK_REGULAR && !(s->refused_ratio > REFUSED_RATIO))
		return BOTTLENECK_NONE;
	device = of_device(s, ret_why, size);
	if (device != BOTTLENECK_NONE)
		return device;
	if (s->time_ns < SHORT_NS)
		return BOTTLENECK_UNKNOWN;
	/* Slots are met by spinning: a busy CPU means nothing, but spare time does. */
	if (s->pace == BOTTLENECK_PACED)
		return s->run_ratio + s->taken_ratio < SATURATED_RATIO ? BOTTLENECK_NONE :
									 BOTTLENECK_UNKNOWN;
	return of_sender_cpu(s, ret_why, size);
}

enum bottleneck bottleneck_of_receiver(const struct bottleneck_receiver *r, char *ret_why,
				       size_t size)
{
	bool saturated = r->busy_ratio >= SATURATED_RATIO && r->squeezed_hz >= SQUEEZED_HZ;

	*ret_why = '\0';
	if (r->socket_full_packets > r->overrun_packets) {
		snprintf(ret_why, size, "the receiving socket dropped %llu packets, as its buffer was "
			 "full: a loss of the receiver, not of the path",
			 (unsigned long long)r->socket_full_packets);
		return BOTTLENECK_SOCKET;
	}
	if (r->overrun_packets) {
		if (saturated)
			snprintf(ret_why, size, "CPU %u could not keep up, and the interface's receive "
				 "ring lost %llu packets", r->cpu,
				 (unsigned long long)r->overrun_packets);
		else
			snprintf(ret_why, size, "the interface's receive ring lost %llu packets: a "
				 "loss of this machine, not of the path",
				 (unsigned long long)r->overrun_packets);
		return saturated ? BOTTLENECK_RECEIVER_CPU : BOTTLENECK_RING;
	}
	if (r->reader_ratio >= SATURATED_RATIO) {
		snprintf(ret_why, size, "the receiving thread used, or waited for, %.0f %% of its CPU: "
			 "the rate may be this machine's limit, not the path's",
			 100 * r->reader_ratio);
		return BOTTLENECK_RECEIVER_CPU;
	}
	if (isnan(r->lost_packets))
		return r->softnet_dropped_packets ? BOTTLENECK_UNKNOWN : BOTTLENECK_NONE;
	if (!(r->lost_packets > 0))
		return BOTTLENECK_NONE;
	if (r->softnet_dropped_packets) {
		snprintf(ret_why, size, "this host's backlog queues dropped %llu packets: a loss may "
			 "be this machine's, not the path's",
			 (unsigned long long)r->softnet_dropped_packets);
		return BOTTLENECK_RECEIVER_CPU;
	}
	if (saturated) {
		snprintf(ret_why, size, "CPU %u was busy %.0f %% and its receive softirq could not "
			 "keep up: a loss may be this machine's, not the path's", r->cpu,
			 100 * r->busy_ratio);
		return BOTTLENECK_RECEIVER_CPU;
	}
	return r->has_softnet ? BOTTLENECK_NONE : BOTTLENECK_UNKNOWN;
}

enum bottleneck bottleneck_of_both(enum bottleneck sender, enum bottleneck receiver)
{
	if (sender > BOTTLENECK_UNKNOWN || receiver == BOTTLENECK_NONE)
		return sender;
	return receiver;
}
