// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/watch/watch_flows_view.c - all flows of the table, read batch by batch: their sums, and
 * the top flows.
 *
 * A walk takes as many calls as the table requires, each of bounded duration, so a million flows
 * delay nothing. The view is the result of the last complete walk.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/watch/watch_flows_parts.h"
#include "lib/array.h"
#include "lib/loop.h"

#define PASTS_MOST	(1u << 22)	/* 100 MB, twice; for flows beyond this, the rate is that
					 * of their lifetime */

static double weight(const struct flow_seen *flow, enum watch_sort sort)
{
	const struct flow_rec *rec = &flow->rec;
	double far_ns;

	switch (sort) {
	case WATCH_SORT_PACKETS:
		return (double)(rec->counts[WATCH_RX].packets + rec->counts[WATCH_TX].packets);
	case WATCH_SORT_RATE:
		return isnan(flow->now_bps) ? flows_rate_bps(rec) : flow->now_bps;
	case WATCH_SORT_RTT:
		far_ns = flows_rtt_ns(&rec->rtts[WATCH_TX]);
		return far_ns > 0 ? far_ns : flows_rtt_ns(&rec->rtts[WATCH_RX]);
	case WATCH_SORT_RETRANSMISSIONS:
		return (double)(rec->ways[WATCH_RX].retransmitted + rec->ways[WATCH_TX].retransmitted);
	default:
		return (double)(rec->counts[WATCH_RX].frame_bytes +
				rec->counts[WATCH_TX].frame_bytes);
	}
}

/* The heavier first; ties are always broken the same way. */
static int by_weight(const void *a, const void *b, void *arg)
{
	const struct watch_flows *flows = arg;
	const struct flow_seen *x = a, *y = b;
	double wx = weight(x, flows->cfg.sort), wy = weight(y, flows->cfg.sort);

	if (wx != wy)
		return wx < wy ? 1 : -1;
	return memcmp(&x->key, &y->key, sizeof(x->key));
}

void tally_cut(struct watch_flows *flows, struct flow_tally *tally)
{
	qsort_r(tally->best, tally->nr_best, sizeof(*tally->best), by_weight, flows);
	if (tally->nr_best > flows->cfg.top)
		tally->nr_best = flows->cfg.top;
}

static void keep(struct watch_flows *flows, struct flow_tally *tally, const struct flow_seen *flow)
{
	if (tally->nr_best == 2 * (size_t)flows->cfg.top)
		tally_cut(flows, tally);
	tally->best[tally->nr_best++] = *flow;
}

void tally_add(struct watch_flows *flows, struct flow_tally *tally, const struct flow_seen *flow)
{
	int dir;

	for (dir = 0; dir < WATCH_DIRS; dir++) {
		const struct flow_way *way = &flow->rec.ways[dir];

		tally->tcp.retransmitted[dir] += way->retransmitted;
		tally->tcp.out_of_order[dir] += way->out_of_order;
		tally->tcp.zero_windows[dir] += way->zero_windows;
		tally->tcp.dup_acks[dir] += way->dup_acks;
		tally->sums[dir].packets += flow->rec.counts[dir].packets;
		tally->sums[dir].frame_bytes += flow->rec.counts[dir].frame_bytes;
	}
	tally->nr++;
	keep(flows, tally, flow);
}

static void join_tcp(struct flow_tcp_sums *sums, const struct flow_tcp_sums *other)
{
	int dir;

	for (dir = 0; dir < WATCH_DIRS; dir++) {
		sums->retransmitted[dir] += other->retransmitted[dir];
		sums->out_of_order[dir] += other->out_of_order[dir];
		sums->zero_windows[dir] += other->zero_windows[dir];
		sums->dup_acks[dir] += other->dup_acks[dir];
	}
}

void tally_join(struct watch_flows *flows, struct flow_tally *tally, const struct flow_tally *other)
{
	size_t i;

	join_tcp(&tally->tcp, &other->tcp);
	for (i = 0; i < other->nr_best; i++)
		keep(flows, tally, &other->best[i]);
	tally_cut(flows, tally);
}

static void restart(struct flow_tally *tally)
{
	*tally = (struct flow_tally){ .best = tally->best };
}

bool view_init(struct watch_flows *flows)
{
	struct flow_tally *const all[] = { &flows->walked, &flows->view, &flows->gone };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		all[i]->best = calloc(2 * (size_t)flows->cfg.top, sizeof(*all[i]->best));
		if (!all[i]->best)
			return false;
	}
	return true;
}

void view_release(struct watch_flows *flows)
{
	free(flows->walked.best);
	free(flows->view.best);
	free(flows->gone.best);
	free(flows->pasts.slots);
	free(flows->next_pasts.slots);
}

/* A hash of the key; never 0. Collisions are practically impossible. */
static uint64_t key_id(const struct flow_key *key)
{
	uint64_t words[sizeof(*key) / sizeof(uint64_t)], id = 0;
	size_t i;

	memcpy(words, key, sizeof(words));
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		id = (id ^ words[i]) * 0x9e3779b97f4a7c15ull;
		id ^= id >> 29;
	}
	return id ? id : 1;
}

/* Where @id is, or belongs; NULL: no room. */
static struct flow_past *past_of(const struct flow_pasts *pasts, uint64_t id)
{
	size_t n;

	for (n = 0; pasts->slots && n < 64; n++) {
		struct flow_past *past = &pasts->slots[(id + n) & (pasts->room - 1)];

		if (!past->id || past->id == id)
			return past;
	}
	return NULL;
}

static void find_rate(struct watch_flows *flows, struct flow_seen *flow)
{
	const struct watch_sum *counts = flow->rec.counts;
	uint64_t packets = counts[WATCH_RX].packets + counts[WATCH_TX].packets, id = key_id(&flow->key);
	uint64_t bytes = counts[WATCH_RX].frame_bytes + counts[WATCH_TX].frame_bytes;
	const struct flow_past *before = past_of(&flows->pasts, id);
	struct flow_past *now = past_of(&flows->next_pasts, id);
	double seconds = (double)(flows->next_pasts.taken_mono_ns - flows->pasts.taken_mono_ns) /
			 NSEC_PER_SEC;

	flow->now_pps = NAN;
	flow->now_bps = NAN;
	if (now)
		*now = (struct flow_past){ id, packets, bytes };
	if (!before)
		return;
	/*
	 * A new flow has no previous counts; if the counts have shrunk it was removed and added
	 * again.
	 */
	if (before->id == id && before->packets <= packets) {
		packets -= before->packets;
		bytes -= before->frame_bytes;
	}
	flow->now_pps = (double)packets / seconds;
	flow->now_bps = (double)bytes * 8 / seconds;
}

static void see(struct watch_flows *flows, struct flow_seen *flow)
{
	if (flows->aging && flows_age(flows, flow))
		return;
	find_rate(flows, flow);
	tally_add(flows, &flows->walked, flow);
}

static void begin(struct watch_flows *flows)
{
	struct flow_cpu sum;
	size_t room = 1024;

	restart(&flows->walked);
	free(flows->next_pasts.slots);
	flows_read(flows, &sum);
	while (room < PASTS_MOST && room < 2 * (sum.new_flows - flows->aged))
		room *= 2;
	flows->next_pasts = (struct flow_pasts){
		.slots = flows->wants_view ? calloc(room, sizeof(struct flow_past)) : NULL,
		.room = room, .taken_mono_ns = loop_mono_ns(),
	};
}

static void end(struct watch_flows *flows)
{
	struct flow_tally seen = flows->walked;

	tally_cut(flows, &seen);
	/* Added here, as a flow that is removed later is in both. */
	join_tcp(&seen.tcp, &flows->gone.tcp);
	flows->walked = flows->view;
	flows->view = seen;
	free(flows->pasts.slots);
	flows->pasts = flows->next_pasts;
	flows->next_pasts = (struct flow_pasts){ 0 };
	flows->view_mono_ns = flows->pasts.taken_mono_ns;
}

bool view_walk(struct watch_flows *flows, uint64_t until_mono_ns)
{
	if (!flows->going)
		begin(flows);
	do {
		if (!flows_batch(flows, see)) {
			end(flows);
			return true;
		}
	} while (loop_mono_ns() < until_mono_ns);
	return false;
}
