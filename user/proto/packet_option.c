// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/packet_option.c - what follows the fixed part of a header: options,
 * GRE's optional fields, payload in hex or text.
 */
#include "proto/packet_build.h"

const struct packet_value *build_given_option(const struct packet_layer *layer, uint8_t option)
{
	const struct packet_value *value;

	for (value = layer->values; value; value = value->next) {
		if (value->field->fill == FILL_OPTION && value->field->option == option)
			return value;
	}
	return NULL;
}

static bool is_above(const struct packet_value *value, uint8_t number)
{
	return build_changes(value) || value->fixed[14] || value->fixed[15] > number;
}

bool build_gre_has_sum(const struct packet_value *sum)
{
	return is_above(sum, 0);
}

bool build_gre_fills_sum(const struct packet_value *sum)
{
	return build_gre_has_sum(sum) && !is_above(sum, 1);
}

static void add_byte(struct build_options *options, uint8_t byte)
{
	if (options->nr < sizeof(options->bytes))
		options->bytes[options->nr++] = byte;
}

/* Appends @value's bits after @nr_head bytes of @head; @at: offset of the options in the frame. */
static void add_value(struct build *build, const struct packet_layer *layer,
		      struct build_options *options, uint32_t at, const struct packet_value *value,
		      const uint8_t *head, uint32_t nr_head)
{
	uint32_t bits = value->field->bits, i;

	for (i = 0; i < nr_head; i++)
		add_byte(options, head[i]);
	if (options->nr + bits / 8 > sizeof(options->bytes))
		return;
	build_put_value(options->bytes, 8 * options->nr, bits, value);
	if (build)
		build_note(build, layer, value, 8 * (at + options->nr), bits);
	options->nr += bits / 8;
}

static void add_option(struct build *build, const struct packet_layer *layer,
		       struct build_options *options, uint32_t at, const struct packet_value *value)
{
	static const uint8_t mss[] = { 2, 4 }, ws[] = { 3, 3 }, ts[] = { 8, 10 };
	static const uint8_t source[] = { 1, 1 }, target[] = { 2, 1 };
	uint32_t i;

	switch (value->field->option) {
	case LAYER_OPT_TCP_MSS:
		add_value(build, layer, options, at, value, mss, sizeof(mss));
		break;
	case LAYER_OPT_TCP_WS:
		add_value(build, layer, options, at, value, ws, sizeof(ws));
		break;
	case LAYER_OPT_TCP_TS:
		add_value(build, layer, options, at, value, ts, sizeof(ts));
		break;
	case LAYER_OPT_TCP_SACKOK:
		if (value->fixed[15]) {
			add_byte(options, 4);
			add_byte(options, 2);
		}
		break;
	case LAYER_OPT_ND_SOURCE:
		add_value(build, layer, options, at, value, source, sizeof(source));
		break;
	case LAYER_OPT_ND_TARGET:
		add_value(build, layer, options, at, value, target, sizeof(target));
		break;
	case LAYER_OPT_HEX:
		for (i = 0; i < value->nr_bytes; i++)
			add_byte(options, value->bytes[i]);
		break;
	}
}

/* GRE's are in a fixed order (RFC 2890), whatever the order in the text. */
static void add_gre_options(struct build *build, const struct packet_layer *layer,
			    struct build_options *options, uint32_t at)
{
	const struct packet_value *sum = build_given_option(layer, LAYER_OPT_GRE_SUM);
	const struct packet_value *key = build_given_option(layer, LAYER_OPT_GRE_KEY);
	const struct packet_value *seq = build_given_option(layer, LAYER_OPT_GRE_SEQ);
	if (sum && build_gre_has_sum(sum)) {
		add_value(build, layer, options, at, sum, NULL, 0);
		add_byte(options, 0);		/* reserved */
		add_byte(options, 0);
	}
	if (key)
		add_value(build, layer, options, at, key, NULL, 0);
	if (seq)
		add_value(build, layer, options, at, seq, NULL, 0);
}

/* Pads to a multiple of the unit of the header length. */
static void pad_options(const struct packet_layer *layer, struct build_options *options)
{
	uint32_t used = layer->def->header_bytes + options->nr, pad, i;

	if (build_is(layer, "ip4") || build_is(layer, "tcp")) {
		for (pad = -options->nr & 3; pad; pad--)
			add_byte(options, build_is(layer, "tcp") ? 1 : 0);
	} else if (build_is(layer, "routing")) {
		for (pad = -used & 7; pad; pad--)
			add_byte(options, 0);
	} else if (build_is(layer, "hbh") || build_is(layer, "dstopt")) {
		pad = -used & 7;
		if (pad == 1) {
			add_byte(options, 0);		/* Pad1 */
		} else if (pad) {
			add_byte(options, 1);		/* PadN */
			add_byte(options, (uint8_t)(pad - 2));
			for (i = 2; i < pad; i++)
				add_byte(options, 0);
		}
	}
}

void build_options(struct build *build, const struct packet_layer *layer, uint32_t at,
		   struct build_options *options)
{
	const struct packet_value *value;

	options->nr = 0;
	if (build_is(layer, "gre")) {
		add_gre_options(build, layer, options, at);
		return;
	}
	for (value = layer->values; value; value = value->next) {
		if (value->field->fill == FILL_OPTION)
			add_option(build, layer, options, at, value);
	}
	pad_options(layer, options);
}
