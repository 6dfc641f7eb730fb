/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proto/prefix.h - an IPv4 or IPv6 prefix from its text.
 */
#ifndef PROTO_PREFIX_H
#define PROTO_PREFIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct prefix {
	uint8_t addr[16];
	uint32_t addr_bytes;		/* 4 or 16 */
	uint32_t bits;
};

/*
 * Parses "10.0.0.0/8" or a single address, @len characters; false if malformed, or with bits set
 * after the prefix.
 */
bool prefix_parse(const char *text, size_t len, struct prefix *ret_prefix);

#endif
