// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/echo/rr_bounce.c - requests and answers by rr_xdp_bounce: it returns each answer as the
 * next request. This process sends only the first request, and one after each loss.
 */
#include "engine/echo/rr_afxdp.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/icmp.h>
#include <linux/icmpv6.h>

#include "lib/array.h"
#include "lib/hist.h"
#include "lib/loop.h"
#include "lib/pdv.h"
#include "lib/unit.h"
#include "proto/echo.h"
#include "sys/hook/bpf.h"
#include "sys/host/cpu.h"

#define LOOK_NS 1000000ull	/* interval between checks of the tokens */

static bool has_ended(const struct rr_token *token, bool over)
{
	uint64_t done = __atomic_load_n(&token->done, __ATOMIC_ACQUIRE);

	return rr_has_ended(RR_LOOK(token->made), done, token->limit, over);
}

/* A place in the headers: an answer has @bytes there that equal the request's at @from. */
struct place {
	uint8_t at, bytes, from;
};

/* By family and protocol: EtherType, IP version (and length), lengths, protocol, source, ports. */
static const struct place places4[] = { { 12, 2, 12 }, { 14, 1, 14 }, { 16, 2, 16 }, { 23, 1, 23 },
					{ 26, 4, 30 } };
static const struct place places6[] = { { 12, 2, 12 }, { 18, 2, 18 }, { 20, 1, 20 },
					{ 22, 16, 38 } };
static const struct place places_udp[] = { { 0, 2, 2 }, { 2, 2, 0 }, { 4, 2, 4 } };
static const struct place places_echo[] = { { 0, 2, 0 }, { 4, 2, 4 } };

static void fill_places(struct rr_match *match, const struct place *places, size_t nr, size_t offset)
{
	const uint8_t *request = (const uint8_t *)&match->request + offset;
	uint8_t *answer = (uint8_t *)&match->answer + offset;
	uint8_t *mask = (uint8_t *)&match->mask + offset;
	size_t i;

	for (i = 0; i < nr; i++) {
		memcpy(answer + places[i].at, request + places[i].from, places[i].bytes);
		memset(mask + places[i].at, 0xff, places[i].bytes);
	}
}

#define FILL(match, places, offset) \
	fill_places(match, places, ARRAY_SIZE(places), offset)

void rr_bounce_match(const struct rr *rr, struct rr_match *match)
{
	bool ip6 = rr->cfg.frame.dst.family == AF_INET6;
	size_t head_bytes = ip6 ? RR_HEAD6_BYTES : RR_HEAD4_BYTES, l4 = head_bytes - ECHO_BYTES;
	uint8_t *answer = (uint8_t *)&match->answer, *mask = (uint8_t *)&match->mask;

	match->check = rr->check;
	match->stamp_every = rr->cfg.stamp_every;
	memcpy(&match->request, rr->frame, head_bytes);
	if (ip6) {
		FILL(match, places6, 0);
		answer[14] = 6 << 4;
		mask[14] = 0xf0;		/* ignore the traffic class */
	} else {
		FILL(match, places4, 0);
		mask[20] = 0x3f;		/* not a fragment; ignore the don't-fragment bit */
		mask[21] = 0xff;
	}
	if (rr->cfg.icmp) {
		FILL(match, places_echo, l4);
		answer[l4] = ip6 ? ICMPV6_ECHO_REPLY : ICMP_ECHOREPLY;
	} else {
		FILL(match, places_udp, l4);
	}
}

/* A token's request count at the last check, and the time since which it has not changed. */
struct progress {
	uint64_t made, since_ns;
};

/* Sends the next request of a token that has none outstanding. */
static int launch(struct rr *rr, uint32_t i, struct progress *progress, struct err *e)
{
	struct rr_afxdp *way = rr->state;
	struct rr_token *token = &way->tokens[i];
	uint64_t number = token->made, now_ns = loop_mono_ns();
	int err;

	/* In this order: the program accepts an answer to the request counted last by made. */
	RR_PUBLISH(token->sent_ns, now_ns);
	__atomic_store_n(&token->made, number + 1, __ATOMIC_RELEASE);
	if (!rr_afxdp_put(rr, i, (uint32_t)number, now_ns))
		return err_set(e, -ENOBUFS, "cannot send the first request");
	err = rr_afxdp_flush(rr, e);
	/* From now on: the process may have had no CPU before it sent. */
	*progress = (struct progress){ number + 1, loop_mono_ns() };
	return err;
}

/*
 * Time for which this process had no CPU is no time without an answer: answers and the far end may have waited for
 * the same CPU.
 */
static void excuse(struct progress *progress, uint32_t nr, uint64_t late_ns)
{
	uint32_t i;

	for (i = 0; i < nr; i++)
		progress[i].since_ns += late_ns;
}

/*
 * Times out unanswered requests and restarts their tokens, unless it is over. Returns the number
 * of tokens still in use.
 */
static int look(struct rr *rr, struct progress *progress, uint64_t now_ns, bool over,
		uint32_t *ret_busy, struct err *e)
{
	struct rr_afxdp *way = rr->state;
	uint32_t i, busy = 0;
	int err = 0;

	for (i = 0; i < rr->cfg.outstanding && !err; i++) {
		struct rr_token *token = &way->tokens[i];

		if (RR_LOOK(token->made) != progress[i].made)
			progress[i] = (struct progress){ RR_LOOK(token->made), now_ns };
		if (!has_ended(token, over) && progress[i].since_ns + rr->cfg.timeout_ns <= now_ns) {
			RR_PUBLISH(rr->count.given_up, rr->count.given_up + 1);
			/* No longer accept its answer: set done before made grows. */
			RR_PUBLISH(token->done, RR_LOOK(token->made));
			if (!over && token->made < token->limit)
				err = launch(rr, i, &progress[i], e);
		}
		busy += !has_ended(token, over);
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

static bool had_copies(const struct rr *rr)
{
	const struct rr_afxdp *way = rr->state;
	uint32_t i;

	for (i = 0; i < rr->cfg.outstanding; i++) {
		if (RR_LOOK(way->tokens[i].stale))
			return true;
	}
	return false;
}

static int bounce_run(struct rr *rr, struct err *e)
{
	struct rr_afxdp *way = rr->state;
	uint64_t start_ns = loop_mono_ns(), now_ns = start_ns, end_ns = UINT64_MAX, until_ns = 0, wake_ns;
	struct progress progress[RR_MAX_OUTSTANDING] = { 0 };
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
			err = launch(rr, i, &progress[i], e);
	}
	/* Where copies arrive, another one may be on its way. */
	while (!err && !(over && now_ns >= until_ns) && (busy || had_copies(rr))) {
		wake_ns = now_ns + LOOK_NS < end_ns || over ? now_ns + LOOK_NS : end_ns;
		loop_sleep_until(wake_ns);
		now_ns = loop_mono_ns();
		excuse(progress, rr->cfg.outstanding, now_ns - wake_ns);
		until_ns += now_ns - wake_ns;
		if (!over && (!busy || atomic_load(&rr->stop) || now_ns >= end_ns)) {
			over = true;
			*way->end_mono_ns = 0;
			until_ns = now_ns + rr->cfg.timeout_ns;
		}
		err = look(rr, progress, now_ns, over, &busy, e);
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

static void bounce_read_pdv(const struct rr *rr, struct pdv_rec *sum)
{
	const struct rr_afxdp *way = rr->state;
	uint32_t i;

	for (i = 0; i < cpu_nr_possible(); i++)
		pdv_merge(sum, &way->pdvs[i]);
}

static void bounce_read(const struct rr *rr, struct rr_count *count, struct hist_rec *rtt)
{
	const struct rr_afxdp *way = rr->state;
	uint64_t answers = 0;
	uint32_t i;

	rr_afxdp_read_recs(rr, count);
	for (i = 0; i < cpu_nr_possible(); i++) {
		hist_merge(rtt, &way->hists[i]);
		answers += RR_LOOK(way->recs[i].answers);
		count->bytes += RR_LOOK(way->recs[i].bytes);
	}
	for (i = 0; i < rr->cfg.outstanding; i++) {
		count->sent += RR_LOOK(way->tokens[i].made);
		count->distinct += RR_LOOK(way->tokens[i].answered);
		count->duplicates += RR_LOOK(way->tokens[i].stale);
		count->bytes += RR_LOOK(way->tokens[i].bytes);
	}
	answers += count->distinct;
	count->answers += answers;
	count->bytes += answers * UNIT_FCS_BYTES;
}

/* The requests of a token, one after another, are a stream. */
static void bounce_read_jitter(const struct rr *rr, struct jitter_sum *sum)
{
	const struct rr_afxdp *way = rr->state;
	uint32_t i;

	for (i = 0; i < rr->cfg.outstanding; i++)
		jitter_sum_add_rec(sum, &way->tokens[i].jitter);
}

const struct rr_ops rr_bounce_ops = {
	.open = rr_afxdp_open,
	.close = rr_afxdp_close,
	.run = bounce_run,
	.read = bounce_read,
	.read_pdv = bounce_read_pdv,
	.read_jitter = bounce_read_jitter,
};
