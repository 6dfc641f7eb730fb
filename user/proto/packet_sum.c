// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/packet_sum.c - the checksums of a packet being built.
 */
#include <string.h>

#include "proto/packet_build.h"

#define ROUTING_BYTES	8	/* bytes of a routing header before its addresses */

enum {				/* IANA's routing types */
	ROUTING_SOURCE = 0, ROUTING_MOBILE = 2, ROUTING_SEGMENTS = 4,
};

/* RFC 9260 appendix A, bit by bit: it runs once per stream. */
static uint32_t crc32c(const uint8_t *bytes, uint32_t nr)
{
	uint32_t crc = ~0u, i, bit;

	for (i = 0; i < nr; i++) {
		crc ^= bytes[i];
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
	}
	return ~crc;
}

/* One's complement sum of big-endian words; an odd byte is the high byte of its word. */
static uint32_t add_words(uint32_t sum, const uint8_t *bytes, uint32_t nr)
{
	uint32_t i;

	for (i = 0; i < nr; i++)
		sum += (uint32_t)bytes[i] << (i & 1 ? 0 : 8);
	return field_fold(sum);
}

static void write_sum(struct build *build, const struct build_sum *sum)
{
	uint8_t *bytes = build->packet->bytes;
	uint32_t value;

	if (sum->crc32c) {
		memset(bytes + sum->at, 0, 4);
		value = crc32c(bytes + sum->from, sum->to - sum->from);
		/* Lowest byte first. */
		memcpy(bytes + sum->at,
		       (uint8_t[]){ (uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
				    (uint8_t)(value >> 24) },
		       4);
		return;
	}
	memset(bytes + sum->at, 0, 2);
	value = add_words(sum->pseudo, bytes + sum->pseudo_from, sum->pseudo_to - sum->pseudo_from);
	value = add_words(value, bytes + sum->from, sum->to - sum->from);
	value = ~value & 0xffff;
	if (sum->udp && !value)
		value = 0xffff;
	bytes[sum->at] = (uint8_t)(value >> 8);
	bytes[sum->at + 1] = (uint8_t)value;
}

/*
 * RFC 8200 8.1: with a routing header, the pseudo-header has the final address, which that header
 * contains; 0: use the IPv6 header's. No field in a routing header's data changes.
 */
static uint32_t final_address(const struct build *build, uint32_t ip, uint32_t i)
{
	const uint8_t *header;
	uint32_t at = 0;

	for (ip++; ip < i; ip++) {
		header = build->packet->bytes + build->start[ip];
		if (!build_is(&build->spec->layers[ip], "routing") || !header[3] ||
		    build->header_bytes[ip] < ROUTING_BYTES + 16)
			continue;
		if (header[2] == ROUTING_SEGMENTS)
			at = build->start[ip] + ROUTING_BYTES;
		else if (header[2] == ROUTING_SOURCE || header[2] == ROUTING_MOBILE)
			at = build->start[ip] + build->header_bytes[ip] - 16;
	}
	return at;
}

static void find_pseudo(const struct build *build, uint32_t i, uint32_t ip, struct build_sum *sum)
{
	const struct packet_layer *layer = &build->spec->layers[i];
	bool four = build_is(&build->spec->layers[ip], "ip4");
	uint32_t start = build->start[ip], last = final_address(build, ip, i);

	sum->pseudo_from = start + (four ? 12 : 8);
	sum->pseudo_to = start + (four ? 20 : last ? 24 : 40);
	sum->pseudo = (uint32_t)layer->def->ip_proto + (build->end - build->start[i]);
	if (last)
		sum->pseudo = add_words(sum->pseudo, build->packet->bytes + last, 16);
}

/* The checksum of layer @i, if it has one to fill in. */
static bool find_sum(const struct build *build, uint32_t i, struct build_sum *sum)
{
	const struct packet_layer *layer = &build->spec->layers[i];
	uint32_t start = build->start[i], ip;
	const struct packet_value *value;

	*sum = (struct build_sum){
		.layer = layer, .at = start + layer->def->sum_at, .from = start, .to = build->end,
		.crc32c = layer->def->sum == SUM_CRC32C, .udp = build_is(layer, "udp"),
	};
	if (layer->def->sum == SUM_NONE)
		return false;
	if (build_is(layer, "gre")) {
		value = build_given_option(layer, LAYER_OPT_GRE_SUM);
		return value && build_gre_fills_sum(value);
	}
	if (build_given(layer, "sum"))
		return false;
	if (layer->def->sum == SUM_HEADER)
		sum->to = start + build->header_bytes[i];
	if (layer->def->sum != SUM_PSEUDO)
		return true;
	ip = build_ip_around(build, i);
	if (ip < PACKET_SPEC_LAYERS)
		find_pseudo(build, i, ip, sum);
	return true;
}

/* Inner ones first, as outer ones cover them. */
void build_sums(struct build *build)
{
	uint32_t i = build->spec->nr_layers;

	while (i--) {
		struct build_sum *sum = &build->sums[build->nr_sums];

		if (!find_sum(build, i, sum))
			continue;
		write_sum(build, sum);
		build->nr_sums++;
	}
}
