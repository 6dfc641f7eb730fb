/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proto/layer.h - the table of protocols for packet descriptions. Only packet_*.c, layer.c and
 * main.c, which prints it, include this.
 */
#ifndef PROTO_LAYER_H
#define PROTO_LAYER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum layer_type {		/* syntax of a value */
	LAYER_NUMBER,		/* decimal, 0x hex, or one of the field's words */
	LAYER_MAC, LAYER_IP4, LAYER_IP6,
	LAYER_FLAGS,		/* letters: tcp's SA, or a number */
	LAYER_FLAG,		/* one bit; the bare name sets it: ip4(df) */
	LAYER_HEX,		/* an even number of hex digits; appended to the header */
	LAYER_TEXT,		/* "...", with \r \n \t \" \\ \xHH; appended to the header */
};

enum layer_fill {		/* default value */
	FILL_DEFAULT,		/* layer_field.value */
	FILL_SRC_MAC, FILL_DST_MAC, FILL_SRC_IP, FILL_DST_IP, FILL_SRC_PORT, FILL_DST_PORT,
	FILL_TTL, FILL_DSCP,
	FILL_NEXT,		/* the number that identifies the next layer */
	FILL_LENGTH,		/* bytes of the header and its payload; ip6: of the payload */
	FILL_HEADER,		/* this header's length in its own units */
	FILL_PRESENT,		/* 1 if the optional field of that name is present (gre) */
	FILL_BOTTOM,		/* mpls: 1 on the last label */
	FILL_SUM,		/* the checksum */
	FILL_OPTION,		/* not in the fixed header: an option after it */
};

enum layer_option {		/* which option FILL_OPTION and FILL_PRESENT refer to */
	LAYER_OPT_HEX = 1,	/* these bytes */
	LAYER_OPT_GRE_SUM, LAYER_OPT_GRE_KEY, LAYER_OPT_GRE_SEQ,
	LAYER_OPT_TCP_MSS, LAYER_OPT_TCP_WS, LAYER_OPT_TCP_SACKOK, LAYER_OPT_TCP_TS,
	LAYER_OPT_ND_SOURCE, LAYER_OPT_ND_TARGET,
};

enum layer_sum {
	SUM_NONE,
	SUM_HEADER,		/* over the header: IPv4 */
	SUM_ALL,		/* over header and payload: ICMP, IGMP, GRE */
	SUM_PSEUDO,		/* with a pseudo-header: UDP, TCP, ICMPv6, MLD */
	SUM_CRC32C,		/* SCTP */
};

struct layer_word {
	const char *name;
	uint64_t value;
};

struct layer_field {
	const char *name;
	const char *help;		/* a few words */
	uint16_t bit;			/* offset from the header's start */
	uint16_t bits;
	uint8_t type, fill;		/* enum layer_type, layer_fill */
	uint8_t option;			/* enum layer_option */
	uint64_t value;
	const struct layer_word *words;	/* NULL-terminated by name */
};

struct layer_def {
	const char *name;
	const char *help;
	uint16_t header_bytes;		/* fixed part */
	uint8_t sum;			/* enum layer_sum */
	uint16_t sum_at;		/* byte offset of the checksum */
	const struct layer_field *fields;	/* name NULL ends; the first field's name may be
						 * omitted */
	const char *const *follow;	/* layers that may follow it; NULL-terminated */
	int32_t ethertype;		/* its number as a next layer; -1: none */
	int32_t ip_proto;
	bool closed;			/* trailing zeros are not its payload, but the frame's */
};

extern const struct layer_def layer_defs[];	/* name NULL ends */

const struct layer_def *layer_find(const char *name);

#endif
