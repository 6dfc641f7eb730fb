/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proto/rewrite.h - change a captured frame: MACs, addresses, ports, VLAN tags.
 *
 * Checksums are updated incrementally (RFC 1624), so a wrong one stays wrong, unless all are
 * recomputed. Frames that are not IP or ARP, or that contradict their own lengths, are unchanged
 * after the Ethernet header.
 */
#ifndef PROTO_REWRITE_H
#define PROTO_REWRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"

#define REWRITE_MAX_MAPS 32
#define REWRITE_ROOM_BYTES 4	/* maximum growth of a frame */

struct rewrite_prefix {
	uint32_t addr_bytes;		/* 4 or 16 */
	uint32_t from_bits, to_bits;
	uint8_t from[16], to[16];
};

struct rewrite {
	bool set_src_mac, set_dst_mac;
	uint8_t src_mac[6], dst_mac[6];
	bool strip_vlan, push_vlan;	/* strip all tags, before pushing one */
	uint16_t vlan_tci;
	bool fix_checksums;
	uint32_t nr_prefixes, nr_ports;
	struct rewrite_prefix prefixes[REWRITE_MAX_MAPS];	/* the first match applies */
	struct { uint16_t from, to; } ports[REWRITE_MAX_MAPS];	/* likewise */
};

/* "10.0.0.0/8=198.18.0.0/15,2001:db8::/32=2001:2::/48"; @option names it in errors. */
int rewrite_parse_prefixes(struct rewrite *rewrite, const char *option, const char *text,
			   struct err *e);

/* "80=8080,443=8443" */
int rewrite_parse_ports(struct rewrite *rewrite, const char *option, const char *text,
			struct err *e);

/*
 * Changes the frame of @buf_bytes (at least 14) without FCS in place, with
 * REWRITE_ROOM_BYTES after it; returns its new length.
 */
uint32_t rewrite_frame(const struct rewrite *rewrite, uint8_t *frame, uint32_t buf_bytes);

/*
 * Clears the bytes of the probe tag (abi/tag.h) in a UDP packet's payload and updates the checksum,
 * which then stays valid with any tag written there. Returns its offset; 0, with nothing changed:
 * the frame is not a complete UDP packet, or its payload is too short.
 */
uint16_t rewrite_clear_tag(uint8_t *frame, uint32_t buf_bytes);

#endif
