/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proto/echo.h - ICMP and ICMPv6 echo requests that carry the probe tag.
 *
 * An echo header has 8 bytes, like UDP's, so the rest of the frame is as in proto/frame.h.
 */
#ifndef PROTO_ECHO_H
#define PROTO_ECHO_H

#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "proto/frame.h"

#define ECHO_BYTES	8

/*
 * frame_build() of a tagged @spec, with an echo request of identifier @id (host byte order) in
 * place of UDP. Its number is 0, and *ret_check is its checksum then.
 */
int echo_build(const struct frame_spec *spec, uint16_t id, uint8_t *buf, size_t buf_size,
	       uint16_t *ret_tag_offset, uint16_t *ret_check, struct err *e);

/* Writes the number and the matching checksum to the echo header at @echo. */
void echo_write_number(uint8_t *echo, uint16_t check, uint16_t number);

#endif
