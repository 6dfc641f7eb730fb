// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/receive/rx_order.c - order, loss and delay variation of streams, as figures.
 */
#include "engine/receive/rx_order.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/array.h"
#include "lib/hist.h"
#include "lib/loop.h"
#include "lib/unit.h"
#include "result/result_dist.h"

#define MIN_WIRE_BYTES	(64 + UNIT_GAP_BYTES)
#define WINDOW_NS	5000000		/* by which a packet may be late at line rate */
#define WINDOW_BYTES	(32u << 20)	/* of all streams */

#define TCP_DUPLICATE_ACKS 3	/* RFC 5681: this many duplicate ACKs make a sender treat a late
				 * packet as lost */

uint32_t rx_order_window(uint32_t wanted, uint64_t speed_bps, uint32_t streams)
{
	uint32_t window = SEQ_WINDOW_MIN;
	double late = (double)speed_bps / (8 * MIN_WIRE_BYTES) * WINDOW_NS / NSEC_PER_SEC;

	while (window < SEQ_WINDOW_MAX &&
	       (wanted ? window < wanted : (!speed_bps || window < late) &&
		2 * SEQ_RING_BYTES((uint64_t)window, true) * streams <= WINDOW_BYTES))
		window *= 2;
	return window;
}

__u64 *rx_order_ring(const struct rx_order *order, uint32_t stream)
{
	return order->rings + stream * (SEQ_RING_BYTES((uint64_t)order->window, order->varies) / 8);
}

/* What was added to @before. */
static struct rx_count count_since(const struct rx_count *sum, const struct rx_count *before)
{
	return (struct rx_count){
		.distinct = sum->distinct - before->distinct, .gaps = sum->gaps - before->gaps,
		.unknown = sum->unknown - before->unknown,
	};
}

void rx_order_add(const struct rx_order *order, uint32_t stream, struct seq_state *seq, uint64_t end,
		  struct rx_count *sum)
{
	const struct rx_count before = *sum;
	struct rx_count own;
	uint64_t spanned;
	int i;

	if (end && seq_drop_forged(seq, &order->orders[stream], rx_order_ring(order, stream), order->window, end))
		sum->has_forged = true;
	if (seq->run) {
		/* The program has not judged what is still in the window: at this moment it is lost. */
		seq_judge_rest(seq, rx_order_ring(order, stream), order->window);
		sum->streams_seen++;
		sum->restarts += seq->run - 1;
	}
	sum->lost_at_ends += seq_lose_ends(seq, end);
	if (end)
		seq_settle_held(seq, end);
	sum->distinct += seq->distinct;
	sum->duplicates += seq->duplicates;
	sum->reordered += seq->reordered;
	if (seq->distance_max > sum->distance_max)
		sum->distance_max = seq->distance_max;
	sum->unknown += seq->unknown;
	sum->odd.other_run += seq->other_run;
	sum->implausible += seq->implausible;
	for (i = 0; i < SEQ_NR_HELD; i++) {
		if (!seq->held[i].is)
			continue;
		if (seq->held[i].id == seq->id)
			sum->unconfirmed += 1 + seq->held[i].copies;
		else
			sum->odd.other_run += 1 + seq->held[i].copies;
	}
	/* Held ones that are distinct may be above the highest. */
	spanned = seq->spanned + seq->next - seq->first;
	sum->gaps += spanned > seq->distinct ? spanned - seq->distinct : 0;
	sum->unseen_before += seq->unseen + seq->first - seq->base;
	sum->loss_runs += seq->loss_runs;
	if (seq->loss_run_max > sum->loss_run_max)
		sum->loss_run_max = seq->loss_run_max;
	own = count_since(sum, &before);
	rx_add_lost(&own, end, sum);
}

uint64_t rx_order_last_lost(const struct rx_order *order, uint32_t stream, const struct seq_state *seq)
{
	uint64_t seen = order->orders[stream].gaps_seen, nr = seq_gaps(order->window), place = seq->next;
	__u64 *ring = rx_order_ring(order, stream);
	uint64_t end, i;

	if (nr > seen)
		nr = seen;
	while (place > seq->base && seq->next - place < order->window) {
		place--;
		if (!(*seq_word(ring, order->window, place >> 6) >> (place & 63) & 1))
			return place - seq->base;
	}
	/* Before the window: the newest gap there, located by its end. */
	for (i = 1; i <= nr; i++) {
		end = seq_gap(ring, order->window, seen - i)->place;

		if (end <= place && end > seq->base)
			return end - 1 - seq->base;
	}
	return UINT64_MAX;
}

struct order_sum {
	uint64_t extent_sum, extent_max;
	uint64_t extents[SEQ_EXTENTS];
	uint64_t n_reordered[SEQ_N_MAX + 1];
	struct hist_rec late;
};

static void add_rec(struct order_sum *sum, const struct order_rec *rec)
{
	size_t i;

	sum->extent_sum += rec->extent_sum;
	if (rec->extent_max > sum->extent_max)
		sum->extent_max = rec->extent_max;
	for (i = 0; i < SEQ_EXTENTS; i++)
		sum->extents[i] += rec->extents[i];
	for (i = 0; i <= SEQ_N_MAX; i++)
		sum->n_reordered[i] += rec->n_reordered[i];
	hist_merge(&sum->late, &rec->late);
}

static void report_n(const struct order_sum *sum, const struct rx_count *count, struct result *res)
{
	uint64_t from_1 = 0, from_3 = 0;
	uint32_t n, max = 0;

	result_hist_open(res, "n_reordered_packets", 0, 0);
	for (n = 0; n <= SEQ_N_MAX; n++) {
		if (!sum->n_reordered[n])
			continue;
		result_hist_bucket(res, "n_reordered_packets", n, sum->n_reordered[n]);
		max = n;
		from_1 += n >= 1 ? sum->n_reordered[n] : 0;
		from_3 += n >= TCP_DUPLICATE_ACKS ? sum->n_reordered[n] : 0;
	}
	result_metric_u64(res, "n_reordered_1_packets", from_1);
	result_metric_u64(res, "n_reordered_3_packets", from_3);
	result_metric_real(res, "n_reordered_3_ratio", (double)from_3 / (double)count->distinct);
	result_metric_u64(res, "n_reordered_max", max);
	if (max == SEQ_N_MAX)
		result_note(res, "n-reordering is searched for among the last %u arrivals: an n of %u "
			    "means %u or more", SEQ_N_MAX, SEQ_N_MAX, SEQ_N_MAX);
}

static void report_reordered(const struct rx_order *order, uint32_t stream,
			     const struct rx_count *count, struct result *res)
{
	struct order_sum *sum = calloc(1, sizeof(*sum));
	uint32_t i;

	if (!sum)
		return;
	for (i = 0; i < order->streams; i++) {
		if (stream == RX_ALL_STREAMS || i == stream)
			add_rec(sum, &order->orders[i]);
	}
	result_metric_real(res, "reordered_extent_mean",
			   (double)sum->extent_sum / (double)count->reordered);
	result_metric_u64(res, "reordered_extent_max", sum->extent_max);
	result_hist_open(res, "reordered_extent_packets", 0, 0);
	for (i = 0; i < SEQ_EXTENTS; i++) {
		if (sum->extents[i])
			result_hist_bucket(res, "reordered_extent_packets", hist_lower_ns(i),
					   sum->extents[i]);
	}
	report_n(sum, count, res);
	result_hist(res, "late_time", &sum->late);
	free(sum);
}

static void report_loss(const struct rx_count *count, uint64_t sent, struct result *res)
{
	uint64_t lost = rx_lost(count, sent);
	uint64_t all = lost + count->distinct + count->unknown;

	result_metric_u64(res, "lost_packets", lost);
	result_metric_real(res, "lost_ratio", all ? (double)lost / (double)all : 0);
	/* Numbers that no one sent have moved the window: what it judged were no runs. */
	if (!lost || count->has_forged)
		return;
	result_metric_u64(res, "lost_runs", count->loss_runs);
	if (!count->loss_runs)
		return;
	result_metric_real(res, "lost_run_mean",
			   (double)(count->gaps + count->lost_at_ends) / (double)count->loss_runs);
	result_metric_u64(res, "lost_run_max", count->loss_run_max);
}

void rx_order_report(const struct rx_order *order, uint32_t stream, const struct rx_count *count,
		     uint64_t sent, struct result *res)
{
	result_metric_u64(res, "distinct_packets", count->distinct);
	report_loss(count, sent, res);
	result_metric_u64(res, "duplicate_packets", count->duplicates);
	result_metric_u64(res, "reordered_packets", count->reordered);
	result_metric_real(res, "reordered_ratio", count->distinct ?
			   (double)count->reordered / (double)count->distinct : 0);
	if (count->reordered)
		result_metric_u64(res, "reordered_distance_max", count->distance_max);
	if (count->reordered && order)
		report_reordered(order, stream, count, res);
	if (count->restarts) {
		result_metric_u64(res, "restarts", count->restarts);
		result_note(res, "%llu times a sender started again: the figures are of all its runs",
			    (unsigned long long)count->restarts);
	}
	if (count->has_forged)
		result_note(res, "packets with sequence numbers that were not sent confirmed one another: runs of "
			    "loss are not known, and 'lost' may be too low");
	if (count->unseen_before && !sent) {
		result_metric_u64(res, "unseen_before_packets", count->unseen_before);
		result_note(res, "%llu sequence numbers before the first that arrived: lost, or "
			    "sent before the sink started; not counted as lost",
			    (unsigned long long)count->unseen_before);
	}
}

struct vary_sum {
	struct jitter_sum jitter;
	double ipdv_ns;
	int64_t ipdv_min_ns, ipdv_max_ns;
	struct hist_rec ipdv;
};

static void add_vary(struct vary_sum *sum, const struct vary_rec *rec)
{
	jitter_sum_add_rec(&sum->jitter, &rec->jitter);
	if (!rec->ipdv.count)
		return;
	if (!sum->ipdv.count || rec->ipdv_min_ns < sum->ipdv_min_ns)
		sum->ipdv_min_ns = rec->ipdv_min_ns;
	if (!sum->ipdv.count || rec->ipdv_max_ns > sum->ipdv_max_ns)
		sum->ipdv_max_ns = rec->ipdv_max_ns;
	sum->ipdv_ns += (double)rec->ipdv_sum_ns;
	hist_merge(&sum->ipdv, &rec->ipdv);
}

static void report_vary(const struct vary_sum *sum, const char *prefix, struct result *res)
{
	struct dist ipdv = {
		.count = sum->ipdv.count,
		.ns = { [DIST_MIN] = (double)sum->ipdv_min_ns, [DIST_MAX] = (double)sum->ipdv_max_ns,
			[DIST_MEAN] = sum->ipdv_ns / (double)sum->ipdv.count },
	};
	char key[32];

	result_dist(res, result_key(key, sizeof(key), prefix, "ipdv"), &ipdv);
	if (sum->ipdv.count)
		result_hist(res, result_key(key, sizeof(key), prefix, "ipdv_abs"), &sum->ipdv);
	result_jitter(res, prefix, &sum->jitter);
}

void rx_order_report_variation(const struct rx_order *order, uint32_t stream, const char *prefix,
			       const struct hist_rec *pdv, struct result *res)
{
	struct vary_sum *sum;
	uint32_t i;

	if (pdv)
		result_pdv(res, prefix, pdv);
	sum = order->varies ? calloc(1, sizeof(*sum)) : NULL;
	if (!sum)
		return;
	for (i = 0; i < order->streams; i++) {
		if (stream == RX_ALL_STREAMS || i == stream)
			add_vary(sum, &order->varies[i]);
	}
	report_vary(sum, prefix, res);
	free(sum);
}
