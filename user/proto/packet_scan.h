/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proto/packet_scan.h - scan a packet's text, with the position of errors. Only packet_*.c include
 * this.
 */
#ifndef PROTO_PACKET_SCAN_H
#define PROTO_PACKET_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

struct layer_def;
struct layer_field;
struct packet_layer;
struct packet_value;

struct packet_scan {
	const char *text, *at;
	bool placed;		/* errors begin with "packet:COLUMN: " */
	struct err *e;
};

/* The part of the text shown in an error. */
struct packet_shown {
	char text[32];
};

/* err_usage() with the position of @at. */
int packet_scan_fail(const struct packet_scan *scan, const char *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
uint32_t packet_scan_column(const struct packet_scan *scan, const char *at);

void packet_scan_blanks(struct packet_scan *scan);

/* Skips spaces, and @c after them if present. */
bool packet_scan_take(struct packet_scan *scan, char c);

/* The length of the name at @at: a letter, then letters, digits, '_' and '-'. */
size_t packet_scan_name(const char *at);
bool packet_scan_is(const char *at, size_t len, const char *name);

/* The word or character at @at, or the end of the text. */
struct packet_shown packet_scan_show(const char *at);
struct packet_shown packet_scan_show_name(const char *at, size_t len);

/* Decimal or 0x; -ERANGE beyond 64 bits, -EINVAL if there is none. Moves @scan past it. */
int packet_scan_number(struct packet_scan *scan, uint64_t *ret_value);

/* A list of names, for errors. */
struct packet_names {
	char text[320];
};

void packet_names_add(struct packet_names *names, const char *name);

/* A field's bits, right-aligned; only IPv6 addresses use more than 64 bits. */
struct packet_one {
	uint64_t high, low;
};

/* Reads a value of the field's type, after spaces. */
int packet_one_read(struct packet_scan *scan, const struct layer_field *field,
		    struct packet_one *ret_one);
struct packet_one packet_one_of(const uint8_t *bytes, size_t nr_bytes);
uint64_t packet_one_max(const struct layer_field *field);

/* Bytes of hex digits, or of text, into @value. */
int packet_bytes_hex(struct packet_scan *scan, struct packet_value *value);
int packet_bytes_text(struct packet_scan *scan, bool raw, struct packet_value *value);

/* The arguments of @layer, after '('. */
int packet_args_read(struct packet_scan *scan, struct packet_layer *layer);

/* The value of @field at @scan; NULL: "auto". @raw: text may be without quotes. */
int packet_value_parse(struct packet_scan *scan, const struct layer_field *field, bool raw,
		       struct packet_value **ret_value);

/* A flag that is set. */
int packet_value_flag(struct packet_scan *scan, const struct layer_field *field,
		      struct packet_value **ret_value);

/* Takes NULL. */
void packet_value_free(struct packet_value *value);

#endif
