/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proto/frame.h - build the frame of a stream: Ethernet, VLAN, IPv4 or IPv6, UDP.
 *
 * All lengths and checksums are filled in. A tagged frame's UDP checksum is computed without the
 * tag's 18 bytes, which is correct for every packet as long as each tag carries its complement
 * (abi/tag.h).
 */
#ifndef PROTO_FRAME_H
#define PROTO_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <netinet/in.h>

#include "abi/tag.h"
#include "lib/err.h"

#define FRAME_MAX_BYTES 9216	/* frame_bytes: jumbo frames as supported by switches */

struct frame_addr {
	int family;		/* AF_INET or AF_INET6 */
	union {
		struct in_addr ip4;
		struct in6_addr ip6;
	};
};

struct frame_spec {
	uint8_t dst_mac[6], src_mac[6];
	bool has_vlan;
	uint16_t vlan_id;	/* 0..4095 */
	uint8_t vlan_pcp;	/* 0..7 */
	struct frame_addr src, dst;	/* both of one family */
	uint16_t src_port, dst_port;	/* host order */
	uint8_t dscp;		/* 0..63 */
	uint8_t ttl;		/* or hop limit */
	uint32_t frame_bytes;	/* as in RFC 2544: with FCS, and with the VLAN tag if any */
	bool tagged;
	bool patterned;		/* with a tag: the payload pattern follows it */
	uint16_t stream;
};

/* "198.18.0.2" or "2001:2::2"; false if @text is neither. */
bool frame_parse_addr(const char *text, struct frame_addr *ret_addr);
char *frame_show_addr(char *buf, size_t size, const struct frame_addr *addr);

/* Smallest frame_bytes for @spec's headers (at least 64), and for its tag if it is tagged. */
uint32_t frame_min_bytes(const struct frame_spec *spec);

/*
 * Writes the frame without FCS: frame_bytes - 4 bytes into @buf. Sets *ret_tag_offset to the tag's
 * offset, 0 if there is none. The tag has run 0, sequence 0, time 0 and a valid check and
 * complement. Payload bytes after it are 0, or the payload pattern.
 */
int frame_build(const struct frame_spec *spec, uint8_t *buf, size_t buf_size,
		uint16_t *ret_tag_offset, struct err *e);

/* Writes the tag at @tag (abi/tag.h); @sent_ns 0: no timestamp. */
void frame_write_tag(uint8_t *tag, uint16_t run, uint16_t stream, uint32_t sequence, uint64_t sent_ns);

/* The tag of a UDP packet without VLAN tag and IP options; false: it has none. */
bool frame_find_tag(const uint8_t *buf, uint32_t buf_bytes, struct tag_fields *ret_fields);

/* The time in the tag at @tag, by the clock that shows @now_ns; 0: none. */
uint64_t frame_read_stamp(const uint8_t *tag, uint64_t now_ns);

/* The layer whose bytes a rate counts. */
enum frame_layer {
	FRAME_L1,	/* everything that takes time on the wire: frame, preamble, delimiter and
			 * gap */
	FRAME_L2,	/* the frame with its FCS */
	FRAME_L3,	/* the IP packet, as limited by the MTU */
	FRAME_PAYLOAD,	/* UDP payload, including the tag */
};

/* Bytes of @spec's frame that @layer counts. */
uint32_t frame_layer_bytes(const struct frame_spec *spec, enum frame_layer layer);

/* RFC 1071, over @len bytes, starting from @sum; fold with frame_fold(). */
uint32_t frame_sum(uint32_t sum, const void *data, size_t len);
uint16_t frame_fold(uint32_t sum);

/* frames a second that a link of @link_bps carries; RFC 2544 appendix B */
double frame_max_pps(uint64_t link_bps, uint32_t frame_bytes);

#endif
