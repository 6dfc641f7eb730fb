// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/packet_tag.c - which packets carry the probe tag: it follows the last layer, if receivers
 * find it there (bpf/lib/tag_skip.bpf.h, bpf/lib/parse.bpf.h).
 */
#include <string.h>

#include "abi/tag.h"
#include "lib/unit.h"
#include "proto/packet_build.h"

#define VLANS_MAX	2	/* through which receivers look */
#define EXTENSIONS_MAX	5
#define ETHERTYPE_MIN	0x600	/* below: a length */

/* Some bits of a field are named as it is: "type[0:8]". */
static bool is_one_of(const char *name, const char *const *names)
{
	size_t len = strcspn(name, "[");

	for (; *names; names++) {
		if (strlen(*names) == len && !memcmp(*names, name, len))
			return true;
	}
	return false;
}

/* A given number of the next layer that is none of a layer here: it has no header. */
static bool is_unknown(const struct packet_value *value)
{
	uint32_t number = (uint32_t)value->fixed[14] << 8 | value->fixed[15];
	const struct layer_def *def;

	if (build_changes(value) || value->part)
		return false;
	for (def = layer_defs; def->name; def++) {
		if (def->ethertype == (int32_t)number || def->ip_proto == (int32_t)number)
			return false;
	}
	return value->field->bits < 16 || number >= ETHERTYPE_MIN;
}

static bool is_echo(const struct packet_value *type)
{
	return !build_changes(type) && !type->part &&
	       (type->fixed[15] == 0 || type->fixed[15] == 8 || type->fixed[15] == 128 ||
		type->fixed[15] == 129);
}

/* False if @value makes receivers take the header for another one, or for one of another length. */
static bool allows(const struct packet_layer *layer, const struct packet_value *value, bool is_last)
{
	static const char *const next[] = { "type", "proto", "next", NULL };
	static const char *const shape[] = {
		"version", "ihl", "len", "frag", "mf", "off", "c", "k", "s", NULL,
	};

	if (value->field->fill != FILL_OPTION && is_one_of(value->field->name, shape))
		return false;
	if (!is_one_of(value->field->name, next))
		return true;
	if (build_is(layer, "icmp") || build_is(layer, "icmp6"))
		return is_echo(value);
	/* What GRE has inside does not matter: the tag follows its header. */
	return is_last && (build_is(layer, "gre") || is_unknown(value));
}

static bool is_found(const struct packet_spec *spec)
{
	static const char *const vlan[] = { "vlan", "dot1ad", NULL };
	static const char *const ip[] = { "ip4", "ip6", NULL };
	static const char *const extension[] = { "hbh", "dstopt", NULL };
	static const char *const l4[] = { "tcp", "icmp", "icmp6", "gre", NULL };
	uint32_t i, vlans = 0, ips = 0, extensions = 0;

	for (i = 0; i < spec->nr_layers; i++) {
		const struct packet_layer *layer = &spec->layers[i];
		const char *name = layer->def->name;
		bool is_last = i + 1 == spec->nr_layers;
		const struct packet_value *value;

		vlans += is_one_of(name, vlan);
		ips += is_one_of(name, ip);
		extensions += is_one_of(name, extension);
		if (!is_one_of(name, vlan) && !is_one_of(name, ip) && !is_one_of(name, extension) &&
		    !(is_last && is_one_of(name, l4)) && (i || !build_is(layer, "eth")))
			return false;
		for (value = layer->values; value; value = value->next) {
			if (!allows(layer, value, is_last))
				return false;
		}
	}
	return vlans <= VLANS_MAX && ips <= 1 && extensions <= EXTENSIONS_MAX;
}

/* After UDP it has been asked for: frames without room for it are refused. */
bool build_takes_tag(const struct build *build, uint32_t at)
{
	const struct packet_spec *spec = build->spec;
	const struct packet_size *size = build->size;

	if (build_is(&spec->layers[spec->nr_layers - 1], "udp"))
		return true;
	return is_found(spec) &&
	       (!size || size->min_bytes >= at + (uint32_t)TAG_BYTES + UNIT_FCS_BYTES);
}
