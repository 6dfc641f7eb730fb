/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proto/fragment.h - split an IP packet into fragments (RFC 791 3.2, RFC 8200 4.5).
 *
 * A fragment can be fragmented again. DF is ignored and left as it is, and IPv6 is split on the way: this
 * emulates faults, not a router. Handles VLAN tags.
 */
#ifndef PROTO_FRAGMENT_H
#define PROTO_FRAGMENT_H

#include <stdbool.h>
#include <stdint.h>

struct fragment_plan {
	uint32_t nr;			/* fragments, at least 2 */
	uint32_t ip_offset;		/* in the frame */
	uint32_t header_bytes;		/* of the first fragment, with all options; of IPv6, before its
					 * fragment header */
	uint32_t data_bytes;		/* of the whole packet, after its headers */
	uint32_t piece_bytes;		/* of every fragment except the last; a multiple of 8 */
	uint32_t pad_bytes;		/* minimum length of a frame */
	/* IPv6 */
	bool is_ip6, is_fragment;	/* it has a fragment header */
	uint32_t next_offset;		/* of the field that names the fragment header, in the IP packet */
	uint32_t identification;	/* for a new fragment header: the caller sets it */
};

/*
 * Fragments with at most @max_bytes of payload, at least 8; no longer than the frame, so that of an
 * IPv6 packet a little above @max_bytes they have 8 bytes less. False: nothing to do, as the frame is not
 * an IP packet, is malformed, or short enough; or has a routing header, whose addresses are not the last.
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
