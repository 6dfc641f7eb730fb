/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/rr_sizes.h - the list of frame sizes of ping and rr.
 */
#ifndef MODEL_RR_SIZES_H
#define MODEL_RR_SIZES_H

#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

#define RR_MAX_SIZES 32

/*
 * Parses "64,512,mtu", or "64-mtu": doubling, ending with the last. @mtu_bytes is the value of
 * "mtu", a frame with FCS. In any order, without duplicates. Pure.
 */
int rr_sizes_parse(const char *text, uint32_t mtu_bytes, uint32_t ret_sizes[RR_MAX_SIZES],
		   size_t *ret_nr, struct err *e);

#endif
