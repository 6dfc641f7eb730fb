/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/host/fdlimit.h - the limit of open descriptors.
 */
#ifndef SYS_HOST_FDLIMIT_H
#define SYS_HOST_FDLIMIT_H

#include <stdint.h>

#include "lib/err.h"

/* Raises the limit to @need if it is lower; as root even above the hard limit. */
int fdlimit_raise(uint64_t need, struct err *e);

#endif
