/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/echo/rr_parts.h - declarations shared by the files rr*.c.
 */
#ifndef ENGINE_ECHO_RR_PARTS_H
#define ENGINE_ECHO_RR_PARTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "abi/pdv.h"
#include "engine/echo/rr.h"
#include "lib/jitter.h"
#include "proto/seqwin.h"

#define RR_RING 16384		/* maximum distance between the oldest outstanding request and the
				 * newest */

/* An answer as received. */
struct rr_answer {
	uint32_t number;
	uint32_t buf_bytes;
	uint64_t sent_ns, came_ns;
};

/* A way to send requests and receive answers; used only by its thread. */
struct rr_ops {
	int (*open)(struct rr *rr, struct result *res, struct err *e);
	void (*close)(struct rr *rr);
	int (*run)(struct rr *rr, struct err *e);
	/* The next four are called by rr_loop(). */
	bool (*send)(struct rr *rr, uint32_t number, uint64_t sent_ns);	/* false: no room now */
	int (*flush)(struct rr *rr, struct err *e);
	uint32_t (*receive)(struct rr *rr, struct rr_answer *ret_answers, uint32_t want);
	void (*wait)(struct rr *rr, uint64_t timeout_ns);
	/* For engines that count elsewhere than in rr_loop(); all may be NULL. */
	void (*read)(const struct rr *rr, struct rr_count *count, struct hist_rec *rtt);
	void (*read_pdv)(const struct rr *rr, struct pdv_rec *sum);
	void (*read_jitter)(const struct rr *rr, struct jitter_sum *sum);
};

/* State of the requests, and what the loop counts: written by the thread, read by all. */
struct rr {
	struct rr_cfg cfg;
	const struct rr_ops *ops;
	int ifindex;
	uint16_t id, run, stream;	/* chosen at random: they identify our answers */
	uint8_t frame[FRAME_MAX_BYTES];
	uint32_t buf_bytes;
	uint16_t tag_offset, check;

	pthread_t thread;
	bool started;
	atomic_bool stop, ended;
	struct err err;
	uint64_t limit, duration_ns;	/* this run's; limit includes earlier runs */

	struct rr_count count;
	struct hist_rec *rtt, *turn;
	struct pdv_rec *pdv;		/* of @rtt */
	struct jitter jitter;		/* of the round trips in @rtt */
	struct seqwin *win;
	uint64_t *due_ns;		/* by number % RR_RING; 0: answered or timed out */
	uint64_t oldest, next;		/* numbers: no request below oldest is outstanding */
	uint32_t waiting;
	void *state;			/* the engine's */

	struct rr_count row;
	struct hist_rec *row_rtt;
};

extern const struct rr_ops rr_afxdp_ops, rr_bounce_ops, rr_socket_ops;

/* Runs requests and answers through the four functions of ops until limit, duration or stop. */
int rr_loop(struct rr *rr, struct err *e);

/* Turns @frame, a copy of rr->frame, into the request with this number and token. */
void rr_write(const struct rr *rr, uint8_t *frame, uint16_t token, uint32_t number,
	      uint64_t sent_ns);

/* Header and payload of a request, and of its answer. */
uint32_t rr_l4_bytes(const struct rr *rr);

/* The identifier at @l4 is ours, and there is room for a tag. The kernel has checked ports. */
bool rr_is_ours(const struct rr *rr, const uint8_t *l4, size_t bytes);

/* All that follows the tag of an answer is as it was sent. */
bool rr_has_payload(const struct rr *rr, const uint8_t *l4, size_t bytes);

/* Parses the answer after the 8 bytes of the echo or UDP header at @l4; false: not ours. */
bool rr_read_answer(const struct rr *rr, const uint8_t *l4, size_t bytes,
		    struct rr_answer *ret_answer);

#define RR_PUBLISH(field, value) __atomic_store_n(&(field), value, __ATOMIC_RELAXED)
#define RR_LOOK(field) __atomic_load_n(&(field), __ATOMIC_RELAXED)

#endif
