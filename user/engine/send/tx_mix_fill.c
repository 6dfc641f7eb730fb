// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/send/tx_mix_fill.c - what many streams need of mix_xdp, and its maps filled with it.
 */
#include <errno.h>
#include <string.h>

#include "abi/tag.h"
#include "engine/send/tx_live_parts.h"
#include "engine/send/tx_mix.h"
#include "lib/unit.h"
#include "sys/hook/live_frames.h"

/* Bytes in which a receiver may change a frame; see fill_rec() of tx_live.c. */
#define CHANGED_BYTES	72

static uint32_t at_least(uint32_t value, uint32_t low)
{
	return value > low ? value : low;
}

static uint32_t at_most(uint32_t value, uint32_t high)
{
	return value < high ? value : high;
}

/* Behind these bytes both templates are alike, as far as @packet goes. */
static uint32_t differ_bytes(const struct packet *packet, const struct packet *other)
{
	uint32_t bytes = at_least(packet->content_bytes, other->content_bytes);

	while (bytes && packet->bytes[bytes - 1] == other->bytes[bytes - 1])
		bytes--;
	return bytes;
}

/* Behind these bytes no packet of the flow differs from its template. */
static uint32_t variable_bytes(const struct mix_flow *flow)
{
	const struct packet *packet = flow->packet;
	uint32_t bytes = flow->tagged ? packet->tag_offset + (uint32_t)TAG_BYTES : 0, i;

	for (i = 0; i < packet->nr_fields; i++)
		bytes = at_least(bytes, packet->fields[i].offset + packet->fields[i].bytes);
	for (i = 0; i < packet->nr_sums; i++)
		bytes = at_least(bytes, packet->sums[i].offset + 2u);
	return bytes;
}

static void study_ends(const struct tx_cfg *cfg, const struct tx_thread *thread,
		       const struct mix_flow *flow, struct mix_part *part)
{
	bool ends = flow->duration_ns || cfg->duration_ns, max = flow->pace.kind == PACE_MAX;

	part->has_max |= max;
	part->has_slots |= !max;
	part->endless |= !flow->limit && !ends && !thread->limit;
	part->unclocked |= max && !flow->tagged && !ends;
	/* A sum that can be told before: neither times nor an endless one in it. */
	if (!flow->limit || ends || !max)
		part->limit = UINT64_MAX;
	else if (part->limit != UINT64_MAX)
		part->limit += flow->limit;
}

static int study(const struct tx_thread *thread, struct mix_part *part, struct err *e)
{
	const struct tx_cfg *cfg = &thread->tx->cfg;
	const struct mix_flow *flow;
	uint32_t k;

	if (part->nr > WHEEL_MAX)
		return err_usage(e, "a thread sends %u streams at most, and %u are %u a thread",
				 WHEEL_MAX, cfg->mix->nr_flows, part->nr);
	part->dirty_bytes = CHANGED_BYTES;
	for (k = 0; k < part->nr; k++) {
		flow = flow_of(thread, k);
		study_ends(cfg, thread, flow, part);
		if (!part->longest || flow->packet->buf_bytes > part->longest->buf_bytes)
			part->longest = flow->packet;
	}
	/* A stream that is alone leaves nothing for another one. */
	for (k = 0; k < part->nr && part->nr > 1; k++) {
		flow = flow_of(thread, k);
		part->dirty_bytes = at_least(part->dirty_bytes, variable_bytes(flow));
		part->dirty_bytes = at_least(part->dirty_bytes,
					     differ_bytes(flow->packet, part->longest));
	}
	if (part->limit == UINT64_MAX)
		part->limit = 0;
	if (thread->limit && (!part->limit || thread->limit < part->limit))
		part->limit = thread->limit;
	if (part->longest && part->longest->buf_bytes > LIVE_PAGE_BYTES)
		return tx_too_long(thread->tx, part->longest->buf_bytes, e);
	return 0;
}

static void study_rate(const struct tx_thread *thread, struct mix_part *part)
{
	const struct tx_cfg *cfg = &thread->tx->cfg;
	uint64_t gap_ns = mix_mean_gap_ns(cfg->mix, thread->index, cfg->threads);

	part->pps = part->has_max || !gap_ns ? 0 : 1e9 / (double)gap_ns;
	part->sleeps = part->has_slots && !part->has_max && gap_ns >= LIVE_SLEEP_GAP_NS;
	part->batch = live_batch(thread->batch, part->pps);
}

int mix_study(struct mix_live *live, const struct tx *tx, uint32_t *ret_template_bytes,
	      struct err *e)
{
	uint32_t first = 0, bytes = CHANGED_BYTES, i;
	int err;

	for (i = 0; i < tx->cfg.threads; i++) {
		struct mix_part *part = &live->parts[i];

		part->first = first;
		part->nr = mix_nr_of(tx->cfg.mix, i, tx->cfg.threads);
		first += part->nr;
		err = study(&tx->threads[i], part, e);
		if (err)
			return err;
		study_rate(&tx->threads[i], part);
		if (part->longest)
			bytes = at_least(bytes, at_most(part->dirty_bytes, part->longest->buf_bytes));
	}
	*ret_template_bytes = (bytes + 63) / 64 * 64;
	return 0;
}

/* Where @nr values stand in the list of all streams; the same ones stand there once. */
static int place_values(struct mix_live *live, const __u64 *values, uint32_t nr, uint64_t *ret_first,
			struct err *e)
{
	uint32_t i;

	for (i = 0; i + nr <= live->nr_list; i++) {
		if (!memcmp(live->list + i, values, nr * sizeof(*values))) {
			*ret_first = i;
			return 0;
		}
	}
	if (live->nr_list + nr > MIX_MAX_LIST)
		return err_usage(e, "the lists of all streams together have more than %u values",
				 MIX_MAX_LIST);
	memcpy(live->list + live->nr_list, values, nr * sizeof(*values));
	*ret_first = live->nr_list;
	live->nr_list += nr;
	return 0;
}

static int place_list(struct mix_live *live, const struct packet *packet, struct field *field,
		      struct err *e)
{
	uint64_t first = field->first, nr = field->span ? field->span : 1;
	int err;

	if (field->kind != FIELD_LIST && field->kind != FIELD_PICK)
		return 0;
	if (first >= FIELD_MAX_LIST || nr > FIELD_MAX_LIST - first)
		return err_usage(e, "a list has %u values at most", FIELD_MAX_LIST);
	err = place_values(live, packet->list + first, (uint32_t)nr, &first, e);
	if (!err)
		field->first = first;
	return err;
}

static int fill_stream(struct mix_live *live, const struct mix_flow *flow, const struct mix_part *part,
		       struct mix_stream *stream, struct err *e)
{
	const struct packet *packet = flow->packet;
	uint32_t i;
	int err;

	*stream = (struct mix_stream){
		.pace = flow->pace,
		.limit = flow->limit,
		.buf_bytes = packet->buf_bytes,
		.write_bytes = at_most(packet->buf_bytes, part->dirty_bytes),
		.stamp_every = at_least(flow->stamp_every, 1),
		.tag_offset = flow->tagged ? packet->tag_offset : 0,
		.stream = flow->stream,
		.nr_fields = (uint16_t)packet->nr_fields,
		.nr_sums = (uint16_t)packet->nr_sums,
		.has_size = packet->has_size,
		.number_first = flow->number_first,
		.number_step = at_least(flow->number_step, 1),
		.size = packet->size,
	};
	memcpy(stream->fields, packet->fields, sizeof(stream->fields));
	memcpy(stream->sums, packet->sums, sizeof(stream->sums));
	packet_sum_bases(packet, stream->sum_base);
	memcpy(stream + 1, packet->bytes, stream->write_bytes);
	for (i = 0; i < packet->nr_fields; i++) {
		err = place_list(live, packet, &stream->fields[i], e);
		if (err)
			return err;
	}
	return packet->has_size ? place_list(live, packet, &stream->size, e) : 0;
}

int mix_fill(struct mix_live *live, const struct tx *tx, struct err *e)
{
	uint32_t i, k;
	int err;

	for (i = 0; i < tx->cfg.threads; i++) {
		const struct mix_part *part = &live->parts[i];

		for (k = 0; k < part->nr; k++) {
			err = fill_stream(live, flow_of(&tx->threads[i], k), part,
					  stream_at(live, part->first + k), e);
			if (err)
				return err;
		}
	}
	return 0;
}
