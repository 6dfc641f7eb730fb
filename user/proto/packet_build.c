// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/packet_build.c - build a description: layers are placed, then filled from the outside in,
 * then summed from the inside out.
 */
#include "proto/packet_build.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "abi/tag.h"
#include "lib/unit.h"
#include "proto/payload.h"

#define MIN_BUF_BYTES	(UNIT_MIN_FRAME_BYTES - UNIT_FCS_BYTES)
#define TYPE_EXPERIMENT	0x88b5		/* IEEE 802: local experimental EtherType */
#define PROTO_EXPERIMENT 253		/* RFC 3692 */
#define PORT_VXLAN	4789
#define OPTIONS_MAX	40		/* maximum for IPv4 and TCP headers */
#define EXTENSION_MAX	2048		/* an IPv6 extension header */
#define LENGTH_802_3_MAX 1500		/* larger values are EtherTypes */

static const uint8_t inner_ip4[2][4] = { { 198, 18, 0, 1 }, { 198, 18, 0, 2 } };
static const uint8_t inner_ip6[2][16] = {
	{ 0x20, 0x01, 0, 2, [15] = 1 }, { 0x20, 0x01, 0, 2, [15] = 2 },
};

int build_fail(struct build *build, const struct packet_layer *layer,
	       const struct packet_value *value, const char *fmt, ...)
{
	uint32_t column = value ? value->column : layer ? layer->column : 0;
	char what[320], place[32] = "";
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	if (column)
		snprintf(place, sizeof(place), "packet:%u: ", column);
	return err_usage(build->e, "%s%s%s%s%s%s", place, layer ? layer->def->name : "",
			 value ? "." : "", value ? value->field->name : "", layer ? ": " : "",
			 what);
}

bool build_changes(const struct packet_value *value)
{
	return value->kind != FIELD_COUNTER || value->values.span != 1;
}

void build_note(struct build *build, const struct packet_layer *layer,
		const struct packet_value *value, uint32_t bit, uint32_t bits)
{
	if (!build_changes(value) || build->nr_changes == BUILD_CHANGES)
		return;
	build->changes[build->nr_changes++] = (struct build_change){
		.layer = layer, .value = value, .bit = bit, .bits = bits,
	};
}

bool build_is(const struct packet_layer *layer, const char *name)
{
	return !strcmp(layer->def->name, name);
}

static bool is_ip(const struct packet_layer *layer)
{
	return build_is(layer, "ip4") || build_is(layer, "ip6");
}

const struct packet_value *build_given(const struct packet_layer *layer, const char *name)
{
	const struct packet_value *value;

	for (value = layer->values; value; value = value->next) {
		if (!strcmp(value->field->name, name))
			return value;
	}
	return NULL;
}

static void put_bits(uint8_t *bytes, uint32_t bit, uint32_t bits, uint64_t value)
{
	for (; bits; bits--, bit++) {
		uint8_t mask = (uint8_t)(0x80 >> (bit & 7));

		if (value >> (bits - 1) & 1)
			bytes[bit / 8] |= mask;
		else
			bytes[bit / 8] &= (uint8_t)~mask;
	}
}

static uint64_t get_bits(const uint8_t *bytes, uint32_t bit, uint32_t bits)
{
	uint64_t value = 0;

	for (; bits; bits--, bit++)
		value = value << 1 | (bytes[bit / 8] >> (7 - (bit & 7)) & 1);
	return value;
}

void build_put_value(uint8_t *bytes, uint32_t bit, uint32_t bits,
		     const struct packet_value *value)
{
	uint64_t low = get_bits(value->fixed, 64, 64);

	if (bits > 64) {
		put_bits(bytes, bit, bits - 64, get_bits(value->fixed, 0, 64));
		bit += bits - 64;
		bits = 64;
	}
	/* A list contains its first value. */
	if (value->nr_list)
		low = value->list[0];
	put_bits(bytes, bit, bits, low);
}

/* The maximum that the header's length field can express. */
static uint32_t most_options(const struct packet_layer *layer)
{
	if (build_is(layer, "ip4") || build_is(layer, "tcp"))
		return OPTIONS_MAX;
	if (build_is(layer, "hbh") || build_is(layer, "dstopt") || build_is(layer, "routing"))
		return EXTENSION_MAX - layer->def->header_bytes;
	return UINT32_MAX;
}

static int place(struct build *build)
{
	const struct packet_spec *spec = build->spec;
	const struct packet_layer *last = &spec->layers[spec->nr_layers - 1];
	struct build_options options;
	uint32_t i, at = 0, room = 0, most;

	build->grows = build->size != NULL;
	for (i = 0; i < spec->nr_layers; i++) {
		const struct packet_layer *layer = &spec->layers[i];

		build_options(NULL, layer, at, &options);
		most = most_options(layer);
		if (options.nr > most)
			return build_fail(build, layer, NULL,
					  "options of %u bytes, but its header has room for %u",
					  options.nr, most);
		build->start[i] = at;
		build->header_bytes[i] = layer->def->header_bytes + options.nr;
		at += build->header_bytes[i];
		room = build->env->tagged && layer == last && build_takes_tag(build, at) ? TAG_BYTES : 0;
		if (at + room > PACKET_MAX_BYTES)
			return build_fail(build, layer, NULL,
					  "the packet is longer than %u bytes%s", PACKET_MAX_BYTES,
					  room ? " with its tag" : "");
		build->grows &= !layer->def->closed;
		build_options(build, layer, build->start[i] + layer->def->header_bytes, &options);
		memcpy(build->packet->bytes + build->start[i] + layer->def->header_bytes,
		       options.bytes, options.nr);
	}
	if (room)
		build->packet->tag_offset = (uint16_t)at;
	build->packet->after_udp = build_is(last, "udp");
	build->content_bytes = at + room;
	return 0;
}

static int check_802_3(struct build *build)
{
	uint32_t i, bytes;

	for (i = 1; i < build->spec->nr_layers; i++) {
		bytes = build->end - build->start[i];
		if (build_is(&build->spec->layers[i], "llc") && bytes > LENGTH_802_3_MAX &&
		    !build_given(&build->spec->layers[i - 1], "type"))
			return build_fail(build, &build->spec->layers[i], NULL,
					  "the packet from here on has %u bytes, but the length "
					  "field before it allows at most %u",
					  bytes, LENGTH_802_3_MAX);
	}
	return 0;
}

static int set_size(struct build *build)
{
	const struct packet_size *size = build->size;
	uint32_t least = build->content_bytes < MIN_BUF_BYTES ? MIN_BUF_BYTES :
								build->content_bytes;

	build->packet->buf_bytes = size ? size->max_bytes - UNIT_FCS_BYTES : least;
	build->min_bytes = size ? size->min_bytes - UNIT_FCS_BYTES : least;
	build->end = build->grows ? build->packet->buf_bytes : build->content_bytes;
	build->packet->content_bytes = build->content_bytes;
	if (size && (size->max_bytes < size->min_bytes ||
		     size->max_bytes > PACKET_MAX_BYTES + UNIT_FCS_BYTES))
		return build_fail(build, NULL, NULL, "frames of %u bytes are too long: at most %u",
				  size->max_bytes, PACKET_MAX_BYTES + UNIT_FCS_BYTES);
	if (build->min_bytes >= least)
		return check_802_3(build);
	return build_fail(build, NULL, NULL,
			  "frames of %u bytes are too short: the packet requires %u%s",
			  build->min_bytes + UNIT_FCS_BYTES, least + UNIT_FCS_BYTES,
			  build->packet->tag_offset ? ", 18 of them for its tag" : "");
}

/* Before the sums, which cover it; padding after the packet stays 0. */
static void fill_payload(struct build *build)
{
	struct packet *packet = build->packet;

	if (!build->env->patterned || !packet->tag_offset || !build->grows)
		return;
	payload_fill(packet->bytes + build->content_bytes, build->end - build->content_bytes);
	packet->pattern_offset = (uint16_t)build->content_bytes;
	packet->content_bytes = packet->buf_bytes;
}

/* The number by which @layer identifies the next layer. */
static uint64_t next_number(const struct build *build, uint32_t i)
{
	const struct packet_layer *layer = &build->spec->layers[i];
	const struct layer_def *next = i + 1 < build->spec->nr_layers ?
				       build->spec->layers[i + 1].def : NULL;

	if (build_is(layer, "llc"))
		return next && !strcmp(next->name, "snap") ? 0xaa : 0;
	if (build_is(layer, "eth") || build_is(layer, "vlan") || build_is(layer, "dot1ad") ||
	    build_is(layer, "snap") || build_is(layer, "gre")) {
		if (next && !strcmp(next->name, "llc"))
			return build->end - build->start[i + 1];	/* 802.3 */
		return next && next->ethertype >= 0 ? (uint64_t)next->ethertype : TYPE_EXPERIMENT;
	}
	if (next)
		return next->ip_proto >= 0 ? (uint64_t)next->ip_proto : PROTO_EXPERIMENT;
	return build_is(layer, "ip4") ? PROTO_EXPERIMENT : 59;		/* no next header */
}

static uint64_t header_number(const struct build *build, uint32_t i)
{
	const struct packet_layer *layer = &build->spec->layers[i];

	if (build_is(layer, "ip4") || build_is(layer, "tcp"))
		return build->header_bytes[i] / 4;
	return build->header_bytes[i] / 8 - 1;
}

/*
 * The hop limit that neighbour discovery (RFC 4861) and multicast listeners (RFC 2710, 3810)
 * require, by ICMPv6 type.
 */
static uint8_t hop_limit_of(const struct packet_layer *layer, uint8_t otherwise)
{
	const struct packet_value *value = build_given(layer, "type");
	uint8_t type = value && !build_changes(value) ? value->fixed[15] : 0;

	if (type >= 133 && type <= 137)
		return 255;
	return (type >= 130 && type <= 132) || type == 143 ? 1 : otherwise;
}

/* Packets that routers must not forward have a TTL of 1 or 255. */
static uint64_t time_to_live(const struct build *build, uint32_t i)
{
	for (i++; i < build->spec->nr_layers; i++) {
		const struct packet_layer *layer = &build->spec->layers[i];

		if (build_is(layer, "ns") || build_is(layer, "na"))
			return 255;
		if (build_is(layer, "igmp") || build_is(layer, "mld"))
			return 1;
		if (build_is(layer, "icmp6"))
			return hop_limit_of(layer, build->env->ttl);
		if (is_ip(layer))
			break;
	}
	return build->env->ttl;
}

static bool is_outer_ip(const struct build *build, uint32_t i)
{
	while (i--) {
		if (is_ip(&build->spec->layers[i]))
			return false;
	}
	return true;
}

uint32_t build_ip_around(const struct build *build, uint32_t i)
{
	while (i--) {
		if (is_ip(&build->spec->layers[i]))
			return i;
		if (build_is(&build->spec->layers[i], "eth"))
			break;
	}
	return PACKET_SPEC_LAYERS;
}

/* Writes the address of one end (0: source) to the field of @bits bits in layer @i. */
static void put_address(struct build *build, uint32_t i, uint32_t bit, uint32_t bits, int end)
{
	const struct frame_addr *addr = end ? &build->env->dst : &build->env->src;
	uint8_t *bytes = build->packet->bytes + bit / 8;
	uint32_t ip = build_ip_around(build, i), n = bits / 8;

	if (!is_ip(&build->spec->layers[i]) && ip < PACKET_SPEC_LAYERS) {
		/* For a solicitation or a report: the IP header's address. */
		bool four = build_is(&build->spec->layers[ip], "ip4");

		if (four == (n == 4)) {
			memcpy(bytes, build->packet->bytes + build->start[ip] +
			       (four ? 12 + 4 * end : 8 + 16 * end), n);
			return;
		}
	} else if (is_outer_ip(build, i) && addr->family == (n == 4 ? AF_INET : AF_INET6)) {
		memcpy(bytes, n == 4 ? (const void *)&addr->ip4 : (const void *)&addr->ip6, n);
		return;
	}
	memcpy(bytes, n == 4 ? inner_ip4[end] : inner_ip6[end], n);
}

static uint64_t default_number(const struct build *build, uint32_t i,
			       const struct layer_field *field)
{
	const struct packet_layer *layer = &build->spec->layers[i];
	const struct packet_value *mf, *frag;

	if (!build_is(layer, "ip4") || strcmp(field->name, "df"))
		return field->value;
	mf = build_given(layer, "mf");
	frag = build_given(layer, "frag");
	return !(mf && (mf->fixed[15] || build_changes(mf))) && !frag;
}

static void fill_default(struct build *build, uint32_t i, const struct layer_field *field,
			 uint32_t bit)
{
	const struct packet_layer *layer = &build->spec->layers[i];
	const struct packet_env *env = build->env;
	const struct packet_value *option;
	uint8_t *bytes = build->packet->bytes;
	uint64_t number;

	switch (field->fill) {
	case FILL_SRC_MAC:
		memcpy(bytes + bit / 8, env->src_mac, 6);
		return;
	case FILL_DST_MAC:
		memcpy(bytes + bit / 8, env->dst_mac, 6);
		return;
	case FILL_SRC_IP:
	case FILL_DST_IP:
		put_address(build, i, bit, field->bits, field->fill == FILL_DST_IP);
		return;
	case FILL_SRC_PORT:
		number = env->src_port;
		break;
	case FILL_DST_PORT:
		number = i + 1 < build->spec->nr_layers && build_is(layer + 1, "vxlan") ?
				 PORT_VXLAN :
				 env->dst_port;
		break;
	case FILL_TTL:
		number = time_to_live(build, i);
		break;
	case FILL_DSCP:
		number = env->dscp;
		break;
	case FILL_NEXT:
		number = next_number(build, i);
		break;
	case FILL_LENGTH:
		number = build->end - build->start[i] - (build_is(layer, "ip6") ? 40 : 0);
		break;
	case FILL_HEADER:
		number = header_number(build, i);
		break;
	case FILL_PRESENT:
		option = build_given_option(layer, field->option);
		number = option && (field->option != LAYER_OPT_GRE_SUM ||
				    build_gre_has_sum(option));
		break;
	case FILL_BOTTOM:
		number = !(i + 1 < build->spec->nr_layers && build_is(layer + 1, "mpls"));
		break;
	default:
		number = default_number(build, i, field);
		break;
	}
	put_bits(bytes, bit, field->bits, number);
}

static void fill_layer(struct build *build, uint32_t i)
{
	const struct packet_layer *layer = &build->spec->layers[i];
	const struct layer_field *field;
	const struct packet_value *value;
	uint32_t bit;

	for (field = layer->def->fields; field->name; field++) {
		if (field->fill != FILL_OPTION && field->fill != FILL_SUM &&
		    !build_given(layer, field->name))
			fill_default(build, i, field, 8 * build->start[i] + field->bit);
	}
	for (value = layer->values; value; value = value->next) {
		if (value->field->fill == FILL_OPTION)
			continue;
		bit = 8 * build->start[i] + value->field->bit;
		build_put_value(build->packet->bytes, bit, value->field->bits, value);
		build_note(build, layer, value, bit, value->field->bits);
	}
}

/* Whether it may be fragmented on its way, and is not a fragment by itself. */
static bool may_be_fragmented(const struct packet_layer *layer)
{
	const struct packet_value *df = build_given(layer, "df");

	return df && !df->fixed[15] && !build_changes(df) && !build_given(layer, "mf") && !build_given(layer, "frag");
}

/* RFC 6864 4.2: their identification keeps fragments of different packets apart, so it counts by default. */
static void count_ids(struct build *build)
{
	const struct layer_field *id = layer_find("ip4")->fields;
	const struct packet_layer *layer;
	uint32_t i;

	while (strcmp(id->name, "id"))
		id++;
	build->ids = (struct packet_value){
		.field = id, .kind = FIELD_COUNTER, .values = { .span = 1 << 16, .step = 1, .every = 1 },
	};
	for (i = 0; i < build->spec->nr_layers; i++) {
		layer = &build->spec->layers[i];
		if (build_is(layer, "ip4") && may_be_fragmented(layer) && !build_given(layer, "id"))
			build_note(build, layer, &build->ids, 8 * build->start[i] + id->bit, id->bits);
	}
}

/* RFC 1112, RFC 2464: addresses that require no lookup. */
static void fill_multicast(struct build *build)
{
	const struct packet_layer *layer = &build->spec->layers[0];
	static const uint8_t zeros[6], ones[6] = { 255, 255, 255, 255, 255, 255 };
	uint8_t *mac = build->packet->bytes;
	const uint8_t *ip;
	uint32_t i;

	if (!build_is(layer, "eth") || build_given(layer, "dst") ||
	    memcmp(build->env->dst_mac, zeros, 6))
		return;
	for (i = 1; i < build->spec->nr_layers; i++) {
		layer = &build->spec->layers[i];
		ip = build->packet->bytes + build->start[i];
		if (build_is(layer, "arp")) {
			memcpy(mac, ones, 6);
		} else if (build_is(layer, "ip4") && ip[16] >= 224 && ip[16] < 240) {
			memcpy(mac, (uint8_t[]){ 1, 0, 0x5e, ip[17] & 0x7f, ip[18], ip[19] }, 6);
		} else if (build_is(layer, "ip4") && !memcmp(ip + 16, ones, 4)) {
			memcpy(mac, ones, 6);
		} else if (build_is(layer, "ip6") && ip[24] == 0xff) {
			memcpy(mac, (uint8_t[]){ 0x33, 0x33, ip[36], ip[37], ip[38], ip[39] }, 6);
		}
		if (is_ip(layer) || build_is(layer, "arp"))
			return;
	}
}

int packet_spec_build(const struct packet_spec *spec, const struct packet_env *env,
		      const struct packet_size *size, struct packet *ret_packet, struct err *e)
{
	struct build build = {
		.spec = spec, .env = env, .size = size, .packet = ret_packet, .e = e,
	};
	uint32_t i;
	int err;

	memset(ret_packet, 0, sizeof(*ret_packet));
	if (!spec->nr_layers)
		return err_usage(e, "a packet without a layer");
	err = place(&build);
	if (!err)
		err = set_size(&build);
	if (err)
		return err;
	for (i = 0; i < spec->nr_layers; i++)
		fill_layer(&build, i);
	count_ids(&build);
	fill_multicast(&build);
	fill_payload(&build);
	build_sums(&build);
	err = build_fields(&build);
	if (err)
		return err;
	/* After the sums: a tag does not change them, as it carries its complement. */
	if (ret_packet->tag_offset)
		frame_write_tag(ret_packet->bytes + ret_packet->tag_offset, 0, env->stream, 0, 0);
	return 0;
}

bool packet_spec_dest(const struct packet_spec *spec, struct frame_addr *ret_dest)
{
	const struct packet_value *value;
	uint8_t bytes[16] = { 0 };
	bool four;
	uint32_t i;

	for (i = 0; i < spec->nr_layers && !is_ip(&spec->layers[i]); i++)
		;
	value = i < spec->nr_layers ? build_given(&spec->layers[i], "dst") : NULL;
	if (!value)
		return false;
	four = build_is(&spec->layers[i], "ip4");
	build_put_value(bytes, 0, four ? 32 : 128, value);
	memset(ret_dest, 0, sizeof(*ret_dest));
	ret_dest->family = four ? AF_INET : AF_INET6;
	memcpy(four ? (void *)&ret_dest->ip4 : (void *)&ret_dest->ip6, bytes, four ? 4 : 16);
	return true;
}

bool packet_spec_goes_to(const struct packet_spec *spec, const struct frame_addr *dest)
{
	const struct packet_value *value;
	struct frame_addr own;
	uint32_t i;

	for (i = 0; i < spec->nr_layers && !is_ip(&spec->layers[i]); i++)
		;
	if (i == spec->nr_layers)
		return true;
	if (build_is(&spec->layers[i], "ip4") != (dest->family == AF_INET))
		return false;
	for (value = spec->layers[i].values; value; value = value->next) {
		/* A part of it, or several. */
		if (!strncmp(value->field->name, "dst", 3) &&
		    (value->part || value->kind != FIELD_COUNTER || value->values.span > 1))
			return false;
	}
	return !packet_spec_dest(spec, &own) || !memcmp(&own, dest, sizeof(own));
}

bool packet_spec_has_src_ip(const struct packet_spec *spec)
{
	uint32_t i;

	for (i = 0; i < spec->nr_layers; i++) {
		if (is_ip(&spec->layers[i]))
			return build_given(&spec->layers[i], "src") != NULL;
	}
	return false;
}

bool packet_spec_has_dst_mac(const struct packet_spec *spec)
{
	return spec->nr_layers && build_is(&spec->layers[0], "eth") &&
	       build_given(&spec->layers[0], "dst");
}
