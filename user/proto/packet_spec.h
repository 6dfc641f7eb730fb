/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proto/packet_spec.h - a packet described layer by layer, and how it is built.
 *
 *   eth/vlan(7)/ip4(dst=198.18.1.0/24)/udp(dport=5000-5999)/text("...")
 *
 * A description is layers in order, each with the fields that were given, each
 * with a value that may change from packet to packet. The text and the stream
 * file (proto/flow_file.h) both end in a struct packet_spec.
 *
 *   PACKET = LAYER/LAYER/...            LAYER = NAME or NAME(ARG, ARG, ...)
 *   ARG    = VALUE                      of the layer's first field, as first ARG
 *          | FIELD=VALUE | FLAG
 *          | FIELD[LOW:COUNT]=VALUE     COUNT bits of it from bit LOW on; bit 0 is the lowest
 *   VALUE  = ONE                        always this
 *          | ONE-ONE | ONE-ONE:STEP     up, or down if the first is the larger, and again
 *          | ADDRESS/LENGTH             all addresses of the prefix, one after the other
 *          | random() | random(ONE-ONE) | random(ADDRESS/LENGTH), each with seed=N if wished
 *          | list(ONE, ONE, ...)        one after the other
 *          | dist(ONE*WEIGHT, ...)      by chance, as often as they weigh; with seed=N if wished
 *          | auto                       as if it was not given
 *          each that changes with @N after it: N packets keep one value
 *   ONE    = a number (7, 0x7), one of the field's words, a MAC, IPv4 or IPv6 address, tcp's
 *            flags as letters (SA); hex digits and "text" need no name
 *
 * Blanks are free between these, and needed before the ':' of an IPv6 range's
 * step. Prefixes of IPv4 leave out network and broadcast address (/31 and /32
 * have none); of an IPv6 address only the low 64 bits change. Some bits of a
 * field may be given after the whole field, which must then not change.
 */
#ifndef PROTO_PACKET_SPEC_H
#define PROTO_PACKET_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/field.h"
#include "lib/err.h"
#include "proto/frame.h"
#include "proto/packet.h"
#include "proto/packet_size.h"

struct layer_def;
struct layer_field;
struct packet_part;

#define PACKET_SPEC_LAYERS	16
#define PACKET_SPEC_BYTES	2048	/* for a value in hex or text */

/* A value given for a field. */
struct packet_value {
	const struct layer_field *field;
	uint32_t column;		/* position in the text, from 1; 0: unknown */
	uint8_t kind;			/* enum field_kind; a fixed value is a counter with span
					 * 1 */
	bool wrong_on_purpose;		/* a given length or checksum: not filled in */
	/*
	 * Fixed part: the field's bits, right-aligned big-endian in 16 bytes; if the value changes,
	 * only the low 64 bits do, and these are @values.first's.
	 */
	uint8_t fixed[16];
	struct field values;		/* first, span, step, seed, every: window and sums not used */
	bool has_seed;
	uint64_t *list;			/* for a list or distribution; owned */
	uint32_t nr_list;
	uint8_t *bytes;			/* for hex, text and options; owned */
	uint32_t nr_bytes;
	/*
	 * Owned: the value is for some bits of a field, and @field is this part, a separate field
	 * with the position of these bits, named "dst[0:8]". The rest of the field has its default,
	 * or an earlier value.
	 */
	struct packet_part *part;
	struct packet_value *next;	/* in the order given */
};

struct packet_layer {
	const struct layer_def *def;
	uint32_t column;
	struct packet_value *values;
};

struct packet_spec {
	struct packet_layer layers[PACKET_SPEC_LAYERS];
	uint32_t nr_layers;
};

/*
 * Parses the text of a packet. Errors: "packet:COLUMN: what, and what was expected". Adds omitted
 * layers that are unambiguous: 'ip4/udp' begins with eth.
 */
int packet_spec_parse(const char *text, struct packet_spec **ret_spec, struct err *e);

/* The same step by step, for the stream file: errors have no position. */
struct packet_spec *packet_spec_new(void);
int packet_spec_add(struct packet_spec *spec, const char *layer, struct err *e);
/*
 * Sets a field of the last layer added; @field NULL: the layer's first field. @value NULL sets a
 * flag. Text may be unquoted, and is then used literally.
 */
int packet_spec_set(struct packet_spec *spec, const char *field, const char *value, struct err *e);

/* Takes NULL. */
void packet_spec_free(struct packet_spec *spec);

/* The name of layer @i, counted from the outside; NULL: none. */
const char *packet_spec_layer(const struct packet_spec *spec, uint32_t i);

/* True if @text can only be a packet, not an address: it has a '/' or '(', or is a layer's name. */
bool packet_spec_is_text(const char *text);

/* The outermost IP header's destination (the first value); false: no IP layer, or none given. */
bool packet_spec_dest(const struct packet_spec *spec, struct frame_addr *ret_dest);
/*
 * True if the packets go to @dest and nowhere else, or leave it open: the outermost IP header is of its
 * version, and its destination not given, or just that; or there is no IP header.
 */
bool packet_spec_goes_to(const struct packet_spec *spec, const struct frame_addr *dest);
bool packet_spec_has_src_ip(const struct packet_spec *spec);
bool packet_spec_has_dst_mac(const struct packet_spec *spec);

/* Defaults of fields that were not given. */
struct packet_env {
	uint8_t src_mac[6], dst_mac[6];
	struct frame_addr src, dst;	/* for the outermost IP header; family 0: unknown */
	uint16_t src_port, dst_port;
	uint8_t ttl, dscp;
	uint64_t seed;			/* for random values without a seed */
	bool tagged;			/* 18 zero bytes and a tag after the last UDP header */
	bool patterned;			/* with a tag: the payload pattern follows it */
	uint16_t stream;		/* for the tag */
};

/*
 * Builds the packet: given fields, then lengths, next protocols and checksums, inner ones first;
 * changing values become ret_packet's fields. Frames shorter than @size->min_bytes are padded with
 * zeros after the content, or with the payload pattern; NULL: the smallest size, at least 64 bytes
 * with FCS. Errors name layer and field, and the column if known.
 */
int packet_spec_build(const struct packet_spec *spec, const struct packet_env *env,
		      const struct packet_size *size, struct packet *ret_packet, struct err *e);

#endif
