/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/net/knob.h - numeric settings of an interface, by ioctl in this thread's network namespace.
 */
#ifndef SYS_HOST_KNOB_H
#define SYS_HOST_KNOB_H

#include <stdint.h>

#include "lib/knob.h"

/* @ret_max: the driver's maximum; 0: not reported. -EOPNOTSUPP: not supported by the driver. */
int knob_read(const char *ifname, enum knob knob, uint32_t *ret_value, uint32_t *ret_max);
int knob_write(const char *ifname, enum knob knob, uint32_t value);

#endif
