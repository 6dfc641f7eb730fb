// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/packet_change.c - turn changes from packet to packet into fields: a window of the frame,
 * the values, and the checksums affected.
 */
#include <string.h>

#include "lib/unit.h"
#include "proto/packet_build.h"

static const struct packet_layer *layer_named(const struct build *build, uint32_t i,
					      const char *name)
{
	const struct packet_layer *layer = &build->spec->layers[i];

	return strcmp(layer->def->name, name) ? NULL : layer;
}

static bool is_given(const struct packet_layer *layer, const struct layer_field *field)
{
	const struct packet_value *value;

	for (value = layer->values; value; value = value->next) {
		if (value->field == field)
			return true;
	}
	return false;
}

static int fail_fields(struct build *build, const struct packet_layer *layer,
		       const struct packet_value *value)
{
	return build_fail(build, layer, value, "more than %u fields of a packet change%s",
			  FIELD_MAX, build->packet->has_size ? ", including its lengths" : "");
}

/* If sizes change, so do the lengths that extend to the packet's end. */
static int note_lengths(struct build *build)
{
	const struct layer_field *field;
	uint32_t i;

	for (i = 0; i < build->spec->nr_layers; i++) {
		const struct packet_layer *layer = &build->spec->layers[i];
		bool is_802_3 = i + 1 < build->spec->nr_layers && layer_named(build, i + 1, "llc");

		for (field = layer->def->fields; field->name; field++) {
			bool counts = field->fill == FILL_LENGTH ||
				      (field->fill == FILL_NEXT && is_802_3);

			if (!counts || is_given(layer, field))
				continue;
			if (build->nr_changes == BUILD_CHANGES)
				return fail_fields(build, layer, NULL);
			build->changes[build->nr_changes++] = (struct build_change){
				.layer = layer, .bits = field->bits,
				.bit = 8 * build->start[i] + field->bit,
				.shift = build->start[i] + (layer_named(build, i, "ip6") ? 40 :
							    is_802_3 ? build->header_bytes[i] : 0),
			};
		}
	}
	return 0;
}

/*
 * A pseudo-header's length is not a field of the frame; it grows by as much as the length in the IP
 * header around it, which therefore counts in its place.
 */
static int note_pseudo_lengths(struct build *build)
{
	uint32_t k, c;

	for (k = 0; k < build->nr_sums; k++) {
		const struct build_sum *sum = &build->sums[k];
		struct build_change *around = NULL;

		if (sum->pseudo_from == sum->pseudo_to)
			continue;
		for (c = 0; c < build->nr_changes; c++) {
			struct build_change *change = &build->changes[c];

			if (!change->value && change->bit / 8 < sum->pseudo_from &&
			    change->bit / 8 + 44 > sum->pseudo_from &&
			    (!strcmp(change->layer->def->name, "ip4") ||
			     !strcmp(change->layer->def->name, "ip6")))
				around = change;
		}
		if (!around)
			return build_fail(build, sum->layer, NULL,
					  "sizes cannot change: the length in the IP header "
					  "around it is fixed");
		around->sums |= 1u << k;
	}
	return 0;
}

static bool covers(const struct build_sum *sum, uint32_t from, uint32_t to)
{
	return (from < sum->to && to > sum->from) ||
	       (from < sum->pseudo_to && to > sum->pseudo_from);
}

/* The build->sums affected by the bytes [from, to), except @own. */
static uint32_t sums_of(const struct build *build, uint32_t from, uint32_t to)
{
	uint32_t k, sums = 0;

	for (k = 0; k < build->nr_sums; k++) {
		if (covers(&build->sums[k], from, to))
			sums |= 1u << k;
	}
	return sums;
}

/* The smallest window of 2, 4 or 8 bytes at an even offset that contains the bits. */
static int find_window(struct build *build, const struct build_change *change, struct field *field)
{
	uint32_t bits = change->bits > 64 ? 64 : change->bits;
	uint32_t bit = change->bit + change->bits - bits, from = bit / 8 & ~1u, bytes;

	for (bytes = 2; bytes <= 8; bytes *= 2) {
		/* It must not extend beyond the shortest frame. */
		uint32_t at = from + bytes > build->min_bytes ? (build->min_bytes - bytes) & ~1u :
								from;

		if (8 * at > bit || 8 * (at + bytes) < bit + bits)
			continue;
		field->offset = (uint16_t)at;
		field->bytes = (uint8_t)bytes;
		field->shift = (uint8_t)(8 * (at + bytes) - bit - bits);
		field->mask = (bits == 64 ? UINT64_MAX : (1ull << bits) - 1) << field->shift;
		return 0;
	}
	return build_fail(build, change->layer, change->value,
			  "%u bits at this offset cannot change: put an even number of bytes "
			  "before them, or use fewer bits", bits);
}

static int add_list(struct build *build, const struct build_change *change, struct field *field)
{
	struct packet *packet = build->packet;
	const uint64_t *list = change->value ? change->value->list : build->size->list;
	uint32_t nr = change->value ? change->value->nr_list : build->size->nr_list, i, used = 0;

	for (i = 0; i < packet->nr_fields; i++) {
		const struct field *other = &packet->fields[i];

		if (other->kind == FIELD_LIST || other->kind == FIELD_PICK)
			used = other->first + other->span > used ?
				       (uint32_t)(other->first + other->span) :
				       used;
	}
	if (packet->has_size &&
	    (packet->size.kind == FIELD_LIST || packet->size.kind == FIELD_PICK)) {
		/* Sizes come first, and their lengths use the same values. */
		if (!change->value) {
			field->first = packet->size.first;
			return 0;
		}
		if (used < packet->size.span)
			used = (uint32_t)packet->size.span;
	}
	if (used + nr > FIELD_MAX_LIST)
		return build_fail(build, change->layer, change->value,
				  "the lists of a packet have more than %u values",
				  FIELD_MAX_LIST);
	for (i = 0; i < nr; i++)
		packet->list[used + i] = list[i];
	field->first = used;
	return 0;
}

static int add_field(struct build *build, const struct build_change *change)
{
	struct packet *packet = build->packet;
	struct field field = change->value ? change->value->values : build->size->field;
	int err;

	if (packet->nr_fields == FIELD_MAX)
		return fail_fields(build, change->layer, change->value);
	if (change->value) {
		field.kind = change->value->kind;
		/* With one seed they would change together, which is what a given seed is for. */
		if (!change->value->has_seed)
			field.seed = build->env->seed +
				     (packet->nr_fields + 1) * 0x632be59bd9b4e019ull;
	} else if (field.kind == FIELD_LIST || field.kind == FIELD_PICK) {
		field.step -= change->shift + UNIT_FCS_BYTES;
	} else {
		field.first -= change->shift + UNIT_FCS_BYTES;
	}
	if (!field.every)
		field.every = 1;
	err = find_window(build, change, &field);
	if (!err && (field.kind == FIELD_LIST || field.kind == FIELD_PICK))
		err = add_list(build, change, &field);
	if (!err)
		packet->fields[packet->nr_fields++] = field;
	return err;
}

/* The sums affected by a change, and those affected by these. */
static uint32_t following(const struct build *build)
{
	uint32_t c, k, sums = 0;

	for (c = 0; c < build->nr_changes; c++) {
		const struct build_change *change = &build->changes[c];

		sums |= change->sums | sums_of(build, change->bit / 8,
					       (change->bit + change->bits + 7) / 8);
	}
	for (k = 0; k < build->nr_sums; k++) {
		if (sums >> k & 1)
			sums |= sums_of(build, build->sums[k].at, build->sums[k].at + 2);
	}
	return sums;
}

static int check_sum(struct build *build, const struct build_sum *sum)
{
	if (sum->crc32c)
		return build_fail(build, sum->layer, NULL, "bytes covered by its CRC32c cannot change");
	if (sum->at & 1 || sum->from & 1 || sum->pseudo_from & 1)
		return build_fail(build, sum->layer, NULL,
				  "bytes covered by its checksum cannot change, as it begins at "
				  "an odd offset");
	return 0;
}

/* Only affected sums become sums of the packet, renumbered. */
static int add_sums(struct build *build, uint32_t sums, uint8_t ret_number[PACKET_SPEC_LAYERS])
{
	struct packet *packet = build->packet;
	uint32_t k, inner;
	int err;

	for (k = 0; k < build->nr_sums; k++) {
		const struct build_sum *sum = &build->sums[k];

		if (!(sums >> k & 1))
			continue;
		err = check_sum(build, sum);
		if (err)
			return err;
		if (packet->nr_sums == FIELD_MAX_SUMS)
			return build_fail(build, sum->layer, NULL,
					  "more than %u checksums of a packet would change",
					  FIELD_MAX_SUMS);
		ret_number[k] = (uint8_t)packet->nr_sums;
		packet->sums[packet->nr_sums++] = (struct field_sum){
			.offset = (uint16_t)sum->at, .udp = sum->udp,
		};
	}
	for (inner = 0; inner < build->nr_sums; inner++) {
		for (k = inner + 1; k < build->nr_sums; k++) {
			if ((sums >> inner & 1) && (sums >> k & 1) &&
			    covers(&build->sums[k], build->sums[inner].at,
				   build->sums[inner].at + 2))
				packet->sums[ret_number[inner]].sums |=
					(uint8_t)(1 << ret_number[k]);
		}
	}
	return 0;
}

int build_fields(struct build *build)
{
	struct packet *packet = build->packet;
	uint8_t number[PACKET_SPEC_LAYERS] = { 0 };
	uint32_t c, k, sums, covering = 0;
	int err = 0;

	if (build->size && build->size->min_bytes != build->size->max_bytes) {
		packet->has_size = true;
		packet->size = build->size->field;
		memcpy(packet->list, build->size->list,
		       build->size->nr_list * sizeof(packet->list[0]));
		if (packet->size.kind == FIELD_LIST || packet->size.kind == FIELD_PICK)
			packet->size.step -= UNIT_FCS_BYTES;
		else
			packet->size.first -= UNIT_FCS_BYTES;
		if (build->grows)
			err = note_lengths(build);
		if (!err && build->grows)
			err = note_pseudo_lengths(build);
		if (packet->pattern_offset)
			covering = sums_of(build, packet->pattern_offset, build->end);
	}
	if (err || !build->nr_changes)
		return err;
	sums = following(build) | covering;
	err = add_sums(build, sums, number);
	for (c = 0; !err && c < build->nr_changes; c++) {
		const struct build_change *change = &build->changes[c];
		uint32_t of = change->sums | sums_of(build, change->bit / 8,
						     (change->bit + change->bits + 7) / 8);

		err = add_field(build, change);
		for (k = 0; !err && k < build->nr_sums; k++) {
			if (of >> k & 1)
				packet->fields[packet->nr_fields - 1].sums |=
					(uint8_t)(1 << number[k]);
		}
	}
	for (k = 0; !err && k < build->nr_sums; k++) {
		if (covering >> k & 1)
			packet->size.sums |= (uint8_t)(1 << number[k]);
	}
	return err;
}
