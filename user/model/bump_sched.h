/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/bump_sched.h - which held frame leaves next, and when: pure, the caller has the clock.
 *
 * Three stages in a row: packets held until others have passed, held
 * for a time, and a bottleneck with a queue. Each feeds the next with the time
 * at which a packet leaves it in theory, so being called late adds nothing up.
 * A packet is a chain of frames (fragments, copies) that stay together up to
 * the bottleneck. Frames are known by number; every frame added comes out
 * once. Times are of one clock, in ns.
 */
#ifndef MODEL_BUMP_SCHED_H
#define MODEL_BUMP_SCHED_H

#include <stdbool.h>
#include <stdint.h>

#define SCHED_NONE UINT32_MAX

struct sched_cfg {
	uint32_t nr_frames;		/* numbers are below */
	double rate_l1_bps;		/* bottleneck; 0: none */
	/* That wait for it, without the one being sent; 0: no such bound. Bytes: frames with FCS. */
	uint64_t queue_bytes, queue_packets;
};

/* The caller writes it before sched_add(). */
struct sched_frame {
	uint32_t next;			/* of the same packet; SCHED_NONE: the last */
	uint32_t buf_bytes;
};

/* What is to become of a packet. */
struct sched_order {
	uint64_t arrived_ns;
	uint64_t delay_ns;
	uint16_t places;		/* held until as many later packets have passed */
	bool keep_order;		/* not before a packet that came before it */
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

/* The chain of frames from @head on comes in. */
void sched_add(struct sched *sched, uint32_t head, const struct sched_order *order);

/* The next frame that is due at @now_ns; false: none is. UINT64_MAX: all, whenever they are due. */
bool sched_next(struct sched *sched, uint64_t now_ns, struct sched_out *ret_out);

/* When sched_next() has something; UINT64_MAX: nothing waits for a time. */
uint64_t sched_due_ns(const struct sched *sched);

/* Packets that wait for others to pass. */
uint32_t sched_nr_waiting(const struct sched *sched);

/* Lets the first @nr of them pass at @now_ns, the oldest first; how many packets that freed. */
uint32_t sched_flush(struct sched *sched, uint32_t nr, uint64_t now_ns);

#endif
