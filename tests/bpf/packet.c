// SPDX-License-Identifier: GPL-2.0-or-later
#include "packet.h"

#include <assert.h>
#include <string.h>

const uint8_t packet_client_mac[6] = { 2, 0, 0, 0, 0, 1 };
const uint8_t packet_server_mac[6] = { 2, 0, 0, 0, 0, 2 };

static const uint8_t client4[4] = { 198, 18, 0, 1 }, server4[4] = { 198, 18, 0, 2 };
static const uint8_t client6[16] = { 0x20, 1, 0, 2, [15] = 1 };
static const uint8_t server6[16] = { 0x20, 1, 0, 2, [15] = 2 };

static void put(struct packet_frame *frame, const void *bytes, size_t len)
{
	assert(frame->len + len <= sizeof(frame->bytes));
	memcpy(frame->bytes + frame->len, bytes, len);
	frame->len += len;
}

static void put8(struct packet_frame *frame, uint8_t value)
{
	put(frame, &value, 1);
}

static void set16(struct packet_frame *frame, size_t at, uint16_t value)
{
	frame->bytes[at] = (uint8_t)(value >> 8);
	frame->bytes[at + 1] = (uint8_t)value;
}

static uint16_t get16(const struct packet_frame *frame, size_t at)
{
	return (uint16_t)(frame->bytes[at] << 8 | frame->bytes[at + 1]);
}

static void put16(struct packet_frame *frame, uint16_t value)
{
	put8(frame, (uint8_t)(value >> 8));
	put8(frame, (uint8_t)value);
}

uint16_t packet_sum(const void *bytes, size_t len, uint32_t start)
{
	const uint8_t *p = bytes;
	uint64_t sum = start;
	size_t i;

	for (i = 0; i < len; i++)
		sum += i & 1 ? p[i] : (uint64_t)p[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

static size_t ip4_header_bytes(const struct packet_frame *frame)
{
	return (frame->bytes[frame->l3] & 0xf) * 4u;
}

/* Of the L4 part with its pseudo header; ICMP over IPv4 has none. */
static uint16_t l4_sum(const struct packet_frame *frame)
{
	size_t len = frame->ip_end - frame->l4;
	uint32_t pseudo = 0;

	if (frame->version == 6)
		pseudo = packet_sum(frame->bytes + frame->l3 + 8, 32,
				    (uint32_t)len + (frame->echo ? 58 : 17));
	else if (!frame->echo)
		pseudo = packet_sum(frame->bytes + frame->l3 + 12, 8, (uint32_t)len + 17);
	return packet_sum(frame->bytes + frame->l4, len, pseudo);
}

static size_t l4_checksum_at(const struct packet_frame *frame)
{
	return frame->l4 + (frame->echo ? 2 : 6);
}

static void put_eth(struct packet_frame *frame, const struct packet_spec *spec)
{
	unsigned int i;

	put(frame, packet_server_mac, 6);
	put(frame, packet_client_mac, 6);
	for (i = 0; i < spec->vlans; i++) {
		put16(frame, spec->vlans > 1 && !i ? 0x88a8 : 0x8100);
		put16(frame, (uint16_t)(100 + i));
	}
	put16(frame, frame->version == 6 ? 0x86dd : 0x0800);
}

static void put_ip4(struct packet_frame *frame, const struct packet_spec *spec)
{
	unsigned int i;

	put8(frame, (uint8_t)(0x45 + spec->option_bytes / 4));
	put8(frame, 0);
	put16(frame, 0);		/* length: later */
	put16(frame, 4711);
	put16(frame, 0);
	put8(frame, 64);
	put8(frame, spec->echo ? 1 : 17);
	put16(frame, 0);		/* checksum: later */
	put(frame, client4, 4);
	put(frame, server4, 4);
	for (i = 0; i < spec->option_bytes; i++)
		put8(frame, 1);
}

static void put_ip6(struct packet_frame *frame, const struct packet_spec *spec)
{
	uint8_t proto = spec->echo ? 58 : 17;
	unsigned int i;

	put16(frame, 0x6000);
	put16(frame, 0);
	put16(frame, 0);		/* length: later */
	put8(frame, spec->extensions ? 60 : proto);
	put8(frame, 64);
	put(frame, client6, 16);
	put(frame, server6, 16);
	for (i = 0; i < spec->extensions; i++) {
		put8(frame, i + 1 < spec->extensions ? 60 : proto);
		put8(frame, 0);
		put(frame, "\1\4\0\0\0\0", 6);	/* PadN */
	}
}

static void put_l4(struct packet_frame *frame, const struct packet_spec *spec)
{
	if (spec->echo) {
		put16(frame, frame->version == 6 ? 0x8000 : 0x0800);
		put16(frame, 0);
		put16(frame, spec->echo_id);
		put16(frame, spec->echo_sequence);
	} else {
		put16(frame, spec->src_port ? spec->src_port : 50021);
		put16(frame, spec->dst_port ? spec->dst_port : 7);
		put16(frame, (uint16_t)(8 + spec->payload_bytes));
		put16(frame, 0);
	}
}

void packet_build(struct packet_frame *ret_frame, const struct packet_spec *spec)
{
	struct packet_frame *frame = ret_frame;
	size_t i;

	memset(frame, 0, sizeof(*frame));
	frame->version = spec->version == 6 ? 6 : 4;
	frame->echo = spec->echo;
	put_eth(frame, spec);
	frame->l3 = frame->len;
	if (frame->version == 6)
		put_ip6(frame, spec);
	else
		put_ip4(frame, spec);
	frame->l4 = frame->len;
	put_l4(frame, spec);
	if (spec->payload)
		put(frame, spec->payload, spec->payload_bytes);
	for (i = 0; !spec->payload && i < spec->payload_bytes; i++)
		put8(frame, (uint8_t)(i * 7 + 3));
	packet_set_ip_end(frame, frame->len);
	packet_set_checksum(frame);
	while (frame->len < spec->pad_to_bytes)
		put8(frame, 0);
}

void packet_set_ip_end(struct packet_frame *frame, size_t end)
{
	size_t l3 = frame->l3;

	frame->ip_end = end;
	if (frame->version == 6) {
		set16(frame, l3 + 4, (uint16_t)(end - l3 - 40));
		return;
	}
	set16(frame, l3 + 2, (uint16_t)(end - l3));
	set16(frame, l3 + 10, 0);
	set16(frame, l3 + 10, (uint16_t)~packet_sum(frame->bytes + l3, ip4_header_bytes(frame), 0));
}

void packet_set_checksum(struct packet_frame *frame)
{
	uint16_t check;

	set16(frame, l4_checksum_at(frame), 0);
	check = (uint16_t)~l4_sum(frame);
	set16(frame, l4_checksum_at(frame), !check && !frame->echo ? 0xffff : check);
}

void packet_set_udp_bytes(struct packet_frame *frame, uint16_t bytes)
{
	set16(frame, frame->l4 + 4, bytes);
}

bool packet_checksums_are_right(const struct packet_frame *frame)
{
	if (frame->version == 4 &&
	    packet_sum(frame->bytes + frame->l3, ip4_header_bytes(frame), 0) != 0xffff)
		return false;
	if (frame->version == 4 && !frame->echo && !get16(frame, l4_checksum_at(frame)))
		return true;	/* none */
	return l4_sum(frame) == 0xffff;
}

/* The words of @bytes, big-endian, times and xors as the tag's description has them. */
static uint16_t tag_check(const uint8_t tag[18])
{
	unsigned __int128 product;
	uint64_t fields = 0, rest = 0, mix;
	int i;

	for (i = 2; i < 8; i++)
		fields = fields << 8 | tag[i];
	for (i = 8; i < 16; i++)
		rest = rest << 8 | tag[i];
	product = (unsigned __int128)((fields << 16) ^ 0x7461672d32000000) * 0x9e3779b97f4a7c15;
	mix = (uint64_t)product;
	mix = mix ^ (mix >> 32) ^ rest;
	mix = (uint64_t)((unsigned __int128)mix * 0xbf58476d1ce4e5b9);
	mix ^= mix >> 32;
	product = (unsigned __int128)mix * 0x94d049bb133111eb;
	return (uint16_t)((uint64_t)product >> 48);
}

bool packet_tag_is_right(const uint8_t tag[18])
{
	return (tag[0] << 8 | tag[1]) == tag_check(tag) && packet_sum(tag, 18, 0) == 0xffff;
}

void packet_tag(uint8_t tag[18], uint16_t run, uint16_t stream, uint32_t sequence, uint64_t sent_ns)
{
	uint16_t sum;
	int i;

	for (i = 0; i < 2; i++) {
		tag[2 + i] = (uint8_t)(run >> (8 * (1 - i)));
		tag[4 + i] = (uint8_t)(stream >> (8 * (1 - i)));
	}
	for (i = 0; i < 4; i++)
		tag[6 + i] = (uint8_t)(sequence >> (8 * (3 - i)));
	for (i = 0; i < 6; i++)
		tag[10 + i] = (uint8_t)(sent_ns >> (8 * (5 - i)));
	sum = tag_check(tag);
	tag[0] = (uint8_t)(sum >> 8);
	tag[1] = (uint8_t)sum;
	sum = (uint16_t)~packet_sum(tag, 16, 0);
	tag[16] = (uint8_t)(sum >> 8);
	tag[17] = (uint8_t)sum;
}

void packet_pattern(void *at, size_t bytes)
{
	uint8_t *p = at;
	uint64_t mix = 0;
	size_t i;

	for (i = 0; i < bytes; i++) {
		if (i % 8 == 0) {
			mix = 0x7061796c6f616421 + i / 8 * 0x9e3779b97f4a7c15;
			mix = (mix ^ mix >> 30) * 0xbf58476d1ce4e5b9;
			mix = (mix ^ mix >> 27) * 0x94d049bb133111eb;
			mix ^= mix >> 31;
		}
		p[i] = (uint8_t)(mix >> (56 - 8 * (i % 4)));
		if (i % 8 >= 4)
			p[i] = (uint8_t)~p[i];
	}
}
