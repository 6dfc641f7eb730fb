// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whatever frame comes: it is left alone, or cut into pieces that have room where
 * the whole one was, and whose data is that of the whole one, at the offset that they
 * say. The first one is the same in the frame itself.
 */
#include <stdlib.h>
#include <string.h>

#include "proto/fragment.h"

#define must(condition) do { if (!(condition)) abort(); } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint32_t get16(const uint8_t *at)
{
	return (uint32_t)(at[0] << 8 | at[1]);
}

/* Where the data of the frame, or of a piece of it, begins; *ret_offset: what its header says, in bytes. */
static uint32_t data_of(const struct fragment_plan *plan, const uint8_t *frame, bool has_header, uint32_t *ret_offset)
{
	const uint8_t *ip = frame + plan->ip_offset;
	uint32_t header = plan->header_bytes;

	if (plan->is_ip6) {
		*ret_offset = has_header ? get16(ip + header + 2) & ~7u : 0;
		return plan->ip_offset + header + (has_header ? 8 : 0);
	}
	*ret_offset = (get16(ip + 6) & 0x1fff) * 8;
	return plan->ip_offset + (ip[0] & 0xfu) * 4;
}

/* The seeds are frames; the first byte of a MAC address selects where to cut. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fragment_plan plan;
	uint32_t i, bytes, at, from, first, offset, nr_data, done = 0;
	uint8_t *out, *same;

	if (!size || !fragment_plan(data, (uint32_t)size, data[0], &plan))
		return 0;
	must(plan.nr >= 2);
	out = malloc(size);
	same = malloc(size);
	must(out && same);
	from = data_of(&plan, data, plan.is_fragment, &first);
	for (i = 0; i < plan.nr; i++) {
		bytes = fragment_write(&plan, data, i, out);
		must(bytes <= size);
		at = data_of(&plan, out, true, &offset);
		nr_data = get16(out + plan.ip_offset + (plan.is_ip6 ? 4 : 2)) + (plan.is_ip6 ? 40 : 0) + plan.ip_offset - at;
		must(nr_data <= plan.piece_bytes && offset == first + done);
		must(!memcmp(out + at, data + from + done, nr_data));
		done += nr_data;
	}
	must(done == plan.data_bytes);
	memcpy(same, data, size);
	bytes = fragment_write(&plan, data, 0, out);
	must(fragment_write(&plan, same, 0, same) == bytes && !memcmp(same, out, bytes));
	free(same);
	free(out);
	return 0;
}
