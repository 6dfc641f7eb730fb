/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proto/stamp_keys.h - the keys of STAMP sessions (RFC 8762 4.4), from a file with a line for each:
 *
 *	# SOURCE        SSID  KEY
 *	198.18.0.1      7     a key, to the end of the line
 *	198.18.0.0/15   any   another key
 *	any             any   the key of all others
 *
 * A session's key is that of its SSID, or else of any SSID; among those, of the longest prefix.
 */
#ifndef PROTO_STAMP_KEYS_H
#define PROTO_STAMP_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/err.h"
#include "lib/secret.h"
#include "proto/prefix.h"

#define STAMP_KEYS_MAX 4096u		/* lines with a key */

struct stamp_key_line {
	bool any_source, any_ssid;
	struct prefix source;
	uint16_t ssid;
	unsigned int line;
	struct secret key;
};

struct stamp_keys {
	size_t nr;			/* at least 1 */
	struct stamp_key_line *lines;
};

/* From @file, which errors call @name: a line is wrong, or two name the same sessions. */
int stamp_keys_read(struct stamp_keys *ret_keys, FILE *file, const char *name, struct err *e);
void stamp_keys_clear(struct stamp_keys *keys);

#endif
