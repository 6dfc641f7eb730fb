/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proto/packet_size.h - the frame sizes of a stream, as people write them.
 *
 *   128                  always
 *   64-1518  64-1518:64  one after the other, in steps of 1 or 64
 *   random(64-1518)      by chance, evenly; random(64-1518, seed=7)
 *   64*7,594*4,1518*1    a mix by weights, in a fixed order that spreads them evenly
 *   imix                 the classic 64*7,594*4,1518*1
 *   genome(aaaaaaabbbbg) RFC 6985: a=64 b=128 c=256 d=512 e=1024 f=1280 g=1518,
 *                        genome(aaz, z=9018) with own sizes
 *
 * Frame sizes as RFC 2544 counts: with FCS.
 */
#ifndef PROTO_PACKET_SIZE_H
#define PROTO_PACKET_SIZE_H

#include <stddef.h>
#include <stdint.h>

#include "abi/field.h"
#include "lib/err.h"

struct packet_size {
	struct field field;		/* kind, first, span, step, seed, every: frame_bytes by number */
	uint64_t list[FIELD_MAX_LIST];	/* field.first is an index into it, from 0 */
	uint32_t nr_list;
	uint32_t min_bytes, max_bytes;	/* frame_bytes; equal: one size */
	double mean_bytes;
};

/* @seed where the text gives none. Errors name the column within @text, counted from 1. */
int packet_size_parse(const char *text, uint64_t seed, struct packet_size *ret_size, struct err *e);

/*
 * Frames larger by @bytes, as for a longer header before the same payload; those of a list at most
 * @most_bytes, and none of others that would exceed it.
 */
void packet_size_grow(struct packet_size *size, uint32_t bytes, uint32_t most_bytes);

/* One size. */
void packet_size_fixed(struct packet_size *size, uint32_t frame_bytes);

#endif
