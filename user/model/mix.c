// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * model/mix.c - common functions of many streams, for all senders.
 */
#include "model/mix.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "lib/unit.h"
#include "model/replay.h"

#define NSEC_PER_SEC 1e9
#define PACE_UNIT ((double)(1u << PACE_FRAC_BITS))	/* intervals are counted in units of 1 ns
							 * / this */

/* Packets per second, mean; for a ramp the maximum; 0: without slots. */
static double slots_pps(const struct pace *pace)
{
	double ns;

	switch (pace->kind) {
	case PACE_MAX:
		return 0;
	case PACE_BURST:
		ns = ((double)(pace->burst - 1) * (double)pace->gap + (double)pace->rest) / PACE_UNIT;
		return ns > 0 ? (double)pace->burst * NSEC_PER_SEC / ns : NSEC_PER_SEC;
	case PACE_RAMP:
		return (double)(pace->from > pace->to ? pace->from : pace->to) /
		       (1u << PACE_PPS_BITS);
	default:
		ns = (double)pace->gap / PACE_UNIT;
		return ns > 0 ? NSEC_PER_SEC / ns : NSEC_PER_SEC;
	}
}

uint64_t mix_mean_gap_ns(const struct mix *mix, uint32_t i, uint32_t threads)
{
	double pps = 0, gap_ns;

	for (; i < mix->nr_flows; i += threads)
		pps += slots_pps(&mix->flows[i].pace);
	if (!(pps > 0))
		return 0;
	gap_ns = NSEC_PER_SEC / pps;
	return gap_ns < 1 ? 1 : (uint64_t)gap_ns;
}

static uint64_t ceil_div(unsigned __int128 value, unsigned __int128 by)
{
	return (uint64_t)((value + by - 1) / by);
}

void mix_share(struct mix_flow *flow, uint32_t i, uint32_t n)
{
	/* The first ones take the remainder. */
	flow->limit = flow->limit / n + (i < flow->limit % n);
	flow->number_first = i;
	flow->number_step = n;
	/* They take turns rather than leave all at once; rounded up, as gaps are. */
	if (flow->pace.kind == PACE_EVEN)
		flow->start_ns += ceil_div((unsigned __int128)flow->pace.gap * i,
					   (unsigned __int128)n << PACE_FRAC_BITS);
}

uint64_t mix_slots_before(const struct mix_flow *flow, uint64_t duration_ns)
{
	if (duration_ns <= flow->start_ns)
		return 1;
	return ceil_div((unsigned __int128)(duration_ns - flow->start_ns) << PACE_FRAC_BITS,
			flow->pace.gap);
}

enum mix_kind mix_kind(const struct mix *mix, uint32_t threads)
{
	const struct mix_flow *first = &mix->flows[0];

	if (first->replay)
		return MIX_CAPTURE;
	return mix->nr_flows == threads && (threads == 1 || mix->shared) &&
	       (first->pace.kind == PACE_MAX || first->pace.kind == PACE_EVEN) &&
	       !first->packet->has_size && !first->start_ns && !first->duration_ns ? MIX_PLAIN :
										    MIX_MANY;
}

bool mix_is_tagged(const struct mix *mix)
{
	uint32_t i;

	for (i = 0; i < mix->nr_flows; i++) {
		if (mix->flows[i].tagged)
			return true;
	}
	return false;
}

uint32_t mix_max_bytes(const struct mix *mix)
{
	uint32_t i, bytes = 0;

	for (i = 0; i < mix->nr_flows; i++) {
		if (mix->flows[i].packet && mix->flows[i].packet->buf_bytes > bytes)
			bytes = mix->flows[i].packet->buf_bytes;
	}
	return bytes + UNIT_FCS_BYTES;
}

struct mix *mix_new(uint32_t nr, struct err *e)
{
	struct mix *mix = calloc(1, sizeof(*mix));

	if (mix)
		mix->flows = calloc(nr, sizeof(*mix->flows));
	if (!mix || !mix->flows) {
		free(mix);
		err_set(e, -ENOMEM, "cannot build the streams");
		return NULL;
	}
	mix->nr_flows = nr;
	return mix;
}

void mix_free(struct mix *mix)
{
	uint32_t i;

	if (!mix)
		return;
	for (i = 0; i < mix->nr_flows; i++) {
		free(mix->flows[i].packet);
		replay_close(mix->flows[i].replay);
	}
	free(mix->flows);
	free(mix);
}

static void report_flow(const struct mix_flow *flow, const struct mix_count *count,
			struct result *res)
{
	uint64_t duration_ns = count->last_mono_ns - count->first_mono_ns;
	bool paced = flow->pace.kind != PACE_MAX && count->packets;

	result_entry_open(res);
	result_entry_str(res, "name", flow->name);
	if (flow->tagged)
		result_entry_u64(res, "stream", flow->stream);
	else
		result_entry_real(res, "stream", NAN);
	result_entry_u64(res, "packets", count->packets);
	result_entry_u64(res, "bytes", count->bytes);
	result_entry_real(res, "offered_pps", flow->offered_pps > 0 ? flow->offered_pps : NAN);
	/* n packets span n - 1 intervals. */
	result_entry_real(res, "sent_pps", count->packets > 1 && duration_ns ?
			  (double)(count->packets - 1) * NSEC_PER_SEC / (double)duration_ns : NAN);
	result_entry_real(res, "late_mean_ns", paced ?
			  (double)count->late_sum_ns / (double)count->packets : NAN);
	result_entry_real(res, "late_max_ns", paced ? (double)count->late_max_ns : NAN);
	result_entry_close(res);
}

void mix_report(const struct mix *mix, const struct mix_count *counts, struct result *res)
{
	uint32_t i;

	for (i = 0; i < mix->nr_flows; i++)
		report_flow(&mix->flows[i], &counts[i], res);
}
