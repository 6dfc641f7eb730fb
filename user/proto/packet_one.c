// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/packet_one.c - parse one value of a field by its type: a number, a word, flags, an address.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <arpa/inet.h>

#include "proto/layer.h"
#include "proto/packet_scan.h"

#define MAC_CHARS	17

uint64_t packet_one_max(const struct layer_field *field)
{
	return field->bits >= 64 ? UINT64_MAX : (1ull << field->bits) - 1;
}

struct packet_one packet_one_of(const uint8_t *bytes, size_t nr_bytes)
{
	struct packet_one one = { 0 };
	size_t i;

	for (i = 0; i < nr_bytes; i++) {
		one.high = one.high << 8 | one.low >> 56;
		one.low = one.low << 8 | bytes[i];
	}
	return one;
}

/* The values allowed for @field, for errors. */
static const char *expected(const struct layer_field *field, char *buf, size_t size)
{
	const struct layer_word *word;
	size_t used;

	switch (field->type) {
	case LAYER_MAC:
		return "a MAC address like 02:00:00:00:00:01";
	case LAYER_IP4:
		return "an IPv4 address like 198.18.0.1";
	case LAYER_IP6:
		return "an IPv6 address like 2001:2::1";
	case LAYER_FLAG:
		return "0 or 1";
	case LAYER_FLAGS:
		snprintf(buf, size, "letters of ");
		break;
	default:
		snprintf(buf, size, "a number of 0 to %llu%s",
			 (unsigned long long)packet_one_max(field),
			 field->words ? ", or one of:" : "");
		break;
	}
	for (word = field->words; word && word->name; word++) {
		used = strlen(buf);
		snprintf(buf + used, size - used, "%s%s", field->type == LAYER_FLAGS ? "" : " ",
			 word->name);
	}
	used = strlen(buf);
	if (field->type == LAYER_FLAGS)
		snprintf(buf + used, size - used, ", or a number of 0 to %llu",
			 (unsigned long long)packet_one_max(field));
	return buf;
}

static int fail_expected(const struct packet_scan *scan, const char *at,
			 const struct layer_field *field)
{
	char buf[256];

	return packet_scan_fail(scan, at, "%s'%s' is not a value of '%s', expected %s",
				*at ? "" : "the text ends: ", packet_scan_show(at).text,
				field->name, expected(field, buf, sizeof(buf)));
}

/* The longest of the field's words that begins at @at. */
static const struct layer_word *find_word(const struct layer_field *field, const char *at,
					  size_t *ret_len)
{
	const struct layer_word *word, *found = NULL;
	size_t len, best = 0;

	for (word = field->words; word && word->name; word++) {
		len = strlen(word->name);
		/* Not a part of a longer name; the '-' of a range may follow. */
		if (len > best && !strncmp(at, word->name, len) &&
		    (!packet_scan_name(at + len) && at[len] != '_' &&
		     (at[len] < '0' || at[len] > '9'))) {
			found = word;
			best = len;
		}
	}
	*ret_len = best;
	return found;
}

static int read_number(struct packet_scan *scan, const struct layer_field *field,
		       struct packet_one *ret_one)
{
	const char *at = scan->at;
	const struct layer_word *word;
	char buf[256];
	uint64_t value;
	size_t len;
	int err;

	word = find_word(field, at, &len);
	if (word) {
		scan->at += len;
		*ret_one = (struct packet_one){ .low = word->value };
		return 0;
	}
	err = packet_scan_number(scan, &value);
	if (err == -ERANGE || (!err && value > packet_one_max(field)))
		return packet_scan_fail(scan, at, "'%s' does not fit into the %u bits of '%s', "
					"expected %s", packet_scan_show(at).text, field->bits,
					field->name, expected(field, buf, sizeof(buf)));
	if (err)
		return fail_expected(scan, at, field);
	*ret_one = (struct packet_one){ .low = value };
	return 0;
}

/* Letters, each a word of the field; repetitions are allowed. */
static int read_flags(struct packet_scan *scan, const struct layer_field *field,
		      struct packet_one *ret_one)
{
	size_t i, whole, len = packet_scan_name(scan->at);
	const struct layer_word *word;
	struct packet_one one = { 0 };

	if (!len || find_word(field, scan->at, &whole))
		return read_number(scan, field, ret_one);
	for (i = 0; i < len; i++) {
		for (word = field->words; word && word->name; word++) {
			if (word->name[0] == scan->at[i] && !word->name[1])
				break;
		}
		if (!word || !word->name)
			return fail_expected(scan, scan->at, field);
		one.low |= word->value;
	}
	scan->at += len;
	*ret_one = one;
	return 0;
}

/* Booleans as in stream files. */
static bool take_bool(struct packet_scan *scan, struct packet_one *ret_one)
{
	size_t len = packet_scan_name(scan->at);
	bool yes = packet_scan_is(scan->at, len, "true");

	if (!yes && !packet_scan_is(scan->at, len, "false"))
		return false;
	scan->at += len;
	*ret_one = (struct packet_one){ .low = yes };
	return true;
}

static int read_mac(struct packet_scan *scan, const struct layer_field *field,
		    struct packet_one *ret_one)
{
	static const char hex[] = "0123456789abcdefABCDEF";
	const char *at = scan->at;
	uint64_t value = 0;
	int i;

	for (i = 0; i < MAC_CHARS; i++) {
		if (i % 3 == 2 ? at[i] != ':' : !at[i] || !strchr(hex, at[i]))
			return fail_expected(scan, at, field);
		if (i % 3 != 2)
			value = value << 4 | (at[i] <= '9' ? at[i] - '0' : (at[i] | 32) - 'a' + 10);
	}
	if (at[i] && strchr(hex, at[i]))
		return fail_expected(scan, at, field);
	scan->at += MAC_CHARS;
	*ret_one = (struct packet_one){ .low = value };
	return 0;
}

static int read_address(struct packet_scan *scan, const struct layer_field *field,
			struct packet_one *ret_one)
{
	bool ip4 = field->type == LAYER_IP4;
	size_t len = strspn(scan->at, ip4 ? "0123456789." : "0123456789abcdefABCDEF:.");
	char text[INET6_ADDRSTRLEN];
	uint8_t bytes[16];

	if (!len || len >= sizeof(text))
		return fail_expected(scan, scan->at, field);
	memcpy(text, scan->at, len);
	text[len] = '\0';
	if (inet_pton(ip4 ? AF_INET : AF_INET6, text, bytes) != 1)
		return fail_expected(scan, scan->at, field);
	scan->at += len;
	*ret_one = packet_one_of(bytes, ip4 ? 4 : 16);
	return 0;
}

int packet_one_read(struct packet_scan *scan, const struct layer_field *field,
		    struct packet_one *ret_one)
{
	packet_scan_blanks(scan);
	switch (field->type) {
	case LAYER_MAC:
		return read_mac(scan, field, ret_one);
	case LAYER_IP4:
	case LAYER_IP6:
		return read_address(scan, field, ret_one);
	case LAYER_FLAGS:
		return read_flags(scan, field, ret_one);
	case LAYER_FLAG:
		if (take_bool(scan, ret_one))
			return 0;
		break;
	}
	return read_number(scan, field, ret_one);
}
