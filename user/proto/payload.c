// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/payload.c - write and verify the payload pattern.
 */
#include "proto/payload.h"

#include <endian.h>
#include <stdint.h>
#include <string.h>

#include "abi/payload.h"

/* Word @at / 8 as it is in memory. */
static uint64_t word_at(size_t at)
{
	return htobe64(payload_word(at / sizeof(uint64_t)));
}

static size_t word_bytes(size_t at, size_t bytes)
{
	return bytes - at < sizeof(uint64_t) ? bytes - at : sizeof(uint64_t);
}

void payload_fill(void *at, size_t bytes)
{
	uint64_t word;
	size_t i;

	for (i = 0; i < bytes; i += sizeof(word)) {
		word = word_at(i);
		memcpy((char *)at + i, &word, word_bytes(i, bytes));
	}
}

bool payload_is_intact(const void *at, size_t bytes)
{
	uint64_t word;
	size_t i;

	for (i = 0; i < bytes; i += sizeof(word)) {
		word = word_at(i);
		if (memcmp((const char *)at + i, &word, word_bytes(i, bytes)) != 0)
			return false;
	}
	return true;
}
