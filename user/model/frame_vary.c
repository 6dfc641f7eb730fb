// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * model/frame_vary.c - a frame whose ports, addresses and size vary from packet to packet.
 */
#include "model/frame_vary.h"

#include <string.h>

#include "abi/tag.h"
#include "lib/unit.h"

#define ETH_BYTES	14
#define VLAN_BYTES	4

enum { SUM_L4, SUM_IP4 };

/* Adds a field of @bytes at @offset with @count values, starting at its present one. */
static void add_field(struct packet *packet, const struct frame_vary *vary, uint32_t count,
		      uint32_t offset, uint8_t bytes, uint8_t sums)
{
	struct field *field = &packet->fields[packet->nr_fields];
	uint32_t i;

	if (count <= 1)
		return;
	*field = (struct field){
		.mask = bytes == 8 ? UINT64_MAX : (1ull << (8 * bytes)) - 1,
		.span = count,
		.step = 1,
		/* Fields with the same seed would change together. */
		.seed = vary->seed + packet->nr_fields * 0x632be59bd9b4e019ull,
		.every = 1,
		.offset = (uint16_t)offset,
		.bytes = bytes,
		.kind = vary->random ? FIELD_RANDOM : FIELD_COUNTER,
		.sums = sums,
	};
	for (i = 0; i < bytes; i++)
		field->first = field->first << 8 | packet->bytes[offset + i];
	packet->nr_fields++;
}

static void add_fields(struct packet *packet, const struct frame_spec *spec,
		       const struct frame_vary *vary)
{
	uint32_t l3 = ETH_BYTES + (spec->has_vlan ? VLAN_BYTES : 0);
	bool ip4 = spec->dst.family == AF_INET;
	uint32_t l4 = l3 + (ip4 ? 20 : 40);
	uint8_t l4_sum = 1 << SUM_L4, addr_sums = ip4 ? l4_sum | 1 << SUM_IP4 : l4_sum;

	packet->sums[SUM_L4] = (struct field_sum){ .offset = (uint16_t)(l4 + 6), .udp = 1 };
	packet->sums[SUM_IP4] = (struct field_sum){ .offset = (uint16_t)(l3 + 10) };
	packet->nr_sums = ip4 ? 2 : 1;
	/* In an IPv6 address, the interface identifier: its lower half. */
	add_field(packet, vary, vary->sources, ip4 ? l3 + 12 : l3 + 16, ip4 ? 4 : 8, addr_sums);
	add_field(packet, vary, vary->dests, ip4 ? l3 + 16 : l3 + 32, ip4 ? 4 : 8, addr_sums);
	add_field(packet, vary, vary->src_ports, l4, 2, l4_sum);
	add_field(packet, vary, vary->ports, l4 + 2, 2, l4_sum);
}

/* Subtracts @bytes: in a list of sizes from each value, otherwise from the first. */
static void take_off(struct field *field, uint32_t bytes)
{
	if (field->kind == FIELD_LIST || field->kind == FIELD_PICK)
		field->step -= bytes;
	else
		field->first -= bytes;
}

/* The field at @offset holds the length from @from to the packet's end. */
static void add_length(struct packet *packet, uint32_t offset, uint32_t from, uint8_t sums)
{
	struct field *field = &packet->fields[packet->nr_fields++];

	*field = packet->size;
	take_off(field, from);
	field->mask = UINT16_MAX;
	field->offset = (uint16_t)offset;
	field->bytes = 2;
	field->sums = sums;
}

static void add_size(struct packet *packet, const struct frame_spec *spec,
		     const struct packet_size *size)
{
	uint32_t l3 = ETH_BYTES + (spec->has_vlan ? VLAN_BYTES : 0);
	bool ip4 = spec->dst.family == AF_INET;
	uint32_t l4 = l3 + (ip4 ? 20 : 40);
	uint8_t l4_sum = 1 << SUM_L4;

	packet->has_size = true;
	packet->size = size->field;
	if (!packet->size.every)
		packet->size.every = 1;
	memcpy(packet->list, size->list, size->nr_list * sizeof(packet->list[0]));
	take_off(&packet->size, UNIT_FCS_BYTES);
	/* The pseudo-header's length grows by as much as that of IP, which counts in its place. */
	if (ip4)
		add_length(packet, l3 + 2, l3, l4_sum | 1 << SUM_IP4);
	else
		add_length(packet, l3 + 4, l4, l4_sum);
	add_length(packet, l4 + 4, l4, l4_sum);
	packet->size.sums = l4_sum;
}

static int check_size(const struct frame_spec *spec, const struct packet_size *size, struct err *e)
{
	if (size->min_bytes >= frame_min_bytes(spec))
		return 0;
	return err_usage(e, "frames of %u bytes are too short: the packet requires %u%s", size->min_bytes,
			 frame_min_bytes(spec), spec->tagged ? ", 18 of them for its tag" : "");
}

int frame_vary_build(const struct frame_spec *spec, const struct frame_vary *vary,
		     const struct packet_size *size, struct packet *ret_packet, struct err *e)
{
	struct frame_spec longest = *spec;
	int err = size ? check_size(spec, size, e) : 0;

	if (err)
		return err;
	if (size)
		longest.frame_bytes = size->max_bytes;
	spec = &longest;
	memset(ret_packet, 0, sizeof(*ret_packet));
	ret_packet->buf_bytes = spec->frame_bytes - UNIT_FCS_BYTES;
	err = frame_build(spec, ret_packet->bytes, sizeof(ret_packet->bytes),
			  &ret_packet->tag_offset, e);
	if (err)
		return err;
	ret_packet->after_udp = true;
	ret_packet->content_bytes = ret_packet->buf_bytes - frame_layer_bytes(spec, FRAME_PAYLOAD) +
				    (spec->tagged ? (uint32_t)TAG_BYTES : 0);
	if (spec->tagged && spec->patterned) {
		ret_packet->pattern_offset = (uint16_t)(ret_packet->tag_offset + TAG_BYTES);
		ret_packet->content_bytes = ret_packet->buf_bytes;
	}
	add_fields(ret_packet, spec, vary);
	if (size && size->min_bytes != size->max_bytes)
		add_size(ret_packet, spec, size);
	return 0;
}
