/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/net/knob.h - numbers of an interface that can be set, by ioctl of this
 * thread's network namespace.
 */
#ifndef SYS_HOST_KNOB_H
#define SYS_HOST_KNOB_H

#include <stdint.h>

#include "lib/knob.h"

/*
 * @ret_max: the most that the driver makes of it; 0: it does not say.
 * -EOPNOTSUPP: the driver has no such thing.
 */
int knob_read(const char *ifname, enum knob knob, uint32_t *ret_value, uint32_t *ret_max);
int knob_write(const char *ifname, enum knob knob, uint32_t value);

#endif
