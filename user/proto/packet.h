/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proto/packet.h - the packets of a stream: a template, and what changes in it.
 */
#ifndef PROTO_PACKET_H
#define PROTO_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/field.h"

#define PACKET_MAX_BYTES 9212	/* without FCS */

struct packet {
	uint8_t bytes[PACKET_MAX_BYTES];	/* with checksums that are right for them */
	uint32_t buf_bytes;		/* without FCS; of the longest, where sizes change */
	uint32_t content_bytes;		/* after these all bytes are 0 */
	bool has_size;			/* sizes change: packet N has the value of `size` buf_bytes */
	uint16_t tag_offset;		/* right after the L4 header; 0: no tag */
	struct field fields[FIELD_MAX];
	uint32_t nr_fields;
	__u64 list[FIELD_MAX_LIST];
	struct field_sum sums[FIELD_MAX_SUMS];	/* inner first */
	uint32_t nr_sums;
	/*
	 * Its window is not used. What states a length is a field of the same kind,
	 * span, seed and every, so that it follows. Only zeros come and go at the
	 * end, so no checksum changes but by those.
	 */
	struct field size;
};

/* Length of packet @number. */
uint32_t packet_buf_bytes(const struct packet *packet, uint64_t number);

/*
 * Writes the fields' values of packet @number and updates the checksums, in
 * place. What the fields and checksums held before does not matter.
 */
void packet_modify(const struct packet *packet, uint64_t number, uint8_t *bytes);

/*
 * For each checksum the sum of all that it covers but the fields' bits and
 * the inner checksums: what the kernel's side starts from.
 */
void packet_sum_bases(const struct packet *packet, uint32_t ret_bases[FIELD_MAX_SUMS]);

/* packet_modify() for many packets: @bases are those of packet_sum_bases(), found once. */
void packet_modify_from(const struct packet *packet, const uint32_t bases[FIELD_MAX_SUMS],
			uint64_t number, uint8_t *bytes);

#endif
