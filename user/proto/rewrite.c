// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/rewrite.c - change a captured frame: MACs, addresses, ports, VLAN tags.
 */
#include "proto/rewrite.h"

#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>

#include "abi/tag.h"
#include "proto/frame.h"
#include "proto/prefix.h"

#define ETHER_BYTES	14
#define VLAN_BYTES	4
#define TYPE_IP4	0x0800
#define TYPE_ARP	0x0806
#define TYPE_VLAN	0x8100
#define TYPE_IP6	0x86dd
#define TYPE_QINQ	0x88a8

#define IP4_BYTES	20
#define IP6_BYTES	40
#define ARP_BYTES	28
#define UDP_BYTES	8

enum {
	NEXT_HOP_BY_HOP = 0, NEXT_ICMP = 1, NEXT_IGMP = 2, NEXT_TCP = 6, NEXT_UDP = 17,
	NEXT_ROUTING = 43, NEXT_FRAGMENT = 44, NEXT_ICMP6 = 58, NEXT_DEST_OPTIONS = 60,
	NEXT_UDPLITE = 136,
};

/* Positions of the headers in a frame. */
struct parts {
	uint8_t *ip, *arp;		/* NULL: none */
	bool is_ip6;
	uint32_t ip_bytes;		/* including the header, as the header states */
	uint8_t next;
	uint8_t *l4;			/* NULL: none here (not the first fragment) */
	uint32_t l4_bytes;
	bool fragment;			/* the checksum covers more than this packet */
	bool routed;			/* the pseudo-header has another destination (RFC 8200
					 * 8.1) */
};

static uint16_t get16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static void put16(uint8_t *p, uint16_t value)
{
	p[0] = (uint8_t)(value >> 8);
	p[1] = (uint8_t)value;
}

static bool is_vlan(const uint8_t *type)
{
	return get16(type) == TYPE_VLAN || get16(type) == TYPE_QINQ;
}

/* Skips the extension headers; false if they are truncated or unknown. */
static bool find_l4_of_ip6(struct parts *parts)
{
	uint8_t *p = parts->ip + IP6_BYTES, *end = parts->ip + parts->ip_bytes;
	uint8_t next = parts->ip[6];

	for (;;) {
		uint32_t len;

		if (next != NEXT_HOP_BY_HOP && next != NEXT_ROUTING && next != NEXT_FRAGMENT &&
		    next != NEXT_DEST_OPTIONS)
			break;
		if (end - p < 8)
			return false;
		len = next == NEXT_FRAGMENT ? 8 : (p[1] + 1u) * 8;
		if (len > end - p)
			return false;
		parts->routed |= next == NEXT_ROUTING && p[3];
		if (next == NEXT_FRAGMENT) {
			parts->fragment |= get16(p + 2) & 0xfff9;
			if (get16(p + 2) & 0xfff8)
				return false;
		}
		next = p[0];
		p += len;
	}
	parts->next = next;
	parts->l4 = p;
	parts->l4_bytes = (uint32_t)(end - p);
	return true;
}

static void find_ip6(struct parts *parts, uint8_t *p, uint32_t len)
{
	if (len < IP6_BYTES || p[0] >> 4 != 6 || IP6_BYTES + (uint32_t)get16(p + 4) > len)
		return;
	parts->ip = p;
	parts->is_ip6 = true;
	parts->ip_bytes = IP6_BYTES + get16(p + 4);
	find_l4_of_ip6(parts);
}

static void find_ip4(struct parts *parts, uint8_t *p, uint32_t len)
{
	uint32_t head_bytes = len ? (p[0] & 15) * 4u : 0;

	if (len < IP4_BYTES || p[0] >> 4 != 4 || head_bytes < IP4_BYTES ||
	    get16(p + 2) < head_bytes || get16(p + 2) > len)
		return;
	parts->ip = p;
	parts->ip_bytes = get16(p + 2);
	parts->fragment = get16(p + 6) & 0x3fff;
	parts->next = p[9];
	if (get16(p + 6) & 0x1fff)
		return;
	parts->l4 = p + head_bytes;
	parts->l4_bytes = parts->ip_bytes - head_bytes;
}

static struct parts find_parts(uint8_t *frame, uint32_t buf_bytes)
{
	uint8_t *type = frame + ETHER_BYTES - 2, *end = frame + buf_bytes;
	struct parts parts = { 0 };
	uint32_t left;

	while (is_vlan(type) && end - type >= VLAN_BYTES + 2)
		type += VLAN_BYTES;
	left = (uint32_t)(end - type) - 2;
	switch (get16(type)) {
	case TYPE_IP4:
		find_ip4(&parts, type + 2, left);
		break;
	case TYPE_IP6:
		find_ip6(&parts, type + 2, left);
		break;
	case TYPE_ARP:
		/* Ethernet and IPv4 */
		if (left >= ARP_BYTES && !memcmp(type + 2, "\0\1\10\0\6\4", 6))
			parts.arp = type + 2;
	}
	return parts;
}

/* The checksum in the L4 header; NULL: none, or not in this packet. */
static uint8_t *find_sum(const struct parts *parts)
{
	uint32_t at;

	switch (parts->next) {
	case NEXT_TCP:
		at = 16;
		break;
	case NEXT_UDP:
	case NEXT_UDPLITE:
		at = 6;
		break;
	case NEXT_ICMP6:
	case NEXT_ICMP:
	case NEXT_IGMP:
		at = 2;
		break;
	default:
		return NULL;
	}
	if (!parts->l4 || parts->l4_bytes < at + 2)
		return NULL;
	/* UDP over IPv4 may have no checksum. */
	if (parts->next == NEXT_UDP && !parts->is_ip6 && !get16(parts->l4 + at))
		return NULL;
	return parts->l4 + at;
}

static bool has_pseudo(const struct parts *parts)
{
	return parts->next != NEXT_ICMP && parts->next != NEXT_IGMP;
}

static void put_sum(const struct parts *parts, uint8_t *at, uint16_t sum)
{
	/* Zero would mean that there is none. */
	if (!sum && parts->next == NEXT_UDP)
		sum = 0xffff;
	memcpy(at, &sum, sizeof(sum));
}

/* RFC 1624 3: the new checksum when @old becomes @new, of even length. */
static uint16_t updated(const uint8_t *at, const uint8_t *old, const uint8_t *new, uint32_t len)
{
	uint16_t sum, word;
	uint32_t wide, i;

	memcpy(&sum, at, sizeof(sum));
	wide = (uint16_t)~sum;
	for (i = 0; i < len; i += 2) {
		memcpy(&word, old + i, sizeof(word));
		wide += (uint16_t)~word;
		memcpy(&word, new + i, sizeof(word));
		wide += word;
	}
	return frame_fold(wide);
}

static bool fits(const uint8_t *addr, const uint8_t *prefix, uint32_t bits)
{
	uint32_t bytes = bits / 8, rest = bits % 8;

	return !memcmp(addr, prefix, bytes) &&
	       (!rest || !((addr[bytes] ^ prefix[bytes]) >> (8 - rest)));
}

/* False if no prefix matches. */
static bool map_addr(const struct rewrite *rewrite, const uint8_t *addr, uint32_t addr_bytes,
		     uint8_t ret_addr[16])
{
	uint32_t i, bit;

	for (i = 0; i < rewrite->nr_prefixes; i++) {
		const struct rewrite_prefix *map = &rewrite->prefixes[i];

		if (map->addr_bytes != addr_bytes || !fits(addr, map->from, map->from_bits))
			continue;
		memcpy(ret_addr, addr, addr_bytes);
		memcpy(ret_addr, map->to, map->to_bits / 8);
		bit = map->to_bits % 8;
		if (bit) {
			uint8_t mask = (uint8_t)(0xff << (8 - bit)), *at = ret_addr + map->to_bits / 8;

			*at = (uint8_t)((map->to[map->to_bits / 8] & mask) | (*at & ~mask));
		}
		return true;
	}
	return false;
}

static void change_addr(const struct rewrite *rewrite, const struct parts *parts, uint8_t *addr,
			bool in_sum)
{
	uint32_t addr_bytes = parts->is_ip6 ? 16 : 4;
	uint8_t *sum = in_sum && has_pseudo(parts) ? find_sum(parts) : NULL;
	uint8_t new[16];

	if (!map_addr(rewrite, addr, addr_bytes, new))
		return;
	if (sum)
		put_sum(parts, sum, updated(sum, addr, new, addr_bytes));
	if (!parts->is_ip6) {
		uint16_t head_sum = updated(parts->ip + 10, addr, new, addr_bytes);

		memcpy(parts->ip + 10, &head_sum, sizeof(head_sum));
	}
	memcpy(addr, new, addr_bytes);
}

static void change_arp(const struct rewrite *rewrite, uint8_t *addr)
{
	uint8_t new[16];

	if (map_addr(rewrite, addr, 4, new))
		memcpy(addr, new, 4);
}

static void change_port(const struct rewrite *rewrite, const struct parts *parts, uint8_t *port)
{
	uint8_t *sum = find_sum(parts), new[2];
	uint32_t i;

	for (i = 0; i < rewrite->nr_ports; i++) {
		if (get16(port) != rewrite->ports[i].from)
			continue;
		put16(new, rewrite->ports[i].to);
		if (sum)
			put_sum(parts, sum, updated(sum, port, new, 2));
		memcpy(port, new, 2);
		return;
	}
}

static uint16_t compute(const struct parts *parts)
{
	uint32_t addr_bytes = parts->is_ip6 ? 16 : 4, covered = parts->l4_bytes, sum = 0;
	uint16_t pseudo[2] = { htons(parts->next), htons((uint16_t)parts->l4_bytes) };

	/* RFC 3828 3.1: 0 is the whole datagram. */
	if (parts->next == NEXT_UDPLITE && get16(parts->l4 + 4) >= 8 &&
	    get16(parts->l4 + 4) < covered)
		covered = get16(parts->l4 + 4);
	if (has_pseudo(parts)) {
		sum = frame_sum(sum, parts->ip + (parts->is_ip6 ? 8 : 12), 2 * addr_bytes);
		sum = frame_sum(sum, pseudo, sizeof(pseudo));
	}
	return frame_fold(frame_sum(sum, parts->l4, covered));
}

static void fix_sums(const struct parts *parts)
{
	uint8_t *sum = find_sum(parts);
	uint16_t head_sum = 0;

	if (!parts->is_ip6) {
		memcpy(parts->ip + 10, &head_sum, sizeof(head_sum));
		head_sum = frame_fold(frame_sum(0, parts->ip, (parts->ip[0] & 15) * 4u));
		memcpy(parts->ip + 10, &head_sum, sizeof(head_sum));
	}
	if (!sum || parts->fragment || parts->routed)
		return;
	memset(sum, 0, 2);
	put_sum(parts, sum, compute(parts));
}

static uint32_t change_vlan(const struct rewrite *rewrite, uint8_t *frame, uint32_t buf_bytes)
{
	uint8_t *type = frame + ETHER_BYTES - 2;

	while (rewrite->strip_vlan && is_vlan(type) && buf_bytes >= ETHER_BYTES + VLAN_BYTES) {
		buf_bytes -= VLAN_BYTES;
		memmove(type, type + VLAN_BYTES, buf_bytes - (ETHER_BYTES - 2));
	}
	if (!rewrite->push_vlan)
		return buf_bytes;
	memmove(type + VLAN_BYTES, type, buf_bytes - (ETHER_BYTES - 2));
	put16(type, TYPE_VLAN);
	put16(type + 2, rewrite->vlan_tci);
	return buf_bytes + VLAN_BYTES;
}

uint32_t rewrite_frame(const struct rewrite *rewrite, uint8_t *frame, uint32_t buf_bytes)
{
	struct parts parts;

	if (rewrite->set_dst_mac)
		memcpy(frame, rewrite->dst_mac, 6);
	if (rewrite->set_src_mac)
		memcpy(frame + 6, rewrite->src_mac, 6);
	buf_bytes = change_vlan(rewrite, frame, buf_bytes);
	if (!rewrite->nr_prefixes && !rewrite->nr_ports && !rewrite->fix_checksums)
		return buf_bytes;
	parts = find_parts(frame, buf_bytes);
	if (parts.arp) {
		change_arp(rewrite, parts.arp + 14);
		change_arp(rewrite, parts.arp + 24);
	}
	if (!parts.ip)
		return buf_bytes;
	change_addr(rewrite, &parts, parts.ip + (parts.is_ip6 ? 8 : 12), true);
	change_addr(rewrite, &parts, parts.ip + (parts.is_ip6 ? 24 : 16), !parts.routed);
	if (parts.l4 && parts.l4_bytes >= 4 && (parts.next == NEXT_TCP || parts.next == NEXT_UDP ||
						parts.next == NEXT_UDPLITE)) {
		change_port(rewrite, &parts, parts.l4);
		change_port(rewrite, &parts, parts.l4 + 2);
	}
	if (rewrite->fix_checksums)
		fix_sums(&parts);
	return buf_bytes;
}

uint16_t rewrite_clear_tag(uint8_t *frame, uint32_t buf_bytes)
{
	static const uint8_t zeros[TAG_BYTES];
	struct parts parts = find_parts(frame, buf_bytes);
	uint8_t *sum, *tag;
	uint32_t udp_bytes;

	if (!parts.l4 || parts.next != NEXT_UDP || parts.fragment || parts.routed ||
	    parts.l4_bytes < UDP_BYTES + TAG_BYTES)
		return 0;
	udp_bytes = get16(parts.l4 + 4);
	if (udp_bytes < UDP_BYTES + TAG_BYTES || udp_bytes > parts.l4_bytes)
		return 0;
	tag = parts.l4 + UDP_BYTES;
	sum = find_sum(&parts);
	if (sum)
		put_sum(&parts, sum, updated(sum, tag, zeros, TAG_BYTES));
	memset(tag, 0, TAG_BYTES);
	return (uint16_t)(tag - frame);
}

static bool parse_port(const char *text, size_t len, uint16_t *ret_port)
{
	unsigned long port = 0;
	size_t i;

	for (i = 0; i < len; i++) {
		if (text[i] < '0' || text[i] > '9' || i == 5)
			return false;
		port = port * 10 + (unsigned long)(text[i] - '0');
	}
	if (!len || port > UINT16_MAX)
		return false;
	*ret_port = (uint16_t)port;
	return true;
}

static bool add_prefix(struct rewrite *rewrite, const char *text, size_t from_len, size_t len)
{
	struct rewrite_prefix *map = &rewrite->prefixes[rewrite->nr_prefixes];
	struct prefix from, to;

	if (!prefix_parse(text, from_len, &from) ||
	    !prefix_parse(text + from_len + 1, len - from_len - 1, &to) ||
	    to.addr_bytes != from.addr_bytes)
		return false;
	*map = (struct rewrite_prefix){
		.addr_bytes = from.addr_bytes, .from_bits = from.bits, .to_bits = to.bits,
	};
	memcpy(map->from, from.addr, sizeof(map->from));
	memcpy(map->to, to.addr, sizeof(map->to));
	rewrite->nr_prefixes++;
	return true;
}

static bool add_port(struct rewrite *rewrite, const char *text, size_t from_len, size_t len)
{
	uint32_t at = rewrite->nr_ports;

	if (!parse_port(text, from_len, &rewrite->ports[at].from) ||
	    !parse_port(text + from_len + 1, len - from_len - 1, &rewrite->ports[at].to))
		return false;
	rewrite->nr_ports++;
	return true;
}

/* Splits entries "FROM=TO" at commas and passes each to @add. */
static int parse_list(struct rewrite *rewrite, const char *option, const char *text,
		      const char *shape, bool (*add)(struct rewrite *, const char *, size_t, size_t),
		      struct err *e)
{
	const char *entry = text;
	uint32_t nr = 0;

	for (;;) {
		size_t len = strcspn(entry, ","), from_len = strcspn(entry, "=,");

		if (nr++ == REWRITE_MAX_MAPS)
			return err_usage(e, "%s accepts at most %d entries", option, REWRITE_MAX_MAPS);
		if (from_len == len || !add(rewrite, entry, from_len, len))
			return err_usage(e, "%s '%.*s' is not of the form %s", option,
					 (int)len, entry, shape);
		if (!entry[len])
			return 0;
		entry += len + 1;
	}
}

int rewrite_parse_prefixes(struct rewrite *rewrite, const char *option, const char *text,
			   struct err *e)
{
	rewrite->nr_prefixes = 0;
	return parse_list(rewrite, option, text, "10.0.0.0/8=198.18.0.0/15, two prefixes of one "
			  "family with no bits after them", add_prefix, e);
}

int rewrite_parse_ports(struct rewrite *rewrite, const char *option, const char *text,
			struct err *e)
{
	rewrite->nr_ports = 0;
	return parse_list(rewrite, option, text, "80=8080", add_port, e);
}
