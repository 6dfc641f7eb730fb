// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lib/sha256.c - SHA-256 and HMAC of whole messages, by nettle.
 */
#include "lib/sha256.h"

#include <string.h>

#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <nettle/sha2.h>

_Static_assert(SHA256_BYTES == SHA256_DIGEST_SIZE, "as nettle has it");

void sha256(const void *data, size_t len, uint8_t ret_digest[SHA256_BYTES])
{
	struct sha256_ctx ctx;

	sha256_init(&ctx);
	sha256_update(&ctx, len, data);
	sha256_digest(&ctx, SHA256_BYTES, ret_digest);
}

void sha256_hmac(const void *key, size_t key_len, const void *data, size_t len,
		 uint8_t ret_mac[SHA256_BYTES])
{
	struct hmac_sha256_ctx ctx;

	hmac_sha256_set_key(&ctx, key_len, key);
	hmac_sha256_update(&ctx, len, data);
	hmac_sha256_digest(&ctx, SHA256_BYTES, ret_mac);
}

void sha256_hmac_pads(const void *key, size_t key_len, uint32_t ret_inner[8],
		      uint32_t ret_outer[8])
{
	struct hmac_sha256_ctx ctx;

	hmac_sha256_set_key(&ctx, key_len, key);
	memcpy(ret_inner, ctx.inner.state, sizeof(ctx.inner.state));
	memcpy(ret_outer, ctx.outer.state, sizeof(ctx.outer.state));
}

bool sha256_equal(const uint8_t *a, const uint8_t *b, size_t len)
{
	return memeql_sec(a, b, len);
}
