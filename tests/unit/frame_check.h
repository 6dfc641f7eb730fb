/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unit/frame_check.h - reads a frame from its bytes alone, and adds up every
 * length and checksum that it meets.
 */
#ifndef UNIT_FRAME_CHECK_H
#define UNIT_FRAME_CHECK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct frame_check {
	const uint8_t *bytes;
	uint32_t end;			/* of what the innermost length so far counts */
	unsigned int nr_lengths, nr_sums;	/* seen, and right */
	char wrong[128];		/* "" or the first that is not */
	/* The innermost IP header's addresses. */
	uint32_t addr, addr_bytes;
};

static uint32_t check_big(const struct frame_check *c, uint32_t at, int nr)
{
	uint32_t value = 0;

	while (nr--)
		value = value << 8 | c->bytes[at++];
	return value;
}

static uint32_t check_add(const struct frame_check *c, uint32_t from, uint32_t to)
{
	uint32_t sum = 0, at;

	for (at = from; at < to; at++)
		sum += (uint32_t)c->bytes[at] << ((at - from) % 2 ? 0 : 8);
	return sum;
}

static void check_is(struct frame_check *c, bool is_right, unsigned int *nr, const char *what,
		     uint32_t at)
{
	*nr += is_right;
	if (!is_right && !c->wrong[0])
		snprintf(c->wrong, sizeof(c->wrong), "%s at byte %u", what, at);
}

static void check_sum(struct frame_check *c, uint32_t sum, const char *what, uint32_t at)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	check_is(c, sum == 0xffff, &c->nr_sums, what, at);
}

static uint32_t check_ether(struct frame_check *c, uint32_t type, uint32_t at);

static void check_transport(struct frame_check *c, uint32_t proto, uint32_t at);

static uint32_t check_ip4(struct frame_check *c, uint32_t at)
{
	uint32_t header = 4 * (c->bytes[at] & 15), len = check_big(c, at + 2, 2);

	check_is(c, at + len <= c->end && len >= header, &c->nr_lengths, "IPv4 length", at);
	if (c->wrong[0])
		return 0;
	c->end = at + len;
	check_sum(c, check_add(c, at, at + header), "IPv4 checksum", at);
	c->addr = at + 12;
	c->addr_bytes = 8;
	if (!(check_big(c, at + 6, 2) & 0x1fff))
		check_transport(c, c->bytes[at + 9], at + header);
	return at;
}

static uint32_t check_ip6(struct frame_check *c, uint32_t at)
{
	uint32_t next = c->bytes[at + 6], len = check_big(c, at + 4, 2);

	check_is(c, at + 40 + len <= c->end, &c->nr_lengths, "IPv6 length", at);
	if (c->wrong[0])
		return 0;
	c->end = at + 40 + len;
	c->addr = at + 8;
	c->addr_bytes = 32;
	at += 40;
	while (next == 0 || next == 43 || next == 44 || next == 60) {
		bool later = next == 44 && check_big(c, at + 2, 2) >> 3;
		uint32_t bytes = next == 44 ? 8 : 8 * (1 + c->bytes[at + 1]);

		next = c->bytes[at];
		at += bytes;
		if (later)
			return at;
	}
	check_transport(c, next, at);
	return at;
}

static void check_gre(struct frame_check *c, uint32_t at)
{
	uint32_t flags = c->bytes[at], type = check_big(c, at + 2, 2), header = 4;

	if (flags & 0x80)
		check_sum(c, check_add(c, at, c->end), "GRE checksum", at);
	header += (flags & 0x80 ? 4 : 0) + (flags & 0x20 ? 4 : 0) + (flags & 0x10 ? 4 : 0);
	check_ether(c, type, at + header);
}

static void check_transport(struct frame_check *c, uint32_t proto, uint32_t at)
{
	uint32_t pseudo = proto + (c->end - at);
	bool pseudos = proto == 6 || proto == 17 || proto == 58;

	if (pseudos)
		pseudo += check_add(c, c->addr, c->addr + c->addr_bytes);
	switch (proto) {
	case 17:
		check_is(c, check_big(c, at + 4, 2) == c->end - at, &c->nr_lengths, "UDP length",
			 at);
		if (check_big(c, at + 6, 2))
			check_sum(c, pseudo + check_add(c, at, c->end), "UDP checksum", at);
		if (check_big(c, at + 2, 2) == 4789)
			check_ether(c, 0x6558, at + 16);
		break;
	case 6:
	case 58:
		check_sum(c, pseudo + check_add(c, at, c->end), proto == 6 ? "TCP checksum" :
			  "ICMPv6 checksum", at);
		break;
	case 1:
	case 2:
		check_sum(c, check_add(c, at, c->end), "ICMP or IGMP checksum", at);
		break;
	case 4:
		check_ip4(c, at);
		break;
	case 41:
		check_ip6(c, at);
		break;
	case 47:
		check_gre(c, at);
		break;
	}
}

static uint32_t check_ether(struct frame_check *c, uint32_t type, uint32_t at)
{
	while (type == 0x6558 || type == 0x8100 || type == 0x88a8) {
		at += type == 0x6558 ? 14 : 4;
		type = check_big(c, at - 2, 2);
	}
	if (type == 0x8847) {
		while (!(c->bytes[at + 2] & 1))
			at += 4;
		at += 4;
		type = c->bytes[at] >> 4 == 4 ? 0x0800 : 0x86dd;
	}
	if (type < 0x600) {
		check_is(c, at + type <= c->end, &c->nr_lengths, "802.3 length", at);
		if (c->wrong[0])
			return 0;
		c->end = at + type;
		type = c->bytes[at] == 0xaa ? check_big(c, at + 6, 2) : 0;
		at += 8;
	}
	if (type == 0x0800)
		return check_ip4(c, at);
	return type == 0x86dd ? check_ip6(c, at) : at;
}

/* The whole frame without its FCS. */
static struct frame_check frame_checked(const uint8_t *bytes, uint32_t buf_bytes)
{
	struct frame_check c = { .bytes = bytes, .end = buf_bytes };

	check_ether(&c, 0x6558, 0);
	return c;
}

#endif
