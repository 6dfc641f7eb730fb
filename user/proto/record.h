/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proto/record.h - format a packet's record as a line of text.
 */
#ifndef PROTO_RECORD_H
#define PROTO_RECORD_H

#include <stddef.h>

#include "abi/record.h"

#define RECORD_TEXT_BYTES 192	/* maximum length of a line */

/*
 * The header line: columns with units and the receiver's clock, "mono" or "tai"; @delay is "delay"
 * or "rtt".
 */
size_t record_head(char *buf, size_t size, const char *clock, const char *delay);

/*
 * Writes a line of comma-separated values to @buf of RECORD_TEXT_BYTES: unknown values are empty.
 * Returns its length; not terminated by NUL.
 */
size_t record_line(char *buf, const struct record *rec);

#endif
