// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/echo/rr_loop.c - requests and answers in user space, closed loop or at a rate.
 */
#include "engine/echo/rr_parts.h"

#include <stdlib.h>

#include "lib/hist.h"
#include "lib/loop.h"
#include "lib/pdv.h"
#include "lib/unit.h"
#include "proto/flow_file.h"

#define BATCH		32		/* answers read and requests sent between two checks of the
					 * clock and of stop */
#define SPIN_NS		200000		/* spin this long for an answer before sleeping */
#define WAKE_EARLY_NS	60000		/* timers fire late: spin for the rest */
#define NAP_NS		20000000ull	/* a sleeping thread checks for stop this often */

struct loop_run {
	struct rr *rr;
	bool paced, sending;
	struct pace pace;
	uint64_t first_number;		/* first number of this run */
	uint64_t start_ns, end_ns;
	uint64_t sent_ns, came_ns;	/* times of the last request and answer; 0: nothing was sent
					 * yet */
	uint64_t until_ns;		/* end of waiting, once sending is over */
};

static uint64_t slot_ns(const struct loop_run *run, uint64_t number)
{
	return run->start_ns + pace_due(&run->pace, number - run->first_number).ns;
}

/* Moves to the oldest outstanding request. */
static void advance(struct rr *rr)
{
	while (rr->oldest < rr->next && !rr->due_ns[rr->oldest % RR_RING])
		rr->oldest++;
}

static void give_up(struct rr *rr)
{
	rr->due_ns[rr->oldest % RR_RING] = 0;
	rr->waiting--;
	RR_PUBLISH(rr->count.given_up, rr->count.given_up + 1);
	advance(rr);
}

static void book(struct loop_run *run, const struct rr_answer *answer, uint64_t now_ns)
{
	struct rr *rr = run->rr;
	uint64_t distinct = rr->win->distinct, number, *due_ns;

	RR_PUBLISH(rr->count.answers, rr->count.answers + 1);
	RR_PUBLISH(rr->count.bytes, rr->count.bytes + answer->buf_bytes + UNIT_FCS_BYTES);
	seqwin_add(rr->win, 0, answer->number);
	if (rr->win->distinct == distinct)
		return;
	hist_add(rr->rtt, answer->came_ns - answer->sent_ns);
	pdv_add(rr->pdv, answer->came_ns - answer->sent_ns);
	jitter_add(&rr->jitter, (int64_t)(answer->came_ns - answer->sent_ns));
	/* An answer that arrives before this run's first request belongs to the run before. */
	if (run->came_ns) {
		RR_PUBLISH(rr->count.running_ns, rr->count.running_ns + now_ns - run->came_ns);
		run->came_ns = now_ns;
	}
	number = rr->oldest + (uint32_t)(answer->number - (uint32_t)rr->oldest);
	if (number >= rr->next)
		return;			/* timed out before */
	due_ns = &rr->due_ns[number % RR_RING];
	if (!*due_ns)
		return;
	hist_add(rr->turn, now_ns > *due_ns ? now_ns - *due_ns : 0);
	*due_ns = 0;
	rr->waiting--;
	advance(rr);
}

/* Reads what has arrived; returns the time afterwards. */
static uint64_t collect(struct loop_run *run, uint32_t *ret_nr)
{
	struct rr_answer answers[BATCH];
	uint32_t nr = run->rr->ops->receive(run->rr, answers, BATCH), i;
	uint64_t now_ns = loop_mono_ns();

	for (i = 0; i < nr; i++)
		book(run, &answers[i], now_ns);
	*ret_nr = nr;
	return now_ns;
}

static bool may_send(const struct loop_run *run, uint64_t now_ns)
{
	const struct rr *rr = run->rr;

	return rr->waiting < rr->cfg.outstanding && (!rr->limit || rr->next < rr->limit) &&
	       (!run->paced || slot_ns(run, rr->next) <= now_ns);
}

static void note_late(struct rr *rr, uint64_t late_ns)
{
	RR_PUBLISH(rr->count.late_sum_ns, rr->count.late_sum_ns + late_ns);
	RR_PUBLISH(rr->count.paced, rr->count.paced + 1);
	if (late_ns > rr->count.late_max_ns)
		RR_PUBLISH(rr->count.late_max_ns, late_ns);
}

/* Returns the number of requests sent. */
static uint32_t send_some(struct loop_run *run, uint64_t now_ns)
{
	struct rr *rr = run->rr;
	uint64_t due_ns;
	uint32_t nr = 0;

	for (; nr < BATCH && may_send(run, now_ns); nr++) {
		if (nr)
			now_ns = loop_mono_ns();
		/* An unanswered request must not block the others forever. */
		if (rr->next - rr->oldest >= RR_RING)
			give_up(rr);
		if (!rr->ops->send(rr, (uint32_t)rr->next, now_ns))
			break;
		due_ns = run->paced ? slot_ns(run, rr->next) : now_ns;
		if (run->paced)
			note_late(rr, now_ns - due_ns);
		rr->due_ns[rr->next % RR_RING] = due_ns;
		rr->waiting++;
		if (!run->sent_ns)
			run->sent_ns = run->came_ns = now_ns;
		RR_PUBLISH(rr->count.sending_ns, rr->count.sending_ns + now_ns - run->sent_ns);
		run->sent_ns = now_ns;
		RR_PUBLISH(rr->next, rr->next + 1);
		RR_PUBLISH(rr->count.sent, rr->count.sent + 1);
	}
	return nr;
}

/* Waits for the next slot or an answer, for one nap at most. */
static void idle(const struct loop_run *run, uint64_t now_ns, uint64_t active_ns)
{
	const struct rr *rr = run->rr;
	uint64_t until_ns = now_ns + NAP_NS, slot;

	if (rr->waiting && now_ns - active_ns < SPIN_NS)
		return;
	if (run->sending && run->paced && rr->waiting < rr->cfg.outstanding) {
		slot = slot_ns(run, rr->next);
		if (slot < now_ns + SPIN_NS)
			return;
		if (slot - WAKE_EARLY_NS < until_ns)
			until_ns = slot - WAKE_EARLY_NS;
	}
	if (run->sending && run->end_ns < until_ns)
		until_ns = run->end_ns;
	if (until_ns > now_ns)
		rr->ops->wait(run->rr, until_ns - now_ns);
}

/* By count, time or request. Slots before the end are still sent, if a little late. */
static bool is_over(const struct loop_run *run, uint64_t now_ns)
{
	const struct rr *rr = run->rr;

	if (atomic_load_explicit(&rr->stop, memory_order_relaxed) ||
	    (rr->limit && rr->next >= rr->limit))
		return true;
	if (now_ns < run->end_ns)
		return false;
	return !run->paced || slot_ns(run, rr->next) >= run->end_ns ||
	       now_ns > run->end_ns + TX_LATE_NS;
}

static struct loop_run begin(struct rr *rr)
{
	uint64_t now_ns = loop_mono_ns();

	return (struct loop_run){
		.rr = rr, .sending = true, .paced = rr->cfg.pps > 0,
		.start_ns = now_ns, .pace = flow_pace_even(rr->cfg.pps),
		.first_number = rr->next,
		.end_ns = rr->duration_ns ? now_ns + rr->duration_ns : UINT64_MAX,
	};
}

/* When nothing is sent any more. Where copies arrive, another one may be on its way. */
static bool is_settled(const struct loop_run *run, uint64_t now_ns)
{
	const struct rr *rr = run->rr;

	return now_ns >= run->until_ns || (!rr->waiting && !rr->win->duplicates && !rr->win->unknown);
}

int rr_loop(struct rr *rr, struct err *e)
{
	struct loop_run run = begin(rr);
	uint64_t now_ns, active_ns = 0;
	uint32_t nr;
	int err = 0;

	while (!err) {
		now_ns = collect(&run, &nr);
		if (nr)
			active_ns = now_ns;
		while (rr->waiting && rr->due_ns[rr->oldest % RR_RING] + rr->cfg.timeout_ns <= now_ns)
			give_up(rr);
		if (run.sending && is_over(&run, now_ns)) {
			run.sending = false;
			run.until_ns = now_ns + rr->cfg.timeout_ns;
		}
		if (!run.sending && is_settled(&run, now_ns))
			break;
		nr = run.sending ? send_some(&run, now_ns) : 0;
		if (nr)
			active_ns = now_ns;
		err = rr->ops->flush(rr, e);
		if (!err && !nr)
			idle(&run, now_ns, active_ns);
	}
	while (rr->waiting)
		give_up(rr);
	return err;
}
