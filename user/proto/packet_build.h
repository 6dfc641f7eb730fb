/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proto/packet_build.h - a packet being built: packet_build.c places and fills the layers,
 * packet_option.c what follows a header, packet_tag.c decides on the tag, packet_sum.c fills the
 * checksums, and packet_change.c creates the fields that change. Only these five include this.
 */
#ifndef PROTO_PACKET_BUILD_H
#define PROTO_PACKET_BUILD_H

#include "proto/layer.h"
#include "proto/packet_spec.h"

#define BUILD_CHANGES	(FIELD_MAX + 1)		/* one more than allowed, to detect an excess */

/* A change, before its window is known. */
struct build_change {
	const struct packet_layer *layer;
	const struct packet_value *value;	/* NULL: a length */
	uint32_t bit, bits;			/* offset and length in the frame */
	uint32_t sums;				/* checksums affected by it, besides those around
						 * it */
	uint64_t shift;				/* for a length: its difference from the frame's */
};

/* A checksum to fill in. */
struct build_sum {
	const struct packet_layer *layer;
	uint32_t at, from, to;			/* bytes of the frame; covers [from, to) */
	uint32_t pseudo_from, pseudo_to;	/* addresses of the pseudo-header; equal: none */
	bool crc32c, udp;
	uint32_t pseudo;			/* sum of the pseudo-header's protocol and length */
};

/* Options to append to a header. */
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
	uint32_t end;				/* end of the bytes counted by IP and UDP */
	uint32_t min_bytes;			/* length of the shortest frame */
	bool grows;				/* zeros after the content are payload */
	struct build_change changes[BUILD_CHANGES];
	uint32_t nr_changes;
	struct packet_value ids;		/* of an IPv4 identification that counts by default */
	struct build_sum sums[PACKET_SPEC_LAYERS];	/* inner first */
	uint32_t nr_sums;
};

/* "packet:COLUMN: layer.field: what" */
int build_fail(struct build *build, const struct packet_layer *layer,
	       const struct packet_value *value, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* True if @value is not the same in all packets. */
bool build_changes(const struct packet_value *value);

/* Records that @bits bits at @bit of the frame change with @value. */
void build_note(struct build *build, const struct packet_layer *layer,
		const struct packet_value *value, uint32_t bit, uint32_t bits);

bool build_is(const struct packet_layer *layer, const char *name);

/* The value given for the whole field, if any: values of single bits do not count. */
const struct packet_value *build_given(const struct packet_layer *layer, const char *name);
const struct packet_value *build_given_option(const struct packet_layer *layer, uint8_t option);

/* The IP header around layer @i, within its Ethernet frame; PACKET_SPEC_LAYERS: none. */
uint32_t build_ip_around(const struct build *build, uint32_t i);

/* Writes the first of @value's values, in @bits bits at @bit. */
void build_put_value(uint8_t *bytes, uint32_t bit, uint32_t bits, const struct packet_value *value);

/* gre(sum=N): 0 is none, 1 or the bare name a computed one, otherwise it is N. */
bool build_gre_has_sum(const struct packet_value *sum);
bool build_gre_fills_sum(const struct packet_value *sum);

/* Appends what follows @layer's fixed part, which ends at @at. @build NULL: record no changes. */
void build_options(struct build *build, const struct packet_layer *layer, uint32_t at,
		   struct build_options *options);

/* Whether the probe tag is to follow the last layer, which ends at @at. */
bool build_takes_tag(const struct build *build, uint32_t at);

/* Fills in the checksums, inner ones first, as outer ones cover them. */
void build_sums(struct build *build);

/* Creates the packet's fields, sums and sizes from the recorded changes. */
int build_fields(struct build *build);

#endif
