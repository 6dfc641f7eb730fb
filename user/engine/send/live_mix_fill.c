// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/send/live_mix_fill.c - what many streams need of mix_xdp, and its maps filled with it.
 */
#include <errno.h>
#include <string.h>

#include "abi/tag.h"
#include "engine/send/live_mix.h"

/* Bytes in which a receiver may change a frame; see live_plain.c. */
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
	uint32_t bytes = at_most(at_least(packet->content_bytes, other->content_bytes),
				 packet->buf_bytes);

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

/* How the loop calls the program for streams that end like these. */
static void study_ends(const struct tx_thread *thread, uint32_t nr, struct live_part *ret)
{
	const struct tx_cfg *cfg = &thread->tx->cfg;
	bool has_max = false, has_slots = false, endless = false, counted = true;
	uint64_t gap_ns = mix_mean_gap_ns(cfg->mix, thread->index, cfg->threads), limit = 0;
	uint32_t k;

	for (k = 0; k < nr; k++) {
		const struct mix_flow *flow = flow_of(thread, k);
		bool ends = flow->duration_ns || cfg->duration_ns, max = flow->pace.kind == PACE_MAX;

		has_max |= max;
		has_slots |= !max;
		endless |= !flow->limit && !ends;
		counted &= flow->limit && !ends && max;
		limit += flow->limit;
		ret->unclocked |= max && !flow->tagged && !ends;
	}
	ret->limit = counted ? limit : 0;
	ret->by_clock = !counted && !endless;
	ret->waits = has_slots && !has_max && gap_ns >= LIVE_SLEEP_GAP_NS;
	ret->batch = live_batch(thread->batch, has_max ? 0 : gap_ns);
}

static int study(const struct tx_thread *thread, struct mix_part *part, struct err *e)
{
	const struct mix_flow *flow;
	uint32_t k;

	if (part->nr > WHEEL_MAX)
		return err_usage(e, "a thread sends %u streams at most, and %u are %u a thread",
				 WHEEL_MAX, thread->tx->cfg.mix->nr_flows, part->nr);
	part->dirty_bytes = CHANGED_BYTES;
	for (k = 0; k < part->nr; k++) {
		flow = flow_of(thread, k);
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
	if (part->longest->buf_bytes > LIVE_PAGE_BYTES)
		return live_too_long(thread->tx, part->longest->buf_bytes, e);
	return 0;
}

int mix_study(struct live *live, const struct tx *tx, uint32_t *ret_template_bytes, struct err *e)
{
	uint32_t first = 0, bytes = CHANGED_BYTES, i;
	const struct many *many = live->state;
	int err;

	for (i = 0; i < tx->cfg.threads; i++) {
		struct mix_part *part = &many->parts[i];

		part->first = first;
		part->nr = mix_nr_of(tx->cfg.mix, i, tx->cfg.threads);
		first += part->nr;
		err = study(&tx->threads[i], part, e);
		if (err)
			return err;
		study_ends(&tx->threads[i], part->nr, &live->parts[i]);
		live->parts[i].bytes = part->longest->bytes;
		live->parts[i].buf_bytes = part->longest->buf_bytes;
		bytes = at_least(bytes, at_most(part->dirty_bytes, part->longest->buf_bytes));
	}
	*ret_template_bytes = (bytes + 63) / 64 * 64;
	return 0;
}

/* Where @nr values stand in the list of all streams; the same ones stand there once. */
static int place_values(struct many *many, const __u64 *values, uint32_t nr, uint64_t *ret_first,
			struct err *e)
{
	uint32_t i;

	for (i = 0; i + nr <= many->nr_list; i++) {
		if (!memcmp(many->list + i, values, nr * sizeof(*values))) {
			*ret_first = i;
			return 0;
		}
	}
	if (many->nr_list + nr > MIX_MAX_LIST)
		return err_usage(e, "the lists of all streams together have more than %u values",
				 MIX_MAX_LIST);
	memcpy(many->list + many->nr_list, values, nr * sizeof(*values));
	*ret_first = many->nr_list;
	many->nr_list += nr;
	return 0;
}

static int place_list(struct many *many, const struct packet *packet, struct field *field,
		      struct err *e)
{
	uint64_t first = field->first, nr = field->span ? field->span : 1;
	int err;

	if (field->kind != FIELD_LIST && field->kind != FIELD_PICK)
		return 0;
	if (first >= FIELD_MAX_LIST || nr > FIELD_MAX_LIST - first)
		return err_usage(e, "a list has %u values at most", FIELD_MAX_LIST);
	err = place_values(many, packet->list + first, (uint32_t)nr, &first, e);
	if (!err)
		field->first = first;
	return err;
}

static int fill_stream(struct many *many, const struct mix_flow *flow, const struct mix_part *part,
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
		.pattern_offset = packet->pattern_offset,
		.number_first = flow->number_first,
		.number_step = at_least(flow->number_step, 1),
		.size = packet->size,
	};
	memcpy(stream->fields, packet->fields, sizeof(stream->fields));
	memcpy(stream->sums, packet->sums, sizeof(stream->sums));
	packet_sum_bases(packet, stream->sum_base);
	memcpy(stream + 1, packet->bytes, stream->write_bytes);
	for (i = 0; i < packet->nr_fields; i++) {
		err = place_list(many, packet, &stream->fields[i], e);
		if (err)
			return err;
	}
	return packet->has_size ? place_list(many, packet, &stream->size, e) : 0;
}

int mix_fill(struct many *many, const struct tx *tx, struct err *e)
{
	uint32_t i, k;
	int err;

	for (i = 0; i < tx->cfg.threads; i++) {
		const struct mix_part *part = &many->parts[i];

		for (k = 0; k < part->nr; k++) {
			err = fill_stream(many, flow_of(&tx->threads[i], k), part,
					  stream_at(many, part->first + k), e);
			if (err)
				return err;
		}
	}
	return 0;
}
