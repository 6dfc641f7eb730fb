/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/delay_error.h - compare measured delays with those that a forwarder made, packet by packet.
 *
 * The forwarder knows when it took a packet and when it began to send it; the receiver knows when
 * the packet was first sent and when it arrived. The measured delay is therefore longer by the path
 * from the sender to the forwarder, the call that sends, and the path to the receiver. Anything
 * beyond that, and any negative difference, is an error of one of the two.
 */
#ifndef MODEL_DELAY_ERROR_H
#define MODEL_DELAY_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In addition to the path: clock readings, and what a busy machine does to the median. */
#define DELAY_ERROR_TOLERANCE_NS 5000

/* The delay of one packet, by the stream and the number in its tag. */
struct delay_of {
	uint64_t delay_ns;
	uint32_t sequence;
	uint16_t stream;
};

struct delay_error {
	size_t packets;				/* in both lists */
	size_t unknown;				/* measured, but not in the forwarder's list */
	int64_t median_ns;			/* of measured - made */
	uint64_t min_ns, p50_ns, p99_ns;	/* of |measured - made|; exact */
};

/*
 * Sorts both lists by packet. A second entry of a packet counts as unknown if it is measured, and
 * is skipped if it is made. 0 or -ENOMEM.
 */
int delay_error_find(struct delay_of *made, size_t nr_made, struct delay_of *measured,
		     size_t nr_measured, struct delay_error *ret_error);

/*
 * Whether all measured packets were compared, and the median is from -tolerance to @path_ns +
 * tolerance. @path_ns: what the path and the call that sends take.
 */
bool delay_error_passes(const struct delay_error *error, uint64_t path_ns);

#endif
