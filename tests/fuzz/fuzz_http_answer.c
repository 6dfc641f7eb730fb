// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whatever a web server answers: in the parts that the first byte asks for it is what it is in one, no byte
 * is counted twice, and headers end.
 */
#include <stdlib.h>
#include <string.h>

#include "proto/http_answer.h"

#define must(condition) do { if (!(condition)) abort(); } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct http_answer *answer, size_t used, size_t size)
{
	must(used <= size && (used == size || answer->state >= HTTP_ANSWER_WHOLE));
	must(answer->header_bytes + answer->body_bytes + answer->trailer_bytes <= used);
	must(answer->header_bytes <= HTTP_ANSWER_HEADER_MOST || answer->state == HTTP_ANSWER_BAD);
	must(answer->status < 1000 && answer->line_len <= used);
	must(answer->state != HTTP_ANSWER_WHOLE || answer->status >= 200);
	must(!answer->has_length || answer->length <= INT64_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct http_answer whole = { 0 }, parts = { 0 };
	size_t used, part, at = 0;
	char *copy;

	if (!size)
		return 0;
	part = 1 + data[0] % 32u;
	data++;
	size--;
	used = http_answer_take(&whole, (const char *)data, size);
	check(&whole, used, size);
	while (at < size && parts.state < HTTP_ANSWER_WHOLE) {
		if (part > size - at)
			part = size - at;
		copy = malloc(part);	/* of exact size, so that a read after the end is detected */
		must(copy);
		memcpy(copy, data + at, part);
		at += http_answer_take(&parts, copy, part);
		free(copy);
	}
	must(at == used && parts.state == whole.state && parts.status == whole.status);
	must(parts.header_bytes == whole.header_bytes && parts.body_bytes == whole.body_bytes);
	must(!parts.location == !whole.location && (!whole.location || !strcmp(parts.location, whole.location)));
	must(http_answer_end(&parts) == http_answer_end(&whole));
	http_answer_reset(&parts);
	must(parts.state == HTTP_ANSWER_STATUS && !parts.location);
	http_answer_release(&parts);
	http_answer_release(&whole);
	return 0;
}
