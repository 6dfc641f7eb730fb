// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/impair/impair_report.c - account for what was done to packets.
 */
#include <stdlib.h>

#include "abi/beat.h"
#include "engine/impair/impair_parts.h"
#include "lib/loop.h"
#include "lib/unit.h"
#include "result/result_dist.h"
#include "sys/hook/bpf.h"
#include "sys/host/cpu.h"

static void sum_recs(const struct impair_side *side, struct impair_rec *ret_sum)
{
	/* Another CPU writes while this one reads: read each word exactly once. */
	const volatile __u64 *word = (const volatile __u64 *)side->recs;
	__u64 *sum = (__u64 *)ret_sum;
	unsigned int cpu;
	size_t i;

	*ret_sum = (struct impair_rec){ 0 };
	for (cpu = 0; cpu < cpu_nr_possible(); cpu++) {
		for (i = 0; i < sizeof(*ret_sum) / sizeof(*sum); i++)
			sum[i] += *word++;
	}
}

static void add_bump(const struct impair_side *side, const struct impair_rec *rec,
		     struct impair_count *count)
{
	struct bump_count bump;

	if (!side->bump) {
		count->done[IMPAIR_DUPLICATE] = rec->done[IMPAIR_DUPLICATE];
		return;
	}
	bump_read(side->bump, &bump);
	count->done[IMPAIR_FRAGMENT] = bump.fragmented;
	count->done[IMPAIR_DUPLICATE] = bump.duplicated;
	count->done[IMPAIR_REORDER] = bump.reordered;
	count->done[IMPAIR_DELAY] = bump.delayed;
	count->unable += bump.no_fragments;
	/*
	 * Redirected by the kernel without room in a ring; during the run also packets in flight.
	 */
	count->own_drops += rec->to_user > bump.in_packets ? rec->to_user - bump.in_packets : 0;
	count->passed_packets += bump.in_packets;
	count->copies += bump.copies;
	count->fragments += bump.fragments - bump.fragmented;
	count->queue_drops = bump.queue_drops;
	count->full_drops = bump.frame_drops;
	count->refused += bump.send_drops;
	count->held = bump.held;
	count->flushed = bump.flushed;
	count->late_max_ns = bump.late_max_ns;
	/* Frames that the driver refused had been handed to it, as in the kernel path. */
	count->out_frames += bump.out_packets + bump.send_drops;
}

void impair_read(struct impair *impair, unsigned int direction, struct impair_count *ret_count)
{
	const struct impair_side *side = &impair->sides[direction];
	struct impair_count count = { 0 };
	struct impair_rec rec;
	enum impair_kind kind;

	sum_recs(side, &rec);
	count.seen_packets = rec.seen;
	count.seen_bytes = rec.seen_bytes;
	count.unmatched_packets = rec.unmatched;
	for (kind = IMPAIR_LOSS; kind <= IMPAIR_TRUNCATE; kind++)
		count.done[kind] = rec.done[kind];
	count.completed = rec.completed;
	count.bypassed = rec.bypassed;
	count.unable = rec.unable;
	count.own_drops = rec.failed;
	count.passed_packets = rec.passed;
	count.copies = rec.copies;
	count.refused = rec.refused;
	count.events_lost = rec.events_lost;
	/* It is not known which of the frames that the driver refused were matched: see impair_report(). */
	count.out_frames = rec.passed + rec.copies;
	add_bump(side, &rec, &count);
	*ret_count = count;
}

const struct bump_hold *impair_holds(const struct impair *impair, unsigned int direction,
				     size_t *ret_nr)
{
	*ret_nr = 0;
	return impair->sides[direction].bump ? bump_holds(impair->sides[direction].bump, ret_nr) :
					       NULL;
}

static bool adds_up(const struct impair_count *count)
{
	return count->seen_packets == count->done[IMPAIR_LOSS] + count->own_drops +
				      count->passed_packets &&
	       count->passed_packets + count->copies + count->fragments ==
	       count->out_frames + count->queue_drops + count->full_drops + count->held;
}

static void report_kinds(const struct impair *impair, const struct impair_count *count,
			 struct result *res)
{
	const struct impair_rules *rules = impair->cfg.rules;
	enum impair_kind kind;
	uint32_t i;

	result_metric_u64(res, impair_kind_figure(IMPAIR_LOSS), count->done[IMPAIR_LOSS]);
	for (i = 0; i < rules->nr; i++) {
		kind = rules->rules[i].kind;
		result_metric_u64(res, impair_kind_figure(kind), count->done[kind]);
	}
	if (count->unable)
		result_metric_u64(res, "impair_unable_times", count->unable);
	if (count->completed)
		result_metric_u64(res, "impair_completed_packets", count->completed);
	if (count->bypassed) {
		result_metric_u64(res, "impair_bypassed_packets", count->bypassed);
		result_note(res, "%llu packets passed unchanged and unseen, as ethgauge did not run for more than "
			    "%llu s", (unsigned long long)count->bypassed, TC_BEAT_NS / NSEC_PER_SEC);
	}
}

static void judge(const struct impair_count *count, const char *name, struct result *res)
{
	uint64_t own = count->own_drops + count->full_drops + count->refused;

	result_verdict(res, adds_up(count),
		       "%s%sseen %llu = lost %llu + dropped by own limits %llu + handed on %llu",
		       name, *name ? ": " : "", (unsigned long long)count->seen_packets,
		       (unsigned long long)count->done[IMPAIR_LOSS],
		       (unsigned long long)count->own_drops,
		       (unsigned long long)count->passed_packets);
	result_verdict(res, !own, "%s%s%llu packets were lost unintentionally", name,
		       *name ? ": " : "", (unsigned long long)own);
}

static void report_holds(const struct impair_side *side, struct result *res)
{
	struct hist_rec *hists = calloc(3, sizeof(*hists));

	if (!hists)
		return;
	bump_read_hists(side->bump, &hists[0], &hists[1], &hists[2]);
	result_hist(res, "held", &hists[1]);
	result_hist(res, "held_intended", &hists[0]);
	result_hist(res, "held_late", &hists[2]);
	free(hists);
}

static void report_side(struct impair *impair, unsigned int direction, const char *name,
			struct result *res)
{
	const struct impair_side *side = &impair->sides[direction];
	struct impair_count count;

	impair_read(impair, direction, &count);
	result_metric_u64(res, "impair_unmatched_packets", count.unmatched_packets);
	if (count.refused || impair->nr_sides == 2)
		result_metric_u64(res, "impair_refused_frames", count.refused);
	if (!side->impaired) {
		result_verdict(res, !count.refused, "%s%s%llu packets handed on, %llu refused by the driver",
			       name, *name ? ": " : "",
			       (unsigned long long)count.unmatched_packets,
			       (unsigned long long)count.refused);
		return;
	}
	result_metric_u64(res, "impair_seen_packets", count.seen_packets);
	result_metric_u64(res, "impair_seen_bytes",
			  count.seen_bytes + count.seen_packets * UNIT_FCS_BYTES);
	report_kinds(impair, &count, res);
	result_metric_u64(res, "impair_own_dropped_packets", count.own_drops);
	result_metric_u64(res, "impair_passed_packets", count.passed_packets);
	result_metric_u64(res, "impair_copies_frames", count.copies);
	result_metric_u64(res, "impair_out_frames", count.out_frames);
	if (impair->cfg.on_event)
		result_metric_u64(res, "impair_events_lost", count.events_lost);
	if (side->bump) {
		result_metric_u64(res, "impair_fragments_frames", count.fragments);
		result_metric_u64(res, "impair_queue_dropped_frames", count.queue_drops);
		result_metric_u64(res, "impair_full_frames", count.full_drops);
		result_metric_u64(res, "impair_flushed_frames", count.flushed);
		report_holds(side, res);
	}
	judge(&count, name, res);
}

void impair_report(struct impair *impair, struct result *res)
{
	static const char *const names[2] = { "a-to-b", "b-to-a" };
	unsigned int i;

	if (impair->nr_sides == 1) {
		report_side(impair, 0, "", res);
		return;
	}
	for (i = 0; i < 2; i++)
		report_side(impair, i, names[i], result_part(res, PART_OTHER, names[i]));
}

void impair_report_row(struct impair *impair, struct result *res, uint64_t elapsed_ns)
{
	uint64_t gap_ns = elapsed_ns - impair->row_elapsed_ns;
	struct impair_count sum = { 0 }, one;
	unsigned int i;

	for (i = 0; i < impair->nr_sides; i++) {
		impair_read(impair, i, &one);
		sum.seen_packets += one.seen_packets;
		sum.unmatched_packets += one.unmatched_packets;
		sum.done[IMPAIR_LOSS] += one.done[IMPAIR_LOSS];
		sum.out_frames += one.out_frames;
	}
	result_row_open(res, elapsed_ns);
	result_row_u64(res, "impair_seen_packets", sum.seen_packets - impair->row.seen_packets);
	if (gap_ns)
		result_row_real(res, "impair_seen_pps",
				(double)(sum.seen_packets - impair->row.seen_packets) *
				NSEC_PER_SEC / (double)gap_ns);
	result_row_u64(res, "impair_lost_packets",
		       sum.done[IMPAIR_LOSS] - impair->row.done[IMPAIR_LOSS]);
	result_row_u64(res, "impair_out_frames", sum.out_frames - impair->row.out_frames);
	result_row_u64(res, "impair_unmatched_packets",
		       sum.unmatched_packets - impair->row.unmatched_packets);
	result_row_close(res);
	impair->row = sum;
	impair->row_elapsed_ns = elapsed_ns;
}
