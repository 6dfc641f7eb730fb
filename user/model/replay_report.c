// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * model/replay_report.c - what came of a replay, as figures and notes.
 */
#include "abi/tag.h"
#include "model/replay_parts.h"

static void note_skipped(const struct replay *replay, struct result *res)
{
	uint64_t nr = replay->nr_cut + replay->nr_long + replay->nr_short;

	if (nr)
		result_note(res, "skipped %llu packets of the file: %llu cut by its snap length, %llu "
			    "longer than the MTU of %u or %u bytes allow, %llu shorter than an "
			    "Ethernet header", (unsigned long long)nr,
			    (unsigned long long)replay->nr_cut,
			    (unsigned long long)replay->nr_long, replay->cfg.mtu, REPLAY_MAX_BYTES,
			    (unsigned long long)replay->nr_short);
	if (replay->nr_untagged)
		result_note(res, "%llu packets of the file cannot carry the tag: they are no UDP, "
			    "fragments, or have less than %d bytes of payload",
			    (unsigned long long)replay->nr_untagged, TAG_BYTES);
	if (replay->nr_fallen && replay->cfg.pace.kind == PACE_TIMES)
		result_note(res, "%llu packets of the file are older than the one before them, and "
			    "were sent right behind it", (unsigned long long)replay->nr_fallen);
}

void replay_report(const struct replay *replay, struct result *res)
{
	result_metric_u64(res, "replay_read_packets", replay->nr_made + replay->nr_skipped);
	result_metric_u64(res, "replay_skipped_packets", replay->nr_skipped);
	if (replay->cfg.tagged)
		result_metric_u64(res, "replay_tagged_packets", replay->nr_tagged);
	note_skipped(replay, res);
}
