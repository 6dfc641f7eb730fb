/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lib/sample.h - counts estimated from a random sample: each item is taken with probability 1 / one_in,
 * independently of the others, and the counts of those taken are multiplied by one_in.
 */
#ifndef LIB_SAMPLE_H
#define LIB_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Fills @ret_gaps with @nr quantiles of the distance from one taken item to the next, which is geometric.
 * Picked at random with equal probability, they take one item in @one_in: this is their mean, exactly.
 */
void sample_gaps(uint32_t one_in, uint32_t *ret_gaps, size_t nr);

/*
 * Half the width of the 95 % interval of an estimated sum, relative to the sum: 1.96 standard errors. @sum and
 * @squares: of the values of the items taken. NAN: none was taken.
 */
double sample_error_ratio(uint32_t one_in, double sum, double squares);

#endif
