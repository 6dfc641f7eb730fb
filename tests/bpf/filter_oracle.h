/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter_oracle.h - what libpcap itself says of a packet. Apart, as its headers and
 * the kernel's exclude each other.
 */
#ifndef TESTS_FILTER_ORACLE_H
#define TESTS_FILTER_ORACLE_H

#include <stdbool.h>
#include <stddef.h>

#include "proto/filter.h"

bool oracle_takes(const struct filter *filter, const void *frame, size_t len);

/* False: jumps that leave it, a division by 0 and the like. */
bool oracle_is_valid(const struct filter *filter);

#endif
