// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whatever frame a capture has, and whatever is to be changed in it: nothing outside of it is
 * touched, and checksums that were right stay right.
 */
#include <stdlib.h>
#include <string.h>

#include "abi/tag.h"
#include "proto/rewrite.h"

#define MIN_BYTES 14
#define must(condition) do { if (!(condition)) abort(); } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The first line: what --map-ip or --map-ports has. False: it is neither. */
static bool parse(const char *text, struct rewrite *rewrite)
{
	struct err e = { 0 };
	uint32_t i;

	if (!strchr(text, '.') && !strchr(text, ':')) {
		if (!rewrite_parse_ports(rewrite, "--map-ports", text, &e)) {
			must(rewrite->nr_ports && rewrite->nr_ports <= REWRITE_MAX_MAPS);
			return true;
		}
	} else if (!rewrite_parse_prefixes(rewrite, "--map-ip", text, &e)) {
		must(rewrite->nr_prefixes && rewrite->nr_prefixes <= REWRITE_MAX_MAPS);
		for (i = 0; i < rewrite->nr_prefixes; i++) {
			const struct rewrite_prefix *map = &rewrite->prefixes[i];

			must(map->addr_bytes == 4 || map->addr_bytes == 16);
			must(map->from_bits <= map->addr_bytes * 8 && map->to_bits <= map->addr_bytes * 8);
		}
		return true;
	}
	must(e.no && e.msg[0]);
	return false;
}

/* In a buffer of exact size, so that a byte outside of it is detected. */
static uint8_t *copy_of(const uint8_t *frame, uint32_t len, uint32_t room)
{
	uint8_t *copy = malloc(len + room);

	must(copy);
	memcpy(copy, frame, len);
	return copy;
}

static void check_vlan(struct rewrite rewrite, const uint8_t *frame, uint32_t len)
{
	uint8_t *copy = copy_of(frame, len, REWRITE_ROOM_BYTES);
	uint32_t got;

	rewrite.push_vlan = len % 2;
	rewrite.strip_vlan = len % 4 >= 2;
	rewrite.set_src_mac = rewrite.set_dst_mac = rewrite.fix_checksums = len % 8 >= 4;
	rewrite.vlan_tci = 7;
	got = rewrite_frame(&rewrite, copy, len);
	must(got >= MIN_BYTES && got <= len + REWRITE_ROOM_BYTES);
	if (rewrite.push_vlan)
		must(got >= MIN_BYTES + 4 && !memcmp(copy + 12, "\x81\0\0\7", 4));
	else
		must(got <= len);
	free(copy);
}

/* All sums are made right; after each change, making them right again changes nothing. */
static void check_sums(const struct rewrite *rewrite, const uint8_t *frame, uint32_t len)
{
	static const struct rewrite fix = { .fix_checksums = true };
	uint8_t *copy = copy_of(frame, len, 0), *fixed;
	uint16_t tag;

	must(rewrite_frame(&fix, copy, len) == len);
	must(rewrite_frame(rewrite, copy, len) == len);
	fixed = copy_of(copy, len, 0);
	must(rewrite_frame(&fix, fixed, len) == len);
	must(!memcmp(copy, fixed, len));
	tag = rewrite_clear_tag(copy, len);
	if (tag)
		must(tag >= MIN_BYTES && tag + TAG_BYTES <= len);
	memcpy(fixed, copy, len);
	must(rewrite_frame(&fix, fixed, len) == len);
	must(!memcmp(copy, fixed, len));
	free(fixed);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = memchr(data, '\n', size), *frame = end ? end + 1 : NULL;
	struct rewrite rewrite = { 0 };
	uint32_t len;
	char *text;

	if (!end)
		return 0;
	text = strndup((const char *)data, (size_t)(end - data));
	must(text);
	len = (uint32_t)(data + size - frame);
	if (parse(text, &rewrite) && len >= MIN_BYTES) {
		check_vlan(rewrite, frame, len);
		check_sums(&rewrite, frame, len);
	}
	free(text);
	return 0;
}
