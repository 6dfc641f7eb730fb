/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lib/sha256.h - SHA-256 (FIPS 180-4) and HMAC with it (RFC 2104), of whole messages. In BPF, see
 * bpf/lib/sha256.bpf.h.
 */
#ifndef LIB_SHA256_H
#define LIB_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHA256_BYTES 32

void sha256(const void *data, size_t len, uint8_t ret_digest[SHA256_BYTES]);

void sha256_hmac(const void *key, size_t key_len, const void *data, size_t len,
		 uint8_t ret_mac[SHA256_BYTES]);

/* The state after the key's two pads: a keyed hash continues from it without the key. */
void sha256_hmac_pads(const void *key, size_t key_len, uint32_t ret_inner[8],
		      uint32_t ret_outer[8]);

/* @len bytes of two hashes, in constant time. */
bool sha256_equal(const uint8_t *a, const uint8_t *b, size_t len);

#endif
