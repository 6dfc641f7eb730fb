// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/packet_bytes.c - byte values: hex digits and text.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "proto/layer.h"
#include "proto/packet_scan.h"
#include "proto/packet_spec.h"

static int hold_byte(struct packet_scan *scan, const char *at, struct packet_value *value,
		     uint8_t byte)
{
	if (!value->bytes) {
		value->bytes = malloc(PACKET_SPEC_BYTES);
		if (!value->bytes)
			return err_set(scan->e, -ENOMEM, "cannot allocate a value");
	}
	if (value->nr_bytes == PACKET_SPEC_BYTES)
		return packet_scan_fail(scan, at, "the value of '%s' is too long, expected at most "
					"%u bytes", value->field->name, PACKET_SPEC_BYTES);
	value->bytes[value->nr_bytes++] = byte;
	return 0;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 32;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Digits in pairs, with optional spaces between the pairs. */
int packet_bytes_hex(struct packet_scan *scan, struct packet_value *value)
{
	const char *begin = scan->at;
	int err, high, low;

	for (;;) {
		packet_scan_blanks(scan);
		high = hex_digit(scan->at[0]);
		if (high < 0)
			break;
		low = hex_digit(scan->at[1]);
		if (low < 0)
			return packet_scan_fail(scan, scan->at, "odd number of hex digits in '%s', "
						"expected an even number of digits",
						value->field->name);
		err = hold_byte(scan, scan->at, value, (uint8_t)(high << 4 | low));
		if (err)
			return err;
		scan->at += 2;
	}
	if (!value->nr_bytes)
		return packet_scan_fail(scan, begin, "%s'%s' is not a value of '%s', expected hex "
					"digits like deadbeef", *begin ? "" : "the text ends: ",
					packet_scan_show(begin).text, value->field->name);
	return 0;
}

/* The byte for the escape at @scan; moves @scan to its last character. */
static int read_escape(struct packet_scan *scan, uint8_t *ret_byte)
{
	static const char letters[] = "rnt\"\\", bytes[] = "\r\n\t\"\\";
	const char *at = scan->at, *letter;
	int high, low;

	scan->at++;
	letter = *scan->at ? strchr(letters, *scan->at) : NULL;
	if (letter) {
		*ret_byte = (uint8_t)bytes[letter - letters];
		return 0;
	}
	if (*scan->at == 'x') {
		high = hex_digit(scan->at[1]);
		low = high < 0 ? -1 : hex_digit(scan->at[2]);
		if (low >= 0) {
			scan->at += 2;
			*ret_byte = (uint8_t)(high << 4 | low);
			return 0;
		}
	}
	return packet_scan_fail(scan, at, "'%s' is not an escape, expected \\r \\n \\t \\\" \\\\ or "
				"\\xHH", packet_scan_show_name(at, strnlen(at, 2)).text);
}

static int read_quoted(struct packet_scan *scan, struct packet_value *value)
{
	const char *at, *begin = scan->at++;
	uint8_t byte;
	int err = 0;

	for (; *scan->at != '"' && !err; scan->at++) {
		at = scan->at;
		if (!*at)
			return packet_scan_fail(scan, begin, "the text of '%s' does not end, "
						"expected '\"'", value->field->name);
		byte = (uint8_t)*at;
		if (byte == '\\')
			err = read_escape(scan, &byte);
		if (!err)
			err = hold_byte(scan, at, value, byte);
		if (err)
			return err;
	}
	scan->at++;
	return 0;
}

int packet_bytes_text(struct packet_scan *scan, bool raw, struct packet_value *value)
{
	int err = 0;

	if (*scan->at == '"')
		return read_quoted(scan, value);
	if (!raw)
		return packet_scan_fail(scan, scan->at, "%s'%s' is not a value of '%s', expected text "
					"in double quotes", *scan->at ? "" : "the text ends: ",
					packet_scan_show(scan->at).text, value->field->name);
	for (; *scan->at && !err; scan->at++)
		err = hold_byte(scan, scan->at, value, (uint8_t)*scan->at);
	return err;
}
