/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/echo/rr_parts.h - what the files rr*.c know of each other.
 */
#ifndef ENGINE_ECHO_RR_PARTS_H
#define ENGINE_ECHO_RR_PARTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "engine/echo/rr.h"
#include "proto/seqwin.h"

#define RR_RING 16384		/* requests between the oldest that is waited for and the newest */

/* An answer as it came. */
struct rr_answer {
	uint32_t number;
	uint32_t buf_bytes;
	uint64_t sent_ns, came_ns;
};

/* A way to send requests and to get their answers; used by the thread alone. */
struct rr_ops {
	int (*open)(struct rr *rr, struct result *res, struct err *e);
	void (*close)(struct rr *rr);
	int (*run)(struct rr *rr, struct err *e);
	/* Of those that rr_loop() serves. */
	bool (*send)(struct rr *rr, uint32_t number, uint64_t sent_ns);	/* false: no room now */
	int (*flush)(struct rr *rr, struct err *e);
	uint32_t (*receive)(struct rr *rr, struct rr_answer *ret_answers, uint32_t want);
	void (*wait)(struct rr *rr, uint64_t timeout_ns);
	/* Where others than rr_loop() count; may be NULL. */
	void (*read)(const struct rr *rr, struct rr_count *count, struct hist_rec *rtt);
};

/* Of one request, and what the loop counts: written by the thread, read by all. */
struct rr {
	struct rr_cfg cfg;
	const struct rr_ops *ops;
	int ifindex;
	uint16_t id, stream;		/* chosen at random: they identify our answers */
	uint8_t frame[FRAME_MAX_BYTES];
	uint32_t buf_bytes;
	uint16_t tag_offset, check;

	pthread_t thread;
	bool started;
	atomic_bool stop, ended;
	struct err err;
	uint64_t limit, duration_ns;	/* of the run: limit counts all requests so far */

	struct rr_count count;
	struct hist_rec *rtt, *turn;
	struct seqwin *win;
	uint64_t *due_ns;		/* by number % RR_RING; 0: answered, or given up */
	uint64_t oldest, next;		/* numbers: not below oldest may be waited for */
	uint32_t waiting;
	void *state;			/* of the way */

	struct rr_count row;
	struct hist_rec *row_rtt;
};

extern const struct rr_ops rr_afxdp_ops, rr_bounce_ops, rr_socket_ops;

/* Runs requests and answers by the ops' four functions until limit, duration or stop. */
int rr_loop(struct rr *rr, struct err *e);

/* Makes @frame, which holds rr->frame, the request with this number of that token. */
void rr_write(const struct rr *rr, uint8_t *frame, uint16_t token, uint32_t number,
	      uint64_t sent_ns);

/* The answer that follows the 8 bytes of echo or UDP at @l4; false: not ours. */
bool rr_read_answer(const struct rr *rr, const uint8_t *l4, size_t bytes,
		    struct rr_answer *ret_answer);

#define RR_PUBLISH(field, value) __atomic_store_n(&(field), value, __ATOMIC_RELAXED)
#define RR_LOOK(field) __atomic_load_n(&(field), __ATOMIC_RELAXED)

#endif
