// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whatever a file of session keys has: it is refused with an error, or each key is of 8 to 256 bytes, for
 * sessions that no other line has.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/log.h"
#include "proto/stamp_keys.h"

#define must(condition) do { if (!(condition)) abort(); } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_line(const struct stamp_key_line *line)
{
	must(line->key.len >= 8 && line->key.len <= sizeof(line->key.bytes));
	must(!memchr(line->key.bytes, '\n', line->key.len) && !memchr(line->key.bytes, '\0', line->key.len));
	if (line->any_source)
		must(!line->source.bits && !line->source.addr_bytes);
	else
		must(line->source.bits <= 8 * line->source.addr_bytes);
	must(!line->any_ssid || !line->ssid);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err e = { 0 };
	struct stamp_keys keys;
	FILE *file;
	size_t i;

	if (!size)
		return 0;
	log_set_level(LOG_WARN);
	file = fmemopen((void *)data, size, "r");
	must(file);
	if (!stamp_keys_read(&keys, file, "keys", &e)) {
		must(keys.nr && keys.nr <= STAMP_KEYS_MAX && !e.no);
		for (i = 0; i < keys.nr; i++)
			check_line(&keys.lines[i]);
		stamp_keys_clear(&keys);
	} else {
		must(e.no == -EINVAL && e.msg[0] && !keys.lines);
	}
	fclose(file);
	return 0;
}
