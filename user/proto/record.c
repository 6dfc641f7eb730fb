// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/record.c - format a packet's record as a line of text.
 *
 * Millions per second: without printf(), whose half microsecond per line would limit the rate.
 */
#include "proto/record.h"

#include <stdio.h>
#include <string.h>

#include "abi/stamp.h"
#include "lib/unit.h"

static const char *const kinds[RECORD_NR_KINDS] = {
	[RECORD_IN_ORDER] = "",
	[RECORD_LATE] = "late",
	[RECORD_DUPLICATE] = "duplicate",
	[RECORD_UNKNOWN] = "unknown",
	[RECORD_RESTART] = "restart",
	[RECORD_UNTAGGED] = "untagged",
	[RECORD_OTHER_STREAM] = "other-stream",
	[RECORD_OTHER_RUN] = "other-run",
	[RECORD_UNCONFIRMED] = "unconfirmed",
	[RECORD_DAMAGED] = "damaged",
	[RECORD_BAD_PAYLOAD] = "bad-payload",
};

size_t record_head(char *buf, size_t size, const char *clock, const char *delay)
{
	return (size_t)snprintf(buf, size, "stream,sequence,sent_%s_ns,received_%s_ns,%s_ns,"
				"frame_bytes,cpu,queue,kind\n", clock, clock, delay);
}

static char *put_number(char *at, uint64_t value)
{
	char digits[20];
	int n = 0;

	do {
		digits[n++] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	while (n)
		*at++ = digits[--n];
	return at;
}

static char *put_field(char *at, uint64_t value)
{
	at = put_number(at, value);
	*at++ = ',';
	return at;
}

/* Nothing if there is no timestamp. */
static char *put_time(char *at, uint64_t ns)
{
	if (ns)
		return put_field(at, ns);
	*at++ = ',';
	return at;
}

/* May be negative if the two ends' clocks differ. */
static char *put_delay(char *at, const struct record *rec)
{
	__s64 ns = (__s64)(rec->received_ns - rec->sent_ns);

	if (ns < 0)
		*at++ = '-';
	return put_field(at, ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns);
}

size_t record_line(char *buf, const struct record *rec)
{
	const char *kind = rec->kind < RECORD_NR_KINDS ? kinds[rec->kind] : "?";
	char *at = buf;
	size_t len = strlen(kind);

	if (rec->kind == RECORD_UNTAGGED || rec->kind == RECORD_DAMAGED) {
		*at++ = ',';
		*at++ = ',';
	} else {
		at = put_field(at, rec->stream);
		at = put_field(at, rec->sequence);
	}
	at = put_time(at, rec->sent_ns);
	at = put_time(at, rec->received_ns);
	if (rec->sent_ns && rec->received_ns &&
	    stamp_is_tai(rec->sent_ns) == stamp_is_tai(rec->received_ns))
		at = put_delay(at, rec);
	else
		*at++ = ',';
	at = put_field(at, (uint64_t)rec->bytes + UNIT_FCS_BYTES);
	at = put_field(at, rec->cpu);
	at = put_field(at, rec->queue);
	memcpy(at, kind, len);
	at += len;
	*at++ = '\n';
	return (size_t)(at - buf);
}
