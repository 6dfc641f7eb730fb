// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whatever frame comes: it is left alone, or cut into pieces that have room where
 * the whole one was, and whose data is that of the whole one.
 */
#include <stdlib.h>
#include <string.h>

#include "proto/fragment.h"

#define must(condition) do { if (!(condition)) abort(); } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The seeds are frames; the first byte of a MAC address selects where to cut. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fragment_plan plan;
	uint32_t i, bytes, header, nr_data, done = 0;
	uint8_t *out;

	if (!size || !fragment_plan(data, (uint32_t)size, data[0], &plan))
		return 0;
	must(plan.nr >= 2);
	out = malloc(size);
	must(out);
	for (i = 0; i < plan.nr; i++) {
		bytes = fragment_write(&plan, data, i, out);
		must(bytes <= size);
		header = (out[plan.ip_offset] & 0xfu) * 4;
		nr_data = (uint32_t)(out[plan.ip_offset + 2] << 8 | out[plan.ip_offset + 3]) - header;
		must(nr_data <= plan.piece_bytes);
		must(!memcmp(out + plan.ip_offset + header,
			     data + plan.ip_offset + plan.header_bytes + done, nr_data));
		done += nr_data;
	}
	must(done == plan.data_bytes);
	free(out);
	return 0;
}
