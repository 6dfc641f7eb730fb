// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/send/replay_report.c - what came of a replay, as figures and notes.
 */
#include <math.h>

#include "abi/tag.h"
#include "engine/send/replay_parts.h"
#include "lib/loop.h"
#include "lib/unit.h"

#define IRREGULAR_NS	1000000		/* lateness that is worth a note */

static void note_skipped(const struct replay *replay, struct result *res)
{
	uint64_t nr = replay->nr_cut + replay->nr_long + replay->nr_short;

	if (nr)
		result_note(res, "skipped %llu packets of the file: %llu cut by its snap length, %llu "
			    "longer than the MTU of %u or %u bytes allow, %llu shorter than an "
			    "Ethernet header", (unsigned long long)nr,
			    (unsigned long long)replay->nr_cut,
			    (unsigned long long)replay->nr_long, replay->mtu, AFXDP_CHUNK_BYTES,
			    (unsigned long long)replay->nr_short);
	if (replay->nr_untagged)
		result_note(res, "%llu packets of the file cannot carry the tag: they are no UDP, "
			    "fragments, or have less than %d bytes of payload",
			    (unsigned long long)replay->nr_untagged, TAG_BYTES);
	if (replay->nr_fallen && replay->pace.kind == PACE_TIMES)
		result_note(res, "%llu packets of the file are older than the one before them, and "
			    "were sent right behind it", (unsigned long long)replay->nr_fallen);
}

static enum bottleneck_pace report_pacing(const struct replay *replay, const struct tx_count *count,
					  uint64_t duration_ns, struct result *res)
{
	uint64_t planned_ns = replay->last_slot_ns - replay->first_slot_ns;
	bool irregular;

	if (!replay_is_paced(replay) || !count->paced_packets)
		return BOTTLENECK_UNPACED;
	if (replay->offered_pps > 0)
		result_metric_real(res, "offered_pps", replay->offered_pps);
	result_self_real(res, "pacing_late_mean_ns",
			 (double)count->late_sum_ns / (double)count->paced_packets);
	result_self_u64(res, "pacing_late_max_ns", count->late_max_ns);
	if (!planned_ns || !duration_ns)
		return BOTTLENECK_UNPACED;
	result_self_real(res, "pacing_achieved_ratio", (double)planned_ns / (double)duration_ns);
	irregular = duration_ns > planned_ns + IRREGULAR_NS &&
		    (double)planned_ns < 0.999 * (double)duration_ns;
	result_self_bool(res, "irregular", irregular);
	if (irregular)
		result_note(res, "irregular: the sender reached %.3f %% of the pace that was asked for, "
			    "so a loss or a rate seen here is not the path's",
			    100 * (double)planned_ns / (double)duration_ns);
	return irregular ? BOTTLENECK_IRREGULAR : BOTTLENECK_REGULAR;
}

struct tx_figures replay_report(const struct replay *replay, const struct tx_count *count,
				struct result *res)
{
	uint64_t duration_ns = count->last_mono_ns - count->first_mono_ns;
	double pps = 0, mean_bytes = 0;

	if (count->sent_packets > 1 && duration_ns)
		pps = (double)(count->sent_packets - 1) * NSEC_PER_SEC / (double)duration_ns;
	if (replay->nr_made)
		mean_bytes = (double)replay->made_bytes / (double)replay->nr_made;
	result_metric_u64(res, "duration_ns", duration_ns);
	result_metric_u64(res, "sent_packets", count->sent_packets);
	/* Which packets were refused, no driver tells. */
	if (!count->refused_packets)
		result_metric_u64(res, "sent_bytes", replay->made_bytes);
	result_metric_u64(res, "not_sent_packets", count->refused_packets);
	result_metric_u64(res, "replay_read_packets", replay->nr_made + replay->nr_skipped);
	result_metric_u64(res, "replay_skipped_packets", replay->nr_skipped);
	if (replay->tag)
		result_metric_u64(res, "replay_tagged_packets", replay->nr_tagged);
	result_metric_real(res, "sent_pps", pps);
	result_metric_real(res, "sent_l1_bps", pps * 8 * (mean_bytes + UNIT_GAP_BYTES));
	result_metric_real(res, "sent_l2_bps", pps * 8 * mean_bytes);
	note_skipped(replay, res);
	return (struct tx_figures){
		.sent_packets = count->sent_packets, .refused_packets = count->refused_packets,
		.sent_pps = pps, .late_max_ns = NAN,
		.pace = report_pacing(replay, count, duration_ns, res),
	};
}
