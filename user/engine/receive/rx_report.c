// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/receive/rx_report.c - a receiver's counts as figures, streams and rows of a result.
 */
#include <stdio.h>
#include <stdlib.h>

#include "engine/receive/rx_parts.h"
#include "lib/hist.h"
#include "lib/loop.h"
#include "lib/unit.h"
#include "result/result_dist.h"
#include "sys/host/clock.h"

/* One stream, or all if @stream is RX_ALL_STREAMS. */
static void report_delay(const struct rx *rx, uint32_t stream, const struct hist_rec *hist,
			 const char *prefix, struct result *res)
{
	struct hist_rec pdv;
	bool has_pdv = rx_read_pdv(rx, stream, hist, &pdv);

	if (hist->negative)
		result_metric_u64(res, "delay_negative_packets", hist->negative);
	result_hist(res, prefix, hist);
	rx_order_report_variation(&rx->order, stream,
				  rx->cfg.match == SINK_MATCH_SOURCE ? "rtt_" : "", has_pdv ? &pdv : NULL, res);
}

/* One stream, or all if @stream is RX_ALL_STREAMS. */
static void report_gaps(struct rx *rx, uint32_t stream, struct result *res)
{
	struct hist_rec hist;

	if (!rx->cfg.gaps)
		return;
	rx_sum_hists(rx, rx->gaps, stream, &hist);
	result_hist(res, "gap", &hist);
	if (!rx->cfg.expect_gap_ns || !hist.count)
		return;
	result_metric_u64(res, "gap_expected_ns", rx->cfg.expect_gap_ns);
	rx_sum_hists(rx, rx->gap_errors, stream, &hist);
	result_hist(res, "gap_error", &hist);
}

static void report_stream(struct rx *rx, uint16_t stream, const struct rx_count *count,
			  const char *prefix, struct result *res)
{
	struct hist_rec *hist = malloc(sizeof(*hist));
	struct result *part;
	char name[32];

	if (!hist)
		return;
	snprintf(name, sizeof(name), "stream %u", stream);
	part = result_part(res, PART_OTHER, name);
	rx_report_volume(count, part);
	rx_report_odd(count, part);
	rx_order_report(&rx->order, stream, count, count->numbers, part);
	rx_read_stream_hist(rx, stream, hist);
	report_delay(rx, stream, hist, prefix, part);
	report_gaps(rx, stream, part);
	free(hist);
}

/* One row of the table of all streams. */
static void report_stream_row(struct rx *rx, uint16_t stream, const struct rx_count *count,
			      const char *prefix, struct result *res)
{
	struct hist_rec hist;
	char key[32];

	rx_read_stream_hist(rx, stream, &hist);
	result_stream_open(res, stream);
	result_row_u64(res, "received_packets", count->packets);
	result_row_u64(res, "received_bytes", count->bytes + count->packets * UNIT_FCS_BYTES);
	result_row_u64(res, "distinct_packets", count->distinct);
	result_row_u64(res, "lost_packets", rx_lost(count, count->numbers));
	result_row_u64(res, "duplicate_packets", count->duplicates);
	result_row_u64(res, "reordered_packets", count->reordered);
	result_row_u64(res, "unknown_packets", count->unknown);
	result_row_u64(res, result_key(key, sizeof(key), prefix, "_packets"), hist.count);
	if (hist.count)
		result_row_hist(res, prefix, &hist);
	result_stream_close(res);
}

static void report_streams(struct rx *rx, struct result *res, const char *prefix,
			   const struct rx_sent *sent, uint32_t max_parts)
{
	struct rx_count count;
	uint32_t stream, seen = 0;

	for (stream = 0; stream < rx->cfg.streams; stream++) {
		if (!rx_read_stream(rx, (uint16_t)stream, sent, &count))
			continue;
		rx_settle(&count);
		report_stream_row(rx, (uint16_t)stream, &count, prefix, res);
		if (seen++ < max_parts)
			report_stream(rx, (uint16_t)stream, &count, prefix, res);
	}
	if (max_parts && seen > max_parts)
		result_note(res, "%u streams, of which only the first %u are shown separately; "
			    "all are in \"streams\" of the document", seen, max_parts);
}

/* Most delays are negative, or longer than on any path. */
static bool is_absurd(const struct rx_count *count, const struct hist_rec *hist)
{
	return hist->negative + count->odd.implausible_time > hist->count;
}

void rx_report(struct rx *rx, struct result *res, const char *prefix, const struct rx_sent *sent,
	       uint32_t max_parts)
{
	struct rx_count count;
	struct hist_rec hist;

	rx_read_all(rx, sent, &count);
	rx_settle(&count);
	rx_report_volume(&count, res);
	result_metric_u64(res, "foreign_packets", count.odd.foreign);
	if (rx->cfg.own_mac)
		result_metric_u64(res, "other_mac_packets", count.odd.other_mac);
	rx_report_odd(&count, res);
	if (!rx->cfg.check)
		return;
	result_metric_u64(res, "streams", count.streams_seen);
	rx_order_report(&rx->order, RX_ALL_STREAMS, &count, rx_sent_packets(sent), res);
	rx_read_hist(rx, &hist);
	report_delay(rx, RX_ALL_STREAMS, &hist, prefix, res);
	report_gaps(rx, RX_ALL_STREAMS, res);
	if (count.streams_seen > 1)
		report_streams(rx, res, prefix, sent, max_parts);
	rx_report_untimed(&count, &hist, rx->cfg.clock, true, res);
	if (rx->cfg.match != SINK_MATCH_SOURCE && is_absurd(&count, &hist))
		result_note(res, rx->cfg.clock == STAMP_TAI ?
			    "the two hosts' clocks differ: check that each is synchronised and "
			    "its TAI offset is set" :
			    "monotonic clocks of two hosts cannot be compared: synchronise both "
			    "hosts and give both ends --clock tai");
	if (rx->stamp)
		hw_stamp_report(rx->stamp, res);
	result_self_u64(res, "snapshot_skew_ns", rx->skew_ns);
}

void rx_put_row(struct rx *rx, struct result *res, const struct rx_sent *sent, uint64_t elapsed_ns)
{
	double seconds = (double)(elapsed_ns - rx->row_elapsed_ns) / NSEC_PER_SEC;
	struct rx_count now, *before = &rx->row_count;
	struct hist_rec hist, delta;
	uint64_t packets, lost;
	double bytes;

	rx_read_all(rx, sent, &now);
	packets = now.packets - before->packets;
	bytes = (double)(now.bytes - before->bytes) + (double)packets * UNIT_FCS_BYTES;
	result_row_u64(res, "received_packets", packets);
	result_row_real(res, "received_pps", (double)packets / seconds);
	result_row_real(res, "received_l1_bps",
			(bytes + (double)packets * UNIT_GAP_BYTES) * 8 / seconds);
	if (rx->cfg.check) {
		lost = rx_lost(&now, rx_sent_packets(sent));
		/* Below 0 where more packets came late than were missed. */
		result_row_s64(res, "lost_packets", (int64_t)(lost - rx->row_lost));
		rx->row_lost = lost;
		result_row_u64(res, "distinct_packets", now.distinct - before->distinct);
		result_row_u64(res, "duplicate_packets", now.duplicates - before->duplicates);
		result_row_u64(res, "reordered_packets", now.reordered - before->reordered);
		rx_read_hist(rx, &hist);
		delta = hist;
		hist_subtract(&delta, &rx->row_hist);
		if (delta.count)
			result_row_hist(res, rx_prefix(&rx->cfg), &delta);
		rx->row_hist = hist;
	}
	rx->row_count = now;
	rx->row_elapsed_ns = elapsed_ns;
}
