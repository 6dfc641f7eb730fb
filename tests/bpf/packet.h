/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * packet.h - frames for tests, made without a line of the product's code.
 */
#ifndef TESTS_PACKET_H
#define TESTS_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PACKET_MAX_BYTES 16384

/* Every number is in host order. Zeroed fields give plain UDP/IPv4 between fixed ends. */
struct packet_spec {
	unsigned int version;		/* 4 (also 0) or 6 */
	unsigned int vlans;		/* tags, up to 3; the outermost is 802.1ad from 2 on */
	unsigned int option_bytes;	/* of IPv4 options: NOPs, a multiple of 4 up to 40 */
	unsigned int extensions;	/* IPv6 destination options headers of 8 bytes */
	bool echo;			/* an echo request instead of UDP */
	uint16_t src_port, dst_port;	/* 0: 50021 and 7 */
	uint16_t echo_id, echo_sequence;
	const void *payload;		/* NULL: a pattern */
	size_t payload_bytes;
	size_t pad_to_bytes;		/* zeros behind the packet up to this length */
};

struct packet_frame {
	uint8_t bytes[PACKET_MAX_BYTES];
	size_t len;			/* without FCS */
	size_t l3, l4;			/* offsets */
	size_t ip_end;			/* where padding starts */
	unsigned int version;
	bool echo;
};

extern const uint8_t packet_client_mac[6], packet_server_mac[6];

void packet_build(struct packet_frame *ret_frame, const struct packet_spec *spec);

/* IPv4's length or IPv6's payload length so that the packet ends at @end. */
void packet_set_ip_end(struct packet_frame *frame, size_t end);

/* The UDP length field. */
void packet_set_udp_bytes(struct packet_frame *frame, uint16_t bytes);

/* Writes the L4 checksum that is right for the bytes as they are. */
void packet_set_checksum(struct packet_frame *frame);

/* Recomputed from the bytes alone: IPv4's header, and UDP or ICMP up to the packet's end. */
bool packet_checksums_are_right(const struct packet_frame *frame);

/* One's complement sum of the bytes, folded; an odd last byte is padded with 0 (RFC 1071). */
uint16_t packet_sum(const void *bytes, size_t len, uint32_t start);

/* The probe tag as the wire has it: big-endian, check first, complement last. */
void packet_tag(uint8_t tag[18], uint16_t run, uint16_t stream, uint32_t sequence, uint64_t sent_ns);
bool packet_tag_is_right(const uint8_t tag[18]);

/* The payload pattern: what follows the tag. */
void packet_pattern(void *at, size_t bytes);

#define PACKET_RUN 0x1234	/* of tests that have one run */

#endif
