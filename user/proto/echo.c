// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/echo.c - ICMP and ICMPv6 echo requests that carry the probe tag.
 */
#include "proto/echo.h"

#include <arpa/inet.h>
#include <string.h>

#include <linux/ip.h>
#include <linux/ipv6.h>

#include "abi/tag.h"
#include "lib/unit.h"

#define REQUEST4	8	/* RFC 792 */
#define REQUEST6	128	/* RFC 4443 4.1 */

/* RFC 792, RFC 4443 4.1 */
struct echo {
	uint8_t type, code;
	uint16_t check, id, number;
};

static void become_ip4(uint8_t *at)
{
	struct iphdr ip;

	memcpy(&ip, at, sizeof(ip));
	ip.protocol = IPPROTO_ICMP;
	ip.check = 0;
	ip.check = frame_fold(frame_sum(0, &ip, sizeof(ip)));
	memcpy(at, &ip, sizeof(ip));
}

/* RFC 4443 2.3: with a pseudo-header, which ICMP lacks. */
static uint32_t become_ip6(uint8_t *at)
{
	struct ipv6hdr ip;
	uint16_t pseudo[2] = { htons(IPPROTO_ICMPV6) };
	uint32_t sum;

	memcpy(&ip, at, sizeof(ip));
	ip.nexthdr = IPPROTO_ICMPV6;
	memcpy(at, &ip, sizeof(ip));
	pseudo[1] = ip.payload_len;
	sum = frame_sum(0, &ip.saddr, sizeof(ip.saddr));
	sum = frame_sum(sum, &ip.daddr, sizeof(ip.daddr));
	return frame_sum(sum, pseudo, sizeof(pseudo));
}

int echo_build(const struct frame_spec *spec, uint16_t id, uint8_t *buf, size_t buf_size,
	       uint16_t *ret_tag_offset, uint16_t *ret_check, struct err *e)
{
	bool ip6 = spec->dst.family == AF_INET6;
	struct echo echo = { .type = ip6 ? REQUEST6 : REQUEST4, .id = htons(id) };
	uint16_t tag_offset;
	uint8_t *at;
	uint32_t sum = 0, rest;
	int err;

	err = frame_build(spec, buf, buf_size, &tag_offset, e);
	if (err)
		return err;
	at = buf + tag_offset - sizeof(echo);
	if (ip6)
		sum = become_ip6(at - sizeof(struct ipv6hdr));
	else
		become_ip4(at - sizeof(struct iphdr));
	/* The tag sums to zero. */
	rest = tag_offset + TAG_BYTES;
	sum = frame_sum(sum, buf + rest, spec->frame_bytes - UNIT_FCS_BYTES - rest);
	echo.check = frame_fold(frame_sum(sum, &echo, sizeof(echo)));
	memcpy(at, &echo, sizeof(echo));
	*ret_tag_offset = tag_offset;
	*ret_check = echo.check;
	return 0;
}

void echo_write_number(uint8_t *echo, uint16_t check, uint16_t number)
{
	uint16_t word = htons(number);

	memcpy(echo + offsetof(struct echo, number), &word, sizeof(word));
	/* RFC 1624, equation 3, starting from number 0 */
	word = frame_fold((uint32_t)(uint16_t)~check + word);
	memcpy(echo + offsetof(struct echo, check), &word, sizeof(word));
}
