/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proto/fragment.h - cut an IPv4 packet into fragments (RFC 791 3.2).
 *
 * A fragment can be cut again. A set DF does not hinder it and stays as it is:
 * this is for faults, not for routers. After VLAN tags too.
 */
#ifndef PROTO_FRAGMENT_H
#define PROTO_FRAGMENT_H

#include <stdbool.h>
#include <stdint.h>

struct fragment_plan {
	uint32_t nr;			/* fragments, at least 2 */
	uint32_t ip_offset;		/* in the frame */
	uint32_t header_bytes;		/* of the first one, with all options */
	uint32_t data_bytes;		/* of the whole packet, after its header */
	uint32_t piece_bytes;		/* of every fragment but the last; a multiple of 8 */
	uint32_t pad_bytes;		/* frames are at least that long */
};

/*
 * Into fragments of at most @max_bytes of payload, at least 8. False: there is
 * nothing to cut, as the frame is no IPv4 packet, a broken one, or short enough.
 */
bool fragment_plan(const uint8_t *frame, uint32_t buf_bytes, uint32_t max_bytes,
		   struct fragment_plan *ret_plan);

/*
 * Writes fragment number @index to @out, which has room for buf_bytes (at least
 * pad_bytes); its length. @out may be @frame itself for number 0, made last.
 */
uint32_t fragment_write(const struct fragment_plan *plan, const uint8_t *frame, uint32_t index,
			uint8_t *out);

#endif
