// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/fragment.c - split an IPv4 packet into fragments.
 */
#include "proto/fragment.h"

#include <string.h>

#define ETH_BYTES	14
#define MIN_BUF_BYTES	60		/* without FCS, IEEE 802.3 */
#define TYPE_IPV4	0x0800
#define TYPE_VLAN	0x8100
#define TYPE_QINQ	0x88a8
#define MAX_TAGS	2
#define IP_BYTES	20		/* without options */
#define IP_TOTAL	2		/* offsets within the header */
#define IP_FRAGMENT	6
#define IP_SUM		10
#define MORE_FRAGMENTS	0x2000
#define OFFSET_MASK	0x1fff		/* in units of 8 bytes */
#define OPTION_END	0
#define OPTION_NOP	1
#define OPTION_COPIED	0x80		/* copied to every fragment */

static uint16_t get16(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

static void put16(uint8_t *at, uint32_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

/* 0: no IPv4 header in the frame. */
static uint32_t find_ipv4(const uint8_t *frame, uint32_t buf_bytes)
{
	uint32_t offset = ETH_BYTES, tags;
	uint16_t type;

	for (tags = 0; tags <= MAX_TAGS && offset + IP_BYTES <= buf_bytes; tags++) {
		type = get16(frame + offset - 2);
		if (type == TYPE_IPV4)
			return frame[offset] >> 4 == 4 ? offset : 0;
		if (type != TYPE_VLAN && type != TYPE_QINQ)
			return 0;
		offset += 4;
	}
	return 0;
}

bool fragment_plan(const uint8_t *frame, uint32_t buf_bytes, uint32_t max_bytes,
		   struct fragment_plan *ret_plan)
{
	struct fragment_plan plan = { .ip_offset = find_ipv4(frame, buf_bytes) };
	const uint8_t *ip = frame + plan.ip_offset;
	uint32_t total_bytes, first;

	if (!plan.ip_offset)
		return false;
	total_bytes = get16(ip + IP_TOTAL);
	plan.header_bytes = (ip[0] & 0xfu) * 4;
	if (plan.header_bytes < IP_BYTES || total_bytes <= plan.header_bytes ||
	    plan.ip_offset + total_bytes > buf_bytes)
		return false;
	plan.data_bytes = total_bytes - plan.header_bytes;
	plan.piece_bytes = max_bytes < 8 ? 8 : max_bytes / 8 * 8;
	if (plan.data_bytes <= max_bytes || plan.data_bytes <= plan.piece_bytes)
		return false;
	plan.nr = (plan.data_bytes + plan.piece_bytes - 1) / plan.piece_bytes;
	first = get16(ip + IP_FRAGMENT) & OFFSET_MASK;
	if (first + (plan.nr - 1) * (plan.piece_bytes / 8) > OFFSET_MASK)
		return false;
	plan.pad_bytes = buf_bytes < MIN_BUF_BYTES ? 0 : MIN_BUF_BYTES;
	*ret_plan = plan;
	return true;
}

/* Copies the options that belong in every fragment; returns their length, a multiple of 4. */
static uint32_t copy_options(const uint8_t *from, uint32_t bytes, uint8_t *to)
{
	uint32_t at, len, copied = 0;

	for (at = 0; at < bytes && from[at] != OPTION_END; at += len) {
		len = 1;
		if (from[at] == OPTION_NOP)
			continue;
		if (at + 1 >= bytes || from[at + 1] < 2 || at + from[at + 1] > bytes)
			break;
		len = from[at + 1];
		if (from[at] & OPTION_COPIED) {
			memcpy(to + copied, from + at, len);
			copied += len;
		}
	}
	while (copied % 4)
		to[copied++] = OPTION_END;
	return copied;
}

/* RFC 1071 */
static void write_sum(uint8_t *header, uint32_t bytes)
{
	uint32_t sum = 0, i;

	put16(header + IP_SUM, 0);
	for (i = 0; i < bytes; i += 2)
		sum += get16(header + i);
	sum = (sum & 0xffff) + (sum >> 16);
	sum += sum >> 16;
	put16(header + IP_SUM, ~sum);
}

uint32_t fragment_write(const struct fragment_plan *plan, const uint8_t *frame, uint32_t index,
			uint8_t *out)
{
	const uint8_t *from = frame + plan->ip_offset;
	uint32_t offset = index * plan->piece_bytes, header = plan->header_bytes, data, bytes;
	uint32_t place = get16(from + IP_FRAGMENT);
	uint8_t *ip = out + plan->ip_offset;

	data = index + 1 < plan->nr ? plan->piece_bytes : plan->data_bytes - offset;
	if (index) {
		memcpy(out, frame, plan->ip_offset + IP_BYTES);
		header = IP_BYTES + copy_options(from + IP_BYTES, header - IP_BYTES, ip + IP_BYTES);
		memcpy(ip + header, from + plan->header_bytes + offset, data);
	} else if (out != frame) {
		memcpy(out, frame, plan->ip_offset + header + data);
	}
	ip[0] = (uint8_t)(0x40 | header / 4);
	put16(ip + IP_TOTAL, header + data);
	put16(ip + IP_FRAGMENT, (place + offset / 8) | (index + 1 < plan->nr ? MORE_FRAGMENTS : 0));
	write_sum(ip, header);
	bytes = plan->ip_offset + header + data;
	if (bytes < plan->pad_bytes) {
		memset(out + bytes, 0, plan->pad_bytes - bytes);
		bytes = plan->pad_bytes;
	}
	return bytes;
}
