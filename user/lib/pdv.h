/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lib/pdv.h - fill and read histograms of delay variation (abi/pdv.h).
 */
#ifndef LIB_PDV_H
#define LIB_PDV_H

#include <stdint.h>

#include "abi/pdv.h"

/* Adds a delay to a record that only this thread writes; those above the range are not counted. */
void pdv_add(struct pdv_rec *pdv, uint64_t ns);

/* Adds @from's counts to @sum. */
void pdv_merge(struct pdv_rec *sum, const struct pdv_rec *from);

/*
 * The delays' distances from the smallest, in the buckets of abi/hist.h: each within 1/128. @delays
 * are the same delays: the extremes and the mean are theirs, so exact. No squares are kept.
 */
void pdv_hist(const struct pdv_rec *pdv, const struct hist_rec *delays, struct hist_rec *ret_hist);

#endif
