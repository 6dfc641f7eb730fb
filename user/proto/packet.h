/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proto/packet.h - the packets of a stream: a template, and the fields that change in it.
 */
#ifndef PROTO_PACKET_H
#define PROTO_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/field.h"

#define PACKET_MAX_BYTES 9212	/* without FCS */

struct packet {
	uint8_t bytes[PACKET_MAX_BYTES];	/* with matching checksums */
	uint32_t buf_bytes;		/* without FCS; the longest, if sizes change */
	uint32_t content_bytes;		/* all bytes after these are 0 */
	bool has_size;			/* sizes change: packet N has the length given by `size` */
	uint16_t tag_offset;		/* right after the last header; 0: no tag */
	bool after_udp;			/* that is UDP's */
	uint16_t pattern_offset;	/* payload pattern: from there to the end; 0: none */
	struct field fields[FIELD_MAX];
	uint32_t nr_fields;
	__u64 list[FIELD_MAX_LIST];
	struct field_sum sums[FIELD_MAX_SUMS];	/* inner first */
	uint32_t nr_sums;
	/*
	 * Its window is not used. Length fields are fields of the same kind, span, seed and every,
	 * so that they follow it. Only zeros are added or removed at the end, so checksums change
	 * only by the length fields. With a pattern, those of size.sums also change by the
	 * pattern's end (payload_sum16()).
	 */
	struct field size;
};

/* Length of packet @number. */
uint32_t packet_buf_bytes(const struct packet *packet, uint64_t number);

/*
 * Writes the field values of packet @number and updates the checksums, in place. The previous
 * contents of fields and checksums do not matter.
 */
void packet_modify(const struct packet *packet, uint64_t number, uint8_t *bytes);

/*
 * For each checksum, the sum of everything it covers except the fields' bits and the inner
 * checksums: the starting value in the kernel.
 */
void packet_sum_bases(const struct packet *packet, uint32_t ret_bases[FIELD_MAX_SUMS]);

/* packet_modify() for many packets: @bases from packet_sum_bases(), computed once. */
void packet_modify_from(const struct packet *packet, const uint32_t bases[FIELD_MAX_SUMS],
			uint64_t number, uint8_t *bytes);

#endif
