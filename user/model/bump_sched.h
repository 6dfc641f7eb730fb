/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/bump_sched.h - which held frame leaves next, and when: pure, with the caller's clock.
 *
 * Three stages in a row: packets held until others have passed, held for a time, and a bottleneck
 * with a queue. Each passes to the next the theoretical departure time, so late calls do not
 * accumulate. A packet is a chain of frames (fragments, copies) that stay together up to the
 * bottleneck. Frames are known by number; every frame added comes out once. All times are of one
 * clock, in ns.
 */
#ifndef MODEL_BUMP_SCHED_H
#define MODEL_BUMP_SCHED_H

#include <stdbool.h>
#include <stdint.h>

#define SCHED_NONE UINT32_MAX

struct sched_cfg {
	uint32_t nr_frames;		/* upper bound of the frame numbers */
	double rate_l1_bps;		/* bottleneck; 0: none */
	/* Limits of its queue, without the frame being sent; 0: none. Bytes: frames with FCS. */
	uint64_t queue_bytes, queue_packets;
};

/* Written by the caller before sched_add(). */
struct sched_frame {
	uint32_t next;			/* next frame of the same packet; SCHED_NONE: the last */
	uint32_t buf_bytes;
};

/* How a packet is delayed. */
struct sched_order {
	uint64_t arrived_ns;
	uint64_t delay_ns;
	uint16_t places;		/* held until this many later packets have passed */
	bool keep_order;		/* not before a packet that arrived earlier */
};

struct sched_out {
	uint32_t frame;
	bool drop;			/* the bottleneck's queue was full */
	uint64_t due_ns;		/* when it should have left */
};

struct sched;

/* -ENOMEM, -EINVAL: no frames. */
int sched_new(struct sched **ret_sched, const struct sched_cfg *cfg);
void sched_free(struct sched *sched);	/* takes NULL */

/* The frames themselves, by number. */
struct sched_frame *sched_frames(struct sched *sched);

/* Adds the chain of frames that starts at @head. */
void sched_add(struct sched *sched, uint32_t head, const struct sched_order *order);

/* The next frame due at @now_ns; false: none. UINT64_MAX: all frames, due or not. */
bool sched_next(struct sched *sched, uint64_t now_ns, struct sched_out *ret_out);

/* When sched_next() will have a frame; UINT64_MAX: nothing is due at a known time. */
uint64_t sched_due_ns(const struct sched *sched);

/* Number of packets that wait for others to pass. */
uint32_t sched_nr_waiting(const struct sched *sched);

/*
 * Lets the first @nr of them pass at @now_ns, oldest first; returns how many packets that released.
 */
uint32_t sched_flush(struct sched *sched, uint32_t nr, uint64_t now_ns);

#endif
