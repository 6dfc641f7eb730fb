// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/frame.c - build the frame of a stream.
 */
#include "proto/frame.h"

#include <arpa/inet.h>
#include <endian.h>
#include <string.h>

#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>

#include "lib/unit.h"
#include "proto/payload.h"

#define VLAN_BYTES	4
#define IP4_DONT_FRAGMENT 0x4000

bool frame_parse_addr(const char *text, struct frame_addr *ret_addr)
{
	struct frame_addr addr = { .family = AF_INET };

	if (inet_pton(AF_INET, text, &addr.ip4) != 1) {
		addr.family = AF_INET6;
		if (inet_pton(AF_INET6, text, &addr.ip6) != 1)
			return false;
	}
	*ret_addr = addr;
	return true;
}

char *frame_show_addr(char *buf, size_t size, const struct frame_addr *addr)
{
	if (!inet_ntop(addr->family, &addr->ip6, buf, (socklen_t)size) && size)
		buf[0] = '\0';
	return buf;
}

static bool is_ip6(const struct frame_spec *spec)
{
	return spec->dst.family == AF_INET6;
}

/* Headers up to and including UDP's. */
static uint32_t header_bytes(const struct frame_spec *spec)
{
	return ETH_HLEN + (spec->has_vlan ? VLAN_BYTES : 0) +
	       (is_ip6(spec) ? sizeof(struct ipv6hdr) : sizeof(struct iphdr)) +
	       sizeof(struct udphdr);
}

uint32_t frame_min_bytes(const struct frame_spec *spec)
{
	uint32_t bytes = header_bytes(spec) + (spec->tagged ? TAG_BYTES : 0) + UNIT_FCS_BYTES;

	return bytes > UNIT_MIN_FRAME_BYTES ? bytes : UNIT_MIN_FRAME_BYTES;
}

uint32_t frame_layer_bytes(const struct frame_spec *spec, enum frame_layer layer)
{
	switch (layer) {
	case FRAME_L1:
		return spec->frame_bytes + UNIT_GAP_BYTES;
	case FRAME_L2:
		return spec->frame_bytes;
	case FRAME_L3:
		return spec->frame_bytes - UNIT_FCS_BYTES - ETH_HLEN -
		       (spec->has_vlan ? VLAN_BYTES : 0);
	case FRAME_PAYLOAD:
		break;
	}
	return spec->frame_bytes - UNIT_FCS_BYTES - header_bytes(spec);
}

/* RFC 1071 1: the sum of the words as stored in memory is correct in either byte order. */
uint32_t frame_sum(uint32_t sum, const void *data, size_t len)
{
	const uint8_t *bytes = data;
	uint64_t wide = sum;
	uint16_t word;

	for (; len >= 2; bytes += 2, len -= 2) {
		memcpy(&word, bytes, sizeof(word));
		wide += word;
	}
	if (len) {
		word = 0;
		memcpy(&word, bytes, 1);
		wide += word;
	}
	while (wide >> 32)
		wide = (wide & 0xffffffff) + (wide >> 32);
	return (uint32_t)wide;
}

uint16_t frame_fold(uint32_t sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

static uint8_t *put_ether(uint8_t *p, const struct frame_spec *spec)
{
	uint16_t proto = htons(is_ip6(spec) ? ETH_P_IPV6 : ETH_P_IP);
	uint16_t vlan[2] = {
		htons(ETH_P_8021Q), htons((uint16_t)(spec->vlan_pcp << 13 | spec->vlan_id)),
	};

	memcpy(p, spec->dst_mac, ETH_ALEN);
	memcpy(p + ETH_ALEN, spec->src_mac, ETH_ALEN);
	p += 2 * ETH_ALEN;
	if (spec->has_vlan) {
		memcpy(p, vlan, sizeof(vlan));
		p += sizeof(vlan);
	}
	memcpy(p, &proto, sizeof(proto));
	return p + sizeof(proto);
}

/* Identification 0 with "don't fragment": an atomic datagram, RFC 6864 4.1 */
static uint8_t *put_ip4(uint8_t *p, const struct frame_spec *spec, uint16_t udp_bytes)
{
	struct iphdr ip = {
		.version = 4, .ihl = 5, .tos = (uint8_t)(spec->dscp << 2), .ttl = spec->ttl,
		.tot_len = htons((uint16_t)(sizeof(ip) + udp_bytes)),
		.frag_off = htons(IP4_DONT_FRAGMENT), .protocol = IPPROTO_UDP,
		.saddr = spec->src.ip4.s_addr, .daddr = spec->dst.ip4.s_addr,
	};

	ip.check = frame_fold(frame_sum(0, &ip, sizeof(ip)));
	memcpy(p, &ip, sizeof(ip));
	return p + sizeof(ip);
}

static uint8_t *put_ip6(uint8_t *p, const struct frame_spec *spec, uint16_t udp_bytes)
{
	struct ipv6hdr ip = {
		.version = 6, .priority = (uint8_t)(spec->dscp >> 2),
		.flow_lbl = { (uint8_t)((spec->dscp & 3) << 6) },
		.payload_len = htons(udp_bytes), .nexthdr = IPPROTO_UDP, .hop_limit = spec->ttl,
	};

	memcpy(&ip.saddr, &spec->src.ip6, sizeof(ip.saddr));
	memcpy(&ip.daddr, &spec->dst.ip6, sizeof(ip.daddr));
	memcpy(p, &ip, sizeof(ip));
	return p + sizeof(ip);
}

/*
 * The payload is there already, but for the tag, which adds nothing: it sums to zero in one's
 * complement. So this checksum is valid for every packet.
 */
static void put_udp(uint8_t *p, const struct frame_spec *spec, uint16_t udp_bytes)
{
	struct udphdr udp = {
		.source = htons(spec->src_port), .dest = htons(spec->dst_port),
		.len = htons(udp_bytes),
	};
	uint16_t pseudo[2] = { htons(IPPROTO_UDP), htons(udp_bytes) };
	size_t addr_bytes = is_ip6(spec) ? sizeof(spec->src.ip6) : sizeof(spec->src.ip4);
	uint32_t sum;

	sum = frame_sum(0, &spec->src.ip6, addr_bytes);
	sum = frame_sum(sum, &spec->dst.ip6, addr_bytes);
	sum = frame_sum(sum, pseudo, sizeof(pseudo));
	sum = frame_sum(sum, p + sizeof(udp), udp_bytes - sizeof(udp));
	udp.check = frame_fold(frame_sum(sum, &udp, sizeof(udp)));
	if (!udp.check)
		udp.check = 0xffff;	/* 0 would mean "not computed", RFC 768 and RFC 8200 8.1 */
	memcpy(p, &udp, sizeof(udp));
}

static int check_spec(const struct frame_spec *spec, struct err *e)
{
	uint32_t min = frame_min_bytes(spec);

	if (spec->src.family != spec->dst.family)
		return err_usage(e, "source and destination address must be of the same IP version");
	if (spec->frame_bytes < min && min == UNIT_MIN_FRAME_BYTES)
		return err_usage(e, "a frame of %u bytes is too small: Ethernet requires at least "
				 "%u bytes with the FCS", spec->frame_bytes, min);
	if (spec->frame_bytes < min)
		return err_usage(e, "a frame of %u bytes is too small: a %sUDP/%s frame%s "
				 "requires at least %u bytes with the FCS", spec->frame_bytes,
				 spec->tagged ? "tagged " : "", is_ip6(spec) ? "IPv6" : "IPv4",
				 spec->has_vlan ? " in a VLAN" : "", min);
	if (spec->frame_bytes > FRAME_MAX_BYTES)
		return err_usage(e, "a frame of %u bytes is too large: at most %u bytes with the "
				 "FCS", spec->frame_bytes, FRAME_MAX_BYTES);
	if (spec->vlan_id > 4095 || spec->vlan_pcp > 7 || spec->dscp > 63)
		return err_usage(e, "VLAN %u, priority %u or DSCP %u is out of range: at most "
				 "4095, 7 and 63", spec->vlan_id, spec->vlan_pcp, spec->dscp);
	return 0;
}

int frame_build(const struct frame_spec *spec, uint8_t *buf, size_t buf_size,
		uint16_t *ret_tag_offset, struct err *e)
{
	uint32_t buf_bytes = spec->frame_bytes - UNIT_FCS_BYTES, head = header_bytes(spec);
	uint16_t udp_bytes;
	uint8_t *p;
	int err;

	err = check_spec(spec, e);
	if (err)
		return err;
	if (buf_bytes > buf_size)
		return err_usage(e, "a frame of %u bytes is too large: at most %zu",
				 spec->frame_bytes, buf_size + UNIT_FCS_BYTES);
	memset(buf, 0, buf_bytes);
	if (spec->tagged && spec->patterned)
		payload_fill(buf + head + TAG_BYTES, buf_bytes - head - TAG_BYTES);
	udp_bytes = (uint16_t)(buf_bytes - head + sizeof(struct udphdr));
	p = put_ether(buf, spec);
	p = is_ip6(spec) ? put_ip6(p, spec, udp_bytes) : put_ip4(p, spec, udp_bytes);
	put_udp(p, spec, udp_bytes);
	if (spec->tagged)
		frame_write_tag(buf + head, 0, spec->stream, 0, 0);
	*ret_tag_offset = spec->tagged ? (uint16_t)head : 0;
	return 0;
}

void frame_write_tag(uint8_t *tag, uint16_t run, uint16_t stream, uint32_t sequence, uint64_t sent_ns)
{
	struct tag t;

	tag_write(&t, run, stream, sequence, sent_ns);
	memcpy(tag, &t, sizeof(t));
}

double frame_max_pps(uint64_t link_bps, uint32_t frame_bytes)
{
	return (double)link_bps / (8.0 * (frame_bytes + UNIT_GAP_BYTES));
}

static bool read_tag(const uint8_t *tag, struct tag_fields *ret_fields)
{
	struct tag t;

	memcpy(&t, tag, sizeof(t));
	return tag_read(t.high, t.low, t.complement, ret_fields);
}

bool frame_find_tag(const uint8_t *buf, uint32_t buf_bytes, struct tag_fields *ret_fields)
{
	const uint32_t ip4 = ETH_HLEN + sizeof(struct iphdr) + sizeof(struct udphdr);
	const uint32_t ip6 = ETH_HLEN + sizeof(struct ipv6hdr) + sizeof(struct udphdr);
	const uint8_t *ip = buf + ETH_HLEN;
	uint16_t type;

	if (buf_bytes < ip4 + TAG_BYTES)
		return false;
	type = (uint16_t)(buf[12] << 8 | buf[13]);
	if (type == ETH_P_IP && ip[0] == 0x45 && ip[9] == IPPROTO_UDP)
		return read_tag(buf + ip4, ret_fields);
	return type == ETH_P_IPV6 && ip[6] == IPPROTO_UDP && buf_bytes >= ip6 + TAG_BYTES &&
	       read_tag(buf + ip6, ret_fields);
}

uint64_t frame_read_stamp(const uint8_t *tag, uint64_t now_ns)
{
	struct tag_fields fields = { 0 };

	if (!read_tag(tag, &fields) || !fields.time)
		return 0;
	return tag_widen(fields.time, now_ns);
}
