/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/rr_sizes.h - the sizes of frames that ping and rr go through.
 */
#ifndef MODEL_RR_SIZES_H
#define MODEL_RR_SIZES_H

#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

#define RR_MAX_SIZES 32

/*
 * "64,512,mtu", or "64-mtu": each twice the one before, and the last. @mtu_bytes is
 * what "mtu" means, a frame with FCS. Ascending or not, but each only once. Pure.
 */
int rr_sizes_parse(const char *text, uint32_t mtu_bytes, uint32_t ret_sizes[RR_MAX_SIZES],
		   size_t *ret_nr, struct err *e);

#endif
