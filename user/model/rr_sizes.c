// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * model/rr_sizes.c - the list of frame sizes of ping and rr.
 */
#include "model/rr_sizes.h"

#include <stdbool.h>
#include <string.h>

#include "lib/unit.h"
#include "proto/frame.h"

/* Parses a size of @len characters at @text; false: malformed. */
static bool parse_one(const char *text, size_t len, uint32_t mtu_bytes, uint32_t *ret_bytes)
{
	char word[16];
	uint64_t bytes;

	if (!len || len >= sizeof(word))
		return false;
	memcpy(word, text, len);
	word[len] = '\0';
	if (!strcmp(word, "mtu")) {
		*ret_bytes = mtu_bytes;
		return true;
	}
	if (unit_parse_count(word, &bytes) || !bytes || bytes > FRAME_MAX_BYTES)
		return false;
	*ret_bytes = (uint32_t)bytes;
	return true;
}

static bool parse_range(const char *text, const char *dash, uint32_t mtu_bytes, uint32_t *sizes,
			size_t *ret_nr)
{
	uint32_t bytes, last;
	size_t nr = 0;

	if (!parse_one(text, (size_t)(dash - text), mtu_bytes, &bytes) ||
	    !parse_one(dash + 1, strlen(dash + 1), mtu_bytes, &last) || bytes > last)
		return false;
	/* Doubling reaches the largest frame long before the list is full. */
	for (; bytes < last && nr + 1 < RR_MAX_SIZES; bytes *= 2)
		sizes[nr++] = bytes;
	sizes[nr++] = last;
	*ret_nr = nr;
	return true;
}

static bool parse_list(const char *text, uint32_t mtu_bytes, uint32_t *sizes, size_t *ret_nr)
{
	size_t nr = 0, len, i;

	for (;; text += len + 1) {
		len = strcspn(text, ",");
		if (nr == RR_MAX_SIZES || !parse_one(text, len, mtu_bytes, &sizes[nr]))
			return false;
		for (i = 0; i < nr; i++) {
			if (sizes[i] == sizes[nr])
				return false;
		}
		nr++;
		if (!text[len])
			break;
	}
	*ret_nr = nr;
	return true;
}

int rr_sizes_parse(const char *text, uint32_t mtu_bytes, uint32_t ret_sizes[RR_MAX_SIZES],
		   size_t *ret_nr, struct err *e)
{
	const char *dash = strchr(text, '-');

	if (dash ? parse_range(text, dash, mtu_bytes, ret_sizes, ret_nr) :
		   parse_list(text, mtu_bytes, ret_sizes, ret_nr))
		return 0;
	return err_usage(e, OPTION("sizes") " '%s' is not a list of frame sizes, such as "
			 "64,512,mtu, or a range, such as 64-mtu: up to %d different sizes of at "
			 "most %d bytes", text, RR_MAX_SIZES,
			 FRAME_MAX_BYTES);
}
