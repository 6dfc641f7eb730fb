/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proto/fragment.h - split an IPv4 packet into fragments (RFC 791 3.2).
 *
 * A fragment can be fragmented again. DF is ignored and left as it is: this emulates faults, not a
 * router. Handles VLAN tags.
 */
#ifndef PROTO_FRAGMENT_H
#define PROTO_FRAGMENT_H

#include <stdbool.h>
#include <stdint.h>

struct fragment_plan {
	uint32_t nr;			/* fragments, at least 2 */
	uint32_t ip_offset;		/* in the frame */
	uint32_t header_bytes;		/* of the first fragment, with all options */
	uint32_t data_bytes;		/* of the whole packet, after its header */
	uint32_t piece_bytes;		/* of every fragment except the last; a multiple of 8 */
	uint32_t pad_bytes;		/* minimum length of a frame */
};

/*
 * Fragments with at most @max_bytes of payload, at least 8. False: nothing to do, as the frame is
 * not an IPv4 packet, is malformed, or short enough.
 */
bool fragment_plan(const uint8_t *frame, uint32_t buf_bytes, uint32_t max_bytes,
		   struct fragment_plan *ret_plan);

/*
 * Writes fragment @index to @out, which must have room for buf_bytes (at least pad_bytes); returns
 * its length. @out may be @frame for fragment 0, if written last.
 */
uint32_t fragment_write(const struct fragment_plan *plan, const uint8_t *frame, uint32_t index,
			uint8_t *out);

#endif
