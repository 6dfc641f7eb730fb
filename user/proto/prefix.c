// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/prefix.c - an IPv4 or IPv6 prefix from its text.
 */
#include "proto/prefix.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

bool prefix_parse(const char *text, size_t len, struct prefix *ret_prefix)
{
	static const uint8_t zero[16];
	struct prefix prefix = { 0 };
	char copy[64], *slash, *end;
	unsigned long bits;
	uint32_t bytes;
	uint8_t host;

	if (len >= sizeof(copy))
		return false;
	memcpy(copy, text, len);
	copy[len] = '\0';
	slash = strchr(copy, '/');
	if (slash)
		*slash = '\0';
	bytes = inet_pton(AF_INET, copy, prefix.addr) == 1 ? 4 :
		inet_pton(AF_INET6, copy, prefix.addr) == 1 ? 16 : 0;
	if (!bytes)
		return false;
	bits = bytes * 8;
	if (slash) {
		if (slash[1] < '0' || slash[1] > '9')
			return false;
		bits = strtoul(slash + 1, &end, 10);
		if (*end || bits > bytes * 8)
			return false;
	}
	host = bits % 8 ? (uint8_t)(prefix.addr[bits / 8] << (bits % 8)) : 0;
	if (host || memcmp(prefix.addr + (bits + 7) / 8, zero, bytes - (bits + 7) / 8))
		return false;
	prefix.addr_bytes = bytes;
	prefix.bits = (uint32_t)bits;
	*ret_prefix = prefix;
	return true;
}
