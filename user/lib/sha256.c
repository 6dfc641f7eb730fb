// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lib/sha256.c - SHA-256 and HMAC, following their standards.
 */
#include "lib/sha256.h"

#include <string.h>

#include "abi/sha256.h"

#define BLOCK_BYTES 64

struct state {
	uint32_t h[8];
	uint8_t block[BLOCK_BYTES];
	uint64_t bytes;
};

static uint32_t ror(uint32_t word, unsigned int by)
{
	return word >> by | word << (32 - by);
}

static void add_block(struct state *state)
{
	uint32_t w[64], v[8], t1, t2;
	int i;

	for (i = 0; i < 16; i++)
		w[i] = (uint32_t)state->block[4 * i] << 24 | (uint32_t)state->block[4 * i + 1] << 16 |
		       (uint32_t)state->block[4 * i + 2] << 8 | state->block[4 * i + 3];
	for (; i < 64; i++)
		w[i] = (ror(w[i - 2], 17) ^ ror(w[i - 2], 19) ^ w[i - 2] >> 10) + w[i - 7] +
		       (ror(w[i - 15], 7) ^ ror(w[i - 15], 18) ^ w[i - 15] >> 3) + w[i - 16];
	memcpy(v, state->h, sizeof(v));
	for (i = 0; i < 64; i++) {
		t1 = v[7] + (ror(v[4], 6) ^ ror(v[4], 11) ^ ror(v[4], 25)) +
		     ((v[4] & v[5]) ^ (~v[4] & v[6])) + sha256_k[i] + w[i];
		t2 = (ror(v[0], 2) ^ ror(v[0], 13) ^ ror(v[0], 22)) +
		     ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
		memmove(v + 1, v, 7 * sizeof(v[0]));
		v[4] += t1;
		v[0] = t1 + t2;
	}
	for (i = 0; i < 8; i++)
		state->h[i] += v[i];
}

static void begin(struct state *state)
{
	static const uint32_t first[8] = {
		0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
		0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
	};

	memcpy(state->h, first, sizeof(first));
	state->bytes = 0;
}

static void add(struct state *state, const void *data, size_t len)
{
	const uint8_t *bytes = data;
	size_t i;

	for (i = 0; i < len; i++) {
		state->block[state->bytes++ % BLOCK_BYTES] = bytes[i];
		if (state->bytes % BLOCK_BYTES == 0)
			add_block(state);
	}
}

static void end(struct state *state, uint8_t ret_digest[SHA256_BYTES])
{
	uint64_t bits = state->bytes * 8;
	uint8_t length[8];
	int i;

	for (i = 0; i < 8; i++)
		length[i] = (uint8_t)(bits >> (56 - 8 * i));
	add(state, "\x80", 1);
	while (state->bytes % BLOCK_BYTES != BLOCK_BYTES - sizeof(length))
		add(state, "", 1);
	add(state, length, sizeof(length));
	for (i = 0; i < SHA256_BYTES; i++)
		ret_digest[i] = (uint8_t)(state->h[i / 4] >> (24 - 8 * (i % 4)));
}

void sha256(const void *data, size_t len, uint8_t ret_digest[SHA256_BYTES])
{
	struct state state;

	begin(&state);
	add(&state, data, len);
	end(&state, ret_digest);
}

void sha256_hmac(const void *key, size_t key_len, const void *data, size_t len,
		 uint8_t ret_mac[SHA256_BYTES])
{
	uint8_t pad[BLOCK_BYTES] = { 0 }, inner[SHA256_BYTES];
	struct state state;
	int i;

	if (key_len > BLOCK_BYTES)
		sha256(key, key_len, pad);
	else
		memcpy(pad, key, key_len);
	for (i = 0; i < BLOCK_BYTES; i++)
		pad[i] ^= 0x36;
	begin(&state);
	add(&state, pad, sizeof(pad));
	add(&state, data, len);
	end(&state, inner);
	for (i = 0; i < BLOCK_BYTES; i++)
		pad[i] ^= 0x36 ^ 0x5c;
	begin(&state);
	add(&state, pad, sizeof(pad));
	add(&state, inner, sizeof(inner));
	end(&state, ret_mac);
}

void sha256_hmac_pads(const void *key, size_t key_len, uint32_t ret_inner[8],
		      uint32_t ret_outer[8])
{
	uint8_t pad[BLOCK_BYTES] = { 0 };
	struct state inner, outer;
	int i;

	if (key_len > BLOCK_BYTES)
		sha256(key, key_len, pad);
	else
		memcpy(pad, key, key_len);
	begin(&inner);
	begin(&outer);
	for (i = 0; i < BLOCK_BYTES; i++) {
		add(&inner, &(uint8_t){ pad[i] ^ 0x36 }, 1);
		add(&outer, &(uint8_t){ pad[i] ^ 0x5c }, 1);
	}
	memcpy(ret_inner, inner.h, sizeof(inner.h));
	memcpy(ret_outer, outer.h, sizeof(outer.h));
}

bool sha256_equal(const uint8_t *a, const uint8_t *b, size_t len)
{
	uint8_t differ = 0;
	size_t i;

	for (i = 0; i < len; i++)
		differ |= a[i] ^ b[i];
	return !differ;
}
