/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proto/payload.h - write and verify the payload pattern (abi/payload.h).
 */
#ifndef PROTO_PAYLOAD_H
#define PROTO_PAYLOAD_H

#include <stdbool.h>
#include <stddef.h>

/* The first @bytes of the pattern, at @at: right after the tag. */
void payload_fill(void *at, size_t bytes);

/* True if the @bytes at @at are the first ones of the pattern. */
bool payload_is_intact(const void *at, size_t bytes);

#endif
