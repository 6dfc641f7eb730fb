/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proto/packet_build.h - a packet while it is laid out: packet_build.c places and
 * fills the layers, packet_option.c what follows a header, packet_sum.c the
 * checksums, and packet_change.c makes fields of what changes.
 * Only these four include this.
 */
#ifndef PROTO_PACKET_BUILD_H
#define PROTO_PACKET_BUILD_H

#include "proto/layer.h"
#include "proto/packet_spec.h"

#define BUILD_CHANGES	(FIELD_MAX + 1)		/* one more than can be, so that it is seen */

/* Something that changes, before its window is known. */
struct build_change {
	const struct packet_layer *layer;
	const struct packet_value *value;	/* NULL: a length */
	uint32_t bit, bits;			/* in the frame */
	uint32_t sums;				/* checksums that count it besides those around it */
	uint64_t shift;				/* of a length: what it is less than the frame */
};

/* A checksum that is filled in. */
struct build_sum {
	const struct packet_layer *layer;
	uint32_t at, from, to;			/* bytes of the frame; covers [from, to) */
	uint32_t pseudo_from, pseudo_to;	/* addresses of the pseudo-header; equal: none */
	bool crc32c, udp;
	uint32_t pseudo;			/* sum of the pseudo-header's protocol and length */
};

/* Options after a header, as they are appended. */
struct build_options {
	uint8_t bytes[PACKET_SPEC_BYTES + 64];
	uint32_t nr;
};

struct build {
	const struct packet_spec *spec;
	const struct packet_env *env;
	const struct packet_size *size;		/* NULL: the smallest */
	struct packet *packet;
	struct err *e;
	uint32_t start[PACKET_SPEC_LAYERS];
	uint32_t header_bytes[PACKET_SPEC_LAYERS];
	uint32_t content_bytes;			/* headers, payload and tag */
	uint32_t end;				/* of what IP and UDP count */
	uint32_t min_bytes;			/* of the shortest frame */
	bool grows;				/* zeros after the content are payload */
	struct build_change changes[BUILD_CHANGES];
	uint32_t nr_changes;
	struct build_sum sums[PACKET_SPEC_LAYERS];	/* inner first */
	uint32_t nr_sums;
};

/* "packet:COLUMN: layer.field: what" */
int build_fail(struct build *build, const struct packet_layer *layer,
	       const struct packet_value *value, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* True if @value is not the same in all packets. */
bool build_changes(const struct packet_value *value);

/* Notes that @bits bits at @bit of the frame change with @value. */
void build_note(struct build *build, const struct packet_layer *layer,
		const struct packet_value *value, uint32_t bit, uint32_t bits);

bool build_is(const struct packet_layer *layer, const char *name);

/* The whole field's value, if one was given: a part of it is no such value. */
const struct packet_value *build_given(const struct packet_layer *layer, const char *name);
const struct packet_value *build_given_option(const struct packet_layer *layer, uint8_t option);

/* The IP header around layer @i, within its Ethernet frame; PACKET_SPEC_LAYERS: none. */
uint32_t build_ip_around(const struct build *build, uint32_t i);

/* The first of @value's values, in @bits bits at @bit. */
void build_put_value(uint8_t *bytes, uint32_t bit, uint32_t bits, const struct packet_value *value);

/* What gre(sum=N) says: 0 is none, 1 or the bare name one that is filled in, else it is N. */
bool build_gre_has_sum(const struct packet_value *sum);
bool build_gre_fills_sum(const struct packet_value *sum);

/* What follows @layer's fixed part, which ends at @at. @build NULL: no change is noted. */
void build_options(struct build *build, const struct packet_layer *layer, uint32_t at,
		   struct build_options *options);

/* Fills in the checksums, inner ones first, as outer ones count them. */
void build_sums(struct build *build);

/* The packet's fields, sums and sizes from what was noted. */
int build_fields(struct build *build);

#endif
