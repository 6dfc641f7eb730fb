// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/replay.c - the packets of a capture file, in order, to be sent.
 */
#include "engine/replay.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "abi/tag.h"
#include "lib/loop.h"
#include "lib/unit.h"
#include "proto/capture.h"
#include "proto/rewrite.h"
#include "sys/afxdp.h"
#include "sys/nic.h"

#define HEAD_BYTES	(256ull << 20)	/* of memory, for what is read before the start */
#define HEAD_STEP_BYTES	(1ull << 20)
#define ETHER_BYTES	14
#define VLAN_BYTES	4
#define FAR_NS		9e18		/* a slot that never comes */
#define IRREGULAR_NS	1000000		/* lateness that is worth a note */

/* A packet as it is sent, in the head or in scratch. */
struct record {
	uint64_t time_ns;		/* since the file's first packet */
	uint16_t buf_bytes;
	uint16_t tag_offset;		/* 0: no tag */
	uint32_t skipped_before;
	uint8_t bytes[];
} __attribute__((aligned(8)));

#define RECORD_MAX_BYTES (sizeof(struct record) + AFXDP_CHUNK_BYTES + REWRITE_ROOM_BYTES)

enum pace { PACE_MAX, PACE_SPEED, PACE_PPS, PACE_BPS };

struct replay {
	struct source source;
	struct capture *capture;
	const char *path;
	struct rewrite rewrite;
	bool tag;
	uint16_t stream;		/* in the tags */
	uint32_t stamp_every;
	uint32_t mtu;
	uint64_t loops;
	enum pace pace;
	double value;			/* factor, pps or bit/s */
	uint32_t extra_bytes;		/* of a frame, beside its buffer, in a bit/s */

	uint8_t *head;			/* the file's first records */
	size_t head_bytes, head_at;
	uint64_t head_packets;
	uint32_t head_max_bytes;
	bool whole;			/* the head is all there is, but for end_error */
	struct record *scratch;		/* the record read last, behind the head */

	const struct record *now;	/* looked at, not yet sent */
	uint64_t pass, pass_packets;
	uint64_t offset_ns;		/* of this pass */
	uint64_t last_ns;		/* time of the pass's last packet */
	uint32_t skipped;		/* before the record being read, or the end */
	bool ended;
	struct err end_error;

	uint64_t nr_cut, nr_long, nr_short, nr_fallen;	/* of the first pass */
	uint64_t nr_untagged;		/* of the first pass: they cannot carry the tag */
	uint64_t nr_tagged;		/* sent */
	uint64_t nr_made, made_bytes, nr_skipped;	/* of all; made_bytes with FCS */
	uint64_t first_slot_ns, last_slot_ns;
};

#define PUBLISH(field, value) __atomic_store_n(&(field), value, __ATOMIC_RELAXED)
#define LOOK(field) __atomic_load_n(&(field), __ATOMIC_RELAXED)

static int parse_speed(const char *text, enum pace *ret_pace, double *ret_factor, struct err *e)
{
	char *end;
	double factor;

	if (!strcmp(text, "max")) {
		*ret_pace = PACE_MAX;
		return 0;
	}
	factor = strtod(text, &end);
	if (end == text || *end || !isfinite(factor) || factor <= 0)
		return err_usage(e, "--speed '%s' is no factor above 0, such as 1, 2.5 or max", text);
	*ret_pace = PACE_SPEED;
	*ret_factor = factor;
	return 0;
}

static int make_rewrite(const struct replay_opts *opts, const struct stream_opts *stream,
			struct rewrite *rewrite, struct err *e)
{
	int err = 0;

	*rewrite = (struct rewrite){
		.set_src_mac = stream->src_mac.set, .set_dst_mac = stream->dst_mac.set,
		.strip_vlan = opts->strip_vlan, .push_vlan = stream->vlan != 0,
		.vlan_tci = (uint16_t)(stream->vlan_pcp << 13 | stream->vlan),
		.fix_checksums = opts->fix_checksums,
	};
	memcpy(rewrite->src_mac, stream->src_mac.addr, 6);
	memcpy(rewrite->dst_mac, stream->dst_mac.addr, 6);
	if (opts->prefixes)
		err = rewrite_parse_prefixes(rewrite, "--map-ip", opts->prefixes, e);
	if (!err && opts->ports)
		err = rewrite_parse_ports(rewrite, "--map-port", opts->ports, e);
	return err;
}

int replay_check(const struct replay_opts *opts, const struct stream_opts *stream, struct err *e)
{
	struct rewrite rewrite;
	enum pace pace;
	double factor;
	int err;

	if (stream->engine == TX_ENGINE_LIVE && stream->first_queue)
		return err_usage(e, "--queue is of the afxdp engine: the live one sends through the "
				 "queue of its CPU");
	if (stream->engine == TX_ENGINE_AFXDP && stream->into_stack)
		return err_usage(e, "--into-stack is of the live engine");
	if (stream->vlan_pcp && !stream->vlan)
		return err_usage(e, "--vlan-pcp needs --vlan");
	if (stream->rate_layer != FRAME_L1 && stream->rate_layer != FRAME_L2)
		return err_usage(e, "the rate of --pcap counts l1 or l2: its packets may have no "
				 "more");
	err = opts->speed ? parse_speed(opts->speed, &pace, &factor, e) : 0;
	return err ? err : make_rewrite(opts, stream, &rewrite, e);
}

/* How the slots are counted, with the link's speed known. */
static int set_pace(struct replay *replay, const struct replay_opts *opts,
		    const struct stream_opts *stream, uint64_t link_bps, struct err *e)
{
	const struct unit_rate *rate = &stream->rate;

	replay->extra_bytes = stream->rate_layer == FRAME_L1 ? UNIT_GAP_BYTES : 0;
	if (opts->speed)
		return parse_speed(opts->speed, &replay->pace, &replay->value, e);
	replay->value = rate->value;
	switch (rate->kind) {
	case UNIT_RATE_MAX:
		replay->pace = PACE_MAX;
		return 0;
	case UNIT_RATE_PPS:
		replay->pace = PACE_PPS;
		return 0;
	case UNIT_RATE_LINK_RATIO:
		if (!link_bps) {
			err_usage(e, "the interface does not tell its speed, so %g%% of it is not "
				  "known", rate->value * 100);
			return err_hint(e, "give the rate itself: --rate 10Gbit");
		}
		replay->value *= (double)link_bps;
		break;
	case UNIT_RATE_BPS:
		break;
	}
	replay->pace = PACE_BPS;
	return 0;
}

/* What the MTU bounds: all but the Ethernet header and one VLAN tag. */
static uint32_t layer3_bytes(const uint8_t *frame, uint32_t buf_bytes)
{
	uint16_t type = (uint16_t)(frame[12] << 8 | frame[13]);

	if ((type == 0x8100 || type == 0x88a8) && buf_bytes >= ETHER_BYTES + VLAN_BYTES)
		buf_bytes -= VLAN_BYTES;
	return buf_bytes - ETHER_BYTES;
}

/* The packet as it will be sent; false if it cannot be, and it is counted why. */
static bool make_record(struct replay *replay, const struct capture_packet *packet,
			struct record *record)
{
	uint64_t *reason = NULL;

	if (packet->buf_bytes < packet->wire_bytes) {
		reason = &replay->nr_cut;
	} else if (packet->buf_bytes < ETHER_BYTES) {
		reason = &replay->nr_short;
	} else if (packet->buf_bytes > AFXDP_CHUNK_BYTES) {
		reason = &replay->nr_long;
	} else {
		memcpy(record->bytes, packet->bytes, packet->buf_bytes);
		record->buf_bytes = (uint16_t)rewrite_frame(&replay->rewrite, record->bytes,
							    packet->buf_bytes);
		record->time_ns = packet->time_ns;
		if (record->buf_bytes > AFXDP_CHUNK_BYTES ||
		    layer3_bytes(record->bytes, record->buf_bytes) > replay->mtu)
			reason = &replay->nr_long;
	}
	if (!reason && replay->tag) {
		record->tag_offset = rewrite_clear_tag(record->bytes, record->buf_bytes);
		if (!record->tag_offset && !replay->pass)
			replay->nr_untagged++;
	} else if (!reason) {
		record->tag_offset = 0;
	}
	if (reason && !replay->pass)
		++*reason;
	return !reason;
}

/* 1: a record; 0: the end of the file; both with skipped set. */
static int read_record(struct replay *replay, struct record *record, struct err *e)
{
	struct capture_packet packet;
	int got;

	replay->skipped = 0;
	while ((got = capture_read(replay->capture, &packet, e)) == 1) {
		if (make_record(replay, &packet, record)) {
			record->skipped_before = replay->skipped;
			return 1;
		}
		replay->skipped++;
	}
	if (!got && !replay->pass)
		replay->nr_fallen = capture_nr_fallen(replay->capture);
	return got;
}

static size_t record_size(const struct record *record)
{
	return (sizeof(*record) + record->buf_bytes + 7) & ~(size_t)7;
}

static int read_head(struct replay *replay, struct err *e)
{
	const struct record *record;
	size_t size = 0;
	int got;

	for (;;) {
		if (size - replay->head_bytes < RECORD_MAX_BYTES) {
			/* Doubling; what is not written to costs no memory. */
			size_t more = size ? 2 * size : HEAD_STEP_BYTES;
			uint8_t *head;

			if (more > HEAD_BYTES)
				return 0;
			head = realloc(replay->head, more);
			if (!head)
				return err_set(e, -ENOMEM, "cannot read '%s' ahead", replay->path);
			replay->head = head;
			size = more;
		}
		got = read_record(replay, (struct record *)(replay->head + replay->head_bytes),
				  &replay->end_error);
		if (got != 1)
			break;
		record = (struct record *)(replay->head + replay->head_bytes);
		replay->head_bytes += record_size(record);
		replay->head_packets++;
		if (record->buf_bytes > replay->head_max_bytes)
			replay->head_max_bytes = record->buf_bytes;
	}
	replay->whole = true;
	if (got || replay->head_bytes)
		return 0;
	return err_usage(e, "'%s' has no packet that can be sent%s", replay->path,
			 replay->skipped ? ": all are cut, or longer than the MTU" : "");
}

static const struct source_ops replay_ops;

struct source *replay_source(struct replay *replay)
{
	return &replay->source;
}

int replay_open(struct replay **ret_replay, const struct replay_opts *opts,
		const struct stream_opts *stream, struct tx_cfg *ret_cfg, struct err *e)
{
	struct replay *replay = calloc(1, sizeof(*replay));
	struct nic_facts nic;
	int err;

	if (!replay)
		return err_set(e, -ENOMEM, "cannot open '%s'", opts->path);
	replay->source.ops = &replay_ops;
	replay->path = opts->path;
	replay->loops = opts->loops;
	replay->tag = opts->tag;
	replay->stream = stream->first_stream;
	replay->stamp_every = stream->stamp_every;
	replay->scratch = malloc(RECORD_MAX_BYTES);
	err = replay->scratch ? 0 : err_set(e, -ENOMEM, "cannot open '%s'", opts->path);
	if (!err)
		err = capture_open(&replay->capture, opts->path, e);
	if (!err)
		err = stream_check_link(stream, &nic, e);
	if (!err)
		err = make_rewrite(opts, stream, &replay->rewrite, e);
	if (!err)
		err = set_pace(replay, opts, stream, nic.speed_bps, e);
	if (err)
		goto fail;
	replay->mtu = nic.mtu;
	err = read_head(replay, e);
	if (err)
		goto fail;
	*ret_cfg = (struct tx_cfg){
		.engine = (enum tx_engine)stream->engine,
		.ifname = stream->ifname,
		.first_stream = stream->first_stream,
		.clock = (enum stamp_clock)stream->clock,
		.stamp_every = stream->stamp_every,
		.into_stack = stream->into_stack,
		.threads = 1,
		.first_queue = stream->first_queue,
		.count = stream->count,
		.duration_ns = stream->duration_ns,
		.batch = stream->batch,
		.zero_copy_only = stream->zero_copy,
		.frame.frame_bytes = stream->frame_bytes,
		.replay = replay,
	};
	*ret_replay = replay;
	return 0;
fail:
	replay_close(replay);
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
	if (replay->pass == replay->loops || !replay->pass_packets)
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
			replay->now = (struct record *)(replay->head + replay->head_at);
			replay->head_at += record_size(replay->now);
			return 1;
		}
		if (replay->whole) {
			*e = replay->end_error;
			got = e->no;
		} else {
			got = read_record(replay, replay->scratch, e);
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

/* The slot of a packet: at @time_ns in the file, behind @nr packets of @bytes with FCS. */
static double slot_at(const struct replay *replay, uint64_t time_ns, uint64_t nr, uint64_t bytes)
{
	double slot_ns = 0;

	switch (replay->pace) {
	case PACE_MAX:
		break;
	case PACE_SPEED:
		slot_ns = (double)time_ns / replay->value;
		break;
	case PACE_PPS:
		slot_ns = (double)nr * 1e9 / replay->value;
		break;
	case PACE_BPS:
		slot_ns = ((double)bytes + (double)nr * replay->extra_bytes) * 8e9 /
			  replay->value;
		break;
	}
	return slot_ns < FAR_NS ? slot_ns : FAR_NS;
}

static uint64_t slot_of(const struct replay *replay)
{
	return (uint64_t)slot_at(replay, replay->offset_ns + replay->now->time_ns,
				 replay->nr_made, replay->made_bytes);
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
		.stream = replay->stream,
		.sequence = (uint32_t)replay->nr_tagged,
		.stamped = replay->now->tag_offset &&
			   replay->nr_tagged % replay->stamp_every == 0,
		.slot_ns = slot_of(replay),
		.paced = replay_is_paced(replay),
	};
	return 1;
}

static void replay_take(struct source *source, uint64_t sent_mono_ns, uint64_t late_ns)
{
	struct replay *replay = (struct replay *)source;
	const struct record *record = replay->now;

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

static const struct source_ops replay_ops = { .peek = replay_peek, .take = replay_take };

int replay_whole(const struct replay *replay, struct replay_pass *ret_pass, struct err *e)
{
	struct replay_cursor cursor = { 0 };
	struct source_packet packet;
	uint64_t last_ns = 0, limit;

	if (!replay->whole) {
		err_machine(e, -EFBIG, "the live engine keeps %llu MiB of packets, and not '%s'",
			    HEAD_BYTES >> 20, replay->path);
		return err_hint(e, "use --engine afxdp, which reads a file while it sends");
	}
	/* What is damaged is not sent again. */
	if (__builtin_mul_overflow(replay->head_packets, replay->end_error.no ? 1 : replay->loops,
				   &limit))
		limit = 0;
	while (cursor.at < replay->head_bytes) {
		last_ns = ((struct record *)(replay->head + cursor.at))->time_ns;
		replay_walk(replay, &cursor, &packet);
	}
	*ret_pass = (struct replay_pass){
		.nr_packets = replay->head_packets,
		.limit = limit,
		.bytes = cursor.bytes - cursor.nr * UNIT_FCS_BYTES,
		.max_buf_bytes = replay->head_max_bytes,
		.skipped_behind = replay->skipped,
		.ns = slot_at(replay, pass_time_ns(last_ns, cursor.nr), cursor.nr, cursor.bytes),
	};
	return 0;
}

bool replay_walk(const struct replay *replay, struct replay_cursor *cursor,
		 struct source_packet *ret_packet)
{
	const struct record *record = (struct record *)(replay->head + cursor->at);

	if (cursor->at >= replay->head_bytes)
		return false;
	*ret_packet = (struct source_packet){
		.bytes = record->bytes,
		.buf_bytes = record->buf_bytes,
		.slot_ns = (uint64_t)slot_at(replay, record->time_ns, cursor->nr, cursor->bytes),
		.tag_offset = record->tag_offset,
		.paced = replay->pace != PACE_MAX,
	};
	cursor->at += record_size(record);
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

bool replay_has_tag(const struct replay *replay)
{
	return replay->tag;
}

bool replay_is_paced(const struct replay *replay)
{
	return replay->pace != PACE_MAX;
}

uint64_t replay_frame_bytes(const struct replay *replay)
{
	return LOOK(replay->made_bytes);
}

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
	if (replay->nr_fallen && replay->pace == PACE_SPEED)
		result_note(res, "%llu packets of the file are older than the one before them, and "
			    "were sent right behind it", (unsigned long long)replay->nr_fallen);
}

static void report_pacing(const struct replay *replay, const struct tx_count *count,
			  uint64_t duration_ns, struct result *res)
{
	uint64_t planned_ns = replay->last_slot_ns - replay->first_slot_ns;
	bool irregular;

	if (!replay_is_paced(replay) || !count->paced_packets)
		return;
	if (replay->pace == PACE_PPS)
		result_metric_real(res, "offered_pps", replay->value);
	result_self_real(res, "pacing_late_mean_ns",
			 (double)count->late_sum_ns / (double)count->paced_packets);
	result_self_u64(res, "pacing_late_max_ns", count->late_max_ns);
	if (!planned_ns || !duration_ns)
		return;
	result_self_real(res, "pacing_achieved_ratio", (double)planned_ns / (double)duration_ns);
	irregular = duration_ns > planned_ns + IRREGULAR_NS &&
		    (double)planned_ns < 0.999 * (double)duration_ns;
	result_self_bool(res, "irregular", irregular);
	if (irregular)
		result_note(res, "irregular: the sender reached %.3f %% of the pace that was asked for, "
			    "so a loss or a rate seen here is not the path's",
			    100 * (double)planned_ns / (double)duration_ns);
}

void replay_report(const struct replay *replay, const struct tx_count *count, struct result *res)
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
	report_pacing(replay, count, duration_ns, res);
}
