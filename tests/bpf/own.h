/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * own.h - the addresses of a reflector's interface, put into its table as user space does.
 */
#ifndef TESTS_OWN_H
#define TESTS_OWN_H

#include <assert.h>
#include <string.h>

#include <arpa/inet.h>

#include "abi/reflect.h"

static inline void own_clear(struct reflect_own_table *table)
{
	static const uint32_t factors[4] = { 3, 5, 7, 0x9e3779b1 };

	memset(table, 0, sizeof(*table));
	memcpy(table->factors, factors, sizeof(factors));
}

/* Puts the address into place @way of its bucket. */
static inline void own_put(struct reflect_own_table *table, const char *text, unsigned int way)
{
	__be32 addr[4];

	if (inet_pton(AF_INET, text, addr) == 1) {
		table->ip4[reflect_own_bucket4(table, addr[0])][way] = addr[0];
	} else {
		assert(inet_pton(AF_INET6, text, addr) == 1);
		memcpy(table->ip6[reflect_own_bucket6(table, addr)][way], addr, sizeof(addr));
	}
}

/* As user space does with one of the addresses. */
static inline void own_first(struct reflect_own_table *table, const char *text)
{
	if (inet_pton(AF_INET, text, &table->first4) != 1)
		assert(inet_pton(AF_INET6, text, table->first6) == 1);
}

/* Those that packet.c sends to, in the active table. */
static inline void own_usual(struct reflect_own *own)
{
	struct reflect_own_table *table = &own->tables[own->active & 1];

	own_clear(table);
	own_put(table, "198.18.0.2", 0);
	own_put(table, "2001:2::2", 0);
}

#endif
