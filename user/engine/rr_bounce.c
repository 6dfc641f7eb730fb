// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/rr_bounce.c - requests and answers by rr_xdp alone: it sends each answer
 * back as the next request. This process sends the first, and one after a loss.
 */
#include "engine/rr_afxdp.h"

#include <errno.h>

#include "lib/hist.h"
#include "lib/loop.h"
#include "lib/unit.h"
#include "sys/bpf.h"

#define LOOK_NS 1000000ull	/* from one look at the tokens to the next */

static bool is_idle(const struct rr_token *token)
{
	return RR_LOOK(token->done) == RR_LOOK(token->made);
}

/* The next request of a token of which nothing is under way. */
static int launch(struct rr *rr, uint32_t i, struct err *e)
{
	struct rr_afxdp *way = rr->state;
	struct rr_token *token = &way->tokens[i];
	uint64_t number = token->made, now_ns = loop_mono_ns();

	/* In this order: the program takes an answer to the last of made. */
	RR_PUBLISH(token->sent_ns, now_ns);
	__atomic_store_n(&token->made, number + 1, __ATOMIC_RELEASE);
	if (!rr_afxdp_put(rr, i, (uint32_t)number, now_ns))
		return err_set(e, -ENOBUFS, "cannot send the first request");
	return rr_afxdp_flush(rr, e);
}

/* Gives up what is not answered, and begins again; how many tokens are still under way. */
static int look(struct rr *rr, uint64_t now_ns, bool over, uint32_t *ret_busy, struct err *e)
{
	struct rr_afxdp *way = rr->state;
	uint32_t i, busy = 0;
	int err = 0;

	for (i = 0; i < rr->cfg.outstanding && !err; i++) {
		struct rr_token *token = &way->tokens[i];

		if (!is_idle(token) && RR_LOOK(token->sent_ns) + rr->cfg.timeout_ns <= now_ns) {
			RR_PUBLISH(rr->count.given_up, rr->count.given_up + 1);
			/* Not to be answered any more: done before made grows. */
			RR_PUBLISH(token->done, RR_LOOK(token->made));
			if (!over && token->made < token->limit)
				err = launch(rr, i, e);
		}
		busy += !is_idle(token);
	}
	*ret_busy = busy;
	return err;
}

static void set_limits(struct rr *rr)
{
	struct rr_afxdp *way = rr->state;
	uint32_t i, n = rr->cfg.outstanding;
	uint64_t more = rr->limit - rr->next;

	for (i = 0; i < n; i++)
		way->tokens[i].limit = rr->limit ? way->tokens[i].made + more / n + (i < more % n) :
				       UINT64_MAX;
}

static int bounce_run(struct rr *rr, struct err *e)
{
	struct rr_afxdp *way = rr->state;
	uint64_t start_ns = loop_mono_ns(), now_ns = start_ns, end_ns = UINT64_MAX, until_ns = 0;
	uint64_t last_ns = start_ns;
	uint32_t i, busy = 1;
	bool over = false;
	int err = 0;

	if (rr->duration_ns)
		end_ns = start_ns + rr->duration_ns;
	*way->end_mono_ns = end_ns;
	set_limits(rr);
	for (i = 0; i < rr->cfg.outstanding && !err; i++) {
		if (way->tokens[i].made < way->tokens[i].limit)
			err = launch(rr, i, e);
	}
	while (!err && busy && !(over && now_ns >= until_ns)) {
		loop_sleep_until(now_ns + LOOK_NS < end_ns || over ? now_ns + LOOK_NS : end_ns);
		now_ns = loop_mono_ns();
		if (!over && (atomic_load(&rr->stop) || now_ns >= end_ns)) {
			over = true;
			*way->end_mono_ns = 0;
			until_ns = now_ns + rr->cfg.timeout_ns;
		}
		err = look(rr, now_ns, over, &busy, e);
	}
	*way->end_mono_ns = 0;
	for (i = 0, rr->next = 0; i < rr->cfg.outstanding; i++) {
		rr->next += way->tokens[i].made;
		if (way->tokens[i].came_ns > last_ns)
			last_ns = way->tokens[i].came_ns;
	}
	RR_PUBLISH(rr->count.running_ns, rr->count.running_ns + last_ns - start_ns);
	RR_PUBLISH(rr->count.sending_ns, RR_LOOK(rr->count.running_ns));
	return err;
}

static void bounce_read(const struct rr *rr, struct rr_count *count, struct hist_rec *rtt)
{
	const struct rr_afxdp *way = rr->state;
	uint32_t i;

	rr_afxdp_read_foreign(rr, count);
	for (i = 0; i < bpf_nr_cpus(); i++) {
		hist_merge(rtt, &way->hists[i]);
		count->answers += RR_LOOK(way->recs[i].answers);
		count->bytes += RR_LOOK(way->recs[i].bytes);
	}
	count->bytes += count->answers * UNIT_FCS_BYTES;
	for (i = 0; i < rr->cfg.outstanding; i++) {
		count->sent += RR_LOOK(way->tokens[i].made);
		count->distinct += RR_LOOK(way->tokens[i].answered);
		count->duplicates += RR_LOOK(way->tokens[i].stale);
	}
}

const struct rr_ops rr_bounce_ops = {
	.open = rr_afxdp_open,
	.close = rr_afxdp_close,
	.run = bounce_run,
	.read = bounce_read,
};
