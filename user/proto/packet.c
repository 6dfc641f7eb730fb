// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/packet.c - the fields and checksums of packet number N.
 *
 * The same as blast_xdp computes in the kernel, but from the template, not from the contents of the
 * buffer.
 */
#include "proto/packet.h"

#include <endian.h>
#include <string.h>

#include "abi/payload.h"

/* @bytes: 2, 4 or 8 */
static uint64_t read_big(const uint8_t *at, unsigned int bytes)
{
	uint64_t all;
	uint32_t half;
	uint16_t word;

	if (bytes == 2) {
		memcpy(&word, at, 2);
		return be16toh(word);
	}
	if (bytes == 4) {
		memcpy(&half, at, 4);
		return be32toh(half);
	}
	memcpy(&all, at, 8);
	return be64toh(all);
}

static void write_big(uint8_t *at, unsigned int bytes, uint64_t value)
{
	uint64_t all = htobe64(value);
	uint32_t half = htobe32((uint32_t)value);
	uint16_t word = htobe16((uint16_t)value);

	if (bytes == 2)
		memcpy(at, &word, 2);
	else if (bytes == 4)
		memcpy(at, &half, 4);
	else
		memcpy(at, &all, 8);
}

uint32_t packet_buf_bytes(const struct packet *packet, uint64_t number)
{
	if (!packet->has_size)
		return packet->buf_bytes;
	return (uint32_t)field_value(&packet->size, packet->list, FIELD_MAX_LIST, number);
}

static uint64_t bits_of(const struct packet *packet, uint32_t i, uint64_t number)
{
	return field_bits(&packet->fields[i], packet->list, FIELD_MAX_LIST, number);
}

static uint64_t template_bits(const struct packet *packet, uint32_t i)
{
	const struct field *field = &packet->fields[i];

	return read_big(packet->bytes + field->offset, field->bytes) & field->mask;
}

/* If sizes change: what the pattern's end adds to the checksums of size.sums. */
static uint32_t pattern_sum(const struct packet *packet, uint32_t buf_bytes)
{
	return field_fold(payload_sum16(buf_bytes - packet->pattern_offset));
}

static bool pattern_changes(const struct packet *packet)
{
	return packet->has_size && packet->pattern_offset;
}

/* A negated addend removes it from a one's complement sum (RFC 1624). */
static uint32_t without(uint32_t sum)
{
	return ~field_fold(sum) & 0xffff;
}

void packet_sum_bases(const struct packet *packet, uint32_t ret_bases[FIELD_MAX_SUMS])
{
	uint32_t i, k, sum;

	for (k = 0; k < packet->nr_sums; k++) {
		sum = without((uint32_t)read_big(packet->bytes + packet->sums[k].offset, 2));
		for (i = 0; i < packet->nr_fields; i++) {
			if (packet->fields[i].sums >> k & 1)
				sum += without(field_sum16(template_bits(packet, i)));
		}
		for (i = 0; i < k; i++) {
			if (packet->sums[i].sums >> k & 1)
				sum += without((uint32_t)read_big(packet->bytes +
								  packet->sums[i].offset, 2));
		}
		if (pattern_changes(packet) && packet->size.sums >> k & 1)
			sum += without(pattern_sum(packet, packet->buf_bytes));
		ret_bases[k] = field_fold(sum);
	}
}

void packet_modify_from(const struct packet *packet, const uint32_t bases[FIELD_MAX_SUMS],
			uint64_t number, uint8_t *bytes)
{
	uint32_t acc[FIELD_MAX_SUMS], i, k, outer, csum, end = 0;

	if (pattern_changes(packet))
		end = pattern_sum(packet, packet_buf_bytes(packet, number));
	for (k = 0; k < packet->nr_sums; k++)
		acc[k] = bases[k] + end * (packet->size.sums >> k & 1);
	for (i = 0; i < packet->nr_fields; i++) {
		const struct field *field = &packet->fields[i];
		uint64_t bits = bits_of(packet, i, number);

		write_big(bytes + field->offset, field->bytes,
			  (read_big(bytes + field->offset, field->bytes) & ~field->mask) | bits);
		for (k = 0; k < packet->nr_sums; k++) {
			if (field->sums >> k & 1)
				acc[k] += field_sum16(bits);
		}
	}
	for (k = 0; k < packet->nr_sums; k++) {
		csum = ~field_fold(acc[k]) & 0xffff;
		if (packet->sums[k].udp && !csum)
			csum = 0xffff;
		write_big(bytes + packet->sums[k].offset, 2, csum);
		for (outer = k + 1; outer < packet->nr_sums; outer++) {
			if (packet->sums[k].sums >> outer & 1)
				acc[outer] += csum;
		}
	}
}

void packet_modify(const struct packet *packet, uint64_t number, uint8_t *bytes)
{
	uint32_t bases[FIELD_MAX_SUMS];

	packet_sum_bases(packet, bases);
	packet_modify_from(packet, bases, number, bytes);
}
