// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/echo/reflector_dest.c - to which addresses a packet must be sent for the reflector to
 * answer it.
 */
#include "engine/echo/reflector_dest.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/log.h"
#include "proto/prefix.h"
#include "sys/net/addrs.h"

#define TRIES 64		/* hashes to try until no bucket overflows */

struct reflector_dest {
	struct addrs *addrs;
	struct reflect_own *own;	/* mapped */
	bool stale;			/* the addresses could not be read */
	unsigned int nr;
};

/* The mask of a word that begins after @before of the prefix's bits. */
static __be32 mask_of(const struct prefix *prefix, uint32_t before)
{
	uint32_t here = prefix->bits > before ? prefix->bits - before : 0;

	return here >= 32 ? 0xffffffff : htonl((uint32_t)(0xffffffff00000000ull >> here));
}

static bool add_pool(struct reflect_pools *pools, const struct prefix *prefix)
{
	struct reflect_pool4 *pool4;
	struct reflect_pool6 *pool6;
	uint32_t i;

	if (pools->nr4 + pools->nr6 >= REFLECT_MAX_POOLS)
		return false;
	if (prefix->addr_bytes == 4) {
		pool4 = &pools->ip4[pools->nr4++];
		memcpy(&pool4->addr, prefix->addr, sizeof(pool4->addr));
		pool4->mask = mask_of(prefix, 0);
		return true;
	}
	pool6 = &pools->ip6[pools->nr6++];
	memcpy(pool6->addr, prefix->addr, sizeof(pool6->addr));
	for (i = 0; i < 4; i++)
		pool6->mask[i] = mask_of(prefix, 32 * i);
	return true;
}

static bool add_any(struct reflect_pools *pools)
{
	static const struct prefix all4 = { .addr_bytes = 4 }, all6 = { .addr_bytes = 16 };

	return add_pool(pools, &all4) && add_pool(pools, &all6);
}

int reflector_dest_pools(struct reflect_pools *ret_pools, const struct opt_strs *lists,
			 const char *option, struct err *e)
{
	const char *entry;
	unsigned int i;
	size_t len;

	memset(ret_pools, 0, sizeof(*ret_pools));
	for (i = 0; i < lists->nr; i++) {
		for (entry = lists->text[i];; entry += len + 1) {
			struct prefix prefix;
			bool is_any, fits;

			len = strcspn(entry, ",");
			is_any = len == 3 && !strncmp(entry, "any", 3);
			if (!is_any && !prefix_parse(entry, len, &prefix))
				return err_usage(e, "%s: '%.*s' is not a prefix such as "
						 "198.18.0.0/15 or 2001:2::/48 with no bits after "
						 "it, nor any", option, (int)len, entry);
			fits = is_any ? add_any(ret_pools) : add_pool(ret_pools, &prefix);
			if (!fits)
				return err_usage(e, "%s accepts at most %d prefixes; any counts as "
						 "two", option, REFLECT_MAX_POOLS);
			if (!entry[len])
				break;
		}
	}
	return 0;
}

struct filling {
	struct reflect_own_table *table;
	unsigned int nr, refused;
};

static void put_address(unsigned int version, const void *addr, void *ctx)
{
	struct filling *filling = ctx;
	struct reflect_own_table *table = filling->table;
	__be32 words[4] = { 0 }, *way;
	size_t bytes = version == 4 ? 4 : 16;
	unsigned int i;

	memcpy(words, addr, bytes);
	filling->nr++;
	if (version == 4 && !table->first4)
		table->first4 = words[0];
	/* A link-local one is rarely tested. */
	if (version == 6 && !table->first6[0] && (words[0] & htonl(0xffc00000)) != htonl(0xfe800000))
		memcpy(table->first6, words, sizeof(table->first6));
	for (i = 0; i < REFLECT_OWN_WAYS; i++) {
		way = version == 4 ? &table->ip4[reflect_own_bucket4(table, words[0])][i] :
				     table->ip6[reflect_own_bucket6(table, words)][i];
		/* IPv4 may have the same address twice, with different prefix lengths. */
		if (!memcmp(way, words, bytes))
			return;
		if (!way[0] && (version == 4 || !(way[1] | way[2] | way[3]))) {
			memcpy(way, words, bytes);
			return;
		}
	}
	filling->refused++;
}

static int fill(struct reflector_dest *dest, struct filling *filling)
{
	static const uint32_t factors[4] = { 0x85ebca6b, 0xc2b2ae35, 0x27d4eb2f, 0x9e3779b1 };
	unsigned int try, i;
	int err;

	for (try = 0; try < TRIES; try++) {
		struct reflect_own_table *table = filling->table;

		memset(table, 0, sizeof(*table));
		for (i = 0; i < 4; i++)
			table->factors[i] = factors[i] * (2 * try + 1);
		filling->nr = filling->refused = 0;
		err = addrs_read(dest->addrs, put_address, filling);
		if (err || !filling->refused)
			return err;
	}
	return 0;
}

static int update(struct reflector_dest *dest)
{
	uint32_t next = !dest->own->active;
	struct filling filling = { .table = &dest->own->tables[next] };
	int err = fill(dest, &filling);

	dest->stale = err;
	if (err)
		return err;
	if (filling.refused)
		log_warn("%u of the interface's %u addresses are not answered: name their prefixes "
			 "with --for", filling.refused, filling.nr);
	dest->nr = filling.nr;
	/* Complete before it is used; no program runs as long as the time between two updates. */
	__atomic_store_n(&dest->own->active, next, __ATOMIC_RELEASE);
	return 0;
}

int reflector_dest_open(struct reflector_dest **ret_dest, int ifindex, struct reflect_own *own,
			struct err *e)
{
	struct reflector_dest *dest = calloc(1, sizeof(*dest));
	int err = dest ? addrs_open(&dest->addrs, ifindex) : -ENOMEM;

	if (!err) {
		dest->own = own;
		do
			err = update(dest);
		while (err == -EINTR);
	}
	if (err) {
		reflector_dest_close(dest);
		return err_set(e, err, "cannot read the interface's addresses");
	}
	*ret_dest = dest;
	return 0;
}

void reflector_dest_close(struct reflector_dest *dest)
{
	if (!dest)
		return;
	addrs_close(dest->addrs);
	free(dest);
}

void reflector_dest_tick(struct reflector_dest *dest)
{
	/* What failed is tried again at the next tick. */
	if (addrs_changed(dest->addrs) || dest->stale)
		update(dest);
}

unsigned int reflector_dest_nr(const struct reflector_dest *dest)
{
	return dest->nr;
}
