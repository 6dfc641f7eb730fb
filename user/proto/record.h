/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proto/record.h - the record of a packet as a line of text.
 */
#ifndef PROTO_RECORD_H
#define PROTO_RECORD_H

#include <stddef.h>

#include "abi/record.h"

#define RECORD_TEXT_BYTES 192	/* no line is longer */

/*
 * The first line: the columns with their units and the receiver's clock, "mono"
 * or "tai"; @delay is "delay" or "rtt".
 */
size_t record_head(char *buf, size_t size, const char *clock, const char *delay);

/*
 * One line of comma-separated values into @buf, which has RECORD_TEXT_BYTES:
 * what is not known is empty. Returns its length; no NUL after it.
 */
size_t record_line(char *buf, const struct record *rec);

#endif
