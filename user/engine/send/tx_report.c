// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/send/tx_report.c - what a sender sent, how regularly and how late, as figures of a result.
 */
#include <math.h>
#include <stdlib.h>

#include "engine/send/tx_ring.h"
#include "lib/hist.h"
#include "lib/loop.h"
#include "lib/unit.h"
#include "model/replay.h"
#include "result/result_dist.h"

#define REGULAR_RATIO	0.999		/* of the offered rate, RFC 9971 */
#define STALL_NS	1000000		/* a packet that is later than this is followed by a burst */

uint64_t tx_bytes(const struct tx *tx, const struct tx_count *count)
{
	struct mix_count flow;
	uint64_t bytes = 0;
	uint32_t i;

	if (tx->kind == MIX_PLAIN)
		return count->sent_packets * mix_max_bytes(tx->cfg.mix);
	for (i = 0; i < tx->cfg.mix->nr_flows; i++) {
		tx_read_flow(tx, i, &flow);
		bytes += flow.bytes;
	}
	return bytes;
}

/* The sum of what the streams offer; 0: one of them has no such rate. */
static double offered_pps(const struct tx *tx)
{
	const struct mix *mix = tx->cfg.mix;
	double sum = 0;
	uint32_t i;

	for (i = 0; i < mix->nr_flows; i++) {
		const struct mix_flow *flow = &mix->flows[i];

		/* One that ends or begins on its own, or comes by chance, has no such share of the run. */
		if (!(flow->offered_pps > 0) ||
		    (tx->kind == MIX_MANY && (flow->limit || flow->duration_ns ||
					      flow->pace.kind == PACE_POISSON)))
			return 0;
		sum += flow->offered_pps;
	}
	return sum;
}

/* Slots of the run, if it came to its own end; 0: unknown. */
static uint64_t due_packets(const struct tx *tx)
{
	uint64_t sum = 0;
	uint32_t i;

	if (tx->kind != MIX_PLAIN || loop_signal())
		return 0;
	for (i = 0; i < tx->cfg.threads; i++) {
		if (tx->threads[i].flow->pace.kind != PACE_EVEN || !tx->threads[i].limit)
			return 0;
		sum += tx->threads[i].limit;
	}
	return sum;
}

static void report_flows(const struct tx *tx, struct result *res)
{
	const struct mix *mix = tx->cfg.mix;
	struct mix_count *counts = calloc(mix->nr_flows, sizeof(*counts));
	uint32_t i;

	for (i = 0; counts && i < mix->nr_flows; i++)
		tx_read_flow(tx, i, &counts[i]);
	if (counts)
		mix_report(mix, counts, res);
	free(counts);
}

/* Sent and its rates, of frames of @frame_bytes in the mean. */
static struct tx_figures report_rates(double frame_bytes, const struct tx_count *count,
				      struct result *res)
{
	uint64_t duration_ns = count->last_mono_ns - count->first_mono_ns;
	double pps = 0;

	/* n packets span n - 1 gaps. */
	if (count->sent_packets > 1 && duration_ns)
		pps = (double)(count->sent_packets - 1) * NSEC_PER_SEC / (double)duration_ns;
	result_metric_u64(res, "duration_ns", duration_ns);
	result_metric_u64(res, "sent_packets", count->sent_packets);
	if (count->sent_bytes != TX_BYTES_UNKNOWN)
		result_metric_u64(res, "sent_bytes", count->sent_bytes ? count->sent_bytes :
				  (uint64_t)((double)count->sent_packets * frame_bytes));
	result_metric_u64(res, "not_sent_packets", count->refused_packets);
	result_metric_real(res, "sent_pps", pps);
	result_metric_real(res, "sent_l1_bps", pps * 8 * (frame_bytes + UNIT_GAP_BYTES));
	result_metric_real(res, "sent_l2_bps", pps * 8 * frame_bytes);
	return (struct tx_figures){
		.sent_packets = count->sent_packets, .refused_packets = count->refused_packets,
		.sent_pps = pps, .late_max_ns = NAN,
	};
}

static void report_lateness(const struct tx_count *count, struct result *res)
{
	result_self_real(res, "pacing_late_mean_ns",
			 (double)count->late_sum_ns / (double)count->paced_packets);
	result_self_u64(res, "pacing_late_max_ns", count->late_max_ns);
}

uint64_t tx_count_late(const struct hist_rec *late, double offered_pps)
{
	uint64_t sum = late->above;
	uint32_t i;

	/* At low rates, one that is still before the next slot. */
	for (i = hist_index((uint64_t)fmax(STALL_NS, NSEC_PER_SEC / offered_pps)); i < HIST_BUCKETS; i++)
		sum += late->buckets[i];
	return sum;
}

/* @achieved: of @what, as a share. @nr_late: of the packets in @late; NULL: not known. */
static enum bottleneck_pace report_regular(double achieved, bool irregular, const char *what,
					   const struct hist_rec *late, uint64_t nr_late,
					   struct result *res)
{
	/* As many as may be missing from the rate. */
	bool stalled = late && (double)nr_late > (1 - REGULAR_RATIO) * (double)late->count;

	result_self_real(res, "pacing_achieved_ratio", achieved);
	result_self_bool(res, "irregular", irregular || stalled);
	if (irregular)
		result_note(res, "irregular: the sender reached %.3f %% of the %s, so a loss or a rate "
			    "seen here is not the path's", 100 * achieved, what);
	else if (stalled)
		result_note(res, "irregular: the sender stalled for up to %.3g ms, and %llu of %llu "
			    "packets left late, in bursts, so a loss or a delay seen here may not be "
			    "the path's", (double)late->max_ns / 1e6,
			    (unsigned long long)nr_late, (unsigned long long)late->count);
	return irregular ? BOTTLENECK_IRREGULAR : stalled ? BOTTLENECK_STALLED : BOTTLENECK_REGULAR;
}

/* Of a capture, whose packets have slots of their own: the time that they should have taken. */
static enum bottleneck_pace report_slots(const struct replay *replay, const struct tx_count *count,
					 const struct hist_rec *late, struct result *res)
{
	uint64_t duration_ns = count->last_mono_ns - count->first_mono_ns;
	uint64_t planned_ns = replay_planned_ns(replay);
	double achieved = (double)planned_ns / (double)duration_ns;

	if (!count->paced_packets)
		return BOTTLENECK_UNPACED;
	report_lateness(count, res);
	if (!planned_ns || !duration_ns)
		return BOTTLENECK_UNPACED;
	return report_regular(achieved, duration_ns > planned_ns + STALL_NS &&
			      achieved < REGULAR_RATIO, "pace that was asked for", late,
			      tx_count_late(late, (double)count->paced_packets * NSEC_PER_SEC /
					    (double)planned_ns), res);
}

static struct tx_figures report_capture(const struct mix_flow *flow, double frame_bytes,
					const struct tx_count *count, const struct hist_rec *late,
					struct result *res)
{
	struct tx_figures figures = report_rates(frame_bytes, count, res);

	replay_report(flow->replay, res);
	if (flow->offered_pps > 0 && count->paced_packets)
		result_metric_real(res, "offered_pps", flow->offered_pps);
	figures.pace = report_slots(flow->replay, count, late, res);
	return figures;
}

struct tx_figures tx_report_sent(double frame_bytes, double offered_pps, uint64_t due_packets,
				 const struct tx_count *count, const struct hist_rec *late, struct result *res)
{
	struct tx_figures figures = report_rates(frame_bytes, count, res);
	double achieved, made = (double)(count->sent_packets + count->refused_packets);
	/* A sender that got no CPU before its end: those that it sent may have been in time. One is due at the end. */
	bool cut = made < REGULAR_RATIO * (double)due_packets - 1;

	if (offered_pps <= 0)
		return figures;
	result_metric_real(res, "offered_pps", offered_pps);
	if (count->paced_packets) {
		report_lateness(count, res);
		figures.late_max_ns = (double)count->late_max_ns;
	}
	achieved = figures.sent_pps / offered_pps;
	if (cut)
		figures.pace = report_regular(made / (double)due_packets, true, "packets due", NULL, 0, res);
	else if (count->sent_packets > 1)
		figures.pace = report_regular(achieved, achieved < REGULAR_RATIO, "offered rate", late,
					      late ? tx_count_late(late, offered_pps) : 0, res);
	return figures;
}

struct tx_figures tx_report(const struct tx *tx, const struct tx_count *count, struct result *res)
{
	uint64_t made = count->sent_packets + count->refused_packets;
	double frame_bytes = mix_max_bytes(tx->cfg.mix);
	struct tx_count total = *count;
	struct tx_figures figures;
	struct hist_rec late;

	total.sent_bytes = tx_bytes(tx, count);
	if (tx->kind != MIX_PLAIN && made)
		frame_bytes = (double)total.sent_bytes / (double)made;
	/* Which packets were refused, no driver tells. */
	if (tx->kind != MIX_PLAIN && count->refused_packets)
		total.sent_bytes = TX_BYTES_UNKNOWN;
	tx_read_late(tx, &late);
	if (tx->kind == MIX_CAPTURE)
		return report_capture(&tx->cfg.mix->flows[0], frame_bytes, &total, &late, res);
	figures = tx_report_sent(frame_bytes, offered_pps(tx), due_packets(tx), &total, &late, res);
	if (tx->kind == MIX_MANY)
		report_flows(tx, res);
	return figures;
}

void tx_report_late(const struct tx *tx, struct result *res)
{
	struct hist_rec hist;
	struct dist late;

	if (tx->ops->report)
		tx->ops->report(tx, res);
	tx_read_late(tx, &hist);
	if (!hist.count)
		return;
	dist_of_hist(&late, &hist);
	late.ns[DIST_MEAN] = late.ns[DIST_MAX] = NAN;	/* the counters have these of all packets */
	result_self_dist(res, "pacing_late", &late);
}
