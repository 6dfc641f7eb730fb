/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/frame_vary.h - a frame whose ports, addresses and size vary from packet to packet.
 */
#ifndef MODEL_FRAME_VARY_H
#define MODEL_FRAME_VARY_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"
#include "proto/frame.h"
#include "proto/packet.h"
#include "proto/packet_size.h"

/* Number of values of each field, counted up from the frame's own; 1: constant. */
struct frame_vary {
	uint32_t ports, src_ports;
	uint32_t dests, sources;	/* addresses */
	bool random;			/* random values for each packet, by the seed */
	uint64_t seed;
};

/*
 * The packet of @spec, with a field for each of @vary with more than one value, and for @size;
 * NULL: always spec->frame_bytes.
 */
int frame_vary_build(const struct frame_spec *spec, const struct frame_vary *vary,
		     const struct packet_size *size, struct packet *ret_packet, struct err *e);

#endif
