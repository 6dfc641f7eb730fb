// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/fragment.c - split an IP packet into fragments.
 */
#include "proto/fragment.h"

#include <string.h>

#define ETH_BYTES	14
#define MIN_BUF_BYTES	60		/* without FCS, IEEE 802.3 */
#define TYPE_IPV4	0x0800
#define TYPE_IPV6	0x86dd
#define TYPE_VLAN	0x8100
#define TYPE_QINQ	0x88a8
#define MAX_TAGS	2
#define IP_BYTES	20		/* without options */
#define IP_TOTAL	2		/* offsets within the header */
#define IP_FRAGMENT	6
#define IP_SUM		10
#define MORE_FRAGMENTS	0x2000
#define OFFSET_MASK	0x1fff		/* in units of 8 bytes */
#define IP6_BYTES	40
#define IP6_PAYLOAD	4
#define IP6_NEXT	6
#define EXT_BYTES	8		/* of the shortest extension header, and of the fragment header */
#define EXT_HOPS	0
#define EXT_ROUTING	43
#define EXT_FRAGMENT	44
#define EXT_DEST	60
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

static void put32(uint8_t *at, uint32_t value)
{
	put16(at, value >> 16);
	put16(at + 2, value);
}

/* 0: no IP header in the frame. */
static uint32_t find_ip(const uint8_t *frame, uint32_t buf_bytes, bool *ret_is_ip6)
{
	uint32_t offset = ETH_BYTES, tags;
	uint16_t type;

	for (tags = 0; tags <= MAX_TAGS && offset + IP_BYTES <= buf_bytes; tags++) {
		type = get16(frame + offset - 2);
		*ret_is_ip6 = type == TYPE_IPV6;
		if (type == TYPE_IPV4 || type == TYPE_IPV6)
			return frame[offset] >> 4 == (*ret_is_ip6 ? 6 : 4) ? offset : 0;
		if (type != TYPE_VLAN && type != TYPE_QINQ)
			return 0;
		offset += 4;
	}
	return 0;
}

/* *ret_first: the packet's own offset. */
static bool look_ip4(const uint8_t *ip, uint32_t most_bytes, struct fragment_plan *plan, uint32_t *ret_first)
{
	uint32_t total_bytes = get16(ip + IP_TOTAL);

	plan->header_bytes = (ip[0] & 0xfu) * 4;
	if (plan->header_bytes < IP_BYTES || total_bytes <= plan->header_bytes || total_bytes > most_bytes)
		return false;
	plan->data_bytes = total_bytes - plan->header_bytes;
	*ret_first = get16(ip + IP_FRAGMENT) & OFFSET_MASK;
	return true;
}

/* The headers that each fragment repeats: of those, options of hops alone are understood. */
static bool look_ip6(const uint8_t *ip, uint32_t most_bytes, struct fragment_plan *plan, uint32_t *ret_first)
{
	uint32_t at = IP6_BYTES, total_bytes;
	bool has_ext;

	if (most_bytes < IP6_BYTES)
		return false;
	total_bytes = IP6_BYTES + get16(ip + IP6_PAYLOAD);
	plan->next_offset = IP6_NEXT;
	has_ext = at + EXT_BYTES <= most_bytes;
	if (ip[IP6_NEXT] == EXT_HOPS) {
		if (!has_ext)
			return false;
		plan->next_offset = at;
		at += (ip[at + 1] + 1u) * 8;
		has_ext = at + EXT_BYTES <= most_bytes;
	}
	if (ip[plan->next_offset] == EXT_ROUTING ||
	    (ip[plan->next_offset] == EXT_DEST && (!has_ext || ip[at] == EXT_ROUTING)))
		return false;
	plan->header_bytes = at;
	plan->is_fragment = ip[plan->next_offset] == EXT_FRAGMENT;
	if (plan->is_fragment) {
		if (!has_ext)
			return false;
		*ret_first = get16(ip + at + 2) >> 3;
		at += EXT_BYTES;
	}
	if (total_bytes <= at || total_bytes > most_bytes)
		return false;
	plan->data_bytes = total_bytes - at;
	return true;
}

bool fragment_plan(const uint8_t *frame, uint32_t buf_bytes, uint32_t max_bytes,
		   struct fragment_plan *ret_plan)
{
	struct fragment_plan plan = { 0 };
	uint32_t first = 0, most_bytes;
	const uint8_t *ip;

	plan.ip_offset = find_ip(frame, buf_bytes, &plan.is_ip6);
	if (!plan.ip_offset)
		return false;
	ip = frame + plan.ip_offset;
	most_bytes = buf_bytes - plan.ip_offset;
	if (!(plan.is_ip6 ? look_ip6 : look_ip4)(ip, most_bytes, &plan, &first))
		return false;
	plan.piece_bytes = max_bytes < 8 ? 8 : max_bytes / 8 * 8;
	if (plan.data_bytes <= max_bytes || plan.data_bytes <= plan.piece_bytes)
		return false;
	if (plan.is_ip6 && !plan.is_fragment && plan.data_bytes < plan.piece_bytes + EXT_BYTES)
		plan.piece_bytes -= 8;
	if (!plan.piece_bytes)
		return false;
	plan.nr = (plan.data_bytes + plan.piece_bytes - 1) / plan.piece_bytes;
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

/* Returns the length of the IP packet with @data bytes of payload; so does the other. */
static uint32_t write_ip6(const struct fragment_plan *plan, const uint8_t *from, uint32_t offset, uint32_t data,
			  bool is_last, uint8_t *ip)
{
	uint32_t header = plan->header_bytes, place = plan->is_fragment ? get16(from + header + 2) : 0;
	uint8_t next = from[plan->is_fragment ? header : plan->next_offset];
	const uint8_t *source = from + header + (plan->is_fragment ? EXT_BYTES : 0) + offset;
	uint8_t *option = ip + header;

	/* Within the frame itself it moves up. */
	memmove(option + EXT_BYTES, source, data);
	if (ip != from) {
		memcpy(ip, from, header);
		memcpy(option, from + header, EXT_BYTES);
	}
	ip[plan->next_offset] = EXT_FRAGMENT;
	put16(ip + IP6_PAYLOAD, header - IP6_BYTES + EXT_BYTES + data);
	option[0] = next;
	option[1] = 0;
	put16(option + 2, ((place & ~7u) + offset) | (is_last ? place & 1 : 1));
	if (!plan->is_fragment)
		put32(option + 4, plan->identification);
	return header + EXT_BYTES + data;
}

static uint32_t write_ip4(const struct fragment_plan *plan, const uint8_t *from, uint32_t offset, uint32_t data,
			  bool is_last, uint8_t *ip)
{
	uint32_t header = plan->header_bytes, place = get16(from + IP_FRAGMENT);

	if (offset) {
		memcpy(ip, from, IP_BYTES);
		header = IP_BYTES + copy_options(from + IP_BYTES, header - IP_BYTES, ip + IP_BYTES);
		memcpy(ip + header, from + plan->header_bytes + offset, data);
	} else if (ip != from) {
		memcpy(ip, from, header + data);
	}
	ip[0] = (uint8_t)(0x40 | header / 4);
	put16(ip + IP_TOTAL, header + data);
	put16(ip + IP_FRAGMENT, (place + offset / 8) | (is_last ? 0 : MORE_FRAGMENTS));
	write_sum(ip, header);
	return header + data;
}

uint32_t fragment_write(const struct fragment_plan *plan, const uint8_t *frame, uint32_t index,
			uint8_t *out)
{
	uint32_t offset = index * plan->piece_bytes, at = plan->ip_offset, bytes;
	bool is_last = index + 1 == plan->nr;

	if (out != frame)
		memcpy(out, frame, at);
	bytes = at + (plan->is_ip6 ? write_ip6 : write_ip4)(plan, frame + at, offset,
			is_last ? plan->data_bytes - offset : plan->piece_bytes, is_last, out + at);
	if (bytes < plan->pad_bytes) {
		memset(out + bytes, 0, plan->pad_bytes - bytes);
		bytes = plan->pad_bytes;
	}
	return bytes;
}
