// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * model/replay.c - the packets of a capture file, in order, to be sent.
 */
#include "model/replay.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/unit.h"
#include "model/mix.h"
#include "model/replay_parts.h"

#define PUBLISH(field, value) __atomic_store_n(&(field), value, __ATOMIC_RELAXED)
#define LOOK(field) __atomic_load_n(&(field), __ATOMIC_RELAXED)

static const struct source_ops replay_ops;

struct source *replay_source(struct replay *replay)
{
	return &replay->source;
}

int replay_open(struct replay **ret_replay, const struct replay_cfg *cfg, struct err *e)
{
	struct replay *replay = calloc(1, sizeof(*replay));
	int err;

	if (!replay)
		return err_set(e, -ENOMEM, "cannot open '%s'", cfg->path);
	replay->source.ops = &replay_ops;
	replay->cfg = *cfg;
	replay->scratch = malloc(REPLAY_RECORD_MAX_BYTES);
	err = replay->scratch ? 0 : err_set(e, -ENOMEM, "cannot open '%s'", cfg->path);
	if (!err)
		err = capture_open(&replay->capture, cfg->path, e);
	if (!err)
		err = replay_read_head(replay, e);
	if (err)
		replay_close(replay);
	else
		*ret_replay = replay;
	return err;
}

void replay_close(struct replay *replay)
{
	if (!replay)
		return;
	capture_close(replay->capture);
	free(replay->head);
	free(replay->scratch);
	free(replay);
}

/* From the first packet of a pass to that of the next, in the file's time. */
static uint64_t pass_time_ns(uint64_t last_ns, uint64_t nr)
{
	/* The mean gap between two passes, so that the loop has the file's rate. */
	return last_ns + (nr > 1 ? last_ns / (nr - 1) : 0);
}

/* 1: there is another pass; 0: that was the last one. */
static int next_pass(struct replay *replay, struct err *e)
{
	int err;

	PUBLISH(replay->nr_skipped, replay->nr_skipped + replay->skipped);
	replay->pass++;
	if (replay->pass == replay->cfg.loops || !replay->pass_packets)
		return 0;
	replay->offset_ns += pass_time_ns(replay->last_ns, replay->pass_packets);
	replay->pass_packets = 0;
	replay->head_at = 0;
	if (replay->whole)
		return 1;
	replay->head_bytes = 0;
	free(replay->head);
	replay->head = NULL;
	err = capture_rewind(replay->capture, e);
	return err ? err : 1;
}

/* Sets now; otherwise as source_ops.peek(). */
static int look(struct replay *replay, struct err *e)
{
	int got;

	for (;;) {
		if (replay->head_at < replay->head_bytes) {
			replay->now = (struct replay_record *)(replay->head + replay->head_at);
			replay->head_at += replay_record_size(replay->now);
			return 1;
		}
		if (replay->whole) {
			*e = replay->end_error;
			got = e->no;
		} else {
			got = replay_read(replay, replay->scratch, e);
		}
		if (got == 1) {
			replay->now = replay->scratch;
			return 1;
		}
		if (got < 0) {
			PUBLISH(replay->nr_skipped, replay->nr_skipped + replay->skipped);
			return got;
		}
		got = next_pass(replay, e);
		if (got != 1)
			return got;
	}
}

static bool is_paced(const struct replay *replay)
{
	return replay->cfg.pace.kind != PACE_MAX;
}

/* The slot of a packet: at @time_ns in the file, behind @nr packets of @bytes with FCS. */
static struct pace_time slot_at(const struct replay *replay, uint64_t time_ns, uint64_t nr,
				uint64_t bytes)
{
	switch (replay->cfg.pace.kind) {
	case PACE_TIMES:
		return pace_due(&replay->cfg.pace, time_ns);
	case PACE_BYTES:
		return pace_due(&replay->cfg.pace, bytes + nr * replay->cfg.extra_bytes);
	default:
		return pace_due(&replay->cfg.pace, nr);
	}
}

static uint64_t slot_of(const struct replay *replay)
{
	return slot_at(replay, replay->offset_ns + replay->now->time_ns, replay->nr_made,
		       replay->made_bytes).ns;
}

static int replay_peek(struct source *source, uint64_t now_ns, struct source_packet *ret_packet,
		       struct err *e)
{
	struct replay *replay = (struct replay *)source;
	int got;

	(void)now_ns;
	if (replay->ended) {
		*e = replay->end_error;
		return e->no;
	}
	if (!replay->now) {
		got = look(replay, e);
		if (got != 1) {
			replay->ended = true;
			if (got < 0)
				replay->end_error = *e;
			return got;
		}
	}
	*ret_packet = (struct source_packet){
		.bytes = replay->now->bytes,
		.buf_bytes = replay->now->buf_bytes,
		.tag_offset = replay->now->tag_offset,
		.stream = replay->cfg.stream,
		.sequence = (uint32_t)replay->nr_tagged,
		.stamped = replay->now->tag_offset &&
			   replay->nr_tagged % replay->cfg.stamp_every == 0,
		.slot_ns = slot_of(replay),
		.paced = is_paced(replay),
	};
	return 1;
}

static void replay_take(struct source *source, uint64_t sent_mono_ns, uint64_t late_ns)
{
	struct replay *replay = (struct replay *)source;
	const struct replay_record *record = replay->now;

	(void)sent_mono_ns;
	(void)late_ns;
	replay->last_slot_ns = slot_of(replay);
	if (!replay->nr_made)
		replay->first_slot_ns = replay->last_slot_ns;
	replay->last_ns = record->time_ns;
	replay->pass_packets++;
	if (record->skipped_before)
		PUBLISH(replay->nr_skipped, replay->nr_skipped + record->skipped_before);
	PUBLISH(replay->made_bytes, replay->made_bytes + record->buf_bytes + UNIT_FCS_BYTES);
	PUBLISH(replay->nr_made, replay->nr_made + 1);
	PUBLISH(replay->nr_tagged, replay->nr_tagged + !!record->tag_offset);
	replay->now = NULL;
}

static void replay_source_count(const struct source *source, uint32_t k,
				struct mix_count *ret_count)
{
	(void)k;
	replay_count((const struct replay *)source, ret_count);
}

static void replay_source_close(struct source *source)
{
	(void)source;
}

static const struct source_ops replay_ops = {
	.peek = replay_peek,
	.take = replay_take,
	.count = replay_source_count,
	.close = replay_source_close,
};

int replay_whole(const struct replay *replay, struct replay_pass *ret_pass, struct err *e)
{
	struct replay_cursor cursor = { 0 };
	struct source_packet packet;
	uint64_t last_ns = 0, limit;

	if (!replay->whole) {
		err_machine(e, -EFBIG, "the live engine keeps %llu MiB of packets, and not '%s'",
			    REPLAY_HEAD_BYTES >> 20, replay->cfg.path);
		return err_hint(e, "use " OPTION("engine") " afxdp, which reads a file while it sends");
	}
	/* What is damaged is not sent again. */
	if (__builtin_mul_overflow(replay->head_packets, replay->end_error.no ? 1 : replay->cfg.loops,
				   &limit))
		limit = 0;
	while (cursor.at < replay->head_bytes) {
		last_ns = ((struct replay_record *)(replay->head + cursor.at))->time_ns;
		replay_walk(replay, &cursor, &packet);
	}
	*ret_pass = (struct replay_pass){
		.nr_packets = replay->head_packets,
		.limit = limit,
		.bytes = cursor.bytes - cursor.nr * UNIT_FCS_BYTES,
		.max_buf_bytes = replay->head_max_bytes,
		.skipped_behind = replay->skipped,
		.time = slot_at(replay, pass_time_ns(last_ns, cursor.nr), cursor.nr, cursor.bytes),
	};
	return 0;
}

bool replay_walk(const struct replay *replay, struct replay_cursor *cursor,
		 struct source_packet *ret_packet)
{
	const struct replay_record *record = (struct replay_record *)(replay->head + cursor->at);

	if (cursor->at >= replay->head_bytes)
		return false;
	*ret_packet = (struct source_packet){
		.bytes = record->bytes,
		.buf_bytes = record->buf_bytes,
		.slot_ns = slot_at(replay, record->time_ns, cursor->nr, cursor->bytes).ns,
		.tag_offset = record->tag_offset,
		.paced = is_paced(replay),
	};
	cursor->at += replay_record_size(record);
	cursor->nr++;
	cursor->bytes += record->buf_bytes + UNIT_FCS_BYTES;
	cursor->skipped_before = record->skipped_before;
	return true;
}

void replay_forget(struct replay *replay)
{
	free(replay->head);
	replay->head = NULL;
	replay->head_bytes = 0;
}

void replay_set_sent(struct replay *replay, const struct replay_sent *sent)
{
	PUBLISH(replay->nr_made, sent->packets);
	PUBLISH(replay->made_bytes, sent->bytes);
	PUBLISH(replay->nr_skipped, sent->skipped);
	PUBLISH(replay->nr_tagged, sent->tagged);
	replay->first_slot_ns = sent->first_slot_ns;
	replay->last_slot_ns = sent->last_slot_ns;
}

int replay_damage(const struct replay *replay, struct err *e)
{
	if (replay->end_error.no)
		*e = replay->end_error;
	return replay->end_error.no;
}

uint64_t replay_planned_ns(const struct replay *replay)
{
	return replay->last_slot_ns - replay->first_slot_ns;
}

void replay_count(const struct replay *replay, struct mix_count *ret_count)
{
	*ret_count = (struct mix_count){
		.packets = LOOK(replay->nr_made), .bytes = LOOK(replay->made_bytes),
	};
}
